-- The transaction that last changed what a search reads of a memory. A server that keeps memories packed reads again what was written since
-- its snapshot, deleted memories included. Statements set it; the default is for new rows.
alter table agent_memories add column written xid8 not null default pg_current_xact_id();
create index agent_memories_written_idx on agent_memories (agent_id, written) include (tenant_id, user_id, id);

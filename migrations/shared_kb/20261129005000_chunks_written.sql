-- The transaction that last changed what a search reads of a chunk: whether its document is in force, its words or its vectors. A server that
-- keeps chunks packed reads again what was written since its snapshot. Statements set it; the default is for new rows.
alter table chunks add column written xid8 not null default pg_current_xact_id();
create index chunks_written_idx on chunks (tenant_id, written) include (id);
grant update (written) on chunks to rmb_app;

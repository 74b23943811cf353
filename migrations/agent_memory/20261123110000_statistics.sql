-- What BM25 counts belongs to a user, too: the words of one user's memories must not move the scores of another's.

-- How many terms a live memory has; null for what is not live. A filtered search counts only what its filter lets through.
alter table agent_memories add column term_count integer;
update agent_memories m
   set term_count = coalesce((select max(t.length) from memory_terms t where t.agent_id = m.agent_id and t.memory_id = m.id), 0)
 where m.live;

-- Live memories that have expired: searches subtract them.
create index agent_memories_expiring_idx on agent_memories (agent_id, expires_at) where live and expires_at is not null;

alter table memory_term_counts add column user_id uuid;
alter table memory_term_counts drop constraint memory_term_counts_pkey,
    add constraint memory_term_counts_key unique nulls not distinct (agent_id, user_id, slot);
delete from memory_term_counts;
insert into memory_term_counts (tenant_id, agent_id, user_id, slot, documents, terms)
select tenant_id, agent_id, user_id, 0, count(*), sum(term_count) from agent_memories where live group by tenant_id, agent_id, user_id;

alter policy memory_term_counts_app on memory_term_counts using (
    tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid
    and (agent_id = nullif(current_setting('rmb.agent', true), '')::uuid
         or agent_id = nullif(current_setting('rmb.commons', true), '')::uuid)
    and (user_id is null or user_id = nullif(current_setting('rmb.user', true), '')::uuid
         or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));

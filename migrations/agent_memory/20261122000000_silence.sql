-- What the vocabulary's decisions and the health of recall need of private memory.

-- The normal form of topic_raw: which memories a decision on a phrase concerns. The server writes it; this expression is for what is there.
alter table agent_memories add column topic_normal varchar(256);
update agent_memories
   set topic_normal = left(btrim(regexp_replace(lower(normalize(topic_raw, NFKC)), '[\s_-]+', ' ', 'g')), 256);
alter table agent_memories alter column topic_normal set not null;
create index agent_memories_normal_idx on agent_memories (tenant_id, topic_normal, vocabulary_version);
-- How much is filed under a term.
create index agent_memories_tenant_topic_idx on agent_memories (tenant_id, topic) where live and is_canonical;

-- Why nothing was found, for operators; written a moment after the answer.
alter table retrievals add column cause text constraint retrievals_cause_check
    check (cause in ('nothing_stored', 'below_floor', 'filtered_out', 'degraded'));
-- [{agent_id, memory_id, similarity, floor, state}], closest first
alter table retrievals add column near_misses jsonb not null default '[]';
-- [{document_id, chunk_id, similarity, matched_by, passed, rank}], best first
alter table retrievals add column knowledge jsonb not null default '[]';
alter table retrievals add column knowledge_hits integer not null default 0;
update retrievals set cause = case reason when 'degraded' then 'degraded' when 'below_floor' then 'below_floor' else 'nothing_stored' end
 where zero_hit;
create index retrievals_zero_idx on retrievals (tenant_id, at desc, id desc) where zero_hit;
create index retrievals_tenant_at_idx on retrievals (tenant_id, at desc);

-- Which recalls cited which document.
create table citations (
    tenant_id    uuid        not null,
    agent_id     uuid        not null,
    retrieval_id uuid        not null,
    chunk_id     uuid        not null,
    document_id  uuid        not null,
    rank         integer     not null,
    at           timestamptz not null,
    constraint citations_pkey primary key (agent_id, retrieval_id, chunk_id)
);
create index citations_document_idx on citations (tenant_id, document_id, at desc);
alter table citations enable row level security;
create policy citations_app on citations to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
grant select, insert on citations to rmb_app;

-- How deep the queue is, without reading what is done.
create index events_open_idx on events (tenant_id, state) where state in ('pending', 'running', 'failed', 'dead');

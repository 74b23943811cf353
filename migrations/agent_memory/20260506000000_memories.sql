-- Private memory. Keys start with `agent_id` and no foreign key crosses agents, so the tables can be distributed by it.

create extension if not exists vector;

create table agent_memories (
    tenant_id          uuid         not null,
    agent_id           uuid         not null,
    id                 uuid         not null,
    -- what prompts show: 8 characters of A–Z a–z 0–9
    short_id           char(8)      not null,
    created_by         uuid         not null,
    user_id            uuid,
    kind               text         not null constraint agent_memories_kind_check
                       check (kind in ('profile', 'project', 'decision', 'artifact', 'episode', 'task_hint')),
    category           text         constraint agent_memories_category_check check (category in ('person', 'preference', 'context', 'project')),
    subject            varchar(200),
    retention          text         not null constraint agent_memories_retention_check
                       check (retention in ('routine', 'task', 'decision', 'permanent', 'error')),
    scope              text         not null constraint agent_memories_scope_check check (scope in ('global', 'project', 'repo', 'agent', 'session')),
    project_id         uuid,
    repo_id            uuid,
    session_id         uuid,
    connection_id      uuid,
    status             text         not null constraint agent_memories_status_check
                       check (status in ('inbox', 'active', 'superseded', 'contradicted', 'archived')),
    topic              varchar(256) not null,
    topic_raw          varchar(256) not null,
    is_canonical       boolean      not null,
    vocabulary_version bigint       not null,
    title              text,
    content            text         not null,
    summary            text,
    role               text         constraint agent_memories_role_check check (role in ('user', 'assistant', 'system', 'tool_result')),
    -- {platform, channel_id, thread_id, message_id, observed_at}
    source             jsonb        not null,
    source_kind        text         not null constraint agent_memories_source_kind_check
                       check (source_kind in ('manual', 'conversation', 'run', 'document', 'import')),
    source_id          uuid,
    evidence_ref       text,
    context_type       text,
    tool_id            uuid,
    attachment_id      text,
    filename           text,
    confidence         real         not null constraint agent_memories_confidence_check check (confidence between 0 and 1),
    importance         real         not null constraint agent_memories_importance_check check (importance between 0 and 1),
    pinned             boolean      not null default false,
    -- sha-256 of content
    content_hash       bytea        not null,
    version            integer      not null,
    -- status active or contradicted, not deleted, not archived; kept by the transaction that changes those
    live               boolean      not null,
    -- no vector of this content yet: found by its words meanwhile
    awaiting_vector    boolean      not null,
    access_count       bigint       not null default 0,
    last_accessed_at   timestamptz,
    observed_at        timestamptz,
    created_at         timestamptz  not null,
    updated_at         timestamptz  not null,
    expires_at         timestamptz,
    archived_at        timestamptz,
    deleted_at         timestamptz,
    deleted_by         text,
    delete_reason      text,
    constraint agent_memories_pkey primary key (agent_id, id),
    constraint agent_memories_agent_id_short_id_key unique (agent_id, short_id),
    constraint agent_memories_live_check
        check (live = (status in ('active', 'contradicted') and deleted_at is null and archived_at is null))
) with (fillfactor = 90);
create index agent_memories_tenant_updated_idx on agent_memories (tenant_id, updated_at desc, id desc);
create index agent_memories_agent_updated_idx on agent_memories (agent_id, updated_at desc, id desc);
create index agent_memories_topic_idx on agent_memories (agent_id, topic) where live;
create index agent_memories_awaiting_idx on agent_memories (agent_id, id) where live and awaiting_vector;
create index agent_memories_tenant_id_idx on agent_memories (tenant_id, id);

-- A row for every change of state; nothing is overwritten.
create table agent_memory_versions (
    tenant_id    uuid         not null,
    agent_id     uuid         not null,
    memory_id    uuid         not null,
    version      integer      not null,
    change       text         not null,
    content      text         not null,
    topic        varchar(256) not null,
    topic_raw    varchar(256) not null,
    is_canonical boolean      not null,
    status       text         not null,
    deleted      boolean      not null,
    updated_at   timestamptz  not null,
    valid_from   timestamptz  not null,
    actor_kind   text         not null,
    actor_id     text         not null,
    actor_name   text         not null,
    source       jsonb        not null,
    constraint agent_memory_versions_pkey primary key (agent_id, memory_id, version),
    constraint agent_memory_versions_memory_fkey foreign key (agent_id, memory_id) references agent_memories (agent_id, id)
);

create table memory_links (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    from_id    uuid        not null,
    to_id      uuid        not null,
    relation   text        not null constraint memory_links_relation_check
               check (relation in ('supports', 'contradicts', 'supersedes', 'applies_to', 'derived_from', 'related_to')),
    created_at timestamptz not null,
    created_by text        not null,
    constraint memory_links_pkey primary key (agent_id, from_id, to_id, relation),
    constraint memory_links_self_check check (from_id <> to_id)
);
create index memory_links_to_idx on memory_links (agent_id, to_id);

-- The words of what is live. `length` is the memory's number of terms, repeated so that BM25 reads one index only.
create table memory_terms (
    tenant_id uuid not null,
    agent_id  uuid not null,
    term      text not null,
    memory_id uuid not null,
    tf        real not null,
    length    integer not null,
    constraint memory_terms_pkey primary key (agent_id, term, memory_id) include (tenant_id, tf, length)
);
create index memory_terms_memory_idx on memory_terms (agent_id, memory_id);

-- Documents and terms of an agent, spread over slots so that two writers rarely wait for one row.
create table memory_term_counts (
    tenant_id uuid     not null,
    agent_id  uuid     not null,
    slot      smallint not null,
    documents bigint   not null,
    terms     bigint   not null,
    constraint memory_term_counts_pkey primary key (agent_id, slot)
);

-- Vectors live beside the record: a memory exists before its vector does, and counters never rewrite vectors.
-- weight = exp((updated_at − 2020-01-01) / 90 days): cosine · weight orders by decayed similarity at any moment.
create table embeddings_384 (
    tenant_id  uuid             not null,
    agent_id   uuid             not null,
    memory_id  uuid             not null,
    model      text             not null,
    user_id    uuid,
    live       boolean          not null,
    expires_at timestamptz,
    weight     double precision not null,
    embedding  vector(384)      not null,
    half       halfvec(384)     not null,
    constraint embeddings_384_pkey primary key (agent_id, memory_id, model)
) with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
-- TOAST would put the vector out of line, at five times the cost of a scan.
alter table embeddings_384 alter column embedding set storage plain, alter column half set storage plain;
-- An agent's exact top k from the index alone.
create index embeddings_384_live_idx on embeddings_384 (agent_id, model)
    include (tenant_id, user_id, memory_id, expires_at, weight, half) where live;

create table embeddings_1536 (
    tenant_id  uuid             not null,
    agent_id   uuid             not null,
    memory_id  uuid             not null,
    model      text             not null,
    user_id    uuid,
    live       boolean          not null,
    expires_at timestamptz,
    weight     double precision not null,
    embedding  vector(1536)     not null,
    bits       bit(1536)        not null,
    constraint embeddings_1536_pkey primary key (agent_id, memory_id, model)
) with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
alter table embeddings_1536 alter column embedding set storage plain;
create index embeddings_1536_live_idx on embeddings_1536 (agent_id, model)
    include (tenant_id, user_id, memory_id, expires_at, weight, bits) where live;

-- What was forgotten, by hash and source span only, so that extraction does not bring it back.
create table tombstones (
    tenant_id    uuid        not null,
    agent_id     uuid        not null,
    memory_id    uuid        not null,
    content_hash bytea       not null,
    user_id      uuid,
    source       jsonb       not null,
    created_at   timestamptz not null,
    constraint tombstones_pkey primary key (agent_id, memory_id)
);
create index tombstones_hash_idx on tombstones (agent_id, content_hash);

create table retrievals (
    tenant_id          uuid             not null,
    agent_id           uuid             not null,
    id                 uuid             not null,
    at                 timestamptz      not null,
    user_id            uuid,
    query              text             not null,
    query_canonical    text,
    k                  integer          not null,
    expected           boolean          not null,
    ranking            text             not null,
    filters            jsonb            not null,
    model              text             not null,
    vector_floor       double precision not null,
    lexical_floor      double precision not null,
    vocabulary_version bigint           not null,
    -- documents, mean length and document frequencies that BM25 used
    statistics         jsonb            not null,
    -- [{memory_id, version, similarity, recency, score, matched_by, passed, rank}], best first
    candidates         jsonb            not null,
    hits               integer          not null,
    zero_hit           boolean          not null,
    reason             text,
    degraded           text[]           not null,
    took_ms            double precision not null,
    constraint retrievals_pkey primary key (agent_id, id)
);
create index retrievals_agent_at_idx on retrievals (agent_id, at desc);

-- The event bus, and the only queue: an observation, a capture, an explicit write or a maintenance job, with its state.
create table sources (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    id         uuid        not null,
    kind       text        not null constraint sources_kind_check check (kind in ('manual', 'conversation', 'run', 'document', 'import')),
    reference  text        not null,
    content    text,
    metadata   jsonb       not null default '{}',
    created_at timestamptz not null,
    constraint sources_pkey primary key (agent_id, id)
);

create table events (
    tenant_id    uuid        not null,
    agent_id     uuid        not null,
    id           uuid        not null,
    kind         text        not null constraint events_kind_check
                 check (kind in ('manual_write', 'session_close', 'conversation_capture', 'observation', 'maintenance')),
    -- what a worker is to do: `embed`, …
    task         text        not null,
    payload      jsonb       not null default '{}',
    source_id    uuid,
    state        text        not null constraint events_state_check check (state in ('pending', 'running', 'done', 'failed', 'dead')),
    -- counts leases; the fencing token of whoever holds the lease
    attempt      integer     not null default 0,
    run_after    timestamptz not null,
    leased_until timestamptz,
    error        text,
    outcome      jsonb,
    created_at   timestamptz not null,
    finished_at  timestamptz,
    constraint events_pkey primary key (agent_id, id)
);
create index events_waiting_idx on events (run_after) where state in ('pending', 'failed', 'running');

-- What must reach another database: written with the change, delivered at least once, chosen by `delivered_at is null`.
create table outbox (
    tenant_id    uuid        not null,
    agent_id     uuid        not null,
    id           uuid        not null,
    destination  text        not null constraint outbox_destination_check check (destination in ('audit', 'proposal')),
    payload      jsonb       not null,
    created_at   timestamptz not null,
    delivered_at timestamptz,
    attempts     integer     not null default 0,
    error        text,
    constraint outbox_pkey primary key (agent_id, id)
);
create index outbox_waiting_idx on outbox (created_at) where delivered_at is null;

-- Row-level security. `rmb.tenant` and `rmb.agent` travel with BEGIN; an unset value matches nothing. The all-ones agent stands
-- for every agent of the tenant: operators and tenant-wide work. `rmb.commons` adds the memory that the agents share.
alter table agent_memories enable row level security;
create policy agent_memories_app on agent_memories to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
alter table agent_memory_versions enable row level security;
create policy agent_memory_versions_app on agent_memory_versions to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
alter table memory_links enable row level security;
create policy memory_links_app on memory_links to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
alter table memory_terms enable row level security;
create policy memory_terms_app on memory_terms to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
alter table memory_term_counts enable row level security;
create policy memory_term_counts_app on memory_term_counts to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
alter table embeddings_384 enable row level security;
create policy embeddings_384_app on embeddings_384 to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
alter table embeddings_1536 enable row level security;
create policy embeddings_1536_app on embeddings_1536 to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
alter table tombstones enable row level security;
create policy tombstones_app on tombstones to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
alter table retrievals enable row level security;
create policy retrievals_app on retrievals to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
alter table sources enable row level security;
create policy sources_app on sources to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
alter table events enable row level security;
create policy events_app on events to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
alter table outbox enable row level security;
create policy outbox_app on outbox to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));

-- What the server does across tenants: deliver, claim, sweep.
create policy events_system         on events         to rmb_system using (true);
create policy outbox_system         on outbox         to rmb_system using (true);

grant select, insert, update on agent_memories, memory_links, embeddings_384, embeddings_1536, memory_term_counts, retrievals, sources, events to rmb_app;
grant select, insert on agent_memory_versions to rmb_app;
grant delete on embeddings_384, embeddings_1536, memory_links to rmb_app;
grant select, insert, delete on memory_terms, tombstones to rmb_app;
grant select, insert on outbox to rmb_app;
grant select, insert, update on events to rmb_system;
grant select, update on outbox to rmb_system;

-- Review: decisions on the vocabulary, each of which can be taken back. Knowledge: what a search in it reads.

-- A row is what a term was called from `valid_from` to `valid_to`; `lineage` is the term through all its names: the id of its first row.
alter table canonical_terms add column lineage uuid;
update canonical_terms set lineage = id;
alter table canonical_terms alter column lineage set not null;
create unique index canonical_terms_lineage_key on canonical_terms (tenant_id, lineage) where valid_to is null;
create index canonical_terms_lineage_idx on canonical_terms (tenant_id, lineage);
create index term_aliases_term_idx on term_aliases (tenant_id, term_id);

create table decisions (
    tenant_id      uuid        not null,
    id             uuid        not null,
    kind           text        not null constraint decisions_kind_check
                   check (kind in ('approve', 'merge', 'reject', 'add', 'rename', 'define', 'alias', 'unalias', 'combine', 'retire', 'undo')),
    -- what was decided about: phrases of proposals, or a term
    subjects       text[]      not null,
    -- lineage of the term that came of it or that it was merged into
    term_id        uuid,
    term           text,
    reason         text,
    actor_kind     text        not null,
    actor_id       text        not null,
    actor_name     text        not null,
    at             timestamptz not null,
    -- the version of the vocabulary that it made
    version        bigint      not null,
    -- normal forms that mean something else since
    forms          text[]      not null,
    -- memories that were to be resolved anew when it was made
    memories       bigint      not null,
    -- rows of canonical_terms and term_aliases that it opened and closed
    opened_terms   uuid[]      not null,
    closed_terms   uuid[]      not null,
    opened_aliases uuid[]      not null,
    closed_aliases uuid[]      not null,
    undone_by      uuid,
    constraint decisions_pkey primary key (tenant_id, id)
);
create index decisions_at_idx on decisions (tenant_id, at desc, id desc);
create index decisions_term_idx on decisions (tenant_id, term_id, at desc);

-- An agent may propose a phrase that no memory has.
alter table proposal_memories alter column memory_id drop not null;

alter table term_proposals add column decision_id uuid;
create index term_proposals_decision_idx on term_proposals (tenant_id, decision_id);
create index term_proposals_queue_idx on term_proposals (tenant_id, status, count desc, id desc);

-- For suggestions only: exact scans over thousands, so one table serves every dimension.
create table term_embeddings (
    tenant_id uuid   not null,
    term_id   uuid   not null,
    model     text   not null,
    term      text   not null,
    embedding vector not null,
    constraint term_embeddings_pkey primary key (tenant_id, term_id, model)
);

alter table outbox drop constraint outbox_destination_check;
alter table outbox add constraint outbox_destination_check check (destination in ('audit', 'proposal', 'job'));

-- Where documents come from. A path is unique in its collection, and what one collection lost another keeps.
alter table documents add column collection text not null default 'default';
alter table documents alter column collection drop default;
drop index documents_path_key;
create unique index documents_path_key on documents (tenant_id, collection, path) where valid_to is null;
create index documents_list_idx on documents (tenant_id, valid_from desc, id desc);

-- No vector yet: found by its words meanwhile.
alter table chunks add column awaiting_vector boolean not null default true;
create index chunks_awaiting_idx on chunks (tenant_id, id) where awaiting_vector;

-- Chunks in force and the terms in them, for BM25; ingestion is the only writer.
create table chunk_counts (
    tenant_id uuid   not null constraint chunk_counts_pkey primary key,
    chunks    bigint not null,
    terms     bigint not null
);

-- The words of chunks in force, as in memory_terms.
create table chunk_terms (
    tenant_id uuid    not null,
    term      text    not null,
    chunk_id  uuid    not null,
    tf        real    not null,
    length    integer not null,
    constraint chunk_terms_pkey primary key (tenant_id, term, chunk_id) include (tf, length)
);
create index chunk_terms_chunk_idx on chunk_terms (tenant_id, chunk_id);

create table chunk_embeddings_384 (
    tenant_id uuid         not null,
    chunk_id  uuid         not null,
    model     text         not null,
    live      boolean      not null,
    half      halfvec(384) not null,
    constraint chunk_embeddings_384_pkey primary key (tenant_id, chunk_id, model)
);
alter table chunk_embeddings_384 alter column half set storage plain;
create index chunk_embeddings_384_live_idx on chunk_embeddings_384 (tenant_id, model) include (chunk_id, half) where live;

create table chunk_embeddings_1536 (
    tenant_id uuid          not null,
    chunk_id  uuid          not null,
    model     text          not null,
    live      boolean       not null,
    half      halfvec(1536) not null,
    constraint chunk_embeddings_1536_pkey primary key (tenant_id, chunk_id, model)
);
alter table chunk_embeddings_1536 alter column half set storage plain;
create index chunk_embeddings_1536_live_idx on chunk_embeddings_1536 (tenant_id, model) where live;

create table components (
    tenant_id   uuid    not null,
    document_id uuid    not null,
    ordinal     integer not null,
    name        text    not null,
    normal      text    not null,
    description text    not null,
    -- normal forms of what it needs
    depends_on  text[]  not null,
    constraint components_pkey primary key (tenant_id, document_id, ordinal),
    constraint components_document_fkey foreign key (tenant_id, document_id) references documents (tenant_id, id)
);

create table ingest_runs (
    tenant_id   uuid        not null,
    id          uuid        not null,
    collection  text        not null,
    revision    text,
    actor_name  text        not null,
    started_at  timestamptz not null,
    finished_at timestamptz,
    report      jsonb       not null,
    constraint ingest_runs_pkey primary key (tenant_id, id)
);
create index ingest_runs_started_idx on ingest_runs (tenant_id, started_at desc, id desc);

alter table decisions enable row level security;
create policy decisions_app on decisions to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
alter table term_embeddings enable row level security;
create policy term_embeddings_app on term_embeddings to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
alter table chunk_counts enable row level security;
create policy chunk_counts_app on chunk_counts to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
alter table chunk_terms enable row level security;
create policy chunk_terms_app on chunk_terms to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
alter table chunk_embeddings_384 enable row level security;
create policy chunk_embeddings_384_app on chunk_embeddings_384 to rmb_app
    using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
alter table chunk_embeddings_1536 enable row level security;
create policy chunk_embeddings_1536_app on chunk_embeddings_1536 to rmb_app
    using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
alter table components enable row level security;
create policy components_app on components to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
alter table ingest_runs enable row level security;
create policy ingest_runs_app on ingest_runs to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));

grant select, insert, update on decisions, term_embeddings, chunk_counts, ingest_runs, chunk_embeddings_384, chunk_embeddings_1536 to rmb_app;
grant update (awaiting_vector) on chunks to rmb_app;
grant delete on term_embeddings to rmb_app;
grant select, insert, delete on chunk_terms to rmb_app;
grant select, insert on components to rmb_app;

-- Whoever delivers a proposal must see whether its phrase is known by now.
create policy canonical_terms_system on canonical_terms to rmb_system using (true);
create policy term_aliases_system    on term_aliases    to rmb_system using (true);
grant select on canonical_terms, term_aliases to rmb_system;

-- How deep the queue is, without reading what is done.
create index events_open_idx on events (tenant_id, state) where state in ('pending', 'running', 'failed', 'dead');

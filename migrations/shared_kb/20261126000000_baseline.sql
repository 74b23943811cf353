-- Shared knowledge: one vocabulary and one base of decided documents for all agents of a tenant.
--
-- Every key starts with `tenant_id`, and no foreign key leaves the tenant, so the tables can be distributed by tenant.

create extension if not exists vector;


-- Vocabulary

-- The version moves with every decision; the servers check their snapshots against it.
create table vocabularies (
    tenant_id  uuid        not null constraint vocabularies_pkey primary key,
    version    bigint      not null,
    updated_at timestamptz not null
);

-- A row is a name of a term from `valid_from` to `valid_to`; `lineage` is the term through all its names: the id of its first
-- row.
create table canonical_terms (
    tenant_id   uuid         not null,
    id          uuid         not null,
    lineage     uuid         not null,
    term        varchar(256) not null,
    -- NFKC, case-folded, separators folded, trimmed
    normal      varchar(256) not null,
    definition  text         not null default '',
    category    text,
    status      text         not null constraint canonical_terms_status_check check (status in ('active', 'retired')),
    -- the name of the person who imported it; null: it was written here
    imported_by text,
    created_at  timestamptz  not null,
    valid_from  timestamptz  not null,
    valid_to    timestamptz,
    constraint canonical_terms_pkey primary key (tenant_id, id),
    constraint canonical_terms_validity_check check (valid_to >= valid_from)
);
create unique index canonical_terms_normal_key on canonical_terms (tenant_id, normal) where valid_to is null;
create unique index canonical_terms_lineage_key on canonical_terms (tenant_id, lineage) where valid_to is null;
create index canonical_terms_lineage_idx on canonical_terms (tenant_id, lineage);

create table term_aliases (
    tenant_id   uuid         not null,
    id          uuid         not null,
    term_id     uuid         not null,
    alias       varchar(256) not null,
    normal      varchar(256) not null,
    imported_by text,
    valid_from  timestamptz  not null,
    valid_to    timestamptz,
    constraint term_aliases_pkey primary key (tenant_id, id),
    constraint term_aliases_term_fkey foreign key (tenant_id, term_id) references canonical_terms (tenant_id, id),
    constraint term_aliases_validity_check check (valid_to >= valid_from)
);
create unique index term_aliases_normal_key on term_aliases (tenant_id, normal) where valid_to is null;
create index term_aliases_term_idx on term_aliases (tenant_id, term_id);

-- For suggestions only: exact scans over thousands, so one table serves every dimension.
create table term_embeddings (
    tenant_id uuid   not null,
    term_id   uuid   not null,
    model     text   not null,
    term      text   not null,
    embedding vector not null,
    constraint term_embeddings_pkey primary key (tenant_id, term_id, model)
);

-- A phrase that an agent used and nobody has decided on. It holds no content of any memory.
create table term_proposals (
    tenant_id   uuid         not null,
    id          uuid         not null,
    phrase      varchar(256) not null,
    normal      varchar(256) not null,
    status      text         not null constraint term_proposals_status_check
        check (status in ('open', 'approved', 'merged', 'rejected')),
    count       bigint       not null,
    decision_id uuid,
    imported_by text,
    first_seen  timestamptz  not null,
    last_seen   timestamptz  not null,
    constraint term_proposals_pkey primary key (tenant_id, id)
);
create unique index term_proposals_open_key on term_proposals (tenant_id, normal) where status = 'open';
-- Deliveries and imports look up the proposals of a phrase in every state.
create index term_proposals_normal_idx on term_proposals (tenant_id, normal);
create index term_proposals_decision_idx on term_proposals (tenant_id, decision_id);
create index term_proposals_queue_idx on term_proposals (tenant_id, status, count desc, id desc);

-- One row for each delivered entry of the outbox, so that a second delivery counts nothing.
create table proposal_memories (
    tenant_id   uuid        not null,
    event_id    uuid        not null,
    proposal_id uuid        not null,
    agent_id    uuid        not null,
    -- null: the agent proposed a phrase that no memory has
    memory_id   uuid,
    seen_at     timestamptz not null,
    constraint proposal_memories_pkey primary key (tenant_id, event_id),
    constraint proposal_memories_proposal_fkey foreign key (tenant_id, proposal_id) references term_proposals (tenant_id, id)
);
create index proposal_memories_proposal_idx on proposal_memories (tenant_id, proposal_id);

-- Decisions on the vocabulary, each of which can be taken back.
create table decisions (
    tenant_id      uuid        not null,
    id             uuid        not null,
    kind           text        not null constraint decisions_kind_check
        check (kind in ('approve', 'merge', 'reject', 'add', 'rename', 'define', 'alias', 'unalias', 'combine', 'retire',
                        'undo')),
    -- what was decided about: phrases of proposals, or a term
    subjects       text[]      not null,
    -- lineage of the term that it made or into which it merged something
    term_id        uuid,
    term           text,
    reason         text,
    actor_kind     text        not null,
    actor_id       text        not null,
    actor_name     text        not null,
    imported_by    text,
    at             timestamptz not null,
    -- the version of the vocabulary that it made
    version        bigint      not null,
    -- normal forms that it gave another meaning
    forms          text[]      not null,
    -- memories that had to be resolved again when it was made
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


-- Documents

-- A path is unique in its collection; two collections may have the same path.
create table documents (
    tenant_id    uuid        not null,
    id           uuid        not null,
    collection   text        not null,
    kind         text        not null constraint documents_kind_check
        check (kind in ('spec', 'adr', 'architecture', 'glossary', 'document')),
    -- `SPEC-005`, `ADR-008`, …
    reference    text,
    path         text        not null,
    title        text        not null,
    status       text        not null,
    front_matter jsonb       not null default '{}',
    content_hash bytea       not null,
    -- what divided it into chunks: the version of the rules, and the model whose tokens were counted. If one differs, the next
    -- ingestion divides the file again.
    chunking     text        not null,
    imported_by  text,
    created_at   timestamptz not null,
    valid_from   timestamptz not null,
    valid_to     timestamptz,
    constraint documents_pkey primary key (tenant_id, id),
    constraint documents_validity_check check (valid_to >= valid_from)
);
create unique index documents_path_key on documents (tenant_id, collection, path) where valid_to is null;
create index documents_list_idx on documents (tenant_id, valid_from desc, id desc);
-- Which other documents carry a reference: a citation names the collection where there are several.
create index documents_reference_idx on documents (tenant_id, reference) where reference is not null;

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

create table chunks (
    tenant_id       uuid     not null,
    id              uuid     not null,
    document_id     uuid     not null,
    ordinal         integer  not null,
    heading_path    text[]   not null,
    start_byte      integer  not null,
    end_byte        integer  not null,
    content         text     not null,
    -- the version of the rules that cut its words (crates/words/src/stems.rs)
    word_rules      smallint not null default 1,
    -- it has no vector yet: until then it is found by its words
    awaiting_vector boolean  not null default true,
    constraint chunks_pkey primary key (tenant_id, id),
    constraint chunks_document_fkey foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
create index chunks_document_idx on chunks (tenant_id, document_id, ordinal);
create index chunks_awaiting_idx on chunks (tenant_id, id) where awaiting_vector;

-- Chunks in force and the terms in them, for BM25; ingestion is the only writer.
create table chunk_counts (
    tenant_id uuid   not null constraint chunk_counts_pkey primary key,
    chunks    bigint not null,
    terms     bigint not null
);

-- The words of chunks in force. `length` is the chunk's number of terms, repeated so that BM25 reads one index only.
create table chunk_terms (
    tenant_id uuid    not null,
    term      text    not null,
    chunk_id  uuid    not null,
    tf        real    not null,
    length    integer not null,
    constraint chunk_terms_pkey primary key (tenant_id, term, chunk_id) include (tf, length)
);
create index chunk_terms_chunk_idx on chunk_terms (tenant_id, chunk_id);

-- Vectors are stored plain: TOAST would put them out of line, at five times the cost of a scan.
create table chunk_embeddings_384 (
    tenant_id   uuid         not null,
    chunk_id    uuid         not null,
    model       text         not null,
    live        boolean      not null,
    half        halfvec(384) storage plain not null,
    -- since when the chunk can be found by its meaning; null: always
    embedded_at timestamptz,
    constraint chunk_embeddings_384_pkey primary key (tenant_id, chunk_id, model)
);
create index chunk_embeddings_384_live_idx on chunk_embeddings_384 (tenant_id, model) include (chunk_id, half) where live;

create table chunk_embeddings_1536 (
    tenant_id   uuid          not null,
    chunk_id    uuid          not null,
    model       text          not null,
    live        boolean       not null,
    half        halfvec(1536) storage plain not null,
    embedded_at timestamptz,
    constraint chunk_embeddings_1536_pkey primary key (tenant_id, chunk_id, model)
);
create index chunk_embeddings_1536_live_idx on chunk_embeddings_1536 (tenant_id, model) where live;

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

create table sources (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    id         uuid        not null,
    kind       text        not null constraint sources_kind_check
        check (kind in ('manual', 'conversation', 'run', 'document', 'import')),
    reference  text        not null,
    content    text,
    metadata   jsonb       not null default '{}',
    created_at timestamptz not null,
    constraint sources_pkey primary key (tenant_id, id)
);


-- Queue, outbox and requests

-- The event bus, and the only queue: maintenance jobs with their state.
create table events (
    tenant_id       uuid        not null,
    agent_id        uuid        not null,
    id              uuid        not null,
    kind            text        not null constraint events_kind_check
        check (kind in ('manual_write', 'session_close', 'conversation_capture', 'observation', 'maintenance')),
    -- what a worker does: `embed`, …
    task            text        not null,
    payload         jsonb       not null default '{}',
    source_id       uuid,
    state           text        not null constraint events_state_check
        check (state in ('pending', 'running', 'done', 'failed', 'dead')),
    -- counts leases: the fencing token of the worker that holds the lease
    attempt         integer     not null default 0,
    -- attempts before a person retried a dead event
    attempts_before integer     not null default 0,
    run_after       timestamptz not null,
    leased_until    timestamptz,
    error           text,
    outcome         jsonb,
    created_at      timestamptz not null,
    finished_at     timestamptz,
    constraint events_pkey primary key (tenant_id, id)
);
create index events_waiting_idx on events (run_after) where state in ('pending', 'failed', 'running');
create index events_open_idx on events (tenant_id, state) where state in ('pending', 'running', 'failed', 'dead');
create index events_finished_idx on events (tenant_id, finished_at) where state = 'done';
create index events_tenant_created_idx on events (tenant_id, created_at desc, id);

-- What must reach another database: written with the change, delivered at least once, chosen by `delivered_at is null`. The relay
-- empties what it delivers.
create table outbox (
    tenant_id    uuid        not null,
    agent_id     uuid        not null,
    id           uuid        not null,
    destination  text        not null constraint outbox_destination_check check (destination in ('audit', 'proposal', 'job')),
    payload      jsonb       not null,
    created_at   timestamptz not null,
    delivered_at timestamptz,
    attempts     integer     not null default 0,
    error        text,
    constraint outbox_pkey primary key (tenant_id, id)
);
create index outbox_waiting_idx on outbox (created_at) where delivered_at is null;

-- Idempotent requests that changed this database. No transaction spans two databases, so each has a table of its own.
create table idempotent_requests (
    tenant_id       uuid        not null,
    agent_id        uuid        not null,
    user_id         uuid,
    key_id          uuid        not null,
    operation       text        not null constraint idempotent_requests_operation_check check (octet_length(operation) <= 64),
    -- as sent, with the number of the item for an item of a batch
    idempotency_key text        not null constraint idempotent_requests_idempotency_key_check
        check (octet_length(idempotency_key) between 1 and 300),
    -- SHA-256 of the request and its user
    fingerprint     bytea       constraint idempotent_requests_fingerprint_check check (octet_length(fingerprint) = 32),
    answer          jsonb,
    -- no words of memories are in this database: always empty
    memory_ids      uuid[]      not null default '{}',
    created_at      timestamptz not null,
    constraint idempotent_requests_pkey primary key (tenant_id, agent_id, key_id, operation, idempotency_key)
);
create index idempotent_requests_age_idx on idempotent_requests (created_at);


-- Row-level security

-- `rmb_app` sees the rows of its tenant; a setting that is unset matches nothing. `rmb_system` works across tenants: it delivers,
-- claims and sweeps, and whoever delivers a proposal must see whether its phrase is known by now. The server gives `rmb_eraser`
-- its rights when it migrates, from the list of columns in crates/db/src/columns.rs.
-- Policies compare columns with settings and hold no sub-query, so that tables can be distributed.
do $$
declare
    name text;
    tenant constant text := $p$tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid$p$;
begin
    foreach name in array array[
        'vocabularies', 'canonical_terms', 'term_aliases', 'term_embeddings', 'term_proposals', 'proposal_memories', 'decisions',
        'documents', 'components', 'chunks', 'chunk_counts', 'chunk_terms', 'chunk_embeddings_384', 'chunk_embeddings_1536',
        'ingest_runs', 'sources', 'events', 'outbox', 'idempotent_requests']
    loop
        execute format('alter table %I enable row level security', name);
        execute format('create policy %I on %I to rmb_app using (%s)', name || '_app', name, tenant);
    end loop;
    foreach name in array array[
        'vocabularies', 'canonical_terms', 'term_aliases', 'term_proposals', 'proposal_memories', 'events', 'outbox']
    loop
        execute format('create policy %I on %I to rmb_system using (true)', name || '_system', name);
    end loop;
end
$$;


-- Grants

grant select, insert, update, delete on term_embeddings to rmb_app;
grant select, insert, update on vocabularies, canonical_terms, term_aliases, term_proposals, decisions, documents, chunk_counts,
    chunk_embeddings_384, chunk_embeddings_1536, ingest_runs, sources, events to rmb_app;
grant select, insert, delete on chunk_terms, idempotent_requests to rmb_app;
grant select, insert on proposal_memories, components, chunks, outbox to rmb_app;
grant update (awaiting_vector) on chunks to rmb_app;
grant update (fingerprint, answer, memory_ids) on idempotent_requests to rmb_app;

grant select, insert, update on term_proposals, events to rmb_system;
grant select, insert on proposal_memories to rmb_system;
grant select, update on outbox to rmb_system;
grant select on vocabularies, canonical_terms, term_aliases to rmb_system;


-- Sweeps

-- No role of the server may delete these rows: the functions do, as rmb_definer, and skip locked rows.

-- Finished events of the caller's tenant, after the days that its lifecycle policy says.
create function sweep_events(tenant uuid, before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (
        select e.id from events e
         where e.tenant_id = tenant and e.state = 'done' and e.finished_at <= before
           and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
         limit most for update of e skip locked),
         gone as (delete from events e using old where e.tenant_id = tenant and e.id = old.id returning 1)
    select count(*) from gone
$$;
revoke execute on function sweep_events from public;
grant execute on function sweep_events to rmb_app;

-- Delivered rows of every tenant.
create function sweep_outbox(before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (select tenant_id, id from outbox where delivered_at <= before limit most for update skip locked),
         gone as (delete from outbox o using old where o.tenant_id = old.tenant_id and o.id = old.id returning 1)
    select count(*) from gone
$$;

-- Requests of every tenant, which are kept for a day.
create function sweep_idempotent_requests(before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (select tenant_id, agent_id, key_id, operation, idempotency_key from idempotent_requests
                  where created_at < before order by created_at limit most),
         gone as (delete from idempotent_requests r using old
                   where (r.tenant_id, r.agent_id, r.key_id, r.operation, r.idempotency_key)
                       = (old.tenant_id, old.agent_id, old.key_id, old.operation, old.idempotency_key)
                  returning 1)
    select count(*) from gone
$$;

revoke execute on function sweep_outbox, sweep_idempotent_requests from public;
grant execute on function sweep_outbox, sweep_idempotent_requests to rmb_system;

-- The role of these functions: column by column what they read, and what they change. To lock a row takes the right to update one
-- of its columns, which no function changes then.
create policy events_definer on events to rmb_definer using (true);
create policy outbox_definer on outbox to rmb_definer using (true);
create policy idempotent_requests_definer on idempotent_requests to rmb_definer using (true);

grant select (tenant_id, id, state, finished_at), update (id), delete on events to rmb_definer;
grant select (tenant_id, id, delivered_at), update (id), delete on outbox to rmb_definer;
grant select (tenant_id, agent_id, key_id, operation, idempotency_key, created_at), delete on idempotent_requests to rmb_definer;

-- The new owner of a function needs the right to create one; it keeps it only here.
grant create on schema public to rmb_definer;
alter function sweep_events owner to rmb_definer;
alter function sweep_outbox owner to rmb_definer;
alter function sweep_idempotent_requests owner to rmb_definer;
revoke create on schema public from rmb_definer;

-- Shared knowledge: one vocabulary and one base of decided documents for all agents of a tenant.

create extension if not exists vector;

-- The version moves with every decision; snapshots in the servers are checked against it.
create table vocabularies (
    tenant_id  uuid        not null constraint vocabularies_pkey primary key,
    version    bigint      not null,
    updated_at timestamptz not null
);

create table canonical_terms (
    tenant_id  uuid         not null,
    id         uuid         not null,
    term       varchar(256) not null,
    -- NFKC, case-folded, separators folded, trimmed
    normal     varchar(256) not null,
    definition text         not null default '',
    category   text,
    status     text         not null constraint canonical_terms_status_check check (status in ('active', 'retired')),
    created_at timestamptz  not null,
    valid_from timestamptz  not null,
    valid_to   timestamptz,
    constraint canonical_terms_pkey primary key (tenant_id, id)
);
create unique index canonical_terms_normal_key on canonical_terms (tenant_id, normal) where valid_to is null;

create table term_aliases (
    tenant_id  uuid         not null,
    id         uuid         not null,
    term_id    uuid         not null,
    alias      varchar(256) not null,
    normal     varchar(256) not null,
    valid_from timestamptz  not null,
    valid_to   timestamptz,
    constraint term_aliases_pkey primary key (tenant_id, id),
    constraint term_aliases_term_fkey foreign key (tenant_id, term_id) references canonical_terms (tenant_id, id)
);
create unique index term_aliases_normal_key on term_aliases (tenant_id, normal) where valid_to is null;

-- A phrase that an agent used and nobody has decided on. It holds no content of any memory.
create table term_proposals (
    tenant_id  uuid         not null,
    id         uuid         not null,
    phrase     varchar(256) not null,
    normal     varchar(256) not null,
    status     text         not null constraint term_proposals_status_check check (status in ('open', 'approved', 'merged', 'rejected')),
    count      bigint       not null,
    first_seen timestamptz  not null,
    last_seen  timestamptz  not null,
    constraint term_proposals_pkey primary key (tenant_id, id)
);
create unique index term_proposals_open_key on term_proposals (tenant_id, normal) where status = 'open';

-- One row per delivered outbox entry, so that a second delivery counts nothing.
create table proposal_memories (
    tenant_id   uuid        not null,
    event_id    uuid        not null,
    proposal_id uuid        not null,
    agent_id    uuid        not null,
    memory_id   uuid        not null,
    seen_at     timestamptz not null,
    constraint proposal_memories_pkey primary key (tenant_id, event_id),
    constraint proposal_memories_proposal_fkey foreign key (tenant_id, proposal_id) references term_proposals (tenant_id, id)
);
create index proposal_memories_proposal_idx on proposal_memories (tenant_id, proposal_id);

create table documents (
    tenant_id    uuid        not null,
    id           uuid        not null,
    kind         text        not null constraint documents_kind_check check (kind in ('spec', 'adr', 'architecture', 'glossary', 'document')),
    -- `SPEC-005`, `ADR-008`, …
    reference    text,
    path         text        not null,
    title        text        not null,
    status       text        not null,
    front_matter jsonb       not null default '{}',
    content_hash bytea       not null,
    created_at   timestamptz not null,
    valid_from   timestamptz not null,
    valid_to     timestamptz,
    constraint documents_pkey primary key (tenant_id, id)
);
create unique index documents_path_key on documents (tenant_id, path) where valid_to is null;

create table chunks (
    tenant_id    uuid    not null,
    id           uuid    not null,
    document_id  uuid    not null,
    ordinal      integer not null,
    heading_path text[]  not null,
    start_byte   integer not null,
    end_byte     integer not null,
    content      text    not null,
    constraint chunks_pkey primary key (tenant_id, id),
    constraint chunks_document_fkey foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
create index chunks_document_idx on chunks (tenant_id, document_id, ordinal);

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
    constraint sources_pkey primary key (tenant_id, id)
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
    constraint events_pkey primary key (tenant_id, id)
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
    constraint outbox_pkey primary key (tenant_id, id)
);
create index outbox_waiting_idx on outbox (created_at) where delivered_at is null;

-- Row-level security: a tenant sees its own. An unset setting matches nothing.
alter table vocabularies enable row level security;
create policy vocabularies_app on vocabularies to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
alter table canonical_terms enable row level security;
create policy canonical_terms_app on canonical_terms to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
alter table term_aliases enable row level security;
create policy term_aliases_app on term_aliases to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
alter table term_proposals enable row level security;
create policy term_proposals_app on term_proposals to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
alter table proposal_memories enable row level security;
create policy proposal_memories_app on proposal_memories to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
alter table documents enable row level security;
create policy documents_app on documents to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
alter table chunks enable row level security;
create policy chunks_app on chunks to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
alter table sources enable row level security;
create policy sources_app on sources to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
alter table events enable row level security;
create policy events_app on events to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
alter table outbox enable row level security;
create policy outbox_app on outbox to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));

create policy vocabularies_system      on vocabularies      to rmb_system using (true);
create policy term_proposals_system    on term_proposals    to rmb_system using (true);
create policy proposal_memories_system on proposal_memories to rmb_system using (true);
create policy events_system            on events            to rmb_system using (true);
create policy outbox_system            on outbox            to rmb_system using (true);

grant select, insert, update on vocabularies, canonical_terms, term_aliases, term_proposals, documents, sources, events to rmb_app;
grant select, insert on proposal_memories, chunks, outbox to rmb_app;
grant select, insert, update on term_proposals, events to rmb_system;
grant select, insert on proposal_memories to rmb_system;
grant select on vocabularies to rmb_system;
grant select, update on outbox to rmb_system;

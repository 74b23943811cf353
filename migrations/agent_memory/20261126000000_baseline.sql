-- Private memory: what agents remember, where it was said, and the logs of what they recalled.
--
-- Every key starts with `tenant_id`, and no foreign key leaves the tenant, so the tables can be distributed by tenant. Rows that
-- belong to a whole organisation carry the id of its commons as `agent_id`. A row without `user_id` belongs to no user.

create extension if not exists vector;


-- Memories

create table agent_memories (
    tenant_id          uuid         not null,
    agent_id           uuid         not null,
    id                 uuid         not null,
    -- what prompts show: 8 characters of A–Z a–z 0–9
    short_id           char(8)      not null,
    created_by         uuid         not null,
    user_id            uuid,
    -- the name of the person who imported it; null: it was written here
    imported_by        text,

    -- what it is
    kind               text         not null constraint agent_memories_kind_check
        check (kind in ('profile', 'project', 'decision', 'artifact', 'episode', 'task_hint')),
    category           text         constraint agent_memories_category_check
        check (category in ('person', 'preference', 'context', 'project')),
    subject            varchar(200),
    -- the answer to one question about somebody: one per person and topic, and a new answer is a new version of it
    profile_fact       boolean      not null default false,
    scope              text         not null constraint agent_memories_scope_check
        check (scope in ('global', 'project', 'repo', 'agent', 'session')),
    project_id         uuid,
    repo_id            uuid,
    session_id         uuid,
    connection_id      uuid,
    status             text         not null constraint agent_memories_status_check
        check (status in ('inbox', 'active', 'superseded', 'contradicted', 'archived')),

    -- what it says
    topic              varchar(256) not null,
    topic_raw          varchar(256) not null,
    -- the normal form of topic_raw: which memories a decision on a phrase concerns
    topic_normal       varchar(256) not null,
    -- the normal form of topic: memories with equal forms may be the same one
    topic_key          varchar(256) not null,
    is_canonical       boolean      not null,
    vocabulary_version bigint       not null,
    title              text,
    content            text         not null,
    summary            text,
    -- why something was decided, and what was rejected
    rationale          text,
    alternatives       text[],
    -- sha-256 of content
    content_hash       bytea        not null,
    -- the version of the rules that cut its words (crates/words/src/stems.rs)
    word_rules         smallint     not null default 1,
    -- how many terms it has while it is live: a filtered search counts only what its filter lets through
    term_count         integer,

    -- where it comes from
    role               text         constraint agent_memories_role_check
        check (role in ('user', 'assistant', 'system', 'tool_result')),
    -- {platform, channel_id, thread_id, message_id, observed_at, speaker}
    source             jsonb        not null,
    source_kind        text         not null constraint agent_memories_source_kind_check
        check (source_kind in ('manual', 'conversation', 'run', 'document', 'import')),
    source_id          uuid,
    evidence_ref       text,
    context_type       text,
    tool_id            uuid,
    attachment_id      text,
    filename           text,
    -- what kind of speaker said it; null: unknown
    speaker_kind       text         constraint agent_memories_speaker_kind_check
        check (speaker_kind in ('person', 'agent', 'tool', 'document')),
    -- captured: taken from somebody's text, or a text that may carry instructions; not the agent's own words
    trust              text         not null default 'own' constraint agent_memories_trust_check
        check (trust in ('own', 'captured')),
    -- the person who confirmed it, and when
    confirmed_by       text,
    confirmed_at       timestamptz,

    -- what it is worth, and how it ages
    confidence         real         not null constraint agent_memories_confidence_check check (confidence between 0 and 1),
    importance         real         not null constraint agent_memories_importance_check check (importance between 0 and 1),
    -- [{factor, weight, words}]
    importance_factors jsonb,
    retention          text         not null constraint agent_memories_retention_check
        check (retention in ('routine', 'task', 'decision', 'permanent', 'error')),
    -- what chose the retention
    retention_rule     text         constraint agent_memories_retention_rule_check
        check (retention_rule in ('explicit', 'decision', 'task', 'error', 'routine')),
    pinned             boolean      not null default false,
    -- recalls that returned it
    recalled_count     bigint       not null default 0,
    -- times it was remembered again
    remembered_count   bigint       not null default 0,
    -- both counts together
    access_count       bigint       not null default 0,
    last_accessed_at   timestamptz,

    -- its state
    version            integer      not null,
    -- status active or contradicted, not deleted, not archived; set by the transaction that changes those
    live               boolean      not null,
    -- its content has no vector yet: until then it is found by its words
    awaiting_vector    boolean      not null,
    -- when it was said, if its writer knows
    observed_at        timestamptz,
    -- when it was last stated: the later of when it was said (never after it was stored) and its last repetition
    stated_at          timestamptz  not null,
    created_at         timestamptz  not null,
    updated_at         timestamptz  not null,
    expires_at         timestamptz,
    archived_at        timestamptz,
    archive_reason     text         constraint agent_memories_archive_reason_check
        check (archive_reason in ('faded', 'expired', 'limit', 'early')),
    deleted_at         timestamptz,
    deleted_by         text,
    delete_reason      text,

    -- its place in its conversation: the turns around it say what it is about
    said_at            timestamptz  not null generated always as (coalesce(observed_at, created_at)) stored,
    conversation       uuid         not null generated always as (md5(
        coalesce(source->>'platform', '') || E'\x1f' || coalesce(source->>'channel_id', '') || E'\x1f'
        || coalesce(source->>'thread_id', ''))::uuid) stored,
    -- who speaks in it ("Vera: …", or as the source says), or the person it is about
    speaker            text         generated always as (coalesce(
        left(substring(content from '^([[:upper:]][^].?!,:[[:space:]]*(?: [^].?!,:[[:space:]]+){0,2}): '), 40),
        left(nullif(btrim(source->>'speaker'), ''), 40),
        case when category = 'person' then subject end)) stored,
    -- a column of its own: a policy lets an index be used for `=` between texts, and not for the operators of JSON
    platform           text         generated always as (source->>'platform') stored,
    -- the shape of its content, so that a search needs not read it: characters, those that are ASCII punctuation, whether it asks
    characters         integer      not null generated always as (char_length(content)) stored,
    punctuation        integer      not null generated always as (
        char_length(content) - char_length(translate(content, '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', ''))) stored,
    asks               boolean      not null generated always as (right(rtrim(content, E' \t\r\n'), 1) = '?') stored,

    constraint agent_memories_pkey primary key (tenant_id, agent_id, id),
    constraint agent_memories_tenant_id_agent_id_short_id_key unique (tenant_id, agent_id, short_id),
    constraint agent_memories_confirmed_check check ((confirmed_by is null) = (confirmed_at is null)),
    constraint agent_memories_live_check
        check (live = (status in ('active', 'contradicted') and deleted_at is null and archived_at is null))
) with (fillfactor = 90);

-- by id: links lead from an agent's memory into the commons, and an import looks for ids of every tenant
create index agent_memories_id_idx on agent_memories (id);
create index agent_memories_tenant_id_idx on agent_memories (tenant_id, id);
create index agent_memories_short_idx on agent_memories (tenant_id, short_id);
create index agent_memories_hash_idx on agent_memories (agent_id, content_hash);

-- by topic
create index agent_memories_topic_idx on agent_memories (tenant_id, agent_id, topic_key) where live;
create index agent_memories_fact_idx on agent_memories (agent_id, topic_normal) where live and profile_fact;
create index agent_memories_normal_idx on agent_memories (tenant_id, topic_normal, vocabulary_version);
create index agent_memories_tenant_topic_idx on agent_memories (tenant_id, topic) where live and is_canonical;
create index agent_memories_category_idx on agent_memories (agent_id, category, created_at, id)
    where live and category is not null;

-- by place in a conversation
create index agent_memories_turn_idx on agent_memories (agent_id, conversation, said_at, id)
    include (tenant_id, user_id, expires_at) where live;
create index agent_memories_session_idx on agent_memories (agent_id, session_id, created_at, id) where session_id is not null;

-- for background work: vectors that are missing, and memories that expire or may fade
create index agent_memories_awaiting_idx on agent_memories (agent_id, id) where live and awaiting_vector;
create index agent_memories_expiring_idx on agent_memories (agent_id, expires_at) where live and expires_at is not null;
create index agent_memories_fading_idx on agent_memories (agent_id, id)
    where live and kind = 'episode' and retention <> 'permanent' and not pinned;

-- for the lists of the console, newest first
create index agent_memories_tenant_updated_idx on agent_memories (tenant_id, updated_at desc, id desc);
create index agent_memories_agent_updated_idx on agent_memories (agent_id, updated_at desc, id desc);
-- A search for a part of a topic reads this index and not the rows.
create index agent_memories_listed_idx on agent_memories (tenant_id, updated_at desc, id desc)
    include (topic, topic_raw) where deleted_at is null and archived_at is null and status <> 'inbox';
create index agent_memories_platform_idx on agent_memories (tenant_id, platform, updated_at desc, id desc)
    where deleted_at is null and archived_at is null and status <> 'inbox';
create index agent_memories_user_list_idx on agent_memories (tenant_id, user_id, updated_at desc, id desc)
    where user_id is not null;
create index agent_memories_inbox_idx on agent_memories (tenant_id, created_at, id) where status = 'inbox' and deleted_at is null;
create index agent_memories_archived_idx on agent_memories (tenant_id, archived_at desc) where archived_at is not null;
create index agent_memories_deleted_idx on agent_memories (tenant_id, updated_at desc, id desc) where deleted_at is not null;
create index agent_memories_pinned_idx on agent_memories (tenant_id, agent_id, user_id) where live and pinned;
-- Pages that count every memory of a tenant read this index and not the rows.
create index agent_memories_counts_idx on agent_memories (tenant_id, created_at desc, id desc)
    include (agent_id, live, expires_at, deleted_at, status, updated_at);

-- Further topics of a memory, beside the one in its own row.
create table memory_topics (
    tenant_id          uuid         not null,
    agent_id           uuid         not null,
    memory_id          uuid         not null,
    user_id            uuid,
    topic              varchar(256) not null,
    topic_raw          varchar(256) not null,
    topic_normal       varchar(256) not null,
    is_canonical       boolean      not null,
    vocabulary_version bigint       not null,
    created_at         timestamptz  not null,
    constraint memory_topics_pkey primary key (tenant_id, agent_id, memory_id, topic_normal),
    constraint memory_topics_memory_fkey foreign key (tenant_id, agent_id, memory_id)
        references agent_memories (tenant_id, agent_id, id)
);
create index memory_topics_normal_idx on memory_topics (tenant_id, topic_normal, vocabulary_version);

-- A row for every change of a memory's state; nothing is overwritten. A version records all of a memory that an answer depends
-- on, so that a recall can be answered again as of its time.
create table agent_memory_versions (
    tenant_id    uuid         not null,
    agent_id     uuid         not null,
    memory_id    uuid         not null,
    user_id      uuid,
    imported_by  text,
    version      integer      not null,
    change       text         not null,
    content      text         not null,
    topic        varchar(256) not null,
    topic_raw    varchar(256) not null,
    is_canonical boolean      not null,
    status       text         not null,
    deleted      boolean      not null,
    -- null, as scope and retention: the file that the version was imported from does not say
    kind         text,
    scope        text,
    project_id   uuid,
    retention    text,
    title        text,
    summary      text,
    category     text,
    subject      varchar(200),
    rationale    text,
    -- null: the file that the version was imported from says neither rationale nor alternatives
    alternatives text[],
    -- null: the file that the version was imported from does not say
    confidence   real,
    observed_at  timestamptz,
    -- null, as confidence
    stated_at    timestamptz,
    updated_at   timestamptz  not null,
    valid_from   timestamptz  not null,
    actor_kind   text         not null,
    actor_id     text         not null,
    actor_name   text         not null,
    -- where the change comes from
    source       jsonb        not null,
    -- where the memory itself was said, if that is another place
    provenance   jsonb,
    constraint agent_memory_versions_pkey primary key (tenant_id, agent_id, memory_id, version),
    constraint agent_memory_versions_memory_fkey foreign key (tenant_id, agent_id, memory_id)
        references agent_memories (tenant_id, agent_id, id)
);
create index agent_memory_versions_later_idx on agent_memory_versions (agent_id, valid_from)
    include (memory_id, version, tenant_id) where version > 1;

-- What happens to a memory without changing its state: it was remembered again, or a text of it got its vector.
create table memory_moments (
    tenant_id uuid        not null,
    agent_id  uuid        not null,
    memory_id uuid        not null,
    user_id   uuid,
    at        timestamptz not null,
    what      text        not null constraint memory_moments_what_check check (what in ('repeated', 'embedded')),
    -- what was embedded: the model, and the sha-256 of topic and content
    model     text,
    text_hash bytea,
    -- of a repetition: since when the memory counts as stated
    stated_at timestamptz,
    constraint memory_moments_memory_fkey foreign key (tenant_id, agent_id, memory_id)
        references agent_memories (tenant_id, agent_id, id),
    constraint memory_moments_embedded_check check ((what = 'embedded') = (model is not null and text_hash is not null))
);
create index memory_moments_memory_idx on memory_moments (agent_id, memory_id, at);

-- A link may lead into the commons: both ends are looked up by the tenant. Both belong to one user or to none.
create table memory_links (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    from_id    uuid        not null,
    to_id      uuid        not null,
    user_id    uuid,
    relation   text        not null constraint memory_links_relation_check
        check (relation in ('supports', 'contradicts', 'supersedes', 'applies_to', 'derived_from', 'related_to')),
    created_at timestamptz not null,
    created_by text        not null,
    constraint memory_links_pkey primary key (tenant_id, agent_id, from_id, to_id, relation),
    constraint memory_links_self_check check (from_id <> to_id)
);
create index memory_links_to_idx on memory_links (agent_id, to_id);
create index memory_links_from_idx on memory_links (tenant_id, from_id);
create index memory_links_tenant_to_idx on memory_links (tenant_id, to_id);

-- What consolidation proposes about two memories; a person accepts or declines it.
create table memory_proposals (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    id         uuid        not null,
    user_id    uuid,
    -- "from duplicates, contradicts or supersedes to"
    from_id    uuid        not null,
    to_id      uuid        not null,
    relation   text        not null constraint memory_proposals_relation_check
        check (relation in ('duplicates', 'contradicts', 'supersedes')),
    reason     text        not null,
    state      text        not null constraint memory_proposals_state_check check (state in ('open', 'accepted', 'declined')),
    created_at timestamptz not null,
    decided_at timestamptz,
    decided_by text,
    -- what accepting it did, so that it can be undone: ids and states, no content
    effect     jsonb,
    constraint memory_proposals_pkey primary key (tenant_id, agent_id, id),
    constraint memory_proposals_pair_key unique (tenant_id, agent_id, from_id, to_id, relation)
);
create index memory_proposals_from_idx on memory_proposals (from_id) where state = 'open';
create index memory_proposals_to_idx on memory_proposals (to_id) where state = 'open';
create index memory_proposals_open_idx on memory_proposals (tenant_id, created_at, id) where state = 'open';

-- What was forgotten, by hash and place in its source only, so that extraction does not bring it back.
create table tombstones (
    tenant_id    uuid        not null,
    agent_id     uuid        not null,
    memory_id    uuid        not null,
    content_hash bytea       not null,
    user_id      uuid,
    source       jsonb       not null,
    created_at   timestamptz not null,
    constraint tombstones_pkey primary key (tenant_id, agent_id, memory_id)
);
create index tombstones_hash_idx on tombstones (agent_id, content_hash);

-- A caller names a session with any string; its id is the UUID v5 of agent, user and string.
create table sessions (
    tenant_id    uuid         not null,
    agent_id     uuid         not null,
    id           uuid         not null,
    user_id      uuid,
    external_ref varchar(256) not null,
    messages     bigint       not null,
    started_at   timestamptz  not null,
    last_at      timestamptz  not null,
    constraint sessions_pkey primary key (tenant_id, agent_id, id)
);
create index sessions_tenant_last_idx on sessions (tenant_id, last_at desc, id);


-- Search in memories

-- The words of live memories. `length` is the memory's number of terms, repeated so that BM25 reads one index only.
create table memory_terms (
    tenant_id uuid    not null,
    agent_id  uuid    not null,
    term      text    not null,
    memory_id uuid    not null,
    user_id   uuid,
    tf        real    not null,
    length    integer not null,
    constraint memory_terms_pkey primary key (tenant_id, agent_id, term, memory_id) include (user_id, tf, length)
);
create index memory_terms_memory_idx on memory_terms (agent_id, memory_id);

-- Documents and terms of an agent's user, spread over slots so that two writers rarely wait for one row. The words of one user's
-- memories do not move the scores of another's.
create table memory_term_counts (
    tenant_id uuid     not null,
    agent_id  uuid     not null,
    user_id   uuid,
    slot      smallint not null,
    documents bigint   not null,
    terms     bigint   not null,
    constraint memory_term_counts_key unique nulls not distinct (tenant_id, agent_id, user_id, slot)
);

-- Vectors are kept beside the memory: it exists before its vector does, and counters never rewrite vectors. They are stored
-- plain: TOAST would put them out of line, at five times the cost of a scan.
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
    embedding  vector(384)      storage plain not null,
    half       halfvec(384)     storage plain not null,
    constraint embeddings_384_pkey primary key (tenant_id, agent_id, memory_id, model)
) with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
-- The exact top k of an agent from the index alone.
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
    embedding  vector(1536)     storage plain not null,
    bits       bit(1536)        not null,
    constraint embeddings_1536_pkey primary key (tenant_id, agent_id, memory_id, model)
) with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
create index embeddings_1536_live_idx on embeddings_1536 (agent_id, model)
    include (tenant_id, user_id, memory_id, expires_at, weight, bits) where live;


-- Sources and what is extracted from them

-- A text that was captured or observed. A long one has several parts: each is one line of an export and one piece of work.
create table sources (
    tenant_id     uuid        not null,
    agent_id      uuid        not null,
    id            uuid        not null,
    user_id       uuid,
    kind          text        not null constraint sources_kind_check
        check (kind in ('manual', 'conversation', 'run', 'document', 'import')),
    form          text        not null default 'note' constraint sources_form_check
        check (form in ('transcript', 'note', 'summary', 'document', 'tool_output', 'attachment')),
    reference     text        not null,
    title         text,
    content       text,
    metadata      jsonb       not null default '{}',
    session_id    uuid,
    connection_id uuid,
    -- the first part; its id is the id of the whole
    whole_id      uuid,
    part          integer     not null default 1,
    parts         integer     not null default 1,
    -- [{speaker, role, at, start, end}], in bytes of the content; null for a source that was imported without turns
    turns         jsonb,
    attachment_id text,
    filename      text,
    -- an attachment whose bytes are not text: kept with its media type, never read, and without content
    media_type    text,
    bytes         bytea,
    created_at    timestamptz not null,
    constraint sources_pkey primary key (tenant_id, agent_id, id)
);
create index sources_id_idx on sources (id);
create index sources_whole_idx on sources (agent_id, whole_id);
create index sources_tenant_created_idx on sources (tenant_id, created_at desc, id) where part = 1;

-- Where a memory was said: a place in a source. A memory that several places say has several.
create table evidence (
    tenant_id    uuid        not null,
    agent_id     uuid        not null,
    id           uuid        not null,
    memory_id    uuid        not null,
    user_id      uuid,
    -- the candidate that was made from this place, if it was later merged into another memory
    candidate_id uuid        not null,
    source_id    uuid        not null,
    event_id     uuid        not null,
    -- bytes of the source's content
    starts       integer     not null,
    ends         integer     not null,
    quote        text        not null,
    speaker      text,
    observed_at  timestamptz,
    created_at   timestamptz not null,
    constraint evidence_pkey primary key (tenant_id, agent_id, id),
    constraint evidence_place_key unique (tenant_id, agent_id, source_id, starts, ends),
    constraint evidence_span_check check (starts >= 0 and ends > starts and octet_length(quote) = ends - starts)
);
create index evidence_memory_idx on evidence (memory_id);
create index evidence_source_idx on evidence (source_id);
create index evidence_candidate_idx on evidence (agent_id, candidate_id);

-- Turns that may carry instructions for an agent. No rule promotes them; a person decides.
create table quarantine (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    id         uuid        not null,
    user_id    uuid,
    source_id  uuid        not null,
    event_id   uuid        not null,
    starts     integer     not null,
    ends       integer     not null,
    quote      text        not null,
    reasons    text[]      not null,
    state      text        not null constraint quarantine_state_check check (state in ('waiting', 'released', 'dismissed')),
    created_at timestamptz not null,
    decided_at timestamptz,
    decided_by text,
    constraint quarantine_pkey primary key (tenant_id, agent_id, id),
    constraint quarantine_place_key unique (tenant_id, agent_id, source_id, starts, ends),
    constraint quarantine_span_check check (starts >= 0 and ends > starts and octet_length(quote) = ends - starts)
);
create index quarantine_waiting_idx on quarantine (tenant_id, created_at, id) where state = 'waiting';
create index quarantine_decided_idx on quarantine (agent_id, decided_at) where state <> 'waiting';


-- Queue, outbox and requests

-- The event bus, and the only queue: an observation, a capture, an explicit write or a maintenance job, with its state. An
-- imported event is data and never work: its state is `imported`, and the state that its file gives is in `recorded_state`.
create table events (
    tenant_id       uuid        not null,
    agent_id        uuid        not null,
    id              uuid        not null,
    -- the user in whose name it is written; it names memories and holds no content
    user_id         uuid
        default nullif(nullif(current_setting('rmb.user', true), ''), 'ffffffff-ffff-ffff-ffff-ffffffffffff')::uuid,
    kind            text        not null constraint events_kind_check
        check (kind in ('manual_write', 'session_close', 'conversation_capture', 'observation', 'maintenance')),
    -- what a worker does: `embed`, …
    task            text        not null,
    payload         jsonb       not null default '{}',
    source_id       uuid,
    -- what it was requested for
    event_type      text,
    source_metadata jsonb       not null default '{}',
    session_id      uuid,
    connection_id   uuid,
    requested_scope text,
    state           text        not null constraint events_state_check
        check (state in ('pending', 'running', 'done', 'failed', 'dead', 'imported')),
    recorded_state  text        constraint events_recorded_state_check
        check (recorded_state in ('pending', 'done', 'failed', 'dead')),
    -- counts leases: the fencing token of the worker that holds the lease
    attempt         integer     not null default 0,
    -- attempts before a person retried a dead event
    attempts_before integer     not null default 0,
    run_after       timestamptz not null,
    leased_until    timestamptz,
    error           text,
    outcome         jsonb,
    created_at      timestamptz not null,
    processed_at    timestamptz,
    finished_at     timestamptz,
    constraint events_pkey primary key (tenant_id, agent_id, id),
    constraint events_imported_check check ((state = 'imported') = (recorded_state is not null))
);

-- Observations wait to be synthesised in batches. No worker claims one, so the indexes of the queue leave them out.
create index events_waiting_idx on events (tenant_id, run_after)
    where state in ('pending', 'failed', 'running') and kind <> 'observation';
create index events_open_idx on events (tenant_id, state)
    where state in ('pending', 'running', 'failed', 'dead') and kind <> 'observation';
create index events_observed_idx on events (agent_id, user_id, created_at) where kind = 'observation' and state = 'pending';
create index events_observations_idx on events (tenant_id, created_at) where kind = 'observation';
-- one open synthesis for each agent and user
create unique index events_synthesis_key
    on events (tenant_id, agent_id, coalesce(user_id, '00000000-0000-0000-0000-000000000000'))
    where task = 'synthesise' and state in ('pending', 'running', 'failed');
-- One waiting start of a survey and of a sweep for each tenant. A later part, which names where it continues, must not be lost
-- because somebody asked for another one meanwhile.
create unique index events_once_key on events (tenant_id, task)
    where task in ('survey', 'sweep') and payload->>'after' is null and state in ('pending', 'failed');
create index events_survey_idx on events (tenant_id, created_at) where task = 'survey';
create index events_sweep_idx on events (tenant_id, created_at) where task = 'sweep';
create index events_source_idx on events (agent_id, source_id) where source_id is not null;
create index events_finished_idx on events (agent_id, finished_at) where state = 'done';
create index events_tenant_created_idx on events (tenant_id, created_at desc, id);

-- What must reach another database: written with the change, delivered at least once, chosen by `delivered_at is null`. The relay
-- empties what it delivers.
create table outbox (
    tenant_id    uuid        not null,
    agent_id     uuid        not null,
    id           uuid        not null,
    user_id      uuid
        default nullif(nullif(current_setting('rmb.user', true), ''), 'ffffffff-ffff-ffff-ffff-ffffffffffff')::uuid,
    destination  text        not null constraint outbox_destination_check check (destination in ('audit', 'proposal')),
    payload      jsonb       not null,
    created_at   timestamptz not null,
    delivered_at timestamptz,
    attempts     integer     not null default 0,
    error        text,
    constraint outbox_pkey primary key (tenant_id, agent_id, id)
);
create index outbox_waiting_idx on outbox (created_at) where delivered_at is null;

-- Idempotent requests and their answers. A row is written in the transaction of its change: neither exists without the other.
create table idempotent_requests (
    tenant_id       uuid        not null,
    agent_id        uuid        not null,
    user_id         uuid,
    key_id          uuid        not null,
    operation       text        not null constraint idempotent_requests_operation_check check (octet_length(operation) <= 64),
    -- as sent, with the number of the item for an item of a batch
    idempotency_key text        not null constraint idempotent_requests_idempotency_key_check
        check (octet_length(idempotency_key) between 1 and 300),
    -- SHA-256 of the request and its user; null: request and answer were erased, because a memory in them was forgotten
    fingerprint     bytea       constraint idempotent_requests_fingerprint_check check (octet_length(fingerprint) = 32),
    answer          jsonb,
    -- the memories whose words the request or the answer may hold
    memory_ids      uuid[]      not null default '{}',
    created_at      timestamptz not null,
    constraint idempotent_requests_pkey primary key (tenant_id, agent_id, key_id, operation, idempotency_key)
);
create index idempotent_requests_age_idx on idempotent_requests (created_at);
create index idempotent_requests_memories_idx on idempotent_requests using gin (memory_ids);


-- Projects, which belong to the organisation

create table projects (
    tenant_id  uuid         not null,
    agent_id   uuid         not null,
    id         uuid         not null,
    slug       varchar(63)  not null,
    name       varchar(200) not null,
    created_at timestamptz  not null,
    created_by text         not null,
    constraint projects_pkey primary key (tenant_id, agent_id, id),
    constraint projects_tenant_id_agent_id_slug_key unique (tenant_id, agent_id, slug),
    constraint projects_slug_check check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$')
);

create table repos (
    tenant_id  uuid         not null,
    agent_id   uuid         not null,
    id         uuid         not null,
    project_id uuid         not null,
    slug       varchar(63)  not null,
    name       varchar(200) not null,
    created_at timestamptz  not null,
    created_by text         not null,
    constraint repos_pkey primary key (tenant_id, agent_id, id),
    constraint repos_tenant_id_agent_id_slug_key unique (tenant_id, agent_id, slug),
    constraint repos_project_fkey foreign key (tenant_id, agent_id, project_id) references projects (tenant_id, agent_id, id),
    constraint repos_slug_check check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$')
);

-- What is known of one project bears on the other, both ways: stored once, the lesser id first. A link that ended stays.
create table project_links (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    one_id     uuid        not null,
    other_id   uuid        not null,
    created_at timestamptz not null,
    created_by text        not null,
    valid_to   timestamptz,
    constraint project_links_one_fkey foreign key (tenant_id, agent_id, one_id) references projects (tenant_id, agent_id, id),
    constraint project_links_other_fkey foreign key (tenant_id, agent_id, other_id) references projects (tenant_id, agent_id, id),
    constraint project_links_order_check check (one_id < other_id),
    constraint project_links_validity_check check (valid_to >= created_at)
);
create unique index project_links_current_key on project_links (tenant_id, agent_id, one_id, other_id) where valid_to is null;
create index project_links_other_idx on project_links (agent_id, other_id);


-- The log of recalls

-- A search for a part of a query reads every row, and nine tenths of a row are its candidates. Long values are kept beside the
-- row until it is as short as `toast_tuple_target`, so such a search reads a fifth of the pages.
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
    -- whether the memories ended where their scores fall off
    fewer              boolean          not null default false,
    zero_hit           boolean          not null,
    reason             text,
    -- why nothing was found, for operators; written a moment after the answer
    cause              text             constraint retrievals_cause_check
        check (cause in ('nothing_stored', 'below_floor', 'filtered_out', 'degraded')),
    -- [{agent_id, memory_id, similarity, floor, state}], closest first
    near_misses        jsonb            not null default '[]',
    -- [{document_id, chunk_id, similarity, matched_by, passed, rank}], best first
    knowledge          jsonb            not null default '[]',
    knowledge_hits     integer          not null default 0,
    degraded           text[]           not null,
    took_ms            double precision not null,
    constraint retrievals_pkey primary key (tenant_id, agent_id, id)
) with (toast_tuple_target = 512);
create index retrievals_agent_at_idx on retrievals (agent_id, at desc) include (tenant_id);
create index retrievals_user_idx on retrievals (agent_id, user_id, at desc) where user_id is not null;
create index retrievals_zero_idx on retrievals (tenant_id, at desc, id desc) where zero_hit;
-- Health counts every recall of a period in this index. No index leads to the recalls of all tenants by time: statements of one
-- tenant would be planned with it.
create index retrievals_tenant_list_idx on retrievals (tenant_id, at desc, id desc)
    include (agent_id, zero_hit, expected, cause, query_canonical, knowledge_hits);

-- Which recalls returned which memory, and at which rank. `agent_id` is the agent that asked.
create table retrieval_hits (
    tenant_id    uuid        not null,
    agent_id     uuid        not null,
    retrieval_id uuid        not null,
    memory_id    uuid        not null,
    user_id      uuid,
    rank         integer     not null,
    at           timestamptz not null,
    constraint retrieval_hits_pkey primary key (tenant_id, agent_id, retrieval_id, memory_id)
);
create index retrieval_hits_memory_idx on retrieval_hits (tenant_id, memory_id, at desc);

-- Which recalls cited which document.
create table citations (
    tenant_id    uuid        not null,
    agent_id     uuid        not null,
    retrieval_id uuid        not null,
    chunk_id     uuid        not null,
    document_id  uuid        not null,
    user_id      uuid,
    rank         integer     not null,
    at           timestamptz not null,
    constraint citations_pkey primary key (tenant_id, agent_id, retrieval_id, chunk_id)
);
create index citations_document_idx on citations (tenant_id, document_id, at desc);


-- The log of contexts: what the prompts that agents assembled consisted of

create table context_log (
    tenant_id    uuid             not null,
    agent_id     uuid             not null,
    id           uuid             not null,
    user_id      uuid,
    at           timestamptz      not null,
    ordering     text             not null constraint context_log_ordering_check
        check (ordering in ('stable_first', 'personal_first')),
    -- which memory the request wanted
    tiers        text             not null default 'all' constraint context_log_tiers_check
        check (tiers in ('none', 'working_memory', 'all')),
    -- false: found by words alone
    vectors      boolean          not null default true,
    model        varchar(200),
    budget       integer          not null,
    tokens       integer          not null,
    tokenizer    text             not null,
    -- SHA-256 of the text
    hash         bytea            not null constraint context_log_hash_check check (octet_length(hash) = 32),
    -- [{name, tokens, items: [{origin, ids, version, score}]}]
    blocks       jsonb            not null,
    -- [{block, action, items, tokens}]
    cut          jsonb            not null,
    was_cut      boolean          not null generated always as (cut <> '[]') stored,
    degraded     text[]           not null,
    was_degraded boolean          not null generated always as (degraded <> '{}') stored,
    -- the memories in it: if one is forgotten, no agent reads the text again
    memory_ids   uuid[]           not null,
    took_ms      double precision not null,
    constraint context_log_pkey primary key (tenant_id, agent_id, id)
);
create index context_log_id_idx on context_log (id);
create index context_log_at_idx on context_log (at);
create index context_log_user_idx on context_log (agent_id, user_id, at desc) where user_id is not null;
create index context_log_tenant_list_idx on context_log (tenant_id, at desc, id desc);
create index context_log_agent_list_idx on context_log (tenant_id, agent_id, at desc, id desc);
create index context_log_user_list_idx on context_log (tenant_id, user_id, at desc, id desc) where user_id is not null;
create index context_log_cut_idx on context_log (tenant_id, at desc, id desc) where was_cut;
create index context_log_degraded_idx on context_log (tenant_id, at desc, id desc) where was_degraded;

-- The texts are words of users and are kept for days only, in a table of their own.
create table context_texts (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    context_id uuid        not null,
    user_id    uuid,
    at         timestamptz not null,
    -- the request without secrets, for a comparison
    request    jsonb       not null,
    -- a column of its own: a list must not read requests of megabytes for it
    query      text        generated always as (request ->> 'query') stored,
    text       text        not null,
    constraint context_texts_pkey primary key (tenant_id, agent_id, context_id)
);
create index context_texts_at_idx on context_texts (at);
create index context_texts_user_idx on context_texts (agent_id, user_id, at desc) where user_id is not null;
create index context_texts_tenant_idx on context_texts (tenant_id, at desc);

-- Which of the memories in a context the agent's answer used. The answer itself is not stored. A row goes with its context.
create table context_answers (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    context_id uuid        not null,
    -- whose context it is
    user_id    uuid,
    -- when the answer was reported
    at         timestamptz not null,
    -- memories in the context that its agent may still read
    injected   integer     not null,
    -- those of them whose words are in the answer
    memory_ids uuid[]      not null,
    constraint context_answers_pkey primary key (tenant_id, agent_id, context_id),
    constraint context_answers_context_id_fkey foreign key (tenant_id, agent_id, context_id)
        references context_log (tenant_id, agent_id, id) on delete cascade,
    constraint context_answers_memory_ids_check check (cardinality(memory_ids) <= injected)
);
create index context_answers_at_idx on context_answers (tenant_id, at desc);
create index context_answers_user_idx on context_answers (agent_id, user_id) where user_id is not null;


-- Profiles: what an agent knows about a person. Leaves derive from observations and are never a source of memories.

-- The narrative that a chat model wrote. Without one it is composed from the leaves whenever somebody reads it.
create table profiles (
    tenant_id      uuid        not null,
    agent_id       uuid        not null,
    id             uuid        not null,
    user_id        uuid,
    working_memory text,
    -- when the leaves and observations were read that the narrative was written from
    narrated_at    timestamptz,
    created_at     timestamptz not null,
    updated_at     timestamptz not null,
    constraint profiles_pkey primary key (tenant_id, agent_id, id),
    constraint profiles_user_key unique nulls not distinct (tenant_id, agent_id, user_id),
    constraint profiles_narrated_at_check check ((working_memory is null) = (narrated_at is null))
);
create index profiles_tenant_idx on profiles (tenant_id, updated_at desc, id);

-- Whoever deletes a leaf deletes its documents, too: no foreign key leads from them, because they derive from other rows as well.
create table profile_leaves (
    tenant_id     uuid        not null,
    agent_id      uuid        not null,
    id            uuid        not null,
    user_id       uuid,
    part          text        not null constraint profile_leaves_part_check check (part in ('scaffold', 'learned')),
    -- the connection whose use was learned
    connection_id uuid,
    path          text[]      not null,
    -- a text, a number or a truth value
    value         jsonb       not null,
    -- one of several values at this path that can all be true
    listed        boolean     not null,
    state         text        not null constraint profile_leaves_state_check
        check (state in ('shown', 'superseded', 'forgotten')),
    -- of part, connection, path and value: a leaf that was forgotten does not come back
    leaf_hash     bytea       not null,
    observations  integer     not null,
    -- sensitive matters that it is about, so that it can end earlier than others
    matters       text[]      not null default '{}',
    -- other leaves that cannot be true together with this one
    contradicts   uuid[]      not null default '{}',
    -- what it cites: a source, and the observation that recorded it, at the same place of both lists
    source_ids    uuid[]      not null,
    event_ids     uuid[]      not null,
    -- the sessions in which it was observed
    session_ids   uuid[]      not null default '{}',
    first_seen    timestamptz not null,
    last_seen     timestamptz not null,
    superseded_at timestamptz,
    constraint profile_leaves_pkey primary key (tenant_id, agent_id, id),
    constraint profile_leaves_hash_key unique nulls not distinct (tenant_id, agent_id, user_id, leaf_hash),
    constraint profile_leaves_value_check check (jsonb_typeof(value) in ('string', 'number', 'boolean')),
    constraint profile_leaves_cites_check
        check (cardinality(source_ids) > 0 and cardinality(source_ids) = cardinality(event_ids)),
    constraint profile_leaves_connection_id_check check (connection_id is null or part = 'learned')
);
create index profile_leaves_seen_idx on profile_leaves (tenant_id, first_seen);
create index profile_leaves_matters_idx on profile_leaves (agent_id, last_seen) where matters <> '{}';

-- What each change of a profile was. It names leaves by their ids, so forgetting a leaf leaves no words here.
create table profile_versions (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    id         uuid        not null,
    user_id    uuid,
    version    bigint      not null,
    -- {added, repeated, disputed, superseded, forgotten}: ids of leaves
    diff       jsonb       not null,
    -- the observations that caused it
    event_ids  uuid[]      not null,
    narrated   boolean     not null,
    created_at timestamptz not null,
    constraint profile_versions_pkey primary key (tenant_id, agent_id, id),
    constraint profile_versions_version_key unique nulls not distinct (tenant_id, agent_id, user_id, version)
);

-- A tool as one person uses it. What is learned about it are leaves.
create table connections (
    tenant_id         uuid         not null,
    agent_id          uuid         not null,
    id                uuid         not null,
    user_id           uuid,
    tool_id           varchar(256) not null,
    name              varchar(256) not null,
    tool_schema       jsonb,
    schema_expires_at timestamptz,
    -- false: it gives nothing to a search that names no connections
    active            boolean      not null default true,
    created_at        timestamptz  not null,
    updated_at        timestamptz  not null,
    -- each person's ids are their own: the runtime of the caller gives them
    constraint connections_id_key unique nulls not distinct (tenant_id, agent_id, user_id, id),
    constraint connections_schema_expires_at_check check ((tool_schema is null) = (schema_expires_at is null))
);
create index connections_user_idx on connections (agent_id, user_id, name, id);

-- What a tool holds, as the caller reported it last: issues, contacts, folders.
create table connection_entities (
    tenant_id     uuid         not null,
    agent_id      uuid         not null,
    id            uuid         not null,
    user_id       uuid,
    connection_id uuid         not null,
    key           varchar(256) not null,
    content       text         not null,
    message_id    varchar(256),
    created_at    timestamptz  not null,
    constraint connection_entities_pkey primary key (tenant_id, agent_id, id),
    constraint connection_entities_key_key unique nulls not distinct (tenant_id, agent_id, user_id, connection_id, key)
);
create index connection_entities_user_idx on connection_entities (agent_id, user_id);


-- Search in profiles

-- Documents of a person's context, found by meaning and by words: what a profile knows, what the tools of its connections can do
-- and hold, and the text of attachments. They derive from leaves, connections, entities and sources, which a read
-- checks for what may be seen.
create table profile_documents (
    tenant_id      uuid        not null,
    agent_id       uuid        not null,
    id             uuid        not null,
    user_id        uuid,
    -- the UUID v5 of content and metadata
    document_key   uuid        not null,
    context_type   text        not null constraint profile_documents_context_type_check
        check (context_type in ('user_profile', 'user_persistent', 'tool_schema', 'tool_entity', 'tool_persistent',
                                'tool_attachment_content')),
    context_source text        not null constraint profile_documents_context_source_check
        check (context_source in ('user_provided', 'system_learned', 'tool_indexed', 'tool_extracted_content')),
    connection_id  uuid,
    -- the leaf, connection, entity or source that it derives from
    origin_id      uuid        not null,
    -- bytes of the source's content
    starts         integer     not null,
    ends           integer     not null,
    content        text        not null,
    -- {path, entity, message_id, attachment_id, filename}
    metadata       jsonb       not null,
    -- terms that are searched
    length         integer     not null,
    -- the version of the rules that cut its words (crates/words/src/stems.rs)
    word_rules     smallint    not null default 1,
    created_at     timestamptz not null,
    constraint profile_documents_pkey primary key (tenant_id, agent_id, id),
    constraint profile_documents_key_key unique nulls not distinct (tenant_id, agent_id, user_id, document_key)
);
create index profile_documents_origin_idx on profile_documents (origin_id, agent_id);

create table profile_document_terms (
    tenant_id   uuid not null,
    agent_id    uuid not null,
    document_id uuid not null,
    user_id     uuid,
    term        text not null,
    tf          real not null,
    constraint profile_document_terms_pkey primary key (tenant_id, agent_id, document_id, term),
    constraint profile_document_terms_document_id_fkey foreign key (tenant_id, agent_id, document_id)
        references profile_documents (tenant_id, agent_id, id) on delete cascade
);
create index profile_document_terms_user_idx on profile_document_terms (agent_id, user_id, term)
    include (tenant_id, document_id, tf);

create table profile_embeddings_384 (
    tenant_id   uuid         not null,
    agent_id    uuid         not null,
    document_id uuid         not null,
    model       text         not null,
    user_id     uuid,
    half        halfvec(384) storage plain not null,
    constraint profile_embeddings_384_pkey primary key (tenant_id, agent_id, document_id, model),
    constraint profile_embeddings_384_document_id_fkey foreign key (tenant_id, agent_id, document_id)
        references profile_documents (tenant_id, agent_id, id) on delete cascade
);
-- All vectors of one user from the index alone, whatever other users have.
create index profile_embeddings_384_user_idx on profile_embeddings_384 (agent_id, user_id, model)
    include (tenant_id, document_id, half);

create table profile_embeddings_1536 (
    tenant_id   uuid          not null,
    agent_id    uuid          not null,
    document_id uuid          not null,
    model       text          not null,
    user_id     uuid,
    half        halfvec(1536) storage plain not null,
    constraint profile_embeddings_1536_pkey primary key (tenant_id, agent_id, document_id, model),
    constraint profile_embeddings_1536_document_id_fkey foreign key (tenant_id, agent_id, document_id)
        references profile_documents (tenant_id, agent_id, id) on delete cascade
);
create index profile_embeddings_1536_user_idx on profile_embeddings_1536 (agent_id, user_id, model);


-- Erasure

-- While a row is open, nothing of the user is erased, archived or swept. It belongs to the organisation.
create table legal_holds (
    tenant_id   uuid        not null,
    agent_id    uuid        not null,
    id          uuid        not null,
    user_id     uuid        not null,
    reason      text        not null,
    set_by      text        not null,
    set_at      timestamptz not null,
    lift_reason text,
    lifted_by   text,
    lifted_at   timestamptz,
    constraint legal_holds_pkey primary key (tenant_id, agent_id, id),
    constraint legal_holds_lifted_check
        check ((lifted_at is null) = (lifted_by is null) and (lifted_at is null) = (lift_reason is null))
);
create unique index legal_holds_open_key on legal_holds (tenant_id, user_id) where lifted_at is null;

-- HMAC-SHA256 of erased texts, under a key of the tenant that is in the control database: this database alone does not tell which
-- text makes a fingerprint. A row of an agent stands for one text of one of its users, a row of the commons for a
-- user or a shared text.
create table erased_texts (
    tenant_id   uuid        not null,
    agent_id    uuid        not null,
    fingerprint bytea       not null constraint erased_texts_fingerprint_check check (octet_length(fingerprint) = 32),
    erased_at   timestamptz not null,
    constraint erased_texts_pkey primary key (tenant_id, agent_id, fingerprint)
);
create index erased_texts_fingerprint_idx on erased_texts (tenant_id, fingerprint);


-- Row-level security

-- The settings travel with BEGIN, and one that is unset matches nothing. `rmb_app` is an agent's call: the agent's rows and those
-- of the commons, without a user or of the user in `rmb.user`, where the all-ones id stands for every user. `rmb_operator` is the
-- console and background work: every row of the tenant. `rmb_system` works across tenants. The server gives `rmb_eraser` its
-- rights when it migrates, from the list of columns in crates/db/src/columns.rs.
-- Policies compare columns with settings and hold no sub-query, so that tables can be distributed. A statement that names its
-- tenant makes that comparison once. The rest costs a tenth of a microsecond a row: the most frequent case is compared first.
do $$
declare
    name text;
    tenant  constant text := $p$tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid$p$;
    agent   constant text := $p$(agent_id = nullif(current_setting('rmb.agent', true), '')::uuid
        or agent_id = nullif(current_setting('rmb.commons', true), '')::uuid)$p$;
    of_user constant text := $p$(user_id is null or user_id = nullif(current_setting('rmb.user', true), '')::uuid
        or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff')$p$;
    of_users constant text[] := array[
        'agent_memories', 'memory_topics', 'agent_memory_versions', 'memory_moments', 'memory_links', 'memory_proposals',
        'tombstones', 'sessions', 'memory_terms', 'memory_term_counts', 'embeddings_384', 'embeddings_1536',
        'sources', 'evidence', 'quarantine', 'events', 'outbox', 'idempotent_requests',
        'retrievals', 'retrieval_hits', 'citations', 'context_log', 'context_texts', 'context_answers',
        'profiles', 'profile_leaves', 'profile_versions', 'connections', 'connection_entities',
        'profile_documents', 'profile_document_terms', 'profile_embeddings_384', 'profile_embeddings_1536', 'legal_holds'];
    of_nobody constant text[] := array['projects', 'repos', 'project_links', 'erased_texts'];
begin
    foreach name in array of_users loop
        execute format('create policy %I on %I to rmb_app using (%s and %s and %s)',
                       name || '_app', name, tenant, agent, of_user);
    end loop;
    foreach name in array of_nobody loop
        execute format('create policy %I on %I to rmb_app using (%s and %s)', name || '_app', name, tenant, agent);
    end loop;
    foreach name in array of_users || of_nobody loop
        execute format('alter table %I enable row level security', name);
        execute format('create policy %I on %I to rmb_operator using (%s)', name || '_operator', name, tenant);
    end loop;
    foreach name in array array['events', 'outbox'] loop
        execute format('create policy %I on %I to rmb_system using (true)', name || '_system', name);
    end loop;
    -- Erasure writes the fingerprints; the list of columns does not give it this table.
    execute format('create policy erased_texts_eraser on erased_texts to rmb_eraser using (%s)', tenant);
end
$$;


-- Grants

-- agents, the console and background work
grant select, insert, update, delete on memory_topics, memory_links, embeddings_384, embeddings_1536, connection_entities,
    profile_documents to rmb_app, rmb_operator;
grant select, insert, update on agent_memories, memory_term_counts, sessions, sources, events, retrievals, context_answers,
    profiles, profile_leaves, connections to rmb_app, rmb_operator;
grant select, insert, delete on tombstones, memory_terms, idempotent_requests to rmb_app, rmb_operator;
grant select, insert on agent_memory_versions, memory_moments, evidence, outbox, projects, repos, project_links, retrieval_hits,
    citations, context_log, context_texts, profile_versions, profile_document_terms, profile_embeddings_384,
    profile_embeddings_1536 to rmb_app, rmb_operator;
grant update (fingerprint, answer, memory_ids) on idempotent_requests to rmb_app, rmb_operator;
grant update (valid_to) on project_links to rmb_app, rmb_operator;

-- Quarantine and proposals are for people and background work. Agents learn where quarantined turns are, not what they say.
grant select (tenant_id, agent_id, user_id, source_id, starts, ends, state) on quarantine to rmb_app;
grant select, insert on quarantine, memory_proposals to rmb_operator;
grant update (state, decided_at, decided_by) on quarantine, memory_proposals to rmb_operator;
grant update (effect) on memory_proposals to rmb_operator;
-- An agent's write suggests that it may replace another memory; only people read the suggestion.
grant insert on memory_proposals to rmb_app;
grant update (memory_id, speaker) on evidence to rmb_operator;

-- erasure
grant select on legal_holds, erased_texts to rmb_app, rmb_operator;
grant insert, update (lift_reason, lifted_by, lifted_at) on legal_holds to rmb_operator;
grant select, insert on erased_texts to rmb_eraser;

-- across tenants: claim and deliver
grant select, insert, update on events to rmb_system;
grant select, update on outbox to rmb_system;


-- Functions that look beyond the caller's rows

-- Each runs as rmb_definer, which sees every row of the columns that these functions need and owns nothing else. Each checks the
-- caller's settings itself, and returns little.

-- Those of the ids that another agent has, or a user for whom the caller does not act, in any tenant. An import learns that an id
-- is taken, and neither by whom nor what it is.
create function memories_held_elsewhere(tenant uuid, agents uuid[], ids uuid[]) returns setof uuid
    language sql stable security definer set search_path = public, pg_temp as $$
    select a.id from unnest(agents, ids) as a (agent_id, id)
     where exists (select from agent_memories m
                    where m.id = a.id
                      and ((m.tenant_id, m.agent_id) is distinct from (tenant, a.agent_id)
                           or (m.user_id <> nullif(current_setting('rmb.user', true), '')::uuid) is not false
                              and m.user_id is not null
                              and current_setting('rmb.user', true) is distinct from 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
$$;
create function sources_held_elsewhere(tenant uuid, agents uuid[], ids uuid[]) returns setof uuid
    language sql stable security definer set search_path = public, pg_temp as $$
    select a.id from unnest(agents, ids) as a (agent_id, id)
     where exists (select from sources s
                    where s.id = a.id
                      and ((s.tenant_id, s.agent_id) is distinct from (tenant, a.agent_id)
                           or (s.user_id <> nullif(current_setting('rmb.user', true), '')::uuid) is not false
                              and s.user_id is not null
                              and current_setting('rmb.user', true) is distinct from 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
$$;

-- Whether links supersede or contradict a memory that the caller sees, including links that the caller does not see: a memory
-- keeps the status that the link of another user gave it.
create function links_on(tenant uuid, memory uuid, out superseded boolean, out contradicted boolean)
    language sql stable security definer set search_path = public, pg_temp as $$
    select coalesce(bool_or(l.relation = 'supersedes' and l.to_id = memory), false),
           coalesce(bool_or(l.relation = 'contradicts' and coalesce(o.live, true)), false)
      from memory_links l
      left join agent_memories o
        on o.tenant_id = l.tenant_id and o.id = case when l.from_id = memory then l.to_id else l.from_id end
     where l.tenant_id = tenant and (l.from_id = memory or l.to_id = memory)
       and exists (select from agent_memories m
                    where m.tenant_id = tenant and m.id = memory
                      and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
                      and (m.agent_id = any (array[nullif(current_setting('rmb.agent', true), '')::uuid,
                               nullif(current_setting('rmb.commons', true), '')::uuid])
                           or current_setting('rmb.agent', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff')
                      and (m.user_id is null or m.user_id = nullif(current_setting('rmb.user', true), '')::uuid
                           or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
$$;

-- How many live memories an agent has, of all its users: the limit is the agent's.
create function live_memories(tenant uuid, agent uuid) returns bigint
    language sql stable security definer set search_path = public, pg_temp as $$
    select coalesce(sum(c.documents), 0)::bigint from memory_term_counts c
     where c.tenant_id = tenant and c.agent_id = agent
       and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
       and (agent in (nullif(current_setting('rmb.agent', true), '')::uuid,
                      nullif(current_setting('rmb.commons', true), '')::uuid)
            or current_setting('rmb.agent', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff')
$$;

-- Erases the requests and answers that hold words of a forgotten memory within the caller's reach, from whichever agent or user:
-- a shared memory may be in the answers of many.
create function erase_answers(tenant uuid, memory uuid) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with erased as (
        update idempotent_requests r
           set fingerprint = null, answer = null, memory_ids = '{}'
         where r.tenant_id = tenant and r.memory_ids @> array[memory]
           and exists (select from agent_memories m
                        where m.tenant_id = tenant and m.id = memory and m.deleted_at is not null
                          and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
                          and (m.agent_id = any (array[nullif(current_setting('rmb.agent', true), '')::uuid,
                                   nullif(current_setting('rmb.commons', true), '')::uuid])
                               or current_setting('rmb.agent', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff')
                          and (m.user_id is null or m.user_id = nullif(current_setting('rmb.user', true), '')::uuid
                               or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        returning 1)
    select count(*) from erased
$$;

revoke execute on function memories_held_elsewhere, sources_held_elsewhere, links_on, live_memories, erase_answers from public;
grant execute on function memories_held_elsewhere, sources_held_elsewhere, links_on, live_memories, erase_answers
    to rmb_app, rmb_operator;


-- Sweeps of one agent

-- Rows that only history needs end after the days that the lifecycle policy says. No role of the server may delete them: these
-- functions do, for the caller's tenant. Each keeps what an answer still depends on and what a legal hold keeps, and skips rows
-- that others have locked.

-- Versions that ended before a time. The one that held then stays, with all later ones, so that a question about any later moment
-- can be answered. Versions that say that a memory was proposed or confirmed stay, too.
create function sweep_versions(tenant uuid, agent uuid, before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (
        select v.memory_id, v.version
          from (select l.memory_id, max(l.version) as version
                  from agent_memory_versions l
                 where l.tenant_id = tenant and l.agent_id = agent and l.version > 1 and l.valid_from <= before
                   and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
                 group by l.memory_id) held
          join agent_memory_versions v
            on v.tenant_id = tenant and v.agent_id = agent and v.memory_id = held.memory_id and v.version < held.version
         where v.change not in ('proposed', 'promoted', 'reviewed')
           and not exists (select from legal_holds h where h.tenant_id = tenant and h.user_id = v.user_id and h.lifted_at is null)
         limit most for update of v skip locked),
         gone as (delete from agent_memory_versions v using old
                   where v.tenant_id = tenant and v.agent_id = agent and v.memory_id = old.memory_id and v.version = old.version
                  returning 1)
    select count(*) from gone
$$;

-- Moments before a time that a later one of the same kind replaced by then, and those of texts that no version has any more.
create function sweep_moments(tenant uuid, agent uuid, before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (
        select m.ctid as place
          from (select t.memory_id from memory_moments t
                 where t.tenant_id = tenant and t.agent_id = agent and t.at <= before
                   and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
                 group by t.memory_id having count(*) > 1) several
          join memory_moments m
            on m.tenant_id = tenant and m.agent_id = agent and m.memory_id = several.memory_id and m.at <= before
         where not exists (select from legal_holds h where h.tenant_id = tenant and h.user_id = m.user_id and h.lifted_at is null)
           and (exists (select from memory_moments later
                         where later.tenant_id = tenant and later.agent_id = agent and later.memory_id = m.memory_id
                           and later.what = m.what and later.model is not distinct from m.model
                           and later.text_hash is not distinct from m.text_hash
                           and later.at <= before and (later.at, later.ctid) > (m.at, m.ctid))
                or m.what = 'embedded'
                   and not exists (select from agent_memory_versions v
                                    where v.tenant_id = tenant and v.agent_id = agent and v.memory_id = m.memory_id
                                      and sha256(convert_to(v.topic || E'\n' || v.content, 'UTF8')) = m.text_hash))
         limit most for update of m skip locked),
         gone as (delete from memory_moments m using old where m.tenant_id = tenant and m.ctid = old.place returning 1)
    select count(*) from gone
$$;

-- Finished events. The newest event of a source stays, because it says how far the source is extracted; so does the newest start
-- of a survey and of a sweep, which say when the next one is due. Events that wait, failed or are dead stay.
create function sweep_events(tenant uuid, agent uuid, before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (
        select e.id from events e
         where e.tenant_id = tenant and e.agent_id = agent and e.state = 'done' and e.finished_at <= before
           and not exists (select from legal_holds h where h.tenant_id = tenant and h.user_id = e.user_id and h.lifted_at is null)
           and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
           and (e.source_id is null
                or exists (select from events n
                            where n.tenant_id = tenant and n.agent_id = agent and n.source_id = e.source_id
                              and (n.created_at, n.id) > (e.created_at, e.id)))
           and (e.task not in ('survey', 'sweep')
                or exists (select from events n
                            where n.tenant_id = tenant and n.task = e.task and n.payload->>'after' is null
                              and n.created_at > e.created_at))
         limit most for update of e skip locked),
         gone as (delete from events e using old
                   where e.tenant_id = tenant and e.agent_id = agent and e.id = old.id returning 1)
    select count(*) from gone
$$;

-- Turns in quarantine that a person decided.
create function sweep_quarantine(tenant uuid, agent uuid, before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (
        select q.id from quarantine q
         where q.tenant_id = tenant and q.agent_id = agent and q.state <> 'waiting' and q.decided_at <= before
           and not exists (select from legal_holds h where h.tenant_id = tenant and h.user_id = q.user_id and h.lifted_at is null)
           and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
         limit most for update of q skip locked),
         gone as (delete from quarantine q using old
                   where q.tenant_id = tenant and q.agent_id = agent and q.id = old.id returning 1)
    select count(*) from gone
$$;

-- Leaves about a matter that nobody observed since the time that `ended` names for it, as {"health": "2026-11-01T00:00:00Z"},
-- with their documents. A narrative and the texts of assembled prompts may repeat one, so they go, too: the texts of every agent
-- if the leaf is the commons'. A forgotten leaf stays: it keeps the same value from coming back.
create function sweep_leaves(tenant uuid, agent uuid, ended jsonb, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (
        select l.id, l.user_id from profile_leaves l
         where l.tenant_id = tenant and l.agent_id = agent and l.matters <> '{}' and l.state <> 'forgotten'
           and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
           and exists (select from unnest(l.matters) m where l.last_seen <= (ended->>m)::timestamptz)
           and not exists (select from legal_holds h where h.tenant_id = tenant and h.user_id = l.user_id and h.lifted_at is null)
         order by l.last_seen limit most for update of l skip locked),
         documents as (delete from profile_documents d using old
                        where d.tenant_id = tenant and d.agent_id = agent and d.origin_id = old.id),
         narratives as (update profiles p set working_memory = null, narrated_at = null
                          from (select distinct user_id from old) o
                         where p.tenant_id = tenant and p.agent_id = agent and p.user_id is not distinct from o.user_id
                           and p.working_memory is not null),
         texts as (delete from context_texts t using (select distinct user_id from old) o
                    where t.tenant_id = tenant and t.user_id is not distinct from o.user_id
                      and (t.agent_id = agent or agent = nullif(current_setting('rmb.commons', true), '')::uuid)),
         gone as (delete from profile_leaves l using old
                   where l.tenant_id = tenant and l.agent_id = agent and l.id = old.id returning 1)
    select count(*) from gone
$$;

-- Schemas of tools that are out of date, with their documents. Their text goes with the next sweep of the agent.
create function expire_schemas(tenant uuid, agent uuid, before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (
        select c.id, c.user_id from connections c
         where c.tenant_id = tenant and c.agent_id = agent and c.schema_expires_at <= before
           and not exists (select from legal_holds h where h.tenant_id = tenant and h.user_id = c.user_id and h.lifted_at is null)
           and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
         limit most for update of c skip locked),
         documents as (delete from profile_documents d using old
                        where d.tenant_id = tenant and d.agent_id = agent and d.origin_id = old.id
                          and d.user_id is not distinct from old.user_id and d.context_type = 'tool_schema'),
         emptied as (update connections c set tool_schema = null, schema_expires_at = null from old
                      where c.tenant_id = tenant and c.agent_id = agent and c.id = old.id
                        and c.user_id is not distinct from old.user_id returning 1)
    select count(*) from emptied
$$;

revoke execute on function sweep_versions, sweep_moments, sweep_events, sweep_quarantine, sweep_leaves, expire_schemas
    from public;
grant execute on function sweep_versions, sweep_moments, sweep_events, sweep_quarantine, sweep_leaves, expire_schemas
    to rmb_operator;


-- Sweeps across tenants, by a role that cannot read what it sweeps

-- Recalls before a time, with their hits and citations: tenant by tenant, in the index of the list. A legal hold keeps a user's.
create function sweep_retrievals(before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with recursive tenants as (
             (select r.tenant_id from retrievals r order by r.tenant_id limit 1)
             union all
             select (select r.tenant_id from retrievals r where r.tenant_id > t.tenant_id order by r.tenant_id limit 1)
               from tenants t where t.tenant_id is not null),
         old as (select t.tenant_id, o.agent_id, o.id from tenants t
                  cross join lateral (select r.agent_id, r.id from retrievals r
                                       where r.tenant_id = t.tenant_id and r.at < before
                                         and not exists (select from legal_holds h
                                                          where h.tenant_id = r.tenant_id and h.user_id = r.user_id
                                                            and h.lifted_at is null)
                                       order by r.at, r.id limit most) o
                  limit most),
         hits as (delete from retrieval_hits h using old o
                   where h.tenant_id = o.tenant_id and h.agent_id = o.agent_id and h.retrieval_id = o.id),
         cited as (delete from citations c using old o
                    where c.tenant_id = o.tenant_id and c.agent_id = o.agent_id and c.retrieval_id = o.id),
         gone as (delete from retrievals r using old o
                   where r.tenant_id = o.tenant_id and r.agent_id = o.agent_id and r.id = o.id returning 1)
    select count(*) from gone
$$;

-- Rows of the context log, and their texts, which end earlier. A legal hold keeps a user's.
create function sweep_contexts(log_before timestamptz, texts_before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old_texts as (select t.tenant_id, t.agent_id, t.context_id from context_texts t
                        where t.at < greatest(texts_before, log_before)
                          and not exists (select from legal_holds h
                                           where h.tenant_id = t.tenant_id and h.user_id = t.user_id and h.lifted_at is null)
                        order by t.at limit most),
         old as (select c.tenant_id, c.agent_id, c.id from context_log c
                  where c.at < log_before
                    and not exists (select from legal_holds h
                                     where h.tenant_id = c.tenant_id and h.user_id = c.user_id and h.lifted_at is null)
                  order by c.at limit most),
         texts as (delete from context_texts t using old_texts o
                    where t.tenant_id = o.tenant_id and t.agent_id = o.agent_id and t.context_id = o.context_id returning 1),
         gone as (delete from context_log c using old o
                   where c.tenant_id = o.tenant_id and c.agent_id = o.agent_id and c.id = o.id returning 1)
    select (select count(*) from texts) + (select count(*) from gone)
$$;

-- Delivered rows.
create function sweep_outbox(before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (select tenant_id, agent_id, id from outbox where delivered_at <= before limit most for update skip locked),
         gone as (delete from outbox o using old
                   where o.tenant_id = old.tenant_id and o.agent_id = old.agent_id and o.id = old.id returning 1)
    select count(*) from gone
$$;

-- Requests, which are kept for a day.
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

revoke execute on function sweep_retrievals, sweep_contexts, sweep_outbox, sweep_idempotent_requests from public;
grant execute on function sweep_retrievals, sweep_contexts, sweep_outbox, sweep_idempotent_requests to rmb_system;


-- The role of these functions: column by column what they read, and what they change. To lock a row takes the right to update one
-- of its columns, which no function changes then.
create policy agent_memories_definer on agent_memories to rmb_definer using (true);
create policy agent_memory_versions_definer on agent_memory_versions to rmb_definer using (true);
create policy memory_moments_definer on memory_moments to rmb_definer using (true);
create policy memory_links_definer on memory_links to rmb_definer using (true);
create policy memory_term_counts_definer on memory_term_counts to rmb_definer using (true);
create policy sources_definer on sources to rmb_definer using (true);
create policy idempotent_requests_definer on idempotent_requests to rmb_definer using (true);
create policy legal_holds_definer on legal_holds to rmb_definer using (true);
create policy events_definer on events to rmb_definer using (true);
create policy quarantine_definer on quarantine to rmb_definer using (true);
create policy profile_leaves_definer on profile_leaves to rmb_definer using (true);
create policy profile_documents_definer on profile_documents to rmb_definer using (true);
create policy profiles_definer on profiles to rmb_definer using (true);
create policy connections_definer on connections to rmb_definer using (true);
create policy retrievals_definer on retrievals to rmb_definer using (true);
create policy retrieval_hits_definer on retrieval_hits to rmb_definer using (true);
create policy citations_definer on citations to rmb_definer using (true);
create policy context_log_definer on context_log to rmb_definer using (true);
create policy context_texts_definer on context_texts to rmb_definer using (true);
create policy outbox_definer on outbox to rmb_definer using (true);

grant select (tenant_id, agent_id, id, user_id, live, deleted_at) on agent_memories to rmb_definer;
grant select (tenant_id, agent_id, memory_id, version, user_id, valid_from, change, topic, content), update (version), delete on agent_memory_versions to rmb_definer;
grant select (ctid, tenant_id, agent_id, memory_id, user_id, at, what, model, text_hash), update (at), delete on memory_moments to rmb_definer;
grant select (tenant_id, from_id, to_id, relation) on memory_links to rmb_definer;
grant select (tenant_id, agent_id, documents) on memory_term_counts to rmb_definer;
grant select (tenant_id, agent_id, id, user_id) on sources to rmb_definer;
grant select (tenant_id, agent_id, key_id, operation, idempotency_key, memory_ids, created_at), update (fingerprint, answer, memory_ids), delete on idempotent_requests to rmb_definer;
grant select (tenant_id, user_id, lifted_at) on legal_holds to rmb_definer;
grant select (tenant_id, agent_id, id, user_id, source_id, task, payload, state, created_at, finished_at), update (id), delete on events to rmb_definer;
grant select (tenant_id, agent_id, id, user_id, state, decided_at), update (id), delete on quarantine to rmb_definer;
grant select (tenant_id, agent_id, id, user_id, matters, state, last_seen), update (id), delete on profile_leaves to rmb_definer;
grant select (tenant_id, agent_id, user_id, origin_id, context_type), delete on profile_documents to rmb_definer;
grant select (tenant_id, agent_id, user_id, working_memory), update (working_memory, narrated_at) on profiles to rmb_definer;
grant select (tenant_id, agent_id, id, user_id, schema_expires_at), update (tool_schema, schema_expires_at) on connections to rmb_definer;
grant select (tenant_id, agent_id, id, user_id, at), delete on retrievals to rmb_definer;
grant select (tenant_id, agent_id, retrieval_id), delete on retrieval_hits to rmb_definer;
grant select (tenant_id, agent_id, retrieval_id), delete on citations to rmb_definer;
grant select (tenant_id, agent_id, id, user_id, at), delete on context_log to rmb_definer;
grant select (tenant_id, agent_id, context_id, user_id, at), delete on context_texts to rmb_definer;
grant select (tenant_id, agent_id, id, delivered_at), update (id), delete on outbox to rmb_definer;

-- The new owner of a function needs the right to create one; it keeps it only here.
grant create on schema public to rmb_definer;
alter function memories_held_elsewhere owner to rmb_definer;
alter function sources_held_elsewhere owner to rmb_definer;
alter function links_on owner to rmb_definer;
alter function live_memories owner to rmb_definer;
alter function erase_answers owner to rmb_definer;
alter function sweep_versions owner to rmb_definer;
alter function sweep_moments owner to rmb_definer;
alter function sweep_events owner to rmb_definer;
alter function sweep_quarantine owner to rmb_definer;
alter function sweep_leaves owner to rmb_definer;
alter function expire_schemas owner to rmb_definer;
alter function sweep_retrievals owner to rmb_definer;
alter function sweep_contexts owner to rmb_definer;
alter function sweep_outbox owner to rmb_definer;
alter function sweep_idempotent_requests owner to rmb_definer;
revoke create on schema public from rmb_definer;

-- Control data: who exists, who may do what, what was done, and what it costs.


-- Organisations, agents and people

create table tenants (
    id         uuid        not null constraint tenants_pkey primary key,
    slug       text        not null constraint tenants_slug_key unique,
    name       text        not null,
    created_at timestamptz not null,
    constraint tenants_slug_check check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$')
);

-- `commons` is the memory that all agents of a tenant share; each tenant has one.
create table agents (
    tenant_id            uuid        not null,
    id                   uuid        not null,
    kind                 text        not null constraint agents_kind_check check (kind in ('agent', 'commons')),
    slug                 text        not null,
    name                 text        not null,
    -- true: `user_id` is mandatory on what this agent remembers
    require_user         boolean     not null default false,
    -- aggressive: store, do not ask. confirming: ask before something new is stored.
    discipline           text        not null default 'aggressive' constraint agents_discipline_check
        check (discipline in ('aggressive', 'confirming')),
    -- the documents that are relevant to it, by kind or collection; all of them if empty
    knowledge_categories text[]      not null default '{}',
    -- whether the context log keeps its texts
    keeps_context_texts  boolean     not null default true,
    created_at           timestamptz not null,
    -- The keys of a blocked agent are refused. Its memories stay, and unblocking it makes the same keys work again.
    blocked_at           timestamptz,
    constraint agents_pkey primary key (tenant_id, id),
    constraint agents_tenant_id_slug_key unique (tenant_id, slug),
    constraint agents_tenant_id_fkey foreign key (tenant_id) references tenants (id),
    constraint agents_slug_check check (slug ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    -- the nil agent stands for none and the all-ones agent for every agent
    constraint agents_id_check check (id not in ('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
);
create unique index agents_tenant_id_commons_key on agents (tenant_id) where kind = 'commons';

create table api_keys (
    tenant_id    uuid        not null,
    id           uuid        not null,
    agent_id     uuid        not null,
    -- the one user to whom it is bound
    user_id      uuid,
    -- public part of the key, by which a request finds it
    prefix       text        not null constraint api_keys_prefix_key unique,
    -- SHA-256 of the whole key; the secret has 256 bits, so a fast hash is enough
    secret_hash  bytea       not null,
    name         text        not null,
    scopes       text[]      not null,
    created_at   timestamptz not null,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    -- the last request that was not refused, and the address that it came from
    last_used_at timestamptz,
    last_used_from inet,
    -- requests in all, and those of them that were refused: over a limit, without the right, or after the key had ended
    requests     bigint      not null default 0,
    refused      bigint      not null default 0,
    last_refused_at timestamptz,
    -- what it sent on a day (UTC) to be captured
    source_day   date,
    source_bytes bigint      not null default 0,
    constraint api_keys_pkey primary key (tenant_id, id),
    constraint api_keys_agent_fkey foreign key (tenant_id, agent_id) references agents (tenant_id, id)
);

-- The organisation's own names of users. Memories refer to `id` by value.
create table users (
    tenant_id    uuid         not null,
    id           uuid         not null,
    -- what callers send instead of the id
    external_ref varchar(256) not null,
    name         varchar(200),
    created_at   timestamptz  not null,
    constraint users_pkey primary key (tenant_id, id),
    constraint users_tenant_id_external_ref_key unique (tenant_id, external_ref),
    constraint users_tenant_id_fkey foreign key (tenant_id) references tenants (id)
);

create table operators (
    tenant_id     uuid        not null,
    id            uuid        not null,
    -- what is typed at sign-in; unique over all tenants, because the tenant is not typed
    login         text        not null constraint operators_login_key unique,
    name          text        not null,
    -- argon2id, PHC string
    password_hash text        not null,
    roles         text[]      not null,
    -- raised when the password or the roles change, or the operator is disabled: sessions of an earlier epoch end
    access_epoch  integer     not null default 0,
    created_at    timestamptz not null,
    disabled_at   timestamptz,
    constraint operators_pkey primary key (tenant_id, id),
    constraint operators_tenant_id_fkey foreign key (tenant_id) references tenants (id)
);

create table sessions (
    -- SHA-256 of the id: whoever reads this table cannot take over a session
    id_hash    bytea       not null constraint sessions_pkey primary key,
    data       jsonb       not null,
    expires_at timestamptz not null
);
create index sessions_expires_at_idx on sessions (expires_at);

-- A page of the console with its filters, under a name. It belongs to the operator: row-level security keeps tenants apart, the
-- statements keep operators apart.
create table saved_views (
    tenant_id   uuid        not null,
    id          uuid        not null,
    operator_id uuid        not null,
    -- which list: `memories`, …
    page        text        not null,
    name        text        not null constraint saved_views_name_check check (char_length(name) between 1 and 64),
    -- the query string of the page, without the question mark
    query       text        not null constraint saved_views_query_check check (char_length(query) <= 2000),
    created_at  timestamptz not null,
    constraint saved_views_pkey primary key (tenant_id, id),
    constraint saved_views_tenant_id_operator_id_page_name_key unique (tenant_id, operator_id, page, name),
    constraint saved_views_operator_fkey foreign key (tenant_id, operator_id) references operators (tenant_id, id)
);

-- A bot speaks with one key of one agent. Whoever calls its webhook shows the secret, of which only the hash is kept.
create table bots (
    tenant_id   uuid        not null,
    id          uuid        not null,
    platform    text        not null constraint bots_platform_check check (platform in ('telegram')),
    name        text        not null,
    key_id      uuid        not null,
    secret_hash bytea       not null,
    created_at  timestamptz not null,
    constraint bots_pkey primary key (tenant_id, id),
    constraint bots_id_key unique (id),
    constraint bots_key_fkey foreign key (tenant_id, key_id) references api_keys (tenant_id, id)
);

-- The user of a chat. A chat that is not here is answered with help and nothing else.
create table bot_chats (
    tenant_id  uuid        not null,
    bot_id     uuid        not null,
    chat_id    text        not null,
    user_id    uuid        not null,
    created_at timestamptz not null,
    constraint bot_chats_pkey primary key (tenant_id, bot_id, chat_id),
    constraint bot_chats_bot_fkey foreign key (tenant_id, bot_id) references bots (tenant_id, id)
);


-- Policies of a tenant; no row means the defaults

-- What happens without a person.
create table capture_policies (
    tenant_id        uuid        not null,
    -- becomes durable by itself, or waits in the inbox
    episodes         text        not null constraint capture_policies_episodes_check check (episodes in ('automatic', 'review')),
    profile          text        not null constraint capture_policies_profile_check check (profile in ('automatic', 'review')),
    decisions        text        not null constraint capture_policies_decisions_check
        check (decisions in ('automatic', 'review')),
    others           text        not null constraint capture_policies_others_check check (others in ('automatic', 'review')),
    -- what agents write to the commons
    commons          text        not null constraint capture_policies_commons_check check (commons in ('automatic', 'review')),
    -- less confidence than this waits, whatever its kind
    confidence_min   real        not null constraint capture_policies_confidence_check check (confidence_min between 0 and 1),
    -- false: nothing is sent to a model outside; the rules extract
    outside_models   boolean     not null,
    -- days for which profiles keep an entry about a sensitive matter after its last observation: 0 keeps the matter out, null is
    -- no limit
    profile_health   integer     default 0 constraint capture_policies_profile_health_check
        check (profile_health between 0 and 3650),
    profile_faith    integer     default 0 constraint capture_policies_profile_faith_check
        check (profile_faith between 0 and 3650),
    profile_politics integer     default 0 constraint capture_policies_profile_politics_check
        check (profile_politics between 0 and 3650),
    profile_money    integer     default 0 constraint capture_policies_profile_money_check
        check (profile_money between 0 and 3650),
    -- whether all agents read what the profile of the commons says about a person
    shared_profiles  boolean     not null default false,
    -- which memories of a project, a repository or everywhere are shared by themselves
    sharing          text        not null default 'confirmed' constraint capture_policies_sharing_check
        check (sharing in ('by_hand', 'confirmed', 'all')),
    -- what a person says of themselves
    own_statements   text        not null default 'automatic' constraint capture_policies_own_statements_check
        check (own_statements in ('automatic', 'review')),
    updated_at       timestamptz not null,
    updated_by       text        not null,
    constraint capture_policies_pkey primary key (tenant_id)
);

-- How `search_my_memories` ranks what it finds.
create table search_policies (
    tenant_id       uuid             not null,
    similarity      double precision not null constraint search_policies_similarity_check check (similarity between 0 and 1),
    recency         double precision not null constraint search_policies_recency_check check (recency between 0 and 1),
    importance      double precision not null constraint search_policies_importance_check check (importance between 0 and 1),
    source_priority double precision not null constraint search_policies_source_priority_check
        check (source_priority between 0 and 1),
    -- least similarity of a hit; null: the floors of the embedding model
    similarity_min  double precision constraint search_policies_similarity_min_check check (similarity_min between 0 and 1),
    updated_at      timestamptz      not null,
    updated_by      text             not null,
    constraint search_policies_pkey primary key (tenant_id),
    constraint search_policies_weights_check check (similarity + recency + importance + source_priority > 0)
);

-- How memories age: one row for the organisation (the nil agent), and one for each agent with a policy of its own.
create table lifecycle_policies (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    -- retention_days, importance, archived_below, cleaned_up_below, episodes_max, memories_max
    policy     jsonb       not null,
    updated_at timestamptz not null,
    updated_by text        not null,
    constraint lifecycle_policies_pkey primary key (tenant_id, agent_id)
);


-- Models and what they cost

-- What an embedding model is: pinned, so that a provider that answers with another one is noticed at start.
create table models (
    name                 text             not null constraint models_pkey primary key,
    dimension            integer          not null constraint models_dimension_check check (dimension in (384, 1536)),
    -- cosine above which one memory may replace another, whatever their words are
    dedup_threshold      double precision not null,
    -- cosine above which two memories are near: with the same words they are one, otherwise an update is suggested
    suggestion_threshold double precision not null,
    -- least cosine of two memories about one matter: they may contradict one another
    related_threshold    double precision not null,
    -- least cosine of a phrase and a term that resembles it
    term_threshold       double precision not null,
    -- least cosine, before decay, at which a memory counts as relevant
    vector_floor         double precision not null,
    -- least normalised lexical score, likewise
    lexical_floor        double precision not null
);
insert into models
    (name, dimension, dedup_threshold, suggestion_threshold, related_threshold, term_threshold, vector_floor, lexical_floor)
values
    ('all-MiniLM-L6-v2',        384, 0.92, 0.80, 0.60, 0.45, 0.25, 0.20),
    ('text-embedding-3-small', 1536, 0.92, 0.80, 0.60, 0.45, 0.25, 0.20);

-- A model without a row costs nothing. The command line sets prices.
create table model_prices (
    model           text   not null constraint model_prices_pkey primary key,
    -- micro-dollars for a million tokens
    input_microusd  bigint not null constraint model_prices_input_microusd_check check (input_microusd >= 0),
    output_microusd bigint not null constraint model_prices_output_microusd_check check (output_microusd >= 0)
);
insert into model_prices (model, input_microusd, output_microusd) values
    ('text-embedding-3-small',   20000,       0),
    ('text-embedding-3-large',  130000,       0),
    ('gpt-4o-mini',             150000,  600000),
    ('gpt-4.1-nano',            100000,  400000),
    ('gpt-4.1-mini',            400000, 1600000),
    ('gpt-4.1',                2000000, 8000000);

-- Calls of models, summed by the hour. The price is the one at the time of the call.
create table usage_ledger (
    tenant_id     uuid        not null,
    hour          timestamptz not null,
    -- the nil UUID: no agent, no user
    agent_id      uuid        not null,
    user_id       uuid        not null,
    model         text        not null,
    purpose       text        not null constraint usage_ledger_purpose_check
        check (purpose in ('embedding', 'extraction', 'condensation', 'synthesis', 'evaluation')),
    calls         bigint      not null,
    tokens_in     bigint      not null,
    tokens_out    bigint      not null,
    -- micro-dollars, the sum of what each call cost
    cost_microusd bigint      not null,
    constraint usage_ledger_pkey primary key (tenant_id, hour, agent_id, user_id, model, purpose)
);

-- Limits on what models may cost: of an organisation, and of a user of it. Without a row there is no limit.
create table usage_accounts (
    tenant_id      uuid        not null,
    -- the nil UUID: the organisation
    user_id        uuid        not null,
    -- whether calls need credit; if not, only the quotas count
    needs_credit   boolean     not null,
    -- micro-dollars used since calls need credit; what is left is the sum of usage_credits less this
    spent_microusd bigint      not null,
    -- quotas of a calendar month in UTC
    month_microusd bigint      constraint usage_accounts_month_microusd_check check (month_microusd >= 0),
    month_tokens   bigint      constraint usage_accounts_month_tokens_check check (month_tokens >= 0),
    -- the month that used_microusd and used_tokens count, by its first moment
    month          timestamptz not null,
    used_microusd  bigint      not null,
    used_tokens    bigint      not null,
    updated_at     timestamptz not null,
    updated_by     text        not null,
    constraint usage_accounts_pkey primary key (tenant_id, user_id)
);

-- Credit that was granted, and corrections, which may be below 0. Rows are added and never changed.
create table usage_credits (
    tenant_id       uuid        not null,
    id              uuid        not null,
    user_id         uuid        not null,
    -- micro-dollars
    amount_microusd bigint      not null constraint usage_credits_amount_microusd_check check (amount_microusd <> 0),
    reason          text        not null,
    created_at      timestamptz not null,
    created_by      text        not null,
    constraint usage_credits_pkey primary key (tenant_id, id)
);
create index usage_credits_account_idx on usage_credits (tenant_id, user_id, created_at desc, id desc);


-- The audit log

-- One chain per tenant: `hash` covers the row and the hash before it, so a changed or missing row shows.
create table audit_log (
    tenant_id   uuid        not null,
    event_id    uuid        not null,
    seq         bigint      not null,
    at          timestamptz not null,
    actor_kind  text        not null constraint audit_log_actor_kind_check check (actor_kind in ('agent', 'operator', 'system')),
    actor_id    text        not null,
    actor_name  text        not null,
    action      text        not null,
    target_kind text        not null,
    target_id   text        not null,
    agent_id    uuid,
    message     text        not null,
    reason      text,
    request_id  uuid,
    changes     jsonb       not null default '{}',
    visibility  text        not null constraint audit_log_visibility_check check (visibility in ('operators', 'organisation')),
    -- SHA-256 over the salt and the texts in audit_texts; null: the texts are in the row, under its hash
    texts_hash  bytea,
    previous    bytea       not null,
    hash        bytea       not null,
    constraint audit_log_pkey primary key (tenant_id, event_id),
    constraint audit_log_tenant_id_seq_key unique (tenant_id, seq),
    constraint audit_log_texts_check
        check (texts_hash is null or (actor_name = '' and message = '' and reason is null and changes = '{}'))
);
create index audit_log_tenant_at_idx on audit_log (tenant_id, at desc, event_id desc);
create index audit_log_target_idx on audit_log (tenant_id, target_id, seq desc);
-- The log is searched by the beginning of a target's id or of an action.
create index audit_log_target_prefix_idx on audit_log (tenant_id, target_id text_pattern_ops, seq desc);
create index audit_log_action_idx on audit_log (tenant_id, action text_pattern_ops, seq desc);

create function audit_log_is_append_only() returns trigger language plpgsql as $$
begin
    raise exception 'audit_log is append-only';
end $$;
create trigger audit_log_no_change before update or delete on audit_log for each row execute function audit_log_is_append_only();
create trigger audit_log_no_truncate before truncate on audit_log for each statement execute function audit_log_is_append_only();

-- What an entry says in words. The entry's hash covers a salted hash of the words: they can be erased without breaking the chain,
-- and cannot be changed unnoticed.
create table audit_texts (
    tenant_id  uuid  not null,
    event_id   uuid  not null,
    -- secret and erased with the texts: without it nobody can try which words make the hash
    salt       text  not null,
    actor_name text  not null,
    message    text  not null,
    reason     text,
    changes    jsonb not null,
    constraint audit_texts_pkey primary key (tenant_id, event_id),
    constraint audit_texts_audit_log_fkey foreign key (tenant_id, event_id) references audit_log (tenant_id, event_id)
);

create function audit_texts_are_erased_or_kept() returns trigger language plpgsql as $$
begin
    raise exception 'audit_texts can be erased, not changed';
end $$;
create trigger audit_texts_no_change before update on audit_texts for each row execute function audit_texts_are_erased_or_kept();


-- What agents report

-- Every agent of the organisation finds actions and outputs of workflow steps, so they are kept beside the audit log, which holds
-- no content. They can be erased.
create table actions (
    tenant_id    uuid        not null,
    id           uuid        not null,
    -- who reported it
    agent_id     uuid        not null,
    user_id      uuid,
    -- the caller's own id of the session
    session_id   text,
    kind         text        not null constraint actions_kind_check
        check (kind in ('action', 'decision', 'approval', 'rejection', 'outcome', 'performance')),
    -- what was done, in a word or two: `invoice.send`
    action       text        not null,
    message      text        not null,
    meta         jsonb       not null default '{}' constraint actions_meta_check check (jsonb_typeof(meta) = 'object'),
    outcome      text,
    -- whether it succeeded, if the agent said so: a context suggests actions that did
    succeeded    boolean,
    importance   real        not null constraint actions_importance_check check (importance between 0 and 1),
    -- false: the text may carry instructions for an agent, and no search finds it
    searchable   boolean     not null,
    -- SHA-256 of the message with the outcome
    content_hash bytea       not null,
    created_at   timestamptz not null,
    constraint actions_pkey primary key (tenant_id, id)
);
create index actions_user_idx on actions (tenant_id, user_id) where user_id is not null;

create table workflow_steps (
    tenant_id    uuid        not null,
    id           uuid        not null,
    agent_id     uuid        not null,
    user_id      uuid,
    session_id   text,
    workflow     text        not null,
    step_name    text        not null,
    output       text        not null,
    importance   real        not null constraint workflow_steps_importance_check check (importance between 0 and 1),
    searchable   boolean     not null,
    -- SHA-256 of the output
    content_hash bytea       not null,
    completed_at timestamptz not null,
    created_at   timestamptz not null,
    constraint workflow_steps_pkey primary key (tenant_id, id)
);
create index workflow_steps_user_idx on workflow_steps (tenant_id, user_id) where user_id is not null;

-- Words of what can be searched; they go with their row. A search reads the newest rows of a word from the index alone, so a
-- common word costs no more than a bounded number of entries.
create table action_terms (
    tenant_id uuid    not null,
    term      text    not null,
    id        uuid    not null,
    user_id   uuid,
    kind      text    not null,
    -- how often the text has the word, and how many terms it has
    tf        real    not null,
    length    integer not null,
    constraint action_terms_pkey primary key (tenant_id, term, id) include (user_id, kind, tf, length),
    constraint action_terms_actions_fkey foreign key (tenant_id, id) references actions (tenant_id, id) on delete cascade
);
create index action_terms_id_idx on action_terms (tenant_id, id);
-- A search for some kinds of actions reads the newest rows of each word and kind, and does not read past the others.
create index action_terms_kind_idx on action_terms (tenant_id, term, kind, id) include (user_id, tf, length);

create table workflow_step_terms (
    tenant_id uuid    not null,
    term      text    not null,
    id        uuid    not null,
    user_id   uuid,
    kind      text    not null,
    tf        real    not null,
    length    integer not null,
    constraint workflow_step_terms_pkey primary key (tenant_id, term, id) include (user_id, kind, tf, length),
    constraint workflow_step_terms_workflow_steps_fkey foreign key (tenant_id, id)
        references workflow_steps (tenant_id, id) on delete cascade
);
create index workflow_step_terms_id_idx on workflow_step_terms (tenant_id, id);

-- How many texts are searched, and how many terms they have: in sixteen rows for each user, so that writers seldom wait.
create table activity_counts (
    tenant_id uuid     not null,
    source    text     not null constraint activity_counts_source_check check (source in ('actions', 'workflow_steps')),
    user_id   uuid,
    slot      smallint not null,
    documents bigint   not null,
    terms     bigint   not null,
    constraint activity_counts_key unique nulls not distinct (tenant_id, source, user_id, slot)
);

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


-- Erasure of a person

-- 256 random bits of a tenant: for fingerprints of erased text and for signatures of reports. Only work before and across tenants
-- reads it, and it is not in the database that has the fingerprints.
create table tenant_keys (
    tenant_id  uuid        not null constraint tenant_keys_pkey primary key,
    secret     text        not null,
    created_at timestamptz not null
);

-- Who requested and confirmed an erasure, how far it is, and what it did.
create table erasure_requests (
    tenant_id         uuid        not null,
    id                uuid        not null,
    user_id           uuid        not null,
    reason            text        not null,
    -- the names by which mentions of the person were searched; emptied at the end
    names             text[]      not null,
    -- [{place, id}]: rows of others that go, too; emptied at the end
    mentions          jsonb       not null,
    state             text        not null constraint erasure_requests_state_check
        check (state in ('waiting', 'confirmed', 'done', 'withdrawn', 'expired')),
    requested_by      uuid        not null,
    requested_by_name text        not null,
    requested_at      timestamptz not null,
    expires_at        timestamptz not null,
    confirmed_by      uuid,
    confirmed_by_name text,
    confirmed_at      timestamptz,
    -- who withdrew it, or null when it was carried out or expired
    ended_by_name     text,
    ended_at          timestamptz,
    -- what the job does now
    step              text,
    -- [{database, table, rows}] before the first row went
    found             jsonb,
    -- the signed text and its signature
    report            text,
    signature         text,
    constraint erasure_requests_pkey primary key (tenant_id, id),
    constraint erasure_requests_two_check check (confirmed_by <> requested_by)
);
create unique index erasure_requests_open_key on erasure_requests (tenant_id, user_id) where state in ('waiting', 'confirmed');
create index erasure_requests_list_idx on erasure_requests (tenant_id, requested_at desc, id desc);


-- Row-level security

-- The second wall behind the predicates. A setting that is unset matches nothing, and the all-ones id stands for every agent or
-- every user: operators and the command line act for all of them. `rmb_system` works before and across tenants. Models and prices
-- belong to no tenant. The server gives `rmb_eraser` its other rights when it migrates, from the list of columns in
-- crates/db/src/columns.rs.
do $$
declare
    name text;
    tenant     constant text := $p$tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid$p$;
    of_user    constant text := $p$(user_id is null or user_id = nullif(current_setting('rmb.user', true), '')::uuid
        or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff')$p$;
    by_agent   constant text := $p$(agent_id = nullif(current_setting('rmb.agent', true), '')::uuid
        or current_setting('rmb.agent', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff')$p$;
    all_agents constant text := $p$current_setting('rmb.agent', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'$p$;
begin
    -- the tenant's rows
    foreach name in array array[
        'agents', 'api_keys', 'users', 'operators', 'saved_views', 'bots', 'bot_chats', 'capture_policies', 'search_policies',
        'lifecycle_policies', 'audit_log']
    loop
        execute format('create policy %I on %I to rmb_app using (%s)', name || '_app', name, tenant);
    end loop;
    -- only operators and the command line
    foreach name in array array['audit_texts', 'erasure_requests', 'usage_accounts', 'usage_credits'] loop
        execute format('create policy %I on %I to rmb_app using (%s and %s)', name || '_app', name, tenant, all_agents);
    end loop;
    -- Agents read what others reported, and write in their own name only. Rows of a user show only to that user's calls.
    foreach name in array array['actions', 'workflow_steps'] loop
        execute format('create policy %I on %I to rmb_app using (%s and %s) with check (%s and %s and %s)',
                       name || '_app', name, tenant, of_user, tenant, of_user, by_agent);
    end loop;
    foreach name in array array['action_terms', 'workflow_step_terms', 'activity_counts', 'idempotent_requests'] loop
        execute format('create policy %I on %I to rmb_app using (%s and %s)', name || '_app', name, tenant, of_user);
    end loop;
    -- across tenants
    foreach name in array array[
        'tenants', 'agents', 'api_keys', 'users', 'operators', 'sessions', 'bots', 'bot_chats', 'capture_policies',
        'search_policies', 'lifecycle_policies', 'usage_ledger', 'usage_accounts', 'usage_credits', 'audit_log', 'audit_texts',
        'actions', 'workflow_steps', 'action_terms', 'workflow_step_terms', 'activity_counts', 'tenant_keys', 'erasure_requests']
    loop
        execute format('create policy %I on %I to rmb_system using (true)', name || '_system', name);
    end loop;
    for name in select distinct tablename from pg_policies where schemaname = 'public' loop
        execute format('alter table %I enable row level security', name);
    end loop;
end
$$;

create policy tenants_app on tenants to rmb_app using (id = nullif(current_setting('rmb.tenant', true), '')::uuid);

-- Agents read what they used themselves, for users in their reach and for nobody.
create policy usage_ledger_app on usage_ledger to rmb_app using (
    tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid
    and (current_setting('rmb.agent', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
         or agent_id = nullif(current_setting('rmb.agent', true), '')::uuid)
    and (user_id = '00000000-0000-0000-0000-000000000000'
         or user_id = nullif(current_setting('rmb.user', true), '')::uuid
         or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));

-- Erasure finds the texts of entries by the targets of the entries. The entries stay.
create policy audit_log_eraser on audit_log to rmb_eraser using (
    tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid);


-- Grants

-- `rmb_app` serves requests. It reads no hash of a secret: only sign-in and the lookup of keys and bots do, as rmb_system.
grant select on tenants, agents, users, bot_chats, capture_policies, search_policies, lifecycle_policies, models, model_prices,
    usage_ledger, usage_accounts, usage_credits, audit_log, audit_texts, erasure_requests to rmb_app;
grant select (tenant_id, id, login, name, roles, created_at, disabled_at, access_epoch) on operators to rmb_app;
grant select (tenant_id, id, agent_id, prefix, name, scopes, created_at, expires_at, revoked_at, last_used_at, last_used_from,
    requests, refused, last_refused_at) on api_keys to rmb_app;
grant select (tenant_id, id, platform, name, key_id, created_at) on bots to rmb_app;
grant select, insert, delete, update (name) on saved_views to rmb_app;
grant select, insert on actions, workflow_steps, action_terms, workflow_step_terms to rmb_app;
grant select, insert, update (documents, terms) on activity_counts to rmb_app;
grant select, insert, delete, update (fingerprint, answer, memory_ids) on idempotent_requests to rmb_app;

-- `rmb_system` works before and across tenants.
grant select, insert, update, delete on sessions, bot_chats to rmb_system;
grant select, insert, update on capture_policies, search_policies, lifecycle_policies, model_prices, usage_ledger, usage_accounts,
    erasure_requests to rmb_system;
grant select, insert, delete on audit_texts to rmb_system;
grant select, insert on tenants, agents, api_keys, users, operators, bots, usage_credits, audit_log, tenant_keys to rmb_system;
grant select on models to rmb_system;
grant update (discipline, knowledge_categories, keeps_context_texts, blocked_at) on agents to rmb_system;
grant update (last_used_at, last_used_from, requests, refused, last_refused_at, source_day, source_bytes, revoked_at) on api_keys
    to rmb_system;
grant update (password_hash, roles, name, disabled_at, access_epoch) on operators to rmb_system;
-- It may remove reports, and reads no word of them.
grant select (tenant_id, id, agent_id, user_id, created_at), delete on actions, workflow_steps to rmb_system;
grant select, update (documents, terms), delete on activity_counts to rmb_system;

grant select (tenant_id, event_id, target_kind, target_id) on audit_log to rmb_eraser;


-- Sweeps

-- Requests of every tenant, which are kept for a day, by a role that cannot read them.
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
revoke execute on function sweep_idempotent_requests from public;
grant execute on function sweep_idempotent_requests to rmb_system;

-- The role of this function: column by column what it reads, and what it deletes.
create policy idempotent_requests_definer on idempotent_requests to rmb_definer using (true);

grant select (tenant_id, agent_id, key_id, operation, idempotency_key, created_at), delete on idempotent_requests to rmb_definer;

-- The new owner of a function needs the right to create one; it keeps it only here.
grant create on schema public to rmb_definer;
alter function sweep_idempotent_requests owner to rmb_definer;
revoke create on schema public from rmb_definer;

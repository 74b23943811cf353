-- What agents report: actions with their outcomes, and the outputs of workflow steps. Every agent of the organisation finds them, so they are
-- kept beside the audit log, which holds no content. They can be erased.

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

-- Words of what can be searched. A search reads the newest rows of a word from the index alone, so a common word costs no more than a bounded
-- number of entries. Words go with their row.
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

-- How many texts are searched, and how many terms they have: in sixteen rows for each user, so that writers seldom wait for each other.
create table activity_counts (
    tenant_id uuid     not null,
    source    text     not null constraint activity_counts_source_check check (source in ('actions', 'workflow_steps')),
    user_id   uuid,
    slot      smallint not null,
    documents bigint   not null,
    terms     bigint   not null,
    constraint activity_counts_key unique nulls not distinct (tenant_id, source, user_id, slot)
);

-- Agents read what others reported, and write in their own name only. Rows of a user show only to that user's calls, and to operators.
do $$
declare
    name text;
    seen constant text := $p$tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid
        and (user_id is null or user_id = nullif(current_setting('rmb.user', true), '')::uuid
             or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff')$p$;
    own constant text := $p$ and (agent_id = nullif(current_setting('rmb.agent', true), '')::uuid
        or current_setting('rmb.agent', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff')$p$;
begin
    foreach name in array array['actions', 'workflow_steps', 'action_terms', 'workflow_step_terms', 'activity_counts']
    loop
        execute format('alter table %I enable row level security', name);
        execute format('create policy %I on %I to rmb_app using (%s) with check (%s)', name || '_app', name, seen,
                       seen || case when name in ('actions', 'workflow_steps') then own else '' end);
        execute format('create policy %I on %I to rmb_system using (true)', name || '_system', name);
    end loop;
end
$$;
grant select, insert on actions, workflow_steps, action_terms, workflow_step_terms to rmb_app;
grant select, insert, update (documents, terms) on activity_counts to rmb_app;
-- What works across tenants may remove rows, and reads no word of them.
grant select (tenant_id, id, agent_id, user_id, created_at), delete on actions, workflow_steps to rmb_system;
grant select, update (documents, terms), delete on activity_counts to rmb_system;

-- Requests with an Idempotency-Key that changed this database, as in the other two.
create table idempotent_requests (
    tenant_id       uuid        not null,
    agent_id        uuid        not null,
    user_id         uuid,
    key_id          uuid        not null,
    operation       text        not null constraint idempotent_requests_operation_check check (octet_length(operation) <= 64),
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
alter table idempotent_requests enable row level security;
create policy idempotent_requests_app on idempotent_requests to rmb_app using (
    tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid
    and (user_id is null or user_id = nullif(current_setting('rmb.user', true), '')::uuid
         or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
grant select, insert, delete, update (fingerprint, answer, memory_ids) on idempotent_requests to rmb_app;

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

-- How a tenant ranks what `search_my_memories` finds: one row a tenant; none means the defaults.
create table search_policies (
    tenant_id       uuid             not null,
    similarity      double precision not null constraint search_policies_similarity_check check (similarity between 0 and 1),
    recency         double precision not null constraint search_policies_recency_check check (recency between 0 and 1),
    importance      double precision not null constraint search_policies_importance_check check (importance between 0 and 1),
    source_priority double precision not null constraint search_policies_source_priority_check check (source_priority between 0 and 1),
    -- least similarity of a hit; null: the floors of the embedding model
    similarity_min  double precision constraint search_policies_similarity_min_check check (similarity_min between 0 and 1),
    updated_at      timestamptz      not null,
    updated_by      text             not null,
    constraint search_policies_pkey primary key (tenant_id),
    constraint search_policies_weights_check check (similarity + recency + importance + source_priority > 0)
);
alter table search_policies enable row level security;
create policy search_policies_app on search_policies to rmb_app using (tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid);
create policy search_policies_system on search_policies to rmb_system using (true);
grant select on search_policies to rmb_app;
grant select, insert, update on search_policies to rmb_system;

-- The documents that are relevant to an agent, by kind or collection; all of them if empty.
alter table agents add column knowledge_categories text[] not null default '{}';
grant update (knowledge_categories) on agents to rmb_system;

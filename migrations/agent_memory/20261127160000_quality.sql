-- What became of assembled contexts: which of the memories in them the answers of agents used. An answer itself is not stored.

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
    constraint context_answers_pkey primary key (agent_id, context_id),
    -- it is kept as long as the context's row of the log
    constraint context_answers_context_id_fkey foreign key (agent_id, context_id) references context_log (agent_id, id) on delete cascade,
    constraint context_answers_memory_ids_check check (cardinality(memory_ids) <= injected)
);
create index context_answers_at_idx on context_answers (tenant_id, at desc);
create index context_answers_user_idx on context_answers (agent_id, user_id) where user_id is not null;

alter table context_answers enable row level security;
create policy context_answers_app on context_answers to rmb_app using (
    tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid
    and (agent_id = nullif(current_setting('rmb.agent', true), '')::uuid
         or agent_id = nullif(current_setting('rmb.commons', true), '')::uuid)
    and (user_id is null or user_id = nullif(current_setting('rmb.user', true), '')::uuid
         or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
create policy context_answers_operator on context_answers to rmb_operator using (
    tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid);
grant select, insert, update on context_answers to rmb_app, rmb_operator;

-- Counting by day reads no other rows than those of the period.
create index events_observations_idx on events (tenant_id, created_at) where kind = 'observation';
create index profile_leaves_seen_idx on profile_leaves (tenant_id, first_seen);
create index context_texts_tenant_idx on context_texts (tenant_id, at desc);

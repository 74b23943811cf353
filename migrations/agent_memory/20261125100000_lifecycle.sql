-- How memories age: what chose the retention and the importance of a message, why a memory was archived, and the sessions of messages.

alter table agent_memories
    add column retention_rule text constraint agent_memories_retention_rule_check
        check (retention_rule in ('explicit', 'decision', 'task', 'error', 'routine')),
    -- [{factor, weight, words}]
    add column importance_factors jsonb,
    add column archive_reason text constraint agent_memories_archive_reason_check
        check (archive_reason in ('faded', 'expired', 'limit', 'early'));

-- Episodes that may fade. Counters are not part of it, so that they stay cheap.
create index agent_memories_fading_idx on agent_memories (agent_id, id)
    where live and kind = 'episode' and retention <> 'permanent' and not pinned;
create index agent_memories_session_idx on agent_memories (agent_id, session_id, created_at, id) where session_id is not null;
create index agent_memories_archived_idx on agent_memories (tenant_id, archived_at desc) where archived_at is not null;

-- How many live memories an agent has, of all its users: their limit is the agent's. Owned by the owner of the tables, whom no policy binds;
-- it tells one number, and only to the agent's own tenant.
create function live_memories(tenant uuid, agent uuid) returns bigint
    language sql stable security definer set search_path = public, pg_temp as $$
    select coalesce(sum(c.documents), 0)::bigint from memory_term_counts c
     where c.tenant_id = tenant and c.agent_id = agent
       and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
       and (agent in (nullif(current_setting('rmb.agent', true), '')::uuid, nullif(current_setting('rmb.commons', true), '')::uuid)
            or current_setting('rmb.agent', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff')
$$;
revoke execute on function live_memories from public;
grant execute on function live_memories to rmb_app, rmb_operator;

-- A session is named by its caller with any string; its id is the UUID v5 of agent, user and string.
create table sessions (
    tenant_id    uuid         not null,
    agent_id     uuid         not null,
    id           uuid         not null,
    user_id      uuid,
    external_ref varchar(256) not null,
    messages     bigint       not null,
    started_at   timestamptz  not null,
    last_at      timestamptz  not null,
    constraint sessions_pkey primary key (agent_id, id)
);
create index sessions_tenant_last_idx on sessions (tenant_id, last_at desc, id);

alter table sessions enable row level security;
create policy sessions_app on sessions to rmb_app using (
    tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid
    and (agent_id = nullif(current_setting('rmb.agent', true), '')::uuid
         or agent_id = nullif(current_setting('rmb.commons', true), '')::uuid)
    and (user_id is null or user_id = nullif(current_setting('rmb.user', true), '')::uuid
         or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
create policy sessions_operator on sessions to rmb_operator using (tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid);
grant select, insert, update on sessions to rmb_app, rmb_operator;

-- What an agent knows about a person: leaves of a profile, each with the observations that it cites, and the connections of tools.
-- Leaves derive from observations and are never a source of memories.

-- The narrative that a chat model wrote. Without one it is composed from the leaves whenever somebody reads it.
create table profiles (
    tenant_id      uuid        not null,
    agent_id       uuid        not null,
    id             uuid        not null,
    -- null: nobody is named
    user_id        uuid,
    working_memory text,
    -- when the leaves and observations were read that the narrative was written from
    narrated_at    timestamptz,
    created_at     timestamptz not null,
    updated_at     timestamptz not null,
    constraint profiles_pkey primary key (agent_id, id),
    constraint profiles_user_key unique nulls not distinct (agent_id, user_id),
    constraint profiles_narrated_at_check check ((working_memory is null) = (narrated_at is null))
);
create index profiles_tenant_idx on profiles (tenant_id, updated_at desc, id);

create table profile_leaves (
    tenant_id     uuid        not null,
    agent_id      uuid        not null,
    id            uuid        not null,
    user_id       uuid,
    part          text        not null constraint profile_leaves_part_check check (part in ('scaffold', 'learned')),
    -- what is learned about using a connection
    connection_id uuid,
    path          text[]      not null,
    -- a text, a number or a truth value
    value         jsonb       not null,
    -- one of several values at this path that can all be true
    listed        boolean     not null,
    state         text        not null constraint profile_leaves_state_check check (state in ('shown', 'superseded', 'forgotten')),
    -- of part, connection, path and value: a leaf that was forgotten does not come back
    leaf_hash     bytea       not null,
    observations  integer     not null,
    -- other leaves that cannot be true together with this one
    contradicts   uuid[]      not null default '{}',
    -- what the leaf cites: a source, and the observation that recorded it, at the same place of both lists
    source_ids    uuid[]      not null,
    event_ids     uuid[]      not null,
    first_seen    timestamptz not null,
    last_seen     timestamptz not null,
    superseded_at timestamptz,
    constraint profile_leaves_pkey primary key (agent_id, id),
    constraint profile_leaves_hash_key unique nulls not distinct (agent_id, user_id, leaf_hash),
    constraint profile_leaves_value_check check (jsonb_typeof(value) in ('string', 'number', 'boolean')),
    constraint profile_leaves_cites_check check (cardinality(source_ids) > 0 and cardinality(source_ids) = cardinality(event_ids)),
    constraint profile_leaves_connection_id_check check (connection_id is null or part = 'learned')
);

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
    constraint profile_versions_pkey primary key (agent_id, id),
    constraint profile_versions_version_key unique nulls not distinct (agent_id, user_id, version)
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
    created_at        timestamptz  not null,
    updated_at        timestamptz  not null,
    constraint connections_pkey primary key (agent_id, id),
    constraint connections_schema_expires_at_check check ((tool_schema is null) = (schema_expires_at is null))
);
create index connections_user_idx on connections (agent_id, user_id, name, id);

do $$
declare
    name text;
begin
    foreach name in array array['profiles', 'profile_leaves', 'profile_versions', 'connections']
    loop
        execute format('alter table %I enable row level security', name);
        execute format($p$create policy %I on %I to rmb_app using (
            tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid
            and (agent_id = nullif(current_setting('rmb.agent', true), '')::uuid
                 or agent_id = nullif(current_setting('rmb.commons', true), '')::uuid)
            and (user_id is null or user_id = nullif(current_setting('rmb.user', true), '')::uuid
                 or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'))$p$, name || '_app', name);
        execute format($p$create policy %I on %I to rmb_operator using (tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid)$p$,
                       name || '_operator', name);
    end loop;
end
$$;
grant select, insert, update on profiles, profile_leaves, connections to rmb_app, rmb_operator;
grant select, insert on profile_versions to rmb_app, rmb_operator;

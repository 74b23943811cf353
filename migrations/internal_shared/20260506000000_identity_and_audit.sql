-- Control data: who exists, who may do what, and what was done.

create table tenants (
    id         uuid        not null constraint tenants_pkey primary key,
    slug       text        not null constraint tenants_slug_key unique,
    name       text        not null,
    created_at timestamptz not null,
    constraint tenants_slug_check check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$')
);

-- `commons` is the memory that all agents of a tenant share; each tenant has one.
create table agents (
    tenant_id    uuid        not null,
    id           uuid        not null,
    kind         text        not null constraint agents_kind_check check (kind in ('agent', 'commons')),
    slug         text        not null,
    name         text        not null,
    -- true: `user_id` is mandatory on what this agent remembers
    require_user boolean     not null default false,
    created_at   timestamptz not null,
    constraint agents_pkey primary key (tenant_id, id),
    constraint agents_tenant_id_slug_key unique (tenant_id, slug),
    constraint agents_tenant_id_fkey foreign key (tenant_id) references tenants (id),
    constraint agents_slug_check check (slug ~ '^[a-z0-9][a-z0-9_-]{0,62}$')
);
create unique index agents_tenant_id_commons_key on agents (tenant_id) where kind = 'commons';

create table api_keys (
    tenant_id    uuid        not null,
    id           uuid        not null,
    agent_id     uuid        not null,
    -- public part of the key; what a request is looked up by
    prefix       text        not null constraint api_keys_prefix_key unique,
    -- SHA-256 of the whole key; the secret has 256 bits, so a fast hash is enough
    secret_hash  bytea       not null,
    name         text        not null,
    scopes       text[]      not null,
    created_at   timestamptz not null,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz,
    constraint api_keys_pkey primary key (tenant_id, id),
    constraint api_keys_agent_fkey foreign key (tenant_id, agent_id) references agents (tenant_id, id)
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
    created_at    timestamptz not null,
    disabled_at   timestamptz,
    constraint operators_pkey primary key (tenant_id, id),
    constraint operators_tenant_id_fkey foreign key (tenant_id) references tenants (id)
);

create table sessions (
    id         text        not null constraint sessions_pkey primary key,
    data       jsonb       not null,
    expires_at timestamptz not null
);
create index sessions_expires_at_idx on sessions (expires_at);

-- What an embedding model is: pinned, so that a provider that answers with something else is noticed at start.
create table models (
    name                 text             not null constraint models_pkey primary key,
    dimension            integer          not null constraint models_dimension_check check (dimension in (384, 1536)),
    -- cosine above which two memories under one key are the same
    dedup_threshold      double precision not null,
    -- cosine above which an update is suggested
    suggestion_threshold double precision not null,
    -- least cosine, before decay, at which a memory counts as relevant
    vector_floor         double precision not null,
    -- least normalised lexical score, likewise
    lexical_floor        double precision not null
);
insert into models (name, dimension, dedup_threshold, suggestion_threshold, vector_floor, lexical_floor) values
    ('all-MiniLM-L6-v2',        384, 0.92, 0.80, 0.25, 0.20),
    ('text-embedding-3-small', 1536, 0.92, 0.80, 0.25, 0.20);

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
    previous    bytea       not null,
    hash        bytea       not null,
    constraint audit_log_pkey primary key (tenant_id, event_id),
    constraint audit_log_tenant_id_seq_key unique (tenant_id, seq)
);
create index audit_log_target_idx on audit_log (tenant_id, target_id, seq desc);
create index audit_log_action_idx on audit_log (tenant_id, action text_pattern_ops, seq desc);

create function audit_log_is_append_only() returns trigger language plpgsql as $$
begin
    raise exception 'audit_log is append-only';
end $$;
create trigger audit_log_no_change before update or delete on audit_log for each row execute function audit_log_is_append_only();
create trigger audit_log_no_truncate before truncate on audit_log for each statement execute function audit_log_is_append_only();

-- Row-level security: the second wall behind the predicates. An unset setting matches nothing.
alter table tenants   enable row level security;
alter table agents    enable row level security;
alter table api_keys  enable row level security;
alter table operators enable row level security;
alter table sessions  enable row level security;
alter table audit_log enable row level security;

create policy tenants_app   on tenants   to rmb_app using (id        = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
create policy agents_app    on agents    to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
create policy api_keys_app  on api_keys  to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
create policy operators_app on operators to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));
create policy audit_log_app on audit_log to rmb_app using (tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid));

create policy tenants_system   on tenants   to rmb_system using (true);
create policy agents_system    on agents    to rmb_system using (true);
create policy api_keys_system  on api_keys  to rmb_system using (true);
create policy operators_system on operators to rmb_system using (true);
create policy sessions_system  on sessions  to rmb_system using (true);
create policy audit_log_system on audit_log to rmb_system using (true);

grant select on tenants, agents, api_keys, operators, models, audit_log to rmb_app;
grant select, insert on tenants, agents, api_keys, operators to rmb_system;
grant update (last_used_at, revoked_at) on api_keys to rmb_system;
grant update (password_hash, roles, name, disabled_at) on operators to rmb_system;
grant select, insert, update, delete on sessions to rmb_system;
grant select on models to rmb_system;
grant select, insert on audit_log to rmb_system;

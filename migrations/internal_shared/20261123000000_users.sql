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
alter table users enable row level security;
create policy users_app    on users to rmb_app using (tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid);
create policy users_system on users to rmb_system using (true);
grant select on users to rmb_app;
grant select, insert on users to rmb_system;

-- A key may be bound to one user. Keys that exist go on choosing the user in their arguments.
alter table api_keys add column user_id uuid;
update api_keys set scopes = array_append(scopes, 'users:any') where not 'users:any' = any (scopes);

-- Policies hold no sub-query.
do $$
declare
    policy record;
begin
    for policy in select tablename, policyname, qual from pg_policies where schemaname = 'public' and 'rmb_app' = any (roles) and qual like '%rmb.tenant%'
    loop
        execute format($p$alter policy %I on %I using (%I = nullif(current_setting('rmb.tenant', true), '')::uuid)$p$, policy.policyname,
            policy.tablename, case when policy.tablename = 'tenants' then 'id' else 'tenant_id' end);
    end loop;
end
$$;

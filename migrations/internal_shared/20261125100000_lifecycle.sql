-- How memories age: one row for an organisation (the nil agent), and one for each agent with a policy of its own. No row means the defaults.
create table lifecycle_policies (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    -- retention_days, importance, archived_below, cleaned_up_below, episodes_max, memories_max
    policy     jsonb       not null,
    updated_at timestamptz not null,
    updated_by text        not null,
    constraint lifecycle_policies_pkey primary key (tenant_id, agent_id)
);
alter table lifecycle_policies enable row level security;
create policy lifecycle_policies_app on lifecycle_policies to rmb_app using (tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid);
create policy lifecycle_policies_system on lifecycle_policies to rmb_system using (true);
grant select on lifecycle_policies to rmb_app;
grant select, insert, update on lifecycle_policies to rmb_system;

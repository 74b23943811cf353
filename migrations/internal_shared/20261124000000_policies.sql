-- What a tenant lets happen without a person: one row a tenant; none means the defaults.
create table capture_policies (
    tenant_id          uuid        not null,
    -- becomes durable by itself, or waits in the inbox
    episodes           text        not null constraint capture_policies_episodes_check check (episodes in ('automatic', 'review')),
    profile            text        not null constraint capture_policies_profile_check check (profile in ('automatic', 'review')),
    decisions          text        not null constraint capture_policies_decisions_check check (decisions in ('automatic', 'review')),
    others             text        not null constraint capture_policies_others_check check (others in ('automatic', 'review')),
    -- what agents write to the commons
    commons            text        not null constraint capture_policies_commons_check check (commons in ('automatic', 'review')),
    -- what is less sure than this waits, whatever its kind
    confidence_min     real        not null constraint capture_policies_confidence_check check (confidence_min between 0 and 1),
    -- false: nothing is sent to a model outside; the rules extract
    outside_models     boolean     not null,
    updated_at         timestamptz not null,
    updated_by         text        not null,
    constraint capture_policies_pkey primary key (tenant_id)
);
alter table capture_policies enable row level security;
create policy capture_policies_app on capture_policies to rmb_app using (tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid);
create policy capture_policies_system on capture_policies to rmb_system using (true);
grant select on capture_policies to rmb_app;
grant select, insert, update on capture_policies to rmb_system;

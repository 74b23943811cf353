-- Limits on what models may cost: of an organisation, and of a user of it. Without a row there is no limit.
create table usage_accounts (
    tenant_id     uuid             not null,
    -- the nil UUID: the organisation
    user_id       uuid             not null,
    -- whether calls need credit; if not, only the quotas count
    needs_credit  boolean          not null,
    -- US dollars used since calls need credit; what is left is the sum of usage_credits less this
    spent         double precision not null,
    -- quotas of a calendar month in UTC
    month_dollars double precision constraint usage_accounts_month_dollars_check check (month_dollars >= 0),
    month_tokens  bigint           constraint usage_accounts_month_tokens_check check (month_tokens >= 0),
    -- the month that used_dollars and used_tokens count, by its first moment
    month         timestamptz      not null,
    used_dollars  double precision not null,
    used_tokens   bigint           not null,
    updated_at    timestamptz      not null,
    updated_by    text             not null,
    constraint usage_accounts_pkey primary key (tenant_id, user_id)
);

-- Credit that was granted, and corrections, which may be below 0. Rows are added and never changed.
create table usage_credits (
    tenant_id  uuid             not null,
    id         uuid             not null,
    user_id    uuid             not null,
    -- US dollars
    dollars    double precision not null constraint usage_credits_dollars_check check (dollars <> 0),
    reason     text             not null,
    created_at timestamptz      not null,
    created_by text             not null,
    constraint usage_credits_pkey primary key (tenant_id, id)
);
create index usage_credits_account_idx on usage_credits (tenant_id, user_id, created_at desc, id desc);

alter table usage_accounts enable row level security;
alter table usage_credits enable row level security;
-- Only operators and the command line read them: they act for every agent of the tenant, which the all-ones agent stands for.
create policy usage_accounts_app on usage_accounts to rmb_app using (
    tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid
    and current_setting('rmb.agent', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff');
create policy usage_credits_app on usage_credits to rmb_app using (
    tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid
    and current_setting('rmb.agent', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff');
create policy usage_accounts_system on usage_accounts to rmb_system using (true);
create policy usage_credits_system on usage_credits to rmb_system using (true);
grant select on usage_accounts, usage_credits to rmb_app;
grant select, insert, update on usage_accounts to rmb_system;
grant select, insert on usage_credits to rmb_system;

-- The command line sets prices.
grant insert, update on model_prices to rmb_system;

-- Agents read what they used themselves, for users in their reach and for nobody.
drop policy usage_ledger_app on usage_ledger;
create policy usage_ledger_app on usage_ledger to rmb_app using (
    tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid
    and (current_setting('rmb.agent', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
         or agent_id = nullif(current_setting('rmb.agent', true), '')::uuid)
    and (user_id = '00000000-0000-0000-0000-000000000000'
         or user_id = nullif(current_setting('rmb.user', true), '')::uuid
         or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));

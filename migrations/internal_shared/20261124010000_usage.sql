-- What models cost. A model without a row costs nothing.
create table model_prices (
    model              text             not null constraint model_prices_pkey primary key,
    -- US dollars for a million tokens
    input              double precision not null constraint model_prices_input_check check (input >= 0),
    output             double precision not null constraint model_prices_output_check check (output >= 0)
);
insert into model_prices (model, input, output) values
    ('text-embedding-3-small', 0.02, 0),
    ('text-embedding-3-large', 0.13, 0),
    ('gpt-4o-mini', 0.15, 0.60),
    ('gpt-4.1-nano', 0.10, 0.40),
    ('gpt-4.1-mini', 0.40, 1.60),
    ('gpt-4.1', 2.00, 8.00);
grant select on model_prices to rmb_app, rmb_system;

-- The usage ledger: calls of models, summed by the hour. The price is the one at the time of the call.
create table usage_ledger (
    tenant_id          uuid             not null,
    hour               timestamptz      not null,
    -- the nil UUID: no agent, no user
    agent_id           uuid             not null,
    user_id            uuid             not null,
    model              text             not null,
    purpose            text             not null constraint usage_ledger_purpose_check check (purpose in ('embedding', 'extraction')),
    calls              bigint           not null,
    tokens_in          bigint           not null,
    tokens_out         bigint           not null,
    dollars            double precision not null,
    constraint usage_ledger_pkey primary key (tenant_id, hour, agent_id, user_id, model, purpose)
);
alter table usage_ledger enable row level security;
create policy usage_ledger_app on usage_ledger to rmb_app using (tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid);
create policy usage_ledger_system on usage_ledger to rmb_system using (true);
grant select on usage_ledger to rmb_app;
grant select, insert, update on usage_ledger to rmb_system;

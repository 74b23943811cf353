-- What happens in an organisation, for those outside who follow it: addresses that are called (webhooks), and open streams.

-- How many notices an organisation has had. Whoever adds some holds this row until the transaction ends, so the numbers of an organisation
-- have no gaps and appear in their order: a reader that has seen one number has seen all before it.
create table notice_heads (
    tenant_id uuid   not null constraint notice_heads_pkey primary key,
    last      bigint not null,
    constraint notice_heads_tenant_id_fkey foreign key (tenant_id) references tenants (id)
);

-- Something that happened: its kind and ids, and no text. It is kept for a day.
create table notices (
    tenant_id uuid        not null,
    seq       bigint      not null,
    -- that of the audit entry or of the outbox row: a second delivery adds nothing
    id        uuid        not null,
    kind      text        not null,
    -- whose memory it is about; null: the organisation's
    agent_id  uuid,
    -- the memory, the candidate, the recall, the event or the erasure
    target_id text        not null,
    at        timestamptz not null,
    constraint notices_pkey primary key (tenant_id, seq),
    constraint notices_tenant_id_id_key unique (tenant_id, id),
    constraint notices_tenant_id_fkey foreign key (tenant_id) references tenants (id)
);
create index notices_at_idx on notices (at);

-- An address that is called when something happens.
create table webhooks (
    tenant_id         uuid        not null,
    id                uuid        not null,
    url               text        not null constraint webhooks_url_check check (char_length(url) between 1 and 2000),
    -- the kinds of notices that are sent
    kinds             text[]      not null constraint webhooks_kinds_check check (cardinality(kinds) > 0),
    -- those about this agent's memory only; null: those about every agent's
    agent_id          uuid,
    -- signs what is sent, so it cannot be a hash
    secret            text        not null,
    -- signs beside it until a time: receivers change over meanwhile
    previous_secret   text,
    previous_ends_at  timestamptz,
    state             text        not null constraint webhooks_state_check check (state in ('active', 'paused', 'disabled')),
    -- why the server disabled it
    reason            text,
    -- notices up to this number have a delivery, or need none
    seen              bigint      not null,
    created_at        timestamptz not null,
    attempted_at      timestamptz,
    delivered_at      timestamptz,
    -- why the last attempt failed; null: it did not
    error             text,
    -- the first failure since the last delivery
    failing_since     timestamptz,
    constraint webhooks_pkey primary key (tenant_id, id),
    constraint webhooks_tenant_id_fkey foreign key (tenant_id) references tenants (id),
    constraint webhooks_agent_fkey foreign key (tenant_id, agent_id) references agents (tenant_id, id),
    constraint webhooks_previous_check check ((previous_secret is null) = (previous_ends_at is null)),
    constraint webhooks_reason_check check ((state = 'disabled') = (reason is not null))
);

alter table notice_heads enable row level security;
alter table notices enable row level security;
alter table webhooks enable row level security;
create policy notice_heads_app on notice_heads to rmb_app using (tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid);
-- Agents see what is about their own memory and about the commons.
create policy notices_app on notices to rmb_app using (
    tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid
    and (current_setting('rmb.agent', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
         or agent_id = nullif(current_setting('rmb.agent', true), '')::uuid
         or agent_id = nullif(current_setting('rmb.commons', true), '')::uuid));
create policy webhooks_app on webhooks to rmb_app using (tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid);
create policy notice_heads_system on notice_heads to rmb_system using (true);
create policy notices_system on notices to rmb_system using (true);
create policy webhooks_system on webhooks to rmb_system using (true);

grant select on notice_heads, notices to rmb_app;
grant select (tenant_id, id, url, kinds, agent_id, state, reason, created_at, attempted_at, delivered_at, error, failing_since,
              previous_ends_at)
    on webhooks to rmb_app;
grant select, insert, update on notice_heads to rmb_system;
grant select, insert, delete on notices to rmb_system;
grant select, insert, update, delete on webhooks to rmb_system;

-- Erasure of a person: who requested and confirmed it, how far it is, what it did.

-- 256 random bits of a tenant: for fingerprints of erased text and for signatures of reports. Only what works before and across tenants reads
-- it, and it is not in the database that has the fingerprints.
create table tenant_keys (
    tenant_id  uuid        not null constraint tenant_keys_pkey primary key,
    secret     text        not null,
    created_at timestamptz not null
);
alter table tenant_keys enable row level security;
create policy tenant_keys_system on tenant_keys to rmb_system using (true);
grant select, insert on tenant_keys to rmb_system;

create table erasure_requests (
    tenant_id         uuid        not null,
    id                uuid        not null,
    user_id           uuid        not null,
    reason            text        not null,
    -- what mentions of the person were searched for; emptied at the end
    names             text[]      not null,
    -- [{place, id}]: rows of others that go, too; emptied at the end
    mentions          jsonb       not null,
    state             text        not null constraint erasure_requests_state_check
                      check (state in ('waiting', 'confirmed', 'done', 'withdrawn', 'expired')),
    requested_by      uuid        not null,
    requested_by_name text        not null,
    requested_at      timestamptz not null,
    expires_at        timestamptz not null,
    confirmed_by      uuid,
    confirmed_by_name text,
    confirmed_at      timestamptz,
    -- who withdrew it, or null when it was carried out or expired
    ended_by_name     text,
    ended_at          timestamptz,
    -- what the job does now
    step              text,
    -- [{database, table, rows}] before the first row went
    found             jsonb,
    -- the signed text and its signature
    report            text,
    signature         text,
    constraint erasure_requests_pkey primary key (tenant_id, id),
    constraint erasure_requests_two_check check (confirmed_by <> requested_by)
);
create unique index erasure_requests_open_key on erasure_requests (tenant_id, user_id) where state in ('waiting', 'confirmed');
create index erasure_requests_list_idx on erasure_requests (tenant_id, requested_at desc, id desc);
alter table erasure_requests enable row level security;
-- Only operators and the command line: they act for every agent of the tenant, which the all-ones agent stands for.
create policy erasure_requests_app on erasure_requests to rmb_app using (
    tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid
    and current_setting('rmb.agent', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff');
create policy erasure_requests_system on erasure_requests to rmb_system using (true);
grant select on erasure_requests to rmb_app;
grant select, insert, update on erasure_requests to rmb_system;

-- Erasure finds the texts of entries by what the entries are about. The entries stay.
create policy audit_log_eraser on audit_log to rmb_eraser using (tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid);
grant select (tenant_id, event_id, target_kind, target_id) on audit_log to rmb_eraser;

-- Requests with an Idempotency-Key that changed this database, as in the database of memories. No transaction spans two databases, so each
-- has a table of its own.
create table idempotent_requests (
    tenant_id       uuid        not null,
    agent_id        uuid        not null,
    user_id         uuid,
    key_id          uuid        not null,
    operation       text        not null check (octet_length(operation) <= 64),
    -- as sent, with the number of the item for an item of a batch
    idempotency_key text        not null check (octet_length(idempotency_key) between 1 and 300),
    -- SHA-256 of the request and its user
    fingerprint     bytea       check (octet_length(fingerprint) = 32),
    answer          jsonb,
    -- no words of memories are in this database: always empty
    memory_ids      uuid[]      not null default '{}',
    created_at      timestamptz not null,
    primary key (agent_id, key_id, operation, idempotency_key)
);
create index idempotent_requests_age_idx on idempotent_requests (created_at);

alter table idempotent_requests enable row level security;
create policy idempotent_requests_app on idempotent_requests to rmb_app using (
    tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid);
grant select, insert, delete, update (fingerprint, answer, memory_ids) on idempotent_requests to rmb_app;

create function sweep_idempotent_requests(before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (select agent_id, key_id, operation, idempotency_key from idempotent_requests where created_at < before order by created_at limit most),
         gone as (delete from idempotent_requests r using old
                   where (r.agent_id, r.key_id, r.operation, r.idempotency_key) = (old.agent_id, old.key_id, old.operation, old.idempotency_key)
                  returning 1)
    select count(*) from gone
$$;
revoke execute on function sweep_idempotent_requests from public;
grant execute on function sweep_idempotent_requests to rmb_system;

-- Idempotent requests and their answers. A row is written in the transaction of the change, so a row exists exactly if the change does.
create table idempotent_requests (
    tenant_id       uuid        not null,
    agent_id        uuid        not null,
    user_id         uuid,
    key_id          uuid        not null,
    operation       text        not null check (octet_length(operation) <= 64),
    -- as sent, with the number of the item for an item of a batch
    idempotency_key text        not null check (octet_length(idempotency_key) between 1 and 300),
    -- SHA-256 of the request and its user; null: request and answer were erased, because a memory in them was forgotten
    fingerprint     bytea       check (octet_length(fingerprint) = 32),
    answer          jsonb,
    -- the memories whose words the request or the answer may hold
    memory_ids      uuid[]      not null default '{}',
    created_at      timestamptz not null,
    primary key (agent_id, key_id, operation, idempotency_key)
);
create index idempotent_requests_age_idx on idempotent_requests (created_at);
create index idempotent_requests_memories_idx on idempotent_requests using gin (memory_ids);

alter table idempotent_requests enable row level security;
create policy idempotent_requests_app on idempotent_requests to rmb_app using (
    tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid
    and (agent_id = nullif(current_setting('rmb.agent', true), '')::uuid
         or agent_id = nullif(current_setting('rmb.commons', true), '')::uuid)
    and (user_id is null or user_id = nullif(current_setting('rmb.user', true), '')::uuid
         or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
create policy idempotent_requests_operator on idempotent_requests to rmb_operator using (
    tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid);
grant select, insert, delete, update (fingerprint, answer, memory_ids) on idempotent_requests to rmb_app, rmb_operator;

-- Erases the requests and answers that hold words of a forgotten memory, whichever agent or user sent them: a shared memory may stand in
-- the answers of many. Owned by the owner of the tables, whom no policy binds; the memory must be within the caller's reach.
create function erase_answers(tenant uuid, memory uuid) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with erased as (
        update idempotent_requests r
           set fingerprint = null, answer = null, memory_ids = '{}'
         where r.tenant_id = tenant and r.memory_ids @> array[memory]
           and exists (select from agent_memories m
                        where m.tenant_id = tenant and m.id = memory and m.deleted_at is not null
                          and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
                          and (m.agent_id = any (array[nullif(current_setting('rmb.agent', true), '')::uuid,
                                   nullif(current_setting('rmb.commons', true), '')::uuid])
                               or current_setting('rmb.agent', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff')
                          and (m.user_id is null or m.user_id = nullif(current_setting('rmb.user', true), '')::uuid
                               or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        returning 1)
    select count(*) from erased
$$;
revoke execute on function erase_answers from public;
grant execute on function erase_answers to rmb_app, rmb_operator;

-- Rows are kept for a day; older ones are swept across tenants, by a role that cannot read them.
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

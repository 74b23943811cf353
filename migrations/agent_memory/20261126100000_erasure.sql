-- Erasure of a person: legal holds, fingerprints that keep erased text from coming back, and outbox rows without words.

-- While a row is open, nothing of the user is erased, archived or swept. The commons' id stands for the organisation.
create table legal_holds (
    tenant_id   uuid        not null,
    agent_id    uuid        not null,
    id          uuid        not null,
    user_id     uuid        not null,
    reason      text        not null,
    set_by      text        not null,
    set_at      timestamptz not null,
    lift_reason text,
    lifted_by   text,
    lifted_at   timestamptz,
    constraint legal_holds_pkey primary key (agent_id, id),
    constraint legal_holds_lifted_check check ((lifted_at is null) = (lifted_by is null) and (lifted_at is null) = (lift_reason is null))
);
create unique index legal_holds_open_key on legal_holds (tenant_id, user_id) where lifted_at is null;

-- HMAC-SHA256 of what was erased, under a key of the tenant that is in the control database. An agent's row stands for one text of one of
-- its users, the commons' rows for users and for shared texts. Whoever has this database alone cannot try which text makes a fingerprint.
create table erased_texts (
    tenant_id   uuid        not null,
    agent_id    uuid        not null,
    fingerprint bytea       not null constraint erased_texts_fingerprint_check check (octet_length(fingerprint) = 32),
    erased_at   timestamptz not null,
    constraint erased_texts_pkey primary key (agent_id, fingerprint)
);
create index erased_texts_fingerprint_idx on erased_texts (tenant_id, fingerprint);

do $$
declare
    tenant constant text := $p$tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid$p$;
    agent constant text := $p$ and (agent_id = nullif(current_setting('rmb.agent', true), '')::uuid
        or agent_id = nullif(current_setting('rmb.commons', true), '')::uuid)$p$;
    of_user constant text := $p$ and (user_id is null or user_id = nullif(current_setting('rmb.user', true), '')::uuid
        or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff')$p$;
begin
    alter table legal_holds enable row level security;
    alter table erased_texts enable row level security;
    execute format('create policy legal_holds_app on legal_holds to rmb_app using (%s)', tenant || agent || of_user);
    execute format('create policy legal_holds_operator on legal_holds to rmb_operator using (%s)', tenant);
    execute format('create policy erased_texts_app on erased_texts to rmb_app using (%s)', tenant || agent);
    execute format('create policy erased_texts_operator on erased_texts to rmb_operator using (%s)', tenant);
    execute format('create policy erased_texts_eraser on erased_texts to rmb_eraser using (%s)', tenant);
end
$$;
grant select on legal_holds, erased_texts to rmb_app;
grant select, insert, update (lift_reason, lifted_by, lifted_at) on legal_holds to rmb_operator;
grant select on erased_texts to rmb_operator;
grant select, insert on erased_texts to rmb_eraser;

-- The log of a user under a legal hold is not swept.
create or replace function sweep_retrievals(before timestamptz, most bigint) returns bigint
language sql security definer set search_path = public, pg_temp as $$
    with old as (select r.agent_id, r.id from retrievals r
                  where r.at < before
                    and not exists (select from legal_holds h
                                     where h.tenant_id = r.tenant_id and h.user_id = r.user_id and h.lifted_at is null)
                  order by r.at limit most),
         hits as (delete from retrieval_hits h using old where h.agent_id = old.agent_id and h.retrieval_id = old.id),
         cited as (delete from citations c using old where c.agent_id = old.agent_id and c.retrieval_id = old.id),
         gone as (delete from retrievals r using old where r.agent_id = old.agent_id and r.id = old.id returning 1)
    select count(*) from gone
$$;

-- The receiver of an outbox row has its words; from now on the relay empties all rows that it delivers.
update outbox set payload = '{}' where delivered_at is not null and payload <> '{}';

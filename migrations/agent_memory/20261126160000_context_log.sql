-- The context log: what the prompts that agents assembled consisted of. Their texts are words of users and are kept for days only, in a
-- table of their own.

create table context_log (
    tenant_id  uuid             not null,
    agent_id   uuid             not null,
    id         uuid             not null,
    user_id    uuid,
    at         timestamptz      not null,
    ordering   text             not null constraint context_log_ordering_check check (ordering in ('stable_first', 'personal_first')),
    model      varchar(200),
    budget     integer          not null,
    tokens     integer          not null,
    tokenizer  text             not null,
    -- SHA-256 of the text
    hash       bytea            not null constraint context_log_hash_check check (octet_length(hash) = 32),
    -- [{name, tokens, items: [{origin, ids, version, score}]}]
    blocks     jsonb            not null,
    -- [{block, action, items, tokens}]
    cut        jsonb            not null,
    degraded   text[]           not null,
    -- the memories in it: if one is forgotten, no agent reads the text again
    memory_ids uuid[]           not null,
    took_ms    double precision not null,
    constraint context_log_pkey primary key (agent_id, id)
);
create index context_log_tenant_list_idx on context_log (tenant_id, at desc, id desc);
create index context_log_id_idx on context_log (id);
create index context_log_at_idx on context_log (at);
create index context_log_user_idx on context_log (agent_id, user_id, at desc) where user_id is not null;

create table context_texts (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    context_id uuid        not null,
    user_id    uuid,
    at         timestamptz not null,
    -- the request without secrets, for a comparison
    request    jsonb       not null,
    text       text        not null,
    constraint context_texts_pkey primary key (agent_id, context_id)
);
create index context_texts_at_idx on context_texts (at);
create index context_texts_user_idx on context_texts (agent_id, user_id, at desc) where user_id is not null;

alter table context_log enable row level security;
alter table context_texts enable row level security;
do $$
declare
    name text;
begin
    foreach name in array array['context_log', 'context_texts']
    loop
        execute format($policy$
            create policy %I on %I to rmb_app using (
                tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid
                and (agent_id = nullif(current_setting('rmb.agent', true), '')::uuid
                     or agent_id = nullif(current_setting('rmb.commons', true), '')::uuid)
                and (user_id is null or user_id = nullif(current_setting('rmb.user', true), '')::uuid
                     or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'))$policy$, name || '_app', name);
        execute format($policy$
            create policy %I on %I to rmb_operator using (
                tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid)$policy$, name || '_operator', name);
    end loop;
end
$$;
grant select, insert on context_log, context_texts to rmb_app, rmb_operator;

-- Rows and texts that are older than their time are swept across tenants, by a role that cannot read them.
create function sweep_contexts(log_before timestamptz, texts_before timestamptz, most bigint) returns bigint
language sql security definer set search_path = public, pg_temp as $$
    with old_texts as (select agent_id, context_id from context_texts where at < greatest(texts_before, log_before) order by at limit most),
         old as (select agent_id, id from context_log where at < log_before order by at limit most),
         texts as (delete from context_texts t using old_texts o where t.agent_id = o.agent_id and t.context_id = o.context_id returning 1),
         gone as (delete from context_log c using old o where c.agent_id = o.agent_id and c.id = o.id returning 1)
    select (select count(*) from texts) + (select count(*) from gone)
$$;
revoke all on function sweep_contexts from public;
grant execute on function sweep_contexts to rmb_system;

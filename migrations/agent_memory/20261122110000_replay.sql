-- What a recall needs to be asked again as of its time.

-- What happens to a memory without changing its state: it was remembered again, or a text of it got its vector. Versions say the rest.
create table memory_moments (
    tenant_id uuid        not null,
    agent_id  uuid        not null,
    memory_id uuid        not null,
    at        timestamptz not null,
    what      text        not null constraint memory_moments_what_check check (what in ('repeated', 'embedded')),
    -- what was embedded: the model, and the sha-256 of topic and content
    model     text,
    text_hash bytea,
    constraint memory_moments_memory_fkey foreign key (agent_id, memory_id) references agent_memories (agent_id, id),
    constraint memory_moments_embedded_check check ((what = 'embedded') = (model is not null and text_hash is not null))
);
create index memory_moments_memory_idx on memory_moments (agent_id, memory_id, at);
-- Vectors that are there already have been there since their memory's last write, as far as anybody knows.
insert into memory_moments (tenant_id, agent_id, memory_id, at, what, model, text_hash)
select m.tenant_id, m.agent_id, m.id, m.updated_at, 'embedded', e.model, sha256(convert_to(m.topic || E'\n' || m.content, 'UTF8'))
  from agent_memories m
  join (select agent_id, memory_id, model from embeddings_384 union all select agent_id, memory_id, model from embeddings_1536) e
    on e.agent_id = m.agent_id and e.memory_id = m.id;

-- Which recalls returned which memory, and at which rank.
create table retrieval_hits (
    tenant_id    uuid        not null,
    -- who asked
    agent_id     uuid        not null,
    retrieval_id uuid        not null,
    memory_id    uuid        not null,
    rank         integer     not null,
    at           timestamptz not null,
    constraint retrieval_hits_pkey primary key (agent_id, retrieval_id, memory_id)
);
create index retrieval_hits_memory_idx on retrieval_hits (tenant_id, memory_id, at desc);
insert into retrieval_hits (tenant_id, agent_id, retrieval_id, memory_id, rank, at)
select r.tenant_id, r.agent_id, r.id, (c->>'memory_id')::uuid, (c->>'rank')::integer, r.at
  from retrievals r cross join jsonb_array_elements(r.candidates) c where (c->>'rank') is not null
on conflict do nothing;
-- Whether the memories ended where their scores fall off.
alter table retrievals add column fewer boolean not null default false;
create index retrievals_tenant_list_idx on retrievals (tenant_id, at desc, id desc);
drop index retrievals_tenant_at_idx;
-- For the sweep.
create index retrievals_at_idx on retrievals (at);

alter table memory_moments enable row level security;
create policy memory_moments_app on memory_moments to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
alter table retrieval_hits enable row level security;
create policy retrieval_hits_app on retrieval_hits to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
grant select, insert on memory_moments, retrieval_hits to rmb_app;

-- The log is kept for as long as the operators say; what is older is swept across tenants, by a role that cannot read it.
create function sweep_retrievals(before timestamptz, most bigint) returns bigint
language sql security definer set search_path = public, pg_temp as $$
    with old as (select agent_id, id from retrievals where at < before order by at limit most),
         hits as (delete from retrieval_hits h using old where h.agent_id = old.agent_id and h.retrieval_id = old.id),
         cited as (delete from citations c using old where c.agent_id = old.agent_id and c.retrieval_id = old.id),
         gone as (delete from retrievals r using old where r.agent_id = old.agent_id and r.id = old.id returning 1)
    select count(*) from gone
$$;
revoke all on function sweep_retrievals from public;
grant execute on function sweep_retrievals to rmb_system;

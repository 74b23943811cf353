-- Every row that says something about a user's memory says whose it is, and the policies read it.

alter table agent_memory_versions add column user_id uuid;
alter table memory_links          add column user_id uuid;
alter table memory_terms          add column user_id uuid;
alter table memory_moments        add column user_id uuid;
alter table citations             add column user_id uuid;
alter table retrieval_hits        add column user_id uuid;
alter table sources               add column user_id uuid;
-- An event and a row of the outbox belong to the user in whose name they are written. They name memories and hold no content.
alter table events add column user_id uuid default nullif(nullif(current_setting('rmb.user', true), ''), 'ffffffff-ffff-ffff-ffff-ffffffffffff')::uuid;
alter table outbox add column user_id uuid default nullif(nullif(current_setting('rmb.user', true), ''), 'ffffffff-ffff-ffff-ffff-ffffffffffff')::uuid;

update agent_memory_versions v set user_id = m.user_id
  from agent_memories m where m.agent_id = v.agent_id and m.id = v.memory_id and m.user_id is not null;
update memory_terms t set user_id = m.user_id
  from agent_memories m where m.agent_id = t.agent_id and m.id = t.memory_id and m.user_id is not null;
update memory_moments t set user_id = m.user_id
  from agent_memories m where m.agent_id = t.agent_id and m.id = t.memory_id and m.user_id is not null;
-- Both ends of a link belong to one user or to none.
update memory_links l set user_id = m.user_id
  from agent_memories m where m.tenant_id = l.tenant_id and m.id in (l.from_id, l.to_id) and m.user_id is not null;
update citations c set user_id = r.user_id
  from retrievals r where r.agent_id = c.agent_id and r.id = c.retrieval_id and r.user_id is not null;
update retrieval_hits h set user_id = r.user_id
  from retrievals r where r.agent_id = h.agent_id and r.id = h.retrieval_id and r.user_id is not null;
update sources s set user_id = m.user_id
  from agent_memories m where m.agent_id = s.agent_id and m.source_id = s.id and m.user_id is not null;
update events e set user_id = m.user_id
  from agent_memories m where m.agent_id = e.agent_id and m.id::text = e.payload->>'memory_id' and m.user_id is not null;
-- What is delivered is emptied later on.
update outbox o set user_id = m.user_id
  from agent_memories m where o.delivered_at is null and m.agent_id = o.agent_id and m.id::text = o.payload->>'target_id' and m.user_id is not null;
update outbox o set user_id = m.user_id
  from agent_memories m where o.delivered_at is null and m.agent_id = o.agent_id and m.id::text = o.payload->>'memory_id' and m.user_id is not null;

-- BM25 reads this index only, and now narrows by user, too.
alter table memory_terms drop constraint memory_terms_pkey,
    add constraint memory_terms_pkey primary key (agent_id, term, memory_id) include (tenant_id, user_id, tf, length);
create index retrievals_user_idx on retrievals (agent_id, user_id, at desc) where user_id is not null;

-- Policies compare columns with settings and hold no sub-query, so that tables can be distributed by agent. The comparison of the tenant
-- is made once for a statement that names a tenant. The others cost a tenth of a microsecond a row: own rows and rows without a user are
-- compared first, and an array of both agents would be built for every row.
-- `rmb_app` is an agent's call: its own rows and the commons', without a user or of the user in `rmb.user`. The highest id stands for
-- every user. `rmb_operator` is the console and background work: every row of the tenant.
do $$
declare
    name text;
    grants record;
    tenant constant text := $p$tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid$p$;
    agent constant text := $p$(agent_id = nullif(current_setting('rmb.agent', true), '')::uuid
        or agent_id = nullif(current_setting('rmb.commons', true), '')::uuid)$p$;
    of_user constant text := $p$(user_id is null or user_id = nullif(current_setting('rmb.user', true), '')::uuid
        or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff')$p$;
begin
    for name in select tablename from pg_policies where schemaname = 'public' and policyname = tablename || '_app'
    loop
        if exists (select from information_schema.columns where table_schema = 'public' and table_name = name and column_name = 'user_id') then
            execute format('alter policy %I on %I using (%s and %s and %s)', name || '_app', name, tenant, agent, of_user);
        else
            execute format('alter policy %I on %I using (%s and %s)', name || '_app', name, tenant, agent);
        end if;
        execute format('create policy %I on %I to rmb_operator using (%s)', name || '_operator', name, tenant);
    end loop;
    for grants in
        select c.oid::regclass as relation, a.privilege_type, null::text as attribute
          from pg_class c cross join aclexplode(c.relacl) a
         where c.relnamespace = 'public'::regnamespace and a.grantee = 'rmb_app'::regrole
        union all
        select c.oid::regclass, a.privilege_type, quote_ident(t.attname)
          from pg_class c join pg_attribute t on t.attrelid = c.oid cross join aclexplode(t.attacl) a
         where c.relnamespace = 'public'::regnamespace and a.grantee = 'rmb_app'::regrole
    loop
        execute format('grant %s%s on %s to rmb_operator', grants.privilege_type, ' (' || grants.attribute || ')', grants.relation);
    end loop;
end
$$;
grant execute on function memories_held_elsewhere, sources_held_elsewhere to rmb_operator;

-- An id is taken as well where the row belongs to a user whom the caller does not act for.
create or replace function memories_held_elsewhere(tenant uuid, agents uuid[], ids uuid[]) returns setof uuid
    language sql stable security definer set search_path = public, pg_temp as $$
    select a.id from unnest(agents, ids) as a (agent_id, id)
     where exists (select from agent_memories m
                    where m.id = a.id
                      and ((m.tenant_id, m.agent_id) is distinct from (tenant, a.agent_id)
                           or (m.user_id <> nullif(current_setting('rmb.user', true), '')::uuid) is not false
                              and m.user_id is not null
                              and current_setting('rmb.user', true) is distinct from 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
$$;

-- Whether links supersede or contradict a memory that the caller sees, links included that the caller does not see: a memory keeps the
-- status that the link of another user gave it. Owned by the owner of the tables, whom no policy binds; it tells the two facts only.
create function links_on(tenant uuid, memory uuid, out superseded boolean, out contradicted boolean)
    language sql stable security definer set search_path = public, pg_temp as $$
    select coalesce(bool_or(l.relation = 'supersedes' and l.to_id = memory), false),
           coalesce(bool_or(l.relation = 'contradicts' and coalesce(o.live, true)), false)
      from memory_links l
      left join agent_memories o on o.tenant_id = l.tenant_id and o.id = case when l.from_id = memory then l.to_id else l.from_id end
     where l.tenant_id = tenant and (l.from_id = memory or l.to_id = memory)
       and exists (select from agent_memories m
                    where m.tenant_id = tenant and m.id = memory
                      and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
                      and (m.agent_id = any (array[nullif(current_setting('rmb.agent', true), '')::uuid,
                               nullif(current_setting('rmb.commons', true), '')::uuid])
                           or current_setting('rmb.agent', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff')
                      and (m.user_id is null or m.user_id = nullif(current_setting('rmb.user', true), '')::uuid
                           or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
$$;
revoke execute on function links_on from public;
grant execute on function links_on to rmb_app, rmb_operator;

-- The rows that have one of the ids are read first, by their ids alone, and compared afterwards: where tables are distributed they come
-- from several nodes, and no node can compare them.
create or replace function memories_held_elsewhere(tenant uuid, agents uuid[], ids uuid[]) returns setof uuid
    language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
    return query
    with held as materialized (select m.id, m.tenant_id, m.agent_id, m.user_id from agent_memories m where m.id = any (ids))
    select a.id from unnest(agents, ids) as a (agent_id, id)
     where exists (select from held m
                    where m.id = a.id
                      and ((m.tenant_id, m.agent_id) is distinct from (tenant, a.agent_id)
                           or (m.user_id <> nullif(current_setting('rmb.user', true), '')::uuid) is not false
                              and m.user_id is not null
                              and current_setting('rmb.user', true) is distinct from 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
end
$$;
create or replace function sources_held_elsewhere(tenant uuid, agents uuid[], ids uuid[]) returns setof uuid
    language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
    return query
    with held as materialized (select s.id, s.tenant_id, s.agent_id, s.user_id from sources s where s.id = any (ids))
    select a.id from unnest(agents, ids) as a (agent_id, id)
     where exists (select from held s
                    where s.id = a.id
                      and ((s.tenant_id, s.agent_id) is distinct from (tenant, a.agent_id)
                           or (s.user_id <> nullif(current_setting('rmb.user', true), '')::uuid) is not false
                              and s.user_id is not null
                              and current_setting('rmb.user', true) is distinct from 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
end
$$;

-- Export and import. A file may come from another machine, so the ids in it are held against those of every tenant: whoever imports is told
-- that an id is taken, and neither by whom nor what it is.

create index agent_memories_id_idx on agent_memories (id);
create index sources_id_idx on sources (id);

-- Owned by the owner of the tables, whom no policy binds; it gives back ids that it was given, and nothing else.
create function memories_held_elsewhere(tenant uuid, agents uuid[], ids uuid[]) returns setof uuid
    language sql stable security definer set search_path = public, pg_temp as $$
    select a.id from unnest(agents, ids) as a (agent_id, id)
     where exists (select from agent_memories m where m.id = a.id and (m.tenant_id, m.agent_id) is distinct from (tenant, a.agent_id))
$$;
create function sources_held_elsewhere(tenant uuid, agents uuid[], ids uuid[]) returns setof uuid
    language sql stable security definer set search_path = public, pg_temp as $$
    select a.id from unnest(agents, ids) as a (agent_id, id)
     where exists (select from sources s where s.id = a.id and (s.tenant_id, s.agent_id) is distinct from (tenant, a.agent_id))
$$;
revoke execute on function memories_held_elsewhere, sources_held_elsewhere from public;
grant execute on function memories_held_elsewhere, sources_held_elsewhere to rmb_app;

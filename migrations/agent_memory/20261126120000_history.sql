-- Records that only history needs end: versions, moments, finished events and decided quarantine, each after the days that the lifecycle
-- policy says. No role of the server may delete them: these functions do, as the owner of the tables, for the caller's tenant, and each
-- keeps what an answer still depends on, and what a legal hold keeps. They skip what others hold.

create index agent_memory_versions_later_idx on agent_memory_versions (agent_id, valid_from) include (memory_id, version, tenant_id) where version > 1;
create index events_finished_idx on events (agent_id, finished_at) where state = 'done';
create index quarantine_decided_idx on quarantine (agent_id, decided_at) where state <> 'waiting';

-- Versions that ended before a time. The one that held then stays, with all later ones, so that every later moment can be asked about.
-- Versions that say that a memory was proposed or confirmed stay, too.
create function sweep_versions(tenant uuid, agent uuid, before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (
        select v.memory_id, v.version
          from (select l.memory_id, max(l.version) as version
                  from agent_memory_versions l
                 where l.tenant_id = tenant and l.agent_id = agent and l.version > 1 and l.valid_from <= before
                   and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
                 group by l.memory_id) held
          join agent_memory_versions v on v.agent_id = agent and v.memory_id = held.memory_id and v.version < held.version
         where v.tenant_id = tenant and v.change not in ('proposed', 'promoted', 'reviewed')
           and not exists (select from legal_holds h where h.tenant_id = tenant and h.user_id = v.user_id and h.lifted_at is null)
         limit most for update of v skip locked),
         gone as (delete from agent_memory_versions v using old
                   where v.agent_id = agent and v.memory_id = old.memory_id and v.version = old.version returning 1)
    select count(*) from gone
$$;

-- Moments before a time that a later one of the same kind replaced by then, and those of texts that no version has any more.
create function sweep_moments(tenant uuid, agent uuid, before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (
        select m.ctid as place
          from (select t.memory_id from memory_moments t
                 where t.tenant_id = tenant and t.agent_id = agent and t.at <= before
                   and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
                 group by t.memory_id having count(*) > 1) several
          join memory_moments m on m.agent_id = agent and m.memory_id = several.memory_id and m.at <= before
         where m.tenant_id = tenant
           and not exists (select from legal_holds h where h.tenant_id = tenant and h.user_id = m.user_id and h.lifted_at is null)
           and (exists (select from memory_moments later
                         where later.agent_id = agent and later.memory_id = m.memory_id and later.what = m.what
                           and later.model is not distinct from m.model and later.text_hash is not distinct from m.text_hash
                           and later.at <= before and (later.at, later.ctid) > (m.at, m.ctid))
                or m.what = 'embedded'
                   and not exists (select from agent_memory_versions v
                                    where v.agent_id = agent and v.memory_id = m.memory_id
                                      and sha256(convert_to(v.topic || E'\n' || v.content, 'UTF8')) = m.text_hash))
         limit most for update of m skip locked),
         gone as (delete from memory_moments m using old where m.ctid = old.place returning 1)
    select count(*) from gone
$$;

-- Finished events. The newest event of a source stays, because it says how far the source is extracted; so does the newest start of a
-- survey and of a sweep, which say when the next one is due. Events that wait, failed or are dead stay.
create function sweep_events(tenant uuid, agent uuid, before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (
        select e.id from events e
         where e.tenant_id = tenant and e.agent_id = agent and e.state = 'done' and e.finished_at <= before
           and not exists (select from legal_holds h where h.tenant_id = tenant and h.user_id = e.user_id and h.lifted_at is null)
           and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
           and (e.source_id is null
                or exists (select from events n
                            where n.agent_id = agent and n.source_id = e.source_id and (n.created_at, n.id) > (e.created_at, e.id)))
           and (e.task not in ('survey', 'sweep')
                or exists (select from events n
                            where n.tenant_id = tenant and n.task = e.task and n.payload->>'after' is null and n.created_at > e.created_at))
         limit most for update of e skip locked),
         gone as (delete from events e using old where e.agent_id = agent and e.id = old.id returning 1)
    select count(*) from gone
$$;

-- Turns in quarantine that a person decided.
create function sweep_quarantine(tenant uuid, agent uuid, before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (
        select q.id from quarantine q
         where q.tenant_id = tenant and q.agent_id = agent and q.state <> 'waiting' and q.decided_at <= before
           and not exists (select from legal_holds h where h.tenant_id = tenant and h.user_id = q.user_id and h.lifted_at is null)
           and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
         limit most for update of q skip locked),
         gone as (delete from quarantine q using old where q.agent_id = agent and q.id = old.id returning 1)
    select count(*) from gone
$$;

revoke execute on function sweep_versions, sweep_moments, sweep_events, sweep_quarantine from public;
grant execute on function sweep_versions, sweep_moments, sweep_events, sweep_quarantine to rmb_operator;

-- Delivered rows, of every tenant.
create function sweep_outbox(before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (select agent_id, id from outbox where delivered_at <= before limit most for update skip locked),
         gone as (delete from outbox o using old where o.agent_id = old.agent_id and o.id = old.id returning 1)
    select count(*) from gone
$$;
revoke execute on function sweep_outbox from public;
grant execute on function sweep_outbox to rmb_system;

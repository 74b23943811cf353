-- Sessions without messages that were last active before a time. Those that a memory, a source or a recall refers to stay.
create function sweep_sessions(tenant uuid, agent uuid, before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (
        select s.id from sessions s
         where s.tenant_id = tenant and s.agent_id = agent and s.messages = 0 and s.last_at <= before
           and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
           and not exists (select from legal_holds h where h.tenant_id = tenant and h.user_id = s.user_id and h.lifted_at is null)
           and not exists (select from agent_memories m where m.tenant_id = tenant and m.agent_id = agent and m.session_id = s.id)
           and not exists (select from sources o where o.tenant_id = tenant and o.session_id = s.id)
           and not exists (select from retrievals r where r.tenant_id = tenant and r.session_id = s.id)
         limit most for update of s skip locked),
         gone as (delete from sessions s using old where s.tenant_id = tenant and s.agent_id = agent and s.id = old.id returning 1)
    select count(*) from gone
$$;

revoke execute on function sweep_sessions from public;
grant execute on function sweep_sessions to rmb_operator;

create policy sessions_definer on sessions to rmb_definer using (true);
grant select (tenant_id, agent_id, id, user_id, messages, last_at), update (id), delete on sessions to rmb_definer;
grant select (session_id) on agent_memories, sources, retrievals to rmb_definer;

grant create on schema public to rmb_definer;
alter function sweep_sessions owner to rmb_definer;
revoke create on schema public from rmb_definer;

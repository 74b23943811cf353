-- Documents are looked up by what they derive from, whichever agent has it.
drop index profile_documents_origin_idx;
create index profile_documents_origin_idx on profile_documents (origin_id, agent_id);

-- The texts of assembled prompts may repeat a leaf that the sweep deletes, those of every agent if it is the commons'.
create or replace function sweep_leaves(tenant uuid, agent uuid, ended jsonb, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (
        select l.id, l.user_id from profile_leaves l
         where l.tenant_id = tenant and l.agent_id = agent and l.matters <> '{}' and l.state <> 'forgotten'
           and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
           and exists (select from unnest(l.matters) m where l.last_seen <= (ended->>m)::timestamptz)
           and not exists (select from legal_holds h where h.tenant_id = tenant and h.user_id = l.user_id and h.lifted_at is null)
         order by l.last_seen limit most for update of l skip locked),
         narratives as (update profiles p set working_memory = null, narrated_at = null
                          from (select distinct user_id from old) o
                         where p.tenant_id = tenant and p.agent_id = agent and p.user_id is not distinct from o.user_id
                           and p.working_memory is not null),
         texts as (delete from context_texts t using (select distinct user_id from old) o
                    where t.tenant_id = tenant and t.user_id is not distinct from o.user_id
                      and (t.agent_id = agent or agent = nullif(current_setting('rmb.commons', true), '')::uuid)),
         gone as (delete from profile_leaves l using old where l.agent_id = agent and l.id = old.id returning 1)
    select count(*) from gone
$$;

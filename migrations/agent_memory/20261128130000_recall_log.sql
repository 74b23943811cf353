-- The log of recalls had an index by time alone, for the sweep across tenants. Statements of one tenant were planned with it, too, while few
-- tenants had a log: then the pages of a tenant read the rows of all others, and even a tenant without a recall paid for them. The sweep
-- goes from tenant to tenant in the index of the list now, and no index leads to the rows of all.
create or replace function sweep_retrievals(before timestamptz, most bigint) returns bigint
language sql security definer set search_path = public, pg_temp as $$
    with recursive tenants as (
             (select r.tenant_id from retrievals r order by r.tenant_id limit 1)
             union all
             select (select r.tenant_id from retrievals r where r.tenant_id > t.tenant_id order by r.tenant_id limit 1)
               from tenants t where t.tenant_id is not null),
         old as (select o.agent_id, o.id from tenants t
                  cross join lateral (select r.agent_id, r.id from retrievals r
                                       where r.tenant_id = t.tenant_id and r.at < before
                                         and not exists (select from legal_holds h
                                                          where h.tenant_id = r.tenant_id and h.user_id = r.user_id and h.lifted_at is null)
                                       order by r.at, r.id limit most) o
                  limit most),
         hits as (delete from retrieval_hits h using old where h.agent_id = old.agent_id and h.retrieval_id = old.id),
         cited as (delete from citations c using old where c.agent_id = old.agent_id and c.retrieval_id = old.id),
         gone as (delete from retrievals r using old where r.agent_id = old.agent_id and r.id = old.id returning 1)
    select count(*) from gone
$$;

-- Health counts every recall of a period. The index of the list has what it counts, so it does not read the rows.
drop index retrievals_at_idx;
drop index retrievals_tenant_list_idx;
create index retrievals_tenant_list_idx on retrievals (tenant_id, at desc, id desc) include (agent_id, zero_hit, expected, cause, query_canonical);

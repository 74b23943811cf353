-- What a distributed database has besides its distributed tables. Run after every migration, and again without harm.

-- A function that looks beyond its caller's rows runs on the node of its tenant, in the caller's transaction there: on the coordinator it
-- would open a connection of its own to that node and see nothing of what the caller wrote.
select create_distributed_function(p.oid::regprocedure, 'tenant', colocate_with => 'agent_memories', force_delegation => true)
  from pg_proc p
 where p.pronamespace = 'public'::regnamespace and p.prosecdef and p.proargnames[1] = 'tenant'
   and p.proname not in ('memories_held_elsewhere', 'sources_held_elsewhere')
   and not exists (select from pg_catalog.pg_dist_object o
                    where o.classid = 'pg_proc'::regclass and o.objid = p.oid and o.distribution_argument_index is not null);

-- Rights to a system column do not reach the nodes, and sweeping moments takes `ctid`.
grant select on memory_moments to rmb_definer;

-- Deliveries are claimed tenant by tenant, from webhook to webhook.
create index if not exists events_webhook_tenant_idx on events (tenant_id, coalesce(payload->>'webhook_id', ''), run_after, id)
 where task = 'webhook' and state in ('pending', 'failed', 'running');

-- Sweeps across tenants: one deletion on every node instead of parts of a size, because no statement locks rows of several nodes.

create or replace function sweep_retrievals(before timestamptz, most bigint) returns bigint
    language plpgsql security definer set search_path = public, pg_temp as $$
declare
    swept bigint;
begin
    delete from retrieval_hits h using retrievals r
     where r.tenant_id = h.tenant_id and r.agent_id = h.agent_id and r.id = h.retrieval_id and r.at < before
       and not exists (select from legal_holds l where l.tenant_id = r.tenant_id and l.user_id = r.user_id and l.lifted_at is null);
    delete from citations c using retrievals r
     where r.tenant_id = c.tenant_id and r.agent_id = c.agent_id and r.id = c.retrieval_id and r.at < before
       and not exists (select from legal_holds l where l.tenant_id = r.tenant_id and l.user_id = r.user_id and l.lifted_at is null);
    delete from retrievals r
     where r.at < before
       and not exists (select from legal_holds l where l.tenant_id = r.tenant_id and l.user_id = r.user_id and l.lifted_at is null);
    get diagnostics swept = row_count;
    return swept;
end
$$;

create or replace function sweep_contexts(log_before timestamptz, texts_before timestamptz, most bigint) returns bigint
    language plpgsql security definer set search_path = public, pg_temp as $$
declare
    texts bigint;
    contexts bigint;
begin
    delete from context_texts t
     where t.at < greatest(texts_before, log_before)
       and not exists (select from legal_holds l where l.tenant_id = t.tenant_id and l.user_id = t.user_id and l.lifted_at is null);
    get diagnostics texts = row_count;
    delete from context_log c
     where c.at < log_before
       and not exists (select from legal_holds l where l.tenant_id = c.tenant_id and l.user_id = c.user_id and l.lifted_at is null);
    get diagnostics contexts = row_count;
    return texts + contexts;
end
$$;

create or replace function sweep_outbox(before timestamptz, most bigint) returns bigint
    language plpgsql security definer set search_path = public, pg_temp as $$
declare
    swept bigint;
begin
    delete from outbox where delivered_at <= before;
    get diagnostics swept = row_count;
    return swept;
end
$$;

create or replace function sweep_idempotent_requests(before timestamptz, most bigint) returns bigint
    language plpgsql security definer set search_path = public, pg_temp as $$
declare
    swept bigint;
begin
    delete from idempotent_requests where created_at < before;
    get diagnostics swept = row_count;
    return swept;
end
$$;

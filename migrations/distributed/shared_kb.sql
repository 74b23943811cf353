-- What a distributed database has besides its distributed tables. Run after every migration, and again without harm.

-- A function that looks beyond its caller's rows runs on the node of its tenant, in the caller's transaction there: on the coordinator it
-- would open a connection of its own to that node and see nothing of what the caller wrote.
select create_distributed_function(p.oid::regprocedure, 'tenant', colocate_with => 'vocabularies', force_delegation => true)
  from pg_proc p
 where p.pronamespace = 'public'::regnamespace and p.prosecdef and p.proargnames[1] = 'tenant'
   and not exists (select from pg_catalog.pg_dist_object o
                    where o.classid = 'pg_proc'::regclass and o.objid = p.oid and o.distribution_argument_index is not null);

-- Sweeps across tenants: one deletion on every node instead of parts of a size, because no statement locks rows of several nodes.

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

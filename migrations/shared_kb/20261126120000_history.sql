-- Finished events end after the days that the organisation's lifecycle policy says, and delivered rows of the outbox after a day. No role of
-- the server may delete them: these functions do, as the owner of the tables, and skip what others hold.

create index events_finished_idx on events (tenant_id, finished_at) where state = 'done';

create function sweep_events(tenant uuid, before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (
        select e.id from events e
         where e.tenant_id = tenant and e.state = 'done' and e.finished_at <= before
           and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
         limit most for update of e skip locked),
         gone as (delete from events e using old where e.tenant_id = tenant and e.id = old.id returning 1)
    select count(*) from gone
$$;
revoke execute on function sweep_events from public;
grant execute on function sweep_events to rmb_app;

create function sweep_outbox(before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (select tenant_id, id from outbox where delivered_at <= before limit most for update skip locked),
         gone as (delete from outbox o using old where o.tenant_id = old.tenant_id and o.id = old.id returning 1)
    select count(*) from gone
$$;
revoke execute on function sweep_outbox from public;
grant execute on function sweep_outbox to rmb_system;

-- The console lists events newest first.
create index events_tenant_created_idx on events (tenant_id, created_at desc, id);

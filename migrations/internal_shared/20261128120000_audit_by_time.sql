-- The console lists entries newest first. Without an order of its own the page sorted the whole log.
create index audit_log_tenant_at_idx on audit_log (tenant_id, at desc, event_id desc);

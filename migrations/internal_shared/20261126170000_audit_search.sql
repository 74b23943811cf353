-- The audit log is searched by the beginning of a target's id.
create index audit_log_target_prefix_idx on audit_log (tenant_id, target_id text_pattern_ops, seq desc);

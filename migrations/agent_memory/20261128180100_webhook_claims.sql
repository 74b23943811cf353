-- A claim steps from webhook to webhook, and reads of each only the delivery that waits longest.
drop index events_webhook_idx;
create index events_webhook_idx on events (coalesce(payload->>'webhook_id', ''), run_after, id)
    where task = 'webhook' and state in ('pending', 'failed', 'running');
-- Of each webhook one delivery is under way, and of each tenant a few.
create index events_webhook_running_idx on events (tenant_id, coalesce(payload->>'webhook_id', ''))
    where task = 'webhook' and state = 'running';

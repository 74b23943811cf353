-- What others outside follow travels through the outbox, and each delivery to a webhook is an event of the queue.
alter table outbox drop constraint outbox_destination_check;
alter table outbox add constraint outbox_destination_check check (destination in ('audit', 'proposal', 'notice'));

-- Deliveries are claimed by workers of their own.
create index events_webhook_idx on events (run_after) where task = 'webhook' and state in ('pending', 'failed', 'running');

-- A worker says there that a job is dead.
grant insert on outbox to rmb_system;

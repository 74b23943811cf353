-- What others outside follow travels through the outbox.
alter table outbox drop constraint outbox_destination_check;
alter table outbox add constraint outbox_destination_check check (destination in ('audit', 'proposal', 'job', 'notice'));

-- A worker says there that a job is dead.
grant insert on outbox to rmb_system;

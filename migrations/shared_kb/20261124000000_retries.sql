-- Attempts that were made before a person retried a dead event.
alter table events add column attempts_before integer not null default 0;

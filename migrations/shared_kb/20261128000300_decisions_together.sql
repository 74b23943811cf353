-- Each phrase has a decision of its own, so that it can be undone alone. Decisions that were made in one step share an id, so that
-- pages show them together.
alter table decisions add column together uuid;
create index decisions_together_idx on decisions (tenant_id, together) where together is not null;

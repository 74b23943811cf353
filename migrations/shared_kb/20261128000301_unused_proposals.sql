-- A proposal waits for a reviewer only as long as something uses its phrase. A sweep sets this, and each new use resets it.
alter table term_proposals add column unused boolean not null default false;

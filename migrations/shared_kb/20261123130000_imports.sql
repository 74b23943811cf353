-- The name of whoever imported a record; null: it was written here.
alter table canonical_terms add column imported_by text;
alter table term_aliases add column imported_by text;
alter table decisions add column imported_by text;
alter table term_proposals add column imported_by text;
alter table documents add column imported_by text;

-- Deliveries and imports look up the proposals of a phrase in every state.
create index term_proposals_normal_idx on term_proposals (tenant_id, normal);

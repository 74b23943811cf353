-- A model for about a hundred languages. Most of what its vectors have in common is taken away, so its cosines mean about the same as those of other models.
insert into models
    (name, dimension, dedup_threshold, suggestion_threshold, related_threshold, term_threshold, vector_floor, lexical_floor)
values
    ('multilingual-e5-small', 384, 0.93, 0.75, 0.60, 0.50, 0.28, 0.20);

-- The local model that these databases began with: new ones begin with the multilingual one, those that have organisations keep the model
-- of their memories until somebody sets another.
alter table models add column is_first boolean not null default false;
create unique index models_is_first on models (is_first) where is_first;
update models set is_first = true
 where name = case when exists (select 1 from tenants) then 'all-MiniLM-L6-v2' else 'multilingual-e5-small' end;

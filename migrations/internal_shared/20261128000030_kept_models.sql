-- The embedding model can change while the server runs. A kept model has, or is getting, a vector of every stored text. One kept model is the
-- current one: recalls use it, and writes wait for its vectors only.
alter table models rename column is_first to is_current;
alter index models_is_first rename to models_is_current;
alter table models
    add column is_kept boolean not null default false,
    -- when a command made it the current one; null: it was so from the start, as the configuration had it
    add column current_since timestamptz,
    -- when it ceased to be the current one; a rollback goes back to the latest
    add column current_until timestamptz,
    -- why a server could not load it
    add column fault text,
    -- the process that fills in its vectors, and until when no other does
    add column filler uuid,
    add column filler_until timestamptz;

-- Until now the configuration could name another model than the databases began with. The usage ledger says which one made the vectors.
create temporary table used on commit drop as
    select l.model from usage_ledger l join models m on m.name = l.model where l.purpose = 'embedding' order by l.hour desc limit 1;
update models set is_current = false where is_current and exists (select from used where model <> name);
update models set is_current = true where name in (select model from used);
update models set is_kept = true where is_current;
alter table models add constraint models_is_kept_check check (is_kept or not is_current);

grant update (is_kept, is_current, current_since, current_until, fault, filler, filler_until) on models to rmb_system;

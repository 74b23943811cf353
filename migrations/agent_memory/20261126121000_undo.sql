-- What accepting a proposal about two memories did, so that it can be undone: ids and states, no content.
alter table memory_proposals add column effect jsonb;
grant update (effect) on memory_proposals to rmb_operator;

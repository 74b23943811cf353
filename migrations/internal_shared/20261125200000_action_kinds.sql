-- A search for some kinds of actions reads the newest rows of each word and kind: without this index it would read past all others.
create index action_terms_kind_idx on action_terms (tenant_id, term, kind, id) include (user_id, tf, length);

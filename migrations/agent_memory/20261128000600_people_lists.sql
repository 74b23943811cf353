-- The page of a person lists the recalls and the sources of one user, of all agents, newest first.
create index retrievals_user_list_idx on retrievals (tenant_id, user_id, at desc, id desc) where user_id is not null;
create index sources_user_list_idx on sources (tenant_id, user_id, created_at desc, id desc) where part = 1 and user_id is not null;

-- The page of a person reads the profiles that all agents keep of that person.
create index profiles_user_idx on profiles (tenant_id, user_id);

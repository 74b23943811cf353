-- A session ends with the access it was opened with: `access_epoch` is raised when the password or the roles change, or the operator is
-- disabled, and a session names the epoch of its sign-in.
alter table operators add column access_epoch integer not null default 0;
grant update (access_epoch) on operators to rmb_system;

-- Whoever reads this table cannot take over a session: it holds SHA-256 of the ids. The sessions of before end here.
delete from sessions;
alter table sessions drop column id;
alter table sessions add column id_hash bytea not null constraint sessions_pkey primary key;

-- The role that serves requests reads no hash of a secret: only sign-in and the lookup of keys and bots do, as rmb_system.
revoke select on operators, api_keys, bots from rmb_app;
grant select (tenant_id, id, login, name, roles, created_at, disabled_at, access_epoch) on operators to rmb_app;
grant select (tenant_id, id, agent_id, prefix, name, scopes, created_at, expires_at, revoked_at, last_used_at) on api_keys to rmb_app;
grant select (tenant_id, id, platform, name, key_id, created_at) on bots to rmb_app;

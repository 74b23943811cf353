-- The list of one agent's sessions, newest first.
create index sessions_agent_list_idx on sessions (tenant_id, agent_id, last_at desc, id desc);

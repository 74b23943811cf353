-- A coding agent was given a context in a session that its host named.
insert into sessions (tenant_id, agent_id, id, external_ref, host, messages, recalls, contexts, tokens, started_at, last_at) values
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-4398-7a9c-9b84-88b914d9ad3d', '01a2218d-d000-7000-8000-000000000041', 'codex/one', 'codex', 5, 2, 1, 640, '2026-11-28 10:00:00+00', '2026-11-28 10:30:00+00');

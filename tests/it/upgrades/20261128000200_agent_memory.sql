-- The source of a memory was erased.
insert into erased_sources (tenant_id, agent_id, source_id, memory_id, request_id, erased_at) values
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-4398-7a9c-9b84-88b914d9ad3d', '01a2218d-d000-7000-8000-000000000004', '01a2218d-814c-712d-8f92-97544c6f719e', '01a2218d-d000-7000-8000-000000000005', '2026-11-28 10:00:00+00');

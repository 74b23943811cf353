-- Two phrases were rejected in one step.
insert into decisions (tenant_id, id, together, kind, subjects, actor_kind, actor_id, actor_name, at, version, forms, memories, opened_terms, closed_terms, opened_aliases, closed_aliases) values
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-d000-7000-8000-000000000006', '01a2218d-d000-7000-8000-000000000006', 'reject', '{tea}', 'operator', '01a2218d-7e76-7d3e-a046-e49391f4e6e3', 'Vera', '2026-11-28 10:00:00+00', '1', '{}', '0', '{}', '{}', '{}', '{}'),
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-d000-7000-8000-000000000007', '01a2218d-d000-7000-8000-000000000006', 'reject', '{kettle}', 'operator', '01a2218d-7e76-7d3e-a046-e49391f4e6e3', 'Vera', '2026-11-28 10:00:00+00', '1', '{}', '0', '{}', '{}', '{}', '{}');
update term_proposals set status = 'rejected', decision_id = '01a2218d-d000-7000-8000-000000000006' where normal = 'tea';
update term_proposals set status = 'rejected', decision_id = '01a2218d-d000-7000-8000-000000000007' where normal = 'kettle';

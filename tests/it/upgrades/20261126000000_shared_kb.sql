-- What a program of the baseline stored in shared_kb: a term with an alias, proposals, and a document.

insert into vocabularies (tenant_id, version, updated_at) values
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '1', '2026-11-28 09:47:52+00');

insert into canonical_terms (tenant_id, id, lineage, term, normal, status, created_at, valid_from) values
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-d000-7000-8000-000000000001', '01a2218d-d000-7000-8000-000000000001', 'harbour crane', 'harbour crane', 'active', '2026-11-28 09:47:52+00', '2026-11-28 09:47:52+00');

insert into term_aliases (tenant_id, id, term_id, alias, normal, valid_from) values
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-d000-7000-8000-000000000002', '01a2218d-d000-7000-8000-000000000001', 'portal crane', 'portal crane', '2026-11-28 09:47:52+00');

insert into decisions (tenant_id, id, kind, subjects, term_id, term, actor_kind, actor_id, actor_name, at, version, forms, memories, opened_terms, closed_terms, opened_aliases, closed_aliases) values
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-d000-7000-8000-000000000003', 'add', '{harbour crane}', '01a2218d-d000-7000-8000-000000000001', 'harbour crane', 'operator', '01a2218d-7e76-7d3e-a046-e49391f4e6e3', 'Vera', '2026-11-28 09:47:52+00', '1', '{harbour crane,portal crane}', '0', '{01a2218d-d000-7000-8000-000000000001}', '{}', '{01a2218d-d000-7000-8000-000000000002}', '{}');

insert into term_proposals (tenant_id, id, phrase, normal, status, count, first_seen, last_seen) values
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-8112-71a6-a37f-091a4a488b38', 'kettle', 'kettle', 'open', '1', '2026-11-28 09:47:31.472349+00', '2026-11-28 09:47:31.472349+00'),
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-8163-73a0-860e-b9cf64b44a0a', 'crane', 'crane', 'open', '1', '2026-11-28 09:47:31.553254+00', '2026-11-28 09:47:31.553254+00'),
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-cdf3-7370-a80e-1b8568ada429', 'tea', 'tea', 'open', '1', '2026-11-28 09:47:51.149611+00', '2026-11-28 09:47:51.149611+00'),
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-ce53-7c1a-b6ec-a44bf2b78d95', 'gantry crane', 'gantry crane', 'open', '1', '2026-11-28 09:47:51.244568+00', '2026-11-28 09:47:51.244568+00'),
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218e-c610-7a5e-b9fa-d2ad911b61f0', 'ladder', 'ladder', 'open', '1', '2026-11-28 09:48:54.669702+00', '2026-11-28 09:48:54.669702+00');

insert into proposal_memories (tenant_id, event_id, proposal_id, agent_id, memory_id, seen_at) values
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-8110-7b30-815c-457e2c84e773', '01a2218d-8112-71a6-a37f-091a4a488b38', '01a2218d-4398-7a9c-9b84-88b914d9ad3d', '01a2218d-80f5-7e3d-87af-ed2edfe8a338', '2026-11-28 09:47:31.472349+00'),
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-8161-7a5b-8615-f3d0ba7a7032', '01a2218d-8163-73a0-860e-b9cf64b44a0a', '01a2218d-4398-7a9c-9b84-88b914d9ad3d', '01a2218d-814c-712d-8f92-97544c6f719e', '2026-11-28 09:47:31.553254+00'),
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-cded-7a0b-9a4d-6120eeb25ebd', '01a2218d-cdf3-7370-a80e-1b8568ada429', '01a2218d-4398-7a9c-9b84-88b914d9ad3d', '01a2218d-cddd-70ce-96d0-725009b70205', '2026-11-28 09:47:51.149611+00'),
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-ce4c-75af-87e9-2aeea29e9069', '01a2218d-ce53-7c1a-b6ec-a44bf2b78d95', '01a2218d-4398-7a9c-9b84-88b914d9ad3d', null, '2026-11-28 09:47:51.244568+00'),
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218e-c60d-7a2d-9d78-c34709463891', '01a2218e-c610-7a5e-b9fa-d2ad911b61f0', '01a2218d-4398-7a9c-9b84-88b914d9ad3d', '01a2218e-c5f9-7a89-aef2-08031fda9d99', '2026-11-28 09:48:54.669702+00');

insert into documents (tenant_id, id, collection, kind, path, title, status, front_matter, content_hash, chunking, created_at, valid_from) values
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-ce09-71e7-b8c3-762141fe0609', 'harbour', 'document', 'gantry.md', 'Gantry', '', '{}', '\x7555cea3dec02ffc7eec4858e5d68b404df564b89e0897c3e6bf56ef907a5fa2', '2 all-MiniLM-L6-v2', '2026-11-28 09:47:51.177846+00', '2026-11-28 09:47:51.177846+00');

insert into chunks (tenant_id, id, document_id, ordinal, heading_path, start_byte, end_byte, content, word_rules, awaiting_vector) values
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-ce09-72a0-984d-af66f0597b1f', '01a2218d-ce09-71e7-b8c3-762141fe0609', '0', '{Gantry}', '10', '52', 'The gantry of berth nine is called Quokka.', '2', 'false');

insert into chunk_counts (tenant_id, chunks, terms) values
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '1', '6');

insert into chunk_terms (tenant_id, term, chunk_id, tf, length) values
    ('01a2218d-42d9-7153-8aab-b5487baafd70', 'berth', '01a2218d-ce09-72a0-984d-af66f0597b1f', '1', '6'),
    ('01a2218d-42d9-7153-8aab-b5487baafd70', 'call', '01a2218d-ce09-72a0-984d-af66f0597b1f', '1', '6'),
    ('01a2218d-42d9-7153-8aab-b5487baafd70', 'gantri', '01a2218d-ce09-72a0-984d-af66f0597b1f', '2', '6'),
    ('01a2218d-42d9-7153-8aab-b5487baafd70', 'nine', '01a2218d-ce09-72a0-984d-af66f0597b1f', '1', '6'),
    ('01a2218d-42d9-7153-8aab-b5487baafd70', 'quokka', '01a2218d-ce09-72a0-984d-af66f0597b1f', '1', '6');

insert into chunk_embeddings_384 (tenant_id, chunk_id, model, live, half, embedded_at) values
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-ce09-72a0-984d-af66f0597b1f', 'all-MiniLM-L6-v2', 'true', array_fill(0.051::real, array[384]), '2026-11-28 09:47:51.258972+00');

insert into ingest_runs (tenant_id, id, collection, actor_name, started_at, finished_at, report) values
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-ce00-7c7a-a345-f19c0971e217', 'harbour', 'atlas', '2026-11-28 09:47:51.174252+00', '2026-11-28 09:47:51.199974+00', '{"added": 1, "terms": 0, "changed": 0, "dry_run": false, "retired": 0, "failures": [], "reindexed": 0, "unchanged": 0, "components": 0}');

insert into outbox (tenant_id, agent_id, id, destination, payload, created_at, delivered_at, attempts) values
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-42d9-7ed8-8b6a-f45b8bc62113', '01a2218d-ce16-727e-a940-ab51d47e855f', 'audit', '{}', '2026-11-28 09:47:51.190494+00', '2026-11-28 09:47:51.226105+00', '1'),
    ('01a2218d-42d9-7153-8aab-b5487baafd70', '01a2218d-42d9-7ed8-8b6a-f45b8bc62113', '01a2218d-ce20-7cc3-913c-45acaabe7f07', 'audit', '{}', '2026-11-28 09:47:51.200834+00', '2026-11-28 09:47:51.226105+00', '1');

-- The same rows as before, in words that are checked faster: `agent_id in (…)` built an array anew for every row, a tenth to a fifth of
-- what the statements of a search took.
do $$
declare
    name text;
begin
    foreach name in array array['agent_memories', 'agent_memory_versions', 'memory_links', 'memory_terms', 'memory_term_counts',
        'embeddings_384', 'embeddings_1536', 'tombstones', 'retrievals', 'sources', 'events', 'outbox', 'citations', 'memory_moments',
        'retrieval_hits', 'projects', 'repos', 'project_links']
    loop
        execute format($policy$
            alter policy %I on %I using (
                tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
                and (agent_id = (select nullif(current_setting('rmb.agent', true), '')::uuid)
                     or agent_id = (select nullif(current_setting('rmb.commons', true), '')::uuid)
                     or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
            $policy$, name || '_app', name);
    end loop;
end
$$;

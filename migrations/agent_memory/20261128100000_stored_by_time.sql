-- The console counts the memories stored in each hour or day, and shows the newest. No index was in the order of their storage.
create index agent_memories_tenant_created_idx on agent_memories (tenant_id, created_at desc, id desc) include (agent_id)
    where status <> 'inbox';

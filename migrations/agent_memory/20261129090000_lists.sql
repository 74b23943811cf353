-- Pinned memories are few among many; the page of the lifecycle counts them for every agent.
create index agent_memories_pinned_idx on agent_memories (tenant_id, agent_id, user_id) where live and pinned;

-- The list of memories is searched by a part of the topic, which no index finds. With the topics in the index of the list, the search reads
-- that index and not the rows. Two topics of 256 characters fit into an entry, whatever the letters.
drop index agent_memories_listed_idx;
create index agent_memories_listed_idx on agent_memories (tenant_id, updated_at desc, id desc) include (topic, topic_raw)
    where deleted_at is null and archived_at is null and status <> 'inbox';

-- The pages of agents count every memory of a tenant, and recall health those of each hour or day. This index has all that they count, so
-- they do not read the rows, and it leads to the newest memories. A change of any of these columns changes other indexes, too, so no
-- update becomes dearer in kind.
create index agent_memories_counts_idx on agent_memories (tenant_id, created_at desc, id desc)
    include (agent_id, live, expires_at, deleted_at, status, updated_at);

-- The list of memories, newest first: its total is counted in the index.
create index agent_memories_listed_idx on agent_memories (tenant_id, updated_at desc, id desc)
    where deleted_at is null and archived_at is null and status <> 'inbox';

-- The list of deleted memories, newest first, which are few among many.
create index agent_memories_deleted_idx on agent_memories (tenant_id, updated_at desc, id desc) where deleted_at is not null;

-- The list of a user's memories, which are few among many.
create index agent_memories_user_list_idx on agent_memories (tenant_id, user_id, updated_at desc, id desc) where user_id is not null;

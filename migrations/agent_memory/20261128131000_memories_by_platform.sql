-- The list of the memories that were said on a platform, newest first. The platform is a column of its own: a policy lets an index be used
-- for `=` between texts, and not for the operators of JSON. Without the index, a platform without memories cost a look at every one.
alter table agent_memories add column platform text generated always as (source->>'platform') stored;
create index agent_memories_platform_idx on agent_memories (tenant_id, platform, updated_at desc, id desc)
    where deleted_at is null and archived_at is null and status <> 'inbox';

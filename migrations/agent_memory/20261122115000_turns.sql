-- Where a memory stands in its conversation: the turns around it say what it is about. The server computes nothing of this.
alter table agent_memories
    add column said_at timestamptz not null generated always as (coalesce(observed_at, created_at)) stored,
    add column conversation uuid not null generated always as (
        md5(coalesce(source->>'platform', '') || E'\x1f' || coalesce(source->>'channel_id', '') || E'\x1f' || coalesce(source->>'thread_id', ''))::uuid) stored,
    -- who speaks in it ("Vera: …"), or the person it is about
    add column speaker text generated always as (coalesce(
        left(substring(content from '^([[:upper:]][^].?!,:[[:space:]]*(?: [^].?!,:[[:space:]]+){0,2}): '), 40),
        case when category = 'person' then subject end)) stored;
create index agent_memories_turn_idx on agent_memories (agent_id, conversation, said_at, id) include (tenant_id, user_id, expires_at) where live;

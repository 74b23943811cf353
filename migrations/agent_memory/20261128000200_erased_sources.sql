-- Where evidence or a source was, pages say which request erased it. Ids only: a source, a memory that quoted it and is still there, or the
-- all-zeros id for the source itself, and the request. A mark goes with its memory.
create table erased_sources (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    source_id  uuid        not null,
    memory_id  uuid        not null,
    request_id uuid        not null,
    erased_at  timestamptz not null,
    constraint erased_sources_pkey primary key (tenant_id, agent_id, source_id, memory_id, request_id)
);
create index erased_sources_source_idx on erased_sources (source_id);
create index erased_sources_memory_idx on erased_sources (memory_id);

do $$
declare
    tenant constant text := $p$tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid$p$;
    agent  constant text := $p$(agent_id = nullif(current_setting('rmb.agent', true), '')::uuid
        or agent_id = nullif(current_setting('rmb.commons', true), '')::uuid)$p$;
begin
    alter table erased_sources enable row level security;
    execute format('create policy erased_sources_app on erased_sources to rmb_app using (%s and %s)', tenant, agent);
    execute format('create policy erased_sources_operator on erased_sources to rmb_operator using (%s)', tenant);
end
$$;

-- People read them. The server gives `rmb_eraser` its rights when it migrates, from the list of columns in crates/db/src/columns.rs.
grant select on erased_sources to rmb_operator;

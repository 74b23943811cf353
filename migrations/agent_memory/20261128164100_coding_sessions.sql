-- A session is also that of a coding agent: its host names it with each call, so what the session was given and what was captured from
-- it can be listed.
alter table sessions
    -- the program of the coding agent, such as claude-code; null: an agent stored its messages
    add column host       varchar(63),
    add column project_id uuid,
    -- recalls that were answered, and contexts before a task
    add column recalls    bigint not null default 0,
    add column contexts   bigint not null default 0,
    -- tokens that the host added to what its agent reads, as far as the host counts them
    add column tokens     bigint not null default 0;

-- The list of the console, newest first; the index before it had the ids in the other order.
create index sessions_tenant_list_idx on sessions (tenant_id, last_at desc, id desc);
drop index sessions_tenant_last_idx;

alter table retrievals
    add column session_id  uuid,
    -- the search behind a context before a task
    add column for_context boolean not null default false;
create index retrievals_session_idx on retrievals (tenant_id, session_id, at desc, id desc) where session_id is not null;
create index sources_session_idx on sources (tenant_id, session_id, created_at desc, id desc) where session_id is not null;

-- What records with history need: links across an agent's own memory and the commons, the categorised memories that a prompt shows,
-- profile facts that are replaced, projects.

-- A link may lead from an agent's memory into the commons: both ends are looked for by the tenant.
create index memory_links_from_idx on memory_links (tenant_id, from_id);
create index memory_links_tenant_to_idx on memory_links (tenant_id, to_id);

-- Unique per agent, and looked for by whoever has only that.
create index agent_memories_short_idx on agent_memories (tenant_id, short_id);
create index agent_memories_category_idx on agent_memories (agent_id, category, created_at, id) where live and category is not null;

-- True: the answer to one question about somebody. There is one per person and topic; a new answer is a new version of it.
alter table agent_memories add column profile_fact boolean not null default false;
create index agent_memories_fact_idx on agent_memories (agent_id, topic_normal) where live and profile_fact;

-- Projects and repositories are the tenant's: they carry the commons' id.
create table projects (
    tenant_id  uuid         not null,
    agent_id   uuid         not null,
    id         uuid         not null,
    slug       varchar(63)  not null,
    name       varchar(200) not null,
    created_at timestamptz  not null,
    created_by text         not null,
    constraint projects_pkey primary key (agent_id, id),
    constraint projects_agent_id_slug_key unique (agent_id, slug),
    constraint projects_slug_check check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$')
);
create table repos (
    tenant_id  uuid         not null,
    agent_id   uuid         not null,
    id         uuid         not null,
    project_id uuid         not null,
    slug       varchar(63)  not null,
    name       varchar(200) not null,
    created_at timestamptz  not null,
    created_by text         not null,
    constraint repos_pkey primary key (agent_id, id),
    constraint repos_agent_id_slug_key unique (agent_id, slug),
    constraint repos_project_fkey foreign key (agent_id, project_id) references projects (agent_id, id),
    constraint repos_slug_check check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$')
);
-- What is known of one project bears on the other, both ways: stored once, the lesser id first.
create table project_links (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    one_id     uuid        not null,
    other_id   uuid        not null,
    created_at timestamptz not null,
    created_by text        not null,
    constraint project_links_pkey primary key (agent_id, one_id, other_id),
    constraint project_links_order_check check (one_id < other_id),
    constraint project_links_one_fkey foreign key (agent_id, one_id) references projects (agent_id, id),
    constraint project_links_other_fkey foreign key (agent_id, other_id) references projects (agent_id, id)
);
create index project_links_other_idx on project_links (agent_id, other_id);

alter table projects enable row level security;
create policy projects_app on projects to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
alter table repos enable row level security;
create policy repos_app on repos to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
alter table project_links enable row level security;
create policy project_links_app on project_links to rmb_app using (
    tenant_id = (select nullif(current_setting('rmb.tenant', true), '')::uuid)
    and (agent_id in ((select nullif(current_setting('rmb.agent', true), '')::uuid), (select nullif(current_setting('rmb.commons', true), '')::uuid))
         or (select nullif(current_setting('rmb.agent', true), '')::uuid) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
grant select, insert on projects, repos, project_links to rmb_app;
grant delete on project_links to rmb_app;

-- A version records all of a memory that an answer depends on, so that a recall can be answered again as of its time.
alter table agent_memory_versions
    add column title       text,
    add column summary     text,
    add column category    text,
    add column subject     varchar(200),
    -- null: written before versions recorded these six
    add column confidence  real,
    add column observed_at timestamptz;
-- Whatever changes one of the six moves `updated_at`, so the versions of the last write had what the memory has now. Older ones stay unknown.
update agent_memory_versions v
   set title = m.title, summary = m.summary, category = m.category, subject = m.subject, confidence = m.confidence, observed_at = m.observed_at
  from agent_memories m
 where m.agent_id = v.agent_id and m.id = v.memory_id and m.updated_at = v.updated_at;

-- A link between projects that ends stays, with its end: it held from `created_at` until `valid_to`.
alter table project_links add column valid_to timestamptz, drop constraint project_links_pkey;
create unique index project_links_current_key on project_links (agent_id, one_id, other_id) where valid_to is null;
revoke delete on project_links from rmb_app, rmb_operator;
grant update (valid_to) on project_links to rmb_app, rmb_operator;

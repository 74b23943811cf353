-- Capture: sources with their turns, evidence, quarantine, and proposals about two memories.

-- What a source is, and its place among the parts of a longer one. Parts are kept small, so that a part is one line of an export and one
-- piece of work.
alter table sources add column form          text not null default 'note'
    constraint sources_form_check check (form in ('transcript', 'note', 'summary', 'document', 'tool_output', 'attachment'));
alter table sources add column title         text;
alter table sources add column filename      text;
alter table sources add column attachment_id text;
alter table sources add column session_id    uuid;
alter table sources add column connection_id uuid;
-- the first part; its id is the id of the whole
alter table sources add column whole_id      uuid;
alter table sources add column part          integer not null default 1;
alter table sources add column parts         integer not null default 1;
-- [{speaker, role, at, start, end}], in bytes of the content; null for a source that was imported without turns
alter table sources add column turns         jsonb;
create index sources_tenant_created_idx on sources (tenant_id, created_at desc, id) where part = 1;
create index sources_whole_idx on sources (agent_id, whole_id);

-- What an event was requested for.
alter table events add column event_type      text;
alter table events add column source_metadata jsonb not null default '{}';
alter table events add column session_id      uuid;
alter table events add column connection_id   uuid;
alter table events add column requested_scope text;
alter table events add column processed_at    timestamptz;
-- attempts that were made before a person retried a dead event
alter table events add column attempts_before integer not null default 0;

-- Observations wait to be synthesised in batches. No worker claims one, so the queue's indexes leave them out.
drop index events_waiting_idx;
create index events_waiting_idx on events (tenant_id, run_after) where state in ('pending', 'failed', 'running') and kind <> 'observation';
drop index events_open_idx;
create index events_open_idx on events (tenant_id, state) where state in ('pending', 'running', 'failed', 'dead') and kind <> 'observation';
create index events_observed_idx on events (agent_id, user_id, created_at) where kind = 'observation' and state = 'pending';
-- One open synthesis for each agent and user.
create unique index events_synthesis_key on events (agent_id, coalesce(user_id, '00000000-0000-0000-0000-000000000000'))
    where task = 'synthesise' and state in ('pending', 'running', 'failed');
-- One waiting survey of active memories for each tenant; a running one requests the next part of itself.
create unique index events_survey_key on events (tenant_id) where task = 'survey' and state in ('pending', 'failed');
create index events_survey_idx on events (tenant_id, created_at) where task = 'survey';
create index events_source_idx on events (agent_id, source_id) where source_id is not null;
create index events_tenant_created_idx on events (tenant_id, created_at desc, id);

-- Decisions keep why, and what was rejected.
alter table agent_memories add column rationale    text;
alter table agent_memories add column alternatives text[];
create index agent_memories_inbox_idx on agent_memories (tenant_id, created_at, id) where status = 'inbox' and deleted_at is null;
create index agent_memories_hash_idx on agent_memories (agent_id, content_hash);

-- Where a memory was said: a place in a source. A memory that several places say has several.
create table evidence (
    tenant_id    uuid        not null,
    agent_id     uuid        not null,
    id           uuid        not null,
    memory_id    uuid        not null,
    user_id      uuid,
    -- the candidate that was made from this place, if it was merged into another memory since
    candidate_id uuid        not null,
    source_id    uuid        not null,
    event_id     uuid        not null,
    -- bytes of the source's content
    starts       integer     not null,
    ends         integer     not null,
    quote        text        not null,
    speaker      text,
    observed_at  timestamptz,
    created_at   timestamptz not null,
    constraint evidence_pkey primary key (agent_id, id),
    constraint evidence_span_check check (starts >= 0 and ends > starts and octet_length(quote) = ends - starts),
    constraint evidence_place_key unique (agent_id, source_id, starts, ends)
);
create index evidence_memory_idx on evidence (memory_id);
create index evidence_source_idx on evidence (source_id);
create index evidence_candidate_idx on evidence (agent_id, candidate_id);

-- Turns that may carry instructions for an agent. No rule promotes them; a person decides.
create table quarantine (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    id         uuid        not null,
    user_id    uuid,
    source_id  uuid        not null,
    event_id   uuid        not null,
    starts     integer     not null,
    ends       integer     not null,
    quote      text        not null,
    reasons    text[]      not null,
    state      text        not null constraint quarantine_state_check check (state in ('waiting', 'released', 'dismissed')),
    created_at timestamptz not null,
    decided_at timestamptz,
    decided_by text,
    constraint quarantine_pkey primary key (agent_id, id),
    constraint quarantine_span_check check (starts >= 0 and ends > starts and octet_length(quote) = ends - starts),
    constraint quarantine_place_key unique (agent_id, source_id, starts, ends)
);
create index quarantine_waiting_idx on quarantine (tenant_id, created_at, id) where state = 'waiting';

-- What consolidation proposes about two memories; a person accepts or declines it.
create table memory_proposals (
    tenant_id  uuid        not null,
    agent_id   uuid        not null,
    id         uuid        not null,
    user_id    uuid,
    -- "from duplicates, contradicts or supersedes to"
    from_id    uuid        not null,
    to_id      uuid        not null,
    relation   text        not null constraint memory_proposals_relation_check check (relation in ('duplicates', 'contradicts', 'supersedes')),
    reason     text        not null,
    state      text        not null constraint memory_proposals_state_check check (state in ('open', 'accepted', 'declined')),
    created_at timestamptz not null,
    decided_at timestamptz,
    decided_by text,
    constraint memory_proposals_pkey primary key (agent_id, id),
    constraint memory_proposals_pair_key unique (agent_id, from_id, to_id, relation)
);
create index memory_proposals_from_idx on memory_proposals (from_id) where state = 'open';
create index memory_proposals_to_idx on memory_proposals (to_id) where state = 'open';
create index memory_proposals_open_idx on memory_proposals (tenant_id, created_at, id) where state = 'open';

-- Agents read where their memories were said. Quarantine and proposals are for people and background work.
do $$
declare
    name text;
begin
    foreach name in array array['evidence', 'quarantine', 'memory_proposals']
    loop
        execute format('alter table %I enable row level security', name);
        execute format($p$create policy %I on %I to rmb_app using (
            tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid
            and (agent_id = nullif(current_setting('rmb.agent', true), '')::uuid
                 or agent_id = nullif(current_setting('rmb.commons', true), '')::uuid)
            and (user_id is null or user_id = nullif(current_setting('rmb.user', true), '')::uuid
                 or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'))$p$, name || '_app', name);
        execute format($p$create policy %I on %I to rmb_operator using (tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid)$p$,
                       name || '_operator', name);
    end loop;
end
$$;
grant select on evidence to rmb_app;
-- for the import of an agent's own memories
grant insert on evidence to rmb_app;
grant select, insert on evidence, quarantine, memory_proposals to rmb_operator;
grant update (memory_id) on evidence to rmb_operator;
grant update (state, decided_at, decided_by) on quarantine, memory_proposals to rmb_operator;

-- An id is taken as well where the source belongs to a user whom the caller does not act for: evidence would quote a text that is not there.
create or replace function sources_held_elsewhere(tenant uuid, agents uuid[], ids uuid[]) returns setof uuid
    language sql stable security definer set search_path = public, pg_temp as $$
    select a.id from unnest(agents, ids) as a (agent_id, id)
     where exists (select from sources s
                    where s.id = a.id
                      and ((s.tenant_id, s.agent_id) is distinct from (tenant, a.agent_id)
                           or (s.user_id <> nullif(current_setting('rmb.user', true), '')::uuid) is not false
                              and s.user_id is not null
                              and current_setting('rmb.user', true) is distinct from 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
$$;

-- Expectations: questions of agents with the memories that should answer them. A person adds one where a recall missed a memory; the sets
-- are run on demand and after a change of the model, its thresholds or the vocabulary.

create table expectation_sets (
    tenant_id     uuid        not null,
    id            uuid        not null,
    name          text        not null constraint expectation_sets_name_check check (char_length(name) between 1 and 64),
    created_at    timestamptz not null,
    -- model, thresholds and vocabulary for which a run was last requested; null: none was
    requested_for text,
    constraint expectation_sets_pkey primary key (tenant_id, id),
    constraint expectation_sets_tenant_id_name_key unique (tenant_id, name)
);

create table expectations (
    tenant_id  uuid        not null,
    -- the agent that asks, and for whom
    agent_id   uuid        not null,
    id         uuid        not null,
    set_id     uuid        not null,
    user_id    uuid,
    query      text        not null,
    -- as they were when somebody named them: a run follows each to the memory that superseded it
    memory_ids uuid[]      not null constraint expectations_memory_ids_check check (cardinality(memory_ids) between 1 and 10),
    -- the page on which the miss was seen
    origin     text        not null constraint expectations_origin_check
        check (origin in ('zero_hit', 'retrieval', 'playground', 'diagnosis')),
    note       text,
    added_by   text        not null,
    created_at timestamptz not null,
    constraint expectations_pkey primary key (tenant_id, id),
    constraint expectations_set_fkey foreign key (tenant_id, set_id) references expectation_sets (tenant_id, id)
);
create index expectations_set_idx on expectations (tenant_id, set_id, created_at desc, id desc);
create index expectations_user_idx on expectations (tenant_id, user_id) where user_id is not null;

-- A run of a set, which has the id of its job. Its numbers stay when an expectation goes.
create table expectation_runs (
    tenant_id          uuid             not null,
    id                 uuid             not null,
    set_id             uuid             not null,
    at                 timestamptz      not null,
    cause              text             not null constraint expectation_runs_cause_check check (cause in ('requested', 'changed')),
    model              text             not null,
    vector_floor       double precision not null,
    lexical_floor      double precision not null,
    vocabulary_version bigint           not null,
    k                  integer          not null,
    expectations       integer          not null,
    -- those of them that have a memory left
    counted            integer          not null,
    -- those whose memories were all found
    met                integer          not null,
    -- null: none was counted
    recall             double precision,
    mrr                double precision,
    constraint expectation_runs_pkey primary key (tenant_id, id),
    constraint expectation_runs_set_fkey foreign key (tenant_id, set_id) references expectation_sets (tenant_id, id)
);
create index expectation_runs_set_idx on expectation_runs (tenant_id, set_id, at desc, id desc);

create table expectation_results (
    tenant_id      uuid    not null,
    agent_id       uuid    not null,
    run_id         uuid    not null,
    expectation_id uuid    not null,
    user_id        uuid,
    -- memories that are left, and those of them that the recall returned
    expected       integer not null,
    found          integer not null,
    -- the best of their ranks, from 1
    rank           integer,
    -- the gate that stopped the first one that was not returned
    stopped_by     text,
    constraint expectation_results_pkey primary key (tenant_id, run_id, expectation_id),
    constraint expectation_results_run_fkey foreign key (tenant_id, run_id) references expectation_runs (tenant_id, id),
    -- An erasure that removes an expectation takes its results along, those of a run that is being stored as well.
    constraint expectation_results_expectation_fkey foreign key (tenant_id, expectation_id)
        references expectations (tenant_id, id) on delete cascade
);
create index expectation_results_expectation_idx on expectation_results (tenant_id, expectation_id);
create index expectation_results_user_idx on expectation_results (tenant_id, user_id) where user_id is not null;

-- At most one run of a set waits or is under way.
create unique index events_expectations_key on events (tenant_id, (payload->>'set_id'))
    where task = 'run_expectations' and state in ('pending', 'running', 'failed');

do $$
declare
    name text;
    tenant  constant text := $p$tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid$p$;
    agent   constant text := $p$(agent_id = nullif(current_setting('rmb.agent', true), '')::uuid
        or agent_id = nullif(current_setting('rmb.commons', true), '')::uuid)$p$;
    of_user constant text := $p$(user_id is null or user_id = nullif(current_setting('rmb.user', true), '')::uuid
        or current_setting('rmb.user', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff')$p$;
begin
    foreach name in array array['expectation_sets', 'expectation_runs'] loop
        execute format('create policy %I on %I to rmb_app using (%s)', name || '_app', name, tenant);
    end loop;
    foreach name in array array['expectations', 'expectation_results'] loop
        execute format('create policy %I on %I to rmb_app using (%s and %s and %s)', name || '_app', name, tenant, agent, of_user);
    end loop;
    foreach name in array array['expectation_sets', 'expectations', 'expectation_runs', 'expectation_results'] loop
        execute format('alter table %I enable row level security', name);
        execute format('create policy %I on %I to rmb_operator using (%s)', name || '_operator', name, tenant);
    end loop;
end
$$;

-- Keys of agents see the sets and their numbers, and may request a run. The words are for people and background work only.
grant select, update (requested_for) on expectation_sets to rmb_app;
grant select on expectation_runs to rmb_app;
grant select, insert, delete, update (requested_for) on expectation_sets to rmb_operator;
grant select, insert, delete on expectations, expectation_runs, expectation_results to rmb_operator;

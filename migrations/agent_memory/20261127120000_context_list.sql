-- The console lists the context log: by agent, by user, and only what was cut or degraded. The request of a measurement says which memory
-- it wanted, so the log says it, too. The query is a column of its own: a list must not read requests of megabytes for it.

alter table context_log
    add column tiers text not null default 'all' constraint context_log_tiers_check check (tiers in ('none', 'working_memory', 'all')),
    -- false: found by words alone
    add column vectors boolean not null default true,
    add column was_cut boolean not null generated always as (cut <> '[]') stored,
    add column was_degraded boolean not null generated always as (degraded <> '{}') stored;

create index context_log_agent_list_idx on context_log (tenant_id, agent_id, at desc, id desc);
create index context_log_user_list_idx on context_log (tenant_id, user_id, at desc, id desc) where user_id is not null;
create index context_log_cut_idx on context_log (tenant_id, at desc, id desc) where was_cut;
create index context_log_degraded_idx on context_log (tenant_id, at desc, id desc) where was_degraded;

alter table context_texts add column query text generated always as (request ->> 'query') stored;

-- Surveys and sweeps go through the memories of a tenant in parts. Only their start is counted: a later part, which names where it goes on,
-- must not be lost because somebody asked for another one meanwhile.
drop index events_survey_key;
create unique index events_once_key on events (tenant_id, task)
    where task in ('survey', 'sweep') and payload->>'after' is null and state in ('pending', 'failed');
create index events_sweep_idx on events (tenant_id, created_at) where task = 'sweep';

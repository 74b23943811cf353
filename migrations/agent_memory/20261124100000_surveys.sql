-- A survey of active memories goes through them in parts. Only its start is counted: a later part, which names the memory before it, must
-- not be lost because somebody asked for another survey meanwhile.
drop index events_survey_key;
create unique index events_survey_key on events (tenant_id)
    where task = 'survey' and payload->>'after' is null and state in ('pending', 'failed');

-- An import is data, never work. An imported event has a state of its own, which no claim, gauge, count or index of the queue names. The
-- state that the file gives is kept beside it, so that an export writes the line as it came.

alter table events add column recorded_state text
    constraint events_recorded_state_check check (recorded_state in ('pending', 'done', 'failed', 'dead'));
alter table events drop constraint events_state_check;

-- This server queues maintenance only: an event of another kind that waits came in a file.
update events
   set state = 'imported', recorded_state = case state when 'running' then 'pending' else state end, leased_until = null
 where kind <> 'maintenance' and state <> 'done';

alter table events add constraint events_state_check
    check (state in ('pending', 'running', 'done', 'failed', 'dead', 'imported'));
alter table events add constraint events_imported_check check ((state = 'imported') = (recorded_state is not null));

-- The name of whoever imported a record; null: it was written here.
alter table agent_memories add column imported_by text;
alter table agent_memory_versions add column imported_by text;

-- What an audit row says in words has one home: the log, where it can be erased. The relay empties what it delivers.
update outbox set payload = '{}' where destination = 'audit' and delivered_at is not null;

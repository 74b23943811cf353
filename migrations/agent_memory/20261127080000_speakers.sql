-- Who speaks in a memory is known from its source, too: a statement that was extracted does not begin with a name.
alter table agent_memories drop column speaker;
alter table agent_memories
    -- who speaks in it ("Vera: …", or as the source says), or the person it is about
    add column speaker text generated always as (coalesce(
        left(substring(content from '^([[:upper:]][^].?!,:[[:space:]]*(?: [^].?!,:[[:space:]]+){0,2}): '), 40),
        left(nullif(btrim(source->>'speaker'), ''), 40),
        case when category = 'person' then subject end)) stored;

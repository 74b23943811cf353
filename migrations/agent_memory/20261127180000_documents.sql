-- Documents of a person's context, found by meaning and by words: what a profile knows, what the tools of its connections can do and hold,
-- and the text of attachments. They derive from leaves, connections, entities and sources, and a read looks there for what may be seen.

-- A connection that is not active gives nothing to a search that names no connections.
alter table connections add column active boolean not null default true;

-- What a tool holds, as the caller reported it last: issues, contacts, folders.
create table connection_entities (
    tenant_id     uuid         not null,
    agent_id      uuid         not null,
    id            uuid         not null,
    user_id       uuid,
    connection_id uuid         not null,
    key           varchar(256) not null,
    content       text         not null,
    message_id    varchar(256),
    created_at    timestamptz  not null,
    constraint connection_entities_pkey primary key (agent_id, id),
    constraint connection_entities_key_key unique (agent_id, connection_id, key)
);

create index connection_entities_user_idx on connection_entities (agent_id, user_id);

create table profile_documents (
    tenant_id      uuid        not null,
    agent_id       uuid        not null,
    id             uuid        not null,
    user_id        uuid,
    -- the UUID v5 of content and metadata
    document_key   uuid        not null,
    context_type   text        not null constraint profile_documents_context_type_check check (context_type in
        ('user_profile', 'user_persistent', 'tool_schema', 'tool_entity', 'tool_persistent', 'tool_attachment_content')),
    context_source text        not null constraint profile_documents_context_source_check check (context_source in
        ('user_provided', 'system_learned', 'tool_indexed', 'tool_extracted_content')),
    connection_id  uuid,
    -- the leaf, connection, entity or source that it derives from
    origin_id      uuid        not null,
    -- bytes of the source's content
    starts         integer     not null,
    ends           integer     not null,
    content        text        not null,
    -- {path, entity, message_id, attachment_id, filename}
    metadata       jsonb       not null,
    -- terms that are searched
    length         integer     not null,
    created_at     timestamptz not null,
    constraint profile_documents_pkey primary key (agent_id, id),
    constraint profile_documents_key_key unique nulls not distinct (agent_id, user_id, document_key)
);
create index profile_documents_origin_idx on profile_documents (agent_id, origin_id);

create table profile_document_terms (
    tenant_id   uuid not null,
    agent_id    uuid not null,
    document_id uuid not null,
    user_id     uuid,
    term        text not null,
    tf          real not null,
    constraint profile_document_terms_pkey primary key (agent_id, document_id, term),
    constraint profile_document_terms_document_id_fkey foreign key (agent_id, document_id) references profile_documents (agent_id, id) on delete cascade
);
create index profile_document_terms_user_idx on profile_document_terms (agent_id, user_id, term) include (tenant_id, document_id, tf);

create table profile_embeddings_384 (
    tenant_id   uuid         not null,
    agent_id    uuid         not null,
    document_id uuid         not null,
    model       text         not null,
    user_id     uuid,
    half        halfvec(384) not null,
    constraint profile_embeddings_384_pkey primary key (agent_id, document_id, model),
    constraint profile_embeddings_384_document_id_fkey foreign key (agent_id, document_id) references profile_documents (agent_id, id) on delete cascade
);
create table profile_embeddings_1536 (
    tenant_id   uuid          not null,
    agent_id    uuid          not null,
    document_id uuid          not null,
    model       text          not null,
    user_id     uuid,
    half        halfvec(1536) not null,
    constraint profile_embeddings_1536_pkey primary key (agent_id, document_id, model),
    constraint profile_embeddings_1536_document_id_fkey foreign key (agent_id, document_id) references profile_documents (agent_id, id) on delete cascade
);
alter table profile_embeddings_384 alter column half set storage plain;
alter table profile_embeddings_1536 alter column half set storage plain;
-- All vectors of one user from the index alone, whatever other users have.
create index profile_embeddings_384_user_idx on profile_embeddings_384 (agent_id, user_id, model) include (tenant_id, document_id, half);
create index profile_embeddings_1536_user_idx on profile_embeddings_1536 (agent_id, user_id, model);

do $$
declare
    name text;
begin
    foreach name in array array['connection_entities', 'profile_documents', 'profile_document_terms', 'profile_embeddings_384', 'profile_embeddings_1536']
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
grant select, insert, update, delete on connection_entities, profile_documents to rmb_app, rmb_operator;
grant select, insert on profile_document_terms, profile_embeddings_384, profile_embeddings_1536 to rmb_app, rmb_operator;
-- Where turns in quarantine are, but not what they say.
grant select (tenant_id, agent_id, user_id, source_id, starts, ends, state) on quarantine to rmb_app;

-- Leaves and schemas from before this migration get their documents.
insert into events (tenant_id, agent_id, id, kind, task, payload, state, run_after, created_at, user_id)
select p.tenant_id, p.agent_id, gen_random_uuid(), 'maintenance', 'index_profile', jsonb_build_object('user_id', p.user_id), 'pending',
       now(), now(), p.user_id
  from (select tenant_id, agent_id, user_id from profile_leaves union select tenant_id, agent_id, user_id from connections) p;

-- A schema that is out of date is of no use to anybody. Its document and its text go with the next sweep of the agent.
create function expire_schemas(tenant uuid, agent uuid, before timestamptz, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (
        select c.id from connections c
         where c.tenant_id = tenant and c.agent_id = agent and c.schema_expires_at <= before
           and not exists (select from legal_holds h where h.tenant_id = tenant and h.user_id = c.user_id and h.lifted_at is null)
           and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
         limit most for update of c skip locked),
         documents as (delete from profile_documents d using old
                        where d.tenant_id = tenant and d.agent_id = agent and d.origin_id = old.id and d.context_type = 'tool_schema'),
         emptied as (update connections c set tool_schema = null, schema_expires_at = null from old
                      where c.agent_id = agent and c.id = old.id returning 1)
    select count(*) from emptied
$$;
revoke execute on function expire_schemas from public;
grant execute on function expire_schemas to rmb_operator;

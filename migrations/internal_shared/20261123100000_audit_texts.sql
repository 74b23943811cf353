-- The audit chain survives erasure. What an entry says in words lives beside it, and the entry's hash covers a salted hash of the words:
-- they can be erased without breaking the chain, and cannot be changed unnoticed.

create table audit_texts (
    tenant_id  uuid  not null,
    event_id   uuid  not null,
    -- secret and erased with the texts: without it nobody can try which words make the hash
    salt       text  not null,
    actor_name text  not null,
    message    text  not null,
    reason     text,
    changes    jsonb not null,
    constraint audit_texts_pkey primary key (tenant_id, event_id),
    constraint audit_texts_audit_log_fkey foreign key (tenant_id, event_id) references audit_log (tenant_id, event_id)
);

-- SHA-256 over the salt and the texts. Null: the entry was made before texts had a table of their own. Its texts are in the row, under its
-- hash; they stay.
alter table audit_log add column texts_hash bytea;
alter table audit_log add constraint audit_log_texts_check
    check (texts_hash is null or (actor_name = '' and message = '' and reason is null and changes = '{}'));

create function audit_texts_are_erased_or_kept() returns trigger language plpgsql as $$
begin
    raise exception 'audit_texts can be erased, not changed';
end $$;
create trigger audit_texts_no_change before update on audit_texts for each row execute function audit_texts_are_erased_or_kept();

-- Only operators and the command line read the texts: they act for every agent of the tenant, which the all-ones agent stands for.
alter table audit_texts enable row level security;
create policy audit_texts_app on audit_texts to rmb_app using (
    tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid
    and current_setting('rmb.agent', true) = 'ffffffff-ffff-ffff-ffff-ffffffffffff');
create policy audit_texts_system on audit_texts to rmb_system using (true);
grant select on audit_texts to rmb_app;
grant select, insert, delete on audit_texts to rmb_system;

-- The all-ones agent stands for every agent and the nil agent for none: nobody can be either.
alter table agents add constraint agents_id_check
    check (id not in ('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff')) not valid;

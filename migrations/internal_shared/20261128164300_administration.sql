-- What admins manage without a shell: agents are changed and retired, keys are replaced by new ones, and operators come by a one-time link.

-- A retired agent has no keys and is not offered any more. Its memories stay, and it can come back.
alter table agents add column retired_at timestamptz;

-- The key that replaced this one, which works until it expires.
alter table api_keys add column replaced_by uuid;

-- A one-time link: a person becomes an operator, or chooses a new password. The row goes when the link is used, withdrawn or replaced.
create table operator_invitations (
    tenant_id   uuid        not null,
    id          uuid        not null,
    kind        text        not null constraint operator_invitations_kind_check check (kind in ('invite', 'reset')),
    -- SHA-256 of the token in the link; the token has 256 bits, so a fast hash is enough
    token_hash  bytea       not null constraint operator_invitations_token_hash_key unique,
    -- the operator who chooses a new password
    operator_id uuid,
    login       text        not null,
    name        text        not null,
    -- empty for a new password
    roles       text[]      not null,
    -- who made it: the operator whose rights it depends on, if it was one, and the name
    inviter_id  uuid,
    created_by  text        not null,
    created_at  timestamptz not null,
    expires_at  timestamptz not null,
    constraint operator_invitations_pkey primary key (tenant_id, id),
    constraint operator_invitations_tenant_id_fkey foreign key (tenant_id) references tenants (id),
    constraint operator_invitations_operator_check check ((kind = 'reset') = (operator_id is not null))
);

alter table operator_invitations enable row level security;
create policy operator_invitations_app on operator_invitations to rmb_app
    using (tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid);
create policy operator_invitations_system on operator_invitations to rmb_system using (true);
grant select (tenant_id, id, kind, operator_id, login, name, roles, inviter_id, created_by, created_at, expires_at)
    on operator_invitations to rmb_app;
grant select, insert, delete on operator_invitations to rmb_system;

grant update (name, require_user, retired_at) on agents to rmb_system;
grant select (replaced_by) on api_keys to rmb_app;
grant update (replaced_by) on api_keys to rmb_system;
grant update (external_ref) on users to rmb_system;
-- A bot follows its key to the key that replaces it.
grant update (key_id) on bots to rmb_system;

-- These changes are made as rmb_system, with the answer for a repeated request. Of other requests this role sees none.
create policy idempotent_requests_system on idempotent_requests to rmb_system using (operation like 'admin.%');
grant select, insert, delete, update (fingerprint, answer, memory_ids) on idempotent_requests to rmb_system;

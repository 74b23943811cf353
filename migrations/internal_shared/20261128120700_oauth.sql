-- OAuth for clients of the Model Context Protocol. What a client may do is a row of api_keys like any other key: it is listed, counted
-- and revoked there. Here is what the protocol needs besides.

-- A program that asks people for access. It registers itself before anybody has signed in, so it belongs to no organisation.
create table oauth_clients (
    id            uuid        not null constraint oauth_clients_pkey primary key,
    -- what it calls itself; nobody has checked it
    name          text        not null constraint oauth_clients_name_check check (char_length(name) between 1 and 100),
    redirect_uris text[]      not null constraint oauth_clients_redirect_uris_check check (cardinality(redirect_uris) between 1 and 10),
    created_at    timestamptz not null
);
create index oauth_clients_created_at_idx on oauth_clients (created_at);

-- The access that an operator gave to a client. Every token of it is the key in its latest form.
create table oauth_grants (
    tenant_id          uuid        not null,
    key_id             uuid        not null,
    -- a client that nobody uses is removed, so this refers to it by value
    client_id          uuid        not null,
    operator_id        uuid        not null,
    redirect_uri       text        not null,
    -- PKCE, method S256
    challenge          text        not null,
    -- SHA-256 of the code, which can be exchanged once
    code_hash          bytea       not null constraint oauth_grants_code_hash_key unique,
    code_expires_at    timestamptz not null,
    exchanged_at       timestamptz,
    -- SHA-256 of the two parts of the refresh token: the first stays the same, the second changes with each use. A token with the right
    -- first part and another second one was used before.
    family_hash        bytea       constraint oauth_grants_family_hash_key unique,
    turn_hash          bytea,
    -- For some seconds the token before is answered with the same tokens: its client may not have got the first answer, or sent two
    -- requests at once. The tokens are computed from the one that they replace and this salt.
    previous_hash      bytea,
    salt               text,
    renewed_at         timestamptz,
    refresh_expires_at timestamptz,
    created_at         timestamptz not null,
    constraint oauth_grants_pkey primary key (tenant_id, key_id),
    constraint oauth_grants_key_fkey foreign key (tenant_id, key_id) references api_keys (tenant_id, id),
    constraint oauth_grants_operator_fkey foreign key (tenant_id, operator_id) references operators (tenant_id, id)
);
create index oauth_grants_client_id_idx on oauth_grants (client_id);
create index oauth_grants_operator_idx on oauth_grants (tenant_id, operator_id);

-- Consent and the exchange of tokens read them as rmb_system. The list of an agent's keys shows until when each can be renewed.
alter table oauth_clients enable row level security;
alter table oauth_grants enable row level security;
create policy oauth_clients_system on oauth_clients to rmb_system using (true);
create policy oauth_grants_system on oauth_grants to rmb_system using (true);
create policy oauth_grants_app on oauth_grants to rmb_app using (tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid);
-- The list also names the user of a key, and the operator who gave it to a client.
grant select (user_id) on api_keys to rmb_app;
grant select (operator_id) on oauth_grants to rmb_app;

grant select, insert, delete on oauth_clients to rmb_system;
grant select, insert, delete, update (exchanged_at, family_hash, turn_hash, previous_hash, salt, renewed_at, refresh_expires_at)
    on oauth_grants to rmb_system;
grant select (tenant_id, key_id, refresh_expires_at) on oauth_grants to rmb_app;
-- A consent locks the user for whom it is given, and a lock needs the right to update a column.
grant update (name) on users to rmb_system;
-- A new access token replaces the one before.
grant update (prefix, secret_hash, expires_at) on api_keys to rmb_system;

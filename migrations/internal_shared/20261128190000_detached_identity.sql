-- An account has a password or an identity at a provider, and an admin can detach the identity.

-- The removal of a person at the provider must end every way in.
update operators set password_hash = null where issuer is not null;
alter table operators drop constraint operators_password_hash_check;
alter table operators add constraint operators_password_hash_check check (password_hash is null or issuer is null);
-- Until then the first sign-in at the provider under the login of a detached account gets the account.
alter table operators add column attach_until timestamptz;
alter table operators add constraint operators_attach_until_check
    check (attach_until is null or (issuer is null and password_hash is null));
grant select (issuer, attach_until) on operators to rmb_app;
grant update (attach_until) on operators to rmb_system;

-- Operators who sign in with an identity provider (OpenID Connect).

-- What the provider calls the person. An account is found by both, never by the login or an e-mail address: those can pass to somebody else.
alter table operators add column issuer text, add column subject text;
alter table operators add constraint operators_issuer_subject_key unique (issuer, subject);
alter table operators add constraint operators_issuer_subject_check check ((issuer is null) = (subject is null));
-- Whoever comes from a provider has no password until an admin gives one.
alter table operators alter column password_hash drop not null;
alter table operators add constraint operators_password_hash_check check (password_hash is not null or issuer is not null);
-- Whoever accepts an invitation under the login of a disabled account may be somebody else than the person at the provider.
grant update (issuer, subject) on operators to rmb_system;

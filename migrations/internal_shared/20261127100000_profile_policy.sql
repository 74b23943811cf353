-- How long profiles hold sensitive matters: the days that an entry is kept after its last observation. 0 keeps the matter out, and null keeps
-- it without a limit, which is what "allowed" meant before.
alter table capture_policies
    alter column profile_health drop default,
    alter column profile_health drop not null,
    alter column profile_health type integer using case when profile_health then null else 0 end,
    alter column profile_health set default 0,
    add constraint capture_policies_profile_health_check check (profile_health between 0 and 3650),
    alter column profile_faith drop default,
    alter column profile_faith drop not null,
    alter column profile_faith type integer using case when profile_faith then null else 0 end,
    alter column profile_faith set default 0,
    add constraint capture_policies_profile_faith_check check (profile_faith between 0 and 3650),
    alter column profile_politics drop default,
    alter column profile_politics drop not null,
    alter column profile_politics type integer using case when profile_politics then null else 0 end,
    alter column profile_politics set default 0,
    add constraint capture_policies_profile_politics_check check (profile_politics between 0 and 3650),
    alter column profile_money drop default,
    alter column profile_money drop not null,
    alter column profile_money type integer using case when profile_money then null else 0 end,
    alter column profile_money set default 0,
    add constraint capture_policies_profile_money_check check (profile_money between 0 and 3650);

-- Whether all agents read what the profile of the commons says about a person.
alter table capture_policies add column shared_profiles boolean not null default false;

-- The calls that write profiles are counted apart from those that read conversations.
alter table usage_ledger drop constraint usage_ledger_purpose_check;
alter table usage_ledger add constraint usage_ledger_purpose_check check (purpose in ('embedding', 'extraction', 'condensation', 'synthesis'));

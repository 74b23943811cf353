-- Days for which profiles keep an entry about the ethnic origin of a person, as for the other sensitive matters: 0 keeps it out.
alter table capture_policies
    add column profile_ethnicity integer default 0 constraint capture_policies_profile_ethnicity_check
        check (profile_ethnicity between 0 and 3650);

-- Sensitive matters that may be part of profiles. By default none is.
alter table capture_policies
    add column profile_health   boolean not null default false,
    add column profile_faith    boolean not null default false,
    add column profile_politics boolean not null default false,
    add column profile_money    boolean not null default false;

-- Sensitive matters that a leaf is about, so that it can end earlier than others, and the sessions in which it was observed.
alter table profile_leaves
    add column matters     text[] not null default '{}',
    add column session_ids uuid[] not null default '{}';

-- The words by which the server recognises the matters of leaves from now on, for those that are there.
do $$
declare
    matter record;
begin
    for matter in select * from (values
        ('health', 'illness|disease|diagnosis|diagnosed|cancer|diabetes|diabetic|depression|depressed|anxiety|therapy|therapist|'
             'medication|prescription|pregnant|pregnancy|miscarriage|surgery|hospital|symptom|allergy|allergic|asthma|hiv|'
             'epilepsy|adhd|autism|autistic|disability|disabilities|psychiatrist|psychologist|rehab|alcoholic|addiction|'
             'chemotherapy|vaccine|burnout|migraine'),
        ('faith', 'religion|religious|christian|catholic|protestant|muslim|islam|jewish|judaism|hindu|hinduism|buddhist|buddhism|'
             'atheist|agnostic|church|mosque|synagogue|prayer|pray|baptism|ramadan|kosher|halal|faith'),
        ('politics', 'politics|political|democrat|republican|socialist|communist|vote|voter|election|activist|abortion|immigration'),
        ('money', 'salary|salaries|wage|income|debt|mortgage|loan|bankruptcy|bankrupt|savings|pension|inheritance|alimony|'
             'creditor|overdraft|iban|paycheck')) as m (name, words)
    loop
        update profile_leaves
           set matters = matters || matter.name
         where translate(array_to_string(path, ' ') || ' ' || (value #>> '{}'), '_', ' ') ~* ('\m(' || matter.words || ')(s|es|d|ed)?\M');
    end loop;
end
$$;

create index profile_leaves_matters_idx on profile_leaves (agent_id, last_seen) where matters <> '{}';

-- Leaves about a matter that nobody observed since the time that `ended` names for it, as {"health": "2026-11-01T00:00:00Z"}. A narrative
-- may repeat one, so it goes, too. A forgotten leaf stays: it keeps the same value from coming back.
create function sweep_leaves(tenant uuid, agent uuid, ended jsonb, most bigint) returns bigint
    language sql security definer set search_path = public, pg_temp as $$
    with old as (
        select l.id, l.user_id from profile_leaves l
         where l.tenant_id = tenant and l.agent_id = agent and l.matters <> '{}' and l.state <> 'forgotten'
           and tenant = nullif(current_setting('rmb.tenant', true), '')::uuid
           and exists (select from unnest(l.matters) m where l.last_seen <= (ended->>m)::timestamptz)
           and not exists (select from legal_holds h where h.tenant_id = tenant and h.user_id = l.user_id and h.lifted_at is null)
         order by l.last_seen limit most for update of l skip locked),
         narratives as (update profiles p set working_memory = null, narrated_at = null
                          from (select distinct user_id from old) o
                         where p.tenant_id = tenant and p.agent_id = agent and p.user_id is not distinct from o.user_id
                           and p.working_memory is not null),
         gone as (delete from profile_leaves l using old where l.agent_id = agent and l.id = old.id returning 1)
    select count(*) from gone
$$;
revoke execute on function sweep_leaves from public;
grant execute on function sweep_leaves to rmb_operator;

-- Profiles that came with an import have no row of their own yet, and the list of people reads these rows.
insert into profiles (tenant_id, agent_id, id, user_id, created_at, updated_at)
select distinct on (v.agent_id, v.user_id) v.tenant_id, v.agent_id, v.id, v.user_id, v.created_at, v.created_at
  from profile_versions v order by v.agent_id, v.user_id, v.version desc
    on conflict do nothing;

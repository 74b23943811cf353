//! Queries of export and import on the vocabulary. The lines of a file are staged in temporary tables and compared with the existing rows
//! as a whole, because the meaning of a line depends on all others: a phrase may mean only one term.

use crate::lines::Section;
use crate::mend::RECORDED;
use chrono::{DateTime, Utc};
use db::{DbError, Tx, sql, statement};
use serde_json::Value;
use sqlx::AssertSqlSafe;
use uuid::Uuid;
use wire::{AgentId, Area, TenantId};

/// The agents that met a proposal's phrase.
pub async fn proposers(tx: &mut Tx, tenant: TenantId) -> Result<Vec<AgentId>, DbError> {
    tx.values(sql!([tenant], "select distinct agent_id from proposal_memories where tenant_id = $1")).await
}

/// The types of lines of an area.
fn of_area(area: Area) -> impl Iterator<Item = Section> {
    Section::ALL.into_iter().filter(move |section| section.area() == area)
}

/// The column that identifies a staged row.
fn id_of(section: Section) -> &'static str {
    if section == Section::ProposalMemory { "event_id" } else { "id" }
}

/// Creates temporary tables for the lines of a file in this transaction: like those of the vocabulary, with the number of the line.
pub async fn begin_vocabulary(tx: &mut Tx) -> Result<(), DbError> {
    for section in of_area(Area::Vocabulary) {
        begin(tx, section).await?;
    }
    Ok(())
}

pub(super) async fn begin(tx: &mut Tx, section: Section) -> Result<(), DbError> {
    let (table, id) = (section.table(), id_of(section));
    let sql = format!("create temporary table staged_{table} (like {table}, line bigint not null, primary key ({id})) on commit drop");
    // Table and column are those of the format: constants.
    sqlx::query(AssertSqlSafe(sql)).execute(&mut **tx).await?;
    Ok(())
}

/// Stages lines of one type; each row has its `tenant_id` and its `line`.
pub async fn stage(tx: &mut Tx, section: Section, rows: &Value) -> Result<(), DbError> {
    let sql = format!("insert into staged_{0} select * from jsonb_populate_recordset(null::staged_{0}, $1)", section.table());
    // The table is one of the format.
    tx.run(statement!(sql, rows)).await
}

/// Gives staged times that were mended the time of the record with the same id here: the same file may have been imported with another one.
/// How many.
pub async fn adopt_times(tx: &mut Tx, tenant: TenantId, area: Area, moment: DateTime<Utc>) -> Result<u64, DbError> {
    let mut adopted = 0;
    for section in of_area(area) {
        for column in section.columns().iter().filter(|column| RECORDED.contains(column)) {
            let sql = format!(
                r"update staged_{table} s set {column} = e.{column} from {table} e
                   where e.tenant_id = $1 and e.{id} = s.{id} and s.{column} = $2 and e.{column} is not null",
                table = section.table(),
                id = id_of(section),
            );
            // Table and columns are those of the format: constants.
            adopted += tx.changed(statement!(sql, tenant, moment)).await?;
        }
    }
    Ok(adopted)
}

/// The first staged line that differs from the record with the same id here.
pub async fn differing_vocabulary(tx: &mut Tx, tenant: TenantId) -> Result<Option<i64>, DbError> {
    tx.value(sql!([tenant], r"select min(line) from (
              select s.line from staged_canonical_terms s join canonical_terms e on e.tenant_id = $1 and e.id = s.id
               where (s.lineage, s.term, s.definition, s.category, s.created_at, s.valid_from)
                     is distinct from (e.lineage, e.term, e.definition, e.category, e.created_at, e.valid_from) or s.valid_to <> e.valid_to
              union all
              select s.line from staged_term_aliases s join term_aliases e on e.tenant_id = $1 and e.id = s.id
               where (s.term_id, s.alias, s.valid_from) <> (e.term_id, e.alias, e.valid_from) or s.valid_to <> e.valid_to
              union all
              select s.line from staged_decisions s join decisions e on e.tenant_id = $1 and e.id = s.id
               where (s.kind, s.subjects, s.term_id, s.term, s.reason, s.actor_kind, s.actor_id, s.actor_name, s.at,
                      s.opened_terms, s.closed_terms, s.opened_aliases, s.closed_aliases)
                     is distinct from (e.kind, e.subjects, e.term_id, e.term, e.reason, e.actor_kind, e.actor_id, e.actor_name, e.at,
                      e.opened_terms, e.closed_terms, e.opened_aliases, e.closed_aliases) or s.undone_by <> e.undone_by
              union all
              select s.line from staged_term_proposals s
                join term_proposals e on e.tenant_id = $1 and e.id = s.id
                left join decisions d on d.tenant_id = $1 and d.id = e.decision_id
                left join staged_decisions n on n.id = e.decision_id
                left join decisions o on o.tenant_id = $1 and o.id = s.decision_id
                left join staged_decisions p on p.id = s.decision_id
               where (s.phrase, s.first_seen) <> (e.phrase, e.first_seen)
                  or (s.decision_id <> e.decision_id and coalesce(d.undone_by, n.undone_by) is null and coalesce(o.undone_by, p.undone_by) is null)
              union all
              select s.line from staged_proposal_memories s join proposal_memories e on e.tenant_id = $1 and e.event_id = s.event_id
               where (s.agent_id, s.memory_id, s.seen_at) is distinct from (e.agent_id, e.memory_id, e.seen_at)) differing")).await
}

/// The first staged decision that was undone by one that is not staged.
pub async fn undone_by_nothing(tx: &mut Tx) -> Result<Option<i64>, DbError> {
    tx.value(sql!(
        [],
        r"select min(s.line) from staged_decisions s
           where s.undone_by is not null and not exists (select from staged_decisions n where n.id = s.undone_by)"
    ))
    .await
}

/// Everything in force once the staged rows are added: each row with its line, if it is a new one. Rows that the file ends are closed
/// before. What is here is read first: staged rows are in a table of the session, which no node of a cluster has.
macro_rules! in_force {
    () => {
        r"with terms_here as materialized (
              select e.id, e.lineage, e.normal, e.term, e.valid_to from canonical_terms e where e.tenant_id = $1),
          aliases_here as materialized (
              select e.id, e.term_id, e.normal, e.alias, e.valid_to from term_aliases e where e.tenant_id = $1),
          names as (
              select null::bigint as line, e.id, e.lineage, e.normal, e.term from terms_here e where e.valid_to is null
              union all
              select s.line, s.id, s.lineage, s.normal, s.term from staged_canonical_terms s
               where s.valid_to is null and not exists (select from terms_here e where e.id = s.id)),
          others as (
              select null::bigint as line, e.id, e.term_id, e.normal, e.alias from aliases_here e where e.valid_to is null
              union all
              select s.line, s.id, s.term_id, s.normal, s.alias from staged_term_aliases s
               where s.valid_to is null and not exists (select from aliases_here e where e.id = s.id)) "
    };
}

/// The first staged phrase that would mean two terms: its line, the phrase, and the term that has it.
pub async fn taken_phrase(tx: &mut Tx, tenant: TenantId) -> Result<Option<(i64, String, String)>, DbError> {
    tx.row_if_any(sql!([tenant], in_force!(),
        r", forms as (
              select n.line, n.id, n.normal, n.term as phrase, n.lineage from names n
              union all
              select o.line, o.id, o.normal, o.alias, o.term_id from others o)
          select f.line, f.phrase, coalesce((select n.term from names n where n.lineage = g.lineage order by n.line nulls first limit 1), g.phrase)
            from forms f join forms g on g.normal = f.normal and g.id <> f.id and f.line > coalesce(g.line, 0)
           order by f.line limit 1")).await
}

/// The first staged name of a term that would have two, and the first staged alias of a term, or name of a term with an alias, that would
/// have none.
pub async fn misnamed(tx: &mut Tx, tenant: TenantId) -> Result<(Option<i64>, Option<i64>), DbError> {
    tx.row(sql!(
        [tenant],
        in_force!(),
        r"select (select min(f.line) from names f join names g on g.lineage = f.lineage and g.id <> f.id and f.line > coalesce(g.line, 0)),
                 (select min(coalesce(o.line, s.line)) from others o left join names n on n.lineage = o.term_id
                    left join (select lineage, max(line) as line from staged_canonical_terms group by lineage) s on s.lineage = o.term_id
                   where n.id is null)"
    ))
    .await
}

/// Closes names and aliases that the file ends; how many of each.
pub async fn close_rows(tx: &mut Tx, tenant: TenantId) -> Result<(u64, u64), DbError> {
    let terms = tx
        .changed(sql!(
            [tenant],
            r"update canonical_terms e set valid_to = s.valid_to from staged_canonical_terms s
           where e.tenant_id = $1 and e.id = s.id and e.valid_to is null and s.valid_to is not null"
        ))
        .await?;
    let aliases = tx
        .changed(sql!(
            [tenant],
            r"update term_aliases e set valid_to = s.valid_to from staged_term_aliases s
           where e.tenant_id = $1 and e.id = s.id and e.valid_to is null and s.valid_to is not null"
        ))
        .await?;
    Ok((terms, aliases))
}

/// Adds staged rows whose ids do not exist.
pub(super) async fn add(tx: &mut Tx, tenant: TenantId, by: &str, section: Section) -> Result<u64, DbError> {
    let (table, columns) = (section.table(), section.written());
    let (columns, values) = (columns.join(", "), columns.join(", s."));
    let sql = format!(
        r"with here as materialized (select e.id from {table} e where e.tenant_id = $1)
          insert into {table} (tenant_id, {columns}, imported_by) select $1, s.{values}, $2 from staged_{table} s
           where not exists (select from here e where e.id = s.id)
          on conflict (tenant_id, id) do nothing"
    );
    // Table and columns are those of the format: constants.
    tx.changed(statement!(sql, tenant, by)).await
}

/// Adds names of terms and aliases that do not exist; how many of each.
pub async fn add_rows(tx: &mut Tx, tenant: TenantId, by: &str) -> Result<(u64, u64), DbError> {
    let terms = add(tx, tenant, by, Section::Term).await?;
    let aliases = add(tx, tenant, by, Section::Alias).await?;
    Ok((terms, aliases))
}

/// Marks existing decisions as undone if the file does, and adds those that do not exist; how many of each.
pub async fn merge_decisions(tx: &mut Tx, tenant: TenantId, by: &str) -> Result<(u64, u64), DbError> {
    let undone = tx
        .changed(sql!(
            [tenant],
            r"update decisions e set undone_by = s.undone_by from staged_decisions s
           where e.tenant_id = $1 and e.id = s.id and e.undone_by is null and s.undone_by is not null"
        ))
        .await?;
    Ok((undone, add(tx, tenant, by, Section::Decision).await?))
}

/// The first staged proposal whose phrase has an open proposal in an earlier line.
pub async fn open_twice(tx: &mut Tx) -> Result<Option<i64>, DbError> {
    tx.value(sql!(
        [],
        r"select min(s.line) from staged_term_proposals s join staged_term_proposals o on o.normal = s.normal and o.line < s.line
           where s.status = 'open' and o.status = 'open'"
    ))
    .await
}

/// Brings proposals forward: open ones that the file decided, and those whose decision was undone since. Call it after decisions are
/// merged. Returns how many.
pub async fn forward_proposals(tx: &mut Tx, tenant: TenantId) -> Result<u64, DbError> {
    let done = tx.changed(sql!([tenant], r"with next as (
              select e.id, case when m.moves then s.status else e.status end as status,
                     case when m.moves then s.decision_id else e.decision_id end as decision_id,
                     greatest(e.count, s.count) as count, greatest(e.last_seen, s.last_seen) as last_seen
                from staged_term_proposals s
                join term_proposals e on e.tenant_id = $1 and e.id = s.id
                left join decisions d on d.tenant_id = $1 and d.id = e.decision_id
                left join decisions o on o.tenant_id = $1 and o.id = s.decision_id
               cross join lateral (
                     select case when o.undone_by is not null then false
                                 when e.status = 'open' then s.status <> 'open'
                                 else d.undone_by is not null and (s.status <> 'open' or not exists (
                                     select from term_proposals t where t.tenant_id = $1 and t.normal = e.normal and t.status = 'open')) end) m (moves))
          update term_proposals p set status = n.status, decision_id = n.decision_id, count = n.count, last_seen = n.last_seen
            from next n
           where p.tenant_id = $1 and p.id = n.id
             and (p.status, p.decision_id, p.count, p.last_seen) is distinct from (n.status, n.decision_id, n.count, n.last_seen)")).await?;
    Ok(done)
}

/// Begins a statement with `proposals_here`, and with `counted`: the proposal outside the file that a delivery of a staged proposal's phrase
/// would count for, as in [`remembrancer::vocabulary::store::deliver_proposal`].
macro_rules! counted_here {
    () => {
        r"with forms_here as materialized (
              select t.normal from canonical_terms t where t.tenant_id = $1 and t.valid_to is null
              union select a.normal from term_aliases a where a.tenant_id = $1 and a.valid_to is null),
          rows_here as materialized (select e.id, e.normal, e.status, e.last_seen from term_proposals e where e.tenant_id = $1),
          proposals_here as (
              select e.id, e.normal, e.status, e.last_seen, e.status in ('open', 'rejected') or f.normal is not null as counts
                from rows_here e left join forms_here f on f.normal = e.normal),
          counted as (
              select distinct on (s.id) s.id, e.id as place
                from staged_term_proposals s join proposals_here e on e.normal = s.normal and e.counts
               where not exists (select from staged_term_proposals x where x.id = e.id)
               order by s.id, (e.status = 'open') desc, e.last_seen desc, e.id desc)"
    };
}

/// Adds proposals that do not exist; how many. An open one is left out if its phrase has a proposal here that counts its deliveries. They
/// are chosen before they are inserted: Citus takes no insertion that compares as much.
pub async fn add_proposals(tx: &mut Tx, tenant: TenantId, by: &str) -> Result<u64, DbError> {
    let missing: Vec<Uuid> = tx
        .values(sql!(
            [tenant],
            counted_here!(),
            r" select s.id from staged_term_proposals s
                where not exists (select from proposals_here e where e.id = s.id)
                  and (s.status <> 'open' or (
                      not exists (select from proposals_here e where e.normal = s.normal and e.status = 'open')
                      and not exists (select from counted c where c.id = s.id)))"
        ))
        .await?;
    let columns = Section::Proposal.written();
    let (columns, values) = (columns.join(", "), columns.join(", s."));
    let sql = format!(
        r"insert into term_proposals (tenant_id, {columns}, imported_by) select $1, s.{values}, $2 from staged_term_proposals s
           where s.id = any($3) on conflict (tenant_id, id) do nothing"
    );
    // The columns are those of the format: a constant.
    tx.changed(statement!(sql, tenant, by, missing)).await
}

/// Adds the memories in which proposals were met, and counts them: for the file's proposal, or for the one here that replaces it. Returns
/// how many.
pub async fn add_proposal_memories(tx: &mut Tx, tenant: TenantId) -> Result<u64, DbError> {
    let places: Vec<(Uuid, Uuid)> = tx
        .rows(sql!(
            [tenant],
            counted_here!(),
            r", places as (
              select s.id, coalesce(e.id, c.place) as place
                from staged_term_proposals s
                left join proposals_here e on e.id = s.id
                left join counted c on c.id = s.id)
          select p.id, p.place from places p where p.place is not null"
        ))
        .await?;
    let (proposals, places): (Vec<Uuid>, Vec<Uuid>) = places.into_iter().unzip();
    let added: Vec<Uuid> = tx
        .values(sql!(
            [tenant, proposals, places],
            r"insert into proposal_memories (tenant_id, event_id, proposal_id, agent_id, memory_id, seen_at)
              select $1, m.event_id, p.place, m.agent_id, m.memory_id, m.seen_at
                from staged_proposal_memories m join unnest($2::uuid[], $3::uuid[]) as p (id, place) on p.id = m.proposal_id
              on conflict (tenant_id, event_id) do nothing returning proposal_id"
        ))
        .await?;
    tx.run(sql!(
        [tenant, &added],
        r"with counted as (
              select m.proposal_id, count(*) as count, max(m.seen_at) as last_seen from proposal_memories m
               where m.tenant_id = $1 and m.proposal_id = any($2) group by m.proposal_id)
          update term_proposals p set count = greatest(p.count, c.count), last_seen = greatest(p.last_seen, c.last_seen)
            from counted c where p.tenant_id = $1 and p.id = c.proposal_id"
    ))
    .await?;
    Ok(added.len() as u64)
}

/// Settles open proposals that are not in the file and whose phrase a decision of the file made known.
pub async fn settle_proposals(tx: &mut Tx, tenant: TenantId) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant],
        r"with decided as materialized (select d.id, d.opened_terms, d.opened_aliases from staged_decisions d),
          proposed as materialized (select s.id from staged_term_proposals s),
          known as (
              select t.normal, 'approved' as status, d.id as decision_id
                from decided d join canonical_terms t on t.tenant_id = $1 and t.id = any(d.opened_terms) and t.valid_to is null
              union all
              select a.normal, 'merged', d.id
                from decided d join term_aliases a on a.tenant_id = $1 and a.id = any(d.opened_aliases) and a.valid_to is null)
          update term_proposals p set status = k.status, decision_id = k.decision_id from known k
           where p.tenant_id = $1 and p.normal = k.normal and p.status = 'open'
             and not exists (select from proposed s where s.id = p.id)"
    ))
    .await
}

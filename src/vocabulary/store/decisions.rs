//! SQL of proposals and decisions.

use chrono::{DateTime, Utc};
use db::cursor::Seek;
use db::{COUNTED, DbError, Tx, count_rows, insert, like, sql, statement};
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;
use wire::{AgentId, DecisionId, DecisionKind, MemoryId, ProposalFilter, ProposalId, ProposalStatus, TenantId, TermId};

/// A proposal as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct ProposalRow {
    pub id: ProposalId,
    pub phrase: String,
    pub normal: String,
    pub status: ProposalStatus,
    pub count: i64,
    pub first_seen: DateTime<Utc>,
    pub last_seen: DateTime<Utc>,
    pub decision_id: Option<DecisionId>,
    pub agents: Vec<Uuid>,
}

/// The columns of [`ProposalRow`], for a table called `p`.
macro_rules! proposal {
    () => {
        "p.id, p.phrase, p.normal, p.status, p.count, p.first_seen, p.last_seen, p.decision_id, \
         array(select distinct m.agent_id from proposal_memories m where m.tenant_id = $1 and m.proposal_id = p.id) as agents"
    };
}

fn narrow(query: &mut QueryBuilder<Postgres>, tenant: TenantId, filter: &ProposalFilter) {
    query.push(" from term_proposals p where p.tenant_id = ").push_bind(tenant);
    match filter.status {
        None | Some(ProposalStatus::Open) => drop(query.push(" and p.status = 'open' and not p.unused")),
        Some(decided) => drop(query.push(" and p.status = ").push_bind(decided)),
    }
    if let Some(once) = filter.once {
        query.push(" and (p.count < 2) = ").push_bind(once);
    }
    if let Some(q) = &filter.q {
        query.push(" and p.phrase ilike ").push_bind(like::contains(q));
    }
}

/// How many proposals a filter matches, up to [`wire::TOTAL_MAX`] and one more.
pub async fn count_proposals(tx: &mut Tx, tenant: TenantId, filter: &ProposalFilter) -> Result<i64, DbError> {
    let mut query = QueryBuilder::new(format!("select {COUNTED}"));
    narrow(&mut query, tenant, filter);
    count_rows(tx, query, "p.count desc, p.id desc").await
}

/// One page's proposals and one more, in reading order; the most frequent first.
pub async fn list_proposals(
    tx: &mut Tx,
    tenant: TenantId,
    filter: &ProposalFilter,
    seek: &Seek<i64>,
    size: usize,
) -> Result<Vec<ProposalRow>, DbError> {
    let mut query = QueryBuilder::new(concat!("select ", proposal!()));
    narrow(&mut query, tenant, filter);
    seek.push(&mut query, "p.count", "p.id", true, size);
    tx.rows(query).await
}

/// The phrases (normal forms) of open proposals that were met in memories only. One that an agent proposed itself waits without any use.
pub async fn met_phrases(tx: &mut Tx, tenant: TenantId) -> Result<Vec<String>, DbError> {
    tx.values(sql!(
        [tenant],
        r"select p.normal from term_proposals p where p.tenant_id = $1 and p.status = 'open' and not exists (
                 select 1 from proposal_memories m where m.tenant_id = $1 and m.proposal_id = p.id and m.memory_id is null)"
    ))
    .await
}

/// Hides the open proposals of these phrases (normal forms) unless one was met at `since` or later, and shows those of all other phrases.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, unused = unused.len()))]
pub async fn mark_unused(tx: &mut Tx, tenant: TenantId, unused: &[String], since: DateTime<Utc>) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, unused, since],
        r"update term_proposals set unused = (normal = any($2))
           where tenant_id = $1 and status = 'open' and unused <> (normal = any($2)) and (unused or last_seen < $3)"
    ))
    .await
}

/// Proposals by id, locked until the transaction ends if they are to be decided.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn proposals(tx: &mut Tx, tenant: TenantId, ids: &[ProposalId], lock: bool) -> Result<Vec<ProposalRow>, DbError> {
    const READ: &str = concat!("select ", proposal!(), " from term_proposals p where p.tenant_id = $1 and p.id = any($2) order by p.id");
    const LOCK: &str =
        concat!("select ", proposal!(), " from term_proposals p where p.tenant_id = $1 and p.id = any($2) order by p.id for update of p");
    tx.rows(statement!(if lock { LOCK } else { READ }, tenant, ids)).await
}

/// The memories in which a proposal was met, newest first.
pub async fn met_in(tx: &mut Tx, tenant: TenantId, id: ProposalId, most: i64) -> Result<Vec<(AgentId, MemoryId)>, DbError> {
    tx.rows(sql!(
        [tenant, id, most],
        r"select agent_id, memory_id from proposal_memories where tenant_id = $1 and proposal_id = $2 and memory_id is not null
           group by agent_id, memory_id order by max(seen_at) desc limit $3"
    ))
    .await
}

/// Gives open proposals their decision: those of the phrases that it decided, and those whose normal form it made known.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, phrases = phrases.len()))]
pub async fn settle(
    tx: &mut Tx,
    tenant: TenantId,
    phrases: &[String],
    known: &[String],
    status: ProposalStatus,
    decision: DecisionId,
) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, phrases, known, status, decision],
        r"update term_proposals set status = $4, decision_id = $5
           where tenant_id = $1 and status = 'open' and (phrase = any($2) or normal = any($3))"
    ))
    .await
}

/// Opens the proposals of a decision that is undone, and the newest one of each normal form that stands for nothing any more.
pub async fn reopen(tx: &mut Tx, tenant: TenantId, decision: DecisionId, unknown: &[String]) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, decision, unknown],
        r"update term_proposals p set status = 'open', decision_id = null
           where p.tenant_id = $1 and (p.decision_id = $2 or p.id in (
                 select distinct on (s.normal) s.id from term_proposals s
                  where s.tenant_id = $1 and s.normal = any($3) and s.status in ('approved', 'merged') and not exists (
                        select 1 from term_proposals o
                         where o.tenant_id = $1 and o.normal = s.normal and (o.status = 'open' or o.decision_id = $2))
                  order by s.normal, s.last_seen desc, s.id desc))"
    ))
    .await
}

/// A decision as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct DecisionRow {
    pub id: DecisionId,
    pub together: Option<DecisionId>,
    pub kind: DecisionKind,
    pub subjects: Vec<String>,
    pub term_id: Option<TermId>,
    pub term: Option<String>,
    pub reason: Option<String>,
    pub actor_kind: String,
    pub actor_id: String,
    pub actor_name: String,
    pub at: DateTime<Utc>,
    pub version: i64,
    pub forms: Vec<String>,
    pub memories: i64,
    pub opened_terms: Vec<Uuid>,
    pub closed_terms: Vec<Uuid>,
    pub opened_aliases: Vec<Uuid>,
    pub closed_aliases: Vec<Uuid>,
    pub undone_by: Option<DecisionId>,
    /// Whether everything that it opened is still in force; of an undo also, whether nothing was decided about its phrases since; of a
    /// rejection, whether its phrases mean nothing.
    pub stands: bool,
}

impl DecisionRow {
    /// Whether it can be undone.
    pub fn undoable(&self) -> bool {
        self.undone_by.is_none() && self.stands
    }
}

/// The columns of [`DecisionRow`], for a table called `d`.
macro_rules! decision {
    () => {
        "d.id, d.together, d.kind, d.subjects, d.term_id, d.term, d.reason, d.actor_kind, d.actor_id, d.actor_name, d.at, d.version, d.forms, \
         d.memories, d.opened_terms, d.closed_terms, d.opened_aliases, d.closed_aliases, d.undone_by, \
         not exists (select 1 from canonical_terms t where t.tenant_id = $1 and t.id = any(d.opened_terms) and not exists ( \
             select 1 from canonical_terms n where n.tenant_id = $1 and n.lineage = t.lineage and n.valid_to is null \
                and (n.term, n.definition) = (t.term, t.definition) and n.category is not distinct from t.category)) \
         and not exists (select 1 from term_aliases a where a.tenant_id = $1 and a.id = any(d.opened_aliases) and not exists ( \
             select 1 from term_aliases n \
              where n.tenant_id = $1 and n.term_id = a.term_id and n.alias = a.alias and n.valid_to is null)) \
         and (d.kind <> 'undo' or not exists (select 1 from decisions l where l.tenant_id = $1 \
             and (l.at, l.version) > (d.at, d.version) and (l.subjects && d.subjects or l.forms && d.forms))) \
         and (d.kind <> 'reject' or not exists (select 1 from term_proposals p where p.tenant_id = $1 and p.decision_id = d.id \
             and (exists (select 1 from canonical_terms t where t.tenant_id = $1 and t.normal = p.normal and t.valid_to is null) \
              or exists (select 1 from term_aliases a where a.tenant_id = $1 and a.normal = p.normal and a.valid_to is null)))) \
         as stands"
    };
}

pub async fn insert_decision(tx: &mut Tx, tenant: TenantId, row: &DecisionRow) -> Result<(), DbError> {
    let query = insert!("insert into decisions" {
        tenant_id: tenant,
        id: row.id,
        together: row.together,
        kind: row.kind,
        subjects: &row.subjects,
        term_id: row.term_id,
        term: &row.term,
        reason: &row.reason,
        actor_kind: &row.actor_kind,
        actor_id: &row.actor_id,
        actor_name: &row.actor_name,
        at: row.at,
        version: row.version,
        forms: &row.forms,
        memories: row.memories,
        opened_terms: &row.opened_terms,
        closed_terms: &row.closed_terms,
        opened_aliases: &row.opened_aliases,
        closed_aliases: &row.closed_aliases,
    } "");
    tx.run(query).await
}

/// Records which decision undid another; false when it was undone already.
pub async fn mark_undone(tx: &mut Tx, tenant: TenantId, id: DecisionId, by: DecisionId) -> Result<bool, DbError> {
    tx.changed_any(sql!([tenant, id, by], "update decisions set undone_by = $3 where tenant_id = $1 and id = $2 and undone_by is null"))
        .await
}

#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn decisions(tx: &mut Tx, tenant: TenantId, ids: &[DecisionId]) -> Result<Vec<DecisionRow>, DbError> {
    tx.rows(sql!([tenant, ids], "select ", decision!(), " from decisions d where d.tenant_id = $1 and d.id = any($2)")).await
}

/// Decisions that were made in one step, by the id that they share, or one by its own.
pub async fn decided_together(tx: &mut Tx, tenant: TenantId, together: DecisionId) -> Result<Vec<DecisionRow>, DbError> {
    tx.rows(sql!(
        [tenant, together],
        "select ",
        decision!(),
        " from decisions d where d.tenant_id = $1 and (d.together = $2 or d.id = $2) order by d.subjects"
    ))
    .await
}

/// What the decision was, and its reason, that another one undid.
pub async fn undone_by(tx: &mut Tx, tenant: TenantId, by: DecisionId) -> Result<Option<(DecisionKind, Option<String>)>, DbError> {
    tx.row_if_any(sql!([tenant, by], "select kind, reason from decisions where tenant_id = $1 and undone_by = $2")).await
}

/// The newest decisions whose phrases contain a text, and those about terms whose name or alias, of today or before, contains it.
pub async fn decisions_about(tx: &mut Tx, tenant: TenantId, text: &str, most: i64) -> Result<Vec<DecisionId>, DbError> {
    tx.values(sql!(
        [tenant, like::contains(text), most],
        r"select d.id from decisions d
                 where d.tenant_id = $1
                   and (d.term ilike $2 or exists (select from unnest(d.subjects) s where s ilike $2)
                        or d.term_id in (select t.lineage from canonical_terms t where t.tenant_id = $1 and t.term ilike $2)
                        or d.term_id in (select a.term_id from term_aliases a where a.tenant_id = $1 and a.alias ilike $2))
                 order by d.at desc, d.id desc limit $3"
    ))
    .await
}

/// How many decisions there are.
pub async fn count_decisions(tx: &mut Tx, tenant: TenantId) -> Result<i64, DbError> {
    tx.value(sql!([tenant], "select count(*) from decisions where tenant_id = $1")).await
}

/// One page's decisions and one more, in reading order; newest first.
pub async fn list_decisions(tx: &mut Tx, tenant: TenantId, seek: &Seek, size: usize) -> Result<Vec<DecisionRow>, DbError> {
    let mut query = QueryBuilder::<Postgres>::new(concat!("select ", decision!(), " from decisions d where d.tenant_id = "));
    query.push_bind(tenant);
    seek.push(&mut query, "d.at", "d.id", true, size);
    tx.rows(query).await
}

/// The decisions about a term, newest first.
pub async fn history(tx: &mut Tx, tenant: TenantId, term: TermId, most: i64) -> Result<Vec<DecisionRow>, DbError> {
    tx.rows(sql!(
        [tenant, term, most],
        "select ",
        decision!(),
        r" from decisions d
           where d.tenant_id = $1 and (d.term_id = $2 or exists (
                 select 1 from canonical_terms t
                  where t.tenant_id = $1 and t.lineage = $2 and (t.id = any(d.opened_terms) or t.id = any(d.closed_terms))))
           order by d.at desc, d.id desc limit $3"
    ))
    .await
}

//! SQL of proposals and decisions.

use chrono::{DateTime, Utc};
use db::cursor::Seek;
use db::{DbError, Tx, like};
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
         array(select distinct m.agent_id from proposal_memories m where m.tenant_id = p.tenant_id and m.proposal_id = p.id) as agents"
    };
}

fn narrow(query: &mut QueryBuilder<Postgres>, tenant: TenantId, filter: &ProposalFilter) {
    query.push(" from term_proposals p where p.tenant_id = ").push_bind(tenant);
    query.push(" and p.status = ").push_bind(filter.status.unwrap_or(ProposalStatus::Open));
    if let Some(q) = &filter.q {
        query.push(" and p.phrase ilike ").push_bind(like::contains(q));
    }
}

/// How many proposals a filter matches.
pub async fn count_proposals(tx: &mut Tx, tenant: TenantId, filter: &ProposalFilter) -> Result<i64, DbError> {
    let mut query = QueryBuilder::new("select count(*)");
    narrow(&mut query, tenant, filter);
    Ok(query.build_query_scalar().fetch_one(&mut **tx).await?)
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
    Ok(query.build_query_as().fetch_all(&mut **tx).await?)
}

/// Proposals by id, locked until the transaction ends if they are to be decided.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn proposals(tx: &mut Tx, tenant: TenantId, ids: &[ProposalId], lock: bool) -> Result<Vec<ProposalRow>, DbError> {
    const READ: &str = concat!("select ", proposal!(), " from term_proposals p where p.tenant_id = $1 and p.id = any($2) order by p.id");
    const LOCK: &str =
        concat!("select ", proposal!(), " from term_proposals p where p.tenant_id = $1 and p.id = any($2) order by p.id for update of p");
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    Ok(sqlx::query_as(if lock { LOCK } else { READ }).bind(tenant).bind(ids).fetch_all(&mut **tx).await?)
}

/// The memories in which a proposal was met, newest first.
pub async fn met_in(tx: &mut Tx, tenant: TenantId, id: ProposalId, most: i64) -> Result<Vec<(AgentId, MemoryId)>, DbError> {
    Ok(sqlx::query_as(
        r"select agent_id, memory_id from proposal_memories where tenant_id = $1 and proposal_id = $2 and memory_id is not null
           group by agent_id, memory_id order by max(seen_at) desc limit $3",
    )
    .bind(tenant)
    .bind(id)
    .bind(most)
    .fetch_all(&mut **tx)
    .await?)
}

/// Gives proposals their decision: those that it decided, and open ones whose phrase it made known.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn settle(
    tx: &mut Tx,
    tenant: TenantId,
    ids: &[ProposalId],
    known: &[String],
    status: ProposalStatus,
    decision: DecisionId,
) -> Result<(), DbError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    sqlx::query(
        r"update term_proposals set status = $4, decision_id = $5
           where tenant_id = $1 and status = 'open' and (id = any($2) or normal = any($3))",
    )
    .bind(tenant)
    .bind(ids)
    .bind(known)
    .bind(status)
    .bind(decision)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Opens the proposals of a decision that is undone.
pub async fn reopen(tx: &mut Tx, tenant: TenantId, decision: DecisionId) -> Result<(), DbError> {
    sqlx::query("update term_proposals set status = 'open', decision_id = null where tenant_id = $1 and decision_id = $2")
        .bind(tenant)
        .bind(decision)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// A decision as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct DecisionRow {
    pub id: DecisionId,
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
    /// Whether everything that it opened is still in force.
    pub stands: bool,
}

/// The columns of [`DecisionRow`], for a table called `d`.
macro_rules! decision {
    () => {
        "d.id, d.kind, d.subjects, d.term_id, d.term, d.reason, d.actor_kind, d.actor_id, d.actor_name, d.at, d.version, d.forms, \
         d.memories, d.opened_terms, d.closed_terms, d.opened_aliases, d.closed_aliases, d.undone_by, \
         not exists (select 1 from canonical_terms t where t.tenant_id = d.tenant_id and t.id = any(d.opened_terms) and not exists ( \
             select 1 from canonical_terms n where n.tenant_id = t.tenant_id and n.lineage = t.lineage and n.valid_to is null \
                and (n.term, n.definition) = (t.term, t.definition) and n.category is not distinct from t.category)) \
         and not exists (select 1 from term_aliases a where a.tenant_id = d.tenant_id and a.id = any(d.opened_aliases) and not exists ( \
             select 1 from term_aliases n \
              where n.tenant_id = a.tenant_id and n.term_id = a.term_id and n.alias = a.alias and n.valid_to is null)) as stands"
    };
}

/// Writes a decision.
pub async fn insert_decision(tx: &mut Tx, tenant: TenantId, row: &DecisionRow) -> Result<(), DbError> {
    sqlx::query(
        r"insert into decisions (tenant_id, id, kind, subjects, term_id, term, reason, actor_kind, actor_id, actor_name, at, version, forms,
              memories, opened_terms, closed_terms, opened_aliases, closed_aliases)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
    )
    .bind(tenant)
    .bind(row.id)
    .bind(row.kind)
    .bind(&row.subjects)
    .bind(row.term_id)
    .bind(&row.term)
    .bind(&row.reason)
    .bind(&row.actor_kind)
    .bind(&row.actor_id)
    .bind(&row.actor_name)
    .bind(row.at)
    .bind(row.version)
    .bind(&row.forms)
    .bind(row.memories)
    .bind(&row.opened_terms)
    .bind(&row.closed_terms)
    .bind(&row.opened_aliases)
    .bind(&row.closed_aliases)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Records which decision undid another; false when it was undone already.
pub async fn mark_undone(tx: &mut Tx, tenant: TenantId, id: DecisionId, by: DecisionId) -> Result<bool, DbError> {
    let done = sqlx::query("update decisions set undone_by = $3 where tenant_id = $1 and id = $2 and undone_by is null")
        .bind(tenant)
        .bind(id)
        .bind(by)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Decisions by id.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn decisions(tx: &mut Tx, tenant: TenantId, ids: &[DecisionId]) -> Result<Vec<DecisionRow>, DbError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    Ok(sqlx::query_as(concat!("select ", decision!(), " from decisions d where d.tenant_id = $1 and d.id = any($2)"))
        .bind(tenant)
        .bind(ids)
        .fetch_all(&mut **tx)
        .await?)
}

/// The newest decisions whose phrases contain a text, and those about terms whose name or alias, of today or before, contains it.
pub async fn decisions_about(tx: &mut Tx, tenant: TenantId, text: &str, most: i64) -> Result<Vec<DecisionId>, DbError> {
    let sql = r"select d.id from decisions d
                 where d.tenant_id = $1
                   and (d.term ilike $2 or exists (select from unnest(d.subjects) s where s ilike $2)
                        or d.term_id in (select t.lineage from canonical_terms t where t.tenant_id = $1 and t.term ilike $2)
                        or d.term_id in (select a.term_id from term_aliases a where a.tenant_id = $1 and a.alias ilike $2))
                 order by d.at desc, d.id desc limit $3";
    Ok(sqlx::query_scalar(sql).bind(tenant).bind(like::contains(text)).bind(most).fetch_all(&mut **tx).await?)
}

/// How many decisions there are.
pub async fn count_decisions(tx: &mut Tx, tenant: TenantId) -> Result<i64, DbError> {
    Ok(sqlx::query_scalar("select count(*) from decisions where tenant_id = $1").bind(tenant).fetch_one(&mut **tx).await?)
}

/// One page's decisions and one more, in reading order; newest first.
pub async fn list_decisions(tx: &mut Tx, tenant: TenantId, seek: &Seek, size: usize) -> Result<Vec<DecisionRow>, DbError> {
    let mut query = QueryBuilder::<Postgres>::new(concat!("select ", decision!(), " from decisions d where d.tenant_id = "));
    query.push_bind(tenant);
    seek.push(&mut query, "d.at", "d.id", true, size);
    Ok(query.build_query_as().fetch_all(&mut **tx).await?)
}

/// The decisions about a term, newest first.
pub async fn history(tx: &mut Tx, tenant: TenantId, term: TermId, most: i64) -> Result<Vec<DecisionRow>, DbError> {
    Ok(sqlx::query_as(concat!(
        "select ",
        decision!(),
        r" from decisions d
           where d.tenant_id = $1 and (d.term_id = $2 or exists (
                 select 1 from canonical_terms t
                  where t.tenant_id = d.tenant_id and t.lineage = $2 and (t.id = any(d.opened_terms) or t.id = any(d.closed_terms))))
           order by d.at desc, d.id desc limit $3"
    ))
    .bind(tenant)
    .bind(term)
    .bind(most)
    .fetch_all(&mut **tx)
    .await?)
}

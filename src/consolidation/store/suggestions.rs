//! Suggestions about two memories.

use chrono::{DateTime, Utc};
use db::cursor::Seek;
use db::{DbError, Tenancy, Tx, count_rows, of_user, sql, statement};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};
use wire::{AgentId, MemoryId, MemoryStatus, SuggestionId, SuggestionRelation, UserId};

/// One end of a suggestion.
#[derive(Clone)]
pub struct End {
    pub id: MemoryId,
    pub short_id: String,
    pub version: i32,
    pub content: String,
    pub status: MemoryStatus,
    pub said_at: DateTime<Utc>,
}

/// An open suggestion with both memories.
pub struct OpenSuggestion {
    pub id: SuggestionId,
    pub agent_id: AgentId,
    pub user_id: Option<UserId>,
    pub relation: SuggestionRelation,
    pub reason: String,
    pub created_at: DateTime<Utc>,
    pub from: End,
    pub to: End,
}

impl FromRow<'_, PgRow> for OpenSuggestion {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            id: row.try_get("id")?,
            agent_id: row.try_get("agent_id")?,
            user_id: row.try_get("user_id")?,
            relation: row.try_get("relation")?,
            reason: row.try_get("reason")?,
            created_at: row.try_get("created_at")?,
            from: End::of(row, "from")?,
            to: End::of(row, "to")?,
        })
    }
}

impl End {
    /// The end whose columns begin with the name of its side.
    fn of(row: &PgRow, side: &str) -> Result<Self, sqlx::Error> {
        let column = |name: &str| format!("{side}_{name}");
        Ok(Self {
            id: row.try_get(column("id").as_str())?,
            short_id: row.try_get(column("short_id").as_str())?,
            version: row.try_get(column("version").as_str())?,
            content: row.try_get(column("content").as_str())?,
            status: row.try_get(column("status").as_str())?,
            said_at: row.try_get(column("said_at").as_str())?,
        })
    }
}

/// Open suggestions about two memories that are still there.
macro_rules! open_suggestions {
    () => {
        r"select p.id, p.agent_id, p.user_id, p.relation, p.reason, p.created_at,
                 f.id as from_id, f.short_id as from_short_id, f.version as from_version, f.content as from_content, f.status as from_status,
                 coalesce(f.observed_at, f.created_at) as from_said_at, coalesce(t.observed_at, t.created_at) as to_said_at,
                 t.id as to_id, t.short_id as to_short_id, t.version as to_version, t.content as to_content, t.status as to_status
            from memory_proposals p
            join agent_memories f
              on f.tenant_id = p.tenant_id and f.agent_id = p.agent_id and f.id = p.from_id and f.deleted_at is null and f.status <> 'superseded'
            join agent_memories t
              on t.tenant_id = p.tenant_id and t.agent_id = p.agent_id and t.id = p.to_id and t.deleted_at is null and t.status <> 'superseded'
           where p.tenant_id = $1 and p.state = 'open' and "
    };
}

/// The open suggestions about some memories.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, ids = ids.len()))]
pub async fn suggestions_of(tx: &mut Tx, tenancy: Tenancy, ids: &[MemoryId]) -> Result<Vec<OpenSuggestion>, DbError> {
    let sql =
        concat!(open_suggestions!(), of_user!("p", "$3"), " and (p.from_id = any($2) or p.to_id = any($2)) order by p.created_at, p.id");
    tx.rows(statement!(sql, tenancy.tenant, ids, tenancy.users)).await
}

/// One page of suggestions about active memories, of one agent or of all, and one more, oldest first.
pub async fn suggestion_list(
    tx: &mut Tx,
    tenancy: Tenancy,
    agent: Option<AgentId>,
    seek: &Seek,
    size: usize,
) -> Result<Vec<OpenSuggestion>, DbError> {
    let sql = concat!(open_suggestions!(), of_user!("p", "$2"), " and f.live and t.live and ($3::uuid is null or p.agent_id = $3)");
    let mut query = statement!(sql, tenancy.tenant, tenancy.users, agent);
    seek.push(&mut query, "p.created_at", "p.id", false, size);
    tx.rows(query).await
}

/// How many suggestions about active memories wait, of one agent or of all, up to [`wire::TOTAL_MAX`] and one more.
pub async fn suggestion_count(tx: &mut Tx, tenancy: Tenancy, agent: Option<AgentId>) -> Result<i64, DbError> {
    let sql = concat!(
        "select count(*) from (",
        open_suggestions!(),
        of_user!("p", "$2"),
        " and f.live and t.live and ($3::uuid is null or p.agent_id = $3)"
    );
    count_rows(tx, statement!(sql, tenancy.tenant, tenancy.users, agent), "p.created_at, p.id").await
}

/// An open suggestion, locked.
pub async fn open_suggestion(tx: &mut Tx, tenancy: Tenancy, id: SuggestionId) -> Result<Option<OpenSuggestion>, DbError> {
    let sql = concat!(open_suggestions!(), of_user!("p", "$3"), " and p.id = $2 for update of p");
    tx.row_if_any(statement!(sql, tenancy.tenant, id, tenancy.users)).await
}

/// A suggestion that was decided.
#[derive(Clone, Debug, FromRow)]
pub struct Decided {
    pub agent_id: AgentId,
    pub relation: SuggestionRelation,
    pub from_id: MemoryId,
    pub to_id: MemoryId,
    pub accepted: bool,
    /// What accepting it did.
    pub effect: Option<serde_json::Value>,
}

/// A suggestion that was decided, locked.
pub async fn decided(tx: &mut Tx, tenancy: Tenancy, id: SuggestionId) -> Result<Option<Decided>, DbError> {
    tx.row_if_any(sql!(
        [tenancy.tenant, id, tenancy.users],
        r"select p.agent_id, p.relation, p.from_id, p.to_id, p.state = 'accepted' as accepted, p.effect
            from memory_proposals p where p.tenant_id = $1 and p.id = $2 and p.state <> 'open' and ",
        of_user!("p", "$3"),
        " for update"
    ))
    .await
}

/// Opens a decided suggestion again.
pub async fn reopen_suggestion(tx: &mut Tx, tenancy: Tenancy, id: SuggestionId) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, id, tenancy.users],
        r"update memory_proposals p set state = 'open', decided_by = null, decided_at = null, effect = null
           where p.tenant_id = $1 and p.id = $2 and ",
        of_user!("p", "$3")
    ))
    .await
}

/// Records the decision about a suggestion, and what it did.
pub async fn close_suggestion(
    tx: &mut Tx,
    tenancy: Tenancy,
    id: SuggestionId,
    accepted: bool,
    by: &str,
    effect: Option<&serde_json::Value>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, id, if accepted { "accepted" } else { "declined" }, by, now, tenancy.users, effect],
        r"update memory_proposals p set state = $3, decided_by = $4, decided_at = $5, effect = $7
           where p.tenant_id = $1 and p.id = $2 and ",
        of_user!("p", "$6")
    ))
    .await
}

/// Which of some memories contradict or correct a live memory, by an open suggestion.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, ids = ids.len()))]
pub async fn disputed(tx: &mut Tx, tenancy: Tenancy, ids: &[MemoryId]) -> Result<Vec<MemoryId>, DbError> {
    tx.values(sql!(
        [tenancy.tenant, ids, tenancy.users],
        r"select distinct case when p.from_id = any($2) then p.from_id else p.to_id end
            from memory_proposals p
            join agent_memories o
              on o.tenant_id = p.tenant_id and o.agent_id = p.agent_id and o.id = case when p.from_id = any($2) then p.to_id
                   else p.from_id end
           where p.tenant_id = $1 and (p.from_id = any($2) or p.to_id = any($2)) and p.state = 'open' and p.relation <> 'duplicates'
             and o.live and ",
        of_user!("p", "$3"),
        " order by 1"
    ))
    .await
}

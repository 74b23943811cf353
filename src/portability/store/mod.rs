//! All SQL of export and import. Reading goes by key, so that no page costs more than the one before it.

mod check;
mod write;

pub use check::{begin_check, count_existing, held_elsewhere, missing, note, same_short_ids, same_slugs, stored_memories, stored_versions};
pub use write::{
    drop_tombstones, put_events, put_links, put_memories, put_project_links, put_projects, put_repos, put_sources, put_tombstones,
    put_versions,
};

use super::lines::{
    EVENT_KINDS, EventLine, LinkLine, MemoryLine, ProjectLine, ProjectLinkLine, RepoLine, SourceLine, TombstoneLine, VersionLine,
};
use crate::api::{AgentId, MemoryFilter, TenantId};
use crate::db::{DbError, Tx, statement};
use crate::memories::store::{narrow, push_deleted};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;

/// Columns of [`MemoryLine`], but for its agent.
pub const MEMORY: &[&str] = &[
    "id",
    "short_id",
    "created_by",
    "user_id",
    "kind",
    "category",
    "subject",
    "retention",
    "scope",
    "project_id",
    "repo_id",
    "session_id",
    "connection_id",
    "status",
    "topic",
    "topic_raw",
    "is_canonical",
    "title",
    "content",
    "summary",
    "role",
    "source",
    "source_kind",
    "source_id",
    "evidence_ref",
    "context_type",
    "tool_id",
    "attachment_id",
    "filename",
    "confidence",
    "importance",
    "pinned",
    "version",
    "access_count",
    "last_accessed_at",
    "observed_at",
    "created_at",
    "updated_at",
    "expires_at",
    "archived_at",
    "deleted_at",
    "deleted_by",
    "delete_reason",
    "profile_fact",
];
/// Columns of [`VersionLine`], likewise.
pub const VERSION: &[&str] = &[
    "memory_id",
    "version",
    "change",
    "content",
    "topic",
    "topic_raw",
    "is_canonical",
    "status",
    "deleted",
    "updated_at",
    "valid_from",
    "actor_kind",
    "actor_id",
    "actor_name",
    "source",
];
/// Columns of [`LinkLine`], likewise.
pub const LINK: &[&str] = &["from_id", "to_id", "relation", "created_at", "created_by"];
/// Columns of [`TombstoneLine`], likewise.
pub const TOMBSTONE: &[&str] = &["memory_id", "content_hash", "user_id", "source", "created_at"];
/// Columns of [`SourceLine`], likewise.
pub const SOURCE: &[&str] = &["id", "kind", "reference", "content", "metadata", "created_at"];
/// Columns of [`ProjectLine`], likewise.
pub const PROJECT: &[&str] = &["id", "slug", "name", "created_at", "created_by"];
/// Columns of [`RepoLine`], likewise.
pub const REPO: &[&str] = &["id", "project_id", "slug", "name", "created_at", "created_by"];
/// Columns of [`ProjectLinkLine`], likewise.
pub const PROJECT_LINK: &[&str] = &["one_id", "other_id", "created_at", "created_by"];
/// Columns of [`EventLine`], likewise.
pub const EVENT: &[&str] =
    &["id", "kind", "task", "payload", "source_id", "state", "attempt", "run_after", "error", "outcome", "created_at", "finished_at"];

/// Whose records are read: one agent's, and of those what belongs to memories that a filter matches.
pub struct Scope<'a> {
    pub tenant: TenantId,
    pub agent: AgentId,
    /// All agents of the export: a link may lead from one's memory to another's.
    pub agents: &'a [AgentId],
    pub filter: Option<&'a MemoryFilter>,
}

impl Scope<'_> {
    /// `select t.…, … from table t where` it is this agent's.
    fn select(&self, table: &str, columns: &[&str]) -> Result<QueryBuilder<Postgres>, DbError> {
        let columns = columns.join(", t.");
        let text = format!("select t.agent_id, t.{columns} from {table} t where t.tenant_id = $1 and t.agent_id = $2");
        Ok(statement!(text, self.tenant, self.agent))
    }

    /// `and` a memory that the filter matches is the one that `same` says.
    fn about(&self, query: &mut QueryBuilder<Postgres>, same: &str) {
        if let Some(filter) = self.filter {
            query.push(format!(
                " and exists (select from agent_memories m where m.tenant_id = t.tenant_id and m.agent_id = t.agent_id and {same}"
            ));
            matching(query, filter);
            query.push(")");
        }
    }
}

/// What a list shows: a filter says whether it is of deleted memories.
fn matching(query: &mut QueryBuilder<Postgres>, filter: &MemoryFilter) {
    push_deleted(query, filter);
    narrow(query, filter);
}

async fn page<T>(tx: &mut Tx, mut query: QueryBuilder<Postgres>, order: &str, size: usize) -> Result<Vec<T>, DbError>
where
    T: for<'r> FromRow<'r, PgRow> + Send + Unpin,
{
    query.push(format!(" order by {order} limit ")).push_bind(i64::try_from(size).unwrap_or(i64::MAX));
    Ok(query.build_query_as().fetch_all(&mut **tx).await?)
}

/// Memories after `last`, by id.
pub async fn memories(tx: &mut Tx, scope: &Scope<'_>, last: Option<&MemoryLine>, size: usize) -> Result<Vec<MemoryLine>, DbError> {
    let mut query = scope.select("agent_memories", MEMORY)?;
    scope.about(&mut query, "m.id = t.id");
    if let Some(last) = last {
        query.push(" and t.id > ").push_bind(last.id);
    }
    page(tx, query, "t.id", size).await
}

/// Versions after `last`, by memory and number.
pub async fn versions(tx: &mut Tx, scope: &Scope<'_>, last: Option<&VersionLine>, size: usize) -> Result<Vec<VersionLine>, DbError> {
    let mut query = scope.select("agent_memory_versions", VERSION)?;
    scope.about(&mut query, "m.id = t.memory_id");
    if let Some(last) = last {
        query.push(" and (t.memory_id, t.version) > (").push_bind(last.memory_id).push(", ").push_bind(last.version).push(")");
    }
    page(tx, query, "t.memory_id, t.version", size).await
}

/// Links after `last` of which both ends are meant, by ends and relation.
pub async fn links(tx: &mut Tx, scope: &Scope<'_>, last: Option<&LinkLine>, size: usize) -> Result<Vec<LinkLine>, DbError> {
    let mut query = scope.select("memory_links", LINK)?;
    let agents: Vec<Uuid> = scope.agents.iter().map(|agent| agent.0).collect();
    for end in ["m.id = t.from_id", "m.id = t.to_id"] {
        query.push(" and exists (select from agent_memories m where m.tenant_id = t.tenant_id and m.agent_id = any(");
        query.push_bind(agents.clone()).push(format!(") and {end}"));
        if let Some(filter) = scope.filter {
            matching(&mut query, filter);
        }
        query.push(")");
    }
    if let Some(last) = last {
        query.push(" and (t.from_id, t.to_id, t.relation) > (").push_bind(last.from_id).push(", ").push_bind(last.to_id);
        query.push(", ").push_bind(last.relation.as_str()).push(")");
    }
    page(tx, query, "t.from_id, t.to_id, t.relation", size).await
}

/// Tombstones after `last`, by memory.
pub async fn tombstones(tx: &mut Tx, scope: &Scope<'_>, last: Option<&TombstoneLine>, size: usize) -> Result<Vec<TombstoneLine>, DbError> {
    let mut query = scope.select("tombstones", TOMBSTONE)?;
    scope.about(&mut query, "m.id = t.memory_id");
    if let Some(last) = last {
        query.push(" and t.memory_id > ").push_bind(last.memory_id);
    }
    page(tx, query, "t.memory_id", size).await
}

/// Sources after `last`, by id; under a filter those of the memories that it matches.
pub async fn sources(tx: &mut Tx, scope: &Scope<'_>, last: Option<&SourceLine>, size: usize) -> Result<Vec<SourceLine>, DbError> {
    let mut query = scope.select("sources", SOURCE)?;
    scope.about(&mut query, "m.source_id = t.id");
    if let Some(last) = last {
        query.push(" and t.id > ").push_bind(last.id);
    }
    page(tx, query, "t.id", size).await
}

/// Projects after `last`, by id.
pub async fn projects(tx: &mut Tx, scope: &Scope<'_>, last: Option<&ProjectLine>, size: usize) -> Result<Vec<ProjectLine>, DbError> {
    let mut query = scope.select("projects", PROJECT)?;
    if let Some(last) = last {
        query.push(" and t.id > ").push_bind(last.id);
    }
    page(tx, query, "t.id", size).await
}

/// Repositories after `last`, by id.
pub async fn repos(tx: &mut Tx, scope: &Scope<'_>, last: Option<&RepoLine>, size: usize) -> Result<Vec<RepoLine>, DbError> {
    let mut query = scope.select("repos", REPO)?;
    if let Some(last) = last {
        query.push(" and t.id > ").push_bind(last.id);
    }
    page(tx, query, "t.id", size).await
}

/// Links between projects after `last`, by ends.
pub async fn project_links(
    tx: &mut Tx,
    scope: &Scope<'_>,
    last: Option<&ProjectLinkLine>,
    size: usize,
) -> Result<Vec<ProjectLinkLine>, DbError> {
    let mut query = scope.select("project_links", PROJECT_LINK)?;
    if let Some(last) = last {
        query.push(" and (t.one_id, t.other_id) > (").push_bind(last.one_id).push(", ").push_bind(last.other_id).push(")");
    }
    page(tx, query, "t.one_id, t.other_id", size).await
}

/// Events after `last`, by id, without the server's own jobs. What runs waits again where it is imported.
pub async fn events(tx: &mut Tx, scope: &Scope<'_>, last: Option<&EventLine>, size: usize) -> Result<Vec<EventLine>, DbError> {
    let kinds: Vec<&str> = EVENT_KINDS.to_vec();
    let mut query = scope.select("events", EVENT)?;
    query.push(" and t.kind = any(").push_bind(kinds).push(")");
    if let Some(last) = last {
        query.push(" and t.id > ").push_bind(last.id);
    }
    let mut events: Vec<EventLine> = page(tx, query, "t.id", size).await?;
    for event in events.iter_mut().filter(|event| event.state == "running") {
        event.state = "pending".into();
    }
    Ok(events)
}

/// The agents that have or wrote a memory that is meant.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, agents = agents.len()))]
pub async fn authors(tx: &mut Tx, tenant: TenantId, agents: &[AgentId], filter: Option<&MemoryFilter>) -> Result<Vec<AgentId>, DbError> {
    let agents: Vec<Uuid> = agents.iter().map(|agent| agent.0).collect();
    let mut query = statement!(
        r"select distinct a.id
            from agent_memories m cross join lateral (values (m.agent_id), (m.created_by)) a (id)
           where m.tenant_id = $1 and m.agent_id = any($2)",
        tenant,
        agents,
    );
    if let Some(filter) = filter {
        matching(&mut query, filter);
    }
    Ok(query.build_query_scalar().fetch_all(&mut **tx).await?)
}

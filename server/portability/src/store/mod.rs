//! All SQL of export and import. Reads page by key, so that every page costs the same.

mod activity;
mod capture;
mod check;
mod knowledge;
mod profile;
mod vocabulary;
mod write;

pub use activity::{ACTION, ReportedBy, WORKFLOW_STEP, actions, count_reports, put_reports, workflow_steps};
pub use capture::{
    Captured, EVIDENCE, PAIR, QUARANTINED_TURN, count_captured, evidence, forward_evidence, forward_pairs, forward_quarantined_turns,
    misplaced, pairs, put_evidence, put_pairs, put_quarantined_turns, quarantined_turns,
};
pub use check::{
    Stored, begin_check, count_existing, have_memory, held_elsewhere, imported_elsewhere, misquoted, missing, note, note_texts,
    same_short_ids, same_slugs, stored_memories, stored_versions,
};
pub use knowledge::{
    CHUNK, COMPONENT, ChunkWords, DOCUMENT, MissingChunk, add_documents, begin_knowledge, chunks, components, differing_chunk,
    differing_documents, documents, ended_documents, leave_known, missing_chunks, missing_components, put_chunks, put_components,
    taken_path,
};
pub use profile::{CONNECTION, PROFILE_LEAF, PROFILE_VERSION, connections, count_profiled, profile_leaves, profile_versions, put_profiled};
pub use vocabulary::{
    ALIAS, DECISION, PROPOSAL, PROPOSAL_MEMORY, TERM, add_proposal_memories, add_proposals, add_rows, adopt_times, aliases,
    begin_vocabulary, close_rows, decisions, differing_vocabulary, forward_proposals, merge_decisions, misnamed, open_twice,
    proposal_memories, proposals, proposers, settle_proposals, stage, taken_phrase, terms, undone_by_nothing,
};
pub use write::{
    Importing, drop_tombstones, put_events, put_links, put_memories, put_project_links, put_projects, put_repos, put_sources,
    put_tombstones, put_topics, put_versions,
};

use super::lines::{
    EVENT_KINDS, EventLine, LinkLine, MemoryLine, ProjectLine, ProjectLinkLine, RepoLine, SourceLine, TombstoneLine, VersionLine,
};
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, statement};
use remembrancer::memories::store::{narrow, push_deleted};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;
use wire::{AgentId, MemoryFilter};

/// Columns of [`MemoryLine`], except its agent.
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
    "rationale",
    "alternatives",
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
    "recalled_count",
    "remembered_count",
    "last_accessed_at",
    "observed_at",
    "created_at",
    "updated_at",
    "stated_at",
    "speaker_kind",
    "confirmed_by",
    "confirmed_at",
    "trust",
    "expires_at",
    "archived_at",
    "deleted_at",
    "deleted_by",
    "delete_reason",
    "profile_fact",
    "retention_rule",
    "importance_factors",
    "archive_reason",
];
/// Columns of the further topics in a [`MemoryLine`].
pub const TOPIC: &[&str] = &["topic", "topic_raw", "is_canonical", "created_at"];
/// Columns of [`VersionLine`], except its agent.
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
    "kind",
    "scope",
    "project_id",
    "retention",
    "updated_at",
    "valid_from",
    "actor_kind",
    "actor_id",
    "actor_name",
    "source",
    "provenance",
    "title",
    "summary",
    "category",
    "subject",
    "rationale",
    "alternatives",
    "confidence",
    "observed_at",
    "stated_at",
];
/// Columns of [`LinkLine`], except its agent.
pub const LINK: &[&str] = &["from_id", "to_id", "relation", "created_at", "created_by"];
/// Columns of [`TombstoneLine`], except its agent.
pub const TOMBSTONE: &[&str] = &["memory_id", "content_hash", "user_id", "source", "created_at"];
/// Columns of [`SourceLine`], except its agent.
pub const SOURCE: &[&str] = &[
    "id",
    "user_id",
    "kind",
    "reference",
    "content",
    "metadata",
    "created_at",
    "form",
    "title",
    "filename",
    "attachment_id",
    "session_id",
    "connection_id",
    "whole_id",
    "part",
    "parts",
    "turns",
];
/// Columns of [`ProjectLine`], except its agent.
pub const PROJECT: &[&str] = &["id", "slug", "name", "created_at", "created_by"];
/// Columns of [`RepoLine`], except its agent.
pub const REPO: &[&str] = &["id", "project_id", "slug", "name", "created_at", "created_by"];
/// Columns of [`ProjectLinkLine`], except its agent.
pub const PROJECT_LINK: &[&str] = &["one_id", "other_id", "created_at", "created_by"];
/// Columns of [`EventLine`], except its agent.
pub const EVENT: &[&str] = &[
    "id",
    "user_id",
    "kind",
    "task",
    "payload",
    "source_id",
    "state",
    "attempt",
    "run_after",
    "error",
    "outcome",
    "created_at",
    "finished_at",
    "event_type",
    "source_metadata",
    "session_id",
    "connection_id",
    "requested_scope",
    "processed_at",
];

/// The records to read: those of one agent, narrowed to the memories that a filter matches.
pub struct Scope<'a> {
    /// The tenant, and whose rows of its users.
    pub tenancy: Tenancy,
    pub agent: AgentId,
    /// All agents of the export: a link may lead from one's memory to another's.
    pub agents: &'a [AgentId],
    pub filter: Option<&'a MemoryFilter>,
    /// Present: only memories that are neither deleted, archived nor expired at this moment, for agents.
    pub in_reach_at: Option<DateTime<Utc>>,
    /// Only rows that belong to the tenancy's user, and none without a user.
    pub of_person: bool,
}

impl Scope<'_> {
    /// `select t.…, … from table t where` the row is this agent's.
    fn select_shared(&self, table: &str, columns: &[&str]) -> Result<QueryBuilder<Postgres>, DbError> {
        let columns = columns.join(", t.");
        let text = format!("select t.agent_id, t.{columns} from {table} t where t.tenant_id = $1 and t.agent_id = $2");
        Ok(statement!(text, self.tenancy.tenant, self.agent))
    }

    /// The same for a table whose rows may belong to a user.
    fn select(&self, table: &str, columns: &[&str]) -> Result<QueryBuilder<Postgres>, DbError> {
        let (columns, of_user) = (columns.join(", t."), of_user!("t", "$3"));
        let text = format!("select t.agent_id, t.{columns} from {table} t where t.tenant_id = $1 and t.agent_id = $2 and {of_user}");
        let mut query = statement!(text, self.tenancy.tenant, self.agent, self.tenancy.users);
        self.narrow_to_person(&mut query);
        Ok(query)
    }

    /// Leaves out rows without a user, for the rows of one person.
    fn narrow_to_person(&self, query: &mut QueryBuilder<Postgres>) {
        if self.of_person {
            query.push(" and t.user_id is not null");
        }
    }

    /// `and` the row belongs to a selected memory; `same` is the condition that joins them.
    fn about(&self, query: &mut QueryBuilder<Postgres>, same: &str) {
        if self.filter.is_some() || self.in_reach_at.is_some() {
            query.push(format!(
                " and exists (select from agent_memories m where m.tenant_id = t.tenant_id and m.agent_id = t.agent_id and {same}"
            ));
            self.matching(query);
            query.push(")");
        }
    }

    /// The conditions on a selected memory `m`.
    fn matching(&self, query: &mut QueryBuilder<Postgres>) {
        if let Some(filter) = self.filter {
            matching(query, filter);
        }
        if let Some(now) = self.in_reach_at {
            query
                .push(" and m.deleted_at is null and m.archived_at is null and (m.expires_at is null or m.expires_at > ")
                .push_bind(now)
                .push(")");
        }
    }
}

/// The conditions of a filter, as in the lists: it selects either deleted memories or the others.
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
    let columns = MEMORY.join(", t.");
    let topic: Vec<String> = TOPIC.iter().map(|column| format!("'{column}', f.{column}")).collect();
    let topic = topic.join(", ");
    let text = format!(
        r"select t.agent_id, t.{columns},
                 coalesce((select jsonb_agg(jsonb_build_object({topic}) order by f.created_at, f.topic_normal)
                             from memory_topics f
                            where f.tenant_id = t.tenant_id and f.agent_id = t.agent_id and f.memory_id = t.id), '[]') as topics
            from agent_memories t where t.tenant_id = $1 and t.agent_id = $2 and {}",
        of_user!("t", "$3")
    );
    let mut query = statement!(text, scope.tenancy.tenant, scope.agent, scope.tenancy.users);
    scope.narrow_to_person(&mut query);
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

/// Links after `last` whose two ends are selected, by ends and relation.
pub async fn links(tx: &mut Tx, scope: &Scope<'_>, last: Option<&LinkLine>, size: usize) -> Result<Vec<LinkLine>, DbError> {
    let mut query = scope.select("memory_links", LINK)?;
    let agents: Vec<Uuid> = scope.agents.iter().map(|agent| agent.0).collect();
    for end in ["m.id = t.from_id", "m.id = t.to_id"] {
        query.push(" and exists (select from agent_memories m where m.tenant_id = t.tenant_id and m.agent_id = any(");
        query.push_bind(agents.clone()).push(format!(") and {end}"));
        scope.matching(&mut query);
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

/// Sources after `last`, by id; with a filter or for an agent only those of the memories that it selects, and those that their evidence
/// quotes.
pub async fn sources(tx: &mut Tx, scope: &Scope<'_>, last: Option<&SourceLine>, size: usize) -> Result<Vec<SourceLine>, DbError> {
    let mut query = scope.select("sources", SOURCE)?;
    if scope.filter.is_some() || scope.in_reach_at.is_some() {
        query.push(" and (exists (select from agent_memories m where m.tenant_id = $1 and m.agent_id = $2 and m.source_id = t.id");
        scope.matching(&mut query);
        query.push(
            ") or exists (select from evidence v join agent_memories m on m.tenant_id = $1 and m.agent_id = v.agent_id and m.id = v.memory_id
                           where v.tenant_id = $1 and v.agent_id = $2 and v.source_id = t.id",
        );
        scope.matching(&mut query);
        query.push("))");
    }
    if let Some(last) = last {
        query.push(" and t.id > ").push_bind(last.id);
    }
    page(tx, query, "t.id", size).await
}

/// Projects after `last`, by id.
pub async fn projects(tx: &mut Tx, scope: &Scope<'_>, last: Option<&ProjectLine>, size: usize) -> Result<Vec<ProjectLine>, DbError> {
    let mut query = scope.select_shared("projects", PROJECT)?;
    if let Some(last) = last {
        query.push(" and t.id > ").push_bind(last.id);
    }
    page(tx, query, "t.id", size).await
}

/// Repositories after `last`, by id.
pub async fn repos(tx: &mut Tx, scope: &Scope<'_>, last: Option<&RepoLine>, size: usize) -> Result<Vec<RepoLine>, DbError> {
    let mut query = scope.select_shared("repos", REPO)?;
    if let Some(last) = last {
        query.push(" and t.id > ").push_bind(last.id);
    }
    page(tx, query, "t.id", size).await
}

/// Links between projects that have not ended, after `last`, by ends.
pub async fn project_links(
    tx: &mut Tx,
    scope: &Scope<'_>,
    last: Option<&ProjectLinkLine>,
    size: usize,
) -> Result<Vec<ProjectLinkLine>, DbError> {
    let mut query = scope.select_shared("project_links", PROJECT_LINK)?;
    query.push(" and t.valid_to is null");
    if let Some(last) = last {
        query.push(" and (t.one_id, t.other_id) > (").push_bind(last.one_id).push(", ").push_bind(last.other_id).push(")");
    }
    page(tx, query, "t.one_id, t.other_id", size).await
}

/// Events after `last`, by id, without the server's own jobs. A running event is written as pending, an imported one with its recorded
/// state.
pub async fn events(tx: &mut Tx, scope: &Scope<'_>, last: Option<&EventLine>, size: usize) -> Result<Vec<EventLine>, DbError> {
    let kinds: Vec<&str> = EVENT_KINDS.to_vec();
    let mut query = statement!(
        concat!(
            r"select t.agent_id, t.id, t.user_id, t.kind, t.task, t.payload, t.source_id,
                 case t.state when 'imported' then t.recorded_state when 'running' then 'pending' else t.state end as state,
                 t.attempt, t.run_after, t.error, t.outcome, t.created_at, t.finished_at, t.event_type, t.source_metadata, t.session_id,
                 t.connection_id, t.requested_scope, t.processed_at
            from events t where t.tenant_id = $1 and t.agent_id = $2 and t.kind = any($3) and ",
            of_user!("t", "$4")
        ),
        scope.tenancy.tenant,
        scope.agent,
        kinds,
        scope.tenancy.users,
    );
    scope.narrow_to_person(&mut query);
    if let Some(last) = last {
        query.push(" and t.id > ").push_bind(last.id);
    }
    page(tx, query, "t.id", size).await
}

/// The agents that own or wrote a selected memory.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, agents = agents.len()))]
pub async fn authors(tx: &mut Tx, tenancy: Tenancy, agents: &[AgentId], filter: Option<&MemoryFilter>) -> Result<Vec<AgentId>, DbError> {
    let agents: Vec<Uuid> = agents.iter().map(|agent| agent.0).collect();
    let mut query = statement!(
        concat!(
            r"select distinct a.id
                from agent_memories m cross join lateral (values (m.agent_id), (m.created_by)) a (id)
               where m.tenant_id = $1 and m.agent_id = any($2) and ",
            of_user!("m", "$3")
        ),
        tenancy.tenant,
        agents,
        tenancy.users,
    );
    if let Some(filter) = filter {
        matching(&mut query, filter);
    }
    Ok(query.build_query_scalar().fetch_all(&mut **tx).await?)
}

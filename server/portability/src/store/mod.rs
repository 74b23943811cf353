//! All SQL of export and import. Reads page by key, so that every page costs the same.

mod capture;
mod check;
mod knowledge;
mod vocabulary;
mod write;

pub use capture::{Captured, count_captured, forward_decisions, forward_evidence, misplaced};
pub use check::{
    Stored, begin_check, count_existing, have_memory, held_elsewhere, ids_of, imported_elsewhere, misquoted, missing, note, note_texts,
    same_short_ids, same_slugs, stored_memories, stored_versions,
};
pub use knowledge::{
    ChunkWords, MissingChunk, add_documents, begin_knowledge, differing_chunk, differing_documents, ended_documents, leave_known,
    missing_chunks, missing_components, put_chunks, put_components, taken_path,
};
pub use vocabulary::{
    add_proposal_memories, add_proposals, add_rows, adopt_times, begin_vocabulary, close_rows, differing_vocabulary, forward_proposals,
    merge_decisions, misnamed, open_twice, proposers, settle_proposals, stage, taken_phrase, undone_by_nothing,
};
pub use write::{
    Importing, drop_tombstones, put, put_links, put_memories, put_profiles, put_reports, put_tombstones, put_topics, put_versions,
};

use super::lines::{EVENT_KINDS, Record, Section};
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, statement};
use remembrancer::memories::store::{narrow, push_deleted};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;
use wire::{AgentId, MemoryFilter};

/// Columns of the further topics of a memory.
pub const TOPIC: &[&str] = &["topic", "topic_raw", "is_canonical", "created_at"];

/// The records to read: those of one agent, narrowed to the memories that a filter matches.
pub struct RecordFilter<'a> {
    /// The tenant, and whose rows of its users.
    pub tenancy: Tenancy,
    /// All agents if absent.
    pub agent: Option<AgentId>,
    /// All agents of the export: a link may lead from one's memory to another's.
    pub agents: &'a [AgentId],
    pub filter: Option<&'a MemoryFilter>,
    /// Present: only memories that are neither deleted, archived nor expired at this moment, for agents.
    pub in_reach_at: Option<DateTime<Utc>>,
    /// Only rows that belong to the tenancy's user, and none without a user.
    pub of_person: bool,
}

/// Records of one type after `last`, in the order of a file.
pub async fn page<T>(tx: &mut Tx, records: &RecordFilter<'_>, last: Option<&T>, size: usize) -> Result<Vec<T>, DbError>
where
    T: Record + for<'r> FromRow<'r, PgRow> + Send + Sync + Unpin,
{
    let (section, order) = (T::SECTION, T::ORDER.join(", "));
    let mut query = statement!("select ", records.tenancy.tenant, records.tenancy.users);
    for (place, column) in section.fields().iter().enumerate() {
        query.push(if place == 0 { "" } else { ", " });
        records.push_column(&mut query, section, column);
    }
    query.push(format!(" from {} t where t.tenant_id = $1 and {}", T::TABLE, if T::OF_USERS { of_user!("t", "$2") } else { ANYBODY }));
    if let Some(agent) = records.agent {
        query.push(" and t.agent_id = ").push_bind(agent);
    }
    if T::OF_USERS && records.of_person {
        query.push(" and t.user_id is not null");
    }
    records.narrow(&mut query, section);
    if let Some(last) = last {
        let mut values = query.push(format!(" and ({order}) > (")).separated(", ");
        last.push_place(&mut values);
        values.push_unseparated(")");
    }
    query.push(format!(" order by {order} limit ")).push_bind(i64::try_from(size).unwrap_or(i64::MAX));
    Ok(query.build_query_as().fetch_all(&mut **tx).await?)
}

/// Always true. It uses `$2`, so that statements on tables without users take the same parameters.
const ANYBODY: &str = "$2::uuid is not distinct from $2";

impl RecordFilter<'_> {
    /// A column of a row `t`, as a file has it.
    fn push_column(&self, query: &mut QueryBuilder<Postgres>, section: Section, column: &str) {
        match (section, column) {
            (Section::Memory, "topics") => {
                let fields: Vec<String> = TOPIC.iter().map(|column| format!("'{column}', f.{column}")).collect();
                query.push(format!(
                    r"coalesce((select jsonb_agg(jsonb_build_object({}) order by f.created_at, f.topic_normal)
                                  from memory_topics f
                                 where f.tenant_id = $1 and f.agent_id = t.agent_id and f.memory_id = t.id), '[]') as topics",
                    fields.join(", ")
                ));
            }
            // A running event is written as pending, an imported one with its recorded state.
            (Section::Event, "state") => {
                query.push("case t.state when 'imported' then t.recorded_state when 'running' then 'pending' else t.state end as state");
            }
            // A candidate that is not selected is left out: the memory that it was merged into takes its place.
            (Section::Evidence, "candidate_id") => {
                query.push(
                    r"coalesce((select m.id from agent_memories m
                                 where m.tenant_id = $1 and m.agent_id = t.agent_id and m.id = t.candidate_id",
                );
                self.matching(query);
                query.push("), t.memory_id) as candidate_id");
            }
            _ => {
                query.push("t.").push(column);
            }
        }
    }

    /// The conditions that rows `t` of one type meet, besides their owner.
    fn narrow(&self, query: &mut QueryBuilder<Postgres>, section: Section) {
        match section {
            // Those that have not ended.
            Section::ProjectLink => {
                query.push(" and t.valid_to is null");
            }
            Section::Source => self.sources(query),
            Section::Memory => self.about(query, "m.id = t.id"),
            Section::Version | Section::Tombstone | Section::Evidence => self.about(query, "m.id = t.memory_id"),
            Section::Link => self.links(query),
            // Not the server's own jobs.
            Section::Event => {
                query.push(" and t.kind = any(").push_bind(EVENT_KINDS.to_vec()).push(")");
            }
            Section::ProfileLeaf => self.leaves(query),
            Section::Agent | Section::User | Section::Term | Section::Alias | Section::Decision | Section::Proposal => {}
            Section::ProposalMemory | Section::Document | Section::Chunk | Section::Component | Section::Project | Section::Repo => {}
            // Agents read none of the first two, and an export with a filter has none of the others.
            Section::QuarantinedTurn | Section::Suggestion | Section::Connection | Section::ProfileVersion => {}
            Section::Action | Section::WorkflowStep => {}
        }
    }

    /// `and` the row belongs to a selected memory; `same` is the condition that joins them.
    fn about(&self, query: &mut QueryBuilder<Postgres>, same: &str) {
        if self.filter.is_some() || self.in_reach_at.is_some() {
            query.push(format!(" and exists (select from agent_memories m where m.tenant_id = $1 and m.agent_id = t.agent_id and {same}"));
            self.matching(query);
            query.push(")");
        }
    }

    /// `and` both ends are selected.
    fn links(&self, query: &mut QueryBuilder<Postgres>) {
        let agents: Vec<Uuid> = self.agents.iter().map(|agent| agent.0).collect();
        for end in ["m.id = t.from_id", "m.id = t.to_id"] {
            query.push(" and exists (select from agent_memories m where m.tenant_id = $1 and m.agent_id = any(");
            query.push_bind(agents.clone()).push(format!(") and {end}"));
            self.matching(query);
            query.push(")");
        }
    }

    /// With a filter or for an agent only sources of the memories that are selected, and those that their evidence quotes.
    fn sources(&self, query: &mut QueryBuilder<Postgres>) {
        if self.filter.is_some() || self.in_reach_at.is_some() {
            query.push(
                " and (exists (select from agent_memories m where m.tenant_id = $1 and m.agent_id = t.agent_id and m.source_id = t.id",
            );
            self.matching(query);
            query.push(
                r") or exists (select from evidence v
                                 join agent_memories m on m.tenant_id = v.tenant_id and m.agent_id = v.agent_id and m.id = v.memory_id
                                where v.tenant_id = $1 and v.agent_id = t.agent_id and v.source_id = t.id",
            );
            self.matching(query);
            query.push("))");
        }
    }

    /// For an agent only leaves of profiles that it may see.
    fn leaves(&self, query: &mut QueryBuilder<Postgres>) {
        if self.in_reach_at.is_some() {
            query.push(
                r" and t.state = 'shown'
                   and not exists (select from evidence v
                                     join tombstones d on d.tenant_id = v.tenant_id and d.agent_id = v.agent_id and d.memory_id = v.memory_id
                                    where v.tenant_id = $1 and v.agent_id = t.agent_id and v.source_id = any(t.source_ids))",
            );
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

/// The agents that own or wrote a selected memory.
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

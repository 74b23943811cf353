//! The queries of export and import on the databases of memories and of knowledge.

use super::capture::{self, held, quarantined, suggestion};
use super::profile;
use super::queries::{Case, Query, queries};
use ::portability::lines::{
    AliasLine, ChunkLine, ComponentLine, ConnectionLine, DecisionLine, DocumentLine, EventLine, EvidenceLine, LinkLine, MemoryLine,
    ProfileLeafLine, ProfileVersionLine, ProjectLine, ProjectLinkLine, ProposalLine, ProposalMemoryLine, QuarantinedTurnLine, RepoLine,
    Section, SourceLine, SuggestionLine, TermLine, TombstoneLine, VersionLine,
};
use ::portability::store::{self as portability, ChunkWords, Importing, RecordFilter};
use db::{DbError, Tx};
use serde_json::{Value, json};
use uuid::Uuid;
use wire::{Area, ChunkId};

fn importing(c: &Case) -> Importing<'static> {
    Importing { by: "intruder", revives: true, now: c.now }
}

/// Everything of the case's agent.
pub fn records(c: &Case) -> RecordFilter<'_> {
    RecordFilter {
        tenancy: c.ctx.tenancy(),
        agent: Some(c.agent),
        agents: std::slice::from_ref(&c.agent),
        filter: None,
        in_reach_at: None,
        of_person: false,
    }
}

/// Everything of the case's tenant.
fn all(c: &Case) -> RecordFilter<'_> {
    RecordFilter { agent: None, ..records(c) }
}

/// The memory as a file might bring it: with another content and a later version.
fn memory(c: &Case) -> Value {
    json!([{
        "agent_id": c.agent, "user_id": c.memory.user_id, "id": c.id, "short_id": c.memory.short_id, "created_by": c.agent, "kind": "profile", "retention": "permanent",
        "scope": "agent", "status": "active", "topic": "tea", "topic_raw": "tea", "is_canonical": true, "content": "intruded",
        "source": c.memory.source, "source_kind": "manual", "confidence": 1.0, "importance": 1.0, "pinned": false, "version": 99,
        "access_count": 0, "created_at": c.now, "updated_at": c.now, "topic_normal": "tea", "topic_key": "tea", "vocabulary_version": 1, "profile_fact": false,
    }])
}

fn version(c: &Case, version: i32) -> Value {
    json!([{
        "agent_id": c.agent, "memory_id": c.id, "version": version, "change": "revised", "content": "intruded", "topic": "tea",
        "topic_raw": "tea", "is_canonical": true, "status": "active", "deleted": false, "updated_at": c.now, "valid_from": c.now,
        "actor_kind": "agent", "actor_id": "", "actor_name": "intruder", "source": c.memory.source,
    }])
}

fn link(c: &Case, relation: &str) -> Value {
    json!([{
        "agent_id": c.agent, "from_id": c.id, "to_id": c.other, "relation": relation, "created_at": c.now, "created_by": "intruder",
    }])
}

fn tombstone(c: &Case) -> Value {
    json!([{
        "agent_id": c.agent, "user_id": c.memory.user_id, "memory_id": c.id, "content_hash": "\\x01", "source": c.memory.source, "created_at": c.now,
    }])
}

fn source(c: &Case) -> Value {
    json!([{
        "agent_id": c.agent, "user_id": c.memory.user_id, "id": c.fresh, "kind": "manual", "reference": "x", "metadata": {},
        "created_at": c.now, "form": "note", "part": 1, "parts": 1,
    }])
}

fn event(c: &Case) -> Value {
    json!([{
        "agent_id": c.agent, "user_id": c.memory.user_id, "id": c.fresh, "kind": "observation", "task": "x", "payload": {}, "state": "done", "recorded_state": "done",
        "attempt": 0, "run_after": c.now, "created_at": c.now,
    }])
}

/// Evidence at another place of the source than the fixture has, with the bytes that are there.
fn evidence(c: &Case) -> Value {
    json!([{
        "agent_id": c.agent, "user_id": c.memory.user_id, "id": c.fresh, "memory_id": c.id, "candidate_id": c.id,
        "source_id": capture::source(c), "event_id": held(c).id, "starts": 5, "ends": 10, "quote": "likes", "created_at": c.now,
    }])
}

/// The evidence of the fixture, given back to its candidate.
fn evidence_taken_back(c: &Case) -> Value {
    let mut rows = evidence(c);
    rows[0]["id"] = capture::evidence(c).to_string().into();
    rows[0]["memory_id"] = c.other.0.to_string().into();
    rows[0]["candidate_id"] = rows[0]["memory_id"].clone();
    rows
}

/// A turn, decided.
fn turn(c: &Case, id: Uuid) -> Value {
    json!([{
        "agent_id": c.agent, "user_id": c.memory.user_id, "id": id, "source_id": capture::source(c), "event_id": held(c).id, "starts": 5,
        "ends": 10, "quote": "likes", "reasons": ["x"], "state": "dismissed", "created_at": c.now, "decided_at": c.now, "decided_by": "x",
    }])
}

/// A proposal that the fixture does not have, decided.
fn proposed(c: &Case, id: Uuid) -> Value {
    json!([{
        "agent_id": c.agent, "user_id": c.memory.user_id, "id": id, "from_id": c.id, "to_id": c.other, "relation": "duplicates",
        "reason": "x", "state": "declined", "created_at": c.now, "decided_at": c.now, "decided_by": "x",
    }])
}

/// A source beside the memory, if the caller can see it.
async fn with_source(tx: &mut Tx, c: &Case) -> Result<(), DbError> {
    sqlx::query(
        "insert into sources (tenant_id, agent_id, id, kind, reference, created_at, user_id)
         select tenant_id, agent_id, $3, 'manual', 'x', now(), user_id from agent_memories where tenant_id = $1 and id = $2 and (user_id is null or user_id = $4 or $4 = 'ffffffff-ffff-ffff-ffff-ffffffffffff')",
    )
    .bind(c.tenant)
    .bind(c.id)
    .bind(c.fresh)
    .bind(c.ctx.users)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Three projects, of which two are linked, and a repository, under the same condition.
async fn with_projects(tx: &mut Tx, c: &Case) -> Result<(), DbError> {
    for sql in [
        "insert into projects select tenant_id, agent_id, p.id, p.slug, 'P', now(), 'x' from agent_memories,
            (values ($3::uuid, 'kettle'), ('00000000-0000-0000-0000-000000000000'::uuid, 'nil'), ('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, 'max')) p (id, slug) where tenant_id = $1 and agent_memories.id = $2",
        "insert into repos select tenant_id, agent_id, $3, $3, 'r', 'R', now(), 'x' from agent_memories where tenant_id = $1 and id = $2",
        "insert into project_links select tenant_id, agent_id, $3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, now(), 'x' from agent_memories where tenant_id = $1 and id = $2",
    ] {
        sqlx::query(sql).bind(c.tenant).bind(c.id).bind(c.fresh).execute(&mut **tx).await?;
    }
    Ok(())
}

fn project(c: &Case) -> Value {
    json!([{ "agent_id": c.agent, "id": c.fresh, "slug": "kettle", "name": "P", "created_at": c.now, "created_by": "x" }])
}

/// A tombstone beside it, under the same condition.
async fn with_tombstone(tx: &mut Tx, c: &Case) -> Result<(), DbError> {
    sqlx::query(
        "insert into tombstones (tenant_id, agent_id, memory_id, content_hash, source, created_at, user_id)
         select tenant_id, agent_id, id, content_hash, source, now(), user_id from agent_memories where tenant_id = $1 and id = $2 and (user_id is null or user_id = $3 or $3 = 'ffffffff-ffff-ffff-ffff-ffffffffffff')",
    )
    .bind(c.tenant)
    .bind(c.id)
    .bind(c.ctx.users)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// In the database of memories; kept apart by tenant and by agent.
pub const PORTABILITY: &[Query] = queries! {
    "portability::page/memory" |tx, c| portability::page::<MemoryLine>(tx, &records(c), None, 10).await?.len();
    "portability::page/version" |tx, c| portability::page::<VersionLine>(tx, &records(c), None, 10).await?.len();
    "portability::page/link" |tx, c| portability::page::<LinkLine>(tx, &records(c), None, 10).await?.len();
    "portability::page/tombstone" |tx, c| { with_tombstone(tx, c).await?; portability::page::<TombstoneLine>(tx, &records(c), None, 10).await?.len() };
    "portability::page/source" |tx, c| { with_source(tx, c).await?; portability::page::<SourceLine>(tx, &records(c), None, 10).await?.len() };
    "portability::page/project" |tx, c| { with_projects(tx, c).await?; portability::page::<ProjectLine>(tx, &records(c), None, 10).await?.len() };
    "portability::page/repo" |tx, c| { with_projects(tx, c).await?; portability::page::<RepoLine>(tx, &records(c), None, 10).await?.len() };
    "portability::page/project_link" |tx, c| {
        with_projects(tx, c).await?;
        portability::page::<ProjectLinkLine>(tx, &records(c), None, 10).await?.len()
    };
    "portability::same_slugs" |tx, c| {
        with_projects(tx, c).await?;
        let mut rows = project(c);
        rows[0]["id"] = c.operator.0.to_string().into();
        portability::same_slugs(tx, c.tenant, Section::Project, &rows).await?.len()
    };
    "portability::put/project" |tx, c| { portability::put(tx, c.ctx.tenancy(), Section::Project, &project(c)).await?; 0 };
    "portability::put/repo" |tx, c| {
        with_projects(tx, c).await?;
        let repo = json!([{
            "agent_id": c.agent, "id": c.other, "project_id": c.fresh, "slug": "r2", "name": "R", "created_at": c.now, "created_by": "x",
        }]);
        portability::put(tx, c.ctx.tenancy(), Section::Repo, &repo).await?;
        0
    };
    "portability::put/project_link" |tx, c| {
        with_projects(tx, c).await?;
        let link = json!([{
            "agent_id": c.agent, "one_id": Uuid::nil(), "other_id": c.fresh, "created_at": c.now, "created_by": "x",
        }]);
        portability::put(tx, c.ctx.tenancy(), Section::ProjectLink, &link).await?;
        0
    };
    "portability::page/event" |tx, c| portability::page::<EventLine>(tx, &records(c), None, 10).await?.len();
    "portability::authors" |tx, c| portability::authors(tx, c.ctx.tenancy(), &[c.agent], None).await?.len();
    "portability::same_short_ids" |tx, c| {
        let mut rows = memory(c);
        rows[0]["id"] = c.fresh.to_string().into();
        portability::same_short_ids(tx, c.tenant, &rows).await?.len()
    };
    "portability::stored_memories" |tx, c| portability::stored_memories(tx, c.ctx.tenancy(), &memory(c)).await?.len();
    "portability::stored_versions" |tx, c| portability::stored_versions(tx, c.ctx.tenancy(), &version(c, 1), c.now).await?.len();
    "portability::have_memory" |tx, c| usize::from(portability::have_memory(tx, c.ctx.tenancy(), &[c.agent]).await?);
    "portability::count_existing/link" |tx, c| portability::count_existing(tx, c.ctx.tenancy(), Section::Link, &link(c, "supports")).await? as usize;
    // In another tenant the same ids are another memory, so only what changes counts.
    "portability::put_memories" |tx, c| { portability::put_memories(tx, c.ctx.tenancy(), &memory(c), importing(c)).await?; 0 };
    "portability::put_topics" |tx, c| {
        let topic = json!([{
            "agent_id": c.agent, "memory_id": c.id, "topic": "t", "topic_raw": "t", "topic_normal": "t", "is_canonical": false, "created_at": c.now,
        }]);
        portability::put_topics(tx, c.ctx.tenancy(), &topic, &[c.id]).await?;
        0
    };
    "portability::put_versions" |tx, c| { portability::put_versions(tx, c.ctx.tenancy(), &version(c, 0), importing(c)).await?; 0 };
    "portability::put_links" |tx, c| { portability::put_links(tx, c.ctx.tenancy(), &link(c, "derived_from")).await?; 0 };
    "portability::put_tombstones" |tx, c| { portability::put_tombstones(tx, c.ctx.tenancy(), &tombstone(c)).await?; 0 };
    "portability::put/source" |tx, c| { portability::put(tx, c.ctx.tenancy(), Section::Source, &source(c)).await?; 0 };
    "portability::put/event" |tx, c| { portability::put(tx, c.ctx.tenancy(), Section::Event, &event(c)).await?; 0 };
    "portability::page/evidence" |tx, c| portability::page::<EvidenceLine>(tx, &records(c), None, 10).await?.len();
    "portability::misplaced" |tx, c| {
        let mut rows = evidence(c);
        rows[0]["quote"] = "loves".into();
        portability::misplaced(tx, c.ctx.tenancy(), Section::Evidence, &rows).await?.len()
    };
    "portability::count_captured" |tx, c| {
        let found = portability::count_captured(tx, c.ctx.tenancy(), Section::Evidence, &evidence_taken_back(c)).await?;
        (found.existing + found.behind) as usize
    };
    "portability::page/connection" |tx, c| portability::page::<ConnectionLine>(tx, &records(c), None, 10).await?.len();
    "portability::page/profile_leaf" |tx, c| portability::page::<ProfileLeafLine>(tx, &records(c), None, 10).await?.len();
    "portability::page/profile_version" |tx, c| portability::page::<ProfileVersionLine>(tx, &records(c), None, 10).await?.len();
    "portability::count_existing/profile_leaf" |tx, c| {
        portability::count_existing(tx, c.ctx.tenancy(), Section::ProfileLeaf, &profile::row(c, profile::id(c, 1))).await? as usize
    };
    "portability::put/profile_leaf" |tx, c| {
        portability::put(tx, c.ctx.tenancy(), Section::ProfileLeaf, &profile::row(c, c.fresh)).await?;
        0
    };
    "portability::put/profile_version" |tx, c| {
        let rows = json!([{
            "agent_id": c.agent, "user_id": c.memory.user_id, "id": c.fresh, "version": 9, "diff": {}, "event_ids": [], "narrated": false,
            "created_at": c.now,
        }]);
        portability::put(tx, c.ctx.tenancy(), Section::ProfileVersion, &rows).await?;
        0
    };
    "portability::put/connection" |tx, c| {
        let rows = json!([{
            "agent_id": c.agent, "user_id": c.memory.user_id, "id": c.fresh, "tool_id": "jira", "name": "Jira", "active": true,
            "created_at": c.now, "updated_at": c.now,
        }]);
        portability::put(tx, c.ctx.tenancy(), Section::Connection, &rows).await?;
        0
    };
    "portability::put_profiles" |tx, c| {
        let versions = json!([{ "agent_id": c.agent, "user_id": c.memory.user_id, "id": c.fresh, "version": 9, "created_at": c.now + chrono::Duration::days(1) }]);
        portability::put_profiles(tx, c.ctx.tenancy(), &versions).await?;
        0
    };
    "portability::put/evidence" |tx, c| { portability::put(tx, c.ctx.tenancy(), Section::Evidence, &evidence(c)).await?; 0 };
    "portability::drop_tombstones" |tx, c| {
        with_tombstone(tx, c).await?;
        sqlx::query("update agent_memories set pinned = not pinned where tenant_id = $1 and id = $2 and (user_id is null or user_id = $3 or $3 = 'ffffffff-ffff-ffff-ffff-ffffffffffff')").bind(c.tenant).bind(c.id).bind(c.ctx.users).execute(&mut **tx).await?;
        portability::drop_tombstones(tx, c.ctx.tenancy(), c.agent, &[c.id]).await?;
        0
    };
};

/// What only an admin's export and import run.
pub const PORTABILITY_INBOX: &[Query] = queries! {
    "portability::forward_evidence" |tx, c| {
        portability::forward_evidence(tx, c.ctx.tenancy(), &evidence_taken_back(c)).await?;
        0
    };
    "portability::page/quarantined_turn" |tx, c| portability::page::<QuarantinedTurnLine>(tx, &records(c), None, 10).await?.len();
    "portability::put/quarantined_turn" |tx, c| {
        portability::put(tx, c.ctx.tenancy(), Section::QuarantinedTurn, &turn(c, c.fresh)).await?;
        0
    };
    "portability::forward_decisions/quarantined_turn" |tx, c| {
        portability::forward_decisions(tx, c.ctx.tenancy(), Section::QuarantinedTurn, &turn(c, quarantined(c).0)).await?;
        0
    };
    "portability::page/pair" |tx, c| portability::page::<SuggestionLine>(tx, &records(c), None, 10).await?.len();
    "portability::put/pair" |tx, c| { portability::put(tx, c.ctx.tenancy(), Section::Suggestion, &proposed(c, c.fresh)).await?; 0 };
    "portability::forward_decisions/pair" |tx, c| {
        portability::forward_decisions(tx, c.ctx.tenancy(), Section::Suggestion, &proposed(c, suggestion(c).0)).await?;
        0
    };
};

/// A name of the case's term, or of a term of its own, as a file might bring it.
fn term(c: &Case, id: Uuid, lineage: Uuid, term: &str) -> Value {
    json!({
        "tenant_id": c.tenant, "line": 2, "id": id, "lineage": lineage, "term": term, "normal": term, "definition": "intruded",
        "status": "active", "created_at": c.now, "valid_from": c.now,
    })
}

fn decision(c: &Case, opened: Uuid) -> Value {
    json!({
        "tenant_id": c.tenant, "line": 3, "id": c.fresh, "kind": "add", "subjects": ["x"], "actor_kind": "agent", "actor_id": "",
        "actor_name": "intruder", "at": c.now, "version": 0, "forms": ["x"], "memories": 0, "opened_terms": [opened], "closed_terms": [],
        "opened_aliases": [], "closed_aliases": [],
    })
}

fn proposal(c: &Case, id: Uuid) -> Value {
    json!({
        "tenant_id": c.tenant, "line": 4, "id": id, "phrase": "intruded", "normal": "intruded", "status": "open", "count": 99,
        "first_seen": c.now, "last_seen": c.now, "unused": false,
    })
}

fn document(c: &Case, id: Uuid, path: &str) -> Value {
    json!({
        "tenant_id": c.tenant, "line": 5, "id": id, "kind": "document", "collection": "acme", "path": path, "title": "intruded", "status": "",
        "front_matter": {}, "content_hash": "\\x01", "chunking": "", "created_at": c.now, "valid_from": c.now,
    })
}

fn chunk(c: &Case, id: Uuid) -> Value {
    json!([{
        "id": id, "document_id": c.shared.document, "ordinal": 99, "heading_path": [], "start_byte": 0, "end_byte": 1, "content": "intruded",
    }])
}

fn component(c: &Case) -> Value {
    json!([{
        "document_id": c.shared.document, "ordinal": 99, "name": "x", "normal": "x", "description": "intruded", "depends_on": [],
    }])
}

/// Stages rows of one type.
async fn staged(tx: &mut Tx, section: Section, row: Value) -> Result<(), DbError> {
    match section {
        Section::Document => portability::begin_knowledge(tx).await?,
        _ => portability::begin_vocabulary(tx).await?,
    }
    portability::stage(tx, section, &json!([row])).await
}

/// In the database of knowledge; kept apart by tenant.
pub const PORTABILITY_KB: &[Query] = queries! {
    "portability::page/term" |tx, c| portability::page::<TermLine>(tx, &all(c), None, 10).await?.len();
    "portability::page/alias" |tx, c| portability::page::<AliasLine>(tx, &all(c), None, 10).await?.len();
    "portability::page/decision" |tx, c| portability::page::<DecisionLine>(tx, &all(c), None, 10).await?.len();
    "portability::page/proposal" |tx, c| portability::page::<ProposalLine>(tx, &all(c), None, 10).await?.len();
    "portability::page/proposal_memory" |tx, c| portability::page::<ProposalMemoryLine>(tx, &all(c), None, 10).await?.len();
    "portability::proposers" |tx, c| portability::proposers(tx, c.tenant).await?.len();
    "portability::page/document" |tx, c| portability::page::<DocumentLine>(tx, &all(c), None, 10).await?.len();
    "portability::page/chunk" |tx, c| portability::page::<ChunkLine>(tx, &all(c), None, 10).await?.len();
    "portability::page/component" |tx, c| portability::page::<ComponentLine>(tx, &all(c), None, 10).await?.len();
    "portability::adopt_times" |tx, c| {
        staged(tx, Section::Term, term(c, c.shared.term.0, c.shared.term.0, "intruded")).await?;
        portability::adopt_times(tx, c.tenant, Area::Vocabulary, c.now).await? as usize
    };
    "portability::differing_vocabulary" |tx, c| {
        staged(tx, Section::Term, term(c, c.shared.term.0, c.shared.term.0, "intruded")).await?;
        usize::from(portability::differing_vocabulary(tx, c.tenant).await?.is_some())
    };
    "portability::taken_phrase" |tx, c| {
        staged(tx, Section::Term, term(c, c.fresh, c.fresh, "tea")).await?;
        usize::from(portability::taken_phrase(tx, c.tenant).await?.is_some())
    };
    "portability::misnamed" |tx, c| {
        staged(tx, Section::Term, term(c, c.fresh, c.shared.term.0, "intruded")).await?;
        usize::from(portability::misnamed(tx, c.tenant).await?.0.is_some())
    };
    "portability::close_rows" |tx, c| {
        let mut row = term(c, c.shared.term.0, c.shared.term.0, "tea");
        row["valid_to"] = json!(c.now);
        staged(tx, Section::Term, row).await?;
        portability::close_rows(tx, c.tenant).await?.0 as usize
    };
    "portability::add_rows" |tx, c| {
        staged(tx, Section::Term, term(c, c.fresh, c.fresh, "intruded")).await?;
        portability::add_rows(tx, c.tenant, "intruder").await?;
        0
    };
    "portability::merge_decisions" |tx, c| {
        staged(tx, Section::Decision, decision(c, c.shared.term.0)).await?;
        portability::merge_decisions(tx, c.tenant, "intruder").await?;
        0
    };
    "portability::forward_proposals" |tx, c| {
        staged(tx, Section::Proposal, proposal(c, c.shared.proposal.0)).await?;
        portability::forward_proposals(tx, c.tenant).await? as usize
    };
    "portability::add_proposals" |tx, c| {
        staged(tx, Section::Proposal, proposal(c, c.fresh)).await?;
        portability::add_proposals(tx, c.tenant, "intruder").await?;
        0
    };
    "portability::add_proposal_memories" |tx, c| {
        staged(tx, Section::Proposal, proposal(c, c.shared.proposal.0)).await?;
        let row = json!([{
            "tenant_id": c.tenant, "line": 5, "event_id": c.fresh, "proposal_id": c.shared.proposal, "agent_id": c.agent, "seen_at": c.now,
        }]);
        portability::stage(tx, Section::ProposalMemory, &row).await?;
        portability::add_proposal_memories(tx, c.tenant).await? as usize
    };
    "portability::settle_proposals" |tx, c| {
        staged(tx, Section::Decision, decision(c, c.shared.term.0)).await?;
        sqlx::query(
            "insert into term_proposals (tenant_id, id, phrase, normal, status, count, first_seen, last_seen)
             select tenant_id, $3, 'tea', 'tea', 'open', 1, now(), now() from term_proposals where tenant_id = $1 and id = $2",
        )
        .bind(c.tenant)
        .bind(c.shared.proposal)
        .bind(c.fresh)
        .execute(&mut **tx)
        .await?;
        portability::settle_proposals(tx, c.tenant).await?;
        sqlx::query_scalar::<_, i64>("select count(*) from term_proposals where tenant_id = $1 and id = $2 and status <> 'open'")
            .bind(c.tenant)
            .bind(c.fresh)
            .fetch_one(&mut **tx)
            .await? as usize
    };
    "portability::differing_documents" |tx, c| {
        staged(tx, Section::Document, document(c, c.shared.document.0, "intruded.md")).await?;
        usize::from(portability::differing_documents(tx, c.tenant).await?.is_some())
    };
    "portability::ended_documents" |tx, c| {
        let mut row = document(c, c.shared.document.0, "ARCHITECTURE.md");
        row["valid_to"] = json!(c.now);
        staged(tx, Section::Document, row).await?;
        portability::ended_documents(tx, c.tenant).await?.len()
    };
    "portability::leave_known" |tx, c| {
        portability::begin_knowledge(tx).await?;
        sqlx::query("insert into staged_documents select (d).*, 5 from (select d from documents d where tenant_id = $1 and id = $2) known")
            .bind(c.tenant)
            .bind(c.shared.document)
            .execute(&mut **tx)
            .await?;
        let renamed = sqlx::query("update staged_documents set id = $1").bind(c.fresh).execute(&mut **tx).await?.rows_affected();
        portability::leave_known(tx, c.tenant).await?;
        let left: i64 = sqlx::query_scalar("select count(*) from staged_documents").fetch_one(&mut **tx).await?;
        renamed as usize - left as usize
    };
    "portability::taken_path" |tx, c| {
        staged(tx, Section::Document, document(c, c.fresh, "ARCHITECTURE.md")).await?;
        usize::from(portability::taken_path(tx, c.tenant).await?.is_some())
    };
    "portability::add_documents" |tx, c| {
        staged(tx, Section::Document, document(c, c.fresh, "intruded.md")).await?;
        portability::add_documents(tx, c.tenant, "intruder").await?;
        0
    };
    "portability::differing_chunk" |tx, c|
        usize::from(portability::differing_chunk(tx, c.tenant, &chunk(c, c.shared.chunk.0)).await?.is_some());
    "portability::missing_chunks" |tx, c| portability::missing_chunks(tx, c.tenant, &chunk(c, c.fresh)).await?.len();
    "portability::put_chunks" |tx, c| {
        let words = ChunkWords { id: ChunkId(c.fresh), terms: vec![("intrud".into(), 1)] };
        portability::put_chunks(tx, c.tenant, &chunk(c, c.fresh), &[words]).await?;
        0
    };
    "portability::missing_components" |tx, c| portability::missing_components(tx, c.tenant, &component(c)).await? as usize;
    "portability::put_components" |tx, c| { portability::put_components(tx, c.tenant, &component(c)).await?; 0 };
};

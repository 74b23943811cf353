//! The survey of what is active: it suggests duplicates and contradictions among memories, for a person to decide. It changes nothing.

use super::model::Place;
use super::place::{NEIGHBOURS, reason};
use super::store::{self, OpenSuggestion, Surveyed};
use crate::memories::model::Memory;
use crate::memories::store::{self as memories, Embedded, NewSuggestion};
use crate::memories::{slugs, twins};
use chrono::{DateTime, TimeDelta, Utc};
use db::cursor::{Cursor, Seek};
use db::{Tx, lock, lock_key};
use foundation::audit::{self, NewEntry};
use foundation::jobs::{self, NewEvent, Task};
use foundation::registry::EmbeddingModel;
use foundation::{Engine, Error, OpContext};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;
use uuid::Uuid;
use verb::verb;
use wire::{
    AgentId, MemoryEvidence, MemoryId, MemoryKind, Page, SUGGESTIONS_MAX, SuggestedMemory, Suggestion, SuggestionFilter, SuggestionRelation,
};

/// Memories of one event: afterwards others have their turn.
const BATCH: i64 = 200;
/// How often an organisation's memories are surveyed.
const EVERY: TimeDelta = TimeDelta::hours(24);
/// Suggestions on one page.
const PAGE: usize = 25;

/// Which memories an event surveys.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SurveyPayload {
    /// Those that changed since the survey before; all, if there was none.
    pub since: Option<DateTime<Utc>>,
    /// Those after this one, by id.
    pub after: Option<MemoryId>,
    /// Those of this agent; of all agents, if there is none.
    pub agent_id: Option<AgentId>,
}

/// Requests a survey of the organisation's memories, unless there was one within a day; whether it did.
#[verb]
pub async fn request_survey(engine: &Engine, ctx: &OpContext) -> Result<bool, Error> {
    let now = engine.clock().now();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let since = store::last_survey(&mut tx, ctx.tenant_id).await?;
    if since.is_some_and(|last| last + EVERY > now) {
        return Ok(false);
    }
    let requested = insert(engine, ctx, &mut tx, &SurveyPayload { since, ..SurveyPayload::default() }, now).await?;
    tx.commit().await?;
    engine.captures().wake();
    Ok(requested)
}

/// Requests a survey at once, for an operator: of all agents' memories or of one agent's.
///
/// # Errors
/// `Forbidden` without the role `operator`, `NotFound` for an agent that is not the organisation's.
#[verb(role = Operator)]
pub async fn survey_now(engine: &Engine, ctx: &OpContext, agent: Option<AgentId>) -> Result<(), Error> {
    if let Some(agent) = agent
        && !slugs(engine, ctx).await?.contains_key(&agent)
    {
        return Err(Error::NotFound("agent"));
    }
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let since = store::last_survey(&mut tx, ctx.tenant_id).await?;
    // The survey of one agent neither waits for that of all nor counts as one.
    let payload = SurveyPayload { since, after: agent.map(|_| MemoryId(Uuid::nil())), agent_id: agent };
    insert(engine, ctx, &mut tx, &payload, engine.clock().now()).await?;
    let entry = NewEntry::new(engine, ctx, "survey.requested", "tenant", ctx.tenant_id, "comparison of active memories requested");
    let entry = NewEntry { agent_id: agent, ..entry };
    audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    tx.commit().await?;
    engine.captures().wake();
    engine.relay().wake();
    Ok(())
}

async fn insert(engine: &Engine, ctx: &OpContext, tx: &mut Tx, payload: &SurveyPayload, due: DateTime<Utc>) -> Result<bool, Error> {
    let payload = serde_json::to_value(payload).map_err(Error::failed("a payload cannot be serialised"))?;
    let event = NewEvent::pending(engine, Task::Survey, payload);
    Ok(jobs::store::request_once(tx, ctx.tenant_id, ctx.commons_id, &event, due).await?)
}

/// Surveys some memories and requests the survey of the next ones: at once, or in a day if too many suggestions wait.
///
/// # Errors
/// When the database is out of reach: the event is tried again.
#[verb]
pub async fn survey(engine: &Engine, ctx: &OpContext, payload: &SurveyPayload) -> Result<Value, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let batch = store::to_survey(&mut tx, ctx.tenancy(), &engine.model().name, engine.model().dimension, payload, BATCH).await?;
    let open = store::suggestion_count(&mut tx, ctx.tenancy(), payload.agent_id).await?;
    tx.commit().await?;
    let (mut suggested, mut surveyed, mut after) = (0, 0, payload.after.unwrap_or(MemoryId(Uuid::nil())));
    for one in &batch {
        if open + suggested >= SUGGESTIONS_MAX {
            break;
        }
        suggested += compare_one(engine, ctx, one).await?;
        (surveyed, after) = (surveyed + 1, one.memory.id);
    }
    let now = engine.clock().now();
    let due = if surveyed < batch.len() { now + EVERY } else { now };
    if surveyed < batch.len() || i64::try_from(batch.len()) == Ok(BATCH) {
        let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
        insert(engine, ctx, &mut tx, &SurveyPayload { after: Some(after), ..payload.clone() }, due).await?;
        tx.commit().await?;
    }
    Ok(json!({ "observations": surveyed, "proposed": suggested }))
}

/// Compares a memory with the earlier ones that resemble it; how many suggestions are new.
async fn compare_one(engine: &Engine, ctx: &OpContext, one: &Surveyed) -> Result<i64, Error> {
    let memory = &one.memory;
    let owner = memory.owner();
    let user = owner.user_id.map_or([0; 16], |user| user.0.into_bytes());
    let (now, vector) = (engine.clock().now(), one.vector.to_vec());
    let embedded = Embedded { model: &engine.model().name, vector: &vector };
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    lock(&mut tx, lock_key(&[b"consolidate", owner.agent_id.0.as_bytes(), &user])).await?;
    let mut suggested = 0;
    for (other, similarity) in store::nearest(&mut tx, ctx.tenancy(), owner, embedded, Place::of_memory(memory), NEIGHBOURS, now).await? {
        let Some(relation) = related(memory, &other, similarity, engine.model()) else { continue };
        if store::is_linked(&mut tx, ctx.tenancy(), memory.id, other.id).await? {
            continue;
        }
        let (id, reason) = (engine.clock().id(), reason(relation, similarity));
        let suggestion = NewSuggestion { owner, id, from: memory.id, to: other.id, relation, reason: &reason };
        suggested += i64::from(memories::suggest(&mut tx, ctx.tenancy(), suggestion, now).await?);
    }
    tx.commit().await?;
    Ok(suggested)
}

/// What a memory is to an earlier one of the same kind and place, if anything. Passing states differ all the time.
fn related(memory: &Memory, other: &Memory, similarity: f64, model: &EmbeddingModel) -> Option<SuggestionRelation> {
    let place = |one: &Memory| (one.kind, one.scope, one.project_id, one.repo_id, one.session_id, one.connection_id);
    let earlier = (other.created_at, other.id) < (memory.created_at, memory.id);
    if !earlier || !other.live || place(memory) != place(other) || memory.kind == MemoryKind::Episode {
        return None;
    }
    twins::relation(model, &memory.content, &other.content, similarity)
}

/// A page of suggestions about active memories, of one agent or of all, oldest first.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for an invalid cursor.
#[verb(role = Viewer)]
pub async fn suggestions(engine: &Engine, ctx: &OpContext, filter: &SuggestionFilter) -> Result<Page<Suggestion>, Error> {
    let seek = Seek::from_parameters(filter.after.as_deref(), None)?;
    let slugs = slugs(engine, ctx).await?;
    let mut tx = engine.db().memory.begin_snapshot(ctx.tenancy()).await?;
    let total = store::suggestion_count(&mut tx, ctx.tenancy(), filter.agent_id).await?;
    let suggestions = store::suggestion_list(&mut tx, ctx.tenancy(), filter.agent_id, &seek, PAGE).await?;
    let ids: Vec<MemoryId> = suggestions.iter().flat_map(|one| [one.from.id, one.to.id]).collect();
    let quotes: HashMap<_, _> = memories::evidence_of(&mut tx, ctx.tenancy(), &ids, 1).await?.into_iter().collect();
    tx.commit().await?;
    let page = seek.page(suggestions, PAGE, total, |one: &OpenSuggestion| Cursor { key: one.created_at, id: one.id.0 });
    Ok(page.map(|open| suggestion(open, &slugs, &quotes)))
}

fn suggestion(open: OpenSuggestion, slugs: &HashMap<AgentId, String>, quotes: &HashMap<MemoryId, MemoryEvidence>) -> Suggestion {
    let end = |end: store::End| SuggestedMemory {
        quote: quotes.get(&end.id).cloned(),
        id: end.id,
        short_id: end.short_id,
        version: end.version,
        content: end.content,
        said_at: end.said_at,
    };
    Suggestion {
        id: open.id,
        agent_id: open.agent_id,
        agent_slug: slugs.get(&open.agent_id).cloned().unwrap_or_else(|| open.agent_id.to_string()),
        relation: open.relation,
        reason: open.reason,
        created_at: open.created_at,
        from: end(open.from),
        to: end(open.to),
    }
}

//! Observations: what an agent notices about a person or a tool. They wait as events, and one synthesis reads them together.

use super::request::capturing;
use super::source::Read;
use crate::profile::{Citation, Leaf, NewLeaf, Subject, find_leaf, flatten, has_connection, normalise, replace_leaf};
use foundation::audit::{self, NewEntry};
use foundation::idempotency::Once;
use foundation::identity::count_source;
use foundation::intake::{Admitted, Reason};
use foundation::jobs::{self, NewEvent, Origin, Task};
use foundation::{Checks, Engine, Error, OpContext};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use uuid::Uuid;
use verb::verb;
use wire::{
    AgentId, CaptureResponse, ConnectionContextRequest, EventId, KeyScope, LeafId, OBSERVATION_MAX, ObservationCategory,
    ObservationRequest, REASON_MAX, Role, SourceDetails, SourceForm, TOPIC_MAX, UPDATES_MAX, UserContextRequest, UserRef,
};
use words::guard;

/// The type of an event with a new value of a profile's key.
const SCAFFOLD_UPDATE: &str = "scaffold_update";
/// The type of an event with a fact to keep.
const LEARNED_FACT: &str = "learned_fact";

/// Why an observation is refused whose connection nobody stored.
const UNKNOWN_CONNECTION: &str = "is not a connection of this agent and person: store it with PUT /api/connections/{id} first";

/// Records one observation.
///
/// # Errors
/// `Forbidden` without `capture:write`, and without `commons:write` for all agents; `Invalid` for an empty or too long content, and for a
/// connection that the person does not have.
#[verb]
pub async fn record_observation(engine: &Engine, ctx: &OpContext, request: ObservationRequest) -> Result<CaptureResponse, Error> {
    let (ctx, request) = &observing(engine, ctx, request, |request| (request.user_id.as_ref(), request.commons)).await?;
    Checks::default().bytes("content", &request.content, OBSERVATION_MAX).done()?;
    let once = Once::new(engine, ctx, "record_observation", request)?;
    let event_type = match request.category {
        ObservationCategory::Fact => "fact",
        ObservationCategory::Preference => "preference",
        ObservationCategory::ProjectDetails => "project_details",
        ObservationCategory::Correction => "correction",
    };
    let observation = Observation { event_type, topic: None, json: false, text: request.content.clone(), role: request.role };
    let place = Place {
        agent: recorder(ctx, request.commons)?,
        session: request.session_id,
        connection: request.connection_id,
        path: Path::Interactive,
    };
    record(engine, ctx, &[observation], place, &once).await
}

/// Records new values of a person's profile and facts to keep: an event for each.
///
/// # Errors
/// `Forbidden` without `capture:write`, and without `commons:write` for all agents; `Invalid` for no entries, too many, or one that is empty
/// or too long.
#[verb]
pub async fn update_user_context(engine: &Engine, ctx: &OpContext, request: UserContextRequest) -> Result<CaptureResponse, Error> {
    let (ctx, request) = &observing(engine, ctx, request, |request| (request.user_id.as_ref(), request.commons)).await?;
    let once = Once::new(engine, ctx, "update_user_context", request)?;
    let mut observations = updates("scaffold_updates", &request.scaffold_updates, SCAFFOLD_UPDATE)?;
    let mut checks = Checks::default();
    for (addition, number) in request.persistent_info_additions.iter().zip(0..) {
        checks.bytes(&format!("persistent_info_additions[{number}]"), addition, OBSERVATION_MAX);
        observations.push(Observation { event_type: LEARNED_FACT, topic: None, json: false, text: addition.clone(), role: None });
    }
    let message = format!("has {} entries in all; it may have 1 to {UPDATES_MAX}", observations.len());
    checks.that((1..=UPDATES_MAX).contains(&observations.len()), "scaffold_updates", message).done()?;
    let place = Place { agent: recorder(ctx, request.commons)?, session: request.session_id, connection: None, path: Path::Autonomous };
    record(engine, ctx, &observations, place, &once).await
}

/// Records what an agent learned about using a tool's connection: an event for each key.
///
/// # Errors
/// As [`update_user_context`]; `Invalid`, too, for a connection that the person does not have.
#[verb]
pub async fn update_connection_context(
    engine: &Engine,
    ctx: &OpContext,
    request: ConnectionContextRequest,
) -> Result<CaptureResponse, Error> {
    let (ctx, request) = &capturing(engine, ctx, request, |request| request.user_id.as_ref()).await?;
    let once = Once::new(engine, ctx, "update_connection_context", request)?;
    let observations = updates("learned", &request.learned, LEARNED_FACT)?;
    let message = format!("has {} entries; it may have 1 to {UPDATES_MAX}", observations.len());
    Checks::default().that((1..=UPDATES_MAX).contains(&observations.len()), "learned", message).done()?;
    let place = Place { agent: ctx.agent_id()?, session: request.session_id, connection: Some(request.connection_id), path: Path::Tool };
    record(engine, ctx, &observations, place, &once).await
}

/// Gives an entry of a profile another value, for an operator: an observation of its own, which the new entry cites. Returns the entry that
/// has the value, and what the former one said.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `Invalid` for a value or a reason that is empty or too long, and for a value that reads like an
/// instruction; `NotFound` for an entry that agents no longer read; `Conflict` for a value that says the same, or that somebody forgot.
#[verb(role = Reviewer)]
pub async fn correct_entry(
    engine: &Engine,
    ctx: &OpContext,
    subject: Subject,
    entry: LeafId,
    value: &str,
    reason: &str,
) -> Result<(LeafId, Value), Error> {
    let value = Admitted::text("value", value.trim().to_owned())?.into_inner();
    Checks::default()
        .bytes("value", &value, OBSERVATION_MAX)
        .that(guard::inspect(&value).is_empty(), "value", "reads like an instruction for an agent: enter a plain value")
        .text("reason", reason, REASON_MAX)
        .done()?;
    let (ctx, agent) = (&OpContext { users: subject.user_id.into(), ..ctx.clone() }, subject.agent_id);
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let leaf = find_leaf(&mut tx, ctx, subject, entry).await?.filter(Leaf::is_visible).ok_or(Error::NotFound("leaf of the profile"))?;
    let Leaf { id, part, connection_id, path, value: former, listed, .. } = leaf;
    let details = SourceDetails { form: Some(SourceForm::Note), connection_id, ..SourceDetails::default() };
    let said = if listed { value.clone() } else { format!("{}: {value}", path.join(" / ")) };
    let source_id = Read::statement(Admitted::new(details)?, &said).store(engine, ctx, &mut tx, agent).await?.source_id;
    let origin = Origin { source_id: Some(source_id), connection_id, event_type: Some("correction"), ..Origin::default() };
    let event = NewEvent { origin, ..NewEvent::done(engine, Task::Observe, json!({})) };
    jobs::store::insert_with_origin(&mut tx, ctx.tenancy(), agent, &event).await?;
    let new_leaf = NewLeaf { part, connection_id, path, value: value.into(), listed, corrects: true, cites: vec![] };
    let cite = Citation { source_id, event_id: event.id, session_id: None, at: event.now };
    let corrected = replace_leaf(engine, ctx, &mut tx, (subject, id), (new_leaf, cite)).await?;
    let entry = NewEntry::new(engine, ctx, "profile.leaf_corrected", "profile_leaf", corrected, "corrected").agent(agent);
    audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry.reason(Some(&Reason::new(reason)))).await?;
    tx.commit().await?;
    engine.jobs().wake();
    engine.relay().settle().await;
    Ok((corrected, former))
}

/// As [`capturing`]; whether the caller may write to the commons is asked before any field is looked at.
async fn observing<T: Serialize + DeserializeOwned>(
    engine: &Engine,
    ctx: &OpContext,
    request: T,
    place: impl Fn(&T) -> (Option<&UserRef>, bool),
) -> Result<(OpContext, Admitted<T>), Error> {
    ctx.agent_id()?;
    ctx.require(KeyScope::CaptureWrite)?;
    recorder(ctx, place(&request).1)?;
    capturing(engine, ctx, request, |request| place(request).0).await
}

/// Where observations were made, and whose they are.
#[derive(Clone, Copy)]
struct Place {
    /// The agent that records them, or the commons.
    agent: AgentId,
    session: Option<Uuid>,
    connection: Option<Uuid>,
    path: Path,
}

/// On which path of work an observation was made.
#[derive(Clone, Copy)]
enum Path {
    /// In a conversation with the person.
    Interactive,
    /// In background work.
    Autonomous,
    /// While a tool was used.
    Tool,
}

impl Path {
    fn as_str(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::Autonomous => "autonomous",
            Self::Tool => "tool",
        }
    }
}

/// Whose observations a call records.
fn recorder(ctx: &OpContext, commons: bool) -> Result<AgentId, Error> {
    if !commons {
        return ctx.agent_id();
    }
    ctx.require(KeyScope::CommonsWrite)?;
    Ok(ctx.commons_id)
}

struct Observation {
    event_type: &'static str,
    /// The key of the profile, if it is a new value of one.
    topic: Option<String>,
    /// Whether that value is JSON rather than text.
    json: bool,
    text: String,
    /// Who said it, as far as the caller knows.
    role: Option<Role>,
}

/// Keys with values as statements, `key: value`. What is JSON inside stays JSON.
fn updates(field: &str, values: &Map<String, Value>, event_type: &'static str) -> Result<Vec<Observation>, Error> {
    let mut checks = Checks::default();
    let observation = |(key, value): (&String, &Value)| {
        let text = match value {
            Value::String(text) => format!("{key}: {text}"),
            value => format!("{key}: {value}"),
        };
        let name = format!("{field}.{}", key.chars().take(40).collect::<String>());
        checks.text(&name, key, TOPIC_MAX).bytes(&name, &text, OBSERVATION_MAX);
        if let Err(error) = normalise(value.clone()).and_then(|value| flatten(std::slice::from_ref(key), &value)) {
            checks.that(false, &name, error.to_string());
        }
        Observation { event_type, topic: Some(key.clone()), json: !value.is_string(), text, role: None }
    };
    let observations = values.iter().map(observation).collect();
    checks.done()?;
    Ok(observations)
}

/// Stores observations with their sources and makes sure that a synthesis is due, in one transaction.
async fn record(
    engine: &Engine,
    ctx: &OpContext,
    observations: &[Observation],
    Place { agent, session: session_id, connection: connection_id, path }: Place,
    once: &Once<'_>,
) -> Result<CaptureResponse, Error> {
    count_source(engine, ctx, observations.iter().map(|one| one.text.len()).sum()).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    if let Some(id) = connection_id {
        let subject = Subject { agent_id: agent, user_id: ctx.user() };
        if !has_connection(&mut tx, ctx.tenancy(), subject, id).await? {
            return Err(Error::invalid("connection_id", UNKNOWN_CONNECTION));
        }
    }
    let mut event_ids: Vec<EventId> = Vec::with_capacity(observations.len());
    for observation in observations {
        let details = SourceDetails { form: Some(SourceForm::Note), session_id, connection_id, ..SourceDetails::default() };
        let source = Read::statement(Admitted::new(details)?, &observation.text).store(engine, ctx, &mut tx, agent).await?;
        let payload = match (&observation.topic, observation.role) {
            (Some(topic), _) => json!({ "topic": topic, "json": observation.json }),
            (None, Some(role)) => json!({ "role": role }),
            (None, None) => json!({}),
        };
        let origin = Origin {
            user_id: None,
            source_id: Some(source.source_id),
            session_id,
            connection_id,
            requested_scope: None,
            event_type: Some(observation.event_type),
            metadata: Some(json!({ "source": path.as_str(), "session_id": session_id, "connection_id": connection_id })),
        };
        let event = NewEvent { origin, ..NewEvent::pending(engine, Task::Observe, payload) };
        jobs::store::insert_with_origin(&mut tx, ctx.tenancy(), agent, &event).await?;
        event_ids.push(event.id);
    }
    let synthesis = NewEvent::pending(engine, Task::Synthesise, json!({}));
    jobs::store::request_synthesis(&mut tx, ctx.tenancy(), agent, ctx.user(), &synthesis).await?;
    let answer = CaptureResponse { event_ids };
    once.commit(tx, &answer, &[]).await?;
    engine.captures().wake();
    for observation in observations {
        metrics::counter!("agent_memory_observations_total", "category" => observation.event_type).increment(1);
    }
    Ok(answer)
}

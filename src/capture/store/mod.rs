//! All SQL of capture: sources, observations, quarantine, and the lists of the console.

mod events;
mod lists;
mod speakers;

pub use events::{Event, event_count, event_list, events_of_source, retry, retry_knowledge};
pub use lists::{
    Located, Quoted, SourceNumbers, SourcePart, quoted, source_count, source_list, source_numbers, source_parts, source_titles,
};
pub use speakers::{LockedPart, equal, interrupt, lock_parts, put_turns, quoting, rename_in_evidence, rename_memory};

use crate::consolidation::{Owner, Spot};
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, insert, of_user, same_user, sql};
use extract::parts::StoredTurn;
use foundation::jobs::Held;
use serde_json::{Value, json};
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;
use wire::{AgentId, EventId, QuarantineId, Role, SourceDetails, SourceForm, SourceId, SourceKind, UserId};

/// A part of a source to be stored.
pub struct NewSource<'a> {
    pub id: SourceId,
    pub whole: SourceId,
    pub part: i32,
    pub parts: i32,
    pub kind: SourceKind,
    pub form: SourceForm,
    pub title: &'a str,
    pub details: &'a SourceDetails,
    pub body: Body<'a>,
    pub turns: Value,
    pub user: Option<UserId>,
    pub now: DateTime<Utc>,
}

/// What a source holds.
#[derive(Clone, Copy)]
pub enum Body<'a> {
    Text(&'a str),
    /// An attachment that is not text.
    Bytes {
        media_type: &'a str,
        bytes: &'a [u8],
    },
}

/// Inserts a part of a source; false if it is there.
pub async fn insert_source(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, source: &NewSource<'_>) -> Result<bool, DbError> {
    let (text, media_type, bytes) = match source.body {
        Body::Text(text) => (Some(text), None, None),
        Body::Bytes { media_type, bytes } => (None, Some(media_type), Some(bytes)),
    };
    let query = insert!("insert into sources" {
        tenant_id: tenancy.tenant,
        agent_id: agent,
        id: source.id,
        user_id: source.user,
        kind: source.kind,
        reference: source.details.filename.as_deref().unwrap_or(source.title),
        content: text,
        media_type: media_type,
        bytes: bytes,
        metadata: json!({}),
        created_at: source.now,
        form: source.form,
        title: source.title,
        filename: &source.details.filename,
        attachment_id: &source.details.attachment_id,
        session_id: source.details.session_id,
        connection_id: source.details.connection_id,
        whole_id: source.whole,
        part: source.part,
        parts: source.parts,
        turns: &source.turns,
    } "on conflict (tenant_id, agent_id, id) do nothing");
    tx.changed_any(query).await
}

/// The parts of a source, in order, and whether each is a text; empty if the agent and user have none with this id.
pub async fn parts(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, source: SourceId) -> Result<Vec<(SourceId, bool)>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, agent, source, tenancy.users],
        "select s.id, s.bytes is null from sources s where s.tenant_id = $1 and s.agent_id = $2 and (s.id = $3 or s.whole_id = $3) and ",
        of_user!("s", "$4"),
        " order by s.part"
    ))
    .await
}

/// The source of an event, with what the event did so far.
#[derive(FromRow)]
pub struct StoredSource {
    pub source_id: SourceId,
    pub user_id: Option<UserId>,
    pub session_id: Option<Uuid>,
    pub content: Option<String>,
    #[sqlx(json)]
    pub turns: Vec<StoredTurn>,
    pub outcome: Option<Value>,
    pub filename: Option<String>,
    pub attachment_id: Option<String>,
    pub connection_id: Option<Uuid>,
    pub form: SourceForm,
}

/// The source that an event works on. It waits for whoever renames a speaker of it.
pub async fn source_of_event(tx: &mut Tx, tenancy: Tenancy, held: Held) -> Result<Option<StoredSource>, DbError> {
    tx.row_if_any(sql!(
        [tenancy.tenant, held.agent_id, held.id, tenancy.users],
        r"select s.id as source_id, s.user_id, s.session_id, s.content, coalesce(s.turns, '[]') as turns, e.outcome,
                 s.filename, s.attachment_id,
                 s.connection_id, s.form
            from events e join sources s on s.tenant_id = e.tenant_id and s.agent_id = e.agent_id and s.id = e.source_id
           where e.tenant_id = $1 and e.agent_id = $2 and e.id = $3 and ",
        of_user!("s", "$4"),
        " for share of s"
    ))
    .await
}

/// A part of a source, and how it was captured last.
#[derive(FromRow)]
pub struct CapturedPart {
    pub agent_id: AgentId,
    pub source_id: SourceId,
    pub user_id: Option<UserId>,
    pub session_id: Option<Uuid>,
    pub content: Option<String>,
    pub turns: Option<Json<Vec<StoredTurn>>>,
    pub filename: Option<String>,
    pub attachment_id: Option<String>,
    /// What the capture was asked to do; none without a capture, or once its event was swept.
    pub capture: Option<Value>,
}

/// The parts of a source, in order.
pub async fn captured_parts(tx: &mut Tx, tenancy: Tenancy, source: SourceId) -> Result<Vec<CapturedPart>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, source, tenancy.users],
        r"select s.agent_id, s.id as source_id, s.user_id, s.session_id, s.content, s.turns, s.filename, s.attachment_id,
                 (select coalesce(e.payload->'target', e.payload) from events e
                   where e.tenant_id = $1 and e.agent_id = s.agent_id and e.source_id = s.id and e.task in ('extract', 'ingest')
                     and e.payload->>'only' is null
                   order by e.created_at desc, e.id desc limit 1) as capture
            from sources s where s.tenant_id = $1 and (s.id = $2 or s.whole_id = $2) and ",
        of_user!("s", "$3"),
        " order by s.part"
    ))
    .await
}

pub async fn user_of_event(tx: &mut Tx, tenancy: Tenancy, held: Held) -> Result<Option<UserId>, DbError> {
    let user: Option<Option<UserId>> = tx
        .value_if_any(sql!(
            [tenancy.tenant, held.agent_id, held.id, tenancy.users],
            "select e.user_id from events e where e.tenant_id = $1 and e.agent_id = $2 and e.id = $3 and ",
            of_user!("e", "$4")
        ))
        .await?;
    Ok(user.flatten())
}

/// An observation that waits, or that rules read.
#[derive(Clone, FromRow)]
pub struct StoredObservation {
    pub id: EventId,
    pub source_id: SourceId,
    pub event_type: Option<String>,
    pub topic: Option<String>,
    /// Whether the value of the topic is JSON rather than text.
    pub json: bool,
    /// Who said it, if the agent knows.
    pub role: Option<Role>,
    pub session_id: Option<Uuid>,
    pub connection_id: Option<Uuid>,
    pub content: String,
    pub created_at: DateTime<Utc>,
}

/// The beginning of a statement that reads a [`StoredObservation`] of tenant `$1` and agent `$2`.
macro_rules! observed {
    () => {
        r"select e.id, e.source_id, e.event_type, e.payload->>'topic' as topic, coalesce(e.payload->>'json' = 'true', false) as json,
                 e.payload->>'role' as role, e.session_id, e.connection_id, s.content, e.created_at
            from events e join sources s on s.tenant_id = e.tenant_id and s.agent_id = e.agent_id and s.id = e.source_id
           where e.tenant_id = $1 and e.agent_id = $2 and "
    };
}

/// The oldest waiting observations of an agent and a user.
pub async fn observations(tx: &mut Tx, tenancy: Tenancy, owner: Owner, most: i64) -> Result<Vec<StoredObservation>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, owner.agent_id, owner.user_id, tenancy.users, most],
        observed!(),
        same_user!("e", "$3"),
        r" and e.kind = 'observation'
             and e.state = 'pending' and s.content is not null and ",
        of_user!("e", "$4"),
        " order by e.created_at, e.id limit $5"
    ))
    .await
}

/// The observations of some sources that rules read because a chat model did not answer, oldest first.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, agent = %owner.agent_id, sources = sources.len()))]
pub async fn read_by_rules(
    tx: &mut Tx,
    tenancy: Tenancy,
    owner: Owner,
    sources: &[Uuid],
    most: i64,
) -> Result<Vec<StoredObservation>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, owner.agent_id, owner.user_id, tenancy.users, sources, most],
        observed!(),
        same_user!("e", "$3"),
        r" and e.source_id = any($5) and e.kind = 'observation' and e.state = 'done'
             and e.outcome->>'extractor' = 'rules' and s.content is not null and ",
        of_user!("e", "$4"),
        " order by e.created_at, e.id limit $6"
    ))
    .await
}

/// Whether observations of an agent and a user wait.
pub async fn has_observations(tx: &mut Tx, tenancy: Tenancy, owner: Owner) -> Result<bool, DbError> {
    tx.value(sql!(
        [tenancy.tenant, owner.agent_id, owner.user_id, tenancy.users],
        r"select exists (select from events e join sources s on s.tenant_id = e.tenant_id and s.agent_id = e.agent_id and s.id = e.source_id
                          where e.tenant_id = $1 and e.agent_id = $2 and ",
        same_user!("e", "$3"),
        r" and e.kind = 'observation'
                            and e.state = 'pending' and s.content is not null and ",
        of_user!("e", "$4"),
        ")"
    ))
    .await
}

/// Marks observations as processed; with true, as read by rules because a chat model did not answer.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, %agent, ids = ids.len()))]
pub async fn mark_processed(
    tx: &mut Tx,
    tenancy: Tenancy,
    agent: AgentId,
    ids: &[EventId],
    by_rules: bool,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let outcome = by_rules.then(|| json!({ "extractor": "rules" }));
    tx.run(sql!(
        [tenancy.tenant, agent, ids, now, tenancy.users, outcome],
        r"update events e set state = 'done', processed_at = $4, finished_at = $4, outcome = $6
           where e.tenant_id = $1 and e.agent_id = $2 and e.id = any($3) and e.kind = 'observation' and ",
        of_user!("e", "$5")
    ))
    .await
}

/// Ends a synthesis, which the caller holds.
pub async fn end_synthesis(tx: &mut Tx, tenancy: Tenancy, held: Held, outcome: &Value, now: DateTime<Utc>) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, held.agent_id, held.id, outcome, now, tenancy.users],
        r"update events e
             set state = 'done', error = null, outcome = $4, leased_until = null, finished_at = $5
           where e.tenant_id = $1 and e.agent_id = $2 and e.id = $3 and ",
        of_user!("e", "$6")
    ))
    .await
}

/// Puts a place into quarantine; false if it is there.
pub async fn insert_quarantine(
    tx: &mut Tx,
    tenancy: Tenancy,
    owner: Owner,
    id: QuarantineId,
    spot: &Spot,
    reasons: &[String],
    now: DateTime<Utc>,
) -> Result<bool, DbError> {
    let query = insert!("insert into quarantine" {
        tenant_id: tenancy.tenant,
        agent_id: owner.agent_id,
        id: id,
        user_id: owner.user_id,
        source_id: spot.source_id,
        event_id: spot.event_id,
        starts: i32::try_from(spot.starts).unwrap_or(i32::MAX),
        ends: i32::try_from(spot.ends).unwrap_or(i32::MAX),
        quote: &spot.quote,
        reasons: reasons,
        state: "waiting",
        created_at: now,
    } "on conflict (tenant_id, agent_id, source_id, starts, ends) do nothing");
    tx.changed_any(query).await
}

//! What the console lists of the two event buses.

use chrono::{DateTime, Utc};
use db::cursor::Seek;
use db::{DbError, Tx, sql, statement};
use serde_json::Value;
use sqlx::{FromRow, Postgres, QueryBuilder};
use wire::{AgentId, EventBus, EventFilter, EventId, EventKind, EventState, SourceId, TenantId};

/// An event of a list.
#[derive(FromRow)]
pub struct Event {
    pub id: EventId,
    pub agent_id: AgentId,
    pub kind: EventKind,
    pub task: String,
    pub state: EventState,
    pub attempt: i32,
    pub error: Option<String>,
    pub outcome: Option<Value>,
    /// The id of the whole source.
    pub source_id: Option<SourceId>,
    /// The title of the source or of the document.
    pub title: Option<String>,
    /// What the payload names: ids of a memory, a document, a request for an erasure, and phrases. An imported payload may hold any text.
    pub subject: Value,
    pub created_at: DateTime<Utc>,
    pub run_after: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
}

/// `select` of [`Event`] from the bus of memories up to the `where`.
const OF_MEMORIES: &str = r"select e.id, e.agent_id, e.kind, e.task, e.state, e.attempt, e.error, e.outcome, s.id as source_id, s.title,
           jsonb_build_object('memory_id', e.payload->'memory_id', 'request_id', e.payload->'request_id', 'forms', e.payload->'forms') as subject,
           e.created_at, e.run_after, e.finished_at
      from events e
      left join lateral (select coalesce(s.whole_id, s.id) as id, coalesce(s.title, s.reference) as title
                           from sources s
                          where s.tenant_id = $1 and s.agent_id = e.agent_id and s.id = e.source_id) s on true";

/// The same from the bus of knowledge. No import writes it, so its ids can be read.
const OF_KNOWLEDGE: &str = r"select e.id, e.agent_id, e.kind, e.task, e.state, e.attempt, e.error, e.outcome, null::uuid as source_id,
           (select d.title from documents d
             where d.tenant_id = $1 and d.id = case when e.task = 'embed_document' then (e.payload->>'document_id')::uuid end) as title,
           jsonb_build_object('document_id', e.payload->'document_id') as subject,
           e.created_at, e.run_after, e.finished_at
      from events e";

fn of_bus(bus: EventBus) -> &'static str {
    match bus {
        EventBus::Memories => OF_MEMORIES,
        EventBus::Knowledge => OF_KNOWLEDGE,
    }
}

fn events(select: &str, tenant: TenantId, filter: &EventFilter) -> Result<QueryBuilder<Postgres>, DbError> {
    let mut query = statement!(format!("{select} where e.tenant_id = $1"), tenant);
    if let Some(agent) = filter.agent_id {
        query.push(" and e.agent_id = ").push_bind(agent);
    }
    if let Some(kind) = filter.kind {
        query.push(" and e.kind = ").push_bind(kind);
    }
    if let Some(task) = &filter.task {
        query.push(" and e.task = ").push_bind(task.clone());
    }
    if let Some(state) = filter.state {
        query.push(" and e.state = ").push_bind(state);
    }
    // An observation waits for a synthesis, not for a worker.
    if filter.state == Some(EventState::Pending) && filter.kind != Some(EventKind::Observation) {
        query.push(" and e.kind <> 'observation'");
    }
    Ok(query)
}

/// How many events of a bus a filter matches, in the database of that bus.
pub async fn event_count(tx: &mut Tx, tenant: TenantId, filter: &EventFilter) -> Result<i64, DbError> {
    tx.value(events("select count(*) from events e", tenant, filter)?).await
}

/// One page of events and one more, newest first, in the database of the bus that the filter names.
pub async fn event_list(tx: &mut Tx, tenant: TenantId, filter: &EventFilter, seek: &Seek, size: usize) -> Result<Vec<Event>, DbError> {
    let mut query = events(of_bus(filter.bus.unwrap_or_default()), tenant, filter)?;
    seek.push(&mut query, "e.created_at", "e.id", !filter.reversed, size);
    tx.rows(query).await
}

/// The events that worked on a source, newest first.
pub async fn events_of_source(tx: &mut Tx, tenant: TenantId, source: SourceId, most: i64) -> Result<Vec<Event>, DbError> {
    let mut query = events(OF_MEMORIES, tenant, &EventFilter::default())?;
    query.push(" and (e.agent_id, e.source_id) in (select p.agent_id, p.id from sources p where p.tenant_id = $1 and (p.id = ");
    query.push_bind(source).push(" or p.whole_id = ").push_bind(source).push(")) order by e.created_at desc, e.id desc limit ");
    query.push_bind(most);
    tx.rows(query).await
}

/// Makes dead events due again; which. A synthesis stays dead if another one is open, which reads the same observations.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn retry(tx: &mut Tx, tenant: TenantId, ids: &[EventId], now: DateTime<Utc>) -> Result<Vec<EventId>, DbError> {
    tx.values(sql!(
        [tenant, ids, now],
        r"update events e set state = 'pending', run_after = $3, finished_at = null, attempts_before = attempt
           where e.tenant_id = $1 and e.id = any($2) and e.state = 'dead'
             and not (e.task = 'synthesise' and exists (
                     select from events o
                      where o.tenant_id = $1 and o.agent_id = e.agent_id and o.user_id is not distinct from e.user_id
                           and o.task = 'synthesise'
                        and o.state in ('pending', 'running', 'failed')))
          returning e.id"
    ))
    .await
}

/// The same on the bus of knowledge, which has no synthesis.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn retry_knowledge(tx: &mut Tx, tenant: TenantId, ids: &[EventId], now: DateTime<Utc>) -> Result<Vec<EventId>, DbError> {
    tx.values(sql!(
        [tenant, ids, now],
        r"update events e set state = 'pending', run_after = $3, finished_at = null, attempts_before = attempt
           where e.tenant_id = $1 and e.id = any($2) and e.state = 'dead'
          returning e.id"
    ))
    .await
}

//! The events of the two buses as operators see them, and retrying those that are dead.

use super::store::{self, Event};
use crate::memories::{self, slugs};
use db::cursor::{Cursor, Seek};
use db::{Planned, Tx};
use foundation::audit::{self, NewEntry};
use foundation::{Checks, Engine, Error, OpContext, jobs};
use serde_json::Value;
use std::collections::HashMap;
use verb::verb;
use wire::{AgentId, BULK_MAX, EventBus, EventCount, EventFilter, EventId, EventRow, EventState, MemoryId, Page};

/// Rows on one page of the console.
const PAGE: usize = 50;
/// Longest name of a task, in characters.
const TASK_MAX: usize = 64;
/// Phrases of a job that are named.
const PHRASES: usize = 3;

/// A page of events of one bus, newest first.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for an invalid cursor or task.
#[verb(role = Viewer)]
pub async fn events(engine: &Engine, ctx: &OpContext, filter: &EventFilter) -> Result<Page<EventRow>, Error> {
    Checks::default().optional_text("task", filter.task.as_deref(), TASK_MAX).done()?;
    let seek = &Seek::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    let slugs = slugs(engine, ctx).await?;
    let bus = filter.bus.unwrap_or_default();
    let database = match bus {
        EventBus::Memories => &engine.db().memory,
        EventBus::Knowledge => &engine.db().kb,
    };
    let read = |mut tx: Tx| async move {
        let total = store::event_count(&mut tx, ctx.tenant_id, filter).await?;
        let events = store::event_list(&mut tx, ctx.tenant_id, filter, seek, PAGE).await?;
        let page = seek.clone().page(events, PAGE, total, |one: &Event| Cursor { key: one.created_at, id: one.id.0 });
        let topics = match bus {
            EventBus::Memories => topics(&mut tx, ctx, &page.rows).await?,
            EventBus::Knowledge => HashMap::new(),
        };
        tx.commit().await?;
        Ok::<_, Error>((page, topics))
    };
    let (page, topics) = ctx.read(database, Planned::ByPostgres, read).await?;
    Ok(page.map(|event| event_row(event, bus, &slugs, &topics)))
}

/// The topics of the memories that events name.
async fn topics(tx: &mut Tx, ctx: &OpContext, events: &[Event]) -> Result<HashMap<MemoryId, String>, Error> {
    let mut ids: Vec<MemoryId> = events.iter().filter_map(|event| named(event, "memory_id")).collect();
    ids.sort_unstable();
    ids.dedup();
    let memories = memories::store::by_ids(tx, ctx.tenancy(), None, &ids, false).await?;
    Ok(memories.into_iter().map(|memory| (memory.id, memory.topic)).collect())
}

/// How many events are not done, by bus and state; states without any are left out.
#[verb(role = Viewer)]
pub async fn event_counts(engine: &Engine, ctx: &OpContext) -> Result<Vec<EventCount>, Error> {
    let mut counts = Vec::new();
    for (bus, database) in [(EventBus::Memories, &engine.db().memory), (EventBus::Knowledge, &engine.db().kb)] {
        let mut tx = database.begin(ctx.tenancy()).await?;
        let depth = jobs::store::depth_of(&mut tx, ctx.tenant_id).await?;
        tx.commit().await?;
        let known = depth.into_iter().filter_map(|(state, events)| Some(EventCount { bus, state: state.parse().ok()?, events }));
        counts.extend(known);
    }
    Ok(counts)
}

/// An event with its subject in words.
pub(super) fn event_row(event: Event, bus: EventBus, slugs: &HashMap<AgentId, String>, topics: &HashMap<MemoryId, String>) -> EventRow {
    let open = matches!(event.state, EventState::Pending | EventState::Failed);
    let memory_id = named(&event, "memory_id");
    let about = memory_id.and_then(|id| topics.get(&id).cloned()).or_else(|| event.title.clone()).or_else(|| phrases(&event.subject));
    EventRow {
        id: event.id,
        bus,
        agent_id: event.agent_id,
        agent_slug: slugs.get(&event.agent_id).cloned().unwrap_or_else(|| event.agent_id.to_string()),
        kind: event.kind,
        outcome: event.outcome.as_ref().and_then(|outcome| in_words(&event.task, outcome)),
        about,
        source_id: event.source_id,
        memory_id,
        document_id: named(&event, "document_id"),
        erasure_id: named(&event, "request_id"),
        task: event.task,
        state: event.state,
        attempt: event.attempt,
        error: event.error.filter(|_| event.state != EventState::Done),
        created_at: event.created_at,
        run_after: open.then_some(event.run_after),
        finished_at: event.finished_at,
    }
}

/// An id of an event's subject.
fn named<T: std::str::FromStr>(event: &Event, name: &str) -> Option<T> {
    event.subject.get(name)?.as_str()?.parse().ok()
}

/// The phrases of a job of re-canonicalisation: `tea, green tea, mate and 2 more`.
fn phrases(subject: &Value) -> Option<String> {
    let forms: Vec<&str> = subject.get("forms")?.as_array()?.iter().filter_map(Value::as_str).collect();
    let named = forms.iter().take(PHRASES).copied().collect::<Vec<_>>().join(", ");
    match forms.len().saturating_sub(PHRASES) {
        _ if named.is_empty() => None,
        0 => Some(named),
        more => Some(format!("{named} and {more} more")),
    }
}

/// An outcome as a sentence: the numbers that are not zero, or what a maintenance job says.
fn in_words(task: &str, outcome: &Value) -> Option<String> {
    if let Some(result) = outcome.get("result").and_then(Value::as_str) {
        return Some(result.to_owned());
    }
    let number = |name: &str| outcome.get(name).and_then(Value::as_i64).unwrap_or(0);
    let counted = [
        ("observations", "read"),
        ("candidates", "added to the inbox"),
        ("promoted", "stored without review"),
        ("merged", "merged into memories"),
        ("known", "extracted before"),
        ("forgotten", "forgotten before"),
        ("quarantined", "put into quarantine"),
        ("dropped", "dropped without a quote"),
        ("proposed", "proposed"),
        ("profiled", "added to the profile"),
        ("corrected", "corrected in the profile"),
        ("replaced", "found by rules before and replaced"),
        ("unsupported", "dropped without support"),
    ];
    let mut words: Vec<String> =
        counted.into_iter().filter(|(name, _)| number(name) > 0).map(|(name, words)| format!("{} {words}", number(name))).collect();
    // Without a model people expect quotations and rules, and a memory that an agent proposes has no extractor.
    let extractor = outcome.get("extractor").and_then(Value::as_str).filter(|name| !["", "quotes", "rules", "none"].contains(name));
    words.extend(extractor.filter(|_| !words.is_empty()).map(|name| format!("by {name}")));
    match words.is_empty() {
        true if task == "extract" && number("read") >= number("of") => Some("nothing to remember".into()),
        true => None,
        false => Some(words.join(", ")),
    }
}

/// Makes dead events of either bus due again; how many.
///
/// # Errors
/// `Forbidden` without the role `operator`, `Invalid` for no ids or too many.
#[verb(role = Operator)]
pub async fn retry(engine: &Engine, ctx: &OpContext, ids: &[EventId]) -> Result<i64, Error> {
    let message = format!("names {} events; it may name 1 to {BULK_MAX}", ids.len());
    Checks::default().that((1..=BULK_MAX).contains(&ids.len()), "ids", message).done()?;
    let now = engine.clock().now();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let mut retried = store::retry(&mut tx, ctx.tenant_id, ids, now).await?;
    note_retries(engine, ctx, &mut tx, &retried).await?;
    jobs::store::announce(&mut tx).await?;
    tx.commit().await?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let of_knowledge = store::retry_knowledge(&mut tx, ctx.tenant_id, ids, now).await?;
    note_retries(engine, ctx, &mut tx, &of_knowledge).await?;
    tx.commit().await?;
    retried.extend(of_knowledge);
    engine.jobs().wake();
    engine.captures().wake();
    engine.relay().wake();
    Ok(i64::try_from(retried.len()).unwrap_or(i64::MAX))
}

async fn note_retries(engine: &Engine, ctx: &OpContext, tx: &mut Tx, ids: &[EventId]) -> Result<(), Error> {
    for id in ids {
        let entry = NewEntry::new(engine, ctx, "event.retried", "event", *id, "retried");
        audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_phrases_of_a_job_are_named_and_counted() {
        let subject = |forms: &[&str]| serde_json::json!({ "forms": forms });
        assert_eq!(phrases(&subject(&["tea", "mate"])).as_deref(), Some("tea, mate"));
        assert_eq!(phrases(&subject(&["a", "b", "c", "d", "e"])).as_deref(), Some("a, b, c and 2 more"));
        assert_eq!((phrases(&subject(&[])), phrases(&serde_json::json!({ "forms": null }))), (None, None));
    }
}

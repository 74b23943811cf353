//! The demo's past: weeks of memories, recalls and documents, loaded in the order in which they happened.

use super::data::{FOUNDED, MEMORIES, Memory, RECALLS, TERMS};
use super::{Failure, TENANT, knowledge};
use chrono::{DateTime, Duration, Utc};
use remembrancer::api::{ForgetRequest, MemoryId, MemoryScope, RecallRequest, RememberRequest, RequestId, Scope, Source};
use remembrancer::clock::{Clock, SystemClock};
use remembrancer::knowledge::{self as shared, Extent, Ingestion};
use remembrancer::providers::Embedder;
use remembrancer::vocabulary::NewTerm;
use remembrancer::{Engine, OpContext, Settings, identity, memories, recall, vocabulary, workers};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tokio_util::sync::CancellationToken;

/// How long loading waits for a vector. A busy machine may be slow, and no request is waiting.
const EMBEDDING_BUDGET: std::time::Duration = std::time::Duration::from_secs(60);

/// The system's clock, set back by some minutes.
#[derive(Default)]
struct RewoundClock(AtomicI64);

impl RewoundClock {
    fn rewind(&self, minutes: i64) {
        self.0.store(minutes, Ordering::Relaxed);
    }
}

impl Clock for RewoundClock {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() - Duration::minutes(self.0.load(Ordering::Relaxed))
    }
}

/// Something that an agent did.
#[derive(Clone, Copy)]
enum Event {
    Remember(&'static Memory),
    Forget(&'static Memory),
    Recall { query: &'static str, expected: bool, agent: &'static str },
}

/// Every event with its age in minutes, oldest first: a recall finds nothing that was remembered after it.
fn timeline() -> Vec<(i64, Event)> {
    let remembered = MEMORIES.iter().map(|memory| (memory.minutes_ago, Event::Remember(memory)));
    let forgotten = MEMORIES.iter().filter(|memory| memory.forgotten).map(|memory| (memory.minutes_ago / 2, Event::Forget(memory)));
    let recalled = RECALLS.iter().map(|&(minutes_ago, query, expected)| {
        let agent = if minutes_ago % 3 == 0 { "binky" } else { "atlas" };
        (minutes_ago, Event::Recall { query, expected, agent })
    });
    let mut events: Vec<_> = remembered.chain(forgotten).chain(recalled).collect();
    events.sort_by_key(|(minutes_ago, _)| Reverse(*minutes_ago));
    events
}

/// Loads tenant, agents, vocabulary and history through an engine of its own. No other engine may work on these databases meanwhile: a job
/// worker with the right time would consider every job of this one overdue.
///
/// # Errors
/// When a database or the model is out of reach.
pub async fn load(engine: &Engine, embedder: Arc<dyn Embedder>) -> Result<OpContext, Failure> {
    let clock = Arc::new(RewoundClock::default());
    let settings = Settings {
        write_embedding_budget: EMBEDDING_BUDGET,
        query_embedding_budget: EMBEDDING_BUDGET,
        job_embedding_budget: EMBEDDING_BUDGET,
        backfill: true,
        ..engine.settings().clone()
    };
    let past = Engine::open(engine.urls().clone(), embedder, Arc::<RewoundClock>::clone(&clock), settings).await?;
    let ctx = replay(&past, &clock).await?;
    clock.rewind(0);
    settle(&past).await?;
    past.db().close().await;
    Ok(ctx)
}

async fn replay(engine: &Engine, clock: &RewoundClock) -> Result<OpContext, Failure> {
    let ctx = identity::create_tenant(engine, TENANT, "Acme").await?;
    let atlas = agent(engine, &ctx, "atlas", "Atlas, the project assistant").await?;
    let binky = agent(engine, &ctx, "binky", "Binky, the release helper").await?;
    for (term, definition, aliases) in TERMS {
        vocabulary::add(engine, &ctx, NewTerm { term, definition, category: None, aliases }).await?;
    }
    clock.rewind(FOUNDED);
    ingest(engine, &ctx).await?;
    let acting = |slug: &str| if slug == "binky" { &binky } else { &atlas };
    let mut ids: HashMap<&str, MemoryId> = HashMap::new();
    for (minutes_ago, event) in timeline() {
        clock.rewind(minutes_ago);
        match event {
            Event::Remember(memory) => {
                let remembered = memories::remember(engine, acting(memory.agent), request(memory)).await?;
                ids.insert(memory.content, remembered.memory_id);
            }
            Event::Forget(memory) => {
                let Some(&memory_id) = ids.get(memory.content) else { continue };
                let reason = Some("Mina asked me to forget this".into());
                memories::forget(engine, acting(memory.agent), ForgetRequest { memory_id, reason, user_id: None }).await?;
            }
            Event::Recall { query, expected, agent } => {
                recall::recall(engine, acting(agent), RecallRequest { k: 5, expected, ..RecallRequest::new(query) }).await?;
            }
        }
    }
    Ok(ctx)
}

/// Delivers the outbox, works through the queue and writes the retrieval log, so that the server starts with nothing overdue.
async fn settle(engine: &Engine) -> Result<(), Failure> {
    let stop = CancellationToken::new();
    while workers::drain(engine).await? + workers::work(engine, &stop).await? > 0 {}
    // A writer that is stopped still writes its entries.
    stop.cancel();
    workers::write_log(engine.clone(), stop).await;
    Ok(())
}

/// Ingests the documents with their vectors: the first recall already finds them.
async fn ingest(engine: &Engine, ctx: &OpContext) -> Result<(), Failure> {
    let ingestion = Ingestion {
        collection: "handbook".into(),
        files: knowledge::FILES.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect(),
        extent: Extent::Whole,
        revision: None,
        dry_run: false,
        failures: vec![],
    };
    shared::ingest(engine, ctx, ingestion, &|_, _| {}).await?;
    let stop = CancellationToken::new();
    while workers::work_on(engine, &engine.db().kb, &stop).await? > 0 {}
    Ok(())
}

async fn agent(engine: &Engine, ctx: &OpContext, slug: &str, name: &str) -> Result<OpContext, Failure> {
    let agent = identity::create_agent(engine, ctx, slug, name, false).await?;
    let (_, key) = identity::create_key(engine, ctx, agent.id, "demo data", Scope::ALL, None, None).await?;
    Ok(identity::authenticate(engine, &key, RequestId(engine.clock().id())).await?)
}

fn request(memory: &Memory) -> RememberRequest {
    RememberRequest {
        topic_raw: memory.topic.into(),
        content: memory.content.into(),
        source: Source {
            platform: memory.platform.into(),
            channel_id: Some(memory.channel.into()),
            thread_id: Some(format!("{}-{}", memory.channel, memory.minutes_ago / 600)),
            ..Source::default()
        },
        kind: Some(memory.kind),
        scope: memory.shared.then_some(MemoryScope::Global),
        commons: memory.shared,
        ..RememberRequest::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_happen_in_order() {
        let events = timeline();
        assert_eq!(events.len(), MEMORIES.len() + RECALLS.len() + MEMORIES.iter().filter(|memory| memory.forgotten).count());
        assert!(events.is_sorted_by_key(|(minutes_ago, _)| Reverse(*minutes_ago)));
        assert!(events.iter().all(|(minutes_ago, _)| *minutes_ago < FOUNDED));
        for (index, (_, event)) in events.iter().enumerate() {
            let Event::Forget(forgotten) = event else { continue };
            let before =
                events[..index].iter().filter(|(_, event)| matches!(event, Event::Remember(memory) if memory.content == forgotten.content));
            assert_eq!(before.count(), 1, "{} is remembered before it is forgotten", forgotten.topic);
        }
    }
}

//! The demo's past: weeks of memories, recalls and documents, loaded in the order in which they happened.

use super::activity::{COMPLETED, Completed, REPORTED, Reported, complete, report};
use super::capture::{self, CAPTURED, Captured, OBSERVED, OUTAGE, Observed, VERDICTS, Verdict};
use super::contexts::{ASSEMBLED, Assembled, assemble};
use super::data::{FOUNDED, LINKED, Linked, MEMORIES, Memory, RECALLS, TERMS};
use super::messages::{SAID, Said, say};
use super::people::{NOTICED, Noticed, notice};
use super::sessions::{self, CODED, Coded, code};
use super::{Failure, TENANT, knowledge, usage};
use chrono::{DateTime, Duration, Utc};
use db::clock::{Clock, SystemClock};
use foundation::{Engine, OpContext, Settings, identity};
use futures_util::future::BoxFuture;
use models::{EmbedError, Embedder, Role};
use remembrancer::knowledge::{self as shared, Extent, Ingestion};
use remembrancer::vocabulary::NewTerm;
use remembrancer::{lifecycle, memories, recall, vocabulary, workers};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use tokio_util::sync::CancellationToken;
use tracing::instrument::WithSubscriber;
use tracing::subscriber::NoSubscriber;
use wire::{ForgetRequest, KeyScope, LinkRequest, MemoryId, MemoryScope, RecallRequest, RememberRequest, RequestId, Source};
use words::tokens::Tokens;

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

/// The model, out of reach at times.
struct Interrupted {
    embedder: Arc<dyn Embedder>,
    out: AtomicBool,
}

impl Interrupted {
    fn set_out(&self, out: bool) {
        self.out.store(out, Ordering::Relaxed);
    }
}

impl Embedder for Interrupted {
    fn model(&self) -> &str {
        self.embedder.model()
    }

    fn dimension(&self) -> usize {
        self.embedder.dimension()
    }

    fn embed(&self, texts: Vec<String>, role: Role) -> BoxFuture<'_, Result<Vec<Vec<f32>>, EmbedError>> {
        if self.out.load(Ordering::Relaxed) {
            return Box::pin(async { Err(EmbedError::Unavailable("connection refused by models.acme.example:443".into())) });
        }
        self.embedder.embed(texts, role)
    }

    fn tokens(&self) -> Arc<dyn Tokens> {
        self.embedder.tokens()
    }
}

/// How long the model is out of reach: longer than an event is tried.
const OUTAGE_MINUTES: i64 = 40;
/// Between two looks at the queue meanwhile.
const STEP_MINUTES: i64 = 5;

/// Something that an agent or a reviewer did.
#[derive(Clone, Copy)]
enum Event {
    Remember(&'static Memory),
    Forget(&'static Memory),
    Link(&'static Linked),
    Recall {
        query: &'static str,
        expected: bool,
        agent: &'static str,
    },
    Capture(&'static Captured),
    Observe(&'static Observed),
    Notice(&'static Noticed),
    Say(&'static Said),
    Code(&'static Coded),
    Report(&'static Reported),
    Complete(&'static Completed),
    Assemble(&'static Assembled),
    Decide(&'static Verdict),
    /// The model is out of reach while this is remembered.
    Outage(&'static Memory),
}

/// Every event with its age in minutes, oldest first: a recall finds nothing that was remembered after it.
fn timeline() -> Vec<(i64, Event)> {
    let remembered = MEMORIES.iter().map(|memory| (memory.minutes_ago, Event::Remember(memory)));
    let forgotten = MEMORIES.iter().filter(|memory| memory.forgotten).map(|memory| (memory.minutes_ago / 2, Event::Forget(memory)));
    let linked = LINKED.iter().map(|linked| (linked.minutes_ago, Event::Link(linked)));
    let recalled = RECALLS.iter().map(|&(minutes_ago, query, expected)| {
        let agent = if minutes_ago % 3 == 0 { "binky" } else { "atlas" };
        (minutes_ago, Event::Recall { query, expected, agent })
    });
    let captured = CAPTURED.iter().map(|captured| (captured.minutes_ago, Event::Capture(captured)));
    let observed = OBSERVED.iter().map(|observed| (observed.minutes_ago, Event::Observe(observed)));
    let noticed = NOTICED.iter().map(|noticed| (noticed.minutes_ago, Event::Notice(noticed)));
    let decided = VERDICTS.iter().map(|verdict| (verdict.minutes_ago, Event::Decide(verdict)));
    let said = SAID.iter().map(|said| (said.minutes_ago, Event::Say(said)));
    let coded = CODED.iter().map(|coded| (coded.minutes_ago, Event::Code(coded)));
    let reported = REPORTED.iter().map(|reported| (reported.minutes_ago, Event::Report(reported)));
    let completed = COMPLETED.iter().map(|completed| (completed.minutes_ago, Event::Complete(completed)));
    let assembled = ASSEMBLED.iter().map(|assembled| (assembled.minutes_ago, Event::Assemble(assembled)));
    let out = std::iter::once((OUTAGE.minutes_ago, Event::Outage(&OUTAGE)));
    let by_agents = remembered
        .chain(forgotten)
        .chain(linked)
        .chain(recalled)
        .chain(captured)
        .chain(observed)
        .chain(noticed)
        .chain(said)
        .chain(coded)
        .chain(reported)
        .chain(completed);
    let mut events: Vec<_> = by_agents.chain(assembled).chain(decided).chain(out).collect();
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
    let model = Arc::new(Interrupted { embedder, out: AtomicBool::new(false) });
    let past = Engine::open(engine.urls().clone(), Arc::<Interrupted>::clone(&model), Arc::<RewoundClock>::clone(&clock), settings).await?;
    let ctx = replay(&past, &clock, &model).await?;
    clock.rewind(0);
    usage::load(&past, &ctx).await?;
    lifecycle::request_sweep(&past, &ctx).await?;
    settle(&past).await?;
    past.db().close().await;
    Ok(ctx)
}

async fn replay(engine: &Engine, clock: &RewoundClock, model: &Interrupted) -> Result<OpContext, Failure> {
    let ctx = identity::create_tenant(engine, TENANT, "Acme").await?;
    let atlas = agent(engine, &ctx, "atlas", "Atlas, the project assistant").await?;
    let binky = agent(engine, &ctx, "binky", "Binky, the release helper").await?;
    for (term, definition, aliases) in TERMS {
        vocabulary::add(engine, &ctx, NewTerm { term, definition, category: None, aliases }).await?;
    }
    let mina = capture::reviewer(engine, &ctx).await?;
    clock.rewind(FOUNDED);
    ingest(engine, &ctx).await?;
    work(engine).await?;
    let project = sessions::project(engine, &ctx).await?;
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
                memories::forget(engine, acting(memory.agent), ForgetRequest { memory_id: memory_id.into(), reason, user_id: None })
                    .await?;
            }
            Event::Link(linked) => {
                let (Some(&from), Some(&to)) = (ids.get(linked.from), ids.get(linked.to)) else { continue };
                let request = LinkRequest { from: from.into(), to: to.into(), relation: linked.relation, remove: false, user_id: None };
                memories::link(engine, acting(linked.agent), request).await?;
            }
            Event::Recall { query, expected, agent } => {
                recall::recall(engine, acting(agent), RecallRequest { k: 5, expected, ..RecallRequest::new(query) }).await?;
            }
            Event::Capture(captured) => {
                capture::capture(engine, acting(captured.agent), captured).await?;
                work(engine).await?;
            }
            Event::Observe(observed) => {
                capture::observe(engine, acting(observed.agent), observed).await?;
                work(engine).await?;
            }
            Event::Notice(noticed) => {
                notice(engine, &ctx, acting(noticed.agent), noticed).await?;
                work(engine).await?;
            }
            Event::Say(said) => say(engine, acting(said.agent), said).await?,
            Event::Code(coded) => {
                code(engine, acting(coded.agent), project, coded).await?;
                work(engine).await?;
            }
            Event::Report(reported) => report(engine, acting(reported.agent), reported).await?,
            Event::Complete(completed) => complete(engine, acting(completed.agent), completed).await?,
            Event::Assemble(assembled) => assemble(engine, acting(assembled.agent), assembled).await?,
            Event::Decide(verdict) => capture::decide(engine, &mina, verdict).await?,
            Event::Outage(memory) => {
                work(engine).await?;
                model.set_out(true);
                // Nobody needs to read about an invented outage in the log of a server that starts.
                memories::remember(engine, acting(memory.agent), request(memory)).with_subscriber(NoSubscriber::new()).await?;
                for minutes in (0..OUTAGE_MINUTES).step_by(usize::try_from(STEP_MINUTES)?) {
                    clock.rewind(minutes_ago - minutes);
                    work(engine).with_subscriber(NoSubscriber::new()).await?;
                }
                model.set_out(false);
            }
        }
    }
    Ok(ctx)
}

/// Does the work that is due.
async fn work(engine: &Engine) -> Result<(), Failure> {
    let stop = CancellationToken::new();
    while workers::drain(engine).await? + workers::work(engine, &stop).await? > 0 {}
    Ok(())
}

/// Delivers the outbox, works through the queue and writes the retrieval log, so that the server starts with nothing overdue.
async fn settle(engine: &Engine) -> Result<(), Failure> {
    work(engine).await?;
    let stop = CancellationToken::new();
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
    let (_, key) = identity::create_key(engine, ctx, agent.id, "demo data", &KeyScope::of_agents(), None, None).await?;
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
        let forgotten = MEMORIES.iter().filter(|memory| memory.forgotten).count();
        let captured = CAPTURED.len() + OBSERVED.len() + NOTICED.len() + VERDICTS.len() + SAID.len() + CODED.len();
        let captured = captured + REPORTED.len() + COMPLETED.len() + ASSEMBLED.len() + 1;
        assert_eq!(events.len(), MEMORIES.len() + LINKED.len() + RECALLS.len() + forgotten + captured);
        assert!(events.is_sorted_by_key(|(minutes_ago, _)| Reverse(*minutes_ago)));
        assert!(events.iter().all(|(minutes_ago, _)| *minutes_ago < FOUNDED));
        for (index, (_, event)) in events.iter().enumerate() {
            let needed = match event {
                Event::Forget(forgotten) => vec![forgotten.content],
                Event::Link(linked) => vec![linked.from, linked.to],
                _ => continue,
            };
            for content in needed {
                let before =
                    events[..index].iter().filter(|(_, event)| matches!(event, Event::Remember(memory) if memory.content == content));
                assert_eq!(before.count(), 1, "remembered before it is forgotten or linked: {content}");
            }
        }
    }
}

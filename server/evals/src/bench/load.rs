//! Agents with memories, written through the engine in batches and spread over a year, and documents.

use super::plan::Plan;
use super::{Subject, store, texts};
use crate::agents::work;
use crate::file_clock::FileClock;
use crate::{Failure, bar};
use chrono::{DateTime, TimeDelta, Utc};
use db::clock::{Clock, SystemClock};
use db::{DatabaseUrls, vacuum};
use foundation::{Engine, Error, OpContext, identity};
use indicatif::ProgressBar;
use remembrancer::knowledge::{self, Extent, Ingestion};
use remembrancer::memories;
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;
use tokio::task::JoinSet;
use wire::{BatchResponse, KeyScope, LifecyclePolicy, RequestId};

/// Memories in one batch.
const BATCH: usize = 250;
/// Batches that are written side by side.
const WRITERS: usize = 4;
/// Memories of each of the other agents.
const OF_ANOTHER: usize = 10;
/// How long ago the oldest memory was stored.
const AGE: TimeDelta = TimeDelta::days(365);
/// More than any size that can be measured.
const MEMORIES_MAX: u32 = 10_000_000;
/// Other agents before anything is measured: a recall among many is compared with one among these.
pub const FEW: usize = 10;
/// What the key of a measured agent may do.
const SCOPES: [KeyScope; 5] =
    [KeyScope::CaptureWrite, KeyScope::ContextRead, KeyScope::Export, KeyScope::MemoryRead, KeyScope::MemoryWrite];
/// Parts of a document, and documents in one ingestion.
const PARTS: usize = 100;
const DOCUMENTS: usize = 20;

/// What loading took.
#[derive(Clone, Debug, Serialize)]
pub struct Loaded {
    /// Memories of all agents together.
    pub memories: usize,
    /// All of them, the agents included.
    pub seconds: f64,
    /// Memories of the measured agents a second, written through the engine in batches, with made vectors.
    pub per_second: f64,
    /// Parts of documents.
    pub chunks: i64,
    /// Ingesting the documents, and making the vectors of their parts.
    pub seconds_of_documents: f64,
    /// Delivering what the writes left to do, such as audit entries.
    pub seconds_of_work_after: f64,
}

/// A loaded organisation. The other agents come in two parts, because a recall is measured among few of them first.
pub struct Stock {
    /// An engine whose vectors are made.
    engine: Engine,
    urls: DatabaseUrls,
    /// Everything may be done in its name.
    pub admin: OpContext,
    pub subjects: Vec<Subject>,
    /// The key that searches documents; those of the measured agents may not, so that their recalls search memories alone.
    pub reader: String,
    pub loaded: Loaded,
    end: DateTime<Utc>,
    /// The number of the next text.
    next: u64,
    others: usize,
}

/// Makes one agent for each size, a few others, and the documents. Then nothing waits to be done, and the databases are vacuumed, as on a server that has run
/// for a while.
///
/// # Errors
/// When a memory is refused, or a database is out of reach.
pub async fn load(engine: &Engine, urls: &DatabaseUrls, plan: &Plan) -> Result<Stock, Failure> {
    let end = engine.clock().now();
    let past = engine.with_clock(Arc::new(FileClock::new(end - AGE)));
    let admin = identity::create_tenant(&past, "bench", "Benchmark").await?;
    let policy = LifecyclePolicy { memories_max: MEMORIES_MAX, ..LifecyclePolicy::default() };
    identity::set_lifecycle(&past, &admin, None, policy).await?;
    let loaded = Loaded { memories: 0, seconds: 0.0, per_second: 0.0, chunks: 0, seconds_of_documents: 0.0, seconds_of_work_after: 0.0 };
    let (engine, urls, reader) = (engine.clone(), urls.clone(), String::new());
    let mut stock = Stock { engine, urls, admin, subjects: vec![], reader, loaded, end, next: 0, others: 0 };
    stock.measured(&plan.sizes).await?;
    stock.others(FEW.min(plan.agents)).await?;
    stock.reader = stock.agent("reader", &[KeyScope::KbRead]).await?.1;
    // Before a server runs: its workers would embed them with the model.
    stock.documents(plan.chunks).await?;
    stock.finish().await?;
    Ok(stock)
}

impl Stock {
    /// Adds the rest of the other agents of a plan.
    ///
    /// # Errors
    /// As [`load`].
    pub async fn fill(&mut self, plan: &Plan) -> Result<(), Failure> {
        self.others(plan.agents).await?;
        self.finish().await
    }

    /// The agents that are measured.
    async fn measured(&mut self, sizes: &[usize]) -> Result<(), Failure> {
        let (start, bar) = (Instant::now(), bar(sizes.iter().sum(), "memories")?);
        for (number, size) in sizes.iter().enumerate() {
            let (ctx, key) = self.agent(&format!("measured-{number}"), &SCOPES).await?;
            self.write(&ctx, *size, &bar).await?;
            self.subjects.push(Subject { ctx, key, size: *size });
        }
        bar.finish_and_clear();
        let seconds = start.elapsed().as_secs_f64();
        self.loaded.per_second = sizes.iter().sum::<usize>() as f64 / seconds;
        self.loaded.seconds += seconds;
        Ok(())
    }

    /// Other agents, until there are so many.
    async fn others(&mut self, count: usize) -> Result<(), Failure> {
        let (start, bar) = (Instant::now(), bar(count.saturating_sub(self.others), "other agents")?);
        for number in self.others..count {
            let (ctx, _) = self.agent(&format!("other-{number}"), &SCOPES).await?;
            self.write(&ctx, OF_ANOTHER, &ProgressBar::hidden()).await?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        self.others = self.others.max(count);
        self.loaded.seconds += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Documents with so many parts together.
    async fn documents(&mut self, chunks: usize) -> Result<(), Failure> {
        let (start, bar) = (Instant::now(), bar(chunks.div_ceil(PARTS), "documents")?);
        for begin in (0..chunks).step_by(PARTS * DOCUMENTS) {
            let document = |first: usize| {
                let text = texts::document(first as u64, PARTS.min(chunks - first) as u64);
                (format!("notes/{first}.md"), text.into_bytes())
            };
            let files: Vec<_> = (begin..chunks.min(begin + PARTS * DOCUMENTS)).step_by(PARTS).map(document).collect();
            let (collection, extent) = ("bench".to_owned(), Extent::Part { gone: vec![] });
            let ingestion = Ingestion { collection, files, extent, revision: None, dry_run: false, failures: vec![] };
            let report = knowledge::ingest(&self.engine, &self.admin, ingestion, &|_, _| bar.inc(1)).await?;
            if let Some(failure) = report.failures.first() {
                return Err(format!("a document of the benchmark was refused: {}", failure.reason).into());
            }
            work(&self.engine).await?;
        }
        bar.finish_and_clear();
        self.loaded.chunks = store::chunks(&self.urls).await?;
        self.loaded.seconds_of_documents = start.elapsed().as_secs_f64();
        Ok(())
    }

    async fn finish(&mut self) -> Result<(), Failure> {
        let start = Instant::now();
        work(&self.engine).await?;
        vacuum(&self.urls).await?;
        self.loaded.seconds_of_work_after += start.elapsed().as_secs_f64();
        Ok(())
    }

    async fn agent(&self, slug: &str, scopes: &[KeyScope]) -> Result<(OpContext, String), Failure> {
        let past = self.engine.with_clock(Arc::new(FileClock::new(self.end - AGE)));
        let agent = identity::create_agent(&past, &self.admin, slug, "An agent of the benchmark", false).await?;
        let (_, key) = identity::create_key(&past, &self.admin, agent.id, "benchmark", scopes, None, None).await?;
        Ok((identity::authenticate(&past, &key, RequestId(SystemClock.id())).await?, key))
    }

    /// Writes memories one after another, from a year ago until now.
    async fn write(&mut self, ctx: &OpContext, count: usize, bar: &ProgressBar) -> Result<(), Failure> {
        let mut writes = JoinSet::new();
        for begin in (0..count).step_by(BATCH) {
            if writes.len() >= WRITERS
                && let Some(written) = writes.join_next().await
            {
                check(&written??, bar)?;
            }
            let end = count.min(begin + BATCH);
            let items: Vec<Result<_, Error>> = (begin..end).map(|place| Ok(texts::memory(self.next + 1 + place as u64))).collect();
            let at = self.end - AGE * i32::try_from(count - begin)? / i32::try_from(count)?;
            let (engine, ctx) = (self.engine.with_clock(Arc::new(FileClock::new(at))), ctx.clone());
            writes.spawn(async move { memories::remember_batch(&engine, &ctx, None, items).await });
        }
        while let Some(written) = writes.join_next().await {
            check(&written??, bar)?;
        }
        self.next += count as u64;
        self.loaded.memories += count;
        Ok(())
    }
}

/// Stops the run if a memory was refused: what is measured would be smaller than it says.
fn check(written: &BatchResponse, bar: &ProgressBar) -> Result<(), Failure> {
    bar.inc(written.results.len() as u64);
    match written.results.iter().find_map(|result| result.error.as_ref()) {
        Some(error) => Err(format!("a memory of the benchmark was refused: {}", error.message).into()),
        None => Ok(()),
    }
}

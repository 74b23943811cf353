//! Agents with memories, written through the engine in batches and spread over a year.

use super::texts;
use super::{Plan, Subject};
use crate::agents::work;
use crate::file_clock::FileClock;
use crate::{Failure, bar};
use chrono::{DateTime, TimeDelta, Utc};
use db::clock::{Clock, SystemClock};
use db::{DatabaseUrls, vacuum};
use foundation::{Engine, Error, OpContext, identity};
use indicatif::ProgressBar;
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

/// What loading took.
#[derive(Clone, Debug, Serialize)]
pub struct Loaded {
    /// Memories of all agents together.
    pub memories: usize,
    /// All of it, the agents included.
    pub seconds: f64,
    /// Memories of the measured agents a second, written through the engine in batches, with made vectors.
    pub per_second: f64,
    /// Delivering what the writes left to do, such as audit entries.
    pub seconds_of_work_after: f64,
}

/// Makes one agent for each size, and the others. Then nothing waits to be done, and the databases are vacuumed, as on a server that has run for a
/// while.
///
/// # Errors
/// When a memory is refused, or a database is out of reach.
pub async fn load(engine: &Engine, urls: &DatabaseUrls, plan: &Plan) -> Result<(Vec<Subject>, Loaded), Failure> {
    let end = engine.clock().now();
    let past = engine.with_clock(Arc::new(FileClock::new(end - AGE)));
    let tenant = identity::create_tenant(&past, "bench", "Benchmark").await?;
    let policy = LifecyclePolicy { memories_max: MEMORIES_MAX, ..LifecyclePolicy::default() };
    identity::set_lifecycle(&past, &tenant, None, policy).await?;
    let measured = plan.sizes.iter().sum::<usize>();
    let memories = measured + plan.agents * OF_ANOTHER;
    let (start, mut loading) = (Instant::now(), Loading { engine, end, next: 0, bar: bar(memories, "memories")? });
    for number in 0..plan.agents {
        let (ctx, _) = agent(&past, &tenant, &format!("other-{number}")).await?;
        loading.fill(&ctx, OF_ANOTHER).await?;
    }
    let (writing, mut subjects) = (Instant::now(), Vec::new());
    for (number, size) in plan.sizes.iter().enumerate() {
        let (ctx, key) = agent(&past, &tenant, &format!("measured-{number}")).await?;
        loading.fill(&ctx, *size).await?;
        subjects.push(Subject { ctx, key, size: *size });
    }
    let (seconds, per_second) = (start.elapsed().as_secs_f64(), measured as f64 / writing.elapsed().as_secs_f64());
    loading.bar.finish_and_clear();
    let start = Instant::now();
    work(engine).await?;
    vacuum(urls).await?;
    Ok((subjects, Loaded { memories, seconds, per_second, seconds_of_work_after: start.elapsed().as_secs_f64() }))
}

async fn agent(engine: &Engine, tenant: &OpContext, slug: &str) -> Result<(OpContext, String), Failure> {
    let agent = identity::create_agent(engine, tenant, slug, "An agent of the benchmark", false).await?;
    let scopes = [KeyScope::MemoryRead, KeyScope::MemoryWrite, KeyScope::ContextRead];
    let (_, key) = identity::create_key(engine, tenant, agent.id, "benchmark", &scopes, None, None).await?;
    Ok((identity::authenticate(engine, &key, RequestId(SystemClock.id())).await?, key))
}

/// Writes memories one after another, each agent's from a year ago until now.
struct Loading<'a> {
    engine: &'a Engine,
    end: DateTime<Utc>,
    /// The number of the next text.
    next: u64,
    bar: ProgressBar,
}

impl Loading<'_> {
    async fn fill(&mut self, ctx: &OpContext, count: usize) -> Result<(), Failure> {
        let mut writes = JoinSet::new();
        for begin in (0..count).step_by(BATCH) {
            if writes.len() >= WRITERS
                && let Some(written) = writes.join_next().await
            {
                self.check(&written??)?;
            }
            let items: Vec<Result<_, Error>> = (begin..count.min(begin + BATCH)).map(|_| Ok(texts::memory(self.number()))).collect();
            let at = self.end - AGE * i32::try_from(count - begin)? / i32::try_from(count)?;
            let (engine, ctx) = (self.engine.with_clock(Arc::new(FileClock::new(at))), ctx.clone());
            writes.spawn(async move { memories::remember_batch(&engine, &ctx, None, items).await });
        }
        while let Some(written) = writes.join_next().await {
            self.check(&written??)?;
        }
        Ok(())
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Stops the run if a memory was refused: what is measured would be smaller than it says.
    fn check(&self, written: &BatchResponse) -> Result<(), Failure> {
        self.bar.inc(written.results.len() as u64);
        match written.results.iter().find_map(|result| result.error.as_ref()) {
            Some(error) => Err(format!("a memory of the benchmark was refused: {}", error.message).into()),
            None => Ok(()),
        }
    }
}

//! The job workers: claim events in batches, and work outside any transaction.
//!
//! Light work (milliseconds), heavy work (captures), upkeep and erasures have workers of their own, so that none waits for another. Heavy work
//! is done step by step ([`Turns`]).

use crate::workers::turns::Turns;
use crate::{capture, consolidation, erasure, knowledge, lifecycle, memories, profile, vocabulary};
use async_recursion::async_recursion as boxed;
use chrono::TimeDelta;
use db::Database;
use foundation::jobs::store::{self, Leased, Load};
use foundation::jobs::{self, ExpectationsPayload, LEASE, Task, Work};
use foundation::{Engine, Error, OpContext, webhooks};
use std::sync::Arc;
use std::time::Duration as StdDuration;
use tokio_util::sync::CancellationToken;
use wire::RequestId;

/// Events per claim.
const BATCH: i64 = 50;
/// Steps of heavy work in one call of [`work`].
const STEPS: usize = 2;
/// The pause of a run of expectations that waits for a part of the search.
const UNMEASURED: TimeDelta = TimeDelta::minutes(10);
/// How long the workers of a load sleep when nobody wakes them. Heavy work is announced across processes; light work is not.
const fn pause(load: Load) -> StdDuration {
    StdDuration::from_secs(match load {
        Load::Light => 1,
        Load::Heavy | Load::Upkeep | Load::Erasure => 5,
    })
}

/// Does the work of one load until it is stopped: the current event is finished first, or its current step.
pub async fn run(engine: Engine, load: Load, turns: Arc<Turns>, stop: CancellationToken) {
    let signal = if load == Load::Light { engine.jobs() } else { engine.captures() };
    let mut attendance = signal.attend();
    loop {
        let worked = attendance.round(work_of(&engine, load, &turns, &stop)).await.unwrap_or_else(|error| {
            tracing::warn!(%error, ?load, "the job worker could not claim a job; it tries again");
            0
        });
        if stop.is_cancelled() {
            return;
        }
        if worked == 0 {
            tokio::select! {
                () = stop.cancelled() => return,
                () = attendance.woken() => {}
                () = tokio::time::sleep(pause(load)) => {}
            }
        }
    }
}

/// Claims one batch of each kind of work from each bus and works through it; how many events were claimed.
#[boxed]
pub async fn work(engine: &Engine, stop: &CancellationToken) -> Result<usize, Error> {
    let (mut claimed, turns) = (0, Turns::default());
    for load in [Load::Erasure, Load::Light, Load::Upkeep] {
        claimed += work_of(engine, load, &turns, stop).await?;
    }
    for _ in 0..STEPS {
        claimed += step(engine, &turns, stop).await?;
    }
    Ok(claimed)
}

async fn work_of(engine: &Engine, load: Load, turns: &Turns, stop: &CancellationToken) -> Result<usize, Error> {
    if load == Load::Heavy {
        return step(engine, turns, stop).await;
    }
    let mut claimed = work_batch(engine, &engine.db().memory, load, stop).await?;
    if load == Load::Light {
        claimed += work_batch(engine, &engine.db().kb, load, stop).await?;
    }
    Ok(claimed)
}

/// Does one step of the heavy work whose turn it is; how many were done: none if nothing is due.
#[boxed]
pub async fn step(engine: &Engine, turns: &Turns, stop: &CancellationToken) -> Result<usize, Error> {
    let pool = engine.db().memory.system();
    let now = engine.clock().now();
    let Some(turn) = turns.next(pool, now, now + LEASE).await? else { return Ok(0) };
    let event = turn.event();
    jobs::attempt(engine, pool, event, perform(engine, event, stop)).await?;
    Ok(1)
}

/// Claims and does the light work of one database.
#[boxed]
pub async fn work_on(engine: &Engine, database: &Database, stop: &CancellationToken) -> Result<usize, Error> {
    work_batch(engine, database, Load::Light, stop).await
}

async fn work_batch(engine: &Engine, database: &Database, load: Load, stop: &CancellationToken) -> Result<usize, Error> {
    let pool = database.system();
    let now = engine.clock().now();
    let most = if load == Load::Light { BATCH } else { 1 };
    let batch = store::claim(pool, load, now, now + LEASE, most).await?;
    let claimed = batch.len();
    for event in batch {
        // An event that has not begun when the server stops is not lost: its lease runs out.
        if stop.is_cancelled() {
            break;
        }
        if store::extend(pool, &event, engine.clock().now() + LEASE).await? {
            jobs::attempt(engine, pool, &event, perform(engine, &event, stop)).await?;
        }
    }
    Ok(claimed)
}

async fn perform(engine: &Engine, event: &Leased, stop: &CancellationToken) -> Result<Work, Error> {
    let engine = &engine.current();
    let commons = store::commons(engine.db().control.system(), event.tenant_id).await?.ok_or(Error::NotFound("tenant"))?;
    let ctx = OpContext::system(event.tenant_id, commons, RequestId(event.id.0));
    let result = match event.task().ok_or_else(|| Error::internal(format!("no worker knows the task {}", event.task)))? {
        Task::Remember | Task::Observe => "nothing to do",
        Task::Embed => memories::embed_late(engine, &ctx, event.agent_id, named(event, "memory_id")?).await?,
        Task::SettleLinks => memories::settle_links(engine, &ctx, named(event, "memory_id")?).await?,
        Task::Recanonicalise => vocabulary::recanonicalise(engine, &ctx, &event.payload()?).await?,
        Task::EmbedTerms => vocabulary::embed_terms(engine, &ctx).await?,
        Task::EmbedDocument => knowledge::embed_document(engine, &ctx, named(event, "document_id")?).await?,
        Task::EmbedImported => memories::embed_imported(engine, &ctx, event.agent_id, &event.payload()?).await?,
        Task::IndexProfile => profile::index_profile(engine, &ctx, event.agent_id, &event.payload()?).await?,
        Task::Extract => return capture::extract_source(engine, &ctx, event.held(), &event.payload()?, stop).await,
        Task::Ingest => return capture::place_input(engine, &ctx, event.held(), &event.payload()?).await.map(Work::Done),
        Task::Synthesise => return capture::synthesise(engine, &ctx, event.held(), event.tries).await,
        Task::Survey => return consolidation::survey(engine, &ctx, &event.payload()?).await.map(Work::Done),
        Task::Erase => return erasure::carry_out(engine, &ctx, &event.payload()?, stop).await,
        Task::RunExpectations => return run_expectations(engine, &ctx, event.payload()?).await,
        Task::Sweep => return lifecycle::sweep(engine, &ctx, &event.payload()?, stop).await,
        Task::Webhook => return webhooks::deliver(engine, &ctx, event).await,
        Task::Consolidate => {
            return consolidation::consolidate_items(engine, &ctx, event.agent_id, &event.payload()?).await.map(Work::Done);
        }
    };
    Ok(result.into())
}

/// Runs a set of expectations. A run measures nothing while a part of the search is away, and nobody would request it again.
async fn run_expectations(engine: &Engine, ctx: &OpContext, payload: ExpectationsPayload) -> Result<Work, Error> {
    match engine.evaluate(ctx, payload.set_id, payload.cause).await {
        Err(error @ Error::Unavailable(_)) => Ok(Work::Waits { error: error.to_string(), pause: UNMEASURED }),
        result => result.map(Work::Done),
    }
}

fn named<T: std::str::FromStr>(event: &Leased, name: &str) -> Result<T, Error> {
    let id = event.payload.get(name).and_then(|id| id.as_str()).and_then(|id| id.parse().ok());
    id.ok_or_else(|| Error::internal(format!("the event names no {name}")))
}

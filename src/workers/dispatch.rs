//! The job worker: claims events in batches, works outside any transaction, and retries with backoff until an event is dead.

use crate::api::RequestId;
use crate::db::Database;
use crate::engine::Engine;
use crate::error::Error;
use crate::jobs::store::{self, Ending, Leased};
use crate::jobs::{State, Task};
use crate::op::OpContext;
use crate::{knowledge, memories, portability, vocabulary};
use async_recursion::async_recursion as boxed;
use chrono::Duration;
use sqlx::PgPool;
use std::time::Duration as StdDuration;
use tokio_util::sync::CancellationToken;

/// Events per claim.
const BATCH: i64 = 50;
/// How long a worker may be silent before another one takes its event.
const LEASE: Duration = Duration::seconds(30);
/// Attempts before an event is dead.
const ATTEMPTS_MAX: i32 = 8;
/// How long the worker sleeps when nobody wakes it.
const PAUSE: StdDuration = StdDuration::from_secs(1);

/// Works until it is stopped; the current event is finished first.
pub async fn run(engine: Engine, stop: CancellationToken) {
    let attendance = engine.jobs().attend();
    loop {
        let worked = attendance.round(work(&engine, &stop)).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the job worker could not claim; it tries again");
            0
        });
        if stop.is_cancelled() {
            return;
        }
        if worked == 0 {
            tokio::select! {
                () = stop.cancelled() => return,
                () = attendance.woken() => {}
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }
}

/// Claims one batch of each bus and works through it; how many events were claimed.
///
/// # Errors
/// When a database is out of reach.
#[boxed]
pub async fn work(engine: &Engine, stop: &CancellationToken) -> Result<usize, Error> {
    let mut claimed = 0;
    for database in [&engine.db().memory, &engine.db().kb] {
        claimed += work_on(engine, database, stop).await?;
    }
    Ok(claimed)
}

/// The same for the bus of one database.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
pub async fn work_on(engine: &Engine, database: &Database, stop: &CancellationToken) -> Result<usize, Error> {
    let pool = database.system();
    let now = engine.clock().now();
    let batch = store::claim(pool, now, now + LEASE, BATCH).await?;
    let claimed = batch.len();
    for event in batch {
        // An event that has not begun when the server stops is not lost: its lease runs out.
        if stop.is_cancelled() {
            break;
        }
        if store::extend(pool, &event, engine.clock().now() + LEASE).await? {
            attempt(engine, pool, &event).await?;
        }
    }
    Ok(claimed)
}

async fn attempt(engine: &Engine, pool: &PgPool, event: &Leased) -> Result<(), Error> {
    // Its earlier holders died with it again and again: a job that kills its worker must end, too.
    let result = match event.attempt > ATTEMPTS_MAX {
        true => Err(Error::internal(format!("no worker survived it in {ATTEMPTS_MAX} attempts"))),
        false => perform(engine, event).await,
    };
    let now = engine.clock().now();
    let (state, error, outcome, run_after) = match &result {
        Ok(outcome) => (State::Done, None, Some(serde_json::json!({ "result": outcome })), now),
        Err(error) => {
            let state = if event.attempt >= ATTEMPTS_MAX { State::Dead } else { State::Failed };
            let error = error.chain();
            tracing::warn!(event_id = %event.id, task = event.task, attempt = event.attempt, %error, "a job failed");
            (state, Some(error), None, now + backoff(event.attempt))
        }
    };
    let label = match state {
        State::Done => "done",
        State::Dead => "dead",
        _ => "failed",
    };
    // A row may hold any text, but labels must have few values.
    let task = task_of(event).map_or("unknown", Task::as_str);
    metrics::counter!("remembrancer_jobs_total", "task" => task, "outcome" => label).increment(1);
    let ending = Ending { state, error: error.as_deref(), outcome, run_after, now };
    if !store::finish(pool, event, &ending).await? {
        tracing::warn!(event_id = %event.id, "the lease was lost while working; another worker has the event");
    }
    Ok(())
}

async fn perform(engine: &Engine, event: &Leased) -> Result<&'static str, Error> {
    let commons = store::commons(engine.db().control.system(), event.tenant_id).await?.ok_or(Error::NotFound("tenant"))?;
    let ctx = OpContext::system(event.tenant_id, commons, RequestId(event.id.0));
    match task_of(event).ok_or_else(|| Error::internal(format!("no worker knows the task {}", event.task)))? {
        Task::Remember => Ok("nothing to do"),
        Task::Embed => memories::embed_late(engine, &ctx, event.agent_id, named(event, "memory_id")?).await,
        Task::SettleLinks => memories::settle_links(engine, &ctx, named(event, "memory_id")?).await,
        Task::Recanonicalise => vocabulary::recanonicalise(engine, &ctx, &payload(event)?).await,
        Task::EmbedTerms => vocabulary::embed_terms(engine, &ctx).await,
        Task::EmbedDocument => knowledge::embed_document(engine, &ctx, named(event, "document_id")?).await,
        Task::EmbedImported => portability::embed_imported(engine, &ctx, event.agent_id, &payload(event)?).await,
    }
}

fn task_of(event: &Leased) -> Option<Task> {
    serde_json::from_value(event.task.clone().into()).ok()
}

fn payload<T: serde::de::DeserializeOwned>(event: &Leased) -> Result<T, Error> {
    serde_json::from_value(event.payload.clone()).map_err(Error::failed("the event's payload cannot be read"))
}

fn named<T: std::str::FromStr>(event: &Leased, name: &str) -> Result<T, Error> {
    let id = event.payload.get(name).and_then(|id| id.as_str()).and_then(|id| id.parse().ok());
    id.ok_or_else(|| Error::internal(format!("the event names no {name}")))
}

/// 2, 4, 8, … seconds, at most ten minutes.
fn backoff(attempt: i32) -> Duration {
    let exponent = u32::try_from(attempt.clamp(1, 10)).unwrap_or(10);
    Duration::seconds(2_i64.pow(exponent).min(600))
}

//! The job workers: claim events in batches, work outside any transaction, and retry with backoff until an event is dead.
//!
//! Light work (milliseconds), heavy work (captures), upkeep and erasures have workers of their own, so that none waits for another. Heavy work
//! is done step by step ([`Turns`]).

use crate::workers::turns::Turns;
use crate::{capture, consolidation, erasure, knowledge, lifecycle, memories, profile, vocabulary};
use async_recursion::async_recursion as boxed;
use chrono::{DateTime, Duration, Utc};
use db::{Database, SystemPool};
use foundation::jobs::store::{self, Ending, Leased, Load};
use foundation::jobs::{State, Task, Work};
use foundation::{Engine, Error, OpContext};
use std::sync::Arc;
use std::time::Duration as StdDuration;
use tokio_util::sync::CancellationToken;
use wire::RequestId;

/// Events per claim.
const BATCH: i64 = 50;
/// Steps of heavy work in one call of [`work`].
const STEPS: usize = 2;
/// How long a worker may be silent before another one takes its event.
const LEASE: Duration = Duration::seconds(30);
/// How often a worker extends the lease of the event that it works on.
const HEARTBEAT: StdDuration = StdDuration::from_secs(8);
/// Attempts before an event is dead.
const ATTEMPTS_MAX: i32 = 8;
/// How long an event waits while a database is ill or out of reach.
const AWAY: Duration = Duration::seconds(30);
/// How often, and after which pause, the end of an attempt is written again.
const FINISHES: usize = 10;
const FINISH_AGAIN: StdDuration = StdDuration::from_secs(2);
/// How long an event waits that cannot be paid for, unless a grant or a higher limit wakes it.
const UNPAID: Duration = Duration::hours(1);
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
    attempt(engine, pool, turn.event(), stop).await?;
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
            attempt(engine, pool, &event, stop).await?;
        }
    }
    Ok(claimed)
}

async fn attempt(engine: &Engine, pool: &SystemPool, event: &Leased, stop: &CancellationToken) -> Result<(), Error> {
    // Its earlier holders died with it again and again: a job that kills its worker must end, too.
    let result = match event.tries > ATTEMPTS_MAX {
        true => Err(Error::internal(format!("every worker died while working on it, in {ATTEMPTS_MAX} attempts"))),
        false => tokio::select! {
            result = perform(engine, event, stop) => result,
            () = lease_lost(engine, pool, event) => {
                lost(event);
                return Ok(());
            }
        },
    };
    let now = engine.clock().now();
    // Neither an empty account nor a database that is ill or away says anything about the job, so it is no attempt.
    let away = matches!(&result, Err(Error::Db(error)) if error.is_away());
    let counts = !away && !matches!(result, Err(Error::Exhausted(_)));
    let (state, error, outcome, run_after) = match result {
        Ok(Work::Ended) => return Ok(()),
        Ok(Work::Done(outcome)) => (State::Done, None, Some(outcome), now),
        // What it has done so far is stored; it goes on where it stopped.
        Ok(Work::Continues | Work::Stopped) => {
            if !store::give_back(pool, event, now).await? {
                lost(event);
            }
            return Ok(());
        }
        Ok(Work::Failed { error, again: None }) => (State::Dead, Some(error), None, now),
        Ok(Work::Failed { error, again: Some(pause) }) => failed(event, error, now + backoff(event.tries).max(pause)),
        Err(error @ Error::Exhausted(_)) => (State::Failed, Some(error.to_string()), None, now + UNPAID),
        Err(error) if away => (State::Failed, Some(error.chain()), None, now + AWAY),
        Err(error) => failed(event, error.chain(), now + backoff(event.tries)),
    };
    if let Some(error) = &error {
        tracing::warn!(event_id = %event.id, task = event.task, attempt = event.attempt, %error, "a job failed");
    }
    let label = match state {
        _ if !counts => "waiting",
        State::Done => "done",
        State::Dead => "dead",
        _ => "failed",
    };
    // A row may hold any text, but labels must have few values.
    let task = task_of(event).map_or("unknown", Task::as_str);
    metrics::counter!("remembrancer_jobs_total", "task" => task, "outcome" => label).increment(1);
    let ending = Ending { state, error: error.as_deref(), outcome, run_after, now, counts };
    if !finish(pool, event, &ending).await? {
        lost(event);
    }
    Ok(())
}

/// Ends an attempt. A database that is ill for a moment is asked again within the lease: otherwise the attempt would count as one whose
/// worker died.
async fn finish(pool: &SystemPool, event: &Leased, ending: &Ending<'_>) -> Result<bool, Error> {
    for _ in 0..FINISHES {
        match store::finish(pool, event, ending).await {
            Err(error) if error.is_away() => tokio::time::sleep(FINISH_AGAIN).await,
            finished => return Ok(finished?),
        }
    }
    Ok(store::finish(pool, event, ending).await?)
}

fn lost(event: &Leased) {
    tracing::warn!(event_id = %event.id, "the lease was lost while working; another worker has the event");
}

type Verdict = (State, Option<String>, Option<serde_json::Value>, DateTime<Utc>);

/// The next state of an event that failed, which may have been its last attempt.
fn failed(event: &Leased, error: String, run_after: DateTime<Utc>) -> Verdict {
    (if event.tries >= ATTEMPTS_MAX { State::Dead } else { State::Failed }, Some(error), None, run_after)
}

/// Extends the lease of an event again and again; returns when it was lost.
async fn lease_lost(engine: &Engine, pool: &SystemPool, event: &Leased) {
    loop {
        tokio::time::sleep(HEARTBEAT).await;
        // A database that is out of reach for a moment costs no lease yet.
        if matches!(store::extend(pool, event, engine.clock().now() + LEASE).await, Ok(false)) {
            return;
        }
    }
}

async fn perform(engine: &Engine, event: &Leased, stop: &CancellationToken) -> Result<Work, Error> {
    let engine = &engine.current();
    let commons = store::commons(engine.db().control.system(), event.tenant_id).await?.ok_or(Error::NotFound("tenant"))?;
    let ctx = OpContext::system(event.tenant_id, commons, RequestId(event.id.0));
    let result = match task_of(event).ok_or_else(|| Error::internal(format!("no worker knows the task {}", event.task)))? {
        Task::Remember | Task::Observe => "nothing to do",
        Task::Embed => memories::embed_late(engine, &ctx, event.agent_id, named(event, "memory_id")?).await?,
        Task::SettleLinks => memories::settle_links(engine, &ctx, named(event, "memory_id")?).await?,
        Task::Recanonicalise => vocabulary::recanonicalise(engine, &ctx, &payload(event)?).await?,
        Task::EmbedTerms => vocabulary::embed_terms(engine, &ctx).await?,
        Task::EmbedDocument => knowledge::embed_document(engine, &ctx, named(event, "document_id")?).await?,
        Task::EmbedImported => memories::embed_imported(engine, &ctx, event.agent_id, &payload(event)?).await?,
        Task::IndexProfile => profile::index_profile(engine, &ctx, event.agent_id, &payload(event)?).await?,
        Task::Extract => return capture::extract_source(engine, &ctx, event.held(), &payload(event)?, stop).await,
        Task::Ingest => return capture::place_input(engine, &ctx, event.held(), &payload(event)?).await.map(Work::Done),
        Task::Synthesise => return capture::synthesise(engine, &ctx, event.held(), event.tries).await,
        Task::Survey => return consolidation::survey(engine, &ctx, &payload(event)?).await.map(Work::Done),
        Task::Erase => return erasure::carry_out(engine, &ctx, &payload(event)?, stop).await,
        Task::Sweep => return lifecycle::sweep(engine, &ctx, &payload(event)?, stop).await,
        Task::Consolidate => return consolidation::consolidate_items(engine, &ctx, event.agent_id, &payload(event)?).await.map(Work::Done),
    };
    Ok(result.into())
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

//! One attempt at an event: its lease is extended meanwhile, and what failed is tried again with backoff until the event is dead.

use super::store::{self, Ending, Leased};
use super::{State, Task, Work};
use crate::engine::Engine;
use crate::error::Error;
use chrono::{DateTime, Duration, Utc};
use db::SystemPool;
use std::time::Duration as StdDuration;

/// How long a worker may be silent before another one takes its event.
pub const LEASE: Duration = Duration::seconds(30);
/// How often a worker extends the lease of the event that it works on.
const HEARTBEAT: StdDuration = StdDuration::from_secs(8);
/// Attempts before an event is dead.
pub const ATTEMPTS_MAX: i32 = 8;
/// How long an event waits while a database is ill or out of reach.
const AWAY: Duration = Duration::seconds(30);
/// How often, and after which pause, the end of an attempt is written again.
const FINISHES: usize = 10;
const FINISH_AGAIN: StdDuration = StdDuration::from_secs(2);
/// How long an event waits that cannot be paid for, unless a grant or a higher limit wakes it.
const UNPAID: Duration = Duration::hours(1);

/// Works on an event that this worker holds, and writes how that ended.
///
/// # Errors
/// When the end cannot be written. The lease then runs out, and the event is tried again.
pub async fn attempt(
    engine: &Engine,
    pool: &SystemPool,
    event: &Leased,
    work: impl Future<Output = Result<Work, Error>> + Send,
) -> Result<(), Error> {
    // Its earlier holders died with it again and again: a job that kills its worker must end, too.
    let result = match event.tries > ATTEMPTS_MAX {
        true => Err(Error::internal(format!("every worker died while working on it, in {ATTEMPTS_MAX} attempts"))),
        false => tokio::select! {
            result = work => result,
            () = lease_lost(engine, pool, event) => {
                lost(event);
                return Ok(());
            }
        },
    };
    let now = engine.clock().now();
    // Neither an empty account nor a database that is ill or away says anything about the job, so it is no attempt.
    let away = matches!(&result, Err(Error::Db(error)) if error.is_away());
    let counts = !away && !matches!(result, Err(Error::Exhausted(_)) | Ok(Work::Waits { .. }));
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
        Ok(Work::Waits { error, pause }) => (State::Failed, Some(error), None, now + pause),
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
    let task = event.task().map_or("unknown", Task::as_str);
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

/// 2, 4, 8, … seconds, at most ten minutes.
fn backoff(attempt: i32) -> Duration {
    let exponent = u32::try_from(attempt.clamp(1, 10)).unwrap_or(10);
    Duration::seconds(2_i64.pow(exponent).min(600))
}

//! Background work. The top floor of the engine: it imports the rooms it works for, and no room imports it.

mod dispatch;
mod embedding;
mod log_writer;
mod relay;
mod turns;
mod words;

pub use dispatch::{step, work, work_on};
pub use embedding::{Kept, fill_once, follow_once};
pub use log_writer::run as write_log;
pub use relay::drain;
pub use turns::Turns;

use crate::{consolidation, context, erasure, lifecycle, recall, skills};
use foundation::heavy::off_thread;
use foundation::jobs::store::Load;
use foundation::{Engine, Error, audit, idempotency, identity, jobs, usage, webhooks};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How often expired rows are deleted: lines of the retrieval log, answers to idempotent requests, and delivered rows of the outboxes.
const SWEEP_EVERY: Duration = Duration::from_secs(60 * 60);

/// How often the folder of skills is looked at.
const SKILLS_EVERY: Duration = Duration::from_secs(2);

/// How often the usage ledger and the uses of keys are written. A process that is killed loses the counts of this time.
const LEDGER_EVERY: Duration = Duration::from_secs(5);

/// Workers for heavy work. Several, because a step of one organisation may wait for a chat model.
const HEAVY: usize = 3;

/// The running workers. Stop them before the process ends, so that the last second of the retrieval log is written.
pub struct Workers {
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Workers {
    /// Starts the relay, the job workers and what wakes them, the deliveries to webhooks, the log writer, the sweep of what is kept for a time
    /// only, the log of audit anchors, the usage ledger, the change of the embedding model, and the watch over the folder of skills.
    pub fn start(engine: &Engine) -> Self {
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        tasks.spawn(relay::run(engine.clone(), stop.clone()));
        let turns = Arc::new(Turns::default());
        for load in [Load::Light, Load::Upkeep, Load::Erasure].into_iter().chain([Load::Heavy; HEAVY]) {
            tasks.spawn(dispatch::run(engine.clone(), load, Arc::clone(&turns), stop.clone()));
        }
        tasks.spawn(webhooks::run(engine.clone(), stop.clone()));
        tasks.spawn(jobs::listener::run(engine.clone(), stop.clone()));
        tasks.spawn(log_writer::run(engine.clone(), stop.clone()));
        tasks.spawn(sweep(engine.clone(), stop.clone()));
        tasks.spawn(words::run(engine.clone(), stop.clone()));
        tasks.spawn(audit::anchor_log::run(engine.clone(), stop.clone()));
        tasks.spawn(ledger(engine.clone(), stop.clone()));
        if engine.can_load() {
            let kept = Arc::<Kept>::default();
            tasks.spawn(embedding::follow(engine.clone(), Arc::clone(&kept), stop.clone()));
            tasks.spawn(embedding::fill(engine.clone(), kept, stop.clone()));
        }
        if engine.skills().has_folder() {
            tasks.spawn(watch_skills(engine.clone(), stop.clone()));
        }
        Self { stop, tasks }
    }

    /// Stops them all and waits for them; the log writer writes what it still holds.
    pub async fn stop(self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// Writes the usage ledger and the uses of keys until it is stopped, and once more then.
async fn ledger(engine: Engine, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(LEDGER_EVERY) => {}
        }
        if let Err(error) = usage::flush(&engine).await {
            tracing::warn!(%error, "the usage ledger could not be written, or the prices of models not read; it will be tried again");
        }
        if let Err(error) = identity::flush_uses(&engine).await {
            tracing::warn!(%error, "the uses of API keys could not be written; it will be tried again");
        }
        if stop.is_cancelled() {
            return;
        }
    }
}

/// Reads skills again when their folder changes, until it is stopped.
async fn watch_skills(engine: Engine, stop: CancellationToken) {
    loop {
        let reader = engine.clone();
        if let Err(error) = off_thread(move || skills::refresh(&reader)).await {
            tracing::error!(%error, "the folder of skills could not be read");
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(SKILLS_EVERY) => {}
        }
    }
}

/// Requests the daily survey and the hourly sweep of each organisation's memories, resumes erasures, and sweeps clients of OAuth.
async fn request_maintenance(engine: &Engine) -> Result<(), Error> {
    for slug in identity::store::tenant_slugs(engine.db().control.system()).await? {
        let ctx = identity::open_tenant(engine, &slug).await?;
        consolidation::request_survey(engine, &ctx).await?;
        lifecycle::request_sweep(engine, &ctx).await?;
        erasure::resume(engine, &ctx).await?;
    }
    identity::oauth::sweep(engine).await
}

/// Once an hour, until it is stopped: deletes expired rows, and requests the surveys and sweeps that are due.
async fn sweep(engine: Engine, stop: CancellationToken) {
    loop {
        match recall::sweep(&engine, engine.clock().now()).await {
            Ok(0) => {}
            Ok(swept) => tracing::info!(swept, "deleted expired rows of the retrieval log"),
            Err(error) => tracing::warn!(%error, "the retrieval log could not be swept"),
        }
        match context::sweep(&engine, engine.clock().now()).await {
            Ok(0) => {}
            Ok(swept) => tracing::info!(swept, "deleted expired rows and texts of the context log"),
            Err(error) => tracing::warn!(%error, "the context log could not be swept"),
        }
        if let Err(error) = request_maintenance(&engine).await {
            tracing::warn!(%error, "the surveys and sweeps of memories could not be scheduled");
        }
        if let Err(error) = idempotency::sweep(&engine, engine.clock().now()).await {
            tracing::warn!(%error, "old idempotent requests could not be deleted");
        }
        if let Err(error) = audit::sweep(&engine, engine.clock().now()).await {
            tracing::warn!(%error, "delivered rows of the outboxes could not be deleted");
        }
        if let Err(error) = webhooks::sweep(&engine).await {
            tracing::warn!(%error, "replaced secrets of webhooks could not be deleted");
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(SWEEP_EVERY) => {}
        }
    }
}

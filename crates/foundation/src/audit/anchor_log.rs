//! Logs the anchors of the audit chains at intervals: the log is a place outside the database. Somebody who cuts off the end of a chain
//! cannot cut it out of a log that was shipped elsewhere.

use super::{Anchor, anchors};
use crate::engine::Engine;
use crate::error::Error;
use async_recursion::async_recursion as boxed;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use wire::TenantId;

/// The time between two rounds. Entries that are appended and cut off between two rounds show in no log.
const EVERY: Duration = Duration::from_secs(60);

/// Logs anchors until it is stopped, then once more.
pub async fn run(engine: Engine, stop: CancellationToken) {
    let mut logged = BTreeMap::new();
    loop {
        let stopping = stop.is_cancelled();
        if let Err(error) = log_anchors(&engine, &mut logged).await {
            tracing::warn!(%error, "the anchors of the audit chains could not be read");
        }
        if stopping {
            return;
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(EVERY) => {}
        }
    }
}

/// Logs each anchor that is not in `logged`, adds it there, and returns the new ones.
#[boxed]
pub async fn log_anchors(engine: &Engine, logged: &mut BTreeMap<TenantId, Anchor>) -> Result<Vec<(TenantId, Anchor)>, Error> {
    let mut fresh = anchors(engine).await?;
    fresh.retain(|(tenant, anchor)| logged.get(tenant) != Some(anchor));
    for (tenant, anchor) in &fresh {
        tracing::info!(%tenant, %anchor, "audit chain");
        logged.insert(*tenant, anchor.clone());
    }
    Ok(fresh)
}

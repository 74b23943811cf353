//! Learns of captures that other processes stored: their commits announce them, so the worker need not look again and again.

use super::store::CHANNEL;
use crate::engine::Engine;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Pause before it connects again. Meanwhile the worker finds new work by looking for it.
const PAUSE: Duration = Duration::from_secs(5);

/// Wakes the worker at each announcement, until it is stopped.
pub async fn run(engine: Engine, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            Err(error) = listen(&engine) => tracing::debug!(%error, "captures by other processes are not announced at the moment; this \
                 worker looks for them every five seconds"),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
}

async fn listen(engine: &Engine) -> Result<(), sqlx::Error> {
    let mut listener = engine.db().memory.system().listener().await?;
    listener.listen(CHANNEL).await?;
    // What was committed before it listened.
    engine.captures().wake();
    loop {
        listener.recv().await?;
        engine.captures().wake();
    }
}

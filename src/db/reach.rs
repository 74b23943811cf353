//! Whether a server takes connections at all. A pool cannot tell: it waits alike for a busy connection and for a server that is gone.

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

/// A server, and whether it answered lately. One caller at a time asks it; the others use that answer.
#[derive(Debug)]
pub struct Reach {
    options: PgConnectOptions,
    /// How long the server may take, and how long its answer is good for.
    patience: Duration,
    last: Mutex<Option<(Instant, bool)>>,
}

impl Reach {
    pub fn new(options: PgConnectOptions, patience: Duration) -> Self {
        Self { options, patience, last: Mutex::default() }
    }

    /// Whether a connection of its own can be opened. A server that has no more to give is there, too.
    pub async fn answers(&self) -> bool {
        let mut last = self.last.lock().await;
        if let Some((at, answered)) = *last
            && at.elapsed() < self.patience
        {
            return answered;
        }
        let answered = match timeout(self.patience, self.options.connect()).await {
            Ok(Ok(connection)) => {
                connection.close().await.ok();
                true
            }
            // 53300: too many connections.
            Ok(Err(error)) => error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == "53300"),
            Err(_) => false,
        };
        *last = Some((Instant::now(), answered));
        answered
    }
}

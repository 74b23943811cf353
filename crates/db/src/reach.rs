//! Whether a server takes connections at all. A pool cannot tell: it waits alike for a busy connection and for a server that is gone.

use super::illness::{Health, Illness};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

/// A server, and whether it answered lately. One caller at a time asks it; the others use that answer.
#[derive(Debug)]
pub struct Reach {
    options: PgConnectOptions,
    /// How long its answer is good for; it may take three times as long.
    patience: Duration,
    last: Mutex<Option<(Instant, bool)>>,
    health: Arc<Health>,
}

impl Reach {
    pub fn new(options: PgConnectOptions, patience: Duration, health: Arc<Health>) -> Self {
        Self { options, patience, last: Mutex::default(), health }
    }

    /// Whether a connection of its own can be opened. A server that has no more to give is there, too.
    pub async fn answers(&self) -> bool {
        let mut last = self.last.lock().await;
        if let Some((at, answered)) = *last
            && at.elapsed() < self.patience
        {
            return answered;
        }
        // A server that is gone refuses at once. One that is only busy may need longer than its answer is good for.
        let answered = match timeout(self.patience * 3, self.options.connect()).await {
            Ok(Ok(connection)) => {
                connection.close().await.ok();
                true
            }
            Ok(Err(error)) => {
                self.health.note(&error);
                Illness::in_error(&error) == Some(Illness::TooManyConnections)
            }
            Err(_) => false,
        };
        *last = Some((Instant::now(), answered));
        answered
    }
}

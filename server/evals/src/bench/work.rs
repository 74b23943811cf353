//! Work of the server beside a recall: a sweep, a capture, an export.

use super::Target;
use super::caller::Measured;
use super::http::{Access, Http, refused};
use super::store::Sql;
use super::texts;
use crate::Failure;
use remembrancer::lifecycle;
use serde::Serialize;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use wire::CaptureTextRequest;

/// Lines of a conversation that is captured.
const LINES: u64 = 40;
/// How long background work may take until nothing is left of it.
const REST: Duration = Duration::from_secs(120);
/// How often the queue is asked whether it is empty.
const POLL: Duration = Duration::from_millis(20);

/// What the server does meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// One of all agents.
    Sweep,
    /// Of a conversation of 40 lines, for the agent that recalls.
    Capture,
    /// Of the agent that recalls.
    Export,
}

impl Work {
    pub const ALL: [Self; 3] = [Self::Sweep, Self::Capture, Self::Export];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sweep => "a sweep",
            Self::Capture => "a capture",
            Self::Export => "an export",
        }
    }

    /// Does it again and again until `stop`, and once at least. The last one is finished, so that nothing of it is left for what comes next.
    ///
    /// # Errors
    /// When the server refuses it, or it does not end.
    pub async fn repeat(self, target: &Target, of: &Measured, stop: &CancellationToken) -> Result<(), Failure> {
        let (mut http, mut sql) = (Http::connect(target.address, Access::Key(&of.key)).await?, Sql::connect(&target.urls).await?);
        loop {
            match self {
                Self::Export => drop(http.drain("/api/export").await?),
                Self::Capture => capture(&mut http, target).await?,
                Self::Sweep => lifecycle::sweep_now(&target.engine, &target.admin).await?,
            }
            settle(&mut sql, target).await?;
            if stop.is_cancelled() {
                return Ok(());
            }
        }
    }
}

/// Captures a conversation that nobody had before.
async fn capture(http: &mut Http, target: &Target) -> Result<(), Failure> {
    let begin = target.numbers.fetch_add(LINES, Ordering::Relaxed);
    let line = |place: u64| {
        let speaker = if place.is_multiple_of(2) { "Vera" } else { "Idris" };
        format!("{speaker}: {}\n", texts::memory(begin + place).content)
    };
    let request = CaptureTextRequest {
        content: (0..LINES).map(line).collect(),
        capture_mode: None,
        title: None,
        time_zone: None,
        scope: None,
        project_id: None,
        repo_id: None,
        user_id: None,
    };
    let answer = http.post("/api/tools/capture_text", &request).await?;
    if answer.status.is_success() { Ok(()) } else { Err(refused("a capture", &answer)) }
}

/// Waits until no event of memories is due.
///
/// # Errors
/// When that takes longer than two minutes.
async fn settle(sql: &mut Sql, target: &Target) -> Result<(), Failure> {
    let begin = Instant::now();
    while sql.is_busy(target.engine.clock().now()).await? {
        if begin.elapsed() > REST {
            return Err(format!("background work did not end within {} s", REST.as_secs()).into());
        }
        tokio::time::sleep(POLL).await;
    }
    Ok(())
}

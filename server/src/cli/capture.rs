//! `remembrancer capture` and `remembrancer worker`: raw material from a shell, and a process that only works.

use super::Failure;
use super::identity::open_agent;
use crate::config::Config;
use crate::serve::{self, IfAbsent, Opened};
use clap::Args;
use extract::transcript;
use foundation::{Engine, OpContext};
use indicatif::{ProgressBar, ProgressStyle};
use remembrancer::Workers;
use remembrancer::capture::{self, Paste};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use wire::{CaptureMode, EventState, MemoryScope, SourceId};

/// How often the progress is read.
const EVERY: Duration = Duration::from_millis(200);
/// How long a command waits for a worker before it works itself.
const PATIENCE: Duration = Duration::from_secs(3);

#[derive(Args)]
pub struct Capture {
    /// A transcript, a note or the export of a chat program; `-` reads standard input
    file: PathBuf,
    #[arg(long)]
    tenant: String,
    /// The agent that gets the memories
    #[arg(long)]
    agent: String,
    /// transcript, note or summary
    #[arg(long, default_value = "transcript")]
    mode: CaptureMode,
    /// Scope of the memories
    #[arg(long, default_value = "agent")]
    scope: MemoryScope,
    /// Title of the source; by default the name of the file
    #[arg(long)]
    title: Option<String>,
    /// Time zone of the times in the file that have none, such as Europe/Zurich; by default UTC
    #[arg(long)]
    time_zone: Option<String>,
    /// Do not wait until the source is read
    #[arg(long)]
    no_wait: bool,
}

/// Stores a file as a source, captures it, and shows how far it is read. If no server works on it, this process does.
///
/// # Errors
/// When the file cannot be read, or its content is refused.
pub async fn capture(engine: &Engine, command: Capture) -> Result<(), Failure> {
    let (ctx, agent_id) = open_agent(engine, &command.tenant, &command.agent).await?;
    let bytes = read(&command.file).await?;
    let text = transcript::characters(&bytes).map_err(|error| format!("{}: {error}", command.file.display()))?.into_owned();
    let name = command.file.file_name().filter(|_| command.file.as_os_str() != "-").map(|name| name.to_string_lossy().into_owned());
    let paste = Paste {
        agent_id,
        mode: command.mode,
        scope: Some(command.scope),
        project_id: None,
        title: command.title.or_else(|| name.clone()),
        filename: name,
        time_zone: command.time_zone,
        user_id: None,
        text,
    };
    let source = capture::paste(engine, &ctx, paste).await?;
    println!("source {}: {} bytes, {} turns, {} with a time", source.source_id, source.bytes, source.turns, source.timed_turns);
    for warning in &source.warnings {
        println!("{warning}");
    }
    if source.skipped_messages > 0 {
        println!("{} messages could not be read and were left out", source.skipped_messages);
    }
    if !source.redacted.is_empty() {
        println!("{} secrets were replaced: {}", source.redacted.len(), source.redacted.join(", "));
    }
    if command.no_wait {
        return Ok(());
    }
    wait(engine, &ctx, source.source_id).await
}

async fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let named = |error: std::io::Error| format!("{}: {error}", path.display());
    if path.as_os_str() != "-" {
        return Ok(tokio::fs::read(path).await.map_err(named)?);
    }
    let mut bytes = Vec::new();
    tokio::io::stdin().read_to_end(&mut bytes).await.map_err(named)?;
    Ok(bytes)
}

/// Shows the progress until the source is read.
async fn wait(engine: &Engine, ctx: &OpContext, id: SourceId) -> Result<(), Failure> {
    let bar = ProgressBar::new(100).with_style(ProgressStyle::with_template("reading {wide_bar} {percent} %")?);
    let (start, mut own) = (tokio::time::Instant::now(), None);
    let row = loop {
        let row = capture::source(engine, ctx, id, 0).await?.source;
        bar.set_position((row.progress * 100.0) as u64);
        match row.state {
            Some(EventState::Done | EventState::Dead) | None => break row,
            Some(EventState::Pending) if own.is_none() && start.elapsed() > PATIENCE => own = Some(Workers::start(engine)),
            Some(_) => {}
        }
        tokio::time::sleep(EVERY).await;
    };
    bar.finish_and_clear();
    if let Some(workers) = own {
        workers.stop().await;
    }
    if row.state == Some(EventState::Dead) {
        return Err("the source could not be read: see its error on the console's page Events".into());
    }
    println!("{} candidates wait in the inbox, {} were stored, {} turns are in quarantine", row.waiting, row.active, row.quarantined);
    Ok(())
}

/// Works until a signal arrives. Any number of these may run beside a server.
///
/// # Errors
/// When a database is out of reach at the start.
pub async fn work(config: &Config) -> Result<(), Failure> {
    let Opened { engine, postgres } = serve::open(config, IfAbsent::Refuse).await?;
    let workers = Workers::start(&engine);
    tracing::info!("working");
    tokio::select! {
        signalled = serve::wait_for_signal() => signalled?,
        () = serve::supervise(postgres.as_ref(), &engine) => {}
    }
    tracing::info!("stopping after the current step");
    workers.stop().await;
    engine.finish_deferred().await;
    engine.db().close().await;
    if let Some(postgres) = postgres {
        postgres.stop().await?;
    }
    Ok(())
}

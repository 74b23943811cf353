//! Export and import on the command line.

use super::Failure;
use clap::Args;
use foundation::{Engine, OpContext, identity};
use indicatif::{ProgressBar, ProgressStyle};
use portability::{ImportOptions, Selection};
use remembrancer::workers;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use tokio::fs::{File, OpenOptions};
use tokio::io::{AsyncSeekExt, AsyncWriteExt};
use tokio_util::sync::CancellationToken;
use wire::{Area, ImportCount, ImportReport, UserRef};

#[derive(Args)]
pub struct Export {
    #[arg(long)]
    tenant: String,
    /// Only this agent's own memory, and what it reported
    #[arg(long, value_name = "SLUG")]
    agent: Option<String>,
    /// Only what belongs to this person: your own reference, the id that memories carry, or a name
    #[arg(long, value_name = "USER", conflicts_with_all = ["agent", "only", "markdown"])]
    user: Option<UserRef>,
    /// Areas to export, separated by commas: memory, vocabulary, knowledge, activity; by default all of them
    #[arg(long, value_name = "AREA", value_delimiter = ',', conflicts_with_all = ["agent", "markdown"])]
    only: Vec<Area>,
    /// The file to write; `-` is the standard output
    #[arg(long, default_value = "-", value_name = "FILE")]
    out: PathBuf,
    /// Write a folder to read instead: one Markdown file per memory
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    markdown: Option<PathBuf>,
}

#[derive(Args)]
pub struct Import {
    /// The file to read; `-` is the standard input
    file: PathBuf,
    #[arg(long)]
    tenant: String,
    /// Refuse a file that holds anything except this agent's own memory
    #[arg(long, value_name = "SLUG")]
    agent: Option<String>,
    /// Check the file, report what would happen and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Writes an export.
///
/// # Errors
/// When the tenant or agent does not exist, or the file cannot be written; then no file of that name is left behind.
pub async fn export(engine: &Engine, command: Export) -> Result<(), Failure> {
    let ctx = identity::open_tenant(engine, &command.tenant).await?;
    let selection = match (&command.agent, &command.user) {
        (Some(slug), _) => Selection::Agent(identity::agent_by_slug(engine, &ctx, slug).await?.id),
        (None, Some(user)) => {
            let known = identity::known_user(engine, &ctx, user).await?;
            Selection::Person(known.ok_or_else(|| format!("there is no user {user}"))?)
        }
        (None, None) if command.only.is_empty() => Selection::All,
        (None, None) => Selection::Only(command.only.iter().copied().collect()),
    };
    if command.agent.is_none() && command.markdown.is_none() {
        // Proposals on their way to the queue: a server delivers them by itself, but the command line has no relay.
        workers::drain(engine).await?;
    }
    let bar = ProgressBar::new_spinner().with_style(ProgressStyle::with_template("{spinner} {msg} {human_pos}")?);
    let progress = |written| bar.set_position(written);
    if let Some(folder) = &command.markdown {
        bar.set_message("memories");
        let written = portability::markdown(engine, &ctx, &selection, folder, &progress).await?;
        bar.finish_and_clear();
        println!("{written} memories in {}", folder.display());
        return Ok(());
    }
    bar.set_message("lines");
    let written = match is_dash(&command.out) {
        true => portability::export(engine, &ctx, &selection, descriptor(std::io::stdout())?, &progress).await?,
        false => to_file(engine, &ctx, &selection, &command.out, &progress).await?,
    };
    bar.finish_and_clear();
    let counts: Vec<String> = written.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    eprintln!("exported {}", if counts.is_empty() { "nothing".into() } else { counts.join(", ") });
    Ok(())
}

/// Writes an export into a file that only its owner can read; it appears under its name when it is complete.
async fn to_file(
    engine: &Engine,
    ctx: &OpContext,
    selection: &Selection,
    path: &Path,
    progress: &(dyn Fn(u64) + Send + Sync),
) -> Result<portability::Written, Failure> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let named = |error: std::io::Error| format!("{}: {error}", path.display());
    let file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(&partial).await.map_err(named)?;
    let written = portability::export(engine, ctx, selection, file.try_clone().await.map_err(named)?, progress).await;
    match written {
        Ok(written) => {
            file.sync_all().await.map_err(named)?;
            tokio::fs::rename(&partial, path).await.map_err(named)?;
            Ok(written)
        }
        Err(error) => {
            let _ = tokio::fs::remove_file(&partial).await;
            Err(error.into())
        }
    }
}

/// Imports a file, and makes the vectors of the new records.
///
/// # Errors
/// When the file cannot be read, or anything in it is wrong; nothing is imported then.
pub async fn import(engine: &Engine, command: Import) -> Result<(), Failure> {
    let ctx = identity::open_tenant(engine, &command.tenant).await?;
    let agent = match &command.agent {
        Some(slug) => Some(identity::agent_by_slug(engine, &ctx, slug).await?.id),
        None => None,
    };
    let file = open(&command.file).await.map_err(|error| format!("{}: {error}", command.file.display()))?;
    // An import reads the file twice: it checks, then it writes.
    let readings = if command.dry_run { 1 } else { 2 };
    let bar = ProgressBar::new(file.metadata().await?.len() * readings);
    bar.set_style(ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes}")?);
    bar.set_message("importing");
    let options = ImportOptions { agent, dry_run: command.dry_run };
    let report = portability::import(engine, &ctx, file, options, &|read| bar.set_position(read)).await;
    bar.finish_and_clear();
    let report = report?;
    if !command.dry_run {
        workers::drain(engine).await?;
        embed(engine).await?;
    }
    println!("{}", summary(&report));
    Ok(())
}

async fn open(path: &Path) -> Result<File, Failure> {
    if !is_dash(path) {
        return Ok(File::open(path).await?);
    }
    // A pipe cannot be read twice.
    let mut file = crate::api::portability::temporary().await?;
    tokio::io::copy(&mut descriptor(std::io::stdin())?, &mut file).await?;
    file.flush().await?;
    file.rewind().await?;
    Ok(file)
}

/// Processes the queues of vectors, so that the imported records are found by meaning when the command ends.
async fn embed(engine: &Engine) -> Result<(), Failure> {
    let bar = ProgressBar::new_spinner().with_message("embedding");
    let stop = CancellationToken::new();
    for database in [&engine.db().kb, &engine.db().memory] {
        while workers::work_on(engine, database, &stop).await? > 0 {
            bar.tick();
        }
    }
    bar.finish_and_clear();
    Ok(())
}

fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Standard input or output as a file of this runtime.
fn descriptor(of: impl AsFd) -> Result<File, Failure> {
    Ok(File::from_std(std::fs::File::from(of.as_fd().try_clone_to_owned()?)))
}

/// The result of an import, a line for each type.
pub fn summary(report: &ImportReport) -> String {
    let would = if report.dry_run { "would be: " } else { "" };
    let line = |(kind, count): (&String, &ImportCount)| {
        format!("{would}{kind}: {} added, {} updated, {} already there", count.added, count.updated, count.unchanged)
    };
    if report.lines.is_empty() {
        return "the file holds nothing".into();
    }
    let mut lines: Vec<String> = report.lines.iter().map(line).collect();
    lines.extend(report.corrections.iter().map(|one| format!("{would}corrected: {} {}", one.field, one.message)));
    let more = report.corrected - i64::try_from(report.corrections.len()).unwrap_or(i64::MAX);
    lines.extend((more > 0).then(|| format!("{would}corrected: {more} more values")));
    lines.join("\n")
}

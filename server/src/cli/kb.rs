//! Knowledge on the command line: ingest a directory, write its index pages.

use super::Failure;
use crate::ingestion::{ingest_directory, summary};
use clap::Subcommand;
use foundation::{Engine, identity};
use indicatif::{ProgressBar, ProgressStyle};
use remembrancer::{knowledge, workers};
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;
use wire::IngestFailure;

#[derive(Subcommand)]
pub enum Kb {
    /// Ingest the Markdown files of a directory. You can repeat it: unchanged files stay, and documents of missing files are retired
    Ingest {
        dir: PathBuf,
        #[arg(long)]
        tenant: String,
        /// Name of the collection; by default the name of the directory
        #[arg(long)]
        collection: Option<String>,
        /// Only what changed in git since this revision
        #[arg(long, value_name = "REVISION")]
        since: Option<String>,
        /// Report what would happen and change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Write the INDEX.md pages of a directory from the front matter of its files; only those that change
    Index { dir: PathBuf },
}

/// Writes index pages. It needs no database.
///
/// # Errors
/// When the directory or a page cannot be read or written, or a file could not be parsed.
pub fn index(dir: &Path) -> Result<(), Failure> {
    let (pages, failures) = knowledge::index_pages(dir)?;
    let mut written = 0;
    for page in &pages {
        let path = dir.join(&page.path);
        if std::fs::read_to_string(&path).ok().as_deref() != Some(page.content.as_str()) {
            std::fs::write(&path, &page.content).map_err(|error| format!("{}: {error}", path.display()))?;
            println!("wrote {}", path.display());
            written += 1;
        }
    }
    println!("{} index pages, {written} written", pages.len());
    report_failures(&failures)
}

/// Ingests a directory and waits until its chunks have their vectors.
///
/// # Errors
/// When a file could not be read; all others were ingested.
pub async fn ingest(
    engine: &Engine,
    tenant: &str,
    dir: &Path,
    collection: Option<String>,
    since: Option<String>,
    dry_run: bool,
) -> Result<(), Failure> {
    let ctx = identity::open_tenant(engine, tenant).await?;
    let bar = ProgressBar::new(0).with_style(ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}")?).with_message("files");
    let report = ingest_directory(engine, &ctx, dir, collection, since, dry_run, &|done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    })
    .await?;
    bar.finish_and_clear();
    if !dry_run {
        embed(engine).await?;
    }
    println!("{}", summary(&report));
    report_failures(&report.failures)
}

/// Processes the queue of vectors, so that the directory can be searched when the command ends. A running server shares the work.
async fn embed(engine: &Engine) -> Result<(), Failure> {
    let bar = ProgressBar::new_spinner().with_message("embedding");
    let stop = CancellationToken::new();
    while workers::work_on(engine, &engine.db().kb, &stop).await? > 0 {
        bar.tick();
    }
    bar.finish_and_clear();
    Ok(())
}

fn report_failures(failures: &[IngestFailure]) -> Result<(), Failure> {
    for failure in failures {
        let line = failure.line.map(|line| format!(":{line}")).unwrap_or_default();
        eprintln!("{}{line}: {}", failure.path, failure.reason);
    }
    match failures.len() {
        0 => Ok(()),
        1 => Err("1 file or entry failed to be ingested; all others were ingested".into()),
        n => Err(format!("{n} files or entries failed to be ingested; all others were ingested").into()),
    }
}

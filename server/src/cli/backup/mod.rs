//! Backups of the three databases, and their restoration.

mod folder;
mod keep;
mod room;
mod verify;

use crate::Failure;
use crate::config::Config;
use crate::serve::{self, IfAbsent};
use clap::Args;
use clap::builder::PossibleValuesParser;
use db::backup::{self, DATABASES, Note, Snapshot};
use db::clock::{Clock, SystemClock};
use db::embedded::Embedded;
use db::{DatabaseUrls, distributed, migrate};
use folder::{Manifest, Part, Writing};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tokio::fs::File;
use verify::Damaged;
use wire::plain;

/// The database that says which backup was verified last.
const NOTED: &str = "internal_shared";

#[derive(Args)]
pub struct Backup {
    /// The folder to create; it must not exist
    dir: PathBuf,
    /// Then restore it into temporary databases, compare the numbers of rows and the audit chains, and drop them
    #[arg(long)]
    verify: bool,
    /// Then remove older backups in the folder around DIR until this many are left, and those that did not finish. The newest verified one
    /// stays, and so does every folder that is not a backup
    #[arg(long, value_name = "NUMBER")]
    keep: Option<NonZeroUsize>,
}

#[derive(Args)]
pub struct Restore {
    /// The folder of a backup
    dir: PathBuf,
    /// Only these databases, separated by commas; the others must be there
    #[arg(
        long,
        value_name = "DATABASE",
        value_delimiter = ',',
        conflicts_with = "verify",
        value_parser = PossibleValuesParser::new(DATABASES)
    )]
    only: Vec<String>,
    /// Change nothing: restore into temporary databases, compare the numbers of rows and the audit chains, and drop them
    #[arg(long)]
    verify: bool,
}

/// Backs up the databases while they are in use.
///
/// # Errors
/// A sentence; then no folder of the backup's name is left behind, unless the backup is complete.
pub async fn back_up(config: &Config, command: Backup) -> Result<(), Failure> {
    let (urls, postgres) = serve::checked_databases(config, IfAbsent::Refuse).await?;
    let done = backed_up(config, &urls, &command).await;
    stop(postgres).await?;
    done
}

async fn backed_up(config: &Config, urls: &DatabaseUrls, Backup { dir, verify, keep }: &Backup) -> Result<(), Failure> {
    // Before anything is written, because the disk may be full of them.
    if keep.is_some() {
        report_removed(dir, keep::remove_unfinished(dir, SystemClock.now()))?;
    }
    let instead = "back up every node with its own tools, to the same point in time (docs/growing.md)";
    distributed::refuse_distributed(urls, instead).await?;
    take(urls, dir).await?;
    let tried = if *verify { tried(config, urls, dir).await } else { Ok(()) };
    // Also after a trial that failed: backups that nobody could try would fill the disk.
    let removed = keep.map_or(Ok(()), |keep| report_removed(dir, keep::remove_older(dir, keep)));
    tried?;
    removed
}

fn report_removed(dir: &Path, removed: io::Result<Vec<PathBuf>>) -> Result<(), Failure> {
    let removed = removed.map_err(|error| format!("older backups beside {} cannot be removed: {}", dir.display(), plain(error)))?;
    removed.iter().for_each(|folder| println!("removed {}", folder.display()));
    Ok(())
}

/// Tries whether a new backup can be restored. A damaged one loses its name, so that nobody relies on it; one that could not be tried keeps
/// it.
async fn tried(config: &Config, urls: &DatabaseUrls, dir: &Path) -> Result<(), Failure> {
    match verify::verify(config, urls, dir).await {
        Ok(manifest) => note_verified(urls, dir, &manifest).await,
        Err(error) if error.is::<Damaged>() => Err(match folder::withdraw(dir) {
            Ok(unfinished) => format!("{error}. It is called {} now", unfinished.display()).into(),
            Err(renaming) => format!("{error}. Remove {}, which cannot be renamed: {renaming}", dir.display()).into(),
        }),
        Err(error) => Err(format!("the backup is in {}, but verifying it failed: {error}", dir.display()).into()),
    }
}

/// Notes in the folder, and for 'remembrancer doctor' in a database, that a backup is good.
async fn note_verified(urls: &DatabaseUrls, dir: &Path, manifest: &Manifest) -> Result<(), Failure> {
    folder::note_verified(dir, SystemClock.now()).map_err(|error| format!("{} cannot be written to: {}", dir.display(), plain(error)))?;
    if let Err(error) = backup::note(urls, NOTED, Some(&Note::Verified(manifest.taken_at))).await {
        tracing::warn!(%error, "'remembrancer doctor' will not know of this backup");
    }
    Ok(())
}

/// Restores a backup, or tries whether it can be restored.
///
/// # Errors
/// A sentence, which names the databases that were restored before.
pub async fn restore(config: &Config, command: Restore) -> Result<(), Failure> {
    // Before anything is started: a damaged backup needs no database.
    let manifest = folder::read(&command.dir)?;
    let if_absent = if command.verify { IfAbsent::Refuse } else { IfAbsent::Create };
    let (urls, postgres) = serve::databases(config, if_absent).await?;
    let done = match command.verify {
        true => verify::verify(config, &urls, &command.dir).await.map(drop),
        false => restore_into(&urls, &command.dir, &manifest, &command.only).await,
    };
    stop(postgres).await?;
    done
}

async fn stop(postgres: Option<Embedded>) -> Result<(), Failure> {
    match postgres {
        Some(postgres) => Ok(postgres.stop().await?),
        None => Ok(()),
    }
}

async fn take(urls: &DatabaseUrls, dir: &Path) -> Result<(), Failure> {
    let begun = Instant::now();
    let unfinished = folder::begin(dir)?;
    let failed = |error: Failure| format!("the backup failed: {}. What was written is in {}", plain(error), unfinished.display());
    let manifest = write(urls, &unfinished).await.map_err(failed)?;
    folder::finish(&unfinished, dir, &manifest).map_err(|error| failed(error.into()))?;
    let bytes: u64 = manifest.databases.iter().map(|part| part.bytes).sum();
    println!("backed up into {}: {}, {:.1} s", dir.display(), size(bytes), begun.elapsed().as_secs_f64());
    Ok(())
}

async fn write(urls: &DatabaseUrls, folder: &Path) -> Result<Manifest, Failure> {
    let mut snapshots = backup::snapshots(urls).await?;
    let taken_at = SystemClock.now();
    let (mut parts, mut anchors) = (Vec::new(), BTreeMap::new());
    for snapshot in &mut snapshots {
        parts.push(write_part(snapshot, folder).await?);
        anchors.extend(snapshot.anchors().await?);
    }
    Ok(Manifest::new(taken_at, parts, anchors))
}

async fn write_part(snapshot: &mut Snapshot, folder: &Path) -> Result<Part, Failure> {
    let (begun, database) = (Instant::now(), snapshot.database);
    let mut file = Writing::create(&folder::dump(folder, database))?;
    let bar = spinner(database)?;
    snapshot
        .dump(|part| {
            file.write(part)?;
            bar.set_position(file.bytes);
            Ok(())
        })
        .await?;
    let (bytes, sha256) = file.finish()?;
    let contents = snapshot.contents().await?;
    bar.finish_and_clear();
    let disk = snapshot.disk().await?;
    let rows: i64 = contents.rows.values().sum();
    println!("{database}: {rows} rows, {}, {:.1} s", size(bytes), begun.elapsed().as_secs_f64());
    Ok(Part { database: database.into(), bytes, sha256, schema: contents.schema, rows: contents.rows, disk })
}

async fn restore_into(urls: &DatabaseUrls, dir: &Path, manifest: &Manifest, only: &[String]) -> Result<(), Failure> {
    let (chosen, others): (Vec<&Part>, Vec<&Part>) =
        manifest.databases.iter().partition(|part| only.is_empty() || only.contains(&part.database));
    begin(urls, &chosen, &others, manifest).await?;
    let mut offered = 0;
    for part in &others {
        offered += backup::offer_again(urls, &part.database).await?;
    }
    for part in &chosen {
        restore_part(urls, dir, part).await.map_err(|error| {
            format!("{} was not restored: {error}. When that is mended, run the same command again: it continues", part.database)
        })?;
        offered += backup::offer_again(urls, &part.database).await?;
    }
    migrate(urls).await.map_err(|error| {
        format!("the databases are restored and not migrated yet: {error}. When that is mended, run the same command again")
    })?;
    // The first one last: while it has its note, a restore that is run again continues.
    for part in chosen.iter().rev() {
        backup::note(urls, &part.database, None).await?;
    }
    println!(
        "restored the backup of {}; the server delivers {offered} messages between the databases once more",
        manifest.taken_at.to_rfc3339()
    );
    Ok(())
}

/// Refuses what a restore would replace, and marks each database as one that is being restored, the first one last. So if the first one has
/// the mark of this restore, an earlier run got so far, and what is in the databases is its work.
async fn begin(urls: &DatabaseUrls, chosen: &[&Part], others: &[&Part], manifest: &Manifest) -> Result<(), Failure> {
    let names: Vec<&str> = chosen.iter().map(|part| part.database.as_str()).collect();
    let mark = format!("{} from the backup of {}", names.join(" and "), manifest.taken_at.to_rfc3339());
    let (mut empty, mut full) = (Vec::new(), None);
    for part in chosen {
        match backup::is_empty(urls, &part.database).await? {
            true => empty.push(*part),
            false => full = full.or(Some(part)),
        }
    }
    room::require(urls, &empty).await?;
    if let Some(first) = chosen.first()
        && backup::noted(urls, &first.database).await? == Some(Note::Restoring(mark.clone()))
    {
        println!("continuing a restore that did not finish");
        return Ok(());
    }
    if let Some(part) = full {
        backup::require_empty(urls, &part.database).await?;
    }
    for part in others {
        if backup::is_empty(urls, &part.database).await? {
            return Err(format!("{} is empty or does not exist: restore it as well, with --only or without", part.database).into());
        }
    }
    for part in chosen.iter().rev() {
        backup::begin_restore(urls, &part.database, &mark).await?;
    }
    Ok(())
}

/// Restores one database, unless a restore that did not finish has done so: each is restored completely or not at all.
async fn restore_part(urls: &DatabaseUrls, dir: &Path, part: &Part) -> Result<(), Failure> {
    if backup::is_empty(urls, &part.database).await? {
        return bring_back(urls, dir, part).await;
    }
    println!("{}: restored already", part.database);
    Ok(())
}

/// Restores one database of a backup.
async fn bring_back(urls: &DatabaseUrls, dir: &Path, part: &Part) -> Result<(), Failure> {
    let (begun, path) = (Instant::now(), folder::dump(dir, &part.database));
    let bar = spinner(&part.database)?;
    let file = File::open(&path).await.map_err(|error| format!("{}: {error}", path.display()))?;
    backup::restore(urls, &part.database, file, |read| bar.set_position(read)).await?;
    bar.finish_and_clear();
    let rows: i64 = part.rows.values().sum();
    println!("{}: {rows} rows, {:.1} s", part.database, begun.elapsed().as_secs_f64());
    Ok(())
}

fn spinner(database: &str) -> Result<ProgressBar, Failure> {
    let bar = ProgressBar::new_spinner().with_style(ProgressStyle::with_template("{spinner} {msg} {bytes}")?);
    Ok(bar.with_message(database.to_owned()))
}

/// A size for people.
fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

//! Backups of the three databases, and their restoration.

mod folder;
mod verify;

use crate::Failure;
use crate::config::Config;
use crate::serve::{self, IfAbsent};
use clap::Args;
use clap::builder::PossibleValuesParser;
use db::backup::{self, DATABASES, Snapshot};
use db::clock::{Clock, SystemClock};
use db::embedded::Embedded;
use db::{DatabaseUrls, migrate};
use folder::{Manifest, Part, Writing};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tokio::fs::File;
use verify::Damaged;

#[derive(Args)]
pub struct Backup {
    /// The folder to create; it must not exist
    dir: PathBuf,
    /// Then restore it into temporary databases, compare the numbers of rows and the audit chains, and drop them
    #[arg(long)]
    verify: bool,
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
/// A sentence; then no folder of the backup's name is left behind.
pub async fn back_up(config: &Config, command: Backup) -> Result<(), Failure> {
    let (urls, postgres) = serve::checked_databases(config, IfAbsent::Refuse).await?;
    let done = async {
        take(&urls, &command.dir).await?;
        if command.verify { tried(config, &urls, &command.dir).await } else { Ok(()) }
    }
    .await;
    stop(postgres).await?;
    done
}

/// Tries whether a new backup can be restored. A damaged one loses its name, so that nobody relies on it; one that could not be tried keeps
/// it.
async fn tried(config: &Config, urls: &DatabaseUrls, dir: &Path) -> Result<(), Failure> {
    match verify::verify(config, urls, dir).await {
        Err(error) if error.is::<Damaged>() => Err(match folder::withdraw(dir) {
            Ok(unfinished) => format!("{error}. It is called {} now", unfinished.display()).into(),
            Err(renaming) => format!("{error}. Remove {}, which cannot be renamed: {renaming}", dir.display()).into(),
        }),
        verified => verified,
    }
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
        true => verify::verify(config, &urls, &command.dir).await,
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
    let failed = |error: Failure| format!("the backup failed: {error}. What was written is in {}", unfinished.display());
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
    let rows: i64 = contents.rows.values().sum();
    println!("{database}: {rows} rows, {}, {:.1} s", size(bytes), begun.elapsed().as_secs_f64());
    Ok(Part { database: database.into(), bytes, sha256, schema: contents.schema, rows: contents.rows })
}

async fn restore_into(urls: &DatabaseUrls, dir: &Path, manifest: &Manifest, only: &[String]) -> Result<(), Failure> {
    let (chosen, others): (Vec<&Part>, Vec<&Part>) =
        manifest.databases.iter().partition(|part| only.is_empty() || only.contains(&part.database));
    for part in &chosen {
        backup::require_empty(urls, &part.database).await?;
    }
    for part in &others {
        if backup::require_empty(urls, &part.database).await.is_ok() {
            return Err(format!("{} is empty or does not exist: restore it as well, with --only or without", part.database).into());
        }
    }
    // A restore is not repeated once a database is there, so this comes before all that may fail.
    let mut offered = 0;
    for part in others {
        offered += backup::offer_again(urls, &part.database).await?;
    }
    let mut restored: Vec<&str> = Vec::new();
    for part in &chosen {
        let database = part.database.as_str();
        bring_back(urls, dir, part).await.map_err(|error| {
            let left: Vec<&str> = chosen.iter().map(|part| part.database.as_str()).filter(|name| !restored.contains(name)).collect();
            match restored.is_empty() {
                true => format!("{database} was not restored, and nothing else was: {error}"),
                false => format!(
                    "{database} was not restored: {error}. {} is there; continue with --only {}",
                    restored.join(" and "),
                    left.join(",")
                ),
            }
        })?;
        restored.push(database);
        offered += backup::offer_again(urls, database).await?;
    }
    migrate(urls)
        .await
        .map_err(|error| format!("the databases are restored and not migrated yet; the server does it when it starts: {error}"))?;
    println!(
        "restored the backup of {}; the server delivers {offered} messages between the databases once more",
        manifest.taken_at.to_rfc3339()
    );
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

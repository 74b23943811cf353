//! Whether a backup can be restored: it is, into temporary databases.

use super::{bring_back, folder, room};
use crate::Failure;
use crate::config::Config;
use crate::serve::{self, Opened};
use db::backup::{self, Contents};
use db::clock::{Clock, SystemClock};
use db::{DatabaseUrls, Logins, drop_databases, require_absent};
use folder::Manifest;
use foundation::audit::{self, Anchor, Verified};
use foundation::{Engine, identity};
use std::path::Path;

/// A restored database is not what the backup says: what differs.
#[derive(Debug, thiserror::Error)]
#[error("the backup is damaged: {0}")]
pub struct Damaged(String);

/// Restores a backup into temporary databases beside the real ones, compares numbers of rows and audit chains with what the backup says,
/// and drops the databases. What the backup is.
///
/// # Errors
/// `Damaged` with the first difference, a sentence about an audit chain that is not intact, when the disk of Postgres has no room, and when
/// a database is out of reach.
pub async fn verify(config: &Config, urls: &DatabaseUrls, dir: &Path) -> Result<Manifest, Failure> {
    let manifest = folder::read(dir)?;
    room::require(urls, &manifest.databases.iter().collect::<Vec<_>>()).await?;
    let scratch = DatabaseUrls::beside(urls, &format!("_verify_{}", SystemClock.secret(8).to_lowercase()))?;
    // What is dropped below was created here.
    require_absent(&scratch).await?;
    let compared = compare(config, &scratch, dir, &manifest).await;
    let dropped = drop_databases(&scratch).await;
    compared?;
    dropped?;
    println!("the backup is good: the numbers of rows and {} audit chains are as they were", manifest.anchors.len());
    Ok(manifest)
}

async fn compare(config: &Config, scratch: &DatabaseUrls, dir: &Path, manifest: &Manifest) -> Result<(), Failure> {
    for part in &manifest.databases {
        bring_back(scratch, dir, part).await?;
        if let Some(difference) = difference(&part.contents(), &backup::contents(scratch, &part.database).await?) {
            return Err(Damaged(format!("{} {difference}", part.database)).into());
        }
    }
    let mut config = config.clone();
    config.databases = Some(scratch.clone());
    // They lead to the real databases.
    config.logins = Logins::default();
    let Opened { engine, .. } = serve::open_without_model(&config).await?;
    let followed = follow(&engine, manifest).await;
    engine.db().close().await;
    followed
}

/// Recomputes each audit chain up to the entry that was the last one.
async fn follow(engine: &Engine, manifest: &Manifest) -> Result<(), Failure> {
    for (slug, anchor) in &manifest.anchors {
        let anchor: Anchor = anchor.parse()?;
        let ctx = identity::open_tenant(engine, slug).await?;
        let Verified { fault, .. } = audit::verify(engine, &ctx, Some(&anchor)).await?;
        if let Some(fault) = fault {
            return Err(format!("the audit chain of {slug} is not intact in the backup: {fault}").into());
        }
    }
    Ok(())
}

/// The first thing in which a restored database differs from the one that was backed up.
fn difference(was: &Contents, is: &Contents) -> Option<String> {
    if was.schema != is.schema {
        return Some(format!("has the schema {} instead of {}", is.schema, was.schema));
    }
    let tables = was.rows.keys().chain(is.rows.keys());
    let (table, was, is) = tables.map(|table| (table, was.rows.get(table), is.rows.get(table))).find(|(_, was, is)| was != is)?;
    let count = |rows: Option<&i64>| rows.map_or_else(|| "no such table".to_owned(), |rows| format!("{rows} rows"));
    Some(format!("has {} in {table} instead of {}", count(is), count(was)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_the_table_and_both_numbers() {
        let contents = |schema, rows: &[(&str, i64)]| Contents { schema, rows: rows.iter().map(|(t, n)| ((*t).to_owned(), *n)).collect() };
        let was = contents(7, &[("events", 2), ("outbox", 5)]);
        assert_eq!(difference(&was, &was), None);
        let cases = [
            (contents(8, &[("events", 2), ("outbox", 5)]), "has the schema 8 instead of 7"),
            (contents(7, &[("events", 2), ("outbox", 4)]), "has 4 rows in outbox instead of 5 rows"),
            (contents(7, &[("events", 2)]), "has no such table in outbox instead of 5 rows"),
            (contents(7, &[("events", 2), ("outbox", 5), ("terms", 1)]), "has 1 rows in terms instead of no such table"),
        ];
        for (is, sentence) in cases {
            assert_eq!(difference(&was, &is).as_deref(), Some(sentence));
        }
    }
}

//! Whether the disk of Postgres has room for databases that are about to be restored.

use super::folder::Part;
use super::size;
use crate::Failure;
use crate::cli::doctor::machine::{self, Disk};
use db::DatabaseUrls;
use db::backup;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Most bytes of its log that Postgres keeps beside what it writes: the default of its max_wal_size.
const LOG_MAX: u64 = 1 << 30;

/// Refuses what does not fit on the disk of Postgres. Where its free space cannot be seen, it prints how much is needed.
///
/// # Errors
/// A sentence with the bytes that are needed and free, and when Postgres is out of reach.
pub async fn require(urls: &DatabaseUrls, parts: &[&Part]) -> Result<(), Failure> {
    let mut needed: BTreeMap<Option<PathBuf>, u64> = BTreeMap::new();
    for part in parts {
        let sum = needed.entry(backup::data_folder(urls, &part.database).await?).or_default();
        // A dump is compressed and has no indexes, so the database is larger.
        *sum = sum.saturating_add(part.disk.max(part.bytes));
    }
    for (folder, bytes) in needed {
        let bytes = bytes.saturating_add(bytes.min(LOG_MAX));
        match folder.and_then(|folder| machine::disk(&folder).ok()) {
            Some(disk) => fits(bytes, &disk)?,
            None => println!("the restored databases need about {}; how much Postgres has free cannot be seen from here", size(bytes)),
        }
    }
    Ok(())
}

fn fits(bytes: u64, Disk { folder, free, .. }: &Disk) -> Result<(), String> {
    if bytes <= *free {
        return Ok(());
    }
    let place = folder.display();
    Err(format!(
        "the restored databases need about {}, and {} are free on the disk of {place}: free space there, or restore on another machine",
        size(bytes),
        size(*free)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_without_room_is_named_with_what_is_needed() {
        let disk = Disk { folder: PathBuf::from("/data"), free: 5_000_000, total: 9_000_000 };
        assert_eq!(fits(5_000_000, &disk), Ok(()));
        let sentence = fits(5_100_000, &disk).unwrap_err();
        assert!(sentence.contains("need about 5.1 MB, and 5.0 MB are free on the disk of /data"), "{sentence}");
    }
}

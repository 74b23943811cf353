//! Which backups beside a new one go. A folder that holds anything but a backup stays.

use super::folder;
use chrono::{DateTime, Utc};
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How long nothing was written to a backup that does not go on.
const REST: Duration = Duration::from_secs(3600);

/// Removes what is left beside `dir` of backups that did not finish or were damaged, unless something was written to it within the last hour;
/// which folders.
///
/// # Errors
/// When the folder around `dir` cannot be read, or a backup cannot be removed.
pub fn remove_unfinished(dir: &Path, now: DateTime<Utc>) -> io::Result<Vec<PathBuf>> {
    let limit = SystemTime::from(now).checked_sub(REST).unwrap_or(SystemTime::UNIX_EPOCH);
    let left = siblings(dir)?.into_iter().filter(|path| folder::is_unfinished(path) && folder::is_ours(path));
    left.filter(|path| is_older(path, limit)).map(|path| folder::remove(&path).map(|()| path)).collect()
}

/// Removes complete backups beside `dir`, the oldest first, until with `dir` so many are there. The newest one that was verified stays in any
/// case; which folders.
///
/// # Errors
/// When the folder around `dir` cannot be read, or a backup cannot be removed.
pub fn remove_older(dir: &Path, keep: NonZeroUsize) -> io::Result<Vec<PathBuf>> {
    let others = siblings(dir)?.into_iter().filter(|path| !folder::is_unfinished(path) && folder::is_ours(path));
    let mut others: Vec<(DateTime<Utc>, PathBuf)> =
        others.filter_map(|path| Some((folder::manifest(&path).ok()?.taken_at, path))).collect();
    others.sort_unstable_by(|one, other| other.cmp(one));
    let newest_first = || others.iter().map(|(_, path)| path);
    let verified = newest_first().find(|path| folder::is_verified(path)).filter(|_| !folder::is_verified(dir));
    let kept = keep.get() - usize::from(dir.is_dir());
    let removed: Vec<&PathBuf> = newest_first().skip(kept).filter(|path| Some(*path) != verified).collect();
    removed.into_iter().rev().map(|path| folder::remove(path).map(|()| path.clone())).collect()
}

/// The folders beside `dir`; links lead elsewhere and are none.
fn siblings(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let around = dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut folders = Vec::new();
    for entry in fs::read_dir(around)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && Some(entry.file_name().as_os_str()) != dir.file_name() {
            folders.push(entry.path());
        }
    }
    Ok(folders)
}

/// Whether every file of a folder was written before then.
fn is_older(folder: &Path, limit: SystemTime) -> bool {
    let is_older = |entry: io::Result<fs::DirEntry>| entry?.metadata()?.modified().map(|modified| modified < limit);
    fs::read_dir(folder).is_ok_and(|mut entries| entries.all(|entry| is_older(entry).unwrap_or(false)))
}

#[cfg(test)]
mod tests {
    use super::folder::{Manifest, Part, Writing};
    use super::*;
    use chrono::TimeDelta;
    use std::collections::BTreeMap;
    use std::fs::File;

    /// A backup in `around` that was taken so many days after the first.
    fn made(around: &Path, name: &str, day: i64) -> PathBuf {
        let dir = around.join(name);
        let unfinished = folder::begin(&dir).unwrap();
        let databases = db::backup::DATABASES.map(|database| {
            let mut file = Writing::create(&folder::dump(&unfinished, database)).unwrap();
            file.write(b"PGDMP and more").unwrap();
            let (bytes, sha256) = file.finish().unwrap();
            Part { database: database.into(), bytes, sha256, schema: 1, rows: BTreeMap::new(), disk: 0 }
        });
        let taken_at = DateTime::UNIX_EPOCH + TimeDelta::days(day);
        folder::finish(&unfinished, &dir, &Manifest::new(taken_at, databases.to_vec(), BTreeMap::new())).unwrap();
        dir
    }

    fn names(paths: &[PathBuf]) -> Vec<&str> {
        let mut names: Vec<_> = paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn the_newest_stay_with_the_last_one_that_was_verified_and_what_is_not_ours() {
        let around = tempfile::tempdir().unwrap();
        // Names have another order than moments.
        let days: Vec<_> = ["e", "d", "c", "b", "a"].iter().zip(1..).map(|(name, day)| made(around.path(), name, day)).collect();
        for dir in &days[..2] {
            folder::note_verified(dir, DateTime::UNIX_EPOCH).unwrap();
        }
        fs::write(days[2].join("notes.txt"), "keep this one").unwrap();
        let foreign = around.path().join("photographs");
        fs::create_dir(&foreign).unwrap();
        let newest = made(around.path(), "newest", 6);
        let keep = |number| NonZeroUsize::new(number).unwrap();
        assert_eq!(remove_older(&newest, keep(9)).unwrap(), Vec::<PathBuf>::new());
        assert_eq!(names(&remove_older(&newest, keep(2)).unwrap()), ["b", "e"], "d was verified, c holds something else, a is new");
        assert_eq!(names(&siblings(&newest).unwrap()), ["a", "c", "d", "photographs"]);
        folder::note_verified(&newest, DateTime::UNIX_EPOCH).unwrap();
        assert_eq!(names(&remove_older(&newest, keep(1)).unwrap()), ["a", "d"]);
        assert!(folder::read(&newest).is_ok());
    }

    #[test]
    fn what_did_not_finish_goes_once_nobody_writes_to_it() {
        let around = tempfile::tempdir().unwrap();
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
        let left = |name: &str, file: &str, content: &[u8], age: TimeDelta| {
            let folder = around.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join(file), content).unwrap();
            File::options().write(true).open(folder.join(file)).unwrap().set_modified((now - age).into()).unwrap();
        };
        left("old.unfinished", "agent_memory.dump", b"PGDMP", TimeDelta::hours(2));
        left("running.unfinished", "agent_memory.dump", b"PGDMP", TimeDelta::minutes(2));
        left("novel.unfinished", "chapter.txt", b"PGDMP", TimeDelta::days(2));
        left("other.unfinished", "agent_memory.dump", b"somebody's", TimeDelta::days(2));
        let dir = around.path().join("monday");
        assert_eq!(names(&remove_unfinished(&dir, now).unwrap()), ["old.unfinished"]);
        assert_eq!(siblings(&dir).unwrap().len(), 3);
    }
}

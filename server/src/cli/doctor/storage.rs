//! What is well and what is not about the disk and the backups. Pure, as the other checks.

use super::Finding;
use super::checks::ago;
use super::machine::Disk;
use chrono::{DateTime, TimeDelta, Utc};
use db::backup::Note;

/// Bytes left on the disk of the embedded Postgres below which somebody should look, and below which it is nearly full.
const DISK: [u64; 2] = [4 * GIB, GIB / 2];
pub const GIB: u64 = 1024 * 1024 * 1024;
/// How old the last verified backup may be where backups are verified: those of a week, and a day.
const BACKUP: TimeDelta = TimeDelta::days(8);

pub fn disk(disk: &Result<Disk, String>) -> Finding {
    let Disk { folder, free, total } = match disk {
        Ok(disk) => disk,
        Err(error) => return Finding::warning("disk", format!("the disk of the data cannot be looked at: {error}"), "correct DATA_DIR"),
    };
    let [look, full] = DISK;
    let gib = |bytes: u64| bytes as f64 / GIB as f64;
    let finding = format!("{:.1} of {:.1} GiB are free at {}", gib(*free), gib(*total), folder.display());
    match *free {
        free if free < full => Finding::error("disk", finding, "free space: writes fail when it is full"),
        free if free < look => Finding::warning("disk", finding, "free space, or move DATA_DIR to a larger disk"),
        _ => Finding::ok("disk", finding),
    }
}

/// Whether a database was restored to the end and, of the one that says so, when the last backup was verified.
pub fn backup(database: &str, note: Option<&Note>, now: DateTime<Utc>) -> Option<Finding> {
    match note {
        Some(Note::Restoring(backup)) => {
            let finding = format!("{database}: a restore did not finish ({backup})");
            let remedy = "run the same 'remembrancer restore' again, which continues it, or drop the databases that it made";
            Some(Finding::error("backup", finding, remedy))
        }
        Some(Note::Verified(taken_at)) => {
            let finding = format!("the last verified backup was made {}", ago(*taken_at, now));
            let remedy = "run 'remembrancer backup DIR --verify', and look at the timer that should do it";
            Some(if now - *taken_at > BACKUP { Finding::warning("backup", finding, remedy) } else { Finding::ok("backup", finding) })
        }
        None if database == "internal_shared" => {
            Some(Finding::ok("backup", "these databases know of no backup that was made with 'remembrancer backup DIR --verify'"))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn a_restore_that_did_not_finish_is_an_error_and_an_old_backup_a_warning() {
        let now: DateTime<Utc> = "2026-11-28T09:00:00Z".parse().unwrap();
        let verified = |age: TimeDelta| Note::Verified(now - age);
        let found = |database, note: Option<&Note>| backup(database, note, now).map(|finding| (finding.level, finding.finding));
        let (level, words) = found("shared_kb", Some(&Note::Restoring("monday".into()))).unwrap();
        assert!(level == Level::Error && words.contains("shared_kb: a restore did not finish (monday)"), "{words}");
        for (note, level, words) in [
            (Some(verified(TimeDelta::hours(6))), Level::Ok, "made 6 hours ago"),
            (Some(verified(TimeDelta::days(9))), Level::Warning, "made 9 days ago"),
            (None, Level::Ok, "no backup"),
        ] {
            let finding = found("internal_shared", note.as_ref()).unwrap();
            assert!(finding.0 == level && finding.1.contains(words), "{finding:?}");
        }
        assert_eq!(found("shared_kb", None), None);
    }
}

//! What is wrong with a database that answers and still cannot work. Requests are answered 503 with this reason, and no job pays for it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Why a database that answers cannot work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illness {
    #[error("the disk of the database is full")]
    DiskFull,
    #[error("the database is out of memory")]
    OutOfMemory,
    #[error("the database has no free connection")]
    TooManyConnections,
    #[error("the database has reached a limit of its configuration")]
    Limit,
    #[error("the database is starting, stopping or recovering")]
    Starting,
    #[error("the database is read-only")]
    ReadOnly,
    #[error("the disk of the database fails")]
    DiskFails,
}

impl Illness {
    /// When a caller should try again.
    pub const PAUSE: Duration = Duration::from_secs(30);

    /// The illness that an SQLSTATE tells of: class 53 and some of its neighbours.
    pub fn of(sqlstate: &str) -> Option<Self> {
        match sqlstate {
            "53100" => Some(Self::DiskFull),
            "53200" => Some(Self::OutOfMemory),
            "53300" => Some(Self::TooManyConnections),
            "57P03" => Some(Self::Starting),
            "25006" => Some(Self::ReadOnly),
            "58030" => Some(Self::DiskFails),
            code if code.starts_with("53") => Some(Self::Limit),
            _ => None,
        }
    }

    /// The illness that an error tells of.
    pub(super) fn in_error(error: &sqlx::Error) -> Option<Self> {
        Self::of(&error.as_database_error()?.code()?)
    }

    /// What an administrator can do.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::DiskFull => "free space on the disk of Postgres",
            Self::OutOfMemory => "give Postgres more memory, or raise max_locks_per_transaction if its log names shared memory",
            Self::TooManyConnections => "raise max_connections of Postgres: each server needs up to 63 connections",
            Self::Limit => "raise the limit that the log of Postgres names",
            Self::Starting => "wait, or read the log of Postgres",
            Self::ReadOnly => "connect to the primary server, or set default_transaction_read_only = off",
            Self::DiskFails => "read the log of Postgres, and check its disk",
        }
    }
}

/// The last illness of one database.
#[derive(Debug, Default)]
pub struct Health(Mutex<Option<(Instant, Illness)>>);

impl Health {
    /// Notes what an error tells of.
    pub fn note(&self, error: &sqlx::Error) {
        if let Some(illness) = Illness::in_error(error) {
            self.set(illness);
        }
    }

    /// Notes an illness.
    pub fn set(&self, illness: Illness) {
        // A Postgres that a full disk stops is started again and again: the disk is the reason.
        if illness != Illness::Starting || self.illness() != Some(Illness::DiskFull) {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), illness));
        }
    }

    /// The illness of the last half minute. A read cannot tell whether writes work again, so the database counts as ill until then.
    pub fn illness(&self) -> Option<Illness> {
        self.at(Instant::now())
    }

    fn at(&self, now: Instant) -> Option<Illness> {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.filter(|(at, _)| now.saturating_duration_since(*at) < Illness::PAUSE).map(|(_, illness)| illness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_of_missing_resources_is_an_illness_and_a_wrong_statement_is_none() {
        assert_eq!(Illness::of("53100"), Some(Illness::DiskFull));
        assert_eq!(Illness::of("53400"), Some(Illness::Limit));
        assert_eq!(Illness::of("57P03"), Some(Illness::Starting));
        assert_eq!(Illness::of("42601"), None);
        assert_eq!(Illness::of("57014"), None);
    }

    #[test]
    fn a_database_is_well_half_a_minute_after_it_was_last_ill() {
        let start = Instant::now();
        let health = Health(Mutex::new(Some((start, Illness::DiskFull))));
        assert_eq!(health.at(start + Duration::from_secs(29)), Some(Illness::DiskFull));
        assert_eq!(health.at(start + Illness::PAUSE), None);
    }

    #[test]
    fn a_full_disk_stays_the_reason_while_postgres_starts_again_and_again() {
        let health = Health::default();
        for (noted, known) in [
            (Illness::Starting, Illness::Starting),
            (Illness::DiskFull, Illness::DiskFull),
            (Illness::Starting, Illness::DiskFull),
            (Illness::ReadOnly, Illness::ReadOnly),
        ] {
            health.set(noted);
            assert_eq!(health.illness(), Some(known), "{noted:?}");
        }
    }
}

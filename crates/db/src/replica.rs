//! The replica of a database. A transaction opens on it only if it has all that the primary had some seconds before; otherwise, and while
//! the replica does not work, the caller reads from the primary.

use super::{Database, DbError, Patience, Planned, SNAPSHOT, SystemPool, Tenancy, Tx};
use sqlx::Row;
use sqlx::postgres::PgRow;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How long a replica that failed is passed over.
const PAUSE: Duration = Duration::from_secs(30);
/// How long a replica may lag behind before that is logged. A moment is usual, and every read has another answer meanwhile.
const LAG: Duration = Duration::from_secs(60);
/// How long nothing more is logged about a replica.
const QUIET: Duration = Duration::from_secs(300);

/// The numbers of this cluster and of this database, which are the same on a replica.
macro_rules! identity {
    () => {
        "(select concat(system_identifier, '/', (select oid from pg_database where datname = current_database())) from pg_control_system())"
    };
}

/// A position in the log of a primary, and what is the same on its replicas. Digits and signs, as Postgres writes them.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Mark {
    position: String,
    identity: String,
}

impl Mark {
    /// Where the primary is. Positions that are not yet written count: a commit may return before its record is.
    async fn of(primary: &SystemPool) -> Result<Self, DbError> {
        let now = concat!("select pg_current_wal_insert_lsn()::text as position, ", identity!(), " as identity");
        Ok(sqlx::query_as(now).fetch_one(primary).await?)
    }

    /// Whether a replica has the log up to here. In a transaction of its own, because that of the caller sees what was there at its first
    /// statement: the answer must be older than that.
    pub fn question(&self) -> String {
        let (Self { position, identity }, own) = (self, identity!());
        format!(
            "begin; select case when not pg_is_in_recovery() then 'primary' when {own} <> '{identity}' then 'other' \
                                when pg_last_wal_replay_lsn() >= '{position}'::pg_lsn then 'ready' else 'behind' end as state; commit"
        )
    }
}

/// Why nothing is read from a replica that answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unready {
    #[error("it is no replica but a primary")]
    Primary,
    #[error("it is a replica of another database than the primary's")]
    Other,
    #[error("it lags behind the primary")]
    Behind,
}

impl Unready {
    /// What the answer to [`Mark::question`] says.
    pub fn in_answer(row: &PgRow) -> Option<Self> {
        match row.try_get::<String, _>("state").as_deref() {
            Ok("ready") => None,
            Ok("primary") => Some(Self::Primary),
            Ok("other") => Some(Self::Other),
            _ => Some(Self::Behind),
        }
    }
}

/// What is known to be wrong.
#[derive(Debug, Default)]
struct Trouble {
    /// Until when it is passed over.
    until: Option<Instant>,
    /// Since when it lags behind.
    behind: Option<Instant>,
    logged: Option<Instant>,
}

/// The replica of one database.
#[derive(Debug)]
pub(super) struct Replica {
    database: Database,
    name: &'static str,
    /// How old what is read may be.
    age: Duration,
    /// How long a caller waits for it.
    wait: Duration,
    /// Where the primary was, and when it was asked.
    mark: tokio::sync::Mutex<Option<(Instant, Mark)>>,
    trouble: Mutex<Trouble>,
}

impl Replica {
    pub fn new(database: Database, name: &'static str, patience: Patience) -> Self {
        Self {
            database,
            name,
            age: patience.replica,
            wait: patience.lookup,
            mark: tokio::sync::Mutex::default(),
            trouble: Mutex::default(),
        }
    }

    /// What a read must have in it: where the primary was when it was asked, which is not longer ago than what is read may be old.
    async fn mark(&self, primary: &SystemPool) -> Result<Mark, DbError> {
        let mut last = self.mark.lock().await;
        if let Some((at, mark)) = &*last
            && at.elapsed() < self.age
        {
            return Ok(mark.clone());
        }
        let at = Instant::now();
        let mark = Mark::of(primary).await?;
        *last = Some((at, mark.clone()));
        Ok(mark)
    }

    /// Opens a transaction, if the replica has the log up to a mark.
    async fn begin(&self, mark: Mark, tenancy: Tenancy, planned: Planned) -> Result<Tx, DbError> {
        let opening = self.database.opening(SNAPSHOT, planned, tenancy).after(mark);
        let opened = timeout(self.wait, self.database.open(opening)).await;
        opened.unwrap_or(Err(DbError::Unavailable(sqlx::Error::PoolTimedOut)))
    }

    fn is_passed_over(&self) -> bool {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.until.is_some_and(|until| Instant::now() < until)
    }

    fn works(&self) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        (trouble.until, trouble.behind) = (None, None);
    }

    /// Notes that it cannot be read, and logs that once in a while.
    fn fails(&self, error: &DbError) {
        let (now, is_behind) = (Instant::now(), unready(error) == Some(Unready::Behind));
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        let behind = *trouble.behind.get_or_insert(now);
        if !is_behind {
            trouble.until = Some(now + PAUSE);
        }
        let is_old = !is_behind || now.duration_since(behind) > LAG;
        if is_old && trouble.logged.is_none_or(|logged| now.duration_since(logged) > QUIET) {
            trouble.logged = Some(now);
            tracing::warn!(database = self.name, reason = %reason(error), "the replica is not read; the primary answers in its place");
        }
    }

    pub async fn close(&self) {
        self.database.app.close().await;
    }
}

/// What a replica that answered said.
fn unready(error: &DbError) -> Option<Unready> {
    match error {
        DbError::Driver(sqlx::Error::Configuration(cause)) => cause.downcast_ref::<Unready>().copied(),
        _ => None,
    }
}

/// Why a replica is not read, for people.
fn reason(error: &DbError) -> String {
    match (unready(error), error) {
        (Some(unready), _) => unready.to_string(),
        (None, DbError::Unavailable(sqlx::Error::PoolTimedOut)) => "it does not answer".into(),
        (None, error) => error.to_string(),
    }
}

impl Database {
    /// Opens a transaction that reads one snapshot of one tenancy on the replica: it has all that was committed some seconds before. None if
    /// there is no replica, if it lags further behind or does not work, and where tables are distributed: their rows have other replicas.
    pub async fn begin_on_replica(&self, tenancy: Tenancy, planned: Planned) -> Option<Tx> {
        let replica = self.replica.as_ref().filter(|replica| !replica.is_passed_over() && !self.system.is_distributed())?;
        // Without the primary nothing can be read at all, which the caller finds out.
        let mark = replica.mark(&self.system).await.ok()?;
        let opened = replica.begin(mark, tenancy, planned).await;
        match &opened {
            Ok(_) => replica.works(),
            Err(error) => replica.fails(error),
        }
        opened.ok()
    }

    /// Whether an error of a transaction on the replica may be the replica's alone: it is out of reach, or it cancelled a statement that
    /// stood in the way of a change. The replica is passed over for some seconds then.
    pub fn blames_replica(&self, error: &DbError) -> bool {
        let is_its_own = match error {
            DbError::Deadlock(_) => true,
            DbError::Driver(sqlx::Error::Database(cause)) => cause.code().as_deref() == Some("40001"),
            error => error.is_away(),
        };
        if let Some(replica) = self.replica.as_ref().filter(|_| is_its_own) {
            replica.fails(error);
        }
        is_its_own
    }
}

/// What a replica is like, for `remembrancer doctor`.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct ReplicaFacts {
    /// Whether it lets the primary keep what its queries still read.
    pub has_feedback: bool,
    /// Bytes of the log that it has not replayed.
    pub bytes_behind: i64,
}

impl Database {
    /// Looks at the replica, if there is one; or why nothing could be read from it, even if it did not lag behind.
    pub(super) async fn look_at_replica(&self) -> Option<Result<ReplicaFacts, String>> {
        let replica = self.replica.as_ref()?;
        let look = async {
            let mark = Mark::of(&self.system).await?;
            // The position that every replica has.
            let anywhere = Mark { position: "0/0".into(), ..mark.clone() };
            let mut tx = replica.begin(anywhere, Tenancy::nobody(), Planned::ByPostgres).await?;
            let facts: ReplicaFacts = sqlx::query_as(
                r"select current_setting('hot_standby_feedback')::bool as has_feedback,
                         greatest(pg_wal_lsn_diff($1::pg_lsn, pg_last_wal_replay_lsn()), 0)::bigint as bytes_behind",
            )
            .bind(&mark.position)
            .fetch_one(&mut *tx)
            .await?;
            tx.rollback().await?;
            Ok::<_, DbError>(facts)
        };
        Some(look.await.map_err(|error| reason(&error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_says_what_a_replica_that_answered_said() {
        let behind = DbError::from(sqlx::Error::Configuration(Box::new(Unready::Behind)));
        assert_eq!(unready(&behind), Some(Unready::Behind));
        assert_eq!(reason(&behind), "it lags behind the primary");
        let silent = DbError::Unavailable(sqlx::Error::PoolTimedOut);
        assert_eq!((unready(&silent), reason(&silent)), (None, "it does not answer".into()));
    }

    #[test]
    fn the_question_ends_its_transaction_before_that_of_the_caller_begins() {
        let question = Mark { position: "0/3000148".into(), identity: "7/5".into() }.question();
        assert!(question.starts_with("begin; select ") && question.ends_with("; commit") && question.contains("'0/3000148'"), "{question}");
    }
}

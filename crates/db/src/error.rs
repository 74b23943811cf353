//! What went wrong in a database.

use super::illness::Illness;
use super::proof::Refusal;

/// What went wrong in a database, in the categories that callers distinguish.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    #[error("no such row")]
    NotFound,
    #[error("{constraint} already holds this value")]
    Unique { constraint: String },
    #[error("{constraint} refers to a row that is not there")]
    ForeignKey { constraint: String },
    #[error("{constraint} does not admit this value")]
    Check { constraint: String },
    #[error("no connection became free in time")]
    Exhausted,
    #[error("a statement took too long and was cancelled")]
    Cancelled,
    /// Nothing of the transaction is stored; the same request may succeed at once.
    #[error("two transactions waited for each other, and this one was undone: {0}")]
    Deadlock(sqlx::Error),
    #[error("the database cannot be reached: {0}")]
    Unavailable(sqlx::Error),
    /// It answers and cannot work.
    #[error("{illness} ({detail}): {}", illness.remedy())]
    Ill { illness: Illness, detail: String },
    /// A connection did not prove that it works in the role of the server.
    #[error(transparent)]
    Refused(Refusal),
    /// A row holds what the code cannot read: named, so that it can be found.
    #[error("{table}.{column} of row {row} cannot be read: {reason}")]
    Inconsistent { table: &'static str, column: &'static str, row: String, reason: String },
    #[error(transparent)]
    Driver(sqlx::Error),
}

impl DbError {
    /// An illness that was noted before.
    pub(super) fn ill(illness: Illness) -> Self {
        Self::Ill { illness, detail: "noted within the last half minute".into() }
    }

    /// Whether the database says nothing about what it was asked: it is out of reach, busy, ill, or refused.
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Exhausted | Self::Unavailable(_) | Self::Ill { .. } | Self::Refused(_))
    }

    /// Whether the same values would fail again in any later attempt.
    pub fn is_lasting(&self) -> bool {
        match self {
            Self::Unique { .. } | Self::ForeignKey { .. } | Self::Check { .. } | Self::Inconsistent { .. } => true,
            // Class 22 is a value that its type does not admit, 54 one that is too large.
            Self::Driver(sqlx::Error::Database(error)) => error.code().is_some_and(|code| code.starts_with("22") || code.starts_with("54")),
            _ => false,
        }
    }
}

impl From<sqlx::Error> for DbError {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::error::ErrorKind;
        match &error {
            sqlx::Error::RowNotFound => return Self::NotFound,
            sqlx::Error::PoolTimedOut => return Self::Exhausted,
            sqlx::Error::Configuration(cause) => {
                if let Some(refusal) = cause.downcast_ref::<Refusal>() {
                    return Self::Refused(refusal.clone());
                }
                if let Some(illness) = cause.downcast_ref::<Illness>() {
                    return Self::ill(*illness);
                }
            }
            sqlx::Error::Io(_) | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed | sqlx::Error::Tls(_) => {
                return Self::Unavailable(error);
            }
            sqlx::Error::Database(database) => {
                let constraint = || database.constraint().unwrap_or_default().to_owned();
                match database.kind() {
                    ErrorKind::UniqueViolation => return Self::Unique { constraint: constraint() },
                    ErrorKind::ForeignKeyViolation => return Self::ForeignKey { constraint: constraint() },
                    ErrorKind::CheckViolation => return Self::Check { constraint: constraint() },
                    _ => {}
                }
                let code = database.code().unwrap_or_default();
                if let Some(illness) = Illness::of(&code) {
                    return Self::Ill { illness, detail: database.message().to_owned() };
                }
                // 57014 is a statement that was cancelled, as its timeout does.
                if code == "57014" {
                    metrics::counter!("remembrancer_statements_cancelled_total").increment(1);
                    return Self::Cancelled;
                }
                if code == "40P01" {
                    return Self::Deadlock(error);
                }
                // Class 08 is a lost connection, 57P a server that stops, 25P03 a transaction that was idle for too long.
                if code.starts_with("08") || code.starts_with("57P") || code == "25P03" {
                    return Self::Unavailable(error);
                }
            }
            _ => {}
        }
        Self::Driver(error)
    }
}

//! What a database says about its backups. It is a comment on the database: no dump has it, and it goes with the database.

use crate::migrate::connect;
use chrono::{DateTime, SecondsFormat, Utc};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection};
use std::str::FromStr;

const RESTORING: &str = "remembrancer: restoring ";
const VERIFIED: &str = "remembrancer: verified the backup of ";

/// What a database says about its backups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The restore of this backup began and did not finish.
    Restoring(String),
    /// The moment of the last backup that was restored into temporary databases to try it.
    Verified(DateTime<Utc>),
}

impl Note {
    fn parse(comment: &str) -> Option<Self> {
        if let Some(backup) = comment.strip_prefix(RESTORING) {
            return Some(Self::Restoring(backup.to_owned()));
        }
        let moment = DateTime::parse_from_rfc3339(comment.strip_prefix(VERIFIED)?).ok()?;
        Some(Self::Verified(moment.to_utc()))
    }

    fn text(&self) -> String {
        match self {
            Self::Restoring(backup) => format!("{RESTORING}{backup}"),
            Self::Verified(moment) => format!("{VERIFIED}{}", moment.to_rfc3339_opts(SecondsFormat::Secs, true)),
        }
    }
}

/// What the database of a connection says. A comment that somebody else wrote says nothing.
pub(crate) async fn read(connection: &mut PgConnection) -> Result<Option<Note>, sqlx::Error> {
    let comment: Option<String> =
        sqlx::query_scalar("select shobj_description(oid, 'pg_database') from pg_database where datname = current_database()")
            .fetch_one(connection)
            .await?;
    Ok(comment.as_deref().and_then(Note::parse))
}

/// Lets a database say something else, or nothing.
pub(super) async fn write(url: &str, note: Option<&Note>) -> Result<(), sqlx::Error> {
    let mut connection = connect(&PgConnectOptions::from_str(url)?).await?;
    let statement: String = sqlx::query_scalar("select format('comment on database %I is %L', current_database(), $1::text)")
        .bind(note.map(Note::text))
        .fetch_one(&mut connection)
        .await?;
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await?;
    connection.close().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_as_it_was_written_and_other_comments_are_none() {
        let moment = "2026-11-28T03:15:00Z".parse().unwrap();
        for note in [Note::Restoring("shared_kb from the backup of 2026-11-28T03:15:00Z".into()), Note::Verified(moment)] {
            assert_eq!(Note::parse(&note.text()), Some(note));
        }
        for comment in ["", "Vera's database", "remembrancer: verified the backup of monday"] {
            assert_eq!(Note::parse(comment), None, "{comment}");
        }
    }
}

//! Rewriting tables, so that no file of theirs keeps the bytes of rows that were removed.

use super::DatabaseUrls;
use super::columns::{Erasure, Holds, TABLES};
use super::migrate::{MigrateError, each};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use std::str::FromStr;

/// Rewrites every table that holds words, names or rows of users, with its indexes, and the planner's statistics of them, which quote values. The owner
/// does it, because it locks each table while it is rewritten. `progress` receives the name of each table.
///
/// Dropped files are emptied at the next checkpoint, so one is requested. An owner that may not request it leaves that to the server, which
/// makes one within `checkpoint_timeout`.
///
/// # Errors
/// When a database is out of reach, or the user may not do it.
pub async fn rewrite(urls: &DatabaseUrls, progress: &(dyn Fn(&str) + Send + Sync)) -> Result<(), MigrateError> {
    for (database, url, _) in each(urls) {
        let mut connection = PgConnectOptions::from_str(url)?.options([("statement_timeout", "0")]).connect().await?;
        let tables = TABLES.iter().filter(|table| {
            let of_people = table.columns.iter().any(|(_, holds, _)| matches!(holds, Holds::Words | Holds::Name));
            table.database == database && (of_people || !matches!(table.erasure, Erasure::Keep(_)))
        });
        for name in tables.map(|table| table.name).chain(["pg_catalog.pg_statistic"]) {
            progress(&format!("{database}.{name}"));
            // The names are those of the list: constants.
            let statement = format!("vacuum (full{}) {name}", if name.contains('.') { "" } else { ", analyze" });
            sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await?;
        }
        // 42501: only some may request a checkpoint.
        match sqlx::raw_sql("checkpoint").execute(&mut connection).await {
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("42501") => {
                tracing::info!(database, "the next checkpoint of the server empties the files of the old tables");
            }
            done => {
                done?;
            }
        }
        connection.close().await?;
    }
    Ok(())
}

//! Rewriting tables, so that no file of theirs keeps the bytes of rows that were removed.

use super::DatabaseUrls;
use super::columns::{Erasure, Holds, TABLES};
use super::distributed;
use super::migrate::{MigrateError, each};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use std::str::FromStr;
use std::time::Duration;

/// How long transactions that are open at the start may go on.
const OPEN_MAX: Duration = Duration::from_secs(300);
/// How often they are looked for.
const LOOK: Duration = Duration::from_millis(100);

/// Rewrites every table that holds words, names or rows of users, with its indexes, and the planner's statistics of them, which quote values. The owner
/// does it, because it locks each table while it is rewritten. `progress` receives what it is doing: the table that it rewrites, or what it
/// waits for.
///
/// Dropped files are emptied at the next checkpoint, so one is requested. An owner that may not request it leaves that to the server, which
/// makes one within `checkpoint_timeout`.
///
/// # Errors
/// When a database is out of reach, the user may not do it, or a transaction stays open for more than five minutes.
pub async fn rewrite(urls: &DatabaseUrls, progress: &(dyn Fn(&str) + Send + Sync)) -> Result<(), MigrateError> {
    for (database, url, _) in each(urls) {
        let mut connection = PgConnectOptions::from_str(url)?.options([("statement_timeout", "0")]).connect().await?;
        outlast(&mut connection, database, progress).await?;
        let tables = TABLES.iter().filter(|table| {
            let of_people = table.columns.iter().any(|(_, holds, _)| matches!(holds, Holds::Words | Holds::Name));
            table.database == database && (of_people || !matches!(table.erasure, Erasure::Keep(_)))
        });
        for name in tables.map(|table| table.name).chain(["pg_catalog.pg_statistic"]) {
            progress(&format!("rewriting {database}.{name}"));
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
        if distributed::state(&mut connection).await? == distributed::DONE {
            progress(&format!("rewriting statistics of {database} on the workers"));
            distributed::rewrite_statistics(&mut connection).await?;
        }
        connection.close().await?;
    }
    Ok(())
}

/// Waits until nobody can see the removed rows any more: `vacuum full` would copy them for a transaction that is older than their removal. One
/// that began meanwhile can hold the same rows back, so it waits a second time.
async fn outlast(connection: &mut PgConnection, database: &str, progress: &(dyn Fn(&str) + Send + Sync)) -> Result<(), MigrateError> {
    for _ in 0..2 {
        let (mut open, mut looks) = (transactions(connection).await?, 0);
        if !open.is_empty() {
            progress(&format!("waiting for transactions in {database} that began earlier"));
        }
        while !open.is_empty() {
            if LOOK * looks > OPEN_MAX {
                let pids: Vec<String> = open.iter().map(|(_, pid)| pid.to_string()).collect();
                return Err(MigrateError::Unusable(format!(
                    "In {database} a transaction has been open for more than five minutes, so removed rows must be kept for it. End it \
                     (Postgres' process {}), then run this again.",
                    pids.join(", ")
                )));
            }
            tokio::time::sleep(LOOK).await;
            looks += 1;
            let now = transactions(connection).await?;
            open.retain(|one| now.contains(one));
        }
    }
    Ok(())
}

/// The open transactions of others in this database, each with its process. A vacuum keeps no row from being removed.
async fn transactions(connection: &mut PgConnection) -> Result<Vec<(String, i32)>, sqlx::Error> {
    let open = "select held.virtualtransaction, held.pid from pg_locks held join pg_stat_activity activity using (pid) \
        where held.locktype = 'virtualxid' and held.virtualxid = held.virtualtransaction and activity.datname = current_database() \
        and held.pid <> pg_backend_pid() and held.pid not in (select pid from pg_stat_progress_vacuum)";
    sqlx::query_as(open).fetch_all(connection).await
}

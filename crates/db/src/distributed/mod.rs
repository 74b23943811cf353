//! Databases whose tables are distributed over the nodes of a cluster of Citus, by tenant: all rows of a tenant are on one node, so a
//! statement that names its tenant is one task there. The control database stays on one Postgres.

mod checks;
mod facts;
mod moving;
mod nodes;
mod steps;

pub(super) use facts::cluster;
pub use facts::{Cluster, NodeFacts};
pub use moving::move_tenant;
pub use nodes::{Node, join};
pub(super) use nodes::{prepare, rewrite_statistics};
pub(super) use steps::migrator;

use super::DatabaseUrls;
use super::migrate::{MigrateError, connect};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use std::str::FromStr;

/// Receives what is being done.
pub type Progress<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// What a database says about its distribution: the text of a function, which `distribute` writes. An expression of SQL.
pub(super) const DISTRIBUTED: &str =
    "coalesce((select p.prosrc from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proname = 'distribution'), '')";
/// Some tables are distributed: no server works with them.
pub(super) const BEGUN: &str = "select 'begun'";
/// All tables are distributed.
pub(super) const DONE: &str = "select 'done'";

/// Serialises changes of a distributed database: the lock of the migrations ends before their tables are distributed.
const LOCK: i64 = 0x0072_6d62_0002;

/// The parts of each table that are spread over the nodes, unless somebody chooses another number: up to that many nodes can share the work.
pub const SHARDS: u16 = 32;

/// A database of tenants.
pub(super) struct Part {
    pub name: &'static str,
    /// The table with which the others lie together.
    pub anchor: &'static str,
    /// What it has besides its tables, for statements that no node could run alone.
    settled: &'static str,
}

pub(super) static PARTS: [Part; 2] = [
    Part { name: "agent_memory", anchor: "agent_memories", settled: include_str!("../../../../migrations/distributed/agent_memory.sql") },
    Part { name: "shared_kb", anchor: "vocabularies", settled: include_str!("../../../../migrations/distributed/shared_kb.sql") },
];

/// The databases that are distributed, with their URLs.
pub(super) fn each(urls: &DatabaseUrls) -> [(&'static Part, &str); 2] {
    let [memory, kb] = &PARTS;
    [(memory, &urls.agent_memory), (kb, &urls.shared_kb)]
}

/// A connection of the owner whose statements take as long as they need.
async fn owner(url: &str) -> Result<PgConnection, sqlx::Error> {
    PgConnectOptions::from_str(url)?.options([("statement_timeout", "0")]).connect().await
}

/// Checks that both databases of tenants can be distributed, or are. It changes nothing.
///
/// # Errors
/// A sentence that says what to do.
pub async fn require_distributable(urls: &DatabaseUrls) -> Result<(), MigrateError> {
    for (part, url) in each(urls) {
        checks::require(part, url).await.map_err(|error| error.of(part.name, url))?;
    }
    Ok(())
}

/// Refuses databases whose tables are distributed, for what only one Postgres can do.
///
/// # Errors
/// A sentence that says what to do instead, and when a database is out of reach.
pub async fn refuse_distributed(urls: &DatabaseUrls, instead: &str) -> Result<(), MigrateError> {
    for (part, url) in each(urls) {
        let written = async {
            let mut connection = connect(&PgConnectOptions::from_str(url)?).await?;
            let written = state(&mut connection).await?;
            connection.close().await?;
            Ok::<_, MigrateError>(written)
        };
        if !written.await.map_err(|error| error.of(part.name, url))?.is_empty() {
            return Err(MigrateError::Unusable(format!("The tables of {} are distributed over several nodes: {instead}", part.name)));
        }
    }
    Ok(())
}

/// Distributes the tables of migrated databases, each into `shards` parts. Each table is a step of its own: whoever is interrupted goes on
/// where it ended. No server may be at work meanwhile; none starts before it is done.
///
/// # Errors
/// As [`require_distributable`], and when a table cannot be distributed.
pub async fn distribute(urls: &DatabaseUrls, shards: u16, progress: Progress<'_>) -> Result<(), MigrateError> {
    require_distributable(urls).await?;
    // Both before the first: a server that starts meanwhile waits for both.
    let mut begun = Vec::new();
    for (part, url) in each(urls) {
        begun.push((part, url, begin(url).await.map_err(|error| error.of(part.name, url))?));
    }
    for (part, url, connection) in begun {
        distribute_one(part, connection, shards, progress).await.map_err(|error| error.of(part.name, url))?;
    }
    Ok(())
}

/// Keeps others out of a database, and marks it.
async fn begin(url: &str) -> Result<PgConnection, MigrateError> {
    let mut connection = owner(url).await?;
    lock(&mut connection).await?;
    nodes::prepare(&mut connection).await?;
    if state(&mut connection).await? != DONE {
        mark(&mut connection, BEGUN).await?;
    }
    Ok(connection)
}

async fn distribute_one(
    part: &'static Part,
    mut connection: PgConnection,
    shards: u16,
    progress: Progress<'_>,
) -> Result<(), MigrateError> {
    settle(&mut connection, part, shards, progress).await?;
    empty_locals(&mut connection, progress, part).await?;
    mark(&mut connection, DONE).await?;
    progress(&format!("{} is distributed", part.name));
    Ok(connection.close().await?)
}

/// What a database says about its distribution: [`BEGUN`], [`DONE`] or nothing.
pub(super) async fn state(connection: &mut PgConnection) -> Result<String, sqlx::Error> {
    sqlx::query_scalar(AssertSqlSafe(format!("select {DISTRIBUTED}"))).fetch_one(connection).await
}

async fn lock(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query("select pg_advisory_lock($1)").bind(LOCK).execute(connection).await.map(drop)
}

/// Waits until nobody else changes a distributed database, and keeps others out for as long as the connection is open. Whoever migrates the
/// database at the same moment then finds its new tables distributed.
pub(super) async fn hold(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    if state(connection).await?.is_empty() { Ok(()) } else { lock(connection).await }
}

/// Whether a distributed database has tables of tenants that are not: its migrations ended, and what follows them did not.
pub(super) async fn is_behind(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    Ok(state(connection).await? == DONE && !local_tables(connection).await?.is_empty())
}

/// After migrations: distributes tables that are new in a distributed database, and gives it what it has besides tables.
pub(super) async fn follow(url: &str, database: &str) -> Result<(), MigrateError> {
    let Some(part) = PARTS.iter().find(|part| part.name == database) else { return Ok(()) };
    let mut connection = connect(&PgConnectOptions::from_str(url)?).await?;
    if state(&mut connection).await? == DONE {
        nodes::prepare(&mut connection).await?;
        settle(&mut connection, part, SHARDS, &|step: &str| tracing::info!("{step}")).await?;
    }
    Ok(connection.close().await?)
}

async fn mark(connection: &mut PgConnection, state: &str) -> Result<(), sqlx::Error> {
    let mark = format!("create or replace function distribution() returns text language sql immutable as $${state}$$");
    sqlx::raw_sql(AssertSqlSafe(mark)).execute(connection).await.map(drop)
}

async fn settle(connection: &mut PgConnection, part: &Part, shards: u16, progress: Progress<'_>) -> Result<(), MigrateError> {
    while let Some(table) = next_table(connection, part.anchor).await? {
        progress(&format!("distributing {}.{table}", part.name));
        let is_first = table == part.anchor;
        sqlx::query("select create_distributed_table($1::text::regclass, 'tenant_id', colocate_with => $2, shard_count => $3)")
            .bind(&table)
            .bind(if is_first { "none" } else { part.anchor })
            .bind(is_first.then_some(i32::from(shards)))
            .execute(&mut *connection)
            .await?;
    }
    let left = local_tables(connection).await?;
    if !left.is_empty() {
        return Err(MigrateError::Unusable(format!(
            "In {} these tables could not be distributed, because they refer to tables that are not: {}. Remove what does not belong to \
             Remembrancer, then run 'remembrancer distribute' again.",
            part.name,
            left.join(", ")
        )));
    }
    let mut tx = connection.begin().await?;
    for statement in steps::split(part.settled) {
        sqlx::raw_sql(statement).execute(&mut *tx).await?;
    }
    Ok(tx.commit().await?)
}

/// Tables of tenants on the coordinator alone: an expression of SQL after `from`.
macro_rules! local {
    () => {
        " from pg_class c
         where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
           and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)
           and not exists (select from pg_dist_partition p where p.logicalrelid = c.oid)"
    };
}

/// The next table to distribute: `anchor` first, and each after those that its rows refer to.
async fn next_table(connection: &mut PgConnection, anchor: &str) -> Result<Option<String>, sqlx::Error> {
    let next = concat!(
        "select c.relname::text",
        local!(),
        " and not exists (select from pg_constraint k
                           where k.contype = 'f' and k.conrelid = c.oid and k.confrelid <> c.oid
                             and not exists (select from pg_dist_partition p where p.logicalrelid = k.confrelid))
          order by c.relname <> $1, c.relname limit 1"
    );
    sqlx::query_scalar(next).bind(anchor).fetch_optional(connection).await
}

async fn local_tables(connection: &mut PgConnection) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar(concat!("select c.relname::text", local!(), " order by 1")).fetch_all(connection).await
}

/// Empties what is left on the coordinator of tables that had rows before: copies, which nobody reads.
async fn empty_locals(connection: &mut PgConnection, progress: Progress<'_>, part: &Part) -> Result<(), sqlx::Error> {
    let left = "select p.logicalrelid::text from pg_dist_partition p where pg_relation_size(p.logicalrelid) > 0 order by 1";
    let tables: Vec<String> = sqlx::query_scalar(left).fetch_all(&mut *connection).await?;
    for table in tables {
        progress(&format!("emptying the former {}.{table} on the coordinator", part.name));
        sqlx::query("select truncate_local_data_after_distributing_table($1::text::regclass)")
            .bind(&table)
            .execute(&mut *connection)
            .await?;
    }
    sqlx::raw_sql("analyze").execute(connection).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_database_says_about_its_distribution_is_one_of_two_texts() {
        assert!(BEGUN != DONE && !BEGUN.contains('$') && !DONE.contains('$'));
    }

    #[test]
    fn a_distributed_database_gets_its_functions() {
        for part in &PARTS {
            assert!(part.settled.contains("create_distributed_function"), "{}", part.name);
        }
    }
}

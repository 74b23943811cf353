//! What a cluster looks like, for `remembrancer doctor`.

use super::{BEGUN, DONE, state};
use sqlx::postgres::PgConnection;

/// A database on a cluster of Citus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    pub version: String,
    /// Whether all tables of tenants are distributed.
    pub is_distributed: bool,
    /// Whether somebody began to distribute them and did not finish.
    pub is_begun: bool,
    /// Tables of tenants that are on the coordinator alone.
    pub local: Vec<String>,
    pub nodes: Vec<NodeFacts>,
    /// Statements since the counters were reset that ran on one shard, and those that ran on several; absent if they are not counted.
    pub statements: Option<(i64, i64)>,
}

/// A worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct NodeFacts {
    /// Host and port.
    pub node: String,
    pub is_active: bool,
    /// Parts of the table with which the others lie together.
    pub shards: i64,
    /// Of them, those that hold one tenant alone.
    pub alone: i64,
    /// Of all tables; absent if the node does not answer.
    pub bytes: Option<i64>,
}

/// The cluster of a database; nothing if it has no Citus.
pub async fn cluster(connection: &mut PgConnection, database: &str) -> Result<Option<Cluster>, sqlx::Error> {
    let version: Option<String> =
        sqlx::query_scalar("select extversion from pg_extension where extname = 'citus'").fetch_optional(&mut *connection).await?;
    let (Some(version), Some(part)) = (version, super::PARTS.iter().find(|part| part.name == database)) else { return Ok(None) };
    let written = state(connection).await?;
    let (is_distributed, is_begun) = (written == DONE, written == BEGUN);
    let mut cluster = Cluster { version, is_distributed, is_begun, ..Cluster::default() };
    if !is_distributed && !is_begun {
        return Ok(Some(cluster));
    }
    cluster.local = super::local_tables(connection).await?;
    cluster.nodes = nodes(connection, part.anchor).await?;
    cluster.statements = statements(connection).await?;
    Ok(Some(cluster))
}

async fn nodes(connection: &mut PgConnection, anchor: &str) -> Result<Vec<NodeFacts>, sqlx::Error> {
    let mut nodes: Vec<NodeFacts> = sqlx::query_as(
        r"select n.nodename || ':' || n.nodeport as node, n.isactive as is_active, count(s.shardid) as shards,
                 count(s.shardid) filter (where s.shardminvalue = s.shardmaxvalue) as alone, null::bigint as bytes
            from pg_dist_node n
            left join pg_dist_placement p using (groupid)
            left join pg_dist_shard s on s.shardid = p.shardid and s.logicalrelid = $1::text::regclass
           where n.groupid <> 0 group by n.nodename, n.nodeport, n.isactive order by 1",
    )
    .bind(anchor)
    .fetch_all(&mut *connection)
    .await?;
    // Of the whole database on the node: shards are hidden there from whoever does not ask for them.
    let sizes: Vec<(String, bool, Option<String>)> = sqlx::query_as(
        r"select n.nodename || ':' || n.nodeport, r.success, r.result
            from run_command_on_workers('select pg_database_size(current_database())') r
            join pg_dist_node n on n.nodename = r.nodename and n.nodeport = r.nodeport",
    )
    .fetch_all(connection)
    .await?;
    for node in &mut nodes {
        let size = sizes.iter().find(|(name, success, _)| *success && *name == node.node);
        node.bytes = size.and_then(|(_, _, size)| size.as_deref()?.parse().ok());
    }
    Ok(nodes)
}

/// Where Citus counts statements: from version 13.1 on, with `citus.enable_stat_counters`.
async fn statements(connection: &mut PgConnection) -> Result<Option<(i64, i64)>, sqlx::Error> {
    let counted: bool = sqlx::query_scalar(
        "select to_regclass('pg_catalog.citus_stat_counters') is not null and current_setting('citus.enable_stat_counters', true) = 'on'",
    )
    .fetch_one(&mut *connection)
    .await?;
    if !counted {
        return Ok(None);
    }
    let counts = r"select coalesce(sum(query_execution_single_shard), 0)::bigint, coalesce(sum(query_execution_multi_shard), 0)::bigint
                     from pg_catalog.citus_stat_counters where name = current_database()";
    sqlx::query_as(counts).fetch_one(connection).await.map(Some)
}

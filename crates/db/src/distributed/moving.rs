//! Moving a tenant to a node of its own choice.

use super::{DONE, Node, Progress, each, owner, state};
use crate::DatabaseUrls;
use crate::migrate::MigrateError;
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection};
use wire::TenantId;

/// Moves all rows of a tenant to a node, in both databases of tenants. Writes of all tenants wait while the tenant gets shards of its own,
/// then its own while these move; all of it can be read.
///
/// # Errors
/// A sentence, when the databases are not distributed or the node is not a worker of the cluster; and when a node is out of reach.
pub async fn move_tenant(urls: &DatabaseUrls, tenant: TenantId, to: &Node, progress: Progress<'_>) -> Result<(), MigrateError> {
    for (part, url) in each(urls) {
        let mut connection = owner(url).await.map_err(|error| MigrateError::from(error).of(part.name, url))?;
        require_target(&mut connection, part.name, to).await?;
        connection.close().await?;
    }
    for (part, url) in each(urls) {
        let moved = async {
            let mut connection = owner(url).await?;
            move_part(&mut connection, part.name, part.anchor, tenant, to, progress).await?;
            Ok::<_, MigrateError>(connection.close().await?)
        };
        moved.await.map_err(|error| error.of(part.name, url))?;
    }
    Ok(())
}

/// Refuses a database that is not distributed, and a node that cannot take tenants.
async fn require_target(connection: &mut PgConnection, database: &str, to: &Node) -> Result<(), MigrateError> {
    if state(connection).await? != DONE {
        return Err(MigrateError::Unusable(format!("{database} is not distributed: run 'remembrancer distribute' first")));
    }
    let nodes: Vec<(String, bool)> =
        sqlx::query_as("select nodename || ':' || nodeport, isactive and shouldhaveshards from pg_dist_node where groupid <> 0 order by 1")
            .fetch_all(connection)
            .await?;
    let wanted = to.to_string();
    match nodes.iter().find(|(node, _)| *node == wanted) {
        Some((_, true)) => Ok(()),
        Some((_, false)) => Err(MigrateError::Unusable(format!(
            "The node {to} takes no tenants: it is not active, or somebody drains it (citus_set_node_property, shouldhaveshards)."
        ))),
        None => {
            let all: Vec<&str> = nodes.iter().map(|(node, _)| node.as_str()).collect();
            Err(MigrateError::Unusable(format!("{to} is not a worker of this cluster; its workers are {}.", all.join(", "))))
        }
    }
}

/// Where the rows of a tenant are.
#[derive(sqlx::FromRow)]
struct Place {
    shard: i64,
    node: String,
    host: String,
    port: i32,
    /// Whether no other tenant shares its shards.
    alone: bool,
}

async fn place(connection: &mut PgConnection, anchor: &str, tenant: TenantId) -> Result<Place, sqlx::Error> {
    sqlx::query_as(
        r"select s.shardid as shard, n.nodename || ':' || n.nodeport as node, n.nodename as host, n.nodeport as port,
                 s.shardminvalue = s.shardmaxvalue as alone
            from pg_dist_shard s join pg_dist_placement p using (shardid) join pg_dist_node n using (groupid)
           where s.shardid = get_shard_id_for_distribution_column($1::text::regclass, $2::uuid)",
    )
    .bind(anchor)
    .bind(tenant)
    .fetch_one(connection)
    .await
}

async fn move_part(
    connection: &mut PgConnection,
    database: &str,
    anchor: &str,
    tenant: TenantId,
    to: &Node,
    progress: Progress<'_>,
) -> Result<(), MigrateError> {
    let mut at = place(connection, anchor, tenant).await?;
    if !at.alone {
        progress(&format!("{database}: giving the tenant shards of its own on {}", at.node));
        isolate(connection, anchor, tenant).await?;
        at = place(connection, anchor, tenant).await?;
    }
    if at.node == to.to_string() {
        progress(&format!("{database}: the tenant is on {to}"));
        return Ok(());
    }
    progress(&format!("{database}: moving the tenant from {} to {to}", at.node));
    // Not all tables have what moving without a pause takes: a key by which changes can be followed.
    sqlx::query("select citus_move_shard_placement($1, $2, $3, $4, $5, 'block_writes')")
        .bind(at.shard)
        .bind(at.host)
        .bind(at.port)
        .bind(&to.host)
        .bind(i32::from(to.port))
        .execute(connection)
        .await?;
    Ok(())
}

/// Splits the rows of a tenant off the shards that it shares. No statement may begin to write meanwhile: Citus lets an insertion that selects
/// from a table, and that waits for the split, write into the former shard, which is dropped. So the tables are locked first, on the
/// coordinator alone, where every statement begins.
async fn isolate(connection: &mut PgConnection, anchor: &str, tenant: TenantId) -> Result<(), sqlx::Error> {
    let mut tx = connection.begin().await?;
    // The name is a constant.
    let lock = format!(
        r"do $$
          declare name text;
          begin
              set local citus.enable_ddl_propagation = off;
              for name in select p.logicalrelid::text from pg_dist_partition p
                           where p.colocationid = (select a.colocationid from pg_dist_partition a
                                                    where a.logicalrelid = '{anchor}'::regclass)
                           order by 1
              loop
                  execute format('lock table %s in share row exclusive mode', name);
              end loop;
              set local citus.enable_ddl_propagation = on;
          end
          $$"
    );
    sqlx::raw_sql(AssertSqlSafe(lock)).execute(&mut *tx).await?;
    sqlx::query("select isolate_tenant_to_new_shard($1::text::regclass, $2::uuid, 'CASCADE', 'block_writes')")
        .bind(anchor)
        .bind(tenant)
        .execute(&mut *tx)
        .await?;
    tx.commit().await
}

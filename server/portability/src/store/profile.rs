//! Queries of export and import on connections, leaves and versions of profiles.

use super::{Scope, page};
use crate::lines::{ConnectionLine, ProfileLeafLine, ProfileVersionLine, Section};
use db::{DbError, Tenancy, Tx, of_user};
use serde_json::Value;
use sqlx::AssertSqlSafe;

/// Columns of [`ConnectionLine`], except its agent.
pub const CONNECTION: &[&str] =
    &["id", "user_id", "tool_id", "name", "tool_schema", "schema_expires_at", "active", "created_at", "updated_at"];
/// Stands for no user in the order of an export, as a literal of SQL.
const NOBODY: &str = "'00000000-0000-0000-0000-000000000000'::uuid";
/// Columns of [`ProfileLeafLine`], except its agent.
pub const PROFILE_LEAF: &[&str] = &[
    "id",
    "user_id",
    "part",
    "connection_id",
    "path",
    "value",
    "listed",
    "state",
    "observations",
    "contradicts",
    "source_ids",
    "event_ids",
    "session_ids",
    "first_seen",
    "last_seen",
    "superseded_at",
];
/// Columns of [`ProfileVersionLine`], except its agent.
pub const PROFILE_VERSION: &[&str] = &["id", "user_id", "version", "diff", "event_ids", "narrated", "created_at"];

/// Connections after `last`, by id and user: people may have connections with the same id.
pub async fn connections(
    tx: &mut Tx,
    scope: &Scope<'_>,
    last: Option<&ConnectionLine>,
    size: usize,
) -> Result<Vec<ConnectionLine>, DbError> {
    let mut query = scope.select("connections", CONNECTION)?;
    if let Some(last) = last {
        query.push(format!(" and (t.id, coalesce(t.user_id, {NOBODY})) > (")).push_bind(last.id);
        query.push(", coalesce(").push_bind(last.user_id).push(format!(", {NOBODY}))"));
    }
    page(tx, query, &format!("t.id, coalesce(t.user_id, {NOBODY})"), size).await
}

/// Leaves of profiles after `last`, by id; for an agent only those that it may see.
pub async fn profile_leaves(
    tx: &mut Tx,
    scope: &Scope<'_>,
    last: Option<&ProfileLeafLine>,
    size: usize,
) -> Result<Vec<ProfileLeafLine>, DbError> {
    let mut query = scope.select("profile_leaves", PROFILE_LEAF)?;
    if scope.in_reach_at.is_some() {
        query.push(
            r" and t.state = 'shown'
               and not exists (select from evidence v
                                 join tombstones d on d.tenant_id = v.tenant_id and d.agent_id = v.agent_id and d.memory_id = v.memory_id
                                where v.tenant_id = t.tenant_id and v.agent_id = t.agent_id and v.source_id = any(t.source_ids))",
        );
    }
    if let Some(last) = last {
        query.push(" and t.id > ").push_bind(last.id);
    }
    page(tx, query, "t.id", size).await
}

/// Versions of profiles after `last`, by id.
pub async fn profile_versions(
    tx: &mut Tx,
    scope: &Scope<'_>,
    last: Option<&ProfileVersionLine>,
    size: usize,
) -> Result<Vec<ProfileVersionLine>, DbError> {
    let mut query = scope.select("profile_versions", PROFILE_VERSION)?;
    if let Some(last) = last {
        query.push(" and t.id > ").push_bind(last.id);
    }
    page(tx, query, "t.id", size).await
}

/// The table of a type of lines, the columns that an import writes, and what makes a row `t` the same as a row `r`.
fn table(section: Section) -> Option<(&'static str, String, &'static str)> {
    let (table, columns, same) = match section {
        Section::Connection => ("connections", CONNECTION.join(", "), "t.id = r.id and t.user_id is not distinct from r.user_id"),
        Section::ProfileLeaf => (
            "profile_leaves",
            format!("{}, leaf_hash, matters", PROFILE_LEAF.join(", ")),
            "t.id = r.id or t.user_id is not distinct from r.user_id and t.leaf_hash = r.leaf_hash",
        ),
        Section::ProfileVersion => (
            "profile_versions",
            PROFILE_VERSION.join(", "),
            "t.id = r.id or t.user_id is not distinct from r.user_id and t.version = r.version",
        ),
        _ => return None,
    };
    Some((table, columns, same))
}

/// How many connections, leaves or versions exist already.
pub async fn count_profiled(tx: &mut Tx, tenancy: Tenancy, section: Section, rows: &Value) -> Result<i64, DbError> {
    let Some((table, _, same)) = table(section) else { return Ok(0) };
    let of_user = of_user!("t", "$3");
    let sql = format!(
        r"select count(*) from jsonb_populate_recordset(null::{table}, $2) r
           where exists (select from {table} t where t.tenant_id = $1 and t.agent_id = r.agent_id and {of_user}
                            and ({same}))"
    );
    // Table and condition are the literals above.
    Ok(sqlx::query_scalar(AssertSqlSafe(sql)).bind(tenancy.tenant).bind(rows).bind(tenancy.users).fetch_one(&mut **tx).await?)
}

/// Inserts connections, leaves or versions that do not exist.
pub async fn put_profiled(tx: &mut Tx, tenancy: Tenancy, section: Section, rows: &Value) -> Result<(), DbError> {
    let Some((table, columns, _)) = table(section) else { return Ok(()) };
    let (values, of_user) = (columns.replace(", ", ", r."), of_user!("r", "$3"));
    let sql = format!(
        r"insert into {table} (tenant_id, agent_id, {columns})
          select $1, r.agent_id, r.{values} from jsonb_populate_recordset(null::{table}, $2) r where {of_user} on conflict do nothing"
    );
    // Table and columns are the literals above.
    sqlx::query(AssertSqlSafe(sql)).bind(tenancy.tenant).bind(rows).bind(tenancy.users).execute(&mut **tx).await?;
    if section == Section::ProfileVersion {
        put_profiles(tx, tenancy, rows).await?;
    }
    Ok(())
}

/// Inserts the rows of the profiles that versions belong to, which the list of people reads. A narrative is derived and not in the file.
async fn put_profiles(tx: &mut Tx, tenancy: Tenancy, versions: &Value) -> Result<(), DbError> {
    sqlx::query(concat!(
        r"insert into profiles (tenant_id, agent_id, id, user_id, created_at, updated_at)
          select distinct on (r.agent_id, r.user_id) $1, r.agent_id, r.id, r.user_id, r.created_at, r.created_at
            from jsonb_populate_recordset(null::profile_versions, $2) r where ",
        of_user!("r", "$3"),
        r" order by r.agent_id, r.user_id, r.version desc
              on conflict (tenant_id, agent_id, user_id) do update set updated_at = greatest(profiles.updated_at, excluded.updated_at)
           where profiles.tenant_id = excluded.tenant_id"
    ))
    .bind(tenancy.tenant)
    .bind(versions)
    .bind(tenancy.users)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

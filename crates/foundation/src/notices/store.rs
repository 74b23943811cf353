//! All SQL of notices.

use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, Tenancy, Tx, of_user, sql};
use uuid::Uuid;
use wire::{AgentId, Notice, TenantId};

/// Appends notices in the caller's transaction, except those that are there already. The transaction holds the organisation's row of
/// `notice_heads` until it ends, so that numbers appear in their order.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, notices = notices.len()))]
pub async fn append(tx: &mut Tx, tenant: TenantId, notices: &[Notice]) -> Result<(), DbError> {
    if notices.is_empty() {
        return Ok(());
    }
    let last: i64 = tx
        .value(sql!(
            [tenant],
            r"insert into notice_heads (tenant_id, last) values ($1, 0)
              on conflict (tenant_id) do update set last = notice_heads.last returning last"
        ))
        .await?;
    let ids: Vec<Uuid> = notices.iter().map(|notice| notice.id.0).collect();
    let kinds: Vec<&str> = notices.iter().map(|notice| notice.kind.as_str()).collect();
    let agents: Vec<Option<Uuid>> = notices.iter().map(|notice| notice.agent_id.map(|agent| agent.0)).collect();
    let targets: Vec<&str> = notices.iter().map(|notice| notice.target_id.as_str()).collect();
    let times: Vec<DateTime<Utc>> = notices.iter().map(|notice| notice.at).collect();
    // A statement of its own: it sees what the last holder of the row wrote.
    tx.run(sql!(
        [tenant, last, ids, kinds, agents, targets, times],
        r"with added as (
              insert into notices (tenant_id, seq, id, kind, agent_id, target_id, at)
              select $1, $2 + row_number() over (order by n.place), n.id, n.kind, n.agent_id, n.target_id, n.at
                from unnest($3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::timestamptz[])
                     with ordinality n (id, kind, agent_id, target_id, at, place)
               where not exists (select from notices o where o.tenant_id = $1 and o.id = n.id)
              returning 1)
          update notice_heads set last = last + (select count(*) from added) where tenant_id = $1"
    ))
    .await
}

/// The number of the newest notice of a tenant, if it ever had one.
pub async fn head(tx: &mut Tx, tenant: TenantId) -> Result<Option<i64>, DbError> {
    tx.value_if_any(sql!([tenant], "select last from notice_heads where tenant_id = $1")).await
}

/// The number of the oldest notice of a tenant that is kept, whoever may see it.
pub async fn first(control: &SystemPool, tenant: TenantId) -> Result<Option<i64>, DbError> {
    control.value_if_any(sql!([tenant], "select seq from notices where tenant_id = $1 order by seq limit 1")).await
}

#[derive(sqlx::FromRow)]
struct Numbered {
    seq: i64,
    #[sqlx(flatten)]
    notice: Notice,
}

/// Notices of a tenant after a number, with their numbers, the oldest first; with an agent, those about its memory and the commons.
pub async fn after(
    tx: &mut Tx,
    tenant: TenantId,
    seen: i64,
    agent: Option<AgentId>,
    commons: AgentId,
    most: i64,
) -> Result<Vec<(i64, Notice)>, DbError> {
    let rows: Vec<Numbered> = tx
        .rows(sql!(
            [tenant, seen, agent, commons, most],
            r"select seq, id, kind, agent_id, target_id, at from notices
               where tenant_id = $1 and seq > $2 and ($3::uuid is null or agent_id in ($3, $4)) order by seq limit $5"
        ))
        .await?;
    Ok(rows.into_iter().map(|row| (row.seq, row.notice)).collect())
}

/// The slugs of a tenant's agents, the commons' too.
pub async fn slugs(tx: &mut Tx, tenant: TenantId) -> Result<Vec<(AgentId, String)>, DbError> {
    tx.rows(sql!([tenant], "select id, slug from agents where tenant_id = $1")).await
}

/// Of some memories, those that an agent can read in the name of a user: its own and shared ones. For the database of memories.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, ids = ids.len()))]
pub async fn readable(tx: &mut Tx, tenancy: Tenancy, ids: &[Uuid]) -> Result<Vec<Uuid>, DbError> {
    tx.values(sql!(
        [tenancy.tenant, ids, tenancy.agent, tenancy.commons, tenancy.users],
        "select m.id from agent_memories m where m.tenant_id = $1 and m.id = any($2) and m.agent_id in ($3, $4) and ",
        of_user!("m", "$5")
    ))
    .await
}

/// The numbers of the newest notices of some tenants.
pub async fn heads(control: &SystemPool, tenants: &[Uuid]) -> Result<Vec<(TenantId, i64)>, DbError> {
    control.rows(sql!([tenants], "select tenant_id, last from notice_heads where tenant_id = any($1)")).await
}

/// Deletes at most `most` notices of any tenant from before a time; how many.
pub async fn sweep(control: &SystemPool, before: DateTime<Utc>, most: i64) -> Result<u64, DbError> {
    control
        .changed(sql!(
            [before, most],
            "delete from notices where (tenant_id, seq) in (select tenant_id, seq from notices where at < $1 order by at limit $2)"
        ))
        .await
}

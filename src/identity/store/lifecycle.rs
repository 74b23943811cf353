//! SQL of the lifecycle policies.

use crate::api::{AgentId, LifecyclePolicy, TenantId};
use crate::db::{DbError, Tx};
use chrono::{DateTime, Utc};
use sqlx::types::Json;

/// The policy of an agent, or that of its tenant if it has none; none: the defaults. The nil agent stands for the tenant.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %agent))]
pub async fn lifecycle_policy(tx: &mut Tx, tenant: TenantId, agent: AgentId) -> Result<Option<LifecyclePolicy>, DbError> {
    let policy: Option<Json<LifecyclePolicy>> = sqlx::query_scalar(
        "select policy from lifecycle_policies where tenant_id = $1 and agent_id in ($2, $3) order by agent_id = $2 desc limit 1",
    )
    .bind(tenant)
    .bind(agent)
    .bind(uuid::Uuid::nil())
    .fetch_optional(&mut **tx)
    .await?;
    Ok(policy.map(|policy| policy.0))
}

/// Sets the policy of an agent, or with the nil agent that of the tenant.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %agent))]
pub async fn set_lifecycle_policy(
    tx: &mut Tx,
    tenant: TenantId,
    agent: AgentId,
    policy: &LifecyclePolicy,
    by: &str,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    sqlx::query(
        r"insert into lifecycle_policies (tenant_id, agent_id, policy, updated_at, updated_by) values ($1, $2, $3, $4, $5)
          on conflict (tenant_id, agent_id) do update
             set policy = excluded.policy, updated_at = excluded.updated_at, updated_by = excluded.updated_by",
    )
    .bind(tenant)
    .bind(agent)
    .bind(Json(policy))
    .bind(now)
    .bind(by)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

//! SQL of the policies of tenants and agents: what becomes memory, how it ages, and how it is searched.

use chrono::{DateTime, Utc};
use db::{DbError, Tx};
use sqlx::types::Json;
use wire::{AgentId, CapturePolicy, LifecyclePolicy, SearchPolicy, TenantId, Weights};

/// The policy of an agent, or that of its tenant if it has none; none: the defaults. The nil agent stands for the tenant.
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

/// What a tenant lets happen without a person; none: the defaults.
pub async fn capture_policy(tx: &mut Tx, tenant: TenantId) -> Result<Option<CapturePolicy>, DbError> {
    Ok(sqlx::query_as(
        r"select episodes, profile, decisions, others, commons, confidence_min, outside_models, profile_health, profile_faith,
                 profile_politics, profile_money, shared_profiles, sharing, own_statements
            from capture_policies where tenant_id = $1",
    )
    .bind(tenant)
    .fetch_optional(&mut **tx)
    .await?)
}

/// Sets what a tenant lets happen without a person.
pub async fn set_capture_policy(
    tx: &mut Tx,
    tenant: TenantId,
    policy: &CapturePolicy,
    by: &str,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    sqlx::query(
        r"insert into capture_policies (tenant_id, episodes, profile, decisions, others, commons, confidence_min, outside_models,
                                        updated_at, updated_by, profile_health, profile_faith, profile_politics, profile_money,
                                        shared_profiles, sharing, own_statements)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
          on conflict (tenant_id) do update
             set episodes = excluded.episodes, profile = excluded.profile, decisions = excluded.decisions, others = excluded.others,
                 commons = excluded.commons,
                 confidence_min = excluded.confidence_min, outside_models = excluded.outside_models, updated_at = excluded.updated_at,
                 updated_by = excluded.updated_by, profile_health = excluded.profile_health, profile_faith = excluded.profile_faith,
                 profile_politics = excluded.profile_politics, profile_money = excluded.profile_money,
                 shared_profiles = excluded.shared_profiles, sharing = excluded.sharing,
                 own_statements = excluded.own_statements",
    )
    .bind(tenant)
    .bind(policy.episodes)
    .bind(policy.profile)
    .bind(policy.decisions)
    .bind(policy.others)
    .bind(policy.commons)
    .bind(policy.confidence_min)
    .bind(policy.outside_models)
    .bind(now)
    .bind(by)
    .bind(policy.sensitive.health)
    .bind(policy.sensitive.faith)
    .bind(policy.sensitive.politics)
    .bind(policy.sensitive.money)
    .bind(policy.shared_profiles)
    .bind(policy.sharing)
    .bind(policy.own_statements)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// How a tenant ranks what `search_my_memories` finds; none: the defaults.
pub async fn search_policy(tx: &mut Tx, tenant: TenantId) -> Result<Option<SearchPolicy>, DbError> {
    let row: Option<(f64, f64, f64, f64, Option<f64>)> =
        sqlx::query_as("select similarity, recency, importance, source_priority, similarity_min from search_policies where tenant_id = $1")
            .bind(tenant)
            .fetch_optional(&mut **tx)
            .await?;
    Ok(row.map(|(similarity, recency, importance, source_priority, similarity_min)| SearchPolicy {
        weights: Weights { similarity, recency, importance, source_priority },
        similarity_min,
    }))
}

/// Sets how a tenant ranks what `search_my_memories` finds.
pub async fn set_search_policy(tx: &mut Tx, tenant: TenantId, policy: &SearchPolicy, by: &str, now: DateTime<Utc>) -> Result<(), DbError> {
    let SearchPolicy { weights, similarity_min } = policy;
    sqlx::query(
        r"insert into search_policies (tenant_id, similarity, recency, importance, source_priority, similarity_min, updated_at, updated_by)
          values ($1, $2, $3, $4, $5, $6, $7, $8)
          on conflict (tenant_id) do update
             set similarity = excluded.similarity, recency = excluded.recency, importance = excluded.importance,
                 source_priority = excluded.source_priority, similarity_min = excluded.similarity_min, updated_at = excluded.updated_at,
                 updated_by = excluded.updated_by",
    )
    .bind(tenant)
    .bind(weights.similarity)
    .bind(weights.recency)
    .bind(weights.importance)
    .bind(weights.source_priority)
    .bind(similarity_min)
    .bind(now)
    .bind(by)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The documents that are relevant to an agent, by kind or collection; all of them if empty.
pub async fn knowledge_categories(tx: &mut Tx, tenant: TenantId, agent: AgentId) -> Result<Vec<String>, DbError> {
    let categories = sqlx::query_scalar("select knowledge_categories from agents where tenant_id = $1 and id = $2");
    Ok(categories.bind(tenant).bind(agent).fetch_optional(&mut **tx).await?.unwrap_or_default())
}

/// Sets the documents that are relevant to an agent; whether the tenant has it.
pub async fn set_knowledge_categories(tx: &mut Tx, tenant: TenantId, agent: AgentId, categories: &[String]) -> Result<bool, DbError> {
    let done = sqlx::query("update agents set knowledge_categories = $3 where tenant_id = $1 and id = $2 and kind = 'agent'")
        .bind(tenant)
        .bind(agent)
        .bind(categories)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Whether the context log keeps the texts of an agent; no for an unknown one.
pub async fn keeps_context_texts(tx: &mut Tx, tenant: TenantId, agent: AgentId) -> Result<bool, DbError> {
    let keeps = sqlx::query_scalar("select keeps_context_texts from agents where tenant_id = $1 and id = $2");
    Ok(keeps.bind(tenant).bind(agent).fetch_optional(&mut **tx).await?.unwrap_or(false))
}

/// Sets whether the context log keeps the texts of an agent; whether the tenant has it.
pub async fn set_keeps_context_texts(tx: &mut Tx, tenant: TenantId, agent: AgentId, keeps: bool) -> Result<bool, DbError> {
    let done = sqlx::query("update agents set keeps_context_texts = $3 where tenant_id = $1 and id = $2 and kind = 'agent'")
        .bind(tenant)
        .bind(agent)
        .bind(keeps)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() > 0)
}

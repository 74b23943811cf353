//! SQL of the policies of tenants and agents: what becomes memory, how it ages, and how it is searched.

use chrono::{DateTime, Utc};
use db::{DbError, Tx, insert, lock, lock_key, sql};
use sqlx::types::Json;
use wire::{AgentId, CapturePolicy, LifecyclePolicy, SearchPolicy, TenantId, Weights};

/// Lets changes of a tenant's settings wait for one another, so that each knows what was before.
pub async fn lock_policies(tx: &mut Tx, tenant: TenantId) -> Result<(), DbError> {
    lock(tx, lock_key(&[b"policies", tenant.0.as_bytes()])).await
}

/// The policy of an agent, or that of its tenant if it has none; none: the defaults. The nil agent stands for the tenant.
pub async fn lifecycle_policy(tx: &mut Tx, tenant: TenantId, agent: AgentId) -> Result<Option<LifecyclePolicy>, DbError> {
    let policy: Option<Json<LifecyclePolicy>> = tx
        .value_if_any(sql!(
            [tenant, agent, uuid::Uuid::nil()],
            "select policy from lifecycle_policies where tenant_id = $1 and agent_id in ($2, $3) order by agent_id = $2 desc limit 1"
        ))
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
    tx.run(sql!(
        [tenant, agent, Json(policy), now, by],
        r"insert into lifecycle_policies (tenant_id, agent_id, policy, updated_at, updated_by) values ($1, $2, $3, $4, $5)
          on conflict (tenant_id, agent_id) do update
             set policy = excluded.policy, updated_at = excluded.updated_at, updated_by = excluded.updated_by"
    ))
    .await
}

/// What a tenant lets happen without a person; none: the defaults.
pub async fn capture_policy(tx: &mut Tx, tenant: TenantId) -> Result<Option<CapturePolicy>, DbError> {
    tx.row_if_any(sql!(
        [tenant],
        r"select episodes, profile, decisions, others, commons, confidence_min, outside_models, profile_health, profile_faith,
                 profile_politics, profile_money, profile_ethnicity, shared_profiles, sharing, own_statements
            from capture_policies where tenant_id = $1"
    ))
    .await
}

/// Sets what a tenant lets happen without a person.
pub async fn set_capture_policy(
    tx: &mut Tx,
    tenant: TenantId,
    policy: &CapturePolicy,
    by: &str,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let query = insert!("insert into capture_policies" {
        tenant_id: tenant,
        episodes: policy.episodes,
        profile: policy.profile,
        decisions: policy.decisions,
        others: policy.others,
        commons: policy.commons,
        confidence_min: policy.confidence_min,
        outside_models: policy.outside_models,
        updated_at: now,
        updated_by: by,
        profile_health: policy.sensitive.health,
        profile_faith: policy.sensitive.faith,
        profile_politics: policy.sensitive.politics,
        profile_money: policy.sensitive.money,
        profile_ethnicity: policy.sensitive.ethnicity,
        shared_profiles: policy.shared_profiles,
        sharing: policy.sharing,
        own_statements: policy.own_statements,
    } r"on conflict (tenant_id) do update
             set episodes = excluded.episodes, profile = excluded.profile, decisions = excluded.decisions, others = excluded.others,
                 commons = excluded.commons,
                 confidence_min = excluded.confidence_min, outside_models = excluded.outside_models, updated_at = excluded.updated_at,
                 updated_by = excluded.updated_by, profile_health = excluded.profile_health, profile_faith = excluded.profile_faith,
                 profile_politics = excluded.profile_politics, profile_money = excluded.profile_money,
                 profile_ethnicity = excluded.profile_ethnicity,
                 shared_profiles = excluded.shared_profiles, sharing = excluded.sharing,
                 own_statements = excluded.own_statements");
    tx.run(query).await
}

/// How a tenant ranks what `search_my_memories` finds; none: the defaults.
pub async fn search_policy(tx: &mut Tx, tenant: TenantId) -> Result<Option<SearchPolicy>, DbError> {
    let row: Option<(f64, f64, f64, f64, Option<f64>)> = tx
        .row_if_any(sql!(
            [tenant],
            "select similarity, recency, importance, source_priority, similarity_min from search_policies where tenant_id = $1"
        ))
        .await?;
    Ok(row.map(|(similarity, recency, importance, source_priority, similarity_min)| SearchPolicy {
        weights: Weights { similarity, recency, importance, source_priority },
        similarity_min,
    }))
}

/// Sets how a tenant ranks what `search_my_memories` finds.
pub async fn set_search_policy(tx: &mut Tx, tenant: TenantId, policy: &SearchPolicy, by: &str, now: DateTime<Utc>) -> Result<(), DbError> {
    let SearchPolicy { weights, similarity_min } = policy;
    tx.run(sql!(
        [tenant, weights.similarity, weights.recency, weights.importance, weights.source_priority, similarity_min, now, by],
        r"insert into search_policies (tenant_id, similarity, recency, importance, source_priority, similarity_min, updated_at, updated_by)
          values ($1, $2, $3, $4, $5, $6, $7, $8)
          on conflict (tenant_id) do update
             set similarity = excluded.similarity, recency = excluded.recency, importance = excluded.importance,
                 source_priority = excluded.source_priority, similarity_min = excluded.similarity_min, updated_at = excluded.updated_at,
                 updated_by = excluded.updated_by"
    ))
    .await
}

/// The documents that are relevant to an agent, by kind or collection; all of them if empty.
pub async fn knowledge_categories(tx: &mut Tx, tenant: TenantId, agent: AgentId) -> Result<Vec<String>, DbError> {
    let query = sql!([tenant, agent], "select knowledge_categories from agents where tenant_id = $1 and id = $2");
    Ok(tx.value_if_any(query).await?.unwrap_or_default())
}

/// Sets the documents that are relevant to an agent; whether the tenant has it.
pub async fn set_knowledge_categories(tx: &mut Tx, tenant: TenantId, agent: AgentId, categories: &[String]) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, agent, categories],
        "update agents set knowledge_categories = $3 where tenant_id = $1 and id = $2 and kind = 'agent'"
    ))
    .await
}

/// Whether the context log keeps the texts of an agent; no for an unknown one.
pub async fn keeps_context_texts(tx: &mut Tx, tenant: TenantId, agent: AgentId) -> Result<bool, DbError> {
    let query = sql!([tenant, agent], "select keeps_context_texts from agents where tenant_id = $1 and id = $2");
    Ok(tx.value_if_any(query).await?.unwrap_or(false))
}

/// Sets whether the context log keeps the texts of an agent; whether the tenant has it.
pub async fn set_keeps_context_texts(tx: &mut Tx, tenant: TenantId, agent: AgentId, keeps: bool) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, agent, keeps],
        "update agents set keeps_context_texts = $3 where tenant_id = $1 and id = $2 and kind = 'agent'"
    ))
    .await
}

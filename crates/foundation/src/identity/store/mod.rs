//! All SQL of who exists and who asks. Here: tenants and agents.

pub mod erasure;
mod keys;
mod oauth;
mod operators;
mod policies;
mod users;
mod views;

pub use keys::{NewKey, count_source, insert_key, key_by_id, key_by_prefix, key_names, keys_of, revoke_key, scopes_of, write_uses};
pub use keys::{set_toolsets, toolsets};
pub use oauth::{
    NewGrant, NewTokens, grant_by_code, grant_by_family, grant_of_key, insert_client, insert_grant, oauth_client, renew, revoke_granted,
    sweep_clients, sweep_grants, trim_clients,
};
pub use operators::{
    NewOperator, admins, delete_session, disable_operator, insert_operator, insert_session, lock_operator, operator, operator_by_login,
    save_session, session, set_password, set_roles,
};
pub use policies::{
    capture_policy, keeps_context_texts, knowledge_categories, lifecycle_policy, search_policy, set_capture_policy,
    set_keeps_context_texts, set_knowledge_categories, set_lifecycle_policy, set_search_policy,
};
pub use users::{insert_user, lock_user, user_by_reference, users, users_by_id, users_called, users_named};
pub use views::{count_views, delete_view, insert_view, lock_views, rename_view, views};

use super::model::{Agent, Tenant};
use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, Tx, sql};
use std::str::FromStr;
use wire::{AgentId, Discipline, TenantId};

fn parse_all<T: FromStr<Err = String>>(table: &'static str, column: &'static str, row: &str, texts: &[String]) -> Result<Vec<T>, DbError> {
    texts.iter().map(|text| text.parse().map_err(|reason| DbError::Inconsistent { table, column, row: row.to_owned(), reason })).collect()
}

/// A tenant by slug, with its commons.
pub async fn tenant(pool: &SystemPool, slug: &str) -> Result<Option<Tenant>, DbError> {
    let row: Option<(TenantId, String, String, AgentId)> = pool
        .row_if_any(sql!(
            [slug],
            r"select t.id, t.slug, t.name, c.id
            from tenants t join agents c on c.tenant_id = t.id and c.kind = 'commons'
           where t.slug = $1"
        ))
        .await?;
    Ok(row.map(|(id, slug, name, commons_id)| Tenant { id, slug, name, commons_id }))
}

/// Every tenant's slug, in order.
pub async fn tenant_slugs(pool: &SystemPool) -> Result<Vec<String>, DbError> {
    pool.values(sql!([], "select slug from tenants order by slug")).await
}

pub async fn insert_tenant(tx: &mut Tx, tenant: &Tenant, now: DateTime<Utc>) -> Result<(), DbError> {
    tx.run(sql!([tenant.id, &tenant.slug, &tenant.name, now], "insert into tenants (id, slug, name, created_at) values ($1, $2, $3, $4)"))
        .await?;
    tx.run(sql!(
        [tenant.id, tenant.commons_id, now],
        "insert into agents (tenant_id, id, kind, slug, name, created_at) values ($1, $2, 'commons', 'commons', 'Commons', $3)"
    ))
    .await
}

pub async fn insert_agent(tx: &mut Tx, tenant: TenantId, agent: &Agent, now: DateTime<Utc>) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, agent.id, agent.kind, &agent.slug, &agent.name, agent.require_user, now, agent.discipline],
        "insert into agents (tenant_id, id, kind, slug, name, require_user, created_at, discipline) values ($1, $2, $3, $4, $5, $6, $7, $8)"
    ))
    .await
}

/// Inserts an imported agent, unless its id or slug exists; whether it did.
pub async fn adopt_agent(tx: &mut Tx, tenant: TenantId, agent: &Agent, now: DateTime<Utc>) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, agent.id, agent.kind, &agent.slug, &agent.name, agent.require_user, now, agent.discipline],
        r"insert into agents (tenant_id, id, kind, slug, name, require_user, created_at, discipline) values ($1, $2, $3, $4, $5, $6, $7, $8)
          on conflict do nothing"
    ))
    .await
}

/// The tenant and the slug of the agent that has an id.
pub async fn agent_holder(pool: &SystemPool, id: AgentId) -> Result<Option<(TenantId, String)>, DbError> {
    pool.row_if_any(sql!([id], "select tenant_id, slug from agents where id = $1")).await
}

/// Agents of a tenant: the commons first, then by slug.
pub async fn agents(tx: &mut Tx, tenant: TenantId) -> Result<Vec<Agent>, DbError> {
    tx.rows(sql!(
        [tenant],
        r"select id, kind, slug, name, require_user, discipline, blocked_at
            from agents where tenant_id = $1 order by (kind = 'commons') desc, slug"
    ))
    .await
}

/// Blocks an agent from a time on, or unblocks it; whether that changed anything. The commons has no keys and is never blocked.
pub async fn set_blocked(tx: &mut Tx, tenant: TenantId, agent: AgentId, since: Option<DateTime<Utc>>) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, agent, since],
        r"update agents set blocked_at = $3
           where tenant_id = $1 and id = $2 and kind = 'agent' and (blocked_at is null) = ($3 is not null)"
    ))
    .await
}

/// Sets how eagerly an agent writes; whether the tenant has it.
pub async fn set_discipline(tx: &mut Tx, tenant: TenantId, agent: AgentId, discipline: Discipline) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, agent, discipline],
        "update agents set discipline = $3 where tenant_id = $1 and id = $2 and kind = 'agent'"
    ))
    .await
}

//! All SQL of who exists and who asks. Here: tenants and agents.

pub mod erasure;
mod invitations;
mod keys;
mod oauth;
mod operators;
mod policies;
mod users;
mod views;

pub use invitations::{
    Invited, NewInvitation, delete_invitation, insert_invitation, invitation_by_token, invitations, take_invitation, withdraw_invitations,
};
pub use keys::{AgentCalls, KeyPlace, api_keys, calls_of_agents, lock_key, move_bots, replace_key, revoke_keys_of, set_toolsets, toolsets};
pub use keys::{NewKey, count_source, insert_key, key_by_id, key_by_prefix, key_names, keys_of, revoke_key, scopes_of, write_uses};
pub use oauth::{
    NewGrant, NewTokens, grant_by_code, grant_by_family, grant_of_key, insert_client, insert_grant, oauth_client, renew, revoke_granted,
    sweep_clients, sweep_grants, trim_clients,
};
pub use operators::{
    NewOperator, admins, attach_identity, delete_session, detach_identity, disable_operator, enable_operator, insert_operator,
    insert_operator_of_provider, insert_session, lock_operator, lock_operators, operator, operator_by_login, operator_by_login_in,
    operator_by_subject, operator_by_subject_in, operators, save_session, session, set_password, update_operator,
};
pub use policies::{
    capture_policy, keeps_context_texts, knowledge_categories, lifecycle_policy, lock_policies, search_policy, set_capture_policy,
    set_keeps_context_texts, set_knowledge_categories, set_lifecycle_policy, set_search_policy,
};
pub use users::{
    insert_user, lock_user, update_user, user_by_reference, user_to_change, users, users_after, users_by_id, users_called, users_named,
};
pub use views::{count_views, delete_view, insert_view, lock_views, rename_view, share_view, sharing, views};

use super::model::{Agent, Tenant};
use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, Tx, sql};
use std::str::FromStr;
use wire::{AdminAgent, AgentId, TenantId};

/// Reads the words of an enumeration in an array of a row; an unknown one is an inconsistency of the row.
pub(crate) fn parse_all<T: FromStr<Err = String>>(
    table: &'static str,
    column: &'static str,
    row: &str,
    texts: &[String],
) -> Result<Vec<T>, DbError> {
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
        r"select id, kind, slug, name, require_user, discipline, blocked_at, retired_at
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

/// Selects agents with their settings.
macro_rules! settings {
    () => {
        r"select id, slug, name, discipline, require_user, knowledge_categories, keeps_context_texts, created_at, blocked_at, retired_at
            from agents where tenant_id = $1 and kind = 'agent' "
    };
}

/// At most `most` agents of a tenant with their settings by slug, those after a slug if one is given.
pub async fn agents_with_settings(tx: &mut Tx, tenant: TenantId, after: Option<&str>, most: i64) -> Result<Vec<AdminAgent>, DbError> {
    tx.rows(sql!([tenant, after, most], settings!(), "and ($2::text is null or slug > $2) order by slug limit $3")).await
}

/// An agent with its settings.
pub async fn agent_with_settings(tx: &mut Tx, tenant: TenantId, slug: &str) -> Result<Option<AdminAgent>, DbError> {
    tx.row_if_any(sql!([tenant, slug], settings!(), "and slug = $2")).await
}

/// An agent with its settings. The row is locked: another change waits for the transaction.
pub async fn agent_to_change(tx: &mut Tx, tenant: TenantId, slug: &str) -> Result<Option<AdminAgent>, DbError> {
    tx.row_if_any(sql!([tenant, slug], settings!(), "and slug = $2 for update")).await
}

/// Writes the settings of an agent, apart from its id and its slug; whether the tenant has it.
pub async fn update_agent(tx: &mut Tx, tenant: TenantId, agent: &AdminAgent) -> Result<bool, DbError> {
    let AdminAgent { id, name, discipline, require_user, knowledge_categories, keeps_context_texts, retired_at, .. } = agent;
    tx.changed_any(sql!(
        [tenant, *id, name, *discipline, *require_user, knowledge_categories, *keeps_context_texts, *retired_at],
        r"update agents set name = $3, discipline = $4, require_user = $5, knowledge_categories = $6, keeps_context_texts = $7, retired_at = $8
           where tenant_id = $1 and id = $2 and kind = 'agent'"
    ))
    .await
}

//! All SQL of tenants, agents, keys, operators and their views, and sessions.

mod policies;
mod users;

pub use policies::{
    capture_policy, keeps_context_texts, knowledge_categories, lifecycle_policy, search_policy, set_capture_policy,
    set_keeps_context_texts, set_knowledge_categories, set_lifecycle_policy, set_search_policy,
};
pub use users::{users_by_id, users_named};

use super::model::{Agent, KeyRecord, OperatorRecord, Tenant, User};
use crate::api::{AgentId, AgentKey, Discipline, KeyId, OperatorId, OperatorRole, SavedView, Scope, TenantId, UserId, ViewId, ViewPage};
use crate::db::{DbError, Tx, lock, lock_key};
use chrono::{DateTime, Utc};
use sqlx::PgPool;
use std::str::FromStr;

fn parse_all<T: FromStr<Err = String>>(table: &'static str, column: &'static str, row: &str, texts: &[String]) -> Result<Vec<T>, DbError> {
    texts.iter().map(|text| text.parse().map_err(|reason| DbError::Inconsistent { table, column, row: row.to_owned(), reason })).collect()
}

/// A tenant by slug, with its commons.
pub async fn tenant(pool: &PgPool, slug: &str) -> Result<Option<Tenant>, DbError> {
    let row: Option<(TenantId, String, String, AgentId)> = sqlx::query_as(
        r"select t.id, t.slug, t.name, c.id
            from tenants t join agents c on c.tenant_id = t.id and c.kind = 'commons'
           where t.slug = $1",
    )
    .bind(slug)
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|(id, slug, name, commons_id)| Tenant { id, slug, name, commons_id }))
}

/// Every tenant's slug, in order.
pub async fn tenant_slugs(pool: &PgPool) -> Result<Vec<String>, DbError> {
    Ok(sqlx::query_scalar("select slug from tenants order by slug").fetch_all(pool).await?)
}

/// Inserts a tenant and its commons.
pub async fn insert_tenant(tx: &mut Tx, tenant: &Tenant, now: DateTime<Utc>) -> Result<(), DbError> {
    sqlx::query("insert into tenants (id, slug, name, created_at) values ($1, $2, $3, $4)")
        .bind(tenant.id)
        .bind(&tenant.slug)
        .bind(&tenant.name)
        .bind(now)
        .execute(&mut **tx)
        .await?;
    sqlx::query("insert into agents (tenant_id, id, kind, slug, name, created_at) values ($1, $2, 'commons', 'commons', 'Commons', $3)")
        .bind(tenant.id)
        .bind(tenant.commons_id)
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Inserts an agent.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn insert_agent(tx: &mut Tx, tenant: TenantId, agent: &Agent, now: DateTime<Utc>) -> Result<(), DbError> {
    sqlx::query(
        "insert into agents (tenant_id, id, kind, slug, name, require_user, created_at, discipline) values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
        .bind(tenant)
        .bind(agent.id)
        .bind(agent.kind)
        .bind(&agent.slug)
        .bind(&agent.name)
        .bind(agent.require_user)
        .bind(now)
        .bind(agent.discipline)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Inserts an imported agent, unless its id or slug exists; whether it did.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn adopt_agent(tx: &mut Tx, tenant: TenantId, agent: &Agent, now: DateTime<Utc>) -> Result<bool, DbError> {
    let done = sqlx::query(
        r"insert into agents (tenant_id, id, kind, slug, name, require_user, created_at, discipline) values ($1, $2, $3, $4, $5, $6, $7, $8)
          on conflict do nothing",
    )
    .bind(tenant)
    .bind(agent.id)
    .bind(agent.kind)
    .bind(&agent.slug)
    .bind(&agent.name)
    .bind(agent.require_user)
    .bind(now)
    .bind(agent.discipline)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// The tenant and the slug of the agent that has an id.
pub async fn agent_holder(pool: &PgPool, id: AgentId) -> Result<Option<(TenantId, String)>, DbError> {
    Ok(sqlx::query_as("select tenant_id, slug from agents where id = $1").bind(id).fetch_optional(pool).await?)
}

/// Agents of a tenant: the commons first, then by slug.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn agents(tx: &mut Tx, tenant: TenantId) -> Result<Vec<Agent>, DbError> {
    Ok(sqlx::query_as(
        r"select id, kind, slug, name, require_user, discipline, blocked_at
            from agents where tenant_id = $1 order by (kind = 'commons') desc, slug",
    )
    .bind(tenant)
    .fetch_all(&mut **tx)
    .await?)
}

/// Blocks an agent from a time on, or unblocks it; whether that changed anything. The commons has no keys and is never blocked.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %agent))]
pub async fn set_blocked(tx: &mut Tx, tenant: TenantId, agent: AgentId, since: Option<DateTime<Utc>>) -> Result<bool, DbError> {
    let done = sqlx::query(
        r"update agents set blocked_at = $3
           where tenant_id = $1 and id = $2 and kind = 'agent' and (blocked_at is null) = ($3 is not null)",
    )
    .bind(tenant)
    .bind(agent)
    .bind(since)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Sets how eagerly an agent writes; whether the tenant has it.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %agent))]
pub async fn set_discipline(tx: &mut Tx, tenant: TenantId, agent: AgentId, discipline: Discipline) -> Result<bool, DbError> {
    let done = sqlx::query("update agents set discipline = $3 where tenant_id = $1 and id = $2 and kind = 'agent'")
        .bind(tenant)
        .bind(agent)
        .bind(discipline)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// A new key.
pub struct NewKey<'a> {
    pub id: KeyId,
    pub agent_id: AgentId,
    pub prefix: &'a str,
    pub secret_hash: &'a [u8],
    pub name: &'a str,
    pub scopes: &'a [Scope],
    /// The one user that it acts for.
    pub user_id: Option<UserId>,
    pub expires_at: Option<DateTime<Utc>>,
}

/// Inserts a key; false when the tenant has no such agent. The commons is not an agent: no key speaks for all.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn insert_key(tx: &mut Tx, tenant: TenantId, key: &NewKey<'_>, now: DateTime<Utc>) -> Result<bool, DbError> {
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    let done = sqlx::query(
        r"insert into api_keys (tenant_id, id, agent_id, prefix, secret_hash, name, scopes, created_at, expires_at, user_id)
          select tenant_id, $2, id, $4, $5, $6, $7, $8, $9, $10 from agents where tenant_id = $1 and id = $3 and kind = 'agent'",
    )
    .bind(tenant)
    .bind(key.id)
    .bind(key.agent_id)
    .bind(key.prefix)
    .bind(key.secret_hash)
    .bind(key.name)
    .bind(scopes)
    .bind(now)
    .bind(key.expires_at)
    .bind(key.user_id)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() > 0)
}

#[derive(sqlx::FromRow)]
struct KeyRow {
    tenant_id: TenantId,
    commons_id: AgentId,
    key_id: KeyId,
    agent_id: AgentId,
    agent_slug: String,
    require_user: bool,
    blocked: bool,
    secret_hash: Vec<u8>,
    scopes: Vec<String>,
    user_id: Option<UserId>,
    expires_at: Option<DateTime<Utc>>,
    revoked_at: Option<DateTime<Utc>>,
    last_used_at: Option<DateTime<Utc>>,
}

impl TryFrom<KeyRow> for KeyRecord {
    type Error = DbError;
    fn try_from(row: KeyRow) -> Result<Self, DbError> {
        Ok(Self {
            scopes: parse_all("api_keys", "scopes", &row.key_id.to_string(), &row.scopes)?,
            tenant_id: row.tenant_id,
            commons_id: row.commons_id,
            key_id: row.key_id,
            agent_id: row.agent_id,
            agent_slug: row.agent_slug,
            require_user: row.require_user,
            blocked: row.blocked,
            secret_hash: row.secret_hash,
            user_id: row.user_id,
            expires_at: row.expires_at,
            revoked_at: row.revoked_at,
            last_used_at: row.last_used_at,
        })
    }
}

/// The key that a request's prefix names.
pub async fn key_by_prefix(pool: &PgPool, prefix: &str) -> Result<Option<KeyRecord>, DbError> {
    let row: Option<KeyRow> = sqlx::query_as(
        r"select k.tenant_id, c.id as commons_id, k.id as key_id, k.agent_id, a.slug as agent_slug, a.require_user,
                 a.blocked_at is not null as blocked, k.secret_hash, k.scopes, k.user_id, k.expires_at, k.revoked_at, k.last_used_at
            from api_keys k
            join agents a on a.tenant_id = k.tenant_id and a.id = k.agent_id
            join agents c on c.tenant_id = k.tenant_id and c.kind = 'commons'
           where k.prefix = $1",
    )
    .bind(prefix)
    .fetch_optional(pool)
    .await?;
    row.map(TryInto::try_into).transpose()
}

/// What the usable keys of an agent may do, together.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %agent))]
pub async fn scopes_of(tx: &mut Tx, tenant: TenantId, agent: AgentId, now: DateTime<Utc>) -> Result<Vec<Scope>, DbError> {
    let scopes: Vec<String> = sqlx::query_scalar(
        r"select distinct s from api_keys k cross join unnest(k.scopes) as s
           where k.tenant_id = $1 and k.agent_id = $2 and k.revoked_at is null and (k.expires_at is null or k.expires_at > $3)
           order by s",
    )
    .bind(tenant)
    .bind(agent)
    .bind(now)
    .fetch_all(&mut **tx)
    .await?;
    parse_all("api_keys", "scopes", &agent.to_string(), &scopes)
}

#[derive(sqlx::FromRow)]
struct ListedKey {
    id: KeyId,
    name: String,
    prefix: String,
    scopes: Vec<String>,
    created_at: DateTime<Utc>,
    last_used_at: Option<DateTime<Utc>>,
    expires_at: Option<DateTime<Utc>>,
    revoked_at: Option<DateTime<Utc>>,
}

/// At most `most` keys of an agent: those in force first, then the newest.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %agent))]
pub async fn keys_of(tx: &mut Tx, tenant: TenantId, agent: AgentId, most: i64) -> Result<Vec<AgentKey>, DbError> {
    let rows: Vec<ListedKey> = sqlx::query_as(
        r"select id, name, prefix, scopes, created_at, last_used_at, expires_at, revoked_at
            from api_keys where tenant_id = $1 and agent_id = $2
           order by revoked_at is not null, created_at desc, id limit $3",
    )
    .bind(tenant)
    .bind(agent)
    .bind(most)
    .fetch_all(&mut **tx)
    .await?;
    let key = |row: ListedKey| {
        Ok(AgentKey {
            scopes: parse_all("api_keys", "scopes", &row.id.to_string(), &row.scopes)?,
            id: row.id,
            name: row.name,
            hint: format!("rmb_{}_…", row.prefix),
            created_at: row.created_at,
            last_used_at: row.last_used_at,
            expires_at: row.expires_at,
            revoked_at: row.revoked_at,
        })
    };
    rows.into_iter().map(key).collect()
}

/// A tenant's key by its id.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn key_by_id(pool: &PgPool, tenant: TenantId, id: KeyId) -> Result<Option<KeyRecord>, DbError> {
    let row: Option<KeyRow> = sqlx::query_as(
        r"select k.tenant_id, c.id as commons_id, k.id as key_id, k.agent_id, a.slug as agent_slug, a.require_user,
                 a.blocked_at is not null as blocked, k.secret_hash, k.scopes, k.user_id, k.expires_at, k.revoked_at, k.last_used_at
            from api_keys k
            join agents a on a.tenant_id = k.tenant_id and a.id = k.agent_id
            join agents c on c.tenant_id = k.tenant_id and c.kind = 'commons'
           where k.tenant_id = $1 and k.id = $2",
    )
    .bind(tenant)
    .bind(id)
    .fetch_optional(pool)
    .await?;
    row.map(TryInto::try_into).transpose()
}

/// Notes that a key was used.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn key_used(pool: &PgPool, tenant: TenantId, key: KeyId, now: DateTime<Utc>) -> Result<(), DbError> {
    sqlx::query("update api_keys set last_used_at = $3 where tenant_id = $1 and id = $2 and (last_used_at is null or last_used_at < $3)")
        .bind(tenant)
        .bind(key)
        .bind(now)
        .execute(pool)
        .await?;
    Ok(())
}

/// Revokes a key; whether it was there and in force.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn revoke_key(tx: &mut Tx, tenant: TenantId, key: KeyId, now: DateTime<Utc>) -> Result<bool, DbError> {
    let done = sqlx::query("update api_keys set revoked_at = $3 where tenant_id = $1 and id = $2 and revoked_at is null")
        .bind(tenant)
        .bind(key)
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// A new operator.
pub struct NewOperator<'a> {
    pub id: OperatorId,
    pub login: &'a str,
    pub name: &'a str,
    pub password_hash: &'a str,
    pub roles: &'a [OperatorRole],
}

/// Inserts an operator.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn insert_operator(tx: &mut Tx, tenant: TenantId, operator: &NewOperator<'_>, now: DateTime<Utc>) -> Result<(), DbError> {
    let roles: Vec<&str> = operator.roles.iter().map(|role| role.as_str()).collect();
    sqlx::query("insert into operators (tenant_id, id, login, name, password_hash, roles, created_at) values ($1, $2, $3, $4, $5, $6, $7)")
        .bind(tenant)
        .bind(operator.id)
        .bind(operator.login)
        .bind(operator.name)
        .bind(operator.password_hash)
        .bind(roles)
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct OperatorRow {
    tenant_id: TenantId,
    tenant_name: String,
    commons_id: AgentId,
    id: OperatorId,
    login: String,
    name: String,
    password_hash: String,
    roles: Vec<String>,
    access_epoch: i32,
    disabled_at: Option<DateTime<Utc>>,
}

impl TryFrom<OperatorRow> for OperatorRecord {
    type Error = DbError;
    fn try_from(row: OperatorRow) -> Result<Self, DbError> {
        Ok(Self {
            roles: parse_all("operators", "roles", &row.id.to_string(), &row.roles)?,
            tenant_id: row.tenant_id,
            tenant_name: row.tenant_name,
            commons_id: row.commons_id,
            id: row.id,
            login: row.login,
            name: row.name,
            password_hash: row.password_hash,
            access_epoch: row.access_epoch,
            disabled_at: row.disabled_at,
        })
    }
}

/// An operator by what is typed at sign-in.
pub async fn operator_by_login(pool: &PgPool, login: &str) -> Result<Option<OperatorRecord>, DbError> {
    let row: Option<OperatorRow> = sqlx::query_as(
        r"select o.tenant_id, t.name as tenant_name, c.id as commons_id, o.id, o.login, o.name, o.password_hash, o.roles, o.access_epoch,
                 o.disabled_at
            from operators o join tenants t on t.id = o.tenant_id join agents c on c.tenant_id = o.tenant_id and c.kind = 'commons'
           where o.login = $1",
    )
    .bind(login)
    .fetch_optional(pool)
    .await?;
    row.map(TryInto::try_into).transpose()
}

/// An operator by id.
pub async fn operator(pool: &PgPool, id: OperatorId) -> Result<Option<OperatorRecord>, DbError> {
    let row: Option<OperatorRow> = sqlx::query_as(
        r"select o.tenant_id, t.name as tenant_name, c.id as commons_id, o.id, o.login, o.name, o.password_hash, o.roles, o.access_epoch,
                 o.disabled_at
            from operators o join tenants t on t.id = o.tenant_id join agents c on c.tenant_id = o.tenant_id and c.kind = 'commons'
           where o.id = $1",
    )
    .bind(id)
    .fetch_optional(pool)
    .await?;
    row.map(TryInto::try_into).transpose()
}

/// Disables an operator and ends the sessions; whether one was there and enabled.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn disable_operator(tx: &mut Tx, tenant: TenantId, id: OperatorId, now: DateTime<Utc>) -> Result<bool, DbError> {
    let done = sqlx::query(
        r"update operators set disabled_at = $3, access_epoch = access_epoch + 1
           where tenant_id = $1 and id = $2 and disabled_at is null",
    )
    .bind(tenant)
    .bind(id)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Replaces an operator's roles and ends the sessions; whether there is such an operator.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn set_roles(tx: &mut Tx, tenant: TenantId, id: OperatorId, roles: &[OperatorRole]) -> Result<bool, DbError> {
    let roles: Vec<&str> = roles.iter().map(|role| role.as_str()).collect();
    let done = sqlx::query("update operators set roles = $3, access_epoch = access_epoch + 1 where tenant_id = $1 and id = $2")
        .bind(tenant)
        .bind(id)
        .bind(roles)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Replaces an operator's password hash and ends the sessions.
pub async fn set_password(tx: &mut Tx, id: OperatorId, password_hash: &str) -> Result<(), DbError> {
    sqlx::query("update operators set password_hash = $2, access_epoch = access_epoch + 1 where id = $1")
        .bind(id)
        .bind(password_hash)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// A session that has not expired, by the hash of its id, as everywhere below.
pub async fn session(pool: &PgPool, id: &[u8], now: DateTime<Utc>) -> Result<Option<(serde_json::Value, DateTime<Utc>)>, DbError> {
    Ok(sqlx::query_as("select data, expires_at from sessions where id_hash = $1 and expires_at > $2")
        .bind(id)
        .bind(now)
        .fetch_optional(pool)
        .await?)
}

/// Inserts a session; false if the id is taken.
pub async fn insert_session(pool: &PgPool, id: &[u8], data: &serde_json::Value, expires: DateTime<Utc>) -> Result<bool, DbError> {
    let done = sqlx::query("insert into sessions (id_hash, data, expires_at) values ($1, $2, $3) on conflict (id_hash) do nothing")
        .bind(id)
        .bind(data)
        .bind(expires)
        .execute(pool)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Writes a session that exists. One that was deleted meanwhile stays deleted: a late save must not undo a sign-out.
pub async fn save_session(pool: &PgPool, id: &[u8], data: &serde_json::Value, expires: DateTime<Utc>) -> Result<bool, DbError> {
    let done = sqlx::query("update sessions set data = $2, expires_at = $3 where id_hash = $1")
        .bind(id)
        .bind(data)
        .bind(expires)
        .execute(pool)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Deletes a session, and with it every one that has expired.
pub async fn delete_session(pool: &PgPool, id: &[u8], now: DateTime<Utc>) -> Result<(), DbError> {
    sqlx::query("delete from sessions where id_hash = $1 or expires_at <= $2").bind(id).bind(now).execute(pool).await?;
    Ok(())
}

/// An operator's views of a page, by name.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn views(tx: &mut Tx, tenant: TenantId, operator: OperatorId, page: ViewPage) -> Result<Vec<SavedView>, DbError> {
    let rows: Vec<(ViewId, String, String)> = sqlx::query_as(
        r"select id, name, query from saved_views
           where tenant_id = $1 and operator_id = $2 and page = $3 order by lower(name), name",
    )
    .bind(tenant)
    .bind(operator)
    .bind(page)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.into_iter().map(|(id, name, query)| SavedView { id, page, name, query }).collect())
}

/// Serialises saves by this operator, so that the number of views can be counted.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn lock_views(tx: &mut Tx, tenant: TenantId, operator: OperatorId) -> Result<(), DbError> {
    lock(tx, lock_key(&[b"views", tenant.0.as_bytes(), operator.0.as_bytes()])).await
}

/// How many views an operator keeps, over all pages.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn count_views(tx: &mut Tx, tenant: TenantId, operator: OperatorId) -> Result<i64, DbError> {
    Ok(sqlx::query_scalar("select count(*) from saved_views where tenant_id = $1 and operator_id = $2")
        .bind(tenant)
        .bind(operator)
        .fetch_one(&mut **tx)
        .await?)
}

/// Inserts a view.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn insert_view(tx: &mut Tx, tenant: TenantId, operator: OperatorId, view: &SavedView, now: DateTime<Utc>) -> Result<(), DbError> {
    sqlx::query("insert into saved_views (tenant_id, id, operator_id, page, name, query, created_at) values ($1, $2, $3, $4, $5, $6, $7)")
        .bind(tenant)
        .bind(view.id)
        .bind(operator)
        .bind(view.page)
        .bind(&view.name)
        .bind(&view.query)
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Renames a view; whether there was one of this operator.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn rename_view(tx: &mut Tx, tenant: TenantId, operator: OperatorId, id: ViewId, name: &str) -> Result<bool, DbError> {
    let done = sqlx::query("update saved_views set name = $4 where tenant_id = $1 and operator_id = $2 and id = $3")
        .bind(tenant)
        .bind(operator)
        .bind(id)
        .bind(name)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Deletes a view and returns it, if there was one of this operator.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn delete_view(tx: &mut Tx, tenant: TenantId, operator: OperatorId, id: ViewId) -> Result<Option<SavedView>, DbError> {
    let deleted: Option<(ViewPage, String, String)> =
        sqlx::query_as("delete from saved_views where tenant_id = $1 and operator_id = $2 and id = $3 returning page, name, query")
            .bind(tenant)
            .bind(operator)
            .bind(id)
            .fetch_optional(&mut **tx)
            .await?;
    Ok(deleted.map(|(page, name, query)| SavedView { id, page, name, query }))
}

/// The user that has this reference in the organisation.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn user_by_reference(pool: &PgPool, tenant: TenantId, reference: &str) -> Result<Option<UserId>, DbError> {
    Ok(sqlx::query_scalar("select id from users where tenant_id = $1 and external_ref = $2")
        .bind(tenant)
        .bind(reference)
        .fetch_optional(pool)
        .await?)
}

/// Inserts a user, unless the organisation has the id or the reference already; whether it was inserted.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn insert_user(
    tx: &mut Tx,
    tenant: TenantId,
    id: UserId,
    reference: &str,
    name: Option<&str>,
    now: DateTime<Utc>,
) -> Result<bool, DbError> {
    let done =
        sqlx::query("insert into users (tenant_id, id, external_ref, name, created_at) values ($1, $2, $3, $4, $5) on conflict do nothing")
            .bind(tenant)
            .bind(id)
            .bind(reference)
            .bind(name)
            .bind(now)
            .execute(&mut **tx)
            .await?;
    Ok(done.rows_affected() > 0)
}

/// Users of a tenant, by their reference.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn users(tx: &mut Tx, tenant: TenantId) -> Result<Vec<User>, DbError> {
    Ok(sqlx::query_as("select id, external_ref, name from users where tenant_id = $1 order by external_ref")
        .bind(tenant)
        .fetch_all(&mut **tx)
        .await?)
}

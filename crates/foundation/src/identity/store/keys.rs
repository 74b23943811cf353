//! SQL of API keys.

use super::parse_all;
use crate::identity::model::KeyRecord;
use crate::identity::{KeyRef, Use};
use chrono::{DateTime, NaiveDate, Utc};
use db::cursor::{Cursor, Key};
use db::{DbError, SystemPool, Tx, sql};
use std::collections::BTreeMap;
use uuid::Uuid;
use wire::{AgentId, AgentKey, ApiKey, KeyId, KeyScope, OperatorId, TenantId, Toolset, UserId};

pub struct NewKey<'a> {
    pub id: KeyId,
    pub agent_id: AgentId,
    pub prefix: &'a str,
    pub secret_hash: &'a [u8],
    pub name: &'a str,
    pub scopes: &'a [KeyScope],
    /// The one user that it acts for.
    pub user_id: Option<UserId>,
    pub expires_at: Option<DateTime<Utc>>,
}

/// Inserts a key; false when the tenant has no such agent, or has retired it. The commons is not an agent: no key speaks for all.
pub async fn insert_key(tx: &mut Tx, tenant: TenantId, key: &NewKey<'_>, now: DateTime<Utc>) -> Result<bool, DbError> {
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    tx.changed_any(sql!(
        [tenant, key.id, key.agent_id, key.prefix, key.secret_hash, key.name, scopes, now, key.expires_at, key.user_id],
        r"insert into api_keys (tenant_id, id, agent_id, prefix, secret_hash, name, scopes, created_at, expires_at, user_id)
          select tenant_id, $2, id, $4, $5, $6, $7, $8, $9, $10 from agents
           where tenant_id = $1 and id = $3 and kind = 'agent' and retired_at is null for share"
    ))
    .await
}

#[derive(sqlx::FromRow)]
struct KeyRow {
    #[sqlx(flatten)]
    record: KeyRecord,
    scopes: Vec<String>,
}

impl TryFrom<KeyRow> for KeyRecord {
    type Error = DbError;
    fn try_from(KeyRow { record, scopes }: KeyRow) -> Result<Self, DbError> {
        Ok(Self { scopes: parse_all("api_keys", "scopes", &record.key_id.to_string(), &scopes)?, ..record })
    }
}

/// Selects keys as [`KeyRow`].
macro_rules! keys {
    () => {
        r"select k.tenant_id, c.id as commons_id, k.id as key_id, k.agent_id, a.slug as agent_slug, a.require_user,
                 a.blocked_at is not null as blocked, k.secret_hash, k.scopes, k.user_id, k.expires_at,
                 coalesce(k.revoked_at, a.retired_at) as revoked_at,
                 exists (select from oauth_grants g where g.tenant_id = k.tenant_id and g.key_id = k.id) as is_granted
            from api_keys k
            join agents a on a.tenant_id = k.tenant_id and a.id = k.agent_id
            join agents c on c.tenant_id = k.tenant_id and c.kind = 'commons'
           where "
    };
}

/// The key that a request's prefix names.
pub async fn key_by_prefix(pool: &SystemPool, prefix: &str) -> Result<Option<KeyRecord>, DbError> {
    let row: Option<KeyRow> = pool.row_if_any(sql!([prefix], keys!(), "k.prefix = $1")).await?;
    row.map(TryInto::try_into).transpose()
}

/// What the usable keys of an agent may do, together.
pub async fn scopes_of(tx: &mut Tx, tenant: TenantId, agent: AgentId, now: DateTime<Utc>) -> Result<Vec<KeyScope>, DbError> {
    let scopes: Vec<String> = tx
        .values(sql!(
            [tenant, agent, now],
            r"select distinct s from api_keys k cross join unnest(k.scopes) as s
           where k.tenant_id = $1 and k.agent_id = $2 and k.revoked_at is null and (k.expires_at is null or k.expires_at > $3)
           order by s"
        ))
        .await?;
    parse_all("api_keys", "scopes", &agent.to_string(), &scopes)
}

/// The sets of tools that a key lists besides `core`; absent if the tenant has no such key.
pub async fn toolsets(tx: &mut Tx, tenant: TenantId, key: KeyId) -> Result<Option<Vec<Toolset>>, DbError> {
    let sets: Option<Vec<String>> =
        tx.value_if_any(sql!([tenant, key], "select toolsets from api_keys where tenant_id = $1 and id = $2")).await?;
    sets.map(|sets| parse_all("api_keys", "toolsets", &key.to_string(), &sets)).transpose()
}

/// Sets the sets of tools that a key lists besides `core`; whether the tenant has the key.
pub async fn set_toolsets(tx: &mut Tx, tenant: TenantId, key: KeyId, sets: &[Toolset]) -> Result<bool, DbError> {
    let sets: Vec<&str> = sets.iter().map(|set| set.as_str()).collect();
    tx.changed_any(sql!([tenant, key, sets], "update api_keys set toolsets = $3 where tenant_id = $1 and id = $2")).await
}

#[derive(sqlx::FromRow)]
struct ListedKey {
    id: KeyId,
    name: String,
    prefix: String,
    scopes: Vec<String>,
    toolsets: Vec<String>,
    user_id: Option<UserId>,
    user_name: Option<String>,
    operator_id: Option<OperatorId>,
    operator_name: Option<String>,
    created_at: DateTime<Utc>,
    requests: i64,
    refused: i64,
    last_used_at: Option<DateTime<Utc>>,
    last_used_from: Option<String>,
    last_refused_at: Option<DateTime<Utc>>,
    expires_at: Option<DateTime<Utc>>,
    renewable_until: Option<DateTime<Utc>>,
    revoked_at: Option<DateTime<Utc>>,
}

/// At most `most` keys of an agent: those in force first, then the newest.
pub async fn keys_of(tx: &mut Tx, tenant: TenantId, agent: AgentId, most: i64) -> Result<Vec<AgentKey>, DbError> {
    let rows: Vec<ListedKey> = tx
        .rows(sql!(
            [tenant, agent, most],
            r"select k.id, k.name, k.prefix, k.scopes, k.toolsets, k.user_id, coalesce(u.name, u.external_ref) as user_name,
                 o.id as operator_id, o.name as operator_name, k.created_at, k.requests, k.refused, k.last_used_at,
                 host(k.last_used_from) as last_used_from, k.last_refused_at, k.expires_at, g.refresh_expires_at as renewable_until,
                 k.revoked_at
            from api_keys k
            left join users u on u.tenant_id = k.tenant_id and u.id = k.user_id
            left join oauth_grants g on g.tenant_id = k.tenant_id and g.key_id = k.id
            left join operators o on o.tenant_id = g.tenant_id and o.id = g.operator_id
           where k.tenant_id = $1 and k.agent_id = $2
           order by k.revoked_at is not null, k.created_at desc, k.id limit $3"
        ))
        .await?;
    let key = |row: ListedKey| {
        Ok(AgentKey {
            scopes: parse_all("api_keys", "scopes", &row.id.to_string(), &row.scopes)?,
            toolsets: parse_all("api_keys", "toolsets", &row.id.to_string(), &row.toolsets)?,
            user: row.user_id.map(|id| (id, row.user_name)),
            given_by: row.operator_id.zip(row.operator_name),
            id: row.id,
            name: row.name,
            hint: format!("rmb_{}_…", row.prefix),
            created_at: row.created_at,
            requests: row.requests,
            refused: row.refused,
            last_used_at: row.last_used_at,
            last_used_from: row.last_used_from,
            last_refused_at: row.last_refused_at,
            expires_at: row.expires_at,
            renewable_until: row.renewable_until,
            revoked_at: row.revoked_at,
        })
    };
    rows.into_iter().map(key).collect()
}

/// Names of keys, each with the beginning of its key, by id.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn key_names(tx: &mut Tx, tenant: TenantId, ids: &[KeyId]) -> Result<Vec<(KeyId, String)>, DbError> {
    tx.rows(sql!([tenant, ids], "select id, name || ' (rmb_' || prefix || '_…)' from api_keys where tenant_id = $1 and id = any($2)")).await
}

pub async fn key_by_id(pool: &SystemPool, tenant: TenantId, id: KeyId) -> Result<Option<KeyRecord>, DbError> {
    let row: Option<KeyRow> = pool.row_if_any(sql!([tenant, id], keys!(), "k.tenant_id = $1 and k.id = $2")).await?;
    row.map(TryInto::try_into).transpose()
}

/// Adds to the counts of keys, and notes their last uses.
pub async fn write_uses(pool: &SystemPool, uses: &BTreeMap<KeyRef, Use>) -> Result<(), DbError> {
    let (tenants, keys): (Vec<Uuid>, Vec<Uuid>) = uses.keys().map(|(tenant, key)| (tenant.0, key.0)).unzip();
    let all = || uses.values();
    pool.run(sql!(
        [
            tenants,
            keys,
            all().map(|one| one.requests).collect::<Vec<_>>(),
            all().map(|one| one.refused).collect::<Vec<_>>(),
            all().map(|one| one.used.map(|(at, _)| at)).collect::<Vec<_>>(),
            all().map(|one| one.used.and_then(|(_, from)| from).map(|from| from.to_string())).collect::<Vec<_>>(),
            all().map(|one| one.refused_at).collect::<Vec<_>>()
        ],
        r"update api_keys k
             set requests = k.requests + u.requests, refused = k.refused + u.refused,
                 last_used_at = greatest(k.last_used_at, u.used_at),
                 last_used_from = case when u.used_at >= coalesce(k.last_used_at, u.used_at) then u.used_from::inet
                      else k.last_used_from end,
                 last_refused_at = greatest(k.last_refused_at, u.refused_at)
            from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::text[], $7::timestamptz[])
              as u (tenant_id, key_id, requests, refused, used_at, used_from, refused_at)
           where k.tenant_id = u.tenant_id and k.id = u.key_id"
    ))
    .await
}

/// Adds to what a key sent on a day, unless that would exceed the limit; whether it was added. A day that ended on another server's clock
/// does not begin again.
pub async fn count_source(pool: &SystemPool, (tenant, key): KeyRef, day: NaiveDate, bytes: i64, limit: i64) -> Result<bool, DbError> {
    pool.changed_any(sql!(
        [tenant, key, day, bytes, limit],
        r"update api_keys
             set source_bytes = case when source_day >= $3 then source_bytes else 0 end + $4, source_day = greatest(source_day, $3)
           where tenant_id = $1 and id = $2 and case when source_day >= $3 then source_bytes else 0 end + $4 <= $5"
    ))
    .await
}

/// Revokes a key; whether it was there and in force.
pub async fn revoke_key(tx: &mut Tx, tenant: TenantId, key: KeyId, now: DateTime<Utc>) -> Result<bool, DbError> {
    tx.changed_any(sql!([tenant, key, now], "update api_keys set revoked_at = $3 where tenant_id = $1 and id = $2 and revoked_at is null"))
        .await
}

/// Revokes the keys of an agent that are in force; which they were.
pub async fn revoke_keys_of(tx: &mut Tx, tenant: TenantId, agent: AgentId, now: DateTime<Utc>) -> Result<Vec<KeyId>, DbError> {
    tx.values(sql!(
        [tenant, agent, now],
        "update api_keys set revoked_at = $3 where tenant_id = $1 and agent_id = $2 and revoked_at is null returning id"
    ))
    .await
}

/// Notes that a key was replaced by another, and lets it expire at a time, unless it expires before; whether the tenant has it.
pub async fn replace_key(tx: &mut Tx, tenant: TenantId, key: KeyId, by: KeyId, at: DateTime<Utc>) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, key, by, at],
        "update api_keys set replaced_by = $3, expires_at = least(expires_at, $4) where tenant_id = $1 and id = $2"
    ))
    .await
}

/// Has the bots of one key use another; whether there were any.
pub async fn move_bots(tx: &mut Tx, tenant: TenantId, from: KeyId, to: KeyId) -> Result<bool, DbError> {
    tx.changed_any(sql!([tenant, from, to], "update bots set key_id = $3 where tenant_id = $1 and key_id = $2")).await
}

/// Whether the tenant has a key. The row is locked: another change of it waits for the transaction.
pub async fn lock_key(tx: &mut Tx, tenant: TenantId, key: KeyId) -> Result<bool, DbError> {
    let known: Option<KeyId> =
        tx.value_if_any(sql!([tenant, key], "select id from api_keys where tenant_id = $1 and id = $2 for update")).await?;
    Ok(known.is_some())
}

#[derive(sqlx::FromRow)]
struct ApiKeyRow {
    id: KeyId,
    agent_id: AgentId,
    agent: String,
    name: String,
    prefix: String,
    scopes: Vec<String>,
    toolsets: Vec<String>,
    user_id: Option<UserId>,
    is_granted: bool,
    created_at: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
    revoked_at: Option<DateTime<Utc>>,
    replaced_by: Option<KeyId>,
    requests: i64,
    refused: i64,
    last_used_at: Option<DateTime<Utc>>,
    last_used_from: Option<String>,
    last_refused_at: Option<DateTime<Utc>>,
}

impl TryFrom<ApiKeyRow> for ApiKey {
    type Error = DbError;
    fn try_from(row: ApiKeyRow) -> Result<Self, DbError> {
        Ok(Self {
            scopes: parse_all("api_keys", "scopes", &row.id.to_string(), &row.scopes)?,
            toolsets: parse_all("api_keys", "toolsets", &row.id.to_string(), &row.toolsets)?,
            id: row.id,
            agent_id: row.agent_id,
            agent: row.agent,
            name: row.name,
            hint: format!("rmb_{}_…", row.prefix),
            user_id: row.user_id,
            is_granted: row.is_granted,
            created_at: row.created_at,
            expires_at: row.expires_at,
            revoked_at: row.revoked_at,
            replaced_by: row.replaced_by,
            requests: row.requests,
            refused: row.refused,
            last_used_at: row.last_used_at,
            last_used_from: row.last_used_from,
            last_refused_at: row.last_refused_at,
        })
    }
}

/// What decides the place of a key in a list, before ids do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPlace {
    pub is_revoked: bool,
    pub created_at: DateTime<Utc>,
}

impl Key for KeyPlace {
    fn write(&self) -> String {
        format!("{}{}", if self.is_revoked { 'r' } else { 'f' }, self.created_at.write())
    }

    fn read(text: &str) -> Option<Self> {
        let in_force = text.strip_prefix('f').map(|at| (false, at));
        let (is_revoked, at) = in_force.or_else(|| text.strip_prefix('r').map(|at| (true, at)))?;
        Some(Self { is_revoked, created_at: <DateTime<Utc>>::read(at)? })
    }
}

/// At most `most` keys of a tenant, of one agent or one of them: those in force first, then the newest; with a cursor, those after it.
pub async fn api_keys(
    tx: &mut Tx,
    tenant: TenantId,
    agent: Option<AgentId>,
    key: Option<KeyId>,
    after: Option<&Cursor<KeyPlace>>,
    most: i64,
) -> Result<Vec<ApiKey>, DbError> {
    let place = after.map(|cursor| cursor.key);
    let (is_revoked, created_at) = (place.map(|place| place.is_revoked), place.map(|place| place.created_at));
    let rows: Vec<ApiKeyRow> = tx
        .rows(sql!(
            [tenant, agent, key, most, is_revoked, created_at, after.map(|cursor| cursor.id)],
            r"select k.id, k.agent_id, a.slug as agent, k.name, k.prefix, k.scopes, k.toolsets, k.user_id, g.key_id is not null as is_granted,
                 k.created_at, k.expires_at, k.revoked_at, k.replaced_by, k.requests, k.refused, k.last_used_at, host(k.last_used_from) as last_used_from,
                 k.last_refused_at
            from api_keys k
            join agents a on a.tenant_id = k.tenant_id and a.id = k.agent_id
            left join oauth_grants g on g.tenant_id = k.tenant_id and g.key_id = k.id
           where k.tenant_id = $1 and ($2::uuid is null or k.agent_id = $2) and ($3::uuid is null or k.id = $3)
             and ($5::bool is null or (k.revoked_at is not null) > $5
                  or ((k.revoked_at is not null) = $5 and (k.created_at < $6 or (k.created_at = $6 and k.id > $7))))
           order by k.revoked_at is not null, k.created_at desc, k.id limit $4"
        ))
        .await?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// What the keys of an agent tell of its calls.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct AgentCalls {
    pub agent_id: AgentId,
    pub slug: String,
    pub last_used_at: Option<DateTime<Utc>>,
    pub last_refused_at: Option<DateTime<Utc>>,
    /// Whether it has a key that nobody took away or replaced, even if it expired.
    pub is_meant_to_call: bool,
}

/// The calls of each agent of a tenant that ever had a key, by slug.
pub async fn calls_of_agents(tx: &mut Tx, tenant: TenantId) -> Result<Vec<AgentCalls>, DbError> {
    tx.rows(sql!(
        [tenant],
        r"select a.id as agent_id, a.slug, max(k.last_used_at) as last_used_at, max(k.last_refused_at) as last_refused_at,
                 bool_or(k.revoked_at is null and k.replaced_by is null) as is_meant_to_call
            from api_keys k join agents a on a.tenant_id = k.tenant_id and a.id = k.agent_id
           where k.tenant_id = $1 group by a.id, a.slug order by a.slug"
    ))
    .await
}

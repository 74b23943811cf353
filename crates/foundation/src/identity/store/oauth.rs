//! SQL of OAuth: clients that register themselves, and the access that operators gave them.

use super::parse_all;
use crate::identity::model::{Grant, OauthClient};
use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, Tx, sql};
use uuid::Uuid;
use wire::{AgentId, KeyId, OperatorId, TenantId};

pub async fn insert_client(tx: &mut Tx, client: &OauthClient, now: DateTime<Utc>) -> Result<(), DbError> {
    tx.run(sql!(
        [client.id, &client.name, &client.redirect_uris, now],
        "insert into oauth_clients (id, name, redirect_uris, created_at) values ($1, $2, $3, $4)"
    ))
    .await
}

pub async fn oauth_client(pool: &SystemPool, id: Uuid) -> Result<Option<OauthClient>, DbError> {
    pool.row_if_any(sql!([id], "select id, name, redirect_uris from oauth_clients where id = $1")).await
}

/// Deletes the clients that registered before a time and have no access.
pub async fn sweep_clients(tx: &mut Tx, before: DateTime<Utc>) -> Result<(), DbError> {
    tx.run(sql!(
        [before],
        r"delete from oauth_clients c
           where created_at < $1 and not exists (select from oauth_grants g where g.client_id = c.id)"
    ))
    .await
}

/// Deletes the oldest clients that have no access, so that at most `most` are left.
pub async fn trim_clients(tx: &mut Tx, most: i64) -> Result<(), DbError> {
    tx.run(sql!(
        [most],
        r"delete from oauth_clients where id in (
            select c.id from oauth_clients c
             where not exists (select from oauth_grants g where g.client_id = c.id)
             order by c.created_at desc, c.id desc offset $1)"
    ))
    .await
}

/// Access that an operator gives to a client.
pub struct NewGrant<'a> {
    pub key_id: KeyId,
    pub client_id: Uuid,
    pub operator_id: OperatorId,
    pub redirect_uri: &'a str,
    pub challenge: &'a str,
    pub code_hash: &'a [u8],
    pub code_expires_at: DateTime<Utc>,
}

/// Inserts access with the key of this id; false when the tenant has no such key.
pub async fn insert_grant(tx: &mut Tx, tenant: TenantId, new: &NewGrant<'_>, now: DateTime<Utc>) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, new.key_id, new.client_id, new.operator_id, new.redirect_uri, new.challenge, new.code_hash, new.code_expires_at, now],
        r"insert into oauth_grants (tenant_id, key_id, client_id, operator_id, redirect_uri, challenge, code_hash, code_expires_at, created_at)
          select tenant_id, id, $3, $4, $5, $6, $7, $8, $9 from api_keys where tenant_id = $1 and id = $2"
    ))
    .await
}

#[derive(sqlx::FromRow)]
struct GrantRow {
    #[sqlx(flatten)]
    grant: Grant,
    scopes: Vec<String>,
    roles: Vec<String>,
}

impl TryFrom<GrantRow> for Grant {
    type Error = DbError;
    fn try_from(GrantRow { grant, scopes, roles }: GrantRow) -> Result<Self, DbError> {
        Ok(Self {
            scopes: parse_all("api_keys", "scopes", &grant.key_id.to_string(), &scopes)?,
            roles: parse_all("operators", "roles", &grant.operator_id.to_string(), &roles)?,
            ..grant
        })
    }
}

/// Selects access as [`GrantRow`], and locks it: a code or a token that is sent twice at a time is used once.
macro_rules! grants {
    ($which:literal) => {
        concat!(
            r"select g.tenant_id, c.id as commons_id, g.key_id, k.agent_id, g.client_id, g.operator_id, g.redirect_uri, g.challenge,
                     g.code_expires_at, g.exchanged_at, g.turn_hash, g.previous_hash, g.salt, g.renewed_at,
                     g.refresh_expires_at, k.revoked_at is not null as is_revoked, k.scopes, o.roles, o.disabled_at is not null as is_disabled
                from oauth_grants g
                join api_keys k on k.tenant_id = g.tenant_id and k.id = g.key_id
                join operators o on o.tenant_id = g.tenant_id and o.id = g.operator_id
                join agents c on c.tenant_id = g.tenant_id and c.kind = 'commons'
               where ",
            $which,
            " for update of g"
        )
    };
}

/// The access that a code belongs to, by the hash of the code.
pub async fn grant_by_code(tx: &mut Tx, code_hash: &[u8]) -> Result<Option<Grant>, DbError> {
    let row: Option<GrantRow> = tx.row_if_any(sql!([code_hash], grants!("g.code_hash = $1"))).await?;
    row.map(TryInto::try_into).transpose()
}

/// The access that a refresh token belongs to, by the hash of the token's first part.
pub async fn grant_by_family(tx: &mut Tx, family_hash: &[u8]) -> Result<Option<Grant>, DbError> {
    let row: Option<GrantRow> = tx.row_if_any(sql!([family_hash], grants!("g.family_hash = $1"))).await?;
    row.map(TryInto::try_into).transpose()
}

/// The access whose tokens are a key.
pub async fn grant_of_key(tx: &mut Tx, tenant: TenantId, key: KeyId) -> Result<Option<Grant>, DbError> {
    let row: Option<GrantRow> = tx.row_if_any(sql!([tenant, key], grants!("g.tenant_id = $1 and g.key_id = $2"))).await?;
    row.map(TryInto::try_into).transpose()
}

/// What replaces the tokens of some access.
pub struct NewTokens<'a> {
    pub prefix: &'a str,
    pub secret_hash: &'a [u8],
    pub expires_at: DateTime<Utc>,
    pub family_hash: &'a [u8],
    pub turn_hash: &'a [u8],
    pub salt: &'a str,
    pub refresh_expires_at: DateTime<Utc>,
}

/// Replaces the tokens of some access; false if its key is revoked.
pub async fn renew(tx: &mut Tx, tenant: TenantId, key: KeyId, new: &NewTokens<'_>, now: DateTime<Utc>) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, key, new.prefix, new.secret_hash, new.expires_at, new.family_hash, new.turn_hash, new.refresh_expires_at, now, new.salt],
        r"with renewed as (
            update api_keys set prefix = $3, secret_hash = $4, expires_at = $5
             where tenant_id = $1 and id = $2 and revoked_at is null
            returning tenant_id, id)
          update oauth_grants g
             set family_hash = $6, turn_hash = $7, previous_hash = g.turn_hash, salt = $10, renewed_at = $9, refresh_expires_at = $8,
                 exchanged_at = coalesce(g.exchanged_at, $9)
            from renewed
           where g.tenant_id = renewed.tenant_id and g.key_id = renewed.id"
    ))
    .await
}

/// Revokes the keys of all access that an operator gave; which they were, with their agents.
pub async fn revoke_granted(
    tx: &mut Tx,
    tenant: TenantId,
    operator: OperatorId,
    now: DateTime<Utc>,
) -> Result<Vec<(KeyId, AgentId)>, DbError> {
    tx.rows(sql!(
        [tenant, operator, now],
        r"update api_keys k set revoked_at = $3
            from oauth_grants g
           where g.tenant_id = $1 and g.operator_id = $2 and k.tenant_id = g.tenant_id and k.id = g.key_id and k.revoked_at is null
          returning k.id, k.agent_id"
    ))
    .await
}

/// Deletes access that has ended: its key was revoked, or its code or refresh token expired before a time. The keys stay in their lists.
pub async fn sweep_grants(tx: &mut Tx, before: DateTime<Utc>) -> Result<(), DbError> {
    tx.run(sql!(
        [before],
        r"delete from oauth_grants g
           using api_keys k
           where k.tenant_id = g.tenant_id and k.id = g.key_id
             and (k.revoked_at < $1 or coalesce(g.refresh_expires_at, g.code_expires_at) < $1)"
    ))
    .await
}

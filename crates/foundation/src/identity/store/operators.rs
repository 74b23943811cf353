//! SQL of operators and their sessions.

use super::parse_all;
use crate::identity::model::{Admin, OperatorRecord};
use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, Tx, lock, lock_key, sql};
use wire::{AdminOperator, OperatorId, OperatorRole, TenantId};

pub struct NewOperator<'a> {
    pub id: OperatorId,
    pub login: &'a str,
    pub name: &'a str,
    pub password_hash: &'a str,
    pub roles: &'a [OperatorRole],
}

pub async fn insert_operator(tx: &mut Tx, tenant: TenantId, operator: &NewOperator<'_>, now: DateTime<Utc>) -> Result<(), DbError> {
    let roles: Vec<&str> = operator.roles.iter().map(|role| role.as_str()).collect();
    tx.run(sql!(
        [tenant, operator.id, operator.login, operator.name, operator.password_hash, roles, now],
        "insert into operators (tenant_id, id, login, name, password_hash, roles, created_at) values ($1, $2, $3, $4, $5, $6, $7)"
    ))
    .await
}

/// Inserts an operator without a password, who signs in as `subject` of the identity provider `issuer`.
pub async fn insert_operator_of_provider(
    tx: &mut Tx,
    tenant: TenantId,
    new: &AdminOperator,
    issuer: &str,
    subject: &str,
) -> Result<(), DbError> {
    let roles: Vec<&str> = new.roles.iter().map(|role| role.as_str()).collect();
    tx.run(sql!(
        [tenant, new.id, &new.login, &new.name, roles, new.created_at, issuer, subject],
        r"insert into operators (tenant_id, id, login, name, roles, created_at, issuer, subject)
          values ($1, $2, $3, $4, $5, $6, $7, $8)"
    ))
    .await
}

#[derive(sqlx::FromRow)]
struct OperatorRow {
    #[sqlx(flatten)]
    record: OperatorRecord,
    roles: Vec<String>,
}

impl TryFrom<OperatorRow> for OperatorRecord {
    type Error = DbError;
    fn try_from(OperatorRow { record, roles }: OperatorRow) -> Result<Self, DbError> {
        Ok(Self { roles: parse_all("operators", "roles", &record.id.to_string(), &roles)?, ..record })
    }
}

/// Selects operators as [`OperatorRow`].
macro_rules! operators {
    () => {
        r"select o.tenant_id, t.slug as tenant_slug, t.name as tenant_name, c.id as commons_id, o.id, o.login, o.name, o.password_hash, o.roles,
                 o.access_epoch, o.disabled_at, o.issuer, o.attach_until
            from operators o join tenants t on t.id = o.tenant_id join agents c on c.tenant_id = o.tenant_id and c.kind = 'commons'
           where "
    };
}

/// An operator by what is typed at sign-in.
pub async fn operator_by_login(pool: &SystemPool, login: &str) -> Result<Option<OperatorRecord>, DbError> {
    let row: Option<OperatorRow> = pool.row_if_any(sql!([login], operators!(), "o.login = $1")).await?;
    row.map(TryInto::try_into).transpose()
}

/// As [`operator_by_login`], on the connection of a transaction: whoever holds one must not wait for a second one.
pub async fn operator_by_login_in(tx: &mut Tx, login: &str) -> Result<Option<OperatorRecord>, DbError> {
    let row: Option<OperatorRow> = tx.row_if_any(sql!([login], operators!(), "o.login = $1")).await?;
    row.map(TryInto::try_into).transpose()
}

pub async fn operator(pool: &SystemPool, id: OperatorId) -> Result<Option<OperatorRecord>, DbError> {
    let row: Option<OperatorRow> = pool.row_if_any(sql!([id], operators!(), "o.id = $1")).await?;
    row.map(TryInto::try_into).transpose()
}

/// An operator by what an identity provider calls the person.
pub async fn operator_by_subject(pool: &SystemPool, issuer: &str, subject: &str) -> Result<Option<OperatorRecord>, DbError> {
    let row: Option<OperatorRow> = pool.row_if_any(sql!([issuer, subject], operators!(), "o.issuer = $1 and o.subject = $2")).await?;
    row.map(TryInto::try_into).transpose()
}

/// As [`operator_by_subject`], on the connection of a transaction.
pub async fn operator_by_subject_in(tx: &mut Tx, issuer: &str, subject: &str) -> Result<Option<OperatorRecord>, DbError> {
    let row: Option<OperatorRow> = tx.row_if_any(sql!([issuer, subject], operators!(), "o.issuer = $1 and o.subject = $2")).await?;
    row.map(TryInto::try_into).transpose()
}

/// The operators with the role `admin` who are not disabled, by name.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn admins(tx: &mut Tx, tenant: TenantId) -> Result<Vec<Admin>, DbError> {
    tx.rows(sql!(
        [tenant, OperatorRole::Admin.as_str()],
        "select id, name from operators where tenant_id = $1 and disabled_at is null and $2 = any(roles) order by lower(name), id"
    ))
    .await
}

/// Whether an operator's access is that of `epoch`. The row is locked: a change of it waits for the transaction.
pub async fn lock_operator(tx: &mut Tx, tenant: TenantId, id: OperatorId, epoch: i32) -> Result<bool, DbError> {
    let unchanged: Option<OperatorId> = tx
        .value_if_any(sql!(
            [tenant, id, epoch],
            "select id from operators where tenant_id = $1 and id = $2 and access_epoch = $3 for share"
        ))
        .await?;
    Ok(unchanged.is_some())
}

/// Disables an operator and ends the sessions; whether one was there and enabled.
pub async fn disable_operator(tx: &mut Tx, tenant: TenantId, id: OperatorId, now: DateTime<Utc>) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, id, now],
        r"update operators set disabled_at = $3, access_epoch = access_epoch + 1
           where tenant_id = $1 and id = $2 and disabled_at is null"
    ))
    .await
}

/// Gives a disabled operator access again; whether one was there and disabled.
pub async fn enable_operator(tx: &mut Tx, tenant: TenantId, id: OperatorId) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, id],
        r"update operators set disabled_at = null, access_epoch = access_epoch + 1
           where tenant_id = $1 and id = $2 and disabled_at is not null"
    ))
    .await
}

/// Writes the name and the roles of an operator, and may end the sessions; whether the tenant has the operator.
pub async fn update_operator(tx: &mut Tx, tenant: TenantId, operator: &AdminOperator, ends_sessions: bool) -> Result<bool, DbError> {
    let roles: Vec<&str> = operator.roles.iter().map(|role| role.as_str()).collect();
    tx.changed_any(sql!(
        [tenant, operator.id, &operator.name, roles, i32::from(ends_sessions)],
        "update operators set name = $3, roles = $4, access_epoch = access_epoch + $5 where tenant_id = $1 and id = $2"
    ))
    .await
}

/// Takes an operator's identity away and ends the sessions: until a time, somebody may get the account with another one. False for an operator
/// with a password.
pub async fn detach_identity(tx: &mut Tx, tenant: TenantId, id: OperatorId, until: DateTime<Utc>) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, id, until],
        r"update operators set issuer = null, subject = null, attach_until = $3, access_epoch = access_epoch + 1
           where tenant_id = $1 and id = $2 and password_hash is null"
    ))
    .await
}

/// Gives an operator whose identity was detached another one; false if the time for that is over.
pub async fn attach_identity(
    tx: &mut Tx,
    tenant: TenantId,
    id: OperatorId,
    (issuer, subject): (&str, &str),
    now: DateTime<Utc>,
) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, id, issuer, subject, now],
        r"update operators set issuer = $3, subject = $4, attach_until = null
           where tenant_id = $1 and id = $2 and attach_until > $5 and disabled_at is null"
    ))
    .await
}

/// Lets changes of a tenant's operators wait for one another, so that admins can be counted.
pub async fn lock_operators(tx: &mut Tx, tenant: TenantId) -> Result<(), DbError> {
    lock(tx, lock_key(&[b"operators", tenant.0.as_bytes()])).await
}

#[derive(sqlx::FromRow)]
struct ListedOperator {
    id: OperatorId,
    login: String,
    name: String,
    roles: Vec<String>,
    created_at: DateTime<Utc>,
    disabled_at: Option<DateTime<Utc>>,
    issuer: Option<String>,
    attach_until: Option<DateTime<Utc>>,
}

/// Operators of a tenant by login, or the one with an id.
pub async fn operators(tx: &mut Tx, tenant: TenantId, id: Option<OperatorId>) -> Result<Vec<AdminOperator>, DbError> {
    let rows: Vec<ListedOperator> = tx
        .rows(sql!(
            [tenant, id],
            r"select id, login, name, roles, created_at, disabled_at, issuer, attach_until from operators
           where tenant_id = $1 and ($2::uuid is null or id = $2) order by login"
        ))
        .await?;
    let operator = |row: ListedOperator| {
        let roles = parse_all("operators", "roles", &row.id.to_string(), &row.roles)?;
        let ListedOperator { id, login, name, created_at, disabled_at, issuer, attach_until, .. } = row;
        Ok(AdminOperator { id, login, name, roles, created_at, disabled_at, issuer, attach_until })
    };
    rows.into_iter().map(operator).collect()
}

/// Replaces an operator's password hash and ends the sessions.
pub async fn set_password(tx: &mut Tx, id: OperatorId, password_hash: &str) -> Result<(), DbError> {
    tx.run(sql!(
        [id, password_hash],
        "update operators set password_hash = $2, attach_until = null, access_epoch = access_epoch + 1 where id = $1"
    ))
    .await
}

/// A session that has not expired, by the hash of its id, as everywhere below.
pub async fn session(pool: &SystemPool, id: &[u8], now: DateTime<Utc>) -> Result<Option<(serde_json::Value, DateTime<Utc>)>, DbError> {
    pool.row_if_any(sql!([id, now], "select data, expires_at from sessions where id_hash = $1 and expires_at > $2")).await
}

/// Inserts a session; false if the id is taken.
pub async fn insert_session(pool: &SystemPool, id: &[u8], data: &serde_json::Value, expires: DateTime<Utc>) -> Result<bool, DbError> {
    pool.changed_any(sql!(
        [id, data, expires],
        "insert into sessions (id_hash, data, expires_at) values ($1, $2, $3) on conflict (id_hash) do nothing"
    ))
    .await
}

/// Writes a session that exists. One that was deleted meanwhile stays deleted: a late save must not undo a sign-out.
pub async fn save_session(pool: &SystemPool, id: &[u8], data: &serde_json::Value, expires: DateTime<Utc>) -> Result<bool, DbError> {
    pool.changed_any(sql!([id, data, expires], "update sessions set data = $2, expires_at = $3 where id_hash = $1")).await
}

/// Deletes a session, and with it every one that has expired.
pub async fn delete_session(pool: &SystemPool, id: &[u8], now: DateTime<Utc>) -> Result<(), DbError> {
    pool.run(sql!([id, now], "delete from sessions where id_hash = $1 or expires_at <= $2")).await
}

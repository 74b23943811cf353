//! SQL of one-time links for operators.

use super::parse_all;
use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, Tx, sql};
use wire::{AgentId, Invitation, InvitationId, InvitationKind, OperatorId, TenantId};

/// A link before it is stored.
pub struct NewInvitation<'a> {
    pub invitation: &'a Invitation,
    /// SHA-256 of its token.
    pub token_hash: &'a [u8],
    /// Who chooses a new password with it.
    pub operator_id: Option<OperatorId>,
    /// The operator who made it; absent for keys and the command line.
    pub inviter_id: Option<OperatorId>,
}

/// A link that exists, with what its use needs.
pub struct Invited {
    pub tenant_id: TenantId,
    pub commons_id: AgentId,
    pub operator_id: Option<OperatorId>,
    pub invitation: Invitation,
}

#[derive(sqlx::FromRow)]
struct InvitedRow {
    tenant_id: TenantId,
    commons_id: AgentId,
    id: InvitationId,
    kind: InvitationKind,
    operator_id: Option<OperatorId>,
    login: String,
    name: String,
    roles: Vec<String>,
    created_by: String,
    created_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
}

impl TryFrom<InvitedRow> for Invited {
    type Error = DbError;
    fn try_from(row: InvitedRow) -> Result<Self, DbError> {
        let roles = parse_all("operator_invitations", "roles", &row.id.to_string(), &row.roles)?;
        let InvitedRow { tenant_id, commons_id, id, kind, operator_id, login, name, created_by, created_at, expires_at, .. } = row;
        Ok(Self {
            tenant_id,
            commons_id,
            operator_id,
            invitation: Invitation { id, kind, login, name, roles, created_by, created_at, expires_at },
        })
    }
}

/// The columns of [`InvitedRow`].
macro_rules! columns {
    () => {
        r"tenant_id, id, kind, operator_id, login, name, roles, created_by, created_at, expires_at,
          (select c.id from agents c where c.tenant_id = operator_invitations.tenant_id and c.kind = 'commons') as commons_id"
    };
}

/// Inserts a link in place of those of its kind for the same login, and of all that have expired.
pub async fn insert_invitation(tx: &mut Tx, tenant: TenantId, new: &NewInvitation<'_>) -> Result<(), DbError> {
    let Invitation { id, kind, login, name, roles, created_by, created_at, expires_at } = new.invitation;
    let roles: Vec<&str> = roles.iter().map(|role| role.as_str()).collect();
    tx.run(sql!(
        [tenant, *created_at, *kind, login],
        "delete from operator_invitations where tenant_id = $1 and (expires_at <= $2 or (kind = $3 and login = $4))"
    ))
    .await?;
    tx.run(sql!(
        [tenant, *id, *kind, new.token_hash, new.operator_id, login, name, roles, new.inviter_id, created_by, *created_at, *expires_at],
        r"insert into operator_invitations
            (tenant_id, id, kind, token_hash, operator_id, login, name, roles, inviter_id, created_by, created_at, expires_at)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
    ))
    .await
}

/// Links of a tenant that are valid, the newest first.
pub async fn invitations(tx: &mut Tx, tenant: TenantId, now: DateTime<Utc>) -> Result<Vec<Invitation>, DbError> {
    let rows: Vec<InvitedRow> = tx
        .rows(sql!(
            [tenant, now],
            "select ",
            columns!(),
            " from operator_invitations where tenant_id = $1 and expires_at > $2 order by created_at desc, id"
        ))
        .await?;
    rows.into_iter().map(|row| Invited::try_from(row).map(|invited| invited.invitation)).collect()
}

/// The link with a token, if it is valid.
pub async fn invitation_by_token(pool: &SystemPool, token_hash: &[u8], now: DateTime<Utc>) -> Result<Option<Invited>, DbError> {
    let row: Option<InvitedRow> = pool
        .row_if_any(sql!([token_hash, now], "select ", columns!(), " from operator_invitations where token_hash = $1 and expires_at > $2"))
        .await?;
    row.map(TryInto::try_into).transpose()
}

/// Deletes the link with a token, if it is valid. Of two who use it at once, one gets it.
pub async fn take_invitation(tx: &mut Tx, token_hash: &[u8], now: DateTime<Utc>) -> Result<Option<Invited>, DbError> {
    let row: Option<InvitedRow> = tx
        .row_if_any(sql!(
            [token_hash, now],
            "delete from operator_invitations where token_hash = $1 and expires_at > $2 returning ",
            columns!()
        ))
        .await?;
    row.map(TryInto::try_into).transpose()
}

/// Deletes a link of a tenant; the login that it was for, if there was one.
pub async fn delete_invitation(tx: &mut Tx, tenant: TenantId, id: InvitationId) -> Result<Option<String>, DbError> {
    tx.value_if_any(sql!([tenant, id], "delete from operator_invitations where tenant_id = $1 and id = $2 returning login")).await
}

/// Deletes the links that an operator made, and those for the operator: a new password, and an invitation to the operator's login, which would
/// let somebody back in whose access ended. Which they were.
pub async fn withdraw_invitations(tx: &mut Tx, tenant: TenantId, operator: OperatorId) -> Result<Vec<(InvitationId, String)>, DbError> {
    tx.rows(sql!(
        [tenant, operator],
        r"delete from operator_invitations
           where tenant_id = $1 and (inviter_id = $2 or operator_id = $2
                 or login = (select o.login from operators o where o.tenant_id = $1 and o.id = $2))
          returning id, login"
    ))
    .await
}

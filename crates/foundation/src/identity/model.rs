//! Tenants, agents, keys, operators and users, as the engine reads them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wire::{AgentId, AgentKind, Discipline, KeyId, KeyScope, OperatorId, OperatorRole, TenantId, UserId};

/// An organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenant {
    pub id: TenantId,
    pub slug: String,
    pub name: String,
    pub commons_id: AgentId,
}

/// An agent, or a tenant's commons.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Agent {
    pub id: AgentId,
    pub kind: AgentKind,
    pub slug: String,
    pub name: String,
    pub require_user: bool,
    pub discipline: Discipline,
    /// Since then its keys are refused.
    pub blocked_at: Option<DateTime<Utc>>,
    /// Since then it has no keys, and nobody can choose it.
    pub retired_at: Option<DateTime<Utc>>,
}

/// What an API key's prefix resolves to.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct KeyRecord {
    pub tenant_id: TenantId,
    pub commons_id: AgentId,
    pub key_id: KeyId,
    pub agent_id: AgentId,
    pub agent_slug: String,
    pub require_user: bool,
    /// Whether an operator gave a client this key with OAuth.
    pub is_granted: bool,
    /// Whether the agent is blocked.
    pub blocked: bool,
    pub secret_hash: Vec<u8>,
    #[sqlx(skip)]
    pub scopes: Vec<KeyScope>,
    /// The one user that the key acts for.
    pub user_id: Option<UserId>,
    pub expires_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
}

impl KeyRecord {
    /// Whether it is an access token that expired and that its client can renew.
    pub fn is_lapsed(&self, now: DateTime<Utc>) -> bool {
        self.is_granted && self.revoked_at.is_none() && self.expires_at.is_some_and(|expires| expires <= now)
    }
}

/// What a session holds of the sign-in that opened it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Admission {
    pub operator: OperatorId,
    /// The operator's access at that time; any later value ends the session.
    pub epoch: i32,
    pub at: DateTime<Utc>,
}

/// A program that asks people for access with OAuth. It chose its name: nobody has checked it.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct OauthClient {
    pub id: Uuid,
    pub name: String,
    pub redirect_uris: Vec<String>,
    /// The host and the port of the document in which the client describes itself; absent if it registered.
    #[sqlx(skip)]
    pub host: Option<String>,
}

/// The access that an operator gave to a client, with what its key and its operator may do now.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Grant {
    pub tenant_id: TenantId,
    pub commons_id: AgentId,
    pub key_id: KeyId,
    pub agent_id: AgentId,
    pub client_id: Uuid,
    pub operator_id: OperatorId,
    pub redirect_uri: String,
    pub challenge: String,
    pub code_expires_at: DateTime<Utc>,
    /// When its code was exchanged for tokens.
    pub exchanged_at: Option<DateTime<Utc>>,
    /// SHA-256 of the second part of the refresh token that is valid.
    pub turn_hash: Option<Vec<u8>>,
    /// That of the token before.
    pub previous_hash: Option<Vec<u8>>,
    /// From which, and from the token before, the tokens are computed.
    pub salt: Option<String>,
    /// When the token before was replaced.
    pub renewed_at: Option<DateTime<Utc>>,
    pub refresh_expires_at: Option<DateTime<Utc>>,
    /// Whether its key was revoked.
    pub is_revoked: bool,
    #[sqlx(skip)]
    pub scopes: Vec<KeyScope>,
    /// The roles of its operator.
    #[sqlx(skip)]
    pub roles: Vec<OperatorRole>,
    /// Whether its operator was disabled.
    pub is_disabled: bool,
}

/// An operator with what sign-in needs.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct OperatorRecord {
    pub tenant_id: TenantId,
    pub tenant_slug: String,
    pub tenant_name: String,
    pub commons_id: AgentId,
    pub id: OperatorId,
    pub login: String,
    pub name: String,
    /// Absent for whoever signs in with an identity provider.
    pub password_hash: Option<String>,
    /// The identity provider, if there is one.
    pub issuer: Option<String>,
    /// Until when the next sign-in at the provider under the login gets the account.
    pub attach_until: Option<DateTime<Utc>>,
    /// Counts the changes that end sessions.
    pub access_epoch: i32,
    #[sqlx(skip)]
    pub roles: Vec<OperatorRole>,
    pub disabled_at: Option<DateTime<Utc>>,
}

/// An operator with the role `admin`.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Admin {
    pub id: OperatorId,
    pub name: String,
}

/// A user with the organisation's own reference.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct User {
    pub id: UserId,
    pub external_ref: String,
    pub name: Option<String>,
}

//! The context of an operation: the caller, the user, and their rights; the first argument of every verb.

use crate::error::Error;
use chrono_tz::Tz;
use db::{EVERY_AGENT, Tenancy, Users};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use uuid::Uuid;
use wire::{AgentId, KeyId, KeyScope, OperatorId, OperatorRole, RequestId, SessionRef, TenantId, UserId};

/// The namespace of the ids of sessions (UUID v5).
const SESSIONS: Uuid = Uuid::from_u128(0x6b0e_52c1_7f0d_4c5e_9a31_52e8_04c7_f1d2);

/// Who acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// An agent, through one of its keys. `is_granted`: an operator gave the key to a client with OAuth and chose its user, so that no
    /// request may name another one.
    Agent { id: AgentId, slug: String, key_id: KeyId, require_user: bool, is_granted: bool },
    /// A person in the console. `epoch` counts the changes of their access before this operation.
    Operator { id: OperatorId, name: String, epoch: i32 },
    /// The command line or a worker.
    System,
}

impl Actor {
    /// `agent`, `operator` or `system`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Agent { .. } => "agent",
            Self::Operator { .. } => "operator",
            Self::System => "system",
        }
    }

    /// The id as text; empty for the system.
    pub fn id(&self) -> String {
        match self {
            Self::Agent { id, .. } => id.to_string(),
            Self::Operator { id, .. } => id.to_string(),
            Self::System => String::new(),
        }
    }

    /// The name that people see.
    pub fn name(&self) -> &str {
        match self {
            Self::Agent { slug, .. } => slug,
            Self::Operator { name, .. } => name,
            Self::System => "system",
        }
    }
}

/// For logs: kind and id.
impl std::fmt::Display for Actor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Agent { id, .. } => write!(f, "agent {id}"),
            Self::Operator { id, .. } => write!(f, "operator {id}"),
            Self::System => f.write_str("system"),
        }
    }
}

/// What the credential allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Scopes of an API key.
    KeyScopes(Vec<KeyScope>),
    /// Roles of an operator.
    Roles(Vec<OperatorRole>),
    /// Everything: the command line and workers.
    System,
}

/// The idempotency key of a request, and whether its answer is a repeated one.
#[derive(Debug)]
pub struct IdempotencyKey {
    text: String,
    replayed: Arc<AtomicBool>,
}

impl IdempotencyKey {
    /// The key as sent. `replayed` becomes true when the answer is one that was given before.
    pub fn new(text: String, replayed: Arc<AtomicBool>) -> Self {
        Self { text, replayed }
    }

    /// The key as sent.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The key of one part of the request. It can be no caller's key, because it has a space.
    fn part(&self, index: usize) -> Self {
        Self { text: format!("{} {index}", self.text), replayed: Arc::clone(&self.replayed) }
    }

    /// Notes that the answer is that of an earlier request with the same key.
    pub fn set_replayed(&self) {
        self.replayed.store(true, Ordering::Relaxed);
    }
}

impl PartialEq for IdempotencyKey {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for IdempotencyKey {}

/// One operation: tenant, actor, rights, request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpContext {
    pub tenant_id: TenantId,
    /// The tenant's shared memory.
    pub commons_id: AgentId,
    pub actor: Actor,
    pub access: Access,
    /// The users whose memories are in reach. The key or the caller's runtime decides it, not the model.
    pub users: Users,
    /// Absent: the operation runs each time it is requested.
    pub idempotency: Option<Arc<IdempotencyKey>>,
    /// The request only reads: a reference that no user has does not become a user, and the answer is that of a user without rows.
    pub only_reads: bool,
    /// What it reads may be some seconds old, and come from a replica: only for people in the console who changed nothing just now.
    pub may_lag: bool,
    /// The session of a coding agent that the operation belongs to, as its host names it.
    pub session: Option<Arc<SessionRef>>,
    pub request_id: RequestId,
    /// The zone on whose clocks hours and days are counted: UTC, except for people in the console.
    pub zone: Tz,
}

impl OpContext {
    /// For the command line and workers.
    pub fn system(tenant_id: TenantId, commons_id: AgentId, request_id: RequestId) -> Self {
        Self {
            tenant_id,
            commons_id,
            actor: Actor::System,
            access: Access::System,
            users: Users::Every,
            idempotency: None,
            only_reads: false,
            may_lag: false,
            session: None,
            request_id,
            zone: Tz::UTC,
        }
    }

    /// The same operation for one of its parts, with an idempotency key of its own.
    pub fn with_part_of_key(&self, index: usize) -> Self {
        Self { idempotency: self.idempotency.as_ref().map(|key| Arc::new(key.part(index))), ..self.clone() }
    }

    /// The rows this operation may see: an agent's own and the commons, or the whole tenant's.
    pub fn tenancy(&self) -> Tenancy {
        let agent = match &self.actor {
            Actor::Agent { id, .. } => *id,
            Actor::Operator { .. } | Actor::System => EVERY_AGENT,
        };
        Tenancy { tenant: self.tenant_id, agent, commons: self.commons_id, users: self.users }
    }

    /// The user in whose name an agent acts, if there is one.
    pub fn user(&self) -> Option<UserId> {
        self.users.id()
    }

    /// The same operation over the rows of every user that it may name: an agent with a key that may choose reaches all of them, any other
    /// the rows of its own user and those without a user. For operations on the agent as a whole, such as export and import.
    ///
    /// # Errors
    /// As [`OpContext::in_the_name_of`].
    pub fn for_all_its_users(&self) -> Result<Self, Error> {
        if matches!(self.actor, Actor::Agent { .. }) && self.chooses_user() {
            return Ok(Self { users: Users::Every, ..self.clone() });
        }
        self.in_the_name_of(None)
    }

    /// Whether the arguments of a call choose its user: nothing else has named one, and the key may choose.
    pub fn chooses_user(&self) -> bool {
        self.users == Users::Nobody && self.require(KeyScope::UsersAny).is_ok()
    }

    /// Whether the arguments of a call may name a user at all: to repeat the known one, or to choose.
    ///
    /// # Errors
    /// `Forbidden`, saying what to do instead.
    pub fn may_name_a_user(&self) -> Result<(), Error> {
        if self.users == Users::Nobody && self.require(KeyScope::UsersAny).is_err() {
            let message = "this key may not choose the user: send the header X-Remembrancer-User, or use a key with the scope users:any";
            return Err(Error::Forbidden(message.into()));
        }
        Ok(())
    }

    /// The same operation in the name of the user in its arguments. This is the only rule about who that may be.
    ///
    /// The user that the key is bound to, or that the caller's runtime named, stays. Without one, the arguments may name a user if the key
    /// holds `users:any`. Operators always see every user.
    ///
    /// # Errors
    /// `Forbidden` when the arguments name another user than the key or the runtime did, or when the key may not choose; `Invalid` when
    /// the agent must name a user and did not.
    pub fn in_the_name_of(&self, named: Option<UserId>) -> Result<Self, Error> {
        let Actor::Agent { require_user, .. } = self.actor else { return Ok(self.clone()) };
        if named.is_some() {
            self.may_name_a_user()?;
        }
        let user = match (self.users.id(), named) {
            (Some(known), Some(named)) if known != named => {
                return Err(Error::Forbidden("user_id differs from the user of this key or of the header X-Remembrancer-User: leave user_id out, or name the same user".into()));
            }
            (known, named) => known.or(named),
        };
        if require_user && user.is_none() {
            return Err(Error::invalid("user_id", "is required for this agent"));
        }
        Ok(Self { users: user.into(), ..self.clone() })
    }

    /// The id of an agent's session: the UUID v5 of agent, user and name, so that equal names of others name other sessions.
    pub fn session_id(&self, agent: AgentId, name: &str) -> Uuid {
        let user = self.user().map_or(Uuid::nil(), |user| user.0);
        Uuid::new_v5(&SESSIONS, &[agent.0.as_bytes().as_slice(), user.as_bytes(), name.as_bytes()].concat())
    }

    /// The session of a coding agent that the operation belongs to, with its id.
    pub fn agent_session(&self, agent: AgentId) -> Option<(Uuid, Arc<SessionRef>)> {
        let session = self.session.clone()?;
        Some((self.session_id(agent, &session.name()), session))
    }

    /// The agent that acts.
    ///
    /// # Errors
    /// `Forbidden` when it is not an agent.
    pub fn agent_id(&self) -> Result<AgentId, Error> {
        match &self.actor {
            Actor::Agent { id, .. } => Ok(*id),
            _ => Err(Error::Forbidden("only an agent's key can do this".into())),
        }
    }

    /// Demands a scope of the API key.
    ///
    /// # Errors
    /// `Forbidden`, naming the scope.
    pub fn require(&self, scope: KeyScope) -> Result<(), Error> {
        match &self.access {
            Access::System => Ok(()),
            Access::KeyScopes(scopes) if scopes.contains(&scope) => Ok(()),
            _ => Err(Error::Forbidden(format!("this needs the scope {scope}"))),
        }
    }

    /// The same operation with the rights of an admin, for a key with the scope `admin`: no right of an agent is left. Verbs that such a key
    /// may not call, although an admin may, ask [`OpContext::is_key`].
    ///
    /// # Errors
    /// `Forbidden`, naming the scope.
    pub fn as_admin(&self) -> Result<Self, Error> {
        self.require(KeyScope::Admin)?;
        Ok(Self { access: Access::Roles(vec![OperatorRole::Admin]), ..self.clone() })
    }

    /// Whether a program acts with a key, and no person.
    pub fn is_key(&self) -> bool {
        matches!(self.actor, Actor::Agent { .. })
    }

    /// Requires that the caller may read memories at all.
    ///
    /// # Errors
    /// `Forbidden` without `memory:read` or, for operators, the role `viewer`.
    pub fn require_reader(&self) -> Result<(), Error> {
        match &self.actor {
            Actor::Agent { .. } => self.require(KeyScope::MemoryRead),
            Actor::Operator { .. } | Actor::System => self.require_role(OperatorRole::Viewer),
        }
    }

    /// Demands a role of the operator.
    ///
    /// # Errors
    /// `Forbidden`, naming the role.
    pub fn require_role(&self, role: OperatorRole) -> Result<(), Error> {
        match &self.access {
            Access::System => Ok(()),
            Access::Roles(roles) if roles.contains(&role) => Ok(()),
            _ => Err(Error::Forbidden(format!("this needs the role {role}"))),
        }
    }
}

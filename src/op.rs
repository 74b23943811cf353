//! Who asks, on whose behalf, and what they may do: the first argument of every verb.

use crate::api::{AgentId, KeyId, OperatorId, OperatorRole, RequestId, Scope, TenantId};
use crate::db::{EVERY_AGENT, Tenancy};
use crate::error::Error;

/// Who acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// An agent, through one of its keys.
    Agent { id: AgentId, slug: String, key_id: KeyId, require_user: bool },
    /// A person in the console.
    Operator { id: OperatorId, name: String },
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

    /// What people call them.
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
    Scopes(Vec<Scope>),
    /// Roles of an operator.
    Roles(Vec<OperatorRole>),
    /// Everything: the command line and workers.
    System,
}

/// One operation: tenant, actor, rights, request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpContext {
    pub tenant_id: TenantId,
    /// The tenant's shared memory.
    pub commons_id: AgentId,
    pub actor: Actor,
    pub access: Access,
    pub request_id: RequestId,
}

impl OpContext {
    /// For the command line and workers.
    pub fn system(tenant_id: TenantId, commons_id: AgentId, request_id: RequestId) -> Self {
        Self { tenant_id, commons_id, actor: Actor::System, access: Access::System, request_id }
    }

    /// The rows this operation may see: an agent's own and the commons, or the whole tenant's.
    pub fn tenancy(&self) -> Tenancy {
        let agent = match &self.actor {
            Actor::Agent { id, .. } => *id,
            Actor::Operator { .. } | Actor::System => EVERY_AGENT,
        };
        Tenancy { tenant: self.tenant_id, agent, commons: self.commons_id }
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
    pub fn require(&self, scope: Scope) -> Result<(), Error> {
        match &self.access {
            Access::System => Ok(()),
            Access::Scopes(scopes) if scopes.contains(&scope) => Ok(()),
            _ => Err(Error::Forbidden(format!("this needs the scope {scope}"))),
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

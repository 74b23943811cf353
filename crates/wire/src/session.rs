//! Who may do what: scopes of API keys, roles of operators.

use super::text_enum::text_enum;
use super::{OperatorId, TenantId};
use serde::{Deserialize, Serialize};

text_enum! {
    /// What an API key allows.
    #[schemars(rename = "Scope")]
    KeyScope {
        MemoryRead = "memory:read",
        MemoryWrite = "memory:write",
        MemoryForget = "memory:forget",
        /// Writing to the memory that all agents of the tenant share.
        CommonsWrite = "commons:write",
        CaptureWrite = "capture:write",
        ContextRead = "context:read",
        VocabularyPropose = "vocabulary:propose",
        KbRead = "kb:read",
        KbWrite = "kb:write",
        Export = "export",
        /// Naming the user of a call in its arguments, instead of in a header or by a key that is bound to one.
        UsersAny = "users:any",
        /// Managing agents, keys, users and operators with `/api/admin`. Only a person with the role `admin` makes such a key.
        Admin = "admin",
    }
}

impl KeyScope {
    /// The scopes of agents: all but `admin`.
    pub fn of_agents() -> Vec<Self> {
        Self::ALL.iter().copied().filter(|scope| *scope != Self::Admin).collect()
    }
}

text_enum! {
    /// What an operator may do; an operator has a set of them.
    OperatorRole {
        /// Reads everything of the tenant.
        Viewer = "viewer",
        /// Decides on the vocabulary.
        Reviewer = "reviewer",
        /// Deletes and restores memories, manages projects.
        Operator = "operator",
        /// Exports and imports memories; manages agents, keys, users, chat bots and operators.
        Admin = "admin",
    }
}

/// The operator who is signed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorProfile {
    pub id: OperatorId,
    pub tenant_id: TenantId,
    /// The organisation's name, for the sidebar.
    pub tenant_name: String,
    /// What is typed at sign-in.
    pub login: String,
    pub name: String,
    pub roles: Vec<OperatorRole>,
    /// False for a person who signs in with an identity provider.
    pub has_password: bool,
}

impl OperatorProfile {
    /// Whether the set of roles holds `role`.
    pub fn has(&self, role: OperatorRole) -> bool {
        self.roles.contains(&role)
    }
}

//! Who may do what: scopes of API keys, roles of operators.

use super::{OperatorId, TenantId};
use serde::{Deserialize, Serialize};

/// Declares an enum whose variants have one text form, the same on the wire, in the database and in a URL.
macro_rules! text_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "engine", derive(sqlx::Type, schemars::JsonSchema), sqlx(type_name = "text"))]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] #[cfg_attr(feature = "engine", sqlx(rename = $text))] $variant),+
        }

        impl $name {
            /// Every value, in the order of its declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The text form.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(format!("is one of {}", [$($text),+].join(", "))),
                }
            }
        }
    };
}
pub(super) use text_enum;

text_enum! {
    /// What an API key allows.
    Scope {
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
    }
}

text_enum! {
    /// What an operator may do; an operator has a set of them.
    OperatorRole {
        /// Reads everything of the tenant.
        Viewer = "viewer",
        /// Decides on vocabulary and inbox.
        Reviewer = "reviewer",
        /// Forgets, restores, retries.
        Operator = "operator",
        /// Manages keys, operators, export, import, erasure.
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
}

impl OperatorProfile {
    /// Whether the set of roles holds `role`.
    pub fn has(&self, role: OperatorRole) -> bool {
        self.roles.contains(&role)
    }
}

//! What admins manage: agents, keys, users, operators and invitations, as `/api/admin` and the command line read and write them.

use super::text_enum::text_enum;
use super::{AgentId, BotId, Discipline, InvitationId, KeyId, KeyScope, OperatorId, OperatorRole, Toolset, UserId, UserRef};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize};

/// Hours for which a replaced key keeps working, if the caller does not say.
pub const OVERLAP_HOURS: u32 = 24;
/// Most such hours: 30 days.
pub const OVERLAP_HOURS_MAX: u32 = 720;
/// Hours for which an invitation is valid, if the caller does not say: three days.
pub const INVITATION_HOURS: u32 = 72;
/// Most such hours: 30 days.
pub const INVITATION_HOURS_MAX: u32 = 720;
/// The page of the console that accepts an invitation. Its parameter `token` is the secret.
pub const INVITATION_PAGE: &str = "/invitation";

text_enum! {
    /// Scopes of a key under one name.
    KeyPreset {
        /// Reads: `memory:read`, `context:read`, `kb:read`.
        Reader = "reader",
        /// Works as an agent: what a reader has, and `memory:write`, `memory:forget`, `capture:write`, `vocabulary:propose`.
        Agent = "agent",
        /// Brings in what exists elsewhere: `memory:write`, `capture:write`, `kb:write`, `export`.
        Importer = "importer",
    }
}

impl KeyPreset {
    /// The scopes that it stands for.
    pub fn scopes(self) -> &'static [KeyScope] {
        use KeyScope::{CaptureWrite, ContextRead, Export, KbRead, KbWrite, MemoryForget, MemoryRead, MemoryWrite, VocabularyPropose};
        match self {
            Self::Reader => &[MemoryRead, ContextRead, KbRead],
            Self::Agent => &[MemoryRead, ContextRead, KbRead, MemoryWrite, MemoryForget, CaptureWrite, VocabularyPropose],
            Self::Importer => &[MemoryWrite, CaptureWrite, KbWrite, Export],
        }
    }
}

text_enum! {
    /// What a one-time link is for.
    InvitationKind {
        /// A person becomes an operator.
        Invite = "invite",
        /// An operator chooses a new password.
        Reset = "reset",
    }
}

/// An agent with its settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::FromRow, schemars::JsonSchema)]
pub struct AdminAgent {
    pub id: AgentId,
    /// Its name for programs. It never changes.
    pub slug: String,
    /// Its name for people.
    pub name: String,
    /// How eagerly it writes.
    pub discipline: Discipline,
    /// Whether every call must name its user.
    pub require_user: bool,
    /// The documents that `search_my_memories` searches, by kind or collection; all if empty.
    pub knowledge_categories: Vec<String>,
    /// Whether the context log keeps its texts.
    pub keeps_context_texts: bool,
    pub created_at: DateTime<Utc>,
    /// Its keys are refused since then, until somebody unblocks it.
    pub blocked_at: Option<DateTime<Utc>>,
    /// It has no keys since then, and nobody can choose it. Its memories stay.
    pub retired_at: Option<DateTime<Utc>>,
}

/// Body of `PUT /api/admin/agents/{slug}`. A field that is left out keeps its value; a new agent gets the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "name": "Atlas", "discipline": "confirming" }]))]
#[serde(deny_unknown_fields)]
pub struct AgentSettings {
    /// 1 to 500 characters. A new agent without a name is called like its slug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 500))]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discipline: Option<Discipline>,
    /// True: every call must name its user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub require_user: Option<bool>,
    /// Kinds of documents and names of collections; an empty list means all documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knowledge_categories: Option<Vec<String>>,
    /// Whether the context log keeps its texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keeps_context_texts: Option<bool>,
}

/// Answer of `GET /api/admin/agents`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AdminAgents {
    /// By slug, those that are retired included, at most 500.
    pub agents: Vec<AdminAgent>,
    /// What to send as `after` for the agents that follow; absent at the end.
    pub next: Option<String>,
}

/// An API key without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ApiKey {
    pub id: KeyId,
    pub agent_id: AgentId,
    /// The slug of its agent.
    pub agent: String,
    pub name: String,
    /// How the key begins: `rmb_…_…`.
    pub hint: String,
    pub scopes: Vec<KeyScope>,
    /// The tools that clients of the Model Context Protocol list with it, besides `core`.
    pub toolsets: Vec<Toolset>,
    /// The one user that it acts for.
    pub user_id: Option<UserId>,
    /// Whether an operator gave it to a client with OAuth, which renews it.
    pub is_granted: bool,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
    /// The key that replaced it.
    pub replaced_by: Option<KeyId>,
    /// All requests with it, some seconds ago.
    pub requests: i64,
    /// Those of them that were refused.
    pub refused: i64,
    /// When it was last used and not refused.
    pub last_used_at: Option<DateTime<Utc>>,
    /// The address from which it was last used.
    pub last_used_from: Option<String>,
    pub last_refused_at: Option<DateTime<Utc>>,
}

/// Body of `POST /api/admin/keys`. It needs `scopes`, a `preset`, or both together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "agent": "atlas", "name": "laptop", "preset": "agent" }]))]
#[serde(deny_unknown_fields)]
pub struct NewApiKey {
    /// The slug of the agent.
    #[schemars(length(min = 1, max = 63))]
    pub agent: String,
    /// 1 to 100 characters.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<KeyScope>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<KeyPreset>,
    /// Binds the key to one user, by id or by your own reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
    /// Without it the key never expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
    /// The tools that clients of the Model Context Protocol list with it, besides `core`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub toolsets: Vec<Toolset>,
}

impl NewApiKey {
    /// The scopes of the preset and those besides it, each once.
    pub fn all_scopes(&self) -> Vec<KeyScope> {
        let asked = |scope: &KeyScope| self.scopes.contains(scope) || self.preset.is_some_and(|preset| preset.scopes().contains(scope));
        KeyScope::ALL.iter().copied().filter(asked).collect()
    }
}

/// A key that was just made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MadeApiKey {
    pub key: ApiKey,
    /// The whole key, which callers send. It is shown once: a repeated answer has `null` here.
    pub secret: Option<String>,
}

/// Body of `POST /api/admin/keys/{id}/rotate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "overlap_hours": 24 }]))]
#[serde(deny_unknown_fields)]
pub struct RotateKey {
    /// Hours for which the old key keeps working; 0 revokes it at once.
    #[serde(default = "overlap_hours")]
    #[schemars(range(max = 720))]
    pub overlap_hours: u32,
}

fn overlap_hours() -> u32 {
    OVERLAP_HOURS
}

/// Answer of `GET /api/admin/keys`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ApiKeys {
    /// Those in force first, then the newest; at most 1,000.
    pub keys: Vec<ApiKey>,
    /// What to send as `after` for the keys that follow; absent at the end.
    pub next: Option<String>,
}

/// A user with the organisation's own reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::FromRow, schemars::JsonSchema)]
pub struct AdminUser {
    pub id: UserId,
    /// What callers may send instead of the id.
    pub external_ref: String,
    pub name: Option<String>,
}

/// Body of `PUT /api/admin/users/{user}`. A field that is left out keeps its value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "name": "Mina" }]))]
#[serde(deny_unknown_fields)]
pub struct UserSettings {
    /// At most 200 characters; `null` or an empty text removes the name.
    #[serde(default, deserialize_with = "null_as_empty", skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub name: Option<String>,
    /// Your own reference: 1 to 256 printable characters that do not look like an id. Required for a new user whom the address names by id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub external_ref: Option<String>,
}

/// A text of a field that is there; empty for `null`, which is something else than a field that is left out.
fn null_as_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Some(Option::<String>::deserialize(deserializer)?.unwrap_or_default()))
}

/// Answer of `GET /api/admin/users`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AdminUsers {
    /// By reference, at most 500.
    pub users: Vec<AdminUser>,
    /// What to send as `after` for the users that follow; absent at the end.
    pub next: Option<String>,
}

/// A person who signs in to the console.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AdminOperator {
    pub id: OperatorId,
    /// What is typed at sign-in.
    pub login: String,
    pub name: String,
    pub roles: Vec<OperatorRole>,
    pub created_at: DateTime<Utc>,
    /// Access was taken away then.
    pub disabled_at: Option<DateTime<Utc>>,
    /// The identity provider with which the person signs in; absent for a person with a password.
    pub issuer: Option<String>,
    /// Present while the account is detached from its identity: until then, the first sign-in at the provider under the same login gets it.
    pub attach_until: Option<DateTime<Utc>>,
}

/// Body of `PUT /api/admin/operators/{login}`. A field that is left out keeps its value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "roles": ["viewer", "reviewer"] }]))]
#[serde(deny_unknown_fields)]
pub struct OperatorSettings {
    /// 1 to 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub name: Option<String>,
    /// At least one. Other roles end the sessions of the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub roles: Option<Vec<OperatorRole>>,
}

/// Answer of `GET /api/admin/operators`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AdminOperators {
    /// By login, those without access included.
    pub operators: Vec<AdminOperator>,
}

/// A chat bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::FromRow, schemars::JsonSchema)]
pub struct AdminBot {
    pub id: BotId,
    pub platform: String,
    pub name: String,
    /// The key that it uses.
    pub key_id: KeyId,
    pub created_at: DateTime<Utc>,
    /// Chats that are bound to a person.
    pub chats: i64,
}

/// Answer of `GET /api/admin/bots`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AdminBots {
    /// By name.
    pub bots: Vec<AdminBot>,
}

/// A one-time link that nobody has used yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Invitation {
    pub id: InvitationId,
    pub kind: InvitationKind,
    /// What the operator types at sign-in.
    pub login: String,
    pub name: String,
    /// The roles that the operator gets; empty for a new password, which changes none.
    pub roles: Vec<OperatorRole>,
    /// Who made it.
    pub created_by: String,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

/// Body of `POST /api/admin/invitations`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "login": "mina@acme.example", "name": "Mina", "roles": ["viewer", "reviewer"] }]))]
#[serde(deny_unknown_fields)]
pub struct NewInvitation {
    /// What the operator will type at sign-in: 1 to 200 characters.
    #[schemars(length(min = 1, max = 200))]
    pub login: String,
    /// 1 to 200 characters.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// At least one.
    #[schemars(length(min = 1))]
    pub roles: Vec<OperatorRole>,
    /// For how long the link is valid.
    #[serde(default = "invitation_hours")]
    #[schemars(range(min = 1, max = 720))]
    pub hours: u32,
}

fn invitation_hours() -> u32 {
    INVITATION_HOURS
}

/// A one-time link that was just made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MadeInvitation {
    pub invitation: Invitation,
    /// The path of the link, which follows the address of the console. It is shown once: a repeated answer has `null` here.
    pub link: Option<String>,
}

/// Answer of `GET /api/admin/invitations`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Invitations {
    /// The newest first.
    pub invitations: Vec<Invitation>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_preset_holds_what_only_admins_give() {
        for preset in KeyPreset::ALL {
            assert!(!preset.scopes().is_empty(), "{preset}");
            for scope in [KeyScope::Admin, KeyScope::UsersAny] {
                assert!(!preset.scopes().contains(&scope), "{preset} holds {scope}");
            }
        }
    }

    #[test]
    fn a_name_that_is_null_is_removed_and_one_that_is_left_out_stays() {
        let name = |body: &str| serde_json::from_str::<UserSettings>(body).unwrap().name;
        assert_eq!([name("{}"), name(r#"{"name": null}"#), name(r#"{"name": "Mina"}"#)], [None, Some(String::new()), Some("Mina".into())]);
    }

    #[test]
    fn scopes_add_to_those_of_the_preset_and_none_is_there_twice() {
        let new = NewApiKey {
            agent: "atlas".into(),
            name: "laptop".into(),
            scopes: vec![KeyScope::UsersAny, KeyScope::KbRead],
            preset: Some(KeyPreset::Reader),
            user_id: None,
            expires_at: None,
            toolsets: vec![],
        };
        assert_eq!(new.all_scopes(), [KeyScope::MemoryRead, KeyScope::ContextRead, KeyScope::KbRead, KeyScope::UsersAny]);
    }
}

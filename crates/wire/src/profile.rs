//! Profiles: what an agent knows about a person, and the connections of tools.

use super::text_enum::text_enum;
use super::{EventId, LeafId, Matter, MemoryId, UserRef};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

/// Largest schema of a connection's tool, in bytes of JSON.
pub const TOOL_SCHEMA_MAX: usize = 64 * 1024;
/// How long a tool's schema is kept unless the request says otherwise, and at most, in seconds: an hour and thirty days.
pub const SCHEMA_TTL: u32 = 3600;
pub const SCHEMA_TTL_MAX: u32 = 30 * 24 * 3600;

/// Input of `get_user_profile`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileRequest {
    /// The person you are talking to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

text_enum! {
    /// The part of a profile that a value belongs to.
    ProfilePart {
        /// The structured profile.
        Scaffold = "scaffold",
        /// Facts to keep, and what was learned about using a connection.
        Learned = "learned",
    }
}

text_enum! {
    /// Which profile a value comes from.
    ProfileOrigin {
        /// The agent's own.
        Own = "own",
        /// The one that all agents of the organisation share.
        Shared = "shared",
    }
}

/// One value of a profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ProfileLeaf {
    /// Pass it to `forget_profile_leaf`.
    pub leaf_id: LeafId,
    pub part: ProfilePart,
    pub profile: ProfileOrigin,
    /// The keys that lead to it, outermost first.
    pub path: Vec<String>,
    /// A string, a number or a boolean.
    pub value: Value,
    /// The connection that it was learned about.
    pub connection_id: Option<Uuid>,
    /// From 0 to 1: repetition raises it, contradiction and age lower it.
    pub confidence: f64,
    /// True: another value contradicts it. Neither is known to be right.
    pub disputed: bool,
    /// True: an agent or a tool noted it, and no person has said or confirmed it.
    #[serde(default)]
    pub unconfirmed: bool,
    /// How often it was observed.
    pub observations: i64,
    /// In how many sessions it was observed. Observations that named no session do not count.
    pub sessions: i64,
    /// True: it was observed in three sessions or more.
    pub recurring: bool,
    pub first_seen: DateTime<Utc>,
    pub last_seen: DateTime<Utc>,
    /// The sensitive matters that it is about.
    pub matters: Vec<Matter>,
    /// When it expires unless it is observed again; absent if it does not expire.
    pub expires_at: Option<DateTime<Utc>>,
    /// The observations that it cites.
    pub event_ids: Vec<EventId>,
    /// The memories that were made from these observations.
    pub memory_ids: Vec<MemoryId>,
}

/// Answer of `get_user_profile` and of `GET /api/profile`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ProfileResponse {
    /// What is known about the person, in at most 500 words.
    pub working_memory: String,
    /// The structured profile. A list holds several values; values that contradict each other are listed, too.
    pub scaffold: Map<String, Value>,
    /// Facts to keep, and what was learned about the person's connections.
    pub learned: Map<String, Value>,
    /// Every value of both, with its confidence and what it cites.
    pub leaves: Vec<ProfileLeaf>,
    /// Observations that rules read because the chat model did not answer. The next synthesis by the model reads them again, and what it
    /// finds replaces what the rules found.
    #[serde(default)]
    pub read_by_rules: i64,
    /// Rises with every change of the agent's own profile; 0 before the first one.
    pub version: i64,
    pub updated_at: Option<DateTime<Utc>>,
}

text_enum! {
    /// What happened to a leaf of a profile.
    LeafChange {
        Added = "added",
        Repeated = "repeated",
        Disputed = "disputed",
        Superseded = "superseded",
        Restored = "restored",
    }
}

/// A change of one leaf.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ProfileChange {
    pub change: LeafChange,
    pub leaf_id: LeafId,
    pub path: Vec<String>,
    pub value: Value,
}

/// One change of a profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ProfileVersion {
    pub version: i64,
    pub created_at: DateTime<Utc>,
    /// A chat model wrote a new narrative.
    pub narrated: bool,
    /// Changes of values, without those of values that were forgotten since.
    pub changes: Vec<ProfileChange>,
    /// How many leaves of this version were forgotten, then or since.
    pub forgotten: i64,
    /// The observations that caused it.
    pub event_ids: Vec<EventId>,
}

/// Answer of `GET /api/profile/versions`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ProfileVersions {
    /// Newest first.
    pub versions: Vec<ProfileVersion>,
    /// Pass it as `before` to get older ones; absent at the end.
    pub before: Option<i64>,
}

/// Input of `forget_profile_leaf`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "leaf_id": "0193a1f2-7c1e-7a55-9d3e-5b0c4f6a7d21", "reason": "Vera asked for it." }]))]
#[serde(deny_unknown_fields)]
pub struct ForgetLeafRequest {
    /// The id of a leaf of the profile.
    pub leaf_id: LeafId,
    /// Why, for the audit log: at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 500))]
    pub reason: Option<String>,
    /// The person you are talking to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Answer of `forget_profile_leaf`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ForgetLeafResponse {
    pub leaf_id: LeafId,
    /// True: it was forgotten before.
    pub already_forgotten: bool,
}

/// A tool as one person uses it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Connection {
    pub connection_id: Uuid,
    /// What kind of tool it is: `jira`, `gmail`, …
    pub tool_id: String,
    /// The person's name for it.
    pub name: String,
    /// What agents learned about using it, from observations.
    pub learned: Map<String, Value>,
    /// What the tool can do, as the caller stored it; absent once it is out of date.
    pub tool_schema: Option<Value>,
    /// When the schema goes out of date.
    pub schema_expires_at: Option<DateTime<Utc>>,
    /// False: it is out of use, and a search that names no connections leaves it out.
    pub active: bool,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// Answer of `GET /api/connections`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ConnectionList {
    /// By name; at most 200.
    pub connections: Vec<Connection>,
}

/// Input of `PUT /api/connections/{id}`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "tool_id": "jira", "name": "Jira of the harbour project" }]))]
#[serde(deny_unknown_fields)]
pub struct PutConnectionRequest {
    /// What kind of tool it is.
    #[schemars(length(min = 1, max = 256))]
    pub tool_id: String,
    /// The person's name for it.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// What the tool can do: any JSON of at most 64 KiB. Without one, the connection has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_schema: Option<Value>,
    /// How long the schema is kept, in seconds: at most 30 days; an hour by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_ttl_seconds: Option<u32>,
    /// False: the connection is out of use. Searches and prompts that name no connections leave out what is known about it.
    #[serde(default = "active")]
    pub active: bool,
}

fn active() -> bool {
    true
}

/// Answer of `PUT /api/connections/{id}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PutConnectionResponse {
    pub connection_id: Uuid,
    /// When the schema goes out of date; absent without one.
    pub schema_expires_at: Option<DateTime<Utc>>,
}

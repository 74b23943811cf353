//! Lines of profiles: the connections of people's tools, the leaves of profiles, and how these changed. A narrative is derived and not
//! exported.

use super::record::record;
use super::{Owner, Record, WORD_MAX, entries, json, owned};
use crate::values::{Stamp, bytes};
use foundation::Checks;
use remembrancer::profile::{Citation, LeafState, NewLeaf, Part};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;
use wire::{AgentId, EventId, FILENAME_MAX, SourceId, UserId};

/// Most bytes of a leaf's value as JSON, and of all its keys.
const LEAF_MAX: usize = 64 * 1024;

/// A tool as one person uses it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct ConnectionLine {
    pub agent_id: AgentId,
    pub id: Uuid,
    pub user_id: Option<UserId>,
    pub tool_id: String,
    pub name: String,
    pub tool_schema: Option<Value>,
    pub schema_expires_at: Option<Stamp>,
    /// Absent in older files: in use.
    #[serde(default = "active")]
    pub active: bool,
    pub created_at: Stamp,
    pub updated_at: Stamp,
}

fn active() -> bool {
    true
}

/// A value of a profile. A forgotten one keeps the same value from coming back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct ProfileLeafLine {
    pub agent_id: AgentId,
    pub id: Uuid,
    pub user_id: Option<UserId>,
    pub part: Part,
    pub connection_id: Option<Uuid>,
    pub path: Vec<String>,
    pub value: Value,
    pub listed: bool,
    pub state: LeafState,
    pub observations: i32,
    /// Leaves that cannot be true together with it, which need not be in the file.
    pub contradicts: Vec<Uuid>,
    /// What it cites: a source and an observation at the same place of both lists. They need not be in the file.
    pub source_ids: Vec<Uuid>,
    pub event_ids: Vec<Uuid>,
    /// The sessions in which it was observed.
    #[serde(default)]
    pub session_ids: Vec<Uuid>,
    pub first_seen: Stamp,
    pub last_seen: Stamp,
    pub superseded_at: Option<Stamp>,
}

/// A change of a profile, by the ids of leaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct ProfileVersionLine {
    pub agent_id: AgentId,
    pub id: Uuid,
    pub user_id: Option<UserId>,
    pub version: i64,
    pub diff: Value,
    pub event_ids: Vec<Uuid>,
    pub narrated: bool,
    pub created_at: Stamp,
}

impl Record for ConnectionLine {
    // The runtime of each caller gives the ids.
    record! {
        Connection in "connections", of_users: true,
        by: {
            |it| owned(it.agent_id, it.user_id, it.id),
            "t.id" => it.id,
            "coalesce(t.user_id, '00000000-0000-0000-0000-000000000000'::uuid)" => it.user_id.map(|user| user.0).unwrap_or_default()
        },
        author: none, derived: none,
        owner: |it| Owner::User(it.agent_id, it.user_id, None), needs: |_| [],
    }

    fn check(&self, checks: &mut Checks) {
        let message = "is required with tool_schema, and only then";
        checks.text("tool_id", &self.tool_id, FILENAME_MAX).text("name", &self.name, FILENAME_MAX).that(
            self.tool_schema.is_some() == self.schema_expires_at.is_some(),
            "schema_expires_at",
            message,
        );
        if let Some(schema) = &self.tool_schema {
            json(checks, "tool_schema", schema);
        }
    }
}

impl ProfileLeafLine {
    fn matters(&self) -> Vec<String> {
        self.new_leaf().matters().iter().map(ToString::to_string).collect()
    }
}

impl Record for ProfileLeafLine {
    record! {
        ProfileLeaf in "profile_leaves", of_users: true, by: [id], author: none,
        derived: { |it| leaf_hash = bytes(&it.new_leaf().hash()), matters = it.matters() },
        owner: |it| Owner::User(it.agent_id, it.user_id, None), needs: |_| [],
    }

    fn check(&self, checks: &mut Checks) {
        let bytes = self.value.to_string().len() + self.path.iter().map(String::len).sum::<usize>();
        let says_something = match &self.value {
            Value::String(text) => !text.trim().is_empty(),
            value => value.is_number() || value.is_boolean(),
        };
        checks
            .that(
                !self.path.is_empty() && self.path.iter().all(|key| !key.trim().is_empty()),
                "path",
                "must have at least one key and no empty key",
            )
            .that(says_something, "value", "must be a string, a number or a boolean, and must not be empty")
            .that(bytes <= LEAF_MAX, "value", format!("has {bytes} bytes with its keys; at most {LEAF_MAX} are allowed"))
            .that(self.observations >= 1, "observations", "must be 1 or more")
            .that(!self.source_ids.is_empty(), "source_ids", "must name a source")
            .that(self.source_ids.len() == self.event_ids.len(), "event_ids", "must be as long as source_ids")
            .that(self.connection_id.is_none() || self.part == Part::Learned, "connection_id", "is allowed only if the part is learned");
        for key in &self.path {
            checks.that(!key.contains('\0'), "path", "must not contain NUL");
        }
        entries(checks, "source_ids", &self.source_ids);
        entries(checks, "contradicts", &self.contradicts);
        entries(checks, "session_ids", &self.session_ids);
    }
}

impl ProfileLeafLine {
    /// The leaf as an observation would propose it: what makes it the same as another, and its matters, follow from that.
    pub fn new_leaf(&self) -> NewLeaf {
        let cite = |(source, event): (&Uuid, &Uuid)| Citation {
            source_id: SourceId(*source),
            event_id: EventId(*event),
            session_id: None,
            at: self.last_seen.0,
        };
        NewLeaf {
            part: self.part,
            connection_id: self.connection_id,
            path: self.path.clone(),
            value: self.value.clone(),
            listed: self.listed,
            corrects: false,
            cites: self.source_ids.iter().zip(&self.event_ids).map(cite).collect(),
        }
    }
}

impl Record for ProfileVersionLine {
    record! {
        ProfileVersion in "profile_versions", of_users: true, by: [id], author: none, derived: none,
        owner: |it| Owner::User(it.agent_id, it.user_id, None), needs: |_| [],
    }

    fn check(&self, checks: &mut Checks) {
        checks.that(self.version >= 1, "version", "must be 1 or more").that(self.diff.is_object(), "diff", "must be an object");
        let is_ids =
            |list: &Value| list.as_array().is_some_and(|list| list.iter().all(|id| id.as_str().is_some_and(|id| id.len() <= WORD_MAX)));
        checks.that(self.diff.as_object().is_none_or(|diff| diff.values().all(is_ids)), "diff", "must hold lists of ids");
        entries(checks, "event_ids", &self.event_ids);
    }
}

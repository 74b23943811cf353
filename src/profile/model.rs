//! A profile: its leaves, where they come from, and how they change.

pub use wire::ProfilePart as Part;

use super::sensitive;
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use sqlx::FromRow;
use uuid::Uuid;
use wire::{AgentId, EventId, Matter, SensitiveMatters, SourceId, UserId};
use words::tree::folded;

/// Whose profile: what an agent knows about a user, or about people whom nobody named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    pub agent_id: AgentId,
    pub user_id: Option<UserId>,
}

/// Most sessions that a leaf remembers. More say nothing new.
const SESSIONS_MAX: usize = 100;
/// In how many sessions a leaf is observed before it counts as recurring.
const RECURRING: usize = 3;

/// Whether a leaf is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub enum LeafState {
    Shown,
    /// A correction replaced it.
    Superseded,
    /// Somebody forgot it. The same part, path and value do not come back.
    Forgotten,
}

/// A value of a profile, with the observations that it cites.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct Leaf {
    pub id: Uuid,
    pub part: Part,
    pub connection_id: Option<Uuid>,
    pub path: Vec<String>,
    /// A string, a number or a boolean.
    pub value: Value,
    pub listed: bool,
    pub state: LeafState,
    pub leaf_hash: Vec<u8>,
    pub observations: i32,
    pub contradicts: Vec<Uuid>,
    /// A source, and the observation that recorded it, at the same place of both lists.
    pub source_ids: Vec<Uuid>,
    pub event_ids: Vec<Uuid>,
    pub first_seen: DateTime<Utc>,
    pub last_seen: DateTime<Utc>,
    pub superseded_at: Option<DateTime<Utc>>,
    /// The [`Matter`]s that it is about, as texts.
    pub matters: Vec<String>,
    /// The sessions in which it was observed, as far as observations name theirs.
    pub session_ids: Vec<Uuid>,
    /// A memory that was made from one of its sources was forgotten.
    pub hidden: bool,
    /// Agents or tools noted it; no person has said it, or confirmed a memory that was made from it.
    pub unconfirmed: bool,
}

impl Leaf {
    /// Whether nobody forgot it, or a memory that was made from it.
    pub fn is_visible(&self) -> bool {
        self.state == LeafState::Shown && !self.hidden
    }

    /// The sensitive matters that it is about.
    pub fn matters(&self) -> impl Iterator<Item = Matter> {
        self.matters.iter().filter_map(|matter| matter.parse().ok())
    }

    /// When it ends unless it is observed again: so many days after the last observation as the policy says of its matters.
    pub fn expires_at(&self, policy: SensitiveMatters) -> Option<DateTime<Utc>> {
        let days = self.matters().filter_map(|matter| policy.days(matter)).min()?;
        self.last_seen.checked_add_signed(TimeDelta::days(days.into()))
    }

    /// Whether it has ended.
    pub fn is_expired(&self, policy: SensitiveMatters, now: DateTime<Utc>) -> bool {
        self.expires_at(policy).is_some_and(|end| end <= now)
    }

    /// Whether it was observed in three sessions or more.
    pub fn is_recurring(&self) -> bool {
        self.session_ids.len() >= RECURRING
    }

    /// Adds what a new leaf cites, each source and each session once.
    pub fn cite(&mut self, cite: &Citation) {
        if let Some(session) = cite.session_id.filter(|session| !self.session_ids.contains(session))
            && self.session_ids.len() < SESSIONS_MAX
        {
            self.session_ids.push(session);
        }
        if !self.source_ids.contains(&cite.source_id.0) {
            self.source_ids.push(cite.source_id.0);
            self.event_ids.push(cite.event_id.0);
        }
    }

    /// Where it is in the profile.
    pub fn place(&self) -> Place {
        place(self.part, self.connection_id, &self.path)
    }

    /// Whether a new leaf is for the same place.
    pub fn is_beside(&self, other: &NewLeaf) -> bool {
        self.place() == place(other.part, other.connection_id, &other.path)
    }
}

/// Part, connection, and the keys of a path in any case and spacing.
pub type Place = (Part, Option<Uuid>, Vec<String>);

fn place(part: Part, connection: Option<Uuid>, path: &[String]) -> Place {
    (part, connection, path.iter().map(|key| folded(key)).collect())
}

/// An observation that a leaf cites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Citation {
    pub source_id: SourceId,
    pub event_id: EventId,
    pub session_id: Option<Uuid>,
    pub at: DateTime<Utc>,
}

/// A leaf as an observation proposes it.
#[derive(Clone, Debug, PartialEq)]
pub struct NewLeaf {
    pub part: Part,
    pub connection_id: Option<Uuid>,
    pub path: Vec<String>,
    pub value: Value,
    pub listed: bool,
    /// It replaces what contradicts it.
    pub corrects: bool,
    /// At least one observation.
    pub cites: Vec<Citation>,
}

impl NewLeaf {
    /// What makes two leaves of a subject the same one: part, connection, path and value, in any case and spacing.
    pub fn hash(&self) -> Vec<u8> {
        let mut hasher = Sha256::new();
        let value = match &self.value {
            Value::String(text) => folded(text),
            value => value.to_string(),
        };
        let connection = self.connection_id.unwrap_or_default();
        let part = if self.part == Part::Scaffold { "scaffold" } else { "learned" };
        let keys = self.path.iter().map(|key| folded(key));
        for text in [part.to_owned(), connection.to_string(), value].into_iter().chain(keys) {
            hasher.update((text.len() as u64).to_be_bytes());
            hasher.update(text);
        }
        hasher.finalize().to_vec()
    }

    /// The sensitive matters that it is about.
    pub fn matters(&self) -> Vec<Matter> {
        let value = self.value.as_str().map_or_else(|| self.value.to_string(), str::to_owned);
        sensitive::matters(&format!("{} {value}", self.path.join(" ")))
    }

    /// When the newest of its observations was made.
    pub fn at(&self) -> DateTime<Utc> {
        self.cites.iter().map(|cite| cite.at).max().unwrap_or_default()
    }
}

/// What a change did, by the ids of leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Diff {
    pub added: Vec<Uuid>,
    /// Observed again.
    pub repeated: Vec<Uuid>,
    /// Contradicted by another leaf since.
    pub disputed: Vec<Uuid>,
    /// Replaced by a correction.
    pub superseded: Vec<Uuid>,
    pub forgotten: Vec<Uuid>,
    /// Forgotten by mistake.
    pub restored: Vec<Uuid>,
}

impl Diff {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

//! What operators read of profiles.

use super::{AgentId, Connection, EventId, LeafId, ProfileResponse, ProfileVersions, SourceId, UserId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Which profiles a list shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PeopleFilter {
    pub agent_id: Option<AgentId>,
    /// The beginning of a user's id, of their reference or of their name.
    pub user: Option<String>,
    pub after: Option<String>,
    pub before: Option<String>,
    /// True: in the reverse of the usual order. The console sets it, no request has it.
    #[serde(skip)]
    pub reversed: bool,
}

/// A profile in a list: what one agent knows about one person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonRow {
    pub agent_id: AgentId,
    pub agent_slug: String,
    /// Absent: nobody is named.
    pub user_id: Option<UserId>,
    /// The person's name, or else the organisation's reference to them.
    pub user_name: Option<String>,
    /// The first sentence of the narrative; empty without one.
    pub summary: String,
    /// Entries that agents read.
    pub entries: i64,
    /// Entries with a confidence of 0.5 or more.
    pub confident: i64,
    /// Entries that another one contradicts.
    pub disputed: i64,
    pub updated_at: DateTime<Utc>,
}

/// A profile with everything that explains it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonDetail {
    pub agent_id: AgentId,
    pub agent_slug: String,
    /// True: it is the profile that all agents may share.
    pub commons: bool,
    /// True: every agent reads what the commons' profile says.
    pub shared_profiles: bool,
    pub user_id: Option<UserId>,
    pub user_name: Option<String>,
    pub profile: ProfileResponse,
    pub connections: Vec<Connection>,
    /// What each entry cites.
    pub evidence: Vec<LeafEvidence>,
    /// One page, newest first.
    pub history: ProfileVersions,
}

/// What an entry of a profile cites.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeafEvidence {
    pub leaf_id: LeafId,
    /// The latest five at most, newest first.
    pub sentences: Vec<CitedSentence>,
}

/// An observation in its own words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CitedSentence {
    pub source_id: SourceId,
    pub event_id: EventId,
    pub text: String,
    pub at: DateTime<Utc>,
    pub session_id: Option<Uuid>,
}

use super::text_enum::text_enum;
use super::{AgentId, Discipline, KeyId, KeyScope, LifecyclePolicy, MemoryStatus, OperatorId, RecallCounts, UserId};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

text_enum! {
    /// What an agent id names.
    AgentKind {
        Agent = "agent",
        /// The memory that all agents of a tenant share.
        Commons = "commons",
    }
}

text_enum! {
    /// A set of tools that a client of the Model Context Protocol lists together.
    Toolset {
        /// What every agent needs: recall, remember, revise, forget, explain, and reading up on a task.
        Core = "core",
        /// Conversations and notes become candidates, and what agents did is reported.
        Capture = "capture",
        /// A closer look at memories, documents and projects.
        Knowledge = "knowledge",
        /// What the organisation calls things.
        Vocabulary = "vocabulary",
        /// What is known about a person.
        Profile = "profile",
        /// Every tool.
        All = "all",
    }
}

/// Memories written on one day (UTC).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivityDay {
    pub day: NaiveDate,
    pub written: i64,
}

/// An agent as a list to choose from shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentName {
    pub id: AgentId,
    pub slug: String,
    pub name: String,
    /// Nobody can choose it any more, except to look at what it has.
    pub retired: bool,
}

/// An API key as the agent's page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentKey {
    pub id: KeyId,
    pub name: String,
    /// The public part of the key: `rmb_…_…`.
    pub hint: String,
    pub scopes: Vec<KeyScope>,
    /// The sets of tools that its clients list besides `core`.
    pub toolsets: Vec<Toolset>,
    /// The one user that it acts for, by name or reference.
    pub user: Option<(UserId, Option<String>)>,
    /// The operator who gave it to a client, by name; absent for a key that somebody made.
    pub given_by: Option<(OperatorId, String)>,
    pub created_at: DateTime<Utc>,
    /// All requests with it, some seconds ago.
    pub requests: i64,
    /// Those that were refused.
    pub refused: i64,
    /// When it was last used and not refused.
    pub last_used_at: Option<DateTime<Utc>>,
    /// The address from which it was last used.
    pub last_used_from: Option<String>,
    pub last_refused_at: Option<DateTime<Utc>>,
    pub expires_at: Option<DateTime<Utc>>,
    /// Until when the client that holds it as an access token can renew it; absent for a key that somebody made.
    pub renewable_until: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
}

/// Everything on the page of one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentDetail {
    pub now: DateTime<Utc>,
    pub summary: AgentSummary,
    pub require_user: bool,
    /// How eagerly it writes.
    pub discipline: Discipline,
    /// Its keys are refused since then.
    pub blocked_at: Option<DateTime<Utc>>,
    /// Those in force first, at most 50.
    pub keys: Vec<AgentKey>,
    /// Memories that are not deleted, by status.
    pub statuses: Vec<(MemoryStatus, i64)>,
    /// Recalls of the last 7 and 30 days.
    pub week: RecallCounts,
    pub month: RecallCounts,
    /// One entry per day of the last 30 in the zone of the reader, oldest first.
    pub days: Vec<(NaiveDate, RecallCounts)>,
    /// The users with the most memories, at most ten, with their names and numbers of memories; and how many users there are.
    pub users: Vec<(UserId, Option<String>, i64)>,
    pub users_total: i64,
    /// Profiles of people, and connections of tools that it has notes about.
    pub profiles: i64,
    pub connections: i64,
    /// The limits that hold for it.
    pub policy: LifecyclePolicy,
}

/// One row of the agents page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentSummary {
    pub id: AgentId,
    pub kind: AgentKind,
    pub slug: String,
    pub name: String,
    pub blocked: bool,
    pub retired: bool,
    /// Memories that a recall can find.
    pub live: i64,
    pub deleted: i64,
    /// Stored today (UTC) and on the six days before.
    pub added_7d: i64,
    pub last_write: Option<DateTime<Utc>>,
    pub last_recall: Option<DateTime<Utc>>,
    /// The last 28 days, oldest first, one entry a day, zeros included.
    pub activity: Vec<ActivityDay>,
}

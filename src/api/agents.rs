use super::AgentId;
use super::text_enum::text_enum;
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
}

/// One row of the agents page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentSummary {
    pub id: AgentId,
    pub kind: AgentKind,
    pub slug: String,
    pub name: String,
    /// Memories that a recall can find.
    pub live: i64,
    pub deleted: i64,
    /// Written in the last seven days.
    pub added_7d: i64,
    pub last_write: Option<DateTime<Utc>>,
    pub last_recall: Option<DateTime<Utc>>,
    /// The last 28 days, oldest first, one entry a day, zeros included.
    pub activity: Vec<ActivityDay>,
}

//! How memories age: the importance of a message, how long it is kept, and the limits of an agent.

use super::text_enum::text_enum;
use super::{ARCHIVED_BELOW, AgentId, CLEANED_UP_BELOW, EPISODES_MAX, MEMORIES_MAX, MemoryId, Retention, Role, UserRef};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

text_enum! {
    /// What makes a message more or less important.
    Factor {
        /// Somebody asks to remember it.
        Explicit = "explicit",
        /// Something is decided.
        Decision = "decision",
        /// Something was done.
        Action = "action",
        /// An amount of money.
        Amount = "amount",
        /// Something is approved or rejected.
        Approval = "approval",
        /// Greetings, thanks and acknowledgements, and nothing else.
        SmallTalk = "small_talk",
    }
}

/// A factor of a message's importance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FactorShare {
    pub factor: Factor,
    /// What it adds to the importance.
    pub weight: f32,
    /// The words of the message that show it.
    pub words: String,
}

text_enum! {
    /// The rule that decided how long a message is kept.
    RetentionRule {
        /// Somebody asks to remember it: it is permanent.
        Explicit = "explicit",
        /// A decision, an approval or a rejection.
        Decision = "decision",
        /// A task was completed.
        Task = "task",
        /// An error or a failure.
        Error = "error",
        /// Anything else.
        Routine = "routine",
    }
}

text_enum! {
    /// Why a memory was archived.
    ArchiveReason {
        /// Nobody retrieved it for long, and its importance decayed.
        Faded = "faded",
        /// Its retention ended.
        Expired = "expired",
        /// The agent has its most episodes, and this one was the weakest.
        Limit = "limit",
        /// It was weak, and the agent was near its most episodes.
        Early = "early",
    }
}

/// What each factor adds to the importance of a message. Their sum, cut to 0 to 1, is its importance; `explicit` makes it 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImportanceWeights {
    /// The importance of a message without any factor.
    pub base: f32,
    pub decision: f32,
    pub action: f32,
    pub amount: f32,
    pub approval: f32,
    /// Below 0.
    pub small_talk: f32,
}

impl Default for ImportanceWeights {
    fn default() -> Self {
        Self { base: 0.4, decision: 0.3, action: 0.2, amount: 0.2, approval: 0.3, small_talk: -0.25 }
    }
}

impl ImportanceWeights {
    /// The weight of a factor.
    pub fn of(&self, factor: Factor) -> f32 {
        match factor {
            Factor::Explicit => 1.0,
            Factor::Decision => self.decision,
            Factor::Action => self.action,
            Factor::Amount => self.amount,
            Factor::Approval => self.approval,
            Factor::SmallTalk => self.small_talk,
        }
    }
}

/// How many days a memory is kept in reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetentionDays {
    pub routine: u32,
    pub task: u32,
    pub decision: u32,
    pub error: u32,
}

impl Default for RetentionDays {
    fn default() -> Self {
        Self { routine: 7, task: 30, decision: 90, error: 14 }
    }
}

impl RetentionDays {
    /// The days of a retention; `None` without end.
    pub fn of(&self, retention: Retention) -> Option<u32> {
        match retention {
            Retention::Routine => Some(self.routine),
            Retention::Task => Some(self.task),
            Retention::Decision => Some(self.decision),
            Retention::Error => Some(self.error),
            Retention::Permanent => None,
        }
    }

    /// The longest of them.
    pub fn longest(&self) -> u32 {
        let Self { routine, task, decision, error } = *self;
        routine.max(task).max(decision).max(error)
    }
}

/// How many days records of history are kept after a later one replaced them, or after they were finished or decided. Versions and moments
/// are kept at least as long as the retrieval log, so that every recall in it can be replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HistoryDays {
    /// Former versions of memories.
    pub versions: u32,
    /// When memories were remembered again and when their vectors came.
    pub moments: u32,
    /// Finished events.
    pub events: u32,
    /// Turns in quarantine that a person decided.
    pub quarantine: u32,
}

impl Default for HistoryDays {
    fn default() -> Self {
        Self { versions: 365, moments: 365, events: 90, quarantine: 365 }
    }
}

/// How the memories of an organisation or of an agent age.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LifecyclePolicy {
    pub retention_days: RetentionDays,
    pub history_days: HistoryDays,
    pub importance: ImportanceWeights,
    /// An episode whose decayed importance falls below this is archived.
    pub archived_below: f32,
    /// An episode below this is archived early when the agent is near its limit of episodes.
    pub cleaned_up_below: f32,
    /// Most episodes of an agent that may fade. The weakest make room for new ones.
    pub episodes_max: u32,
    /// Most live memories of an agent. Above it, new ones are refused.
    pub memories_max: u32,
}

impl Default for LifecyclePolicy {
    fn default() -> Self {
        Self {
            retention_days: RetentionDays::default(),
            history_days: HistoryDays::default(),
            importance: ImportanceWeights::default(),
            archived_below: ARCHIVED_BELOW,
            cleaned_up_below: CLEANED_UP_BELOW,
            episodes_max: EPISODES_MAX,
            memories_max: MEMORIES_MAX,
        }
    }
}

/// How the memories of an agent age: what a sweep would archive now, and what the next seven days bring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentAging {
    pub agent_id: AgentId,
    pub agent_slug: String,
    pub live: i64,
    /// Most live memories.
    pub memories_max: i64,
    /// Episodes that may fade.
    pub episodes: i64,
    /// Most of them.
    pub episodes_max: i64,
    pub pinned: i64,
    /// Their retention ended: no read finds them, and the next sweep archives them.
    pub expired: i64,
    /// Their retention ends within seven days.
    pub expiring: i64,
    /// The next sweep archives them, because little is left of their importance.
    pub faded: i64,
    /// They fade within seven days, unless they are retrieved.
    pub fading_soon: i64,
    pub archived: i64,
}

/// Live memories whose retention ends on a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::FromRow)]
pub struct ExpiringDay {
    /// Of UTC.
    pub day: NaiveDate,
    pub retention: Retention,
    pub memories: i64,
}

/// What a sweep would archive now, and what the next seven days bring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    pub now: DateTime<Utc>,
    /// By name.
    pub agents: Vec<AgentAging>,
    /// The days of the next week on which something expires, of all agents, in order.
    pub days: Vec<ExpiringDay>,
    /// The organisation's policy.
    pub policy: LifecyclePolicy,
    /// The latest sweeps, newest first.
    pub sweeps: Vec<SweepRun>,
}

/// What a sweep did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, sqlx::FromRow)]
pub struct SweepRun {
    pub started_at: DateTime<Utc>,
    /// Absent: it still runs.
    pub finished_at: Option<DateTime<Utc>>,
    pub error: Option<String>,
    pub agents: i64,
    /// Archived because little was left of their importance.
    pub faded: i64,
    /// Archived because their retention ended.
    pub expired: i64,
    /// Archived early, because their agent was near its limit.
    pub early: i64,
    /// Archived because their agent was above its limit.
    pub over_limit: i64,
    /// Old versions, moments, events and decisions about quarantine that were deleted.
    pub history: i64,
}

/// Answer of `PUT` and `DELETE /api/memories/{memory_id}/share`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ShareResponse {
    /// The memory that stands for it from now on: the shared copy, or the private memory.
    pub memory_id: MemoryId,
    pub short_id: String,
    /// Whether all agents of the organisation read it.
    pub shared: bool,
}

/// Answer of `PUT` and `DELETE /api/memories/{memory_id}/pin`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PinResponse {
    pub memory_id: MemoryId,
    pub short_id: String,
    /// A pinned memory never expires and is never archived.
    pub pinned: bool,
    /// Absent if it never expires.
    pub expires_at: Option<DateTime<Utc>>,
}

/// A message of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMessage {
    /// Who speaks.
    pub role: Role,
    /// The words as they are, at most 16 kB.
    pub content: String,
    /// Its id in the system that it comes from, up to 256 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub message_id: Option<String>,
    /// When it was said; now by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<DateTime<Utc>>,
    /// 0 to 1. By default it is computed from the words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub importance: Option<f32>,
    /// How long it is kept. By default a rule decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<Retention>,
}

/// Body of `POST /api/sessions/{session}/messages`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessagesRequest {
    /// 1 to 100, in the order in which they were said.
    pub messages: Vec<NewMessage>,
    /// What the session is about, in a few words; `conversation` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub topic: Option<String>,
    /// Where the session takes place: `slack`, `email`, …; `api` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub platform: Option<String>,
    /// The person you are talking to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Input of `add_session_messages`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "session": "thread-42", "messages": [{ "role": "user", "content": "I moved to Thun in May." }] }]))]
#[serde(deny_unknown_fields)]
pub struct AddMessagesRequest {
    /// Your own name of the session.
    #[schemars(length(min = 1, max = 256))]
    pub session: String,
    /// 1 to 100, in the order in which they were said.
    pub messages: Vec<NewMessage>,
    /// What the session is about, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub topic: Option<String>,
    /// Where it takes place: `slack`, `email`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 64))]
    pub platform: Option<String>,
    /// The person you are talking to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

impl AddMessagesRequest {
    /// The session's name, and the messages as a request of their own.
    pub fn into_messages(self) -> (String, MessagesRequest) {
        let Self { session, messages, topic, platform, user_id } = self;
        (session, MessagesRequest { messages, topic, platform, user_id })
    }
}

/// Input of `list_session_messages`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "session": "thread-42" }]))]
#[serde(deny_unknown_fields)]
pub struct ListMessagesRequest {
    /// The name under which you stored its messages.
    #[schemars(length(min = 1, max = 256))]
    pub session: String,
    /// The person whose session it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
    /// The `next` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub after: Option<String>,
}

impl ListMessagesRequest {
    /// The session's name, and the filter of its messages.
    pub fn into_filter(self) -> (String, SessionFilter) {
        let Self { session, user_id, after } = self;
        (session, SessionFilter { user_id, after, ..SessionFilter::default() })
    }
}

/// A message as it was stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StoredMessage {
    pub memory_id: MemoryId,
    pub short_id: String,
    /// 0 to 1.
    pub importance: f32,
    /// What the importance was computed from; empty if the request gave it.
    pub factors: Vec<FactorShare>,
    pub retention: Retention,
    /// The rule that chose the retention; absent if the request gave it.
    pub retention_rule: Option<RetentionRule>,
    /// Absent if it never expires.
    pub expires_at: Option<DateTime<Utc>>,
}

/// Answer of `POST /api/sessions/{session}/messages`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MessagesResponse {
    /// The session's id for other calls.
    pub session_id: Uuid,
    /// In the order of the request.
    pub messages: Vec<StoredMessage>,
    /// Episodes that were archived to make room.
    pub archived: i64,
    /// `balance`: nothing is left to pay the embedding model, so messages are found by their words only, and by meaning later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<String>,
}

text_enum! {
    /// Which memories a list holds, by what became of them.
    StateFilter {
        /// Those in reach.
        Live = "live",
        /// Expired, archived and deleted ones, too. Operators only.
        All = "all",
    }
}

/// Parameters of `GET /api/sessions/{session}/messages`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionFilter {
    /// The person whose session it is. Without it, the session that was written without a user.
    pub user_id: Option<UserRef>,
    /// `live` by default. Keys are refused `all`: operators find expired, archived and deleted messages on the console's Memories page.
    pub state: Option<StateFilter>,
    pub after: Option<String>,
    pub before: Option<String>,
}

/// A message of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema, sqlx::FromRow)]
pub struct SessionMessage {
    pub memory_id: MemoryId,
    pub short_id: String,
    /// Who speaks; absent for an episode of the session that is not a message.
    pub role: Option<Role>,
    pub content: String,
    /// Its id in the system that it comes from.
    pub message_id: Option<String>,
    /// When it was said; absent: when it was stored.
    pub observed_at: Option<DateTime<Utc>>,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// 0 to 1.
    pub importance: f32,
    pub retention: Retention,
    /// Absent if it never expires.
    pub expires_at: Option<DateTime<Utc>>,
}

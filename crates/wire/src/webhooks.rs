//! Webhooks, and the notices that they and open streams carry.

use super::text_enum::text_enum;
use super::{AgentId, EventId, WebhookId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Longest address of a webhook, in characters.
pub const WEBHOOK_URL_MAX: usize = 2_000;
/// Most webhooks of an organisation.
pub const WEBHOOKS_MAX: i64 = 50;

text_enum! {
    /// What happened.
    NoticeKind {
        /// A memory was stored, got new words, or became part of the shared memory.
        MemoryStored = "memory.stored",
        /// A memory was deleted, restored or replaced, or other details of it changed.
        MemoryChanged = "memory.changed",
        /// A candidate waits for a person.
        CandidateWaiting = "candidate.waiting",
        /// A recall that was expected to find something found nothing.
        ZeroHitExpected = "zero_hit.expected",
        /// All attempts of a job failed.
        JobDead = "job.dead",
        /// The erasure of a person was confirmed.
        ErasureConfirmed = "erasure.confirmed",
    }
}

impl NoticeKind {
    /// Whether agents may hear of it, and not only people: it is about a memory in force.
    pub fn is_for_agents(self) -> bool {
        matches!(self, Self::MemoryStored | Self::MemoryChanged)
    }
}

/// Something that happened: ids, and no text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::FromRow)]
pub struct Notice {
    /// The same for every receiver and every attempt.
    pub id: EventId,
    pub kind: NoticeKind,
    /// Whose memory it is about; absent if it is about the organisation.
    pub agent_id: Option<AgentId>,
    /// The memory, the candidate, the recall, the event or the erasure.
    pub target_id: String,
    pub at: DateTime<Utc>,
}

/// What a webhook sends and a stream shows: the form of the Standard Webhooks specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NoticeBody {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: NoticeKind,
    /// When it happened.
    pub timestamp: DateTime<Utc>,
    pub data: NoticeData,
}

/// What a notice is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NoticeData {
    /// The memory, the candidate, the recall, the event or the erasure.
    pub id: String,
    /// The slug of the agent whose memory it is about, `commons` for shared memory; absent if it is about the organisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

impl NoticeBody {
    /// The body for a notice about the memory of an agent with this slug.
    pub fn new(notice: &Notice, agent: Option<String>) -> Self {
        let data = NoticeData { id: notice.target_id.clone(), agent };
        Self { kind: notice.kind, timestamp: notice.at, data }
    }
}

text_enum! {
    /// Whether a webhook is called.
    WebhookState {
        /// It is called.
        Active = "active",
        /// A person paused it. What happened within the last day, and what would be tried again, is sent when it is active again.
        Paused = "paused",
        /// The server stopped calling it because deliveries failed. A person can make it active again.
        Disabled = "disabled",
    }
}

/// A webhook, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Webhook {
    pub id: WebhookId,
    /// The address that is called.
    pub url: String,
    /// What it is called for.
    pub events: Vec<NoticeKind>,
    /// The slug of the one agent whose memory it is called for, `commons` for shared memory; absent: it is called for all.
    pub agent: Option<String>,
    pub state: WebhookState,
    /// Why the server disabled it.
    pub reason: Option<String>,
    pub created_at: DateTime<Utc>,
    /// The last attempt to deliver something.
    pub attempted_at: Option<DateTime<Utc>>,
    /// The last delivery that the receiver accepted.
    pub delivered_at: Option<DateTime<Utc>>,
    /// Why the last attempt failed; absent if it did not.
    pub error: Option<String>,
    /// The first failure since the last delivery.
    pub failing_since: Option<DateTime<Utc>>,
    /// Until then, the secret before the last rotation signs, too.
    pub previous_secret_until: Option<DateTime<Utc>>,
}

/// Answer of `GET /api/admin/webhooks`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Webhooks {
    /// The oldest first.
    pub webhooks: Vec<Webhook>,
}

/// Body of `POST /api/admin/webhooks`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "url": "https://example.org/remembrancer", "events": ["candidate.waiting", "job.dead"] }]))]
#[serde(deny_unknown_fields)]
pub struct NewWebhook {
    /// An `https` address that leads to the public internet.
    #[schemars(length(min = 1, max = WEBHOOK_URL_MAX))]
    pub url: String,
    /// What it is called for: at least one kind.
    #[schemars(length(min = 1))]
    pub events: Vec<NoticeKind>,
    /// The slug of the one agent whose memory it is called for, or `commons`. Without it, it is called for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// Body of `PUT /api/admin/webhooks/{id}`. A field that is left out keeps its value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "state": "paused" }]))]
#[serde(deny_unknown_fields)]
pub struct WebhookSettings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = WEBHOOK_URL_MAX))]
    pub url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub events: Option<Vec<NoticeKind>>,
    /// `active` or `paused`; only the server disables a webhook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<WebhookState>,
}

/// A webhook with its secret, which is shown only once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MadeWebhook {
    pub webhook: Webhook,
    /// Signs what is sent: `whsec_…`. The answer to a repeated request does not have it.
    pub secret: Option<String>,
}

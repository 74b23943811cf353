//! The record as the engine holds it.

mod draft;

pub use draft::{DedupKey, Details, Draft};

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use sha2::{Digest, Sha256};
use sqlx::FromRow;
use sqlx::types::Json;
use std::borrow::Cow;
use uuid::Uuid;
use wire::{
    AgentId, ArchiveReason, Category, DECAY_DAYS, FactorShare, MemoryId, MemoryKind, MemoryLink, MemoryScope, MemoryStatus, MemoryVersion,
    Relation, Retention, RetentionRule, Role, Source, SourceKind, Trust, UserId,
};
use words::aging::decayed;
use words::minutes::{self, Minutes, SOMEBODY, label};

const DAY: f64 = 86_400.0;

/// The start of 2020, where [`weight`] is 1.
pub const WEIGHT_EPOCH: DateTime<Utc> = match DateTime::from_timestamp(1_577_836_800, 0) {
    Some(start) => start,
    None => DateTime::UNIX_EPOCH,
};

/// exp(−Δdays/90): what is left of a memory's weight at `now` when it was last written at `then`; at most 1.
pub fn recency(then: DateTime<Utc>, now: DateTime<Utc>) -> f64 {
    let days = (now - then).as_seconds_f64() / DAY;
    (-days.max(0.0) / DECAY_DAYS).exp()
}

/// exp((updated_at − 2020-01-01) / 90 days): cosine times this orders by decayed similarity at any moment, because the decay factorises
/// as exp(−now/τ)·exp(t/τ). It stays finite in `f64` for 170 years.
pub fn weight(updated_at: DateTime<Utc>) -> f64 {
    ((updated_at - WEIGHT_EPOCH).as_seconds_f64() / DAY / DECAY_DAYS).exp()
}

/// SHA-256 of content.
pub fn content_hash(content: &str) -> Vec<u8> {
    Sha256::digest(content).to_vec()
}

/// The text that is embedded: the topic is part of it, so the canonical form drives retrieval.
pub fn embedded_text(topic: &str, content: &str) -> String {
    format!("{topic}\n{content}")
}

/// The text that a search compares. A message is found by what it says: the topic of its session is that of every other message, too, and
/// with it a greeting would answer what only one of them does.
pub fn searched_text(role: Option<Role>, topic: &str, text: &str) -> String {
    match role {
        Some(_) => text.to_owned(),
        None => embedded_text(topic, text),
    }
}

/// When something was last stated that was said at `observed_at`, or is said now: a time after `now` is none.
pub fn stated(observed_at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> DateTime<Utc> {
    observed_at.map_or(now, |at| at.min(now))
}

/// The text whose words are indexed, besides the topic.
pub fn wording<'a>(content: &'a str, title: Option<&str>, summary: Option<&str>) -> Cow<'a, str> {
    match (title, summary) {
        (None, None) => Cow::Borrowed(content),
        _ => Cow::Owned([title, Some(content), summary].into_iter().flatten().collect::<Vec<_>>().join("\n")),
    }
}

/// A memory, as far as the engine reads it. Only `memories::store` repeats the names of its columns.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct Memory {
    pub id: MemoryId,
    pub short_id: String,
    pub agent_id: AgentId,
    pub created_by: AgentId,
    pub user_id: Option<UserId>,
    pub kind: MemoryKind,
    pub category: Option<Category>,
    pub subject: Option<String>,
    pub retention: Retention,
    pub scope: MemoryScope,
    pub project_id: Option<Uuid>,
    pub repo_id: Option<Uuid>,
    pub session_id: Option<Uuid>,
    pub connection_id: Option<Uuid>,
    pub status: MemoryStatus,
    pub topic: String,
    pub topic_raw: String,
    pub is_canonical: bool,
    pub vocabulary_version: i64,
    pub title: Option<String>,
    pub content: String,
    pub summary: Option<String>,
    #[sqlx(json)]
    pub source: Source,
    pub source_kind: SourceKind,
    pub evidence_ref: Option<String>,
    pub confidence: f32,
    pub importance: f32,
    pub pinned: bool,
    pub content_hash: Vec<u8>,
    pub version: i32,
    pub live: bool,
    pub access_count: i64,
    pub recalled_count: i64,
    pub remembered_count: i64,
    pub last_accessed_at: Option<DateTime<Utc>>,
    pub observed_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub stated_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub deleted_at: Option<DateTime<Utc>>,
    pub deleted_by: Option<String>,
    pub delete_reason: Option<String>,
    pub rationale: Option<String>,
    pub alternatives: Option<Vec<String>>,
    pub role: Option<Role>,
    /// `Own` or `Captured`: a shared memory is as trusted as its reviews say.
    pub trust: Trust,
    pub retention_rule: Option<RetentionRule>,
    #[sqlx(json(nullable))]
    pub importance_factors: Option<Vec<FactorShare>>,
    pub archived_at: Option<DateTime<Utc>>,
    pub archive_reason: Option<ArchiveReason>,
    pub filename: Option<String>,
    pub attachment_id: Option<String>,
    /// The slugs of its project and of its repository.
    pub project: Option<String>,
    pub repo: Option<String>,
}

/// Whose memory it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    pub agent_id: AgentId,
    pub user_id: Option<UserId>,
}

impl Memory {
    /// Whose memory it is.
    pub fn owner(&self) -> Owner {
        Owner { agent_id: self.agent_id, user_id: self.user_id }
    }

    /// The locks of its key and of its content.
    pub fn locks(&self) -> [i64; 2] {
        self.key().locks(&self.content_hash)
    }

    /// The key under which this memory may be the same as another.
    pub fn key(&self) -> DedupKey {
        DedupKey {
            agent_id: self.agent_id,
            user_id: self.user_id,
            kind: self.kind,
            scope: self.scope,
            project_id: self.project_id,
            repo_id: self.repo_id,
            session_id: self.session_id,
            connection_id: self.connection_id,
            topic: self.topic.clone(),
        }
    }

    /// The text whose words are indexed, besides the topic.
    pub fn wording(&self) -> Cow<'_, str> {
        wording(&self.content, self.title.as_deref(), self.summary.as_deref())
    }

    /// Its texts besides the topic, for whoever looks for instructions in them: in the order in which a model reads them, because an
    /// instruction may begin in one and end in the next.
    pub fn texts(&self) -> impl Serialize {
        let Self { content, title, summary, subject, rationale, alternatives, evidence_ref, source, .. } = self;
        (content, rationale, alternatives, title, summary, subject, evidence_ref, source)
    }

    /// The text whose meaning is compared.
    pub fn embedded_text(&self) -> String {
        searched_text(self.role, &self.topic, &self.content)
    }

    /// The text whose words are indexed, without further topics.
    pub fn searched_text(&self) -> String {
        searched_text(self.role, &self.topic, &self.wording())
    }

    /// Whether it is a candidate that waits in the inbox.
    pub fn waits(&self) -> bool {
        self.status == MemoryStatus::Inbox && self.deleted_at.is_none()
    }

    /// Calls the speaker `from` by the name `to`, where it quotes them. `speaks` says whether `from` is the one who says it.
    pub fn rename_speaker(&mut self, from: &str, to: &str, speaks: bool) {
        if let Some(content) = minutes::renamed(&self.content, from, to, speaks) {
            self.content_hash = content_hash(&content);
            self.content = content;
        }
        if speaks && self.source.speaker.as_deref() == Some(from) {
            self.source.speaker = Some(to.to_owned());
        }
        if speaks && self.subject.as_deref() == Some(label(Some(from))) {
            self.subject = Some(label(Some(to))).filter(|label| *label != SOMEBODY).map(str::to_owned);
        }
    }

    /// Whether it is an episode that may fade.
    pub fn fades(&self) -> bool {
        self.live && self.kind == MemoryKind::Episode && self.retention != Retention::Permanent && !self.pinned
    }

    /// What is left of its importance, if it may fade.
    pub fn decayed_importance(&self, now: DateTime<Utc>) -> Option<f64> {
        let last = self.last_accessed_at.unwrap_or(self.created_at);
        self.fades().then(|| decayed(self.importance, last, now))
    }

    /// When it was said, or when it was written if that is not known.
    pub fn said_at(&self) -> DateTime<Utc> {
        self.observed_at.unwrap_or(self.created_at)
    }

    /// The day on which it was said. That of its minutes is the speaker's, which may be the day before or after that of UTC.
    pub fn said_on(&self) -> NaiveDate {
        let day = self.said_at().date_naive();
        let spoken = Minutes::parse(&self.content).and_then(|minutes| minutes.day);
        spoken.filter(|spoken| (*spoken - day).num_days().abs() <= 1).unwrap_or(day)
    }

    /// Who speaks in it (“Vera: …”, at most three words, or as its source says), or the person it is about. The database keeps the same in
    /// `speaker`.
    pub fn speaker(&self) -> Option<String> {
        let plain =
            |word: &str| !word.is_empty() && !word.contains(['[', ']', '.', '?', '!', ',', ':']) && !word.contains(char::is_whitespace);
        let spoken = self
            .content
            .split_once(": ")
            .map(|(name, _)| name)
            .filter(|name| name.starts_with(char::is_uppercase) && name.split(' ').count() <= 3 && name.split(' ').all(plain));
        let about = || self.subject.clone().filter(|_| self.category == Some(Category::Person));
        let named = self.source.speaker.as_deref().map(str::trim).filter(|name| !name.is_empty());
        spoken.or(named).map(|name| name.chars().take(40).collect()).or_else(about)
    }
}

/// Why a version exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Created,
    Revised,
    /// More or other details were added to the same content.
    Amended,
    Forgotten,
    Restored,
    Superseded,
    /// It is linked to a memory that contradicts it.
    Contradicted,
    /// The link that superseded or contradicted it was removed.
    Reinstated,
    /// Its phrase means something else now.
    Recanonicalised,
    /// Extraction proposed it.
    Proposed,
    /// A rule or a person made a candidate durable.
    Promoted,
    /// A person confirmed the content of a shared memory.
    Reviewed,
    /// A decision was undone: it waits in the inbox again.
    Returned,
    /// It faded, expired or made room.
    Archived,
}

impl Change {
    /// The text form, as versions keep it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Revised => "revised",
            Self::Amended => "amended",
            Self::Forgotten => "forgotten",
            Self::Restored => "restored",
            Self::Superseded => "superseded",
            Self::Contradicted => "contradicted",
            Self::Reinstated => "reinstated",
            Self::Recanonicalised => "recanonicalised",
            Self::Proposed => "proposed",
            Self::Promoted => "promoted",
            Self::Reviewed => "reviewed",
            Self::Returned => "returned",
            Self::Archived => "archived",
        }
    }
}

/// A link as it is stored, with the memory at its other end.
#[derive(FromRow)]
pub struct Link {
    pub from_id: MemoryId,
    pub to_id: MemoryId,
    pub relation: Relation,
    pub other_agent_id: AgentId,
    pub other_user_id: Option<UserId>,
    pub other_short_id: String,
    pub other_topic: String,
    /// Its first 300 characters.
    pub other_content: String,
    pub other_status: MemoryStatus,
    pub other_deleted: bool,
    pub other_archived: bool,
    pub other_expires_at: Option<DateTime<Utc>>,
    pub other_source: Json<Source>,
    pub other_updated_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
}

impl Link {
    /// The link as one of its ends sees it.
    pub fn seen_from(self, id: MemoryId) -> MemoryLink {
        MemoryLink {
            relation: self.relation,
            outgoing: self.from_id == id,
            other_id: if self.from_id == id { self.to_id } else { self.from_id },
            other_short_id: self.other_short_id,
            other_topic: self.other_topic,
            other_content: self.other_content,
            other_status: self.other_status,
            other_deleted: self.other_deleted,
            other_source: self.other_source.0,
            other_updated_at: self.other_updated_at,
            created_at: self.created_at,
        }
    }
}

/// A version as it is stored, newest first in lists.
pub type Version = MemoryVersion;

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::Duration;
    use proptest::prelude::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn whoever_is_asked_speaks() {
        for content in
            ["Vera: “Since May.”", "Idris asked “Since when?” Vera: “Since May.”", "Idris said “Hi” Vera, 3 May 2026: “Since May.”"]
        {
            let mut memory = crate::testing::memory("boat", content);
            memory.source.speaker = Some("Vera".into());
            assert_eq!(memory.speaker().as_deref(), Some("Vera"), "{content}");
        }
    }

    #[test]
    fn decay_halves_in_62_days() {
        let now = at(1_800_000_000);
        assert!((recency(now - Duration::hours((62.38 * 24.0) as i64), now) - 0.5).abs() < 1e-3);
        assert_eq!(recency(now + Duration::days(3), now), 1.0);
    }

    proptest! {
        /// At any moment, ordering by the stored weight is ordering by decay.
        #[test]
        fn weights_order_as_recency_does(a in 0_i64..3_000_000_000, b in 0_i64..3_000_000_000) {
            let now = at(3_000_000_001);
            let (by_weight, by_recency) = (weight(at(a)) / weight(at(b)), recency(at(a), now) / recency(at(b), now));
            prop_assert!((by_weight.ln() - by_recency.ln()).abs() < 1e-6);
        }
    }
}

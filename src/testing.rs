//! A memory for unit tests.

use crate::memories::model::{Memory, content_hash};
use chrono::DateTime;
use db::clock::Clock;
use uuid::Uuid;
use wire::{AgentId, MemoryId, MemoryKind, MemoryScope, MemoryStatus, Retention, Source, SourceKind, Trust};

/// A live memory with the given topic and content, and plain values elsewhere.
pub(crate) fn memory(topic: &str, content: &str) -> Memory {
    let then = DateTime::from_timestamp(1_780_000_000, 0).unwrap_or_default();
    Memory {
        id: MemoryId(db::clock::SystemClock.id()),
        short_id: "abcdefgh".into(),
        agent_id: AgentId(Uuid::from_u128(1)),
        created_by: AgentId(Uuid::from_u128(1)),
        user_id: None,
        kind: MemoryKind::Profile,
        category: None,
        subject: None,
        retention: Retention::Permanent,
        scope: MemoryScope::Agent,
        project_id: None,
        repo_id: None,
        session_id: None,
        connection_id: None,
        status: MemoryStatus::Active,
        topic: topic.into(),
        topic_raw: topic.into(),
        is_canonical: false,
        vocabulary_version: 1,
        title: None,
        content: content.into(),
        summary: None,
        source: Source { platform: "slack".into(), ..Source::default() },
        source_kind: SourceKind::Conversation,
        evidence_ref: None,
        confidence: 1.0,
        importance: 1.0,
        pinned: false,
        content_hash: content_hash(content),
        version: 1,
        live: true,
        access_count: 0,
        recalled_count: 0,
        remembered_count: 0,
        last_accessed_at: None,
        observed_at: None,
        created_at: then,
        updated_at: then,
        stated_at: then,
        expires_at: None,
        deleted_at: None,
        deleted_by: None,
        delete_reason: None,
        rationale: None,
        alternatives: None,
        role: None,
        trust: Trust::Own,
        retention_rule: None,
        importance_factors: None,
        archived_at: None,
        archive_reason: None,
        filename: None,
        attachment_id: None,
        project: None,
        repo: None,
    }
}

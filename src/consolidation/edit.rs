//! What a person changes about candidates when confirming them, and how that is undone.

use super::model::retention;
use super::store::{self, Proposed};
use crate::memories::model::{Change, DedupKey, Memory, content_hash};
use crate::memories::{CAPTURE, CONSOLE, remember, share, store as memories};
use crate::vocabulary::Resolved;
use chrono::{DateTime, Utc};
use db::Tx;
use foundation::audit::{self, NewEntry};
use foundation::jobs::{self, NewEvent, Task};
use foundation::{Engine, Error, OpContext, identity, intake};
use serde_json::json;
use std::collections::HashMap;
use wire::{AgentId, CapturePolicy, InboxEdit, LifecyclePolicy, MemoryId, MemoryKind, RetentionDays, Source, SourceKind, Trust};
use words::aging::expiry;
use words::compare::{Likeness, compare};

/// How long each retention lasts, by agent.
pub(super) type Days = HashMap<AgentId, RetentionDays>;

/// What a person changes when confirming.
pub(super) struct Edit {
    asked: InboxEdit,
    topic: Option<(String, Resolved)>,
    policy: CapturePolicy,
    /// How the memories of the commons age.
    pub(super) lifecycle: LifecyclePolicy,
    /// Empty if no kind changes.
    days: Days,
    by: String,
    at: DateTime<Utc>,
}

impl Edit {
    pub(super) async fn new(engine: &Engine, ctx: &OpContext, ids: &[MemoryId], asked: &InboxEdit) -> Result<Self, Error> {
        let topic = match asked.topic.as_deref().map(str::trim).filter(|topic| !topic.is_empty()) {
            Some(topic) => Some((topic.to_owned(), remember::resolve(engine, ctx, topic).await)),
            None => None,
        };
        let policy = identity::capture_policy(engine, ctx).await?;
        let lifecycle = identity::lifecycle_policy(engine, ctx, ctx.commons_id).await?;
        let days = if asked.kind.is_some() { days_of(engine, ctx, ids).await? } else { Days::new() };
        let (by, at) = (ctx.actor.name().to_owned(), engine.clock().now());
        Ok(Self { asked: asked.clone(), topic, policy, lifecycle, days, by, at })
    }

    /// Whether the person says who reads it, and what.
    pub(super) fn share(&self) -> Option<bool> {
        self.asked.share
    }

    /// Whether a private candidate, edited already, is shared once it is durable.
    pub(super) fn shares(&self, ctx: &OpContext, memory: &Memory) -> bool {
        let by_policy = || share::shares_confirmed(&self.policy, memory.scope);
        let wanted = self.asked.share.map_or_else(by_policy, |share| share && share::may_be_shared(memory.scope));
        wanted && memory.agent_id != ctx.commons_id
    }

    /// The locks of the keys that a candidate and its shared copy will have.
    pub(super) fn locks(&self, ctx: &OpContext, memory: &Memory) -> Vec<i64> {
        let edited = self.apply(memory);
        let key = edited.key();
        let copy = DedupKey { agent_id: ctx.commons_id, ..key.clone() };
        [key, copy].map(|key| key.locks(&edited.content_hash)).concat()
    }

    /// The candidate as it will be confirmed.
    pub(super) fn apply(&self, memory: &Memory) -> Memory {
        let InboxEdit { content, kind, scope, project_id, .. } = &self.asked;
        let mut edited = memory.clone();
        if let Some((raw, resolved)) = &self.topic {
            edited.topic_raw.clone_from(raw);
            edited.topic.clone_from(&resolved.topic);
            (edited.is_canonical, edited.vocabulary_version) = (resolved.is_canonical, resolved.version);
        }
        edited.scope = scope.unwrap_or(memory.scope);
        edited.project_id = project_id.or(memory.project_id);
        if let Some(kind) = *kind {
            self.set_kind(&mut edited, kind);
        }
        if let Some(content) = content.as_deref().filter(|content| !is_same(content, &memory.content)) {
            self.set_content(&mut edited, content);
        }
        edited
    }

    /// What becomes or was an episode is kept as long as extraction keeps its new kind.
    fn set_kind(&self, memory: &mut Memory, kind: MemoryKind) {
        if (kind == MemoryKind::Episode) != (memory.kind == MemoryKind::Episode) {
            let days = self.days.get(&memory.agent_id).copied().unwrap_or_default();
            memory.retention = retention(kind);
            memory.expires_at = expiry(&days, memory.retention, memory.pinned, self.at);
        }
        memory.kind = kind;
    }

    /// The new words are the reviewer's, said now, whoever is quoted in the source: a correction on the page of a memory does the same.
    fn set_content(&self, memory: &mut Memory, content: &str) {
        if compare(&memory.content, content) != Likeness::Same {
            (memory.title, memory.rationale, memory.alternatives) = (None, None, None);
        }
        memory.summary = None;
        memory.content = content.to_owned();
        memory.content_hash = content_hash(content);
        let observed_at = Some(self.at);
        memory.source = Source { platform: CONSOLE.into(), speaker: Some(self.by.clone()), observed_at, ..Source::default() };
        memory.trust = Trust::Captured;
        (memory.observed_at, memory.stated_at, memory.updated_at) = (observed_at, self.at, self.at);
    }
}

/// Whether a form sent the text that it showed: browsers end lines in their own way.
fn is_same(typed: &str, shown: &str) -> bool {
    typed.trim().lines().eq(shown.trim().lines())
}

/// How long memories of some candidates' agents are kept, read before the candidates are locked.
pub(super) async fn days_of(engine: &Engine, ctx: &OpContext, ids: &[MemoryId]) -> Result<Days, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let rows = memories::by_ids(&mut tx, ctx.tenancy(), None, ids, false).await?;
    tx.commit().await?;
    let mut days = Days::new();
    for row in rows {
        days.insert(row.agent_id, identity::lifecycle_policy(engine, ctx, row.agent_id).await?.retention_days);
    }
    Ok(days)
}

/// A candidate as a person edited it, stored.
pub(super) async fn edited(engine: &Engine, ctx: &OpContext, tx: &mut Tx, memory: &Memory, edit: &Edit) -> Result<Memory, Error> {
    let edited = edit.apply(memory);
    let fields = [
        ("content", edited.content != memory.content),
        ("kind", edited.kind != memory.kind),
        ("topic", edited.topic_raw != memory.topic_raw || edited.topic != memory.topic),
        ("scope", edited.scope != memory.scope),
        ("project", edited.project_id != memory.project_id),
    ];
    let fields: Vec<&str> = fields.into_iter().filter(|(_, differs)| *differs).map(|(field, _)| field).collect();
    if fields.is_empty() {
        return Ok(memory.clone());
    }
    rewrite(ctx, tx, memory, &edited).await?;
    let entry = NewEntry::new(engine, ctx, "memory.revised", "memory", memory.id, "edited before it was confirmed")
        .agent(memory.agent_id)
        .changes(json!({ "edited": fields }));
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    Ok(edited)
}

/// A memory as it was proposed, stored. Its text stays if nobody edited it when confirming it, or if it was corrected since.
pub(super) async fn as_proposed(engine: &Engine, ctx: &OpContext, tx: &mut Tx, memory: &Memory, days: &Days) -> Result<Memory, Error> {
    let Some(was) = store::proposed(tx, ctx.tenancy(), memory.agent_id, memory.id).await? else { return Ok(memory.clone()) };
    let proposal = proposal(memory, was, is_edited(ctx, tx, memory).await?, days)?;
    if proposal != *memory {
        rewrite(ctx, tx, memory, &proposal).await?;
    }
    if proposal.embedded_text() != memory.embedded_text() {
        let payload = json!({ "memory_id": memory.id });
        jobs::store::insert(tx, ctx.tenant_id, memory.agent_id, &NewEvent::pending(engine, Task::Embed, payload)).await?;
    }
    Ok(proposal)
}

/// Whether a memory still has the text that a person gave it when confirming it.
async fn is_edited(ctx: &OpContext, tx: &mut Tx, memory: &Memory) -> Result<bool, Error> {
    if memory.source.platform != CONSOLE {
        return Ok(false);
    }
    let versions = memories::versions(tx, ctx.tenancy(), memory.agent_id, memory.id).await?;
    let last = versions.iter().zip(versions.iter().skip(1)).find(|(new, old)| new.content != old.content);
    let confirming = [Change::Promoted, Change::Superseded].map(Change::as_str);
    Ok(last.is_some_and(|(new, _)| confirming.contains(&new.change.as_str())))
}

fn proposal(memory: &Memory, was: Proposed, is_edited: bool, days: &Days) -> Result<Memory, Error> {
    let mut proposal = Memory { kind: was.kind, scope: was.scope, project_id: was.project_id, retention: was.retention, ..memory.clone() };
    if is_edited {
        proposal.content_hash = content_hash(&was.content);
        (proposal.content, proposal.title, proposal.summary) = (was.content, was.title, was.summary);
        (proposal.rationale, proposal.alternatives, proposal.source) = (was.rationale, was.alternatives, was.source.0);
        (proposal.observed_at, proposal.stated_at, proposal.updated_at) = (was.observed_at, was.stated_at, was.updated_at);
    }
    // Renaming a speaker leaves out what a person edited, what was merged, and what is deleted.
    if let (Some(old), Some(new)) = (proposal.source.speaker.clone(), was.speaker)
        && proposal.source.platform == CAPTURE
        && old != new
    {
        proposal.rename_speaker(&old, &new, true);
    }
    // Under the same phrase the topic stays: the vocabulary may have changed it since.
    if was.topic_raw != memory.topic_raw {
        (proposal.topic, proposal.topic_raw, proposal.is_canonical) = (was.topic, was.topic_raw, was.is_canonical);
        // Older than any other, so that the next decision on the phrase includes it.
        proposal.vocabulary_version = 0;
    }
    if proposal.retention != memory.retention {
        let days = days.get(&memory.agent_id).copied().unwrap_or_default();
        proposal.expires_at = expiry(&days, proposal.retention, proposal.pinned, proposal.created_at);
    }
    if is_edited {
        proposal.trust = trust(&proposal)?;
    }
    Ok(proposal)
}

/// How far a proposal is trusted: as when it was made.
fn trust(proposal: &Memory) -> Result<Trust, Error> {
    let is_quoted = proposal.source.platform == CAPTURE || matches!(proposal.source_kind, SourceKind::Document | SourceKind::Run);
    let is_suspicious = !intake::findings(&(&proposal.topic_raw, proposal.texts()))?.is_empty();
    Ok(if is_quoted || is_suspicious { Trust::Captured } else { Trust::Own })
}

/// Stores a candidate with another text or place.
async fn rewrite(ctx: &OpContext, tx: &mut Tx, old: &Memory, new: &Memory) -> Result<(), Error> {
    store::rewrite(tx, ctx.tenancy(), new).await?;
    if new.embedded_text() != old.embedded_text() {
        memories::drop_vectors(tx, ctx.tenancy(), old.agent_id, old.id).await?;
    }
    Ok(())
}

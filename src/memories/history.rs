//! One memory in full, every state it was in, and two of them side by side.

use super::access::{self, Purpose};
use super::model::{Link, Memory, Version, recency};
use super::origin::{provenance, said_by};
use super::store;
use chrono::{DateTime, Utc};
use db::Tx;
use foundation::identity::acting_for;
use foundation::{Engine, Error, OpContext};
use verb::verb;
use wire::{AgentId, Comparison, MemoryFields, MemoryId, MemoryRecord, MemoryRef, MemoryVersion, Provenance, SourceTag, Trust, UserRef};

/// Texts that wait for a review, among which a question looks for its words.
const WAITING: i64 = 200;
/// Most quotes of a record.
const QUOTES: i64 = 20;

/// A memory in full, with quotes, versions and links: an agent's own or a shared one, any of the tenant's for operators.
///
/// # Errors
/// `Forbidden` without `memory:read` or the role `viewer`; `NotFound` for a memory that the caller cannot see; agents see no forgotten
/// ones.
#[verb]
pub async fn record(engine: &Engine, ctx: &OpContext, name: &MemoryRef, user: Option<&UserRef>) -> Result<MemoryRecord, Error> {
    ctx.require_reader()?;
    let ctx = &acting_for(engine, ctx, user).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let memory = access::find(&mut tx, ctx, name, Purpose::Read, engine.clock().now()).await?;
    let record = in_full(engine, ctx, &mut tx, memory).await?;
    tx.commit().await?;
    Ok(record)
}

/// A memory with quotes, versions, and the links that the caller may see.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn in_full(engine: &Engine, ctx: &OpContext, tx: &mut Tx, mut memory: Memory) -> Result<MemoryRecord, Error> {
    let versions = store::versions(tx, ctx.tenancy(), memory.agent_id, memory.id).await?;
    let links = store::links(tx, ctx.tenancy(), memory.id).await?;
    let reviewed = store::reviewed(tx, ctx.tenancy(), &[memory.id]).await?;
    let quotes = store::evidence_of(tx, ctx.tenancy(), &[memory.id], QUOTES).await?.into_iter().map(|(_, place)| place).collect();
    let (agent, now) = (ctx.agent_id().ok(), engine.clock().now());
    let told = |link: &Link| match agent {
        None => true,
        Some(agent) => {
            let reachable = [agent, ctx.commons_id].contains(&link.other_agent_id);
            let gone = link.other_deleted || link.other_archived || link.other_expires_at.is_some_and(|end| end <= now);
            reachable && !gone && ctx.users.include(link.other_user_id)
        }
    };
    let trust = trust(&memory, &reviewed, ctx);
    let provenance = provenance(&memory, agent, reviewed.contains(&memory.id));
    Ok(MemoryRecord {
        scope: memory.scope,
        filename: memory.filename.take(),
        attachment_id: memory.attachment_id.take(),
        decayed_importance: memory.decayed_importance(now),
        importance_factors: memory.importance_factors.take().unwrap_or_default(),
        retention_rule: memory.retention_rule,
        role: memory.role,
        access_count: memory.access_count,
        recalled_count: memory.recalled_count,
        remembered_count: memory.remembered_count,
        last_accessed_at: memory.last_accessed_at,
        archived_at: memory.archived_at,
        deleted_at: memory.deleted_at,
        quotes,
        versions,
        links: links.into_iter().filter(told).map(|link| link.seen_from(memory.id)).collect(),
        memory: fields(memory, ctx.commons_id, trust, provenance, now),
    })
}

/// What answers say of a memory.
pub(crate) fn fields(memory: Memory, commons: AgentId, trust: Trust, provenance: Provenance, now: DateTime<Utc>) -> MemoryFields {
    MemoryFields {
        memory_id: memory.id,
        short_id: memory.short_id,
        agent_id: memory.agent_id,
        created_by: memory.created_by,
        source_tag: if memory.agent_id == commons { SourceTag::Shared } else { SourceTag::Private },
        trust,
        provenance,
        user_id: memory.user_id,
        kind: memory.kind,
        category: memory.category,
        subject: memory.subject,
        retention: memory.retention,
        project_id: memory.project_id,
        repo_id: memory.repo_id,
        session_id: memory.session_id,
        status: memory.status,
        topic: memory.topic,
        topic_raw: memory.topic_raw,
        is_canonical: memory.is_canonical,
        title: memory.title,
        content: memory.content,
        summary: memory.summary,
        rationale: memory.rationale,
        alternatives: memory.alternatives.unwrap_or_default(),
        source_ref: memory.source.place(),
        source: memory.source,
        source_kind: memory.source_kind,
        evidence_ref: memory.evidence_ref,
        confidence: memory.confidence,
        importance: memory.importance,
        pinned: memory.pinned,
        version: memory.version,
        observed_at: memory.observed_at,
        created_at: memory.created_at,
        freshness: recency(memory.updated_at, now),
        updated_at: memory.updated_at,
        expires_at: memory.expires_at,
    }
}

/// When a memory of the calling agent was forgotten, if `name` means one that the caller could read before.
///
/// # Errors
/// As [`record`], without `NotFound`.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn forgotten_at(
    engine: &Engine,
    ctx: &OpContext,
    name: &MemoryRef,
    user: Option<&UserRef>,
) -> Result<Option<DateTime<Utc>>, Error> {
    ctx.require_reader()?;
    let Ok(agent) = ctx.agent_id() else { return Ok(None) };
    let ctx = &acting_for(engine, ctx, user).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let found = access::rows(&mut tx, ctx, &[agent], name, false).await?;
    tx.commit().await?;
    let own = found.into_iter().find(|memory| memory.agent_id == agent && ctx.users.include(memory.user_id));
    Ok(own.and_then(|memory| memory.deleted_at))
}

/// How far a memory can be trusted, given those that a person confirmed.
pub(crate) fn trust(memory: &Memory, reviewed: &[MemoryId], ctx: &OpContext) -> Trust {
    match (memory.agent_id == ctx.commons_id, reviewed.contains(&memory.id)) {
        (false, _) if said_by(memory).is_quoted() => Trust::Captured,
        (false, _) => Trust::Own,
        (true, true) => Trust::Reviewed,
        (true, false) => Trust::Unreviewed,
    }
}

/// Every state that a memory was in, newest first.
///
/// # Errors
/// As [`record`].
#[verb]
pub async fn history(engine: &Engine, ctx: &OpContext, name: &MemoryRef, user: Option<&UserRef>) -> Result<Vec<MemoryVersion>, Error> {
    versions(engine, ctx, name, user).await.map(|(_, versions)| versions)
}

/// Two versions of one memory, and what differs.
///
/// # Errors
/// As [`record`]; `Invalid` for a version that does not exist.
#[verb]
pub async fn compare(
    engine: &Engine,
    ctx: &OpContext,
    name: &MemoryRef,
    user: Option<&UserRef>,
    from: i32,
    to: i32,
) -> Result<Comparison, Error> {
    let (memory_id, versions) = versions(engine, ctx, name, user).await?;
    let kept: Vec<String> = versions.iter().rev().map(|version| version.version.to_string()).collect();
    let pick = |field: &str, wanted: i32| {
        let found = versions.iter().find(|version| version.version == wanted).cloned();
        found.ok_or_else(|| Error::invalid(field, format!("is {wanted}; only the versions {} of this memory are kept", kept.join(", "))))
    };
    let (from, to) = (pick("from", from)?, pick("to", to)?);
    Ok(Comparison { memory_id, changed: changed(&from, &to), from, to })
}

async fn versions(engine: &Engine, ctx: &OpContext, name: &MemoryRef, user: Option<&UserRef>) -> Result<(MemoryId, Vec<Version>), Error> {
    ctx.require_reader()?;
    let ctx = &acting_for(engine, ctx, user).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let memory = access::find(&mut tx, ctx, name, Purpose::Read, engine.clock().now()).await?;
    let versions = store::versions(&mut tx, ctx.tenancy(), memory.agent_id, memory.id).await?;
    tx.commit().await?;
    Ok((memory.id, versions))
}

fn changed(from: &Version, to: &Version) -> Vec<String> {
    let both = from.confidence.is_some() && to.confidence.is_some();
    let fields = [
        ("content", from.content != to.content),
        ("topic", from.topic != to.topic),
        ("topic_raw", from.topic_raw != to.topic_raw),
        ("is_canonical", from.is_canonical != to.is_canonical),
        ("status", from.status != to.status),
        ("deleted", from.deleted != to.deleted),
        ("kind", from.kind.zip(to.kind).is_some_and(|(from, to)| from != to)),
        ("source", from.source != to.source),
        ("title", both && from.title != to.title),
        ("summary", both && from.summary != to.summary),
        ("category", both && from.category != to.category),
        ("subject", both && from.subject != to.subject),
        ("confidence", both && from.confidence != to.confidence),
    ];
    fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_owned()).collect()
}

/// Those of some memories that a person confirmed as they are now.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn reviewed(engine: &Engine, ctx: &OpContext, ids: &[MemoryId]) -> Result<Vec<MemoryId>, Error> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let reviewed = store::reviewed(&mut tx, ctx.tenancy(), ids).await?;
    tx.commit().await?;
    Ok(reviewed)
}

/// The newest texts that wait for a review among those that the caller wrote, shared ones included.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn waiting(engine: &Engine, ctx: &OpContext) -> Result<Vec<String>, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let texts = store::waiting_texts(&mut tx, ctx.tenancy(), ctx.agent_id()?, ctx.commons_id, WAITING).await?;
    tx.commit().await?;
    Ok(texts)
}

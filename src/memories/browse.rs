//! Lists of memories, for operators and for agents, and everything about one memory.

use super::history::{in_full, trust};
use super::model::Memory;
use super::origin::provenance;
use super::store;
use db::cursor::{Cursor, Seek};
use db::{Planned, Tx};
use foundation::identity::acting_for;
use foundation::{Checks, Engine, Error, OpContext, audit, identity, projects};
use std::collections::HashMap;
use verb::verb;
use wire::{
    AgentId, BULK_MAX, KeyScope, ListMemoriesRequest, ListedMemory, MemoryDetail, MemoryFilter, MemoryId, MemoryRecall, MemoryRecalls,
    MemoryRow, MemoryStatus, Page, SESSION_MAX, StateFilter, UserRef,
};

/// Memories on one page of the console.
const PAGE: usize = 50;
/// Memories on one page of an agent, which a model reads whole.
const LISTED: usize = 20;
/// Recalls on a memory's page.
const RECALLS_MAX: i64 = 10;
/// Audit entries on a memory's page.
const AUDIT_MAX: i64 = 50;

/// Refuses filters that no memory can match or that the database cannot process.
///
/// # Errors
/// `Invalid`, naming the field.
pub fn check(filter: &MemoryFilter) -> Result<(), Error> {
    Checks::default()
        .optional_text("topic", filter.topic.as_deref(), wire::TOPIC_MAX)
        .optional_text("session", filter.session.as_deref(), SESSION_MAX)
        .optional_text("platform", filter.platform.as_deref(), 64)
        .optional_text("channel", filter.channel.as_deref(), 256)
        .time("from", filter.from)
        .time("until", filter.until)
        .that(!matches!((filter.from, filter.until), (Some(from), Some(until)) if from >= until), "until", "must be later than from")
        .that(
            filter.q.is_none() || filter.status.is_none_or(is_live),
            "status",
            "cannot be combined with a search: a search finds active and contradicted memories only",
        )
        .that(
            filter.q.is_none() || filter.state != Some(StateFilter::All),
            "state",
            "cannot be combined with a search: a search finds neither archived nor deleted memories",
        )
        .done()
}

/// Whether a memory of this status is in reach, as long as it is neither deleted nor expired.
fn is_live(status: MemoryStatus) -> bool {
    matches!(status, MemoryStatus::Active | MemoryStatus::Contradicted)
}

/// A page of memories, newest write first, with the total, counted up to [`wire::TOTAL_MAX`].
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for an invalid filter or cursor.
#[verb(role = Viewer)]
pub async fn browse(engine: &Engine, ctx: &OpContext, filter: &MemoryFilter) -> Result<Page<MemoryRow>, Error> {
    check(filter)?;
    let user_id = identity::person(engine, ctx, filter.user_id.as_ref()).await?.map(UserRef::Id);
    let filter = &MemoryFilter { user_id, ..filter.clone() };
    let seek = &Seek::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    let slugs = slugs(engine, ctx).await?;
    let read = |mut tx: Tx| async move {
        let total = store::count(&mut tx, ctx.tenant_id, filter).await?;
        // What a filter does not find is not looked for twice.
        let memories = if total == 0 { vec![] } else { store::list(&mut tx, ctx.tenant_id, filter, seek, PAGE).await? };
        tx.commit().await?;
        Ok::<_, Error>((total, memories))
    };
    let (total, memories) = ctx.read(&engine.db().memory, Planned::ByPostgres, read).await?;
    let page = seek.clone().page(memories, PAGE, total, |memory: &Memory| Cursor { key: memory.updated_at, id: memory.id.0 });
    Ok(page.map(|memory| with_slug(memory, &slugs)))
}

/// A page of what an agent can recall, newest write first: its own memories and the shared ones, of the person it talks to and of nobody.
///
/// # Errors
/// `Forbidden` without `memory:read`; `Invalid` for an unknown project, a topic that is empty or too long, or a foreign cursor.
#[verb]
pub async fn list(engine: &Engine, ctx: &OpContext, request: ListMemoriesRequest) -> Result<Page<ListedMemory>, Error> {
    let agent = ctx.agent_id()?;
    ctx.require(KeyScope::MemoryRead)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    let project_id = projects::id_of(engine, ctx, request.project_id.as_ref()).await?;
    let filter = &MemoryFilter { topic: request.topic, kind: request.kind, project_id, ..MemoryFilter::default() };
    check(filter)?;
    let (seek, now) = (Seek::from_parameters(request.after.as_deref(), None)?, engine.clock().now());
    let tenancy = ctx.tenancy();
    let mut tx = engine.db().memory.begin_snapshot(tenancy).await?;
    let (total, memories) = store::of_agent(&mut tx, (tenancy, &[tenancy.agent, tenancy.commons]), filter, (&seek, LISTED), now).await?;
    let ids: Vec<_> = memories.iter().map(|memory| memory.id).collect();
    let reviewed = store::reviewed(&mut tx, tenancy, &ids).await?;
    tx.commit().await?;
    let page = seek.page(memories, LISTED, total, |memory: &Memory| Cursor { key: memory.updated_at, id: memory.id.0 });
    Ok(page.map(|memory| ListedMemory {
        trust: trust(&memory, &reviewed, ctx),
        provenance: provenance(&memory, Some(agent), reviewed.contains(&memory.id)),
        memory_id: memory.id,
        short_id: memory.short_id,
        topic: memory.topic,
        kind: memory.kind,
        content: memory.content,
        user_id: memory.user_id,
        status: memory.status,
        updated_at: memory.updated_at,
    }))
}

/// Memories by id, deleted or not, in the order of `ids`; ids that name none of the tenant's memories are left out.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for more than [`BULK_MAX`] ids.
#[verb(role = Viewer)]
pub async fn rows_by_id(engine: &Engine, ctx: &OpContext, ids: &[MemoryId]) -> Result<Vec<MemoryRow>, Error> {
    let message = format!("names {} memories; at most {BULK_MAX} are allowed", ids.len());
    Checks::default().that(ids.len() <= BULK_MAX, "ids", message).done()?;
    let slugs = slugs(engine, ctx).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let mut memories = store::by_ids(&mut tx, ctx.tenancy(), None, ids, false).await?;
    tx.commit().await?;
    memories.sort_by_key(|memory| ids.iter().position(|id| *id == memory.id));
    Ok(memories.into_iter().map(|memory| with_slug(memory, &slugs)).collect())
}

/// One memory with provenance, versions, links and audit trail, deleted or not.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `NotFound` for another tenant's.
#[verb(role = Viewer)]
pub async fn detail(engine: &Engine, ctx: &OpContext, id: MemoryId) -> Result<MemoryDetail, Error> {
    let slugs = slugs(engine, ctx).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let memory = store::by_ids(&mut tx, ctx.tenancy(), None, &[id], false).await?.pop().ok_or(Error::NotFound("memory"))?;
    let record = in_full(engine, ctx, &mut tx, memory.clone()).await?;
    let decided = store::accepted(&mut tx, ctx.tenancy(), memory.agent_id, id).await?;
    let further = store::topics_of(&mut tx, ctx.tenancy(), &[id], engine.clock().now()).await?;
    let embedded_by = store::embedded_by(&mut tx, ctx.tenancy(), memory.agent_id, id).await?;
    tx.commit().await?;
    let mut control = engine.db().control.begin(ctx.tenancy()).await?;
    let mut audit = audit::store::of_target(&mut control, ctx.tenant_id, &id.to_string(), AUDIT_MAX).await?;
    // The messages of one request have one entry, about their session.
    if let Some(session) = memory.session_id.filter(|_| memory.role.is_some()) {
        let stored = audit::store::of_target(&mut control, ctx.tenant_id, &session.to_string(), AUDIT_MAX).await?;
        audit.extend(stored.into_iter().filter(|entry| entry.changes.to_string().contains(&id.to_string())));
    }
    control.commit().await?;
    Ok(MemoryDetail {
        further_topics: further.into_iter().map(|(_, topic)| topic).collect(),
        stated_at: memory.stated_at,
        archive_reason: memory.archive_reason,
        content_hash: hex::encode(&memory.content_hash),
        embedded_by,
        record,
        decided,
        audit,
        memory: with_slug(memory, &slugs),
    })
}

/// Which recalls in the log returned a memory: how many, and the latest of them.
#[verb(role = Viewer)]
pub async fn recalls(engine: &Engine, ctx: &OpContext, id: MemoryId) -> Result<MemoryRecalls, Error> {
    let slugs = slugs(engine, ctx).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let (total, latest) = store::recalls(&mut tx, ctx.tenancy(), id, RECALLS_MAX).await?;
    tx.commit().await?;
    let recalled = |recalled: store::Recalled| MemoryRecall {
        retrieval_id: recalled.retrieval_id,
        agent_slug: slugs.get(&recalled.agent_id).cloned().unwrap_or_default(),
        query: recalled.query,
        at: recalled.at,
        rank: u32::try_from(recalled.rank).unwrap_or_default(),
    };
    Ok(MemoryRecalls { total, latest: latest.into_iter().map(recalled).collect() })
}

/// The slugs of a tenant's agents.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn slugs(engine: &Engine, ctx: &OpContext) -> Result<HashMap<AgentId, String>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let agents = identity::store::agents(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    Ok(agents.into_iter().map(|agent| (agent.id, agent.slug)).collect())
}

/// The row that lists show of a memory.
pub(crate) fn with_slug(memory: Memory, slugs: &HashMap<AgentId, String>) -> MemoryRow {
    let agent_slug = slugs.get(&memory.agent_id).cloned().unwrap_or_else(|| memory.agent_id.to_string());
    MemoryRow {
        id: memory.id,
        short_id: memory.short_id,
        agent_id: memory.agent_id,
        agent_slug,
        user_id: memory.user_id,
        kind: memory.kind,
        scope: memory.scope,
        status: memory.status,
        topic: memory.topic,
        topic_raw: memory.topic_raw,
        is_canonical: memory.is_canonical,
        content: memory.content,
        source: memory.source,
        version: memory.version,
        recalled_count: memory.recalled_count,
        remembered_count: memory.remembered_count,
        created_at: memory.created_at,
        updated_at: memory.updated_at,
        expires_at: memory.expires_at,
        archived_at: memory.archived_at,
        deleted_at: memory.deleted_at,
        deleted_by: memory.deleted_by,
        delete_reason: memory.delete_reason,
    }
}

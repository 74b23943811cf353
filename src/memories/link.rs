//! link and unlink: how one memory relates to another, and what that does to their statuses.

use super::access::{self, Purpose};
use super::model::{Change, Memory, Owner};
use super::shown::Shown;
use super::store;
use db::Tx;
use foundation::audit::{self, NewEntry};
use foundation::idempotency::Once;
use foundation::identity::acting_for;
use foundation::intake::{Admitted, Reason};
use foundation::jobs::{self, NewEvent, Task};
use foundation::{Checks, Engine, Error, OpContext};
use std::collections::HashMap;
use verb::verb;
use wire::{AgentId, KeyScope, LinkEnd, LinkRequest, LinkResponse, MemoryId, MemoryStatus, REASON_MAX, Relation};

/// Links two memories, or removes the link if the request says so.
///
/// `supersedes` puts the second out of reach. `contradicts` holds in both directions and marks both memories without hiding either.
///
/// # Errors
/// `Forbidden` without `memory:write`, or `commons:write` when an end is shared; `NotFound` for an end that is another agent's, tenant's or
/// person's; `Invalid` for a link to itself; `Conflict` for an end that was forgotten.
#[verb]
pub async fn link(engine: &Engine, ctx: &OpContext, request: LinkRequest) -> Result<LinkResponse, Error> {
    by_agent(engine, ctx, LinkRequest { remove: false, ..request }).await
}

/// Removes a link. A memory that only this link superseded or contradicted is reinstated.
///
/// # Errors
/// As [`link`]. Removing a link that does not exist is no error.
#[verb]
pub async fn unlink(engine: &Engine, ctx: &OpContext, request: LinkRequest) -> Result<LinkResponse, Error> {
    by_agent(engine, ctx, LinkRequest { remove: true, ..request }).await
}

async fn by_agent(engine: &Engine, ctx: &OpContext, request: LinkRequest) -> Result<LinkResponse, Error> {
    ctx.agent_id()?;
    ctx.require(KeyScope::MemoryWrite)?;
    change(engine, ctx, request, &Shown::default(), None).await
}

/// Links two memories of any agent for a reviewer, or removes their link, with the effects of [`link`] and [`unlink`]. The memories are meant
/// as they were `shown`.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `Invalid` without a reason, for a link to itself, or between memories of two agents or two people;
/// `NotFound`; `Conflict` for a memory that is deleted, archived, a candidate, or has changed since it was shown.
#[verb(role = Reviewer)]
pub async fn relate(engine: &Engine, ctx: &OpContext, request: LinkRequest, shown: &Shown, reason: &str) -> Result<LinkResponse, Error> {
    Checks::default().text("reason", reason, REASON_MAX).done()?;
    let answer = change(engine, ctx, request, shown, Some(&Reason::new(reason))).await?;
    // The next page shows the statuses of all that they contradict, and must not be outdated by a job a moment later.
    for end in [&answer.from, &answer.to] {
        settle_links(engine, ctx, end.memory_id).await?;
    }
    engine.relay().settle().await;
    Ok(answer)
}

/// Makes or removes a link. Those who review give a `reason`.
async fn change(
    engine: &Engine,
    ctx: &OpContext,
    request: LinkRequest,
    shown: &Shown,
    reason: Option<&Reason>,
) -> Result<LinkResponse, Error> {
    let request = Admitted::new(request)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    let once = Once::new(engine, ctx, "link", &request)?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let (from, to) = ends(engine, &mut tx, ctx, &request).await?;
    shown.check([&from, &to])?;
    let shared = [&from, &to].iter().any(|memory| memory.agent_id == ctx.commons_id);
    let whose = if shared { ctx.commons_id } else { from.agent_id };
    if reason.is_some() {
        check_pair(&from, &to, shared)?;
    }
    // A relation that holds in both directions is stored once, the lesser id first.
    let (one, other) = if request.relation == Relation::Contradicts && to.id < from.id { (&to, &from) } else { (&from, &to) };
    let (tenant, relation, now) = (ctx.tenant_id, request.relation, engine.clock().now());
    let changed = if request.remove {
        store::unlink(&mut tx, ctx.tenancy(), whose, one.id, other.id, relation).await?
    } else {
        let owner = Owner { agent_id: whose, user_id: from.user_id.or(to.user_id) };
        store::link(&mut tx, ctx, owner, one.id, other.id, relation, now).await?
    };
    let mut statuses = HashMap::from([(from.id, from.status), (to.id, to.status)]);
    if changed {
        for memory in concerned(relation, &from, &to) {
            let status = standing(&mut tx, ctx, memory, request.remove, relation).await?;
            if status != memory.status {
                move_to(engine, ctx, &mut tx, memory, status).await?;
                statuses.insert(memory.id, status);
            }
        }
        let (action, word) = if request.remove { ("memory.unlinked", "link removed") } else { ("memory.linked", "link added") };
        let message = format!("{word}: {} {}", relation.phrase(true), to.short_id);
        let entry = NewEntry::new(engine, ctx, action, "memory", from.id, message).agent(from.agent_id).reason(reason);
        audit::record(&mut tx, tenant, ctx.commons_id, &entry).await?;
    }
    let end = |memory: Memory| LinkEnd {
        memory_id: memory.id,
        status: statuses.get(&memory.id).copied().unwrap_or(memory.status),
        short_id: memory.short_id,
    };
    let answer = LinkResponse { from: end(from), to: end(to), relation, changed };
    once.commit(tx, &answer, &[]).await?;
    engine.relay().wake();
    engine.jobs().wake();
    Ok(answer)
}

/// Refuses two memories that no agent could link: agents see only their own and shared memories, and those of one person.
fn check_pair(from: &Memory, to: &Memory, shared: bool) -> Result<(), Error> {
    let other_person = from.user_id.zip(to.user_id).is_some_and(|(one, other)| one != other);
    Checks::default()
        .that(shared || from.agent_id == to.agent_id, "to", "belongs to another agent: only memories of one agent can be linked")
        .that(!other_person, "to", "is about another person: only memories about the same person can be linked")
        .done()?;
    match [from, to].into_iter().find(|memory| memory.status == MemoryStatus::Inbox) {
        Some(candidate) => Err(Error::Conflict(format!("the memory {} is a candidate: decide about it in the inbox", candidate.short_id))),
        None => Ok(()),
    }
}

/// Both ends, locked in the order of their ids, in either direction of the link.
async fn ends(engine: &Engine, tx: &mut Tx, ctx: &OpContext, request: &LinkRequest) -> Result<(Memory, Memory), Error> {
    let now = engine.clock().now();
    let from = access::find(tx, ctx, &request.from, Purpose::Read, now).await;
    let to = access::find(tx, ctx, &request.to, Purpose::Read, now).await;
    let known = |found: &Result<Memory, Error>| found.as_ref().ok().map(|memory| memory.id);
    let ids: Vec<MemoryId> = [known(&from), known(&to)].into_iter().flatten().collect();
    store::by_ids(tx, ctx.tenancy(), None, &ids, true).await?;
    let from = access::find(tx, ctx, &request.from, Purpose::Change, now).await?;
    let to = access::find(tx, ctx, &request.to, Purpose::Change, now).await?;
    if from.id == to.id {
        return Err(Error::invalid("to", "is the same memory as from: a memory cannot be linked to itself"));
    }
    Ok((from, to))
}

/// The memories whose status a relation affects.
fn concerned<'a>(relation: Relation, from: &'a Memory, to: &'a Memory) -> Vec<&'a Memory> {
    match relation {
        Relation::Supersedes => vec![to],
        Relation::Contradicts => vec![from, to],
        _ => vec![],
    }
}

/// The status of a memory with its current links. The statuses `inbox` and `archived` do not change.
async fn standing(tx: &mut Tx, ctx: &OpContext, memory: &Memory, removed: bool, relation: Relation) -> Result<MemoryStatus, Error> {
    let (superseded, contradicted) = store::still_linked(tx, ctx.tenancy(), memory.id).await?;
    // Somebody else may have set the status: removing a link undoes only what links did.
    let by_links = match memory.status {
        MemoryStatus::Active => !removed,
        MemoryStatus::Contradicted => true,
        MemoryStatus::Superseded => removed && relation == Relation::Supersedes,
        MemoryStatus::Inbox | MemoryStatus::Archived => false,
    };
    Ok(match (by_links, superseded, contradicted) {
        (false, ..) => memory.status,
        (true, true, _) => MemoryStatus::Superseded,
        (true, false, true) => MemoryStatus::Contradicted,
        (true, false, false) => MemoryStatus::Active,
    })
}

/// Gives a memory the status that its links say now that one of this relation was removed. The caller has locked its row.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn reinstate(engine: &Engine, ctx: &OpContext, tx: &mut Tx, memory: &Memory, removed: Relation) -> Result<(), Error> {
    let status = standing(tx, ctx, memory, true, removed).await?;
    if status == memory.status { Ok(()) } else { move_to(engine, ctx, tx, memory, status).await }
}

/// Moves a memory to another status, with words, vector, version and audit row.
async fn move_to(engine: &Engine, ctx: &OpContext, tx: &mut Tx, memory: &Memory, status: MemoryStatus) -> Result<(), Error> {
    let (tenant, agent, id) = (ctx.tenant_id, memory.agent_id, memory.id);
    let Some(stands) = store::set_status(tx, ctx.tenancy(), agent, id, status).await? else { return Ok(()) };
    let (change, action) = match status {
        MemoryStatus::Superseded => (Change::Superseded, "memory.superseded"),
        MemoryStatus::Contradicted if memory.live => (Change::Contradicted, "memory.contradicted"),
        _ => (Change::Reinstated, "memory.reinstated"),
    };
    store::write_version(tx, ctx, agent, id, change, None, engine.clock().now()).await?;
    if stands.live != memory.live {
        if stands.live {
            store::put_words(tx, ctx.tenancy(), agent, id, &memory.topic, &memory.wording()).await?;
        } else {
            store::drop_words(tx, ctx.tenancy(), agent, id).await?;
        }
        store::sync_live(tx, ctx.tenancy(), agent, &[id]).await?;
        post_settling(engine, ctx, tx, agent, id).await?;
        if stands.live && stands.awaiting_vector {
            let payload = serde_json::json!({ "memory_id": id });
            jobs::store::insert(tx, tenant, agent, &NewEvent::pending(engine, Task::Embed, payload)).await?;
        }
    }
    let entry = NewEntry::new(engine, ctx, action, "memory", id, change.as_str()).agent(agent);
    audit::record(tx, tenant, ctx.commons_id, &entry).await
}

/// A memory left reach or came back, so what it contradicts may be contradicted no longer, or again. A job checks that, because the
/// memories must be locked in the order of their ids, and may belong to other agents.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn post_settling(engine: &Engine, ctx: &OpContext, tx: &mut Tx, agent: AgentId, id: MemoryId) -> Result<(), Error> {
    // Links of other users count, too: the job sees them.
    let (_, contradicted) = store::still_linked(tx, ctx.tenancy(), id).await?;
    if contradicted {
        let payload = serde_json::json!({ "memory_id": id });
        jobs::store::insert(tx, ctx.tenant_id, agent, &NewEvent::pending(engine, Task::SettleLinks, payload)).await?;
        engine.jobs().wake();
    }
    Ok(())
}

/// Updates the statuses of the memories that one contradicts.
///
/// # Errors
/// When the database is out of reach: the job is tried again.
#[verb]
pub async fn settle_links(engine: &Engine, ctx: &OpContext, id: MemoryId) -> Result<&'static str, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let links = store::links(&mut tx, ctx.tenancy(), id).await?;
    let others = links.iter().filter(|link| link.relation == Relation::Contradicts);
    let ids: Vec<MemoryId> = others.map(|link| if link.from_id == id { link.to_id } else { link.from_id }).chain([id]).collect();
    for memory in store::by_ids(&mut tx, ctx.tenancy(), None, &ids, true).await? {
        let status = standing(&mut tx, ctx, &memory, false, Relation::Contradicts).await?;
        if memory.deleted_at.is_none() && status != memory.status {
            move_to(engine, ctx, &mut tx, &memory, status).await?;
        }
    }
    tx.commit().await?;
    engine.relay().wake();
    Ok("links settled")
}

/// For each of `ids` the live memories that contradict it, as far as the caller may see them.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn contradictions(engine: &Engine, ctx: &OpContext, ids: &[MemoryId]) -> Result<HashMap<MemoryId, Vec<MemoryId>>, Error> {
    let mut found: HashMap<MemoryId, Vec<MemoryId>> = HashMap::new();
    if ids.is_empty() {
        return Ok(found);
    }
    let agents = [ctx.agent_id()?, ctx.commons_id];
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let pairs = store::contradictions(&mut tx, ctx.tenancy(), &agents, ids, engine.clock().now()).await?;
    tx.commit().await?;
    for (id, other) in pairs {
        found.entry(id).or_default().push(other);
    }
    Ok(found)
}

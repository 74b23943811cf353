//! Sharing: a memory of one agent becomes one of all agents of the organisation, and back.
//!
//! Memories belong to an agent or to the commons, and what belongs to the commons is read by all. So sharing copies a memory into the
//! commons, with its evidence, and the copy supersedes the original. Making it private deletes the copy and reinstates the original.

use super::access::{self, Purpose};
use super::forget::take_away;
use super::model::{Change, DedupKey, Details, Draft, Link, Memory, content_hash};
use super::review::named;
use super::shown::Shown;
use super::writing::{self, Outcome};
use super::{link, remember, store, twins};
use db::{Tx, lock_all};
use foundation::audit::{self, NewEntry};
use foundation::idempotency::Once;
use foundation::identity::{self, acting_for};
use foundation::intake::{self, Admitted, Reason};
use foundation::jobs::{self, NewEvent, Task};
use foundation::op::Actor;
use foundation::{Engine, Error, OpContext};
use std::collections::HashMap;
use tracing::instrument;
use verb::verb;
use wire::{
    AgentId, BulkOutcome, CapturePolicy, KeyScope, LifecyclePolicy, MemoryId, MemoryRef, MemoryScope, MemoryStatus, OperatorRole, Relation,
    ShareResponse, Sharing, Source, Trust, UserRef,
};

/// Most linked rows that one decision locks.
const LINKED: usize = 500;
/// Why the copy of a memory that became private again was deleted.
const MADE_PRIVATE: &str = "made private";

/// Whether the policy shares a memory of a scope once a person has confirmed it.
pub(crate) fn shares_confirmed(policy: &CapturePolicy, scope: MemoryScope) -> bool {
    policy.sharing != Sharing::ByHand && may_be_shared(scope)
}

/// Whether what has a scope holds for more than one agent.
pub(crate) fn may_be_shared(scope: MemoryScope) -> bool {
    matches!(scope, MemoryScope::Global | MemoryScope::Project | MemoryScope::Repo)
}

/// Shares up to 100 memories with all agents of the organisation, all or none, as they were shown. A person read them, so they count as
/// confirmed. What held for its agent alone holds everywhere from now on. Those that are shared already do not change.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `Invalid` for no ids or too many; `NotFound` if any is not the tenant's; `Conflict` for a message
/// of a session, a memory that no agent recalls, and one that has changed since it was shown.
#[verb(ids = ids.len())]
pub async fn share(engine: &Engine, ctx: &OpContext, ids: &[MemoryId], shown: &Shown) -> Result<BulkOutcome, Error> {
    let (mut tx, memories) = lock_rows(engine, ctx, ids, shown).await?;
    let lifecycle = identity::lifecycle_policy(engine, ctx, ctx.commons_id).await?;
    let mut outcome = BulkOutcome::at(engine.clock().now());
    for memory in memories {
        if memory.agent_id == ctx.commons_id {
            outcome.unchanged.push(memory.id);
            continue;
        }
        check_shareable(&memory)?;
        give_to_all(engine, ctx, &mut tx, &memory, lifecycle).await?;
        outcome.changed.push(memory.id);
    }
    finish(engine, tx).await?;
    Ok(outcome)
}

/// Makes up to 100 shared memories private again, all or none, as they were shown: each goes back to the agents that it came from, or else to
/// the one that wrote it, and no other agent reads it any more. Private ones do not change.
///
/// # Errors
/// As [`share`].
#[verb(ids = ids.len())]
pub async fn make_private(engine: &Engine, ctx: &OpContext, ids: &[MemoryId], shown: &Shown) -> Result<BulkOutcome, Error> {
    let (mut tx, memories) = lock_rows(engine, ctx, ids, shown).await?;
    let mut policies = HashMap::new();
    for memory in &memories {
        policies.insert(memory.created_by, identity::lifecycle_policy(engine, ctx, memory.created_by).await?);
    }
    let mut outcome = BulkOutcome::at(engine.clock().now());
    for memory in memories {
        if memory.agent_id != ctx.commons_id {
            outcome.unchanged.push(memory.id);
            continue;
        }
        let lifecycle = policies.get(&memory.created_by).copied().unwrap_or_default();
        give_back(engine, ctx, &mut tx, &memory, lifecycle).await?;
        outcome.changed.push(memory.id);
    }
    finish(engine, tx).await?;
    Ok(outcome)
}

/// Shares a memory of the calling agent with all agents, or makes a shared one that it wrote private again. To do it twice is no error.
///
/// # Errors
/// `Forbidden` without `commons:write`, for a memory that another agent wrote, and for a text that a person must review before it is shared;
/// `NotFound`; `Conflict` for a message of a session and for a memory that no recall returns.
#[verb]
pub async fn set_shared(
    engine: &Engine,
    ctx: &OpContext,
    name: &MemoryRef,
    user: Option<UserRef>,
    shared: bool,
) -> Result<ShareResponse, Error> {
    let agent = ctx.agent_id()?;
    ctx.require(KeyScope::CommonsWrite)?;
    let ctx = &acting_for(engine, ctx, user.as_ref()).await?;
    let once = Once::new(engine, ctx, "share", &Admitted::new((name.clone(), shared))?)?;
    let now = engine.clock().now();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let seen = access::find(&mut tx, ctx, name, Purpose::Read, now).await?;
    tx.commit().await?;
    let is_suspicious = !intake::findings(&(&seen.topic, seen.texts()))?.is_empty();
    if shared && seen.agent_id == agent && remember::is_reviewed_first(engine, ctx, is_suspicious).await? {
        let message = "a person must review this content before it is shared: remember it with `commons: true`, then a person reviews it";
        return Err(Error::Forbidden(message.into()));
    }
    let lifecycle = identity::lifecycle_policy(engine, ctx, if shared { ctx.commons_id } else { agent }).await?;

    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    lock_all(&mut tx, [agent, ctx.commons_id].iter().flat_map(|owner| locks(&seen, *owner))).await?;
    let mut memory = access::find(&mut tx, ctx, name, Purpose::Change, now).await?;
    // The id of what was shared stands for its copy.
    if memory.status == MemoryStatus::Superseded && memory.agent_id == agent {
        memory = copies(ctx, &mut tx, &memory).await?.into_iter().find(|copy| copy.live).unwrap_or(memory);
    }
    store::lock_counts(&mut tx, ctx.tenancy(), &[agent, ctx.commons_id]).await?;
    let is_shared = memory.agent_id == ctx.commons_id;
    let result = match (is_shared == shared, shared) {
        (true, _) => memory,
        (false, true) if memory.version != seen.version => {
            return Err(Error::Conflict(format!("the memory {} changed meanwhile: read it again, then share it", memory.short_id)));
        }
        (false, true) => {
            check_shareable(&memory)?;
            let key = key_of(&memory, ctx.commons_id);
            match store::same_content(&mut tx, ctx.tenancy(), &key, &memory.content_hash, now).await? {
                // All agents read it already; the agent keeps its own.
                Some(twin) => twin,
                None => give_to_all(engine, ctx, &mut tx, &memory, lifecycle).await?,
            }
        }
        (false, false) if !is_only_by(ctx, &mut tx, &memory, agent).await? => {
            let message = "was written, reviewed or shared by somebody else, too: only an operator can make it private";
            return Err(Error::Forbidden(format!("{} {message}", memory.short_id)));
        }
        (false, false) => give_back(engine, ctx, &mut tx, &memory, lifecycle).await?.unwrap_or(memory),
    };
    let answer = ShareResponse { memory_id: result.id, short_id: result.short_id, shared };
    once.commit(tx, &answer, &[result.id]).await?;
    engine.jobs().wake();
    engine.relay().wake();
    Ok(answer)
}

/// Whether nobody but an agent wrote any version of a memory.
async fn is_only_by(ctx: &OpContext, tx: &mut Tx, memory: &Memory, agent: AgentId) -> Result<bool, Error> {
    let versions = store::versions(tx, ctx.tenancy(), memory.agent_id, memory.id).await?;
    Ok(memory.created_by == agent
        && versions.iter().all(|version| version.actor_kind == ctx.actor.kind() && version.actor_name == ctx.actor.name()))
}

/// Refuses to share what is not a statement that recalls return.
fn check_shareable(memory: &Memory) -> Result<(), Error> {
    if memory.role.is_some() {
        let message = "is a message of a session: remember what it says as a memory of its own, then share that";
        return Err(Error::Conflict(format!("{} {message}", memory.short_id)));
    }
    if !memory.live {
        return Err(Error::Conflict(format!("{} cannot be recalled: restore or confirm it first", memory.short_id)));
    }
    if memory.status == MemoryStatus::Contradicted {
        return Err(Error::Conflict(format!("{} contradicts another memory: decide which of them is right first", memory.short_id)));
    }
    Ok(())
}

/// Locks live memories, and the keys, rows and counts that a decision about sharing them may change.
async fn lock_rows(engine: &Engine, ctx: &OpContext, ids: &[MemoryId], shown: &Shown) -> Result<(Tx, Vec<Memory>), Error> {
    ctx.require_role(OperatorRole::Reviewer)?;
    let ids = named(ids)?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    // In the order of everybody who writes: keys, rows, counts.
    let memories = store::by_ids(&mut tx, ctx.tenancy(), None, &ids, false).await?;
    let locks = |memory: &Memory| [memory.agent_id, memory.created_by, ctx.commons_id].map(|agent| locks(memory, agent)).concat();
    lock_all(&mut tx, memories.iter().flat_map(locks)).await?;
    let linked = linked(ctx, &mut tx, &ids).await?;
    let rows = store::by_ids(&mut tx, ctx.tenancy(), None, &[ids.as_slice(), linked.as_slice()].concat(), true).await?;
    let owners: Vec<AgentId> = rows.iter().flat_map(|row| [row.agent_id, row.created_by]).chain([ctx.commons_id]).collect();
    let memories: Vec<Memory> = rows.into_iter().filter(|row| ids.contains(&row.id)).collect();
    if memories.len() < ids.len() {
        return Err(Error::NotFound("memory"));
    }
    shown.check(&memories)?;
    if let Some(memory) = memories.iter().find(|memory| !memory.live) {
        return Err(Error::Conflict(format!("{} cannot be recalled: restore or confirm it first", memory.short_id)));
    }
    store::lock_counts(&mut tx, ctx.tenancy(), &owners).await?;
    Ok((tx, memories))
}

/// What memories superseded, or what superseded them, directly or through others: rows that a decision about sharing may change. They are
/// locked together with the memories, before the counts.
pub(crate) async fn linked(ctx: &OpContext, tx: &mut Tx, ids: &[MemoryId]) -> Result<Vec<MemoryId>, Error> {
    let mut found: Vec<MemoryId> = ids.to_vec();
    let mut next = 0;
    while let Some(id) = found.get(next).copied().filter(|_| found.len() <= LINKED) {
        let links = store::links(tx, ctx.tenancy(), id).await?;
        for link in links.iter().filter(|link| link.relation == Relation::Supersedes) {
            let other = if link.from_id == id { link.to_id } else { link.from_id };
            if !found.contains(&other) {
                found.push(other);
            }
        }
        next += 1;
    }
    Ok(found.split_off(ids.len()))
}

async fn finish(engine: &Engine, tx: Tx) -> Result<(), Error> {
    tx.commit().await?;
    engine.jobs().wake();
    // The reviewer looks at the audit trail next.
    engine.relay().settle().await;
    Ok(())
}

/// The key of a memory as one of `agent`.
fn key_of(memory: &Memory, agent: AgentId) -> DedupKey {
    let is_for_all = agent != memory.agent_id && !may_be_shared(memory.scope);
    let scope = if is_for_all { MemoryScope::Global } else { memory.scope };
    let session_id = memory.session_id.filter(|_| !is_for_all);
    DedupKey { agent_id: agent, scope, session_id, ..memory.key() }
}

/// The locks that whoever copies a memory to `agent` holds.
pub(crate) fn locks(memory: &Memory, agent: AgentId) -> Vec<i64> {
    key_of(memory, agent).locks(&memory.content_hash).to_vec()
}

/// Copies a live private memory into the commons, where the copy supersedes it; the copy, or the shared memory that says the same already.
/// The caller has locked the row, the counts of both and [`locks`].
///
/// # Errors
/// `Conflict` if the commons has its most memories; when the database is out of reach.
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn give_to_all(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    memory: &Memory,
    lifecycle: LifecyclePolicy,
) -> Result<Memory, Error> {
    let now = engine.clock().now();
    let (copy, is_new) = copy_to(engine, ctx, tx, memory, ctx.commons_id, lifecycle).await?;
    // Of a text that was shared before, the reviewer did not see the details.
    if is_new && matches!(ctx.actor, Actor::Operator { .. }) {
        store::next_version(tx, ctx.tenancy(), copy.agent_id, copy.id).await?;
        store::write_version(tx, ctx, copy.agent_id, copy.id, Change::Reviewed, None, now).await?;
    }
    twins::supersede(engine, ctx, tx, &copy, memory, now).await?;
    let message = format!("shared with all agents as {}", copy.short_id);
    let entry = NewEntry::new(engine, ctx, "memory.shared", "memory", memory.id, message)
        .agent(memory.agent_id)
        .changes(serde_json::json!({ "shared_as": copy.id }));
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    // The page of what all agents read says who shared it.
    let message = format!("shared with all agents, from {}", memory.short_id);
    let entry = NewEntry::new(engine, ctx, "memory.shared", "memory", copy.id, message).agent(copy.agent_id);
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    Ok(copy)
}

/// Gives a shared memory back to the agents that it came from, or to the one that wrote it, and takes it out of everybody's reach; the private
/// memory of the latter. The caller has locked the row, the counts and [`locks`].
///
/// # Errors
/// `Conflict` if the agent has its most memories; when the database is out of reach.
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn give_back(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    memory: &Memory,
    lifecycle: LifecyclePolicy,
) -> Result<Option<Memory>, Error> {
    let (mut back, now) = (Vec::new(), engine.clock().now());
    for (by, original) in superseded(ctx, tx, memory).await? {
        let is_shared = original.agent_id == ctx.commons_id;
        let is_as_it_was = original.content_hash == memory.content_hash && original.expires_at.is_none_or(|end| end > now);
        // What another agent had shared itself says the same, and stays shared.
        let comes_back = if is_shared { original.created_by != memory.created_by } else { is_as_it_was };
        for agent in [original.agent_id, ctx.commons_id] {
            store::unlink(tx, ctx.tenancy(), agent, by, original.id, Relation::Supersedes).await?;
        }
        if !comes_back {
            continue;
        }
        if !is_shared {
            store::take_topics(tx, ctx.tenancy(), &original, memory, now).await?;
            store::inherit(tx, ctx.tenancy(), &original, memory).await?;
        }
        link::reinstate(engine, ctx, tx, &original, Relation::Supersedes).await?;
        if !is_shared {
            back.push(original);
        }
    }
    // What was revised since it was shared goes back with its present text.
    if back.is_empty() {
        back.push(copy_to(engine, ctx, tx, memory, memory.created_by, lifecycle).await?.0);
    }
    let reason = Reason::new(MADE_PRIVATE);
    take_away(engine, ctx, tx, memory, Some(&reason), engine.clock().now()).await?;
    let entry = NewEntry::new(engine, ctx, "memory.made_private", "memory", memory.id, MADE_PRIVATE).agent(memory.agent_id);
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    Ok(back.into_iter().find(|one| one.agent_id == memory.created_by))
}

/// Takes the copy of a memory out of everybody's reach, because the decision that shared it is undone: unless other agents' memories were shared
/// as the same one, or an agent wrote it. The caller has locked the counts of the commons.
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn take_back(engine: &Engine, ctx: &OpContext, tx: &mut Tx, memory: &Memory) -> Result<(), Error> {
    let reason = Reason::new(MADE_PRIVATE);
    for copy in copies(ctx, tx, memory).await? {
        store::unlink(tx, ctx.tenancy(), memory.agent_id, copy.id, memory.id, Relation::Supersedes).await?;
        let first = store::versions(tx, ctx.tenancy(), copy.agent_id, copy.id).await?.pop();
        let was_shared = first.is_some_and(|version| version.actor_kind == "operator");
        if was_shared && superseded(ctx, tx, &copy).await?.is_empty() {
            take_away(engine, ctx, tx, &copy, Some(&reason), engine.clock().now()).await?;
        }
    }
    Ok(())
}

/// The shared memories that superseded a private one when it was shared, locked.
async fn copies(ctx: &OpContext, tx: &mut Tx, memory: &Memory) -> Result<Vec<Memory>, Error> {
    let links = store::links(tx, ctx.tenancy(), memory.id).await?;
    let of = |link: &Link| {
        link.relation == Relation::Supersedes && link.to_id == memory.id && link.other_agent_id == ctx.commons_id && !link.other_deleted
    };
    let ids: Vec<MemoryId> = links.iter().filter(|link| of(link)).map(|link| link.from_id).collect();
    Ok(store::by_ids(tx, ctx.tenancy(), Some(ctx.commons_id), &ids, true).await?)
}

/// What a shared memory superseded, directly or through other shared memories: each with the memory that superseded it. These are the private
/// memories that were shared, and shared ones that say the same.
async fn superseded(ctx: &OpContext, tx: &mut Tx, memory: &Memory) -> Result<Vec<(MemoryId, Memory)>, Error> {
    let (mut found, mut open) = (Vec::<(MemoryId, Memory)>::new(), vec![memory.id]);
    while let Some(id) = open.pop().filter(|_| found.len() <= LINKED) {
        let links = store::links(tx, ctx.tenancy(), id).await?;
        let of = |link: &&Link| link.relation == Relation::Supersedes && link.from_id == id;
        let ids: Vec<MemoryId> = links.iter().filter(of).map(|link| link.to_id).collect();
        for row in store::by_ids(tx, ctx.tenancy(), None, &ids, true).await? {
            let is_known = row.id == memory.id || found.iter().any(|(_, known)| known.id == row.id);
            if is_known || row.status != MemoryStatus::Superseded || row.deleted_at.is_some() {
                continue;
            }
            if row.agent_id == ctx.commons_id {
                open.push(row.id);
            }
            found.push((id, row));
        }
    }
    Ok(found)
}

/// The live memory of `to` with the content of `memory`, or a new copy of it, whose vector comes later, with the evidence; and whether it is
/// new.
async fn copy_to(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    memory: &Memory,
    to: AgentId,
    lifecycle: LifecyclePolicy,
) -> Result<(Memory, bool), Error> {
    let (key, now) = (key_of(memory, to), engine.clock().now());
    if let Some(twin) = store::same_content(tx, ctx.tenancy(), &key, &memory.content_hash, now).await? {
        give_evidence(ctx, tx, memory, to, twin.id).await?;
        return Ok((twin, false));
    }
    let Outcome::Created { id, .. } = writing::create(engine, ctx, tx, &draft(memory, key, lifecycle), None).await? else {
        return Err(Error::internal("a copy of a memory was not created"));
    };
    give_evidence(ctx, tx, memory, to, id).await?;
    let payload = serde_json::json!({ "memory_id": id });
    jobs::store::insert(tx, ctx.tenant_id, to, &NewEvent::pending(engine, Task::Embed, payload)).await?;
    let copy = store::by_ids(tx, ctx.tenancy(), Some(to), &[id], true).await?.pop().ok_or(Error::NotFound("memory"))?;
    Ok((copy, true))
}

/// Gives the memory `to` the evidence of another, also what an earlier copy holds that is out of recall.
async fn give_evidence(ctx: &OpContext, tx: &mut Tx, from: &Memory, to_agent: AgentId, to: MemoryId) -> Result<(), Error> {
    if matches!(ctx.actor, Actor::Operator { .. }) {
        store::take_evidence(tx, ctx.tenancy(), from.agent_id, from.id, to_agent, to).await?;
    }
    Ok(store::copy_evidence(tx, ctx.tenancy(), from.agent_id, from.id, to_agent, to).await?)
}

/// A memory as another agent's. It was said when the original was, by whom it was said, and whoever wrote it wrote the copy.
fn draft(memory: &Memory, key: DedupKey, lifecycle: LifecyclePolicy) -> Draft {
    Draft {
        review: false,
        // Somebody else's words stay theirs.
        suspicious: memory.trust == Trust::Captured,
        key,
        created_by: memory.created_by,
        topic_raw: memory.topic_raw.clone(),
        is_canonical: memory.is_canonical,
        vocabulary_version: memory.vocabulary_version,
        content: memory.content.clone(),
        content_hash: content_hash(&memory.content),
        source: Source { observed_at: Some(memory.said_at()), ..memory.source.clone() },
        origin: None,
        source_kind: memory.source_kind,
        retention: memory.retention,
        lifecycle,
        details: Details {
            category: memory.category,
            subject: memory.subject.clone(),
            title: memory.title.clone(),
            summary: memory.summary.clone(),
            confidence: Some(memory.confidence),
            evidence_ref: memory.evidence_ref.clone(),
            rationale: memory.rationale.clone(),
            alternatives: memory.alternatives.clone(),
            importance: Some(memory.importance),
            pinned: Some(memory.pinned),
            filename: memory.filename.clone(),
            attachment_id: memory.attachment_id.clone(),
            ..Details::default()
        },
    }
}

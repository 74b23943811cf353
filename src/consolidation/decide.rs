//! What a person decides about candidates, and what that would do.

use super::edit::{self, Days, Edit};
use super::promote::{Durable, make_durable, merge, return_to_inbox};
use super::store;
use crate::memories::model::{Change, Memory};
use crate::memories::{Shown, share, store as memories};
use db::{Tx, lock_all};
use foundation::audit::{self, NewEntry};
use foundation::intake::{Admitted, Reason};
use foundation::{Checks, Engine, Error, OpContext, idempotency};
use verb::verb;
use wire::{
    BULK_MAX, CONTENT_MAX, InboxEdit, InboxOutcome, InboxVerdict, MemoryId, MemoryScope, MemoryStatus, OperatorRole, REASON_MAX, TOPIC_MAX,
};

/// Decides about up to 100 candidates as they were shown, all or none.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `Invalid` for no ids, too many, a verdict that is not complete, or a text that memories may not
/// have; `NotFound` if any is not the tenant's; `Conflict` for a merge into a memory that is not in force or not the same agent's and user's,
/// and if any memory has changed since it was shown.
#[verb(ids = ids.len())]
pub async fn decide(
    engine: &Engine,
    ctx: &OpContext,
    ids: &[MemoryId],
    verdict: InboxVerdict,
    shown: &Shown,
) -> Result<InboxOutcome, Error> {
    let (tx, outcome) = apply(engine, ctx, ids, &verdict, shown).await?;
    tx.commit().await?;
    engine.jobs().wake();
    // The reviewer looks at the audit trail next.
    engine.relay().settle().await;
    Ok(outcome)
}

/// What [`decide`] would do: the same work in a transaction that is rolled back.
///
/// # Errors
/// As [`decide`].
#[verb(ids = ids.len())]
pub async fn preview(engine: &Engine, ctx: &OpContext, ids: &[MemoryId], verdict: &InboxVerdict) -> Result<InboxOutcome, Error> {
    let (tx, outcome) = apply(engine, ctx, ids, verdict, &Shown::default()).await?;
    tx.rollback().await?;
    Ok(outcome)
}

async fn apply(
    engine: &Engine,
    ctx: &OpContext,
    ids: &[MemoryId],
    verdict: &InboxVerdict,
    shown: &Shown,
) -> Result<(Tx, InboxOutcome), Error> {
    ctx.require_role(OperatorRole::Reviewer)?;
    let verdict = &*Admitted::new(verdict.clone())?;
    check(ids, verdict)?;
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut locked = sorted.clone();
    if let InboxVerdict::Merge { into } = verdict {
        locked.push(*into);
    }
    let edit = match verdict {
        InboxVerdict::Confirm(asked) => Some(Edit::new(engine, ctx, &sorted, asked).await?),
        _ => None,
    };
    let days = if matches!(verdict, InboxVerdict::Undo) { edit::days_of(engine, ctx, &sorted).await? } else { Days::new() };
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if matches!(verdict, InboxVerdict::Undo) {
        locked.extend(share::linked(ctx, &mut tx, &sorted).await?);
    }
    if let Some(edit) = &edit {
        // In the order of everybody who writes: keys, then rows, then counts.
        let rows = memories::by_ids(&mut tx, ctx.tenancy(), None, &sorted, false).await?;
        lock_all(&mut tx, rows.iter().flat_map(|row| edit.locks(ctx, row))).await?;
    }
    let rows = memories::by_ids(&mut tx, ctx.tenancy(), None, &locked, true).await?;
    if sorted.iter().any(|id| !rows.iter().any(|row| row.id == *id)) {
        return Err(Error::NotFound("memory"));
    }
    shown.check(rows.iter().filter(|row| sorted.contains(&row.id)))?;
    let agents: Vec<_> = rows.iter().map(|row| row.agent_id).chain([ctx.commons_id]).collect();
    memories::lock_counts(&mut tx, ctx.tenancy(), &agents).await?;
    let mut outcome = InboxOutcome { disputed: store::disputed(&mut tx, ctx.tenancy(), &sorted).await?, ..InboxOutcome::default() };
    for memory in rows.iter().filter(|row| sorted.contains(&row.id)) {
        let changed = match verdict {
            InboxVerdict::Confirm { .. } => confirm(engine, ctx, &mut tx, memory, edit.as_ref(), &mut outcome).await?,
            InboxVerdict::Reject { reason } => reject(engine, ctx, &mut tx, memory, reason).await?,
            InboxVerdict::Merge { into } => {
                let into = rows.iter().find(|row| row.id == *into).ok_or(Error::NotFound("memory"))?;
                merge_into(engine, ctx, &mut tx, memory, into, &mut outcome).await?
            }
            InboxVerdict::Undo => undo(engine, ctx, &mut tx, memory, &days).await?,
        };
        if changed { outcome.changed.push(memory.id) } else { outcome.unchanged.push(memory.id) }
    }
    outcome.new_topics.sort();
    outcome.new_topics.dedup();
    outcome.disputed.retain(|id| outcome.changed.contains(id));
    Ok((tx, outcome))
}

fn check(ids: &[MemoryId], verdict: &InboxVerdict) -> Result<(), Error> {
    let message = format!("names {} candidates; it may name 1 to {BULK_MAX}", ids.len());
    let mut checks = Checks::default();
    checks.that((1..=BULK_MAX).contains(&ids.len()), "ids", message);
    match verdict {
        InboxVerdict::Confirm(InboxEdit { content, topic, scope, project_id, .. }) => {
            checks.optional_text("topic", topic.as_deref(), TOPIC_MAX).that(
                *scope != Some(MemoryScope::Project) || project_id.is_some(),
                "project_id",
                "is required with the scope project",
            );
            if let Some(content) = content {
                checks.content("content", content, CONTENT_MAX).that(
                    ids.len() == 1,
                    "content",
                    "can be changed for one candidate at a time",
                );
            }
        }
        InboxVerdict::Reject { reason } => {
            checks.text("reason", reason, REASON_MAX);
        }
        InboxVerdict::Merge { into } => {
            checks.that(!ids.contains(into), "into", "is one of the candidates");
        }
        InboxVerdict::Undo => {}
    }
    checks.done()
}

async fn confirm(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    memory: &Memory,
    edit: Option<&Edit>,
    outcome: &mut InboxOutcome,
) -> Result<bool, Error> {
    if !memory.waits() {
        return Ok(false);
    }
    let memory = match edit {
        Some(edit) => edit::edited(engine, ctx, tx, memory, edit).await?,
        None => memory.clone(),
    };
    if edit.is_some_and(|edit| edit.share() == Some(true)) && !share::may_be_shared(memory.scope) {
        return Err(Error::invalid("share", "needs the scope global, project or repo"));
    }
    if !memory.is_canonical {
        outcome.new_topics.push(memory.topic.clone());
    }
    if let Durable::Merged = make_durable(engine, ctx, tx, &memory).await? {
        outcome.merged.push(memory.id);
    } else if let Some(edit) = edit.filter(|edit| edit.shares(ctx, &memory)) {
        if outcome.disputed.contains(&memory.id) {
            // What is in dispute stays with its agent until somebody decides. A reviewer who wants to share it is told so.
            return match edit.share() {
                Some(true) => {
                    Err(Error::Conflict(format!("{} is in dispute: decide which memory is right, then share it", memory.short_id)))
                }
                _ => Ok(true),
            };
        }
        let durable = memories::by_ids(tx, ctx.tenancy(), Some(memory.agent_id), &[memory.id], true).await?.pop();
        share::give_to_all(engine, ctx, tx, &durable.ok_or(Error::NotFound("memory"))?, edit.lifecycle).await?;
        outcome.shared.push(memory.id);
    }
    Ok(true)
}

/// Puts a decided candidate back into the inbox as it was proposed.
async fn undo(engine: &Engine, ctx: &OpContext, tx: &mut Tx, memory: &Memory, days: &Days) -> Result<bool, Error> {
    if memory.waits() || !store::was_candidate(tx, ctx.tenancy(), memory.agent_id, memory.id).await? {
        return Ok(false);
    }
    let proposal = edit::as_proposed(engine, ctx, tx, memory, days).await?;
    return_to_inbox(engine, ctx, tx, &proposal).await
}

/// Forgets a candidate. Its place in the source stays known, and a tombstone keeps the same statement from coming back.
async fn reject(engine: &Engine, ctx: &OpContext, tx: &mut Tx, memory: &Memory, reason: &str) -> Result<bool, Error> {
    if !memory.waits() {
        return Ok(false);
    }
    let (agent, id, now) = (memory.agent_id, memory.id, engine.clock().now());
    let reason = Reason::new(reason);
    memories::mark_deleted(tx, ctx.tenancy(), memory, ctx.actor.name(), Some(reason.as_str()), now).await?;
    memories::write_version(tx, ctx, agent, id, Change::Forgotten, None, now).await?;
    idempotency::store::erase(tx, ctx.tenancy(), id).await?;
    let entry = NewEntry::new(engine, ctx, "memory.rejected", "memory", id, "rejected").agent(agent).reason(Some(&reason));
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    Ok(true)
}

async fn merge_into(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    memory: &Memory,
    into: &Memory,
    outcome: &mut InboxOutcome,
) -> Result<bool, Error> {
    if !memory.waits() {
        return Ok(false);
    }
    let in_force = into.deleted_at.is_none() && (into.live || into.status == MemoryStatus::Inbox);
    if !in_force || (into.agent_id, into.user_id) != (memory.agent_id, memory.user_id) {
        let message = format!("nothing can be merged into {}: choose an active memory of the same agent and user", into.short_id);
        return Err(Error::Conflict(message));
    }
    merge(engine, ctx, tx, memory, into).await?;
    outcome.merged.push(memory.id);
    Ok(true)
}

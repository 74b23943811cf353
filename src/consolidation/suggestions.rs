//! Decisions about suggestions.

use super::promote::{make_durable, merge, return_to_inbox};
use super::store::{self, Decided, OpenSuggestion};
use crate::memories::model::{Change, Link, Memory, Owner};
use crate::memories::{Shown, post_settling, reinstate, store as memories};
use db::{Tx, lock_all};
use foundation::audit::{self, NewEntry};
use foundation::jobs::{self, NewEvent, Task};
use foundation::{Checks, Engine, Error, OpContext};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use verb::verb;
use wire::{AgentId, BULK_MAX, MemoryId, MemoryStatus, Relation, SuggestionId, SuggestionRelation};

/// What accepting a suggestion did, as far as undoing it needs to know.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
enum Effect {
    /// A memory was merged into another, with these places of its evidence and these topics.
    Merged {
        id: MemoryId,
        into: MemoryId,
        places: Vec<Uuid>,
        #[serde(default)]
        topics: Vec<String>,
        was_candidate: bool,
    },
    /// Both were linked as a contradiction.
    Linked,
    /// The second was superseded by the first, which may have been a candidate.
    Superseded { was_candidate: bool },
}

/// Accepts or declines suggestions about memories of one agent, all in one step. An accepted contradiction links both memories and hides
/// neither. An accepted correction makes its first memory durable and puts the second out of reach. An accepted duplicate merges the first
/// into the second; of several duplicates of one another the earliest memory is left, and suggestions about a memory that was merged meanwhile
/// are passed over. Returns the suggestions that were decided, in their order. The memories are meant as they were `shown`.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `Invalid` for no suggestions, too many, or those of several agents; `NotFound` if none of them is
/// open, or not the tenant's; `Conflict` if a memory has changed since it was shown.
#[verb(role = Reviewer, ids = ids.len())]
pub async fn decide_suggestions(
    engine: &Engine,
    ctx: &OpContext,
    ids: &[SuggestionId],
    accept: bool,
    shown: &Shown,
) -> Result<Vec<SuggestionId>, Error> {
    decide(engine, ctx, ids, accept, None, shown).await
}

/// Merges the memories of suggestions, as [`decide_suggestions`] does with duplicates, also where another relation was suggested.
///
/// # Errors
/// As [`decide_suggestions`].
#[verb(role = Reviewer, ids = ids.len())]
pub async fn merge_suggestions(engine: &Engine, ctx: &OpContext, ids: &[SuggestionId], shown: &Shown) -> Result<Vec<SuggestionId>, Error> {
    decide(engine, ctx, ids, true, Some(SuggestionRelation::Duplicates), shown).await
}

/// Decides suggestions; what is accepted has the relation `instead`, or the one that was suggested.
async fn decide(
    engine: &Engine,
    ctx: &OpContext,
    ids: &[SuggestionId],
    accept: bool,
    instead: Option<SuggestionRelation>,
    shown: &Shown,
) -> Result<Vec<SuggestionId>, Error> {
    let message = format!("names {} suggestions; it may name 1 to {BULK_MAX}", ids.len());
    Checks::default().that((1..=BULK_MAX).contains(&ids.len()), "id", message).done()?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let mut suggestions = Vec::with_capacity(ids.len());
    for id in ids {
        suggestions.extend(store::open_suggestion(&mut tx, ctx.tenancy(), *id).await?);
    }
    let agent = suggestions.first().ok_or(Error::NotFound("suggestion"))?.agent_id;
    if suggestions.iter().any(|suggestion| suggestion.agent_id != agent) {
        return Err(Error::invalid("id", "names suggestions about memories of several agents"));
    }
    // The newest are merged first, into what is still there.
    suggestions.sort_by_key(|suggestion| std::cmp::Reverse(suggestion.from.id));
    let ends_of = suggestions.iter().flat_map(|suggestion| [suggestion.from.id, suggestion.to.id]).collect::<Vec<_>>();
    if accept {
        lock_ends(ctx, &mut tx, agent, ends_of.clone()).await?;
    }
    shown.check(&memories::by_ids(&mut tx, ctx.tenancy(), Some(agent), &ends_of, false).await?)?;
    let mut decided = Vec::with_capacity(suggestions.len());
    for id in suggestions.into_iter().map(|suggestion| suggestion.id) {
        let Some(mut suggestion) = store::open_suggestion(&mut tx, ctx.tenancy(), id).await? else { continue };
        suggestion.relation = instead.unwrap_or(suggestion.relation);
        let effect = if accept {
            let (from, to) = ends(ctx, &mut tx, agent, suggestion.from.id, suggestion.to.id).await?;
            Some(accepted(engine, ctx, &mut tx, suggestion.relation, &from, &to).await?)
        } else {
            None
        };
        close(engine, ctx, &mut tx, &suggestion, effect).await?;
        decided.push(id);
    }
    tx.commit().await?;
    engine.jobs().wake();
    engine.relay().settle().await;
    Ok(decided)
}

/// Accepts a suggestion by a rule: a candidate replaces what its speaker said before, or stands beside what it contradicts. A reviewer can undo
/// it. The caller has locked both.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn settle(engine: &Engine, ctx: &OpContext, tx: &mut Tx, id: SuggestionId) -> Result<(), Error> {
    let Some(suggestion) = store::open_suggestion(tx, ctx.tenancy(), id).await? else { return Ok(()) };
    let (from, to) = ends(ctx, tx, suggestion.agent_id, suggestion.from.id, suggestion.to.id).await?;
    let effect = accepted(engine, ctx, tx, suggestion.relation, &from, &to).await?;
    close(engine, ctx, tx, &suggestion, Some(effect)).await
}

/// Records what became of a suggestion, and what accepting it did.
async fn close(engine: &Engine, ctx: &OpContext, tx: &mut Tx, suggestion: &OpenSuggestion, effect: Option<Effect>) -> Result<(), Error> {
    let (accept, now) = (effect.is_some(), engine.clock().now());
    let effect = effect.map(serde_json::to_value).transpose().map_err(Error::failed("an effect cannot be serialised"))?;
    store::close_suggestion(tx, ctx.tenancy(), suggestion.id, accept, ctx.actor.name(), effect.as_ref(), now).await?;
    let word = if accept { "accepted" } else { "declined" };
    let message = format!("proposal {word}: {} {} {}", suggestion.from.short_id, suggestion.relation, suggestion.to.short_id);
    let entry = NewEntry::new(engine, ctx, "proposal.decided", "memory", suggestion.from.id, message).agent(suggestion.agent_id);
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await
}

/// Accepts or declines one suggestion, as [`decide_suggestions`] does.
///
/// # Errors
/// As [`decide_suggestions`].
#[verb]
pub async fn decide_suggestion(engine: &Engine, ctx: &OpContext, id: SuggestionId, accept: bool) -> Result<(), Error> {
    decide_suggestions(engine, ctx, &[id], accept, &Shown::default()).await.map(drop)
}

/// Undoes the decision about suggestions that were decided in one step: the memories are as before, and the suggestions wait again.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `NotFound` for a suggestion that is not decided or not the tenant's; `Conflict` if a memory changed
/// since, so that undoing would lose the change, or if nothing recorded what the decision did.
#[verb(role = Reviewer, ids = ids.len())]
pub async fn undo_suggestions(engine: &Engine, ctx: &OpContext, ids: &[SuggestionId]) -> Result<(), Error> {
    let message = format!("names {} suggestions; it may name 1 to {BULK_MAX}", ids.len());
    Checks::default().that((1..=BULK_MAX).contains(&ids.len()), "id", message).done()?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let mut all = Vec::with_capacity(ids.len());
    for id in ids {
        all.push((*id, store::decided(&mut tx, ctx.tenancy(), *id).await?.ok_or(Error::NotFound("decision"))?));
    }
    let accepted = || all.iter().map(|(_, decided)| decided).filter(|decided| decided.accepted);
    if let Some(agent) = accepted().next().map(|decided| decided.agent_id) {
        lock_ends(ctx, &mut tx, agent, accepted().flat_map(|decided| [decided.from_id, decided.to_id]).collect()).await?;
    }
    // What was merged last is taken apart first.
    for (id, decided) in all.iter().rev() {
        if decided.accepted {
            take_back(engine, ctx, &mut tx, decided).await?;
        }
        store::reopen_suggestion(&mut tx, ctx.tenancy(), *id).await?;
        let word = if decided.accepted { "accepted" } else { "declined" };
        let message = format!("proposal that was {word} is open again");
        let entry = NewEntry::new(engine, ctx, "proposal.undone", "memory", decided.from_id, message).agent(decided.agent_id);
        audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    }
    tx.commit().await?;
    engine.jobs().wake();
    engine.relay().settle().await;
    Ok(())
}

/// Undoes the decision about one suggestion, as [`undo_suggestions`] does.
///
/// # Errors
/// As [`undo_suggestions`].
#[verb]
pub async fn undo_suggestion(engine: &Engine, ctx: &OpContext, id: SuggestionId) -> Result<(), Error> {
    undo_suggestions(engine, ctx, &[id]).await
}

/// Locks the memories of suggestions: keys, rows and counts in the order of everybody who writes.
async fn lock_ends(ctx: &OpContext, tx: &mut Tx, agent: AgentId, ids: Vec<MemoryId>) -> Result<(), Error> {
    let rows = memories::by_ids(tx, ctx.tenancy(), Some(agent), &ids, false).await?;
    lock_all(tx, rows.iter().flat_map(Memory::locks)).await?;
    memories::by_ids(tx, ctx.tenancy(), Some(agent), &ids, true).await?;
    memories::lock_counts(tx, ctx.tenancy(), &[agent]).await?;
    Ok(())
}

/// Both memories of a suggestion, as they are now.
async fn ends(ctx: &OpContext, tx: &mut Tx, agent: AgentId, from: MemoryId, to: MemoryId) -> Result<(Memory, Memory), Error> {
    let rows = memories::by_ids(tx, ctx.tenancy(), Some(agent), &[from, to], true).await?;
    let end = |id: MemoryId| rows.iter().find(|row| row.id == id).cloned().ok_or(Error::NotFound("memory"));
    Ok((end(from)?, end(to)?))
}

/// Takes back what accepting a suggestion did.
async fn take_back(engine: &Engine, ctx: &OpContext, tx: &mut Tx, decided: &Decided) -> Result<(), Error> {
    let unknown = || Error::Conflict("this decision cannot be undone: its effect was not recorded".into());
    let effect: Effect =
        serde_json::from_value(decided.effect.clone().ok_or_else(unknown)?).map_err(Error::failed("an effect cannot be read"))?;
    let (tenancy, agent) = (ctx.tenancy(), decided.agent_id);
    let (from, to) = ends(ctx, tx, agent, decided.from_id, decided.to_id).await?;
    for memory in [&from, &to] {
        let gone = memory.deleted_at.is_some() || memory.archived_at.is_some();
        if gone {
            return Err(Error::Conflict(format!("{} was deleted or archived since: restore it first", memory.short_id)));
        }
    }
    let superseded = |memory: &Memory| match memory.status {
        MemoryStatus::Superseded => Ok(()),
        status => Err(Error::Conflict(format!("{} is {status} now: there is nothing to undo", memory.short_id))),
    };
    match effect {
        Effect::Merged { id, into, places, topics, was_candidate } => {
            let merged = if id == from.id { &from } else { &to };
            superseded(merged)?;
            let kept = if id == from.id { &to } else { &from };
            memories::drop_topics(tx, tenancy, agent, into, Some(&topics)).await?;
            memories::put_words(tx, tenancy, agent, into, &kept.topic, &kept.wording()).await?;
            if was_candidate {
                return return_to_inbox(engine, ctx, tx, merged).await.map(drop);
            }
            store::give_evidence_back(tx, tenancy, agent, into, id, &places).await?;
            memories::unlink(tx, tenancy, agent, into, id, Relation::Supersedes).await?;
            reinstate(engine, ctx, tx, merged, Relation::Supersedes).await
        }
        Effect::Linked => {
            let (one, other) = if to.id < from.id { (&to, &from) } else { (&from, &to) };
            memories::unlink(tx, tenancy, agent, one.id, other.id, Relation::Contradicts).await?;
            reinstate(engine, ctx, tx, one, Relation::Contradicts).await?;
            reinstate(engine, ctx, tx, other, Relation::Contradicts).await
        }
        Effect::Superseded { was_candidate } => {
            superseded(&to)?;
            memories::unlink(tx, tenancy, agent, from.id, to.id, Relation::Supersedes).await?;
            reinstate(engine, ctx, tx, &to, Relation::Supersedes).await?;
            if was_candidate {
                let replaces = |link: &Link| link.from_id == from.id && link.relation == Relation::Supersedes;
                if memories::links(tx, tenancy, from.id).await?.iter().any(replaces) {
                    return Err(Error::Conflict(format!("{} replaced other memories, too: undo those first", from.short_id)));
                }
                return_to_inbox(engine, ctx, tx, &from).await?;
            }
            Ok(())
        }
    }
}

async fn accepted(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    relation: SuggestionRelation,
    from: &Memory,
    to: &Memory,
) -> Result<Effect, Error> {
    let (tenancy, agent, now) = (ctx.tenancy(), from.agent_id, engine.clock().now());
    let owner = Owner { agent_id: agent, user_id: from.user_id.or(to.user_id) };
    match relation {
        // The candidate goes; what is in force stays.
        SuggestionRelation::Duplicates => {
            let (merged, into) = if to.status == MemoryStatus::Inbox && from.live { (to, from) } else { (from, to) };
            let (places, topics) = merge(engine, ctx, tx, merged, into).await?;
            Ok(Effect::Merged { id: merged.id, into: into.id, places, topics, was_candidate: merged.status == MemoryStatus::Inbox })
        }
        SuggestionRelation::Contradicts => {
            // It holds in both directions and is stored once, the lesser id first.
            let (one, other) = if to.id < from.id { (to, from) } else { (from, to) };
            memories::link(tx, ctx, owner, one.id, other.id, Relation::Contradicts, now).await?;
            let payload = serde_json::json!({ "memory_id": from.id });
            jobs::store::insert(tx, ctx.tenant_id, agent, &NewEvent::pending(engine, Task::SettleLinks, payload)).await?;
            Ok(Effect::Linked)
        }
        SuggestionRelation::Supersedes => {
            if from.status == MemoryStatus::Inbox {
                make_durable(engine, ctx, tx, from).await?;
            }
            memories::link(tx, ctx, owner, from.id, to.id, Relation::Supersedes, now).await?;
            memories::mark_superseded(tx, tenancy, agent, to.id).await?;
            memories::write_version(tx, ctx, agent, to.id, Change::Superseded, None, now).await?;
            if to.live {
                memories::drop_words(tx, tenancy, agent, to.id).await?;
                memories::sync_live(tx, tenancy, agent, &[to.id]).await?;
                post_settling(engine, ctx, tx, agent, to.id).await?;
            }
            Ok(Effect::Superseded { was_candidate: from.status == MemoryStatus::Inbox })
        }
    }
}

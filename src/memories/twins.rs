//! The one rule for two memories that resemble each other, and what follows from it. A write, a late vector, a decision on the vocabulary,
//! consolidation and the list of entries all ask it.

use super::link::post_settling;
use super::model::{Change, DedupKey, Memory, Owner};
use super::store::{self, NewSuggestion};
use chrono::{DateTime, Utc};
use db::Tx;
use foundation::audit::{self, NewEntry};
use foundation::registry::EmbeddingModel;
use foundation::{Engine, Error, OpContext};
use wire::{AgentId, MemoryId, MemoryKind, Relation, SimilarMemory, SuggestionRelation};
use words::compare::{Difference, Likeness, compare};
use words::shorten;

/// Neighbours of a new text that are compared with it.
pub(crate) const NEIGHBOURS: i64 = 8;
/// Most neighbours that an answer names.
const NAMED: usize = 3;
/// Longest content of a neighbour in an answer, in characters.
const CONTENT_MAX: usize = 300;

/// What a text is to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// They say the same: one memory.
    Same,
    /// They are near and differ: both stay, and the new one may be meant to replace the other.
    Differs(Difference),
    /// They have nothing to do with one another.
    Apart,
}

/// Judges two texts by their cosine and their words. A cosine alone never makes two texts one.
pub(crate) fn judge(model: &EmbeddingModel, one: &str, other: &str, cosine: f64) -> Verdict {
    if cosine <= model.suggestion_threshold {
        return Verdict::Apart;
    }
    match compare(one, other) {
        Likeness::Same => Verdict::Same,
        Likeness::Differs(difference) => Verdict::Differs(difference),
        Likeness::Other if cosine > model.dedup_threshold => Verdict::Differs(Difference::Words),
        Likeness::Other | Likeness::Apart => Verdict::Apart,
    }
}

/// What a person is asked about two memories of one owner, the first of them the newer one.
pub(crate) fn relation(model: &EmbeddingModel, one: &str, other: &str, cosine: f64) -> Option<SuggestionRelation> {
    if compare(one, other).is_conflict() && cosine >= model.related_threshold {
        return Some(SuggestionRelation::Contradicts);
    }
    match judge(model, one, other, cosine) {
        Verdict::Same => Some(SuggestionRelation::Duplicates),
        Verdict::Differs(Difference::Words | Difference::Time) if cosine > model.dedup_threshold => Some(SuggestionRelation::Supersedes),
        Verdict::Differs(_) | Verdict::Apart => None,
    }
}

/// A live memory near a new text, judged.
pub(crate) struct Near {
    pub memory: Memory,
    pub verdict: Verdict,
}

/// Judges the nearest memories of a text, nearest first.
pub(crate) fn judge_all(model: &EmbeddingModel, content: &str, nearest: Vec<(Memory, f64)>) -> Vec<Near> {
    nearest.into_iter().map(|(memory, cosine)| Near { verdict: judge(model, content, &memory.content, cosine), memory }).collect()
}

/// Links a memory to the near ones that differ from it, and suggests to people that the later stated of both may replace the other; returns
/// them for the answer. Messages and episodes differ all the time: they are left alone.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn set_beside(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    key: &DedupKey,
    id: MemoryId,
    stated_at: DateTime<Utc>,
    near: Vec<Near>,
) -> Result<Vec<SimilarMemory>, Error> {
    if key.kind == MemoryKind::Episode {
        return Ok(vec![]);
    }
    let (owner, now) = (key.owner(), engine.clock().now());
    let differing = near.into_iter().filter_map(|Near { memory, verdict }| match verdict {
        Verdict::Differs(difference) if memory.id != id => Some((memory, difference)),
        _ => None,
    });
    let mut similar = Vec::new();
    for (memory, difference) in differing.take(NAMED) {
        let (later, earlier) = if stated_at >= memory.stated_at { (id, memory.id) } else { (memory.id, id) };
        store::link(tx, ctx, owner, later, earlier, Relation::RelatedTo, now).await?;
        let reason = format!("They are much alike. What differs: {}.", difference.as_str());
        let suggestion = NewSuggestion {
            owner,
            id: engine.clock().id(),
            from: later,
            to: earlier,
            relation: SuggestionRelation::Supersedes,
            reason: &reason,
        };
        store::suggest(tx, ctx.tenancy(), suggestion, now).await?;
        similar.push(SimilarMemory {
            memory_id: memory.id,
            short_id: memory.short_id,
            content: shorten(&memory.content, CONTENT_MAX),
            differs: difference.as_str().to_owned(),
        });
    }
    Ok(similar)
}

/// Lets one memory supersede another that says the same. The topics of the other, a longer retention and a pin are kept on it; both texts stay
/// in the history. The caller has locked the counts of the agent.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn supersede(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    newer: &Memory,
    older: &Memory,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let agent = older.agent_id;
    store::mark_superseded(tx, ctx.tenancy(), agent, older.id).await?;
    store::write_version(tx, ctx, agent, older.id, Change::Superseded, None, now).await?;
    store::drop_words(tx, ctx.tenancy(), agent, older.id).await?;
    store::sync_live(tx, ctx.tenancy(), agent, &[older.id]).await?;
    store::take_topics(tx, ctx.tenancy(), newer, older, now).await?;
    store::inherit(tx, ctx.tenancy(), newer, older).await?;
    store::put_words(tx, ctx.tenancy(), newer.agent_id, newer.id, &newer.topic, &newer.wording()).await?;
    post_settling(engine, ctx, tx, agent, older.id).await?;
    store::link(tx, ctx, Owner { agent_id: agent, user_id: newer.user_id }, newer.id, older.id, Relation::Supersedes, now).await?;
    let message = format!("superseded by {}, which says the same", newer.short_id);
    let entry = NewEntry::new(engine, ctx, "memory.superseded", "memory", older.id, message).agent(agent);
    audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await
}

/// Leaves one of a memory and the others of its owner, kind and place that hold the same content: the one that was stated last. The caller has
/// locked the content and the counts of the agent.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn leave_one(engine: &Engine, ctx: &OpContext, tx: &mut Tx, agent: AgentId, id: MemoryId) -> Result<(), Error> {
    let now = engine.clock().now();
    let memory = store::by_ids(tx, ctx.tenancy(), Some(agent), &[id], true).await?.pop().ok_or(Error::NotFound("memory"))?;
    if !memory.live {
        return Ok(());
    }
    let copies = store::copies_of(tx, ctx.tenancy(), &[agent], &memory, now).await?;
    let place = |memory: &Memory| DedupKey { topic: String::new(), ..memory.key() };
    let mut left = memory;
    for copy in store::by_ids(tx, ctx.tenancy(), Some(agent), &copies, true).await? {
        if place(&copy) == place(&left) {
            let (newer, older) = in_order(&left, &copy);
            supersede(engine, ctx, tx, newer, older, now).await?;
            left = newer.clone();
        }
    }
    Ok(())
}

/// Which of two memories that say the same stays in force: the one that was stated later.
pub(crate) fn in_order<'a>(one: &'a Memory, other: &'a Memory) -> (&'a Memory, &'a Memory) {
    if (one.stated_at, one.updated_at, one.id) >= (other.stated_at, other.updated_at, other.id) { (one, other) } else { (other, one) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foundation::registry::Floors;

    fn model(dedup: f64, suggestion: f64) -> EmbeddingModel {
        EmbeddingModel {
            name: "a model".into(),
            dimension: 384,
            dedup_threshold: dedup,
            suggestion_threshold: suggestion,
            related_threshold: suggestion - 0.1,
            term_threshold: suggestion - 0.2,
            floors: Floors { vector: 0.2, lexical: 0.2 },
        }
    }

    /// The thresholds are the model's, and the words decide within them, whether its cosines are wide or narrow.
    #[test]
    fn words_decide_under_every_model() {
        for model in [model(0.92, 0.8), model(0.985, 0.97)] {
            let (near, nearer) =
                (f64::midpoint(model.suggestion_threshold, model.dedup_threshold), f64::midpoint(model.dedup_threshold, 1.0));
            let (tea, same, coffee) = ("Vera drinks tea at four.", "At four Vera drinks tea.", "Vera drinks tea at five.");
            let (green, elsewhere) = ("Vera drinks green tea at four.", "The harbour opens at dawn.");
            assert_eq!(judge(&model, tea, same, near), Verdict::Same);
            assert_eq!(judge(&model, tea, same, model.suggestion_threshold - 0.01), Verdict::Apart);
            assert_eq!(judge(&model, tea, coffee, 1.0), Verdict::Differs(Difference::Number));
            assert_eq!(judge(&model, tea, green, nearer), Verdict::Differs(Difference::Words));
            assert_eq!(
                (judge(&model, tea, elsewhere, near), judge(&model, tea, elsewhere, nearer)),
                (Verdict::Apart, Verdict::Differs(Difference::Words))
            );
            assert_eq!(relation(&model, tea, coffee, near), Some(SuggestionRelation::Contradicts));
            assert_eq!(relation(&model, tea, same, near), Some(SuggestionRelation::Duplicates));
            assert_eq!(relation(&model, tea, green, nearer), Some(SuggestionRelation::Supersedes));
            assert_eq!(relation(&model, tea, green, near), None);
            // A cosine sees the speaker and the day of minutes, too: it says nothing of words that differ.
            let (vera, mina) = ("Vera, 3 May 2026: “I live in Bern.”", "Mina, 3 May 2026: “I live in Bern.”");
            assert_eq!((judge(&model, vera, mina, nearer), relation(&model, vera, mina, nearer)), (Verdict::Apart, None));
        }
    }
}

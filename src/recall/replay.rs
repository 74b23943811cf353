//! Replays of logged recalls.

use super::find::{self, Finding};
use super::log::LoggedMemory;
use super::question::{Past, Question};
use super::retrievals::{considered, detail, measured, terms};
use super::sight::Sight;
use super::store::{Measured, Narrowing, Reach};
use super::trace::{logged, logged_chunks};
use super::{NEAR_MISSES, blend, differences, scope};
use crate::memories::{self, model::Memory};
use crate::vocabulary::Moment;
use chrono::{DateTime, Utc};
use db::Tenancy;
use foundation::registry::Floors;
use foundation::{Engine, Error, OpContext};
use std::collections::HashMap;
use verb::verb;
use wire::{Considered, DegradedPart, MemoryId, RecallFilters, Replay, RetrievalId, UserRef};

/// Answers a logged recall again: with memory, vocabulary and knowledge as they were then, and as they are now. Nothing is counted or
/// logged.
///
/// # Errors
/// As [`super::retrieval`], and `Invalid` when there is too much to read.
#[verb]
pub async fn replay(engine: &Engine, ctx: &OpContext, id: RetrievalId, user: Option<&UserRef>) -> Result<Replay, Error> {
    let (ctx, line) = measured(engine, ctx, id, user).await?;
    let ctx = &ctx;
    let filters: RecallFilters =
        serde_json::from_value(line.filters.clone()).map_err(Error::failed("the filters of a logged recall cannot be read"))?;
    let mut lost = Vec::new();
    if line.model != engine.model().name {
        lost.push(format!(
            "The recall used the embedding model {}, and this server uses {}: similarities differ.",
            line.model,
            engine.model().name
        ));
    }
    let at = line.logged.at;
    let then = Past {
        vocabulary: Moment::Version(line.vocabulary_version, at),
        without: line.logged.degraded.iter().filter_map(|part| part.parse().ok()).collect(),
        with_deleted: Sight::of(ctx).gone,
        statistics: Some(line.statistics.0),
    };
    let past = ask(engine, ctx, &line, &filters, at, Some(then)).await?;
    let today = ask(engine, ctx, &line, &filters, engine.clock().now(), None).await?;
    lost.extend(past.lost.reasons.iter().cloned());
    if past.degraded.contains(&DegradedPart::Knowledge) {
        lost.push("Knowledge of that time could not be searched: it was unavailable, or too much of it was retired since.".into());
    }
    let (unrecorded, explained) = (past.lost.unrecorded.clone(), !lost.is_empty());
    let k = line.logged.k;
    let (replayed, looked_at) = answer(engine, ctx, &line, past, hits_then(ctx, &line, k)).await?;
    let (today, _) = answer(engine, ctx, &line, today, k).await?;
    let candidates = line.candidates.0.clone();
    let logged = detail(engine, ctx, line).await?;
    let withheld = logged.considered.iter().filter(|one| one.rank.is_some() && is_withheld(one)).count();
    if withheld > 0 {
        lost.push(format!("{withheld} of the hits are left out because they were deleted or expired since."));
    }
    let same = key(&replayed) == key(&logged.considered);
    // Another model, or texts without their vectors, change every number.
    if !same && !explained {
        let known = stored(engine, ctx, &candidates, &looked_at).await?;
        let scoping = scope::of(engine, ctx, &filters, at).await?;
        let fit = |memory: &Memory| scoping.fit(memory.scope, memory.project_id, memory.repo_id);
        let mut differences = differences::of_memories(&candidates, &looked_at, &known, &unrecorded, fit);
        differences.extend(differences::of_knowledge(&logged.considered, &replayed));
        if differences.is_empty() {
            differences.push("Memories were being written at the time of the recall.".into());
        }
        lost.extend(differences);
    }
    Ok(Replay { logged, replayed, today, same, lost })
}

async fn ask(
    engine: &Engine,
    ctx: &OpContext,
    line: &Measured,
    filters: &RecallFilters,
    now: DateTime<Utc>,
    past: Option<Past>,
) -> Result<Finding, Error> {
    let scoping = scope::of(engine, ctx, filters, now).await?;
    let reach = Reach {
        tenancy: Tenancy { agent: line.logged.agent_id, users: line.logged.user_id.into(), ..ctx.tenancy() },
        agents: &[line.logged.agent_id, ctx.commons_id],
        filters: Narrowing::Agent(filters),
        scoping: &scoping,
        now,
    };
    let question = Question {
        query: &line.logged.query,
        ranking: line.logged.ranking,
        reach,
        most: i64::from(line.logged.k) + i64::from(NEAR_MISSES),
        // Whether the key could read knowledge then follows from the logged candidates; they are empty if the caller may not read it now.
        knowledge: !line.knowledge.0.is_empty(),
        floors: Some(Floors { vector: line.vector_floor, lexical: line.lexical_floor }),
        counted: false,
        all_scored: false,
        past,
    };
    find::find(engine, question).await
}

/// How many hits the replay of a recall has at most. Knowledge that the caller may not see had taken the places of some memories.
fn hits_then(ctx: &OpContext, line: &Measured, k: u32) -> u32 {
    let was_cut = line.candidates.iter().any(|one| one.passed && one.rank.is_none());
    if was_cut && !Sight::of(ctx).knowledge { line.logged.hits } else { k }
}

/// The best `k` hits of an answer, and as many memories with their numbers as the log keeps.
async fn answer(
    engine: &Engine,
    ctx: &OpContext,
    line: &Measured,
    found: Finding,
    k: u32,
) -> Result<(Vec<Considered>, Vec<LoggedMemory>), Error> {
    // How many may belong to other projects depends on the hits that were asked for.
    let mut list = blend::list(&found, line.logged.k, line.fewer);
    list.truncate(usize::try_from(k).unwrap_or(usize::MAX));
    let all = usize::MAX;
    let mut memories = logged(&found, &list, all);
    let mut hits = considered(engine, ctx, &terms(&line.logged), line.vector_floor, &memories, &logged_chunks(&found, &list, all)).await?;
    hits.retain(|one| one.rank.is_some());
    memories.truncate(usize::try_from(i64::from(line.logged.k) + i64::from(NEAR_MISSES)).unwrap_or(all));
    Ok((hits, memories))
}

/// Those of the memories that still exist, in any state.
async fn stored(engine: &Engine, ctx: &OpContext, then: &[LoggedMemory], now: &[LoggedMemory]) -> Result<HashMap<MemoryId, Memory>, Error> {
    let ids: Vec<MemoryId> = then.iter().chain(now).map(|one| one.memory_id).collect();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let memories = memories::store::by_ids(&mut tx, ctx.tenancy(), None, &ids, false).await?;
    tx.commit().await?;
    Ok(memories.into_iter().map(|memory| (memory.id, memory)).collect())
}

/// Whether the caller may not read its text any more.
fn is_withheld(one: &Considered) -> bool {
    one.memory_id.is_some() && one.gone && one.content.is_empty()
}

/// The hits that the caller may read, in their order.
fn key(list: &[Considered]) -> Vec<impl PartialEq + use<>> {
    list.iter().filter(|one| one.rank.is_some() && !is_withheld(one)).map(|one| (one.memory_id, one.version, one.chunk_id)).collect()
}

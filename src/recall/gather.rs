//! Candidates for each ranking, from what is live now.

use super::NEAR_MISSES;
use super::question::{MemorySide, Question};
use super::store::{self, Feature, Meaning, Sides};
use crate::api::{MemoryId, Ranking};
use crate::db::{DbError, Tx};
use crate::engine::Engine;
use crate::knowledge::PreparedQuery;
use crate::memories;
use crate::memories::model::recency;
use crate::models::Floors;
use crate::ranking::dates;
use crate::ranking::hybrid::{self, ANCHORS, Postings, Reading, Scored, Turn};
use crate::ranking::{self, Order};
use std::collections::{HashMap, HashSet};

/// Best decayed cosine first; words stand in for what has no vector yet.
pub(super) async fn by_decay(
    tx: &mut Tx,
    engine: &Engine,
    question: &Question<'_>,
    prepared: &PreparedQuery,
    floors: Floors,
) -> Result<MemorySide, DbError> {
    let (reach, most) = (&question.reach, question.most);
    let by_vector = match &prepared.vector {
        Some(vector) => store::by_vector(tx, reach, &engine.model().name, vector, floors, most).await?,
        None => store::Leg::default(),
    };
    let statistics = store::statistics(tx, reach).await?;
    let terms: Vec<String> = prepared.terms.keys().cloned().collect();
    let by_words = store::by_words(tx, reach, &terms, &statistics, floors, prepared.vector.is_some(), most).await?;
    let counts = Some((by_vector.passed + by_words.passed, by_vector.considered + by_words.considered));
    let candidates = by_vector.candidates.into_iter().chain(by_words.candidates).collect();
    Ok(MemorySide { order: ranking::decayed(candidates, floors, reach.now), statistics, counts })
}

/// The best by words and by meaning, the turns beside them, and what they say together.
pub(super) async fn by_hybrid(
    tx: &mut Tx,
    engine: &Engine,
    question: &Question<'_>,
    prepared: &PreparedQuery,
    floors: Floors,
) -> Result<MemorySide, DbError> {
    let (reach, model) = (&question.reach, &engine.model().name);
    let terms: Vec<String> = prepared.terms.keys().cloned().collect();
    let most = anchors_of(question);
    let decayed_above = (question.ranking == Ranking::HybridDecay).then_some(floors.vector);
    let meaning = prepared.vector.as_deref().map(|vector| Meaning { model, vector, decayed_above, most });
    let Sides { postings, statistics, nearest } = store::sides(tx, reach, &terms, meaning.as_ref()).await?;
    let postings = Postings::new(terms.len(), statistics.documents as f64, statistics.mean_length(), &postings);
    let anchors: HashSet<_> = postings.best(most).into_iter().chain(nearest).collect();
    let anchors: Vec<_> = anchors.into_iter().collect();
    let reading = Reading::new(question.ranking, question.query, &prepared.terms);
    let (features, places) = store::turns(tx, reach, model, prepared.vector.as_deref(), reading.asks_when(), &anchors).await?;
    let contexts = hybrid::contexts(&places);
    let turns = features.into_iter().map(|feature| turn(feature, question)).collect();
    let scored = hybrid::score(&reading, &postings, &contexts, turns);
    let considered = i64::try_from(scored.len()).unwrap_or(i64::MAX);
    let (chosen, passed) = choose(scored, question, floors);
    let ids: Vec<_> = chosen.iter().map(|one| one.id).collect();
    let rows = memories::store::by_ids(tx, reach.tenancy, None, &ids, false).await?;
    let order = order(chosen, rows.into_iter().map(|memory| (memory.id, memory)).collect(), floors);
    Ok(MemorySide { counts: Some((passed, considered)), order, statistics })
}

/// How many of the best of each side are looked at closely: enough for what is asked for.
pub(super) fn anchors_of(question: &Question<'_>) -> usize {
    usize::try_from(question.most).unwrap_or(ANCHORS).max(ANCHORS)
}

/// The best that pass and may be shown, the nearest that do not, and how many pass in all.
pub(super) fn choose(mut scored: Vec<Scored>, question: &Question<'_>, floors: Floors) -> (Vec<Scored>, i64) {
    scored.retain(|one| question.scoping.shows(one.fit, one.semantic, one.lexical));
    let passes = |one: &Scored| {
        let (relevance, floor, _) = ranking::measure(one, floors);
        relevance >= floor
    };
    let (mut passed, below): (Vec<Scored>, Vec<Scored>) = scored.into_iter().partition(passes);
    let count = i64::try_from(passed.len()).unwrap_or(i64::MAX);
    passed.truncate(usize::try_from(question.most).unwrap_or(usize::MAX));
    passed.extend(below.into_iter().take(usize::try_from(NEAR_MISSES).unwrap_or(usize::MAX)));
    (passed, count)
}

pub(super) fn turn(feature: Feature, question: &Question<'_>) -> Turn {
    Turn {
        id: feature.id,
        said_at: feature.said_at,
        scope: question.scoping.fit(feature.scope, feature.project_id, feature.repo_id),
        speaker: feature.speaker,
        characters: feature.characters,
        semantic: feature.semantic,
        recency: recency(feature.updated_at, question.reach.now),
        confidence: f64::from(feature.confidence),
        asks: feature.asks,
        tells_time: feature.text.as_deref().is_some_and(dates::tells_time),
    }
}

/// Orders what was chosen by (score, created_at, id).
pub(super) fn order(chosen: Vec<Scored>, mut memories: HashMap<MemoryId, memories::model::Memory>, floors: Floors) -> Order {
    let ranked = chosen.into_iter().filter_map(|one| Some(ranking::fused(memories.remove(&one.id)?, one, floors)));
    let (mut passed, mut below): (Vec<_>, Vec<_>) = ranked.partition(ranking::Ranked::passed);
    ranking::sort(&mut passed);
    ranking::sort(&mut below);
    Order { passed, below }
}

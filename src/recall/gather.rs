//! Candidates for each ranking, from what is live now.

use super::find::{Memory, Question};
use super::hybrid::{self, ANCHORS, Postings, Reading, Scored, Turn};
use super::ranking::{self, Floors, Order};
use super::store::{self, Feature};
use crate::api::MemoryId;
use crate::db::{DbError, Tx};
use crate::engine::Engine;
use crate::knowledge::Asked;
use crate::memories;
use crate::memories::model::recency;
use std::collections::{HashMap, HashSet};

/// Texts read beyond those wanted: what only they tell may move a memory up.
const READ_MORE: usize = 40;

/// Best decayed cosine first; words stand in for what has no vector yet.
pub(super) async fn by_decay(
    tx: &mut Tx,
    engine: &Engine,
    question: &Question<'_>,
    asked: &Asked,
    floors: Floors,
) -> Result<Memory, DbError> {
    let (reach, most) = (&question.reach, question.most);
    let by_vector = match &asked.vector {
        Some(vector) => store::by_vector(tx, reach, &engine.model().name, vector, floors, most).await?,
        None => store::Leg::default(),
    };
    let statistics = store::statistics(tx, reach).await?;
    let terms: Vec<String> = asked.terms.keys().cloned().collect();
    let by_words = store::by_words(tx, reach, &terms, &statistics, floors, asked.vector.is_some(), most).await?;
    let counts = Some((by_vector.passed + by_words.passed, by_vector.considered + by_words.considered));
    let candidates = by_vector.candidates.into_iter().chain(by_words.candidates).collect();
    Ok(Memory { order: ranking::decayed(candidates, floors, reach.now), statistics, counts })
}

/// The best by words and by meaning, the turns beside them, and what they say together.
pub(super) async fn by_hybrid(
    tx: &mut Tx,
    engine: &Engine,
    question: &Question<'_>,
    asked: &Asked,
    floors: Floors,
) -> Result<Memory, DbError> {
    let (reach, model) = (&question.reach, &engine.model().name);
    let statistics = store::statistics(tx, reach).await?;
    let terms: Vec<String> = asked.terms.keys().cloned().collect();
    let rows = store::postings(tx, reach, &terms).await?;
    let postings = Postings::new(terms.len(), statistics.documents as f64, statistics.mean_length(), &rows);
    let mut anchors: HashSet<_> = postings.best(ANCHORS).into_iter().collect();
    if let Some(vector) = &asked.vector {
        anchors.extend(store::nearest_in_reach(tx, reach, model, vector, ANCHORS).await?);
    }
    let anchors: Vec<_> = anchors.into_iter().collect();
    let places: HashMap<_, _> = store::places(tx, reach, &anchors).await?.into_iter().collect();
    let contexts = hybrid::contexts(&places);
    let ids: Vec<_> = contexts.keys().copied().collect();
    let features = store::features(tx, reach, model, asked.vector.as_deref(), &ids).await?;
    let mut reading = Reading::new(question.query, &asked.terms);
    let turns = features.into_iter().map(|feature| turn(feature, question)).collect();
    let mut scored = hybrid::score(&mut reading, &postings, &contexts, turns);
    let considered = i64::try_from(scored.len()).unwrap_or(i64::MAX);
    cut(&mut scored, question);
    let ids: Vec<_> = scored.iter().map(|one| one.id).collect();
    let rows = memories::store::by_ids(tx, reach.tenant, None, &ids, false).await?;
    let texts: HashMap<_, _> = rows.into_iter().map(|memory| (memory.id, memory)).collect();
    let order = finish(&reading, scored, texts, floors);
    Ok(Memory { counts: Some((i64::try_from(order.passed.len()).unwrap_or(i64::MAX), considered)), order, statistics })
}

/// Leaves what may be shown, and of that what may come among the best.
pub(super) fn cut(scored: &mut Vec<Scored>, question: &Question<'_>) {
    scored.retain(|one| question.scoping.shows(one.fit(), one.semantic, one.lexical));
    scored.truncate(usize::try_from(question.most).unwrap_or(usize::MAX).saturating_add(READ_MORE));
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
    }
}

/// Reads the texts and orders by what they add.
pub(super) fn finish(
    reading: &Reading,
    mut scored: Vec<Scored>,
    mut texts: HashMap<MemoryId, memories::model::Memory>,
    floors: Floors,
) -> Order {
    for one in &mut scored {
        if let Some(memory) = texts.get(&one.id) {
            hybrid::read(reading, one, &memory.content);
        }
    }
    hybrid::sort(&mut scored);
    let ranked = scored.into_iter().filter_map(|one| Some(ranking::fused(texts.remove(&one.id)?, one, floors)));
    let (passed, below) = ranked.partition(ranking::Ranked::passed);
    Order { passed, below }
}

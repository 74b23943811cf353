//! Candidates for each ranking, from the live memories.

use super::NEAR_MISSES;
use super::cached;
use super::question::{Measure, MemorySide, Question, Totals};
use super::scope::{self, STRONG_WORDS};
use super::store::{self, Anchors, Feature, Meaning, Nearest, Reach, Sides};
use crate::knowledge::PreparedQuery;
use crate::memories;
use crate::memories::model::{Memory, embedded_text, recency};
use crate::ranking::updates::{self, put_newer_first};
use crate::ranking::{self, Candidate, Order};
use db::{DbError, Tx};
use foundation::Engine;
use foundation::index::WordMatches;
use foundation::recall_cache::Cached;
use foundation::registry::Floors;
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use tokio::time::timeout;
use wire::{AgentId, MemoryId};
use words::bm25::{Postings, Statistics};
use words::dates;
use words::hybrid::{self, ANCHORS, Reading, Scored, Turn, WORD_ANCHORS};
use words::identifiers::{Identifiers, NamedIds};

/// As many agents as one agent's recall searches.
const ONE_AND_THE_COMMONS: usize = 2;
/// How long a search of all agents waits for its second connection.
const SECOND_CONNECTION: Duration = Duration::from_millis(50);

/// The best by decayed cosine; memories without a vector compete by their words.
pub(super) async fn by_decay(
    tx: &mut Tx,
    engine: &Engine,
    question: &Question<'_>,
    prepared: &PreparedQuery,
    floors: Floors,
    cached: Option<Cached>,
) -> Result<MemorySide, DbError> {
    let (reach, model) = (&question.reach, &engine.model().name);
    let most = usize::try_from(question.most).unwrap_or(usize::MAX);
    let words = prepared.question_words();
    let meaning = prepared.vector.as_deref().map(|vector| Meaning { model, vector, decayed_above: Some(floors.vector), most });
    let Sides { words: WordMatches { postings, apart: foreign, statistics }, nearest } =
        sides(tx, engine, question, &words.terms, meaning.as_ref(), cached).await?;
    let postings = Postings::new(&words, statistics, &postings, |id| !foreign.contains(id));
    let awaiting = match &prepared.vector {
        Some(_) => Some(store::awaiting(tx, reach).await?),
        None => None,
    };
    let stands_in = |id: &MemoryId| awaiting.as_ref().is_none_or(|awaiting| awaiting.contains(id));
    let named = named(tx, question).await?;
    let lexical: HashMap<MemoryId, f64> = postings
        .relevances()
        .filter(|(id, _)| stands_in(id))
        .filter(|(id, lexical)| !foreign.contains(id) || *lexical >= STRONG_WORDS)
        .chain(named.iter().map(|id| (*id, 1.0)))
        .collect();
    let worded = lexical.iter().filter(|(_, lexical)| **lexical >= floors.lexical).map(|(id, _)| *id);
    let totals = question.counted.then(|| totals(statistics, near(&nearest, floors), most, worded));
    let by_words = best_decayed(tx, question, &lexical, floors, most).await?;
    let semantic: HashMap<MemoryId, f64> = nearest.iter().map(|near| (near.id, near.similarity.clamp(0.0, 1.0))).collect();
    let ids: Vec<MemoryId> = nearest.iter().map(|near| near.id).chain(by_words).collect();
    let rows = memories::store::by_ids(tx, reach.tenancy, None, &ids, false).await?;
    let candidate = |memory: Memory| {
        let semantic = semantic.get(&memory.id).copied().filter(|_| !named.contains(&memory.id));
        Candidate { lexical: lexical.get(&memory.id).copied().filter(|_| semantic.is_none()), semantic, memory }
    };
    let elsewhere = |memory: &Memory| reach.scoping.fit(memory.scope, memory.project_id, memory.repo_id) <= 0.0;
    let order = ranking::decayed(rows.into_iter().map(candidate).collect(), floors, reach.now, elsewhere);
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let (scored, below_floor) = (count(order.passed.len() + order.below.len()), count(order.below.len()));
    Ok(MemorySide { order, postings, statistics, scored, below_floor, totals })
}

/// The memories in reach whose ids the question names: looked up only if it has something like an id.
async fn named(tx: &mut Tx, question: &Question<'_>) -> Result<HashSet<MemoryId>, DbError> {
    let names = NamedIds::read(question.query);
    if names.is_empty() { Ok(HashSet::new()) } else { store::named(tx, &question.reach, &names).await }
}

/// What the two sides of a search find: from the recall cache, or else from the database. A page that searches all agents takes long: it
/// searches each half of the memories on a connection of its own, unless as many such searches as may are running or no second connection is
/// free.
async fn sides(
    tx: &mut Tx,
    engine: &Engine,
    question: &Question<'_>,
    terms: &[String],
    meaning: Option<&Meaning<'_>>,
    cached: Option<Cached>,
) -> Result<Sides, DbError> {
    let reach = &question.reach;
    if let Some(cached) = cached
        && let Some(found) = cached::sides(cached, tx, engine, reach, terms, meaning).await?
    {
        return Ok(found);
    }
    let wide = question.counted && reach.agents.len() > ONE_AND_THE_COMMONS && !reach.scoping.narrow;
    let turn = if wide { engine.wide_searches().try_acquire().ok() } else { None };
    if turn.is_none() {
        let found = store::sides(tx, reach, terms, meaning).await?;
        cached::fill_later(engine, reach, found.words.statistics.documents);
        return Ok(found);
    }
    let [half, rest] = halves(store::sizes(tx, reach).await?);
    let beside = timeout(SECOND_CONNECTION, engine.db().memory.begin_planned_once(reach.tenancy));
    let (false, Ok(Ok(mut beside))) = (rest.is_empty(), beside.await) else {
        return store::sides(tx, reach, terms, meaning).await;
    };
    let (half, rest) = (Reach { agents: &half, ..*reach }, Reach { agents: &rest, ..*reach });
    let (mut found, others) = tokio::try_join!(store::sides(tx, &half, terms, meaning), store::sides(&mut beside, &rest, terms, meaning))?;
    found.add(others, meaning.map_or(0, |meaning| meaning.most));
    Ok(found)
}

/// Two groups of agents that have about as many memories each. `sizes` are those of the agents, largest first.
fn halves(sizes: Vec<(AgentId, i64)>) -> [Vec<AgentId>; 2] {
    let (mut halves, mut totals) = ([vec![], vec![]], [0, 0]);
    for (agent, size) in sizes {
        let smaller = usize::from(totals[1] < totals[0]);
        halves[smaller].push(agent);
        totals[smaller] += size;
    }
    halves
}

/// The best by decayed words; those that reach the floor come first.
async fn best_decayed(
    tx: &mut Tx,
    question: &Question<'_>,
    lexical: &HashMap<MemoryId, f64>,
    floors: Floors,
    most: usize,
) -> Result<Vec<MemoryId>, DbError> {
    let mut ids: Vec<MemoryId> = lexical.keys().copied().collect();
    if ids.len() > most {
        let written = store::updated_at(tx, &question.reach, &ids).await?;
        let key = |id: &MemoryId| match lexical[id] {
            lexical if lexical >= floors.lexical => {
                (true, lexical * written.get(id).map_or(0.0, |written| recency(*written, question.reach.now)))
            }
            lexical => (false, lexical),
        };
        ids.sort_by(|a, b| key(b).0.cmp(&key(a).0).then(key(b).1.total_cmp(&key(a).1)).then(b.cmp(a)));
        ids.truncate(most);
    }
    Ok(ids)
}

/// The best by words and by meaning, with the turns beside them, scored together.
pub(super) async fn by_hybrid(
    tx: &mut Tx,
    engine: &Engine,
    question: &Question<'_>,
    prepared: &PreparedQuery,
    floors: Floors,
    cached: Option<Cached>,
) -> Result<MemorySide, DbError> {
    let (reach, model) = (&question.reach, &engine.model().name);
    let words = prepared.question_words();
    let measure = question.measure();
    let most = anchors_of(&measure);
    let meaning = prepared.vector.as_deref().map(|vector| Meaning { model, vector, decayed_above: None, most });
    let Sides { words: WordMatches { postings, apart: foreign, statistics }, nearest } =
        sides(tx, engine, question, &words.terms, meaning.as_ref(), cached).await?;
    let postings = Postings::new(&words, statistics, &postings, |id| !foreign.contains(id));
    let reading = Reading::new(question.ranking, question.query, &prepared.terms);
    let identifiers = Identifiers::in_memories(question.query, &words.terms);
    let named = named(tx, question).await?;
    let anchors = anchors(&postings, &foreign, most, &identifiers, named, statistics, nearest.iter().map(|near| near.id));
    let vector = prepared.vector.as_deref();
    let (features, places) = store::turns(tx, reach, model, vector, reading.asks_when(), &anchors).await?;
    let contexts = hybrid::contexts(&places);
    let turns = features.into_iter().map(|feature| turn(feature, &measure, &identifiers, &anchors)).collect();
    let scored = hybrid::score(&reading, &postings, &contexts, turns);
    let (chosen, scored, below_floor) = choose(scored, &measure, floors);
    let is_worded = |(id, lexical): &(MemoryId, f64)| *lexical >= floors.lexical && (!foreign.contains(id) || *lexical >= STRONG_WORDS);
    let worded = postings.relevances().filter(is_worded).map(|(id, _)| id);
    let totals = question.counted.then(|| totals(statistics, near(&nearest, floors), most, worded));
    let ids: Vec<_> = chosen.iter().map(|one| one.id).collect();
    let rows = memories::store::by_ids(tx, reach.tenancy, None, &ids, false).await?;
    let order = order(chosen, rows.into_iter().map(|memory| (memory.id, memory)).collect(), floors, &reading);
    Ok(MemorySide { order, postings, statistics, scored, below_floor, totals })
}

/// What a search looks at closely: the best by words, more of them than by meaning; the nearest; the holders of rare identifiers; and what
/// the question names by its id.
pub(super) fn anchors(
    postings: &Postings<MemoryId>,
    foreign: &HashSet<MemoryId>,
    most: usize,
    identifiers: &Identifiers,
    named: HashSet<MemoryId>,
    statistics: Statistics,
    nearest: impl Iterator<Item = MemoryId>,
) -> Anchors {
    let wide: HashSet<MemoryId> = word_anchors(postings, foreign, most).chain(nearest).collect();
    let holders = if identifiers.is_empty() { HashSet::new() } else { identifiers.candidates(statistics, postings) };
    let holders: HashSet<MemoryId> = holders.into_iter().filter(|id| !foreign.contains(id)).collect();
    let worded = word_anchors(postings, foreign, most.max(WORD_ANCHORS));
    let all = worded.chain(wide.iter().copied()).chain(holders.iter().copied()).chain(named.iter().copied()).collect();
    Anchors { all, wide, holders, named }
}

/// The best by words. Memories of other projects do not compete with them: they are added, and only if they are strongly relevant.
pub(super) fn word_anchors(postings: &Postings<MemoryId>, foreign: &HashSet<MemoryId>, most: usize) -> impl Iterator<Item = MemoryId> {
    let own = postings.best(most, |id, _| !foreign.contains(&id));
    let others =
        if foreign.is_empty() { vec![] } else { postings.best(most, |id, lexical| foreign.contains(&id) && lexical >= STRONG_WORDS) };
    own.into_iter().chain(others)
}

/// Those of the nearest memories that reach the floor.
fn near(nearest: &[Nearest], floors: Floors) -> HashSet<MemoryId> {
    nearest.iter().filter(|one| one.similarity >= floors.vector).map(|one| one.id).collect()
}

/// Counts the memories that may be found, and those of them that are relevant: near in meaning, or by their words. Only the `most` nearest
/// are known, so if all of them are near, there may be more.
fn totals(statistics: Statistics, near: HashSet<MemoryId>, most: usize, worded: impl Iterator<Item = MemoryId>) -> Totals {
    let full = near.len() >= most;
    let relevant: HashSet<MemoryId> = near.into_iter().chain(worded).collect();
    let passed = i64::try_from(relevant.len()).unwrap_or(i64::MAX);
    Totals { memories: statistics.documents, passed, more: full && passed < statistics.documents }
}

/// How many of the best of each side are scored: enough for the requested hits.
pub(super) fn anchors_of(measure: &Measure) -> usize {
    measure.most.max(ANCHORS)
}

/// The best that pass and may be shown, and the nearest that do not, or all of both if the question asks for them; how many may be shown, and how many of them do not pass.
pub(super) fn choose(mut scored: Vec<Scored>, measure: &Measure, floors: Floors) -> (Vec<Scored>, i64, i64) {
    scored.retain(|one| measure.scoping.shows(one.fit, one.semantic, one.lexical));
    let passes = |one: &Scored| {
        let (relevance, floor, _) = ranking::measure(one, floors);
        relevance >= floor
    };
    let (mut passed, mut below): (Vec<Scored>, Vec<Scored>) = scored.into_iter().partition(passes);
    // The best of equal contents stands for all of them.
    let mut contents = HashSet::new();
    passed.retain(|one| contents.insert(one.content));
    below.retain(|one| contents.insert(one.content));
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let (all, cut) = (count(passed.len() + below.len()), count(below.len()));
    let most = |number: usize| if measure.all_scored { usize::MAX } else { number };
    // Other projects' memories come last, and only few of them, however well they fit: they must not take the places of this one's.
    let (mut fitting, mut elsewhere): (Vec<Scored>, Vec<Scored>) = passed.into_iter().partition(|one| one.fit > 0.0);
    elsewhere.truncate(most(scope::most_elsewhere(measure.most)));
    let first: HashSet<MemoryId> = fitting.iter().take(updates::FIRST).map(|one| one.id).collect();
    // The order of the first depends on all of them, however few are asked for, and on those that were the first before they were spread.
    let shown = most(measure.most.max(updates::FIRST));
    hybrid::spread(measure.ranking, &mut fitting, shown);
    fitting.append(&mut elsewhere);
    let mut passed = fitting;
    let rest = passed.split_off(passed.len().min(shown));
    passed.extend(rest.into_iter().filter(|one| first.contains(&one.id)));
    passed.extend(below.into_iter().take(most(NEAR_MISSES as usize)));
    (passed, all, cut)
}

pub(super) fn turn(feature: Feature, measure: &Measure, identifiers: &Identifiers, anchors: &Anchors) -> Turn {
    let named = |topic: &String| identifiers.are_named_in(&embedded_text(topic, feature.text.as_deref().unwrap_or_default()));
    Turn {
        id: feature.id,
        content: fingerprint(&feature.content_hash),
        said_at: feature.said_at,
        scope: measure.scoping.fit(feature.scope, feature.project_id, feature.repo_id),
        speaker: feature.speaker,
        characters: feature.characters,
        terms: feature.terms,
        is_timed: feature.is_timed,
        is_code: hybrid::is_code(feature.characters, feature.punctuation),
        is_named: feature.topic.as_ref().is_some_and(named),
        is_wanted: anchors.named.contains(&feature.id),
        semantic: feature.semantic,
        vector: feature.vector.map(Vec::from),
        recency: hybrid::recency(feature.stated_at, measure.now),
        confidence: f64::from(feature.confidence),
        asks: feature.asks,
        tells_time: feature.text.as_deref().is_some_and(dates::tells_time),
    }
}

/// What tells contents apart: the beginning of their hash.
fn fingerprint(content_hash: &[u8]) -> u64 {
    content_hash.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Orders the chosen memories by (score, created_at, id), the later statement of a matter before an earlier one.
pub(super) fn order(chosen: Vec<Scored>, mut memories: HashMap<MemoryId, Memory>, floors: Floors, reading: &Reading) -> Order {
    let ranked = chosen.into_iter().filter_map(|one| Some(ranking::fused(memories.remove(&one.id)?, one, floors)));
    let (mut passed, mut below): (Vec<_>, Vec<_>) = ranked.partition(ranking::Ranked::passed);
    ranking::sort(&mut passed);
    ranking::sort(&mut below);
    put_newer_first(&mut passed, reading.ranking(), reading.terms());
    Order { passed, below }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn halves_have_about_as_many_memories_each() {
        let agent = |n: u128| AgentId(Uuid::from_u128(n));
        let sizes = [9, 5, 4, 3].map(|size: u128| (agent(size), size as i64)).to_vec();
        assert_eq!(halves(sizes), [vec![agent(9), agent(3)], vec![agent(5), agent(4)]]);
        assert_eq!(halves(vec![(agent(1), 7)]), [vec![agent(1)], vec![]]);
    }
}

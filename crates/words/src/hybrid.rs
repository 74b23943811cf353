//! The rankings `hybrid` and `hybrid_decay`: the sum of words and meaning, the turns around a memory, its speaker, the time when it was
//! said, and its length; less what repeats better hits.
//!
//! Weights are round numbers on flat optima. They were chosen on conversations that are not part of this project, each held out in turn;
//! those of meaning, length, repeats and the meaning of neighbours were chosen later, by comparing several kinds of data.
//! Pure.

mod spread;

pub use spread::{cosine, spread};

use crate::bm25::Postings;
use crate::dates::{self, Dates};
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::{BTreeMap, HashMap, HashSet};
use wire::{Criterion, MemoryId, Part, Ranking};

/// Least number of candidates by meaning, and of candidates by words whose neighbours are candidates, too.
pub const ANCHORS: usize = 20;
/// Least number of candidates by words.
pub const WORD_ANCHORS: usize = 60;
/// Turns on either side that are read for an anchor: the neighbours of the anchor, and two more around each neighbour.
pub const AROUND: usize = 3;
/// Turns that were said further apart than this say nothing about one another.
pub const APART_MAX: TimeDelta = TimeDelta::hours(1);

const WORDS: f64 = 1.25;
const MEANING: f64 = 1.25;
const SPEAKER: f64 = 0.5;
const DATE: f64 = 0.3;
const TIME: f64 = 0.2;
const QUESTION: f64 = -0.1;
const IDENTIFIER: f64 = 1.0;
const LENGTH: f64 = 0.03;
const SCOPE: f64 = 0.2;
const RECENCY: f64 = 0.1;
/// Days after which 1/e is left of a memory's recency.
pub const RECENCY_DAYS: f64 = 365.0;
const CONFIDENCE: f64 = 0.1;
/// The highest sum that a memory can reach, as a round number: `hybrid_decay` divides by it, so that scores are between 0 and about 1.
const MOST: f64 = 4.0;
/// How much a word counts that is not in the memory but in the turn before it, after it, two before, two after.
const BORROWED: [f64; 4] = [0.8, 0.4, 0.4, 0.2];
/// How much the meaning of the turn before counts, and that of the turn after, where a turn's own counts 1.
const LENT: f64 = 0.2;
/// Longest text that counts as a turn of a conversation, in characters. A longer one is more and more a passage: it says itself what it is
/// about, so it borrows less, and its meaning says more than its single words.
const TURN: f64 = 250.0;
/// How much weight moves from words to meaning in a passage.
const PASSAGE: f64 = 0.25;
/// Characters of a usual word with the function words around it.
const WORD: f64 = 10.0;
/// Share of punctuation from which a text is code. How long code is says nothing about how much it says.
const CODE: f64 = 0.12;
/// The number of words that code counts for.
const CODE_WORDS: f64 = 20.0;

/// exp(−Δdays/365): how recent a statement is at `now`; at most 1.
pub fn recency(stated_at: DateTime<Utc>, now: DateTime<Utc>) -> f64 {
    let days = (now - stated_at).as_seconds_f64() / 86_400.0;
    (-days.max(0.0) / RECENCY_DAYS).exp()
}

/// What `hybrid_decay` leaves of the score of a memory of this recency: 0.9 to 1. An old memory competes worse; it is never forgotten.
pub fn kept(recency: f64) -> f64 {
    1.0 - RECENCY + RECENCY * recency
}

/// Whether a text of so many characters is code, by how many of them are ASCII punctuation.
pub fn is_code(characters: i32, punctuation: i32) -> bool {
    f64::from(punctuation) > CODE * f64::from(characters)
}

/// The weight of the words in `counted` that a memory has, or borrows from the turns around it, 0 to about 1.
fn covered(postings: &Postings<MemoryId>, turn: &Turn, around: &Context, counted: &[bool]) -> f64 {
    let mut best = vec![0.0_f64; postings.words()];
    let borrowed = BORROWED.map(|share| share * (1.0 - passage(turn.characters)));
    let sources = std::iter::once((Some(turn.id), 1.0)).chain(around.0.iter().copied().zip(borrowed));
    for (source, share) in sources {
        for worth in source.map(|source| postings.of(source)).unwrap_or_default() {
            best[worth.place] = best[worth.place].max(share * worth.value);
        }
    }
    postings.covered(&best, counted)
}

/// The turns around an anchor, nearest first, at most [`AROUND`] on either side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    pub before: Vec<MemoryId>,
    pub after: Vec<MemoryId>,
}

/// The turns around anchors in one complete conversation, in the order of the turns: those within an hour.
pub fn places(line: &[(MemoryId, DateTime<Utc>)], anchors: &HashSet<MemoryId>) -> Vec<(MemoryId, Place)> {
    let place = |(at, (id, said_at)): (usize, &(MemoryId, DateTime<Utc>))| {
        let near = |turn: &&(MemoryId, DateTime<Utc>)| (turn.1 - *said_at).abs() <= APART_MAX;
        let before = line[..at].iter().rev().take(AROUND).filter(near).map(|(id, _)| *id).collect();
        let after = line[at + 1..].iter().take(AROUND).filter(near).map(|(id, _)| *id).collect();
        (*id, Place { before, after })
    };
    line.iter().enumerate().filter(|(_, (id, _))| anchors.contains(id)).map(place).collect()
}

/// What is scored: anchors, and the turns directly beside those of them that are `wide`.
pub fn scored(places: &HashMap<MemoryId, Place>, wide: &HashSet<MemoryId>) -> HashSet<MemoryId> {
    let mut scored: HashSet<MemoryId> = places.keys().copied().collect();
    for (_, place) in places.iter().filter(|(id, _)| wide.contains(id)) {
        scored.extend(place.before.first().into_iter().chain(place.after.first()));
    }
    scored
}

/// The turn before, the one after, two before, two after.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Context([Option<MemoryId>; 4]);

impl Context {
    /// The turns directly before and after.
    fn beside(&self) -> impl Iterator<Item = MemoryId> {
        self.0.into_iter().take(2).flatten()
    }
}

/// The contexts of anchors and of the turns beside them, which are scored, too.
pub fn contexts(places: &HashMap<MemoryId, Place>) -> HashMap<MemoryId, Context> {
    let mut contexts = HashMap::new();
    for (anchor, place) in places {
        let line: Vec<Option<MemoryId>> = (0..AROUND)
            .rev()
            .map(|n| place.before.get(n).copied())
            .chain([Some(*anchor)])
            .chain((0..AROUND).map(|n| place.after.get(n).copied()))
            .collect();
        for at in [AROUND - 1, AROUND, AROUND + 1] {
            if let Some(id) = line[at] {
                contexts.insert(id, Context([line[at - 1], line[at + 1], line[at - 2], line[at + 2]]));
            }
        }
    }
    contexts
}

/// The features of a memory that the score depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    pub id: MemoryId,
    /// Equal for equal contents.
    pub content: u64,
    pub said_at: DateTime<Utc>,
    pub speaker: Option<String>,
    /// Length of the content, in characters.
    pub characters: i32,
    /// How many terms it has, topics included.
    pub terms: i32,
    /// Its source says when it was said. Without that, memories stored one after the other need not be one conversation.
    pub is_timed: bool,
    pub is_code: bool,
    /// It names a rare identifier of the question to the letter.
    pub is_named: bool,
    /// The question names it by its id: nothing could match its words better.
    pub is_wanted: bool,
    pub semantic: Option<f64>,
    /// Its vector, of unit length, if it was compared with the question.
    pub vector: Option<Vec<f32>>,
    /// How well its scope fits the question's, 0 to 1.
    pub scope: f64,
    /// [`recency()`] of the statement.
    pub recency: f64,
    pub confidence: f64,
    /// Its text ends as a question.
    pub asks: bool,
    /// Its text mentions a time; only determined when the question asks when.
    pub tells_time: bool,
}

impl Turn {
    /// How much it takes part in the meaning of a conversation: a passage says itself what it is about.
    fn openness(&self) -> f64 {
        if self.is_timed { 1.0 - passage(self.characters) } else { 0.0 }
    }
}

/// The cosines of turns that were compared, and how much each takes part in the meaning of its conversation.
fn cosines(turns: &[Turn]) -> HashMap<MemoryId, (f64, f64)> {
    turns.iter().filter_map(|turn| Some((turn.id, (turn.semantic?, turn.openness())))).collect()
}

/// The cosine of a turn, averaged with those of the turns directly before and after it: a short turn alone has an uncertain vector.
/// Neighbours that were not compared do not count.
fn mean_cosine(turn: &Turn, context: &Context, cosines: &HashMap<MemoryId, (f64, f64)>) -> Option<f64> {
    let (mut sum, mut weights) = (turn.semantic?, 1.0);
    for (cosine, openness) in context.beside().filter_map(|id| cosines.get(&id)) {
        let weight = LENT * turn.openness() * openness;
        sum += weight * cosine;
        weights += weight;
    }
    Some(sum / weights)
}

/// A question, parsed for this ranking.
pub struct Reading {
    ranking: Ranking,
    terms: Vec<String>,
    dates: Option<Dates>,
    asks_when: bool,
}

impl Reading {
    /// Parses a question whose words are `terms`.
    pub fn new(ranking: Ranking, query: &str, terms: &BTreeMap<String, u32>) -> Self {
        Self { ranking, terms: terms.keys().cloned().collect(), dates: dates::in_question(query), asks_when: dates::asks_when(query) }
    }

    pub fn ranking(&self) -> Ranking {
        self.ranking
    }

    /// The words of the question, in their order.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// Whether the question asks for a time.
    pub fn asks_when(&self) -> bool {
        self.asks_when
    }

    /// The speaker whom the question names, if it is exactly one; and the words that count once names are set aside.
    fn speaker(&self, turns: &[Turn]) -> (Option<String>, Vec<bool>) {
        // Memories of other projects do not count.
        let own = turns.iter().filter(|turn| turn.scope > 0.0);
        let speakers: HashSet<&str> = own.filter_map(|turn| turn.speaker.as_deref()).collect();
        let (mut named, mut names) = (Vec::new(), HashSet::new());
        for speaker in speakers {
            let terms = crate::stems::terms(speaker);
            if !terms.is_empty() && terms.keys().all(|term| self.terms.contains(term)) {
                named.push(speaker.to_owned());
            }
            names.extend(terms.into_keys());
        }
        let mut counted: Vec<bool> = self.terms.iter().map(|term| !names.contains(term)).collect();
        if !counted.contains(&true) {
            // A question of nothing but names searches for memories that mention them.
            counted.fill(true);
        }
        (if named.len() == 1 { named.pop() } else { None }, counted)
    }
}

/// A memory with the parts of its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    pub id: MemoryId,
    pub semantic: Option<f64>,
    pub lexical: Option<f64>,
    pub recency: f64,
    pub parts: Vec<Part>,
    /// The sum of value · weight, decayed or not.
    pub score: f64,
    /// How well its scope fits.
    pub fit: f64,
    /// Equal for equal contents.
    pub content: u64,
    /// Its vector, of unit length, if it was compared with the question.
    pub vector: Option<Vec<f32>>,
}

/// Scores memories, best first; at the same score the newer id.
pub fn score(reading: &Reading, postings: &Postings<MemoryId>, contexts: &HashMap<MemoryId, Context>, turns: Vec<Turn>) -> Vec<Scored> {
    let (speaker, counted) = reading.speaker(&turns);
    let (none, ranking, cosines) = (Context::default(), reading.ranking, cosines(&turns));
    let context = |turn: &Turn| contexts.get(&turn.id).unwrap_or(&none);
    let one = |turn: Turn| {
        let covered = if turn.is_wanted { 1.0 } else { covered(postings, &turn, context(&turn), &counted) };
        let spoken = speaker.is_some() && turn.speaker == speaker;
        let dated = reading.dates.as_ref().is_some_and(|dates| dates.hold(turn.said_at.date_naive()));
        let mut parts = vec![
            words(ranking, covered, turn.characters),
            meaning(ranking, mean_cosine(&turn, context(&turn), &cosines), turn.characters),
            part(ranking, Criterion::Speaker, f64::from(u8::from(spoken)), SPEAKER),
            part(ranking, Criterion::Date, f64::from(u8::from(dated)), DATE),
            part(ranking, Criterion::Length, shape(&turn), LENGTH),
            part(ranking, Criterion::Scope, turn.scope, SCOPE),
            part(ranking, Criterion::Confidence, turn.confidence, CONFIDENCE),
        ];
        if turn.is_named || turn.is_wanted {
            parts.push(part(ranking, Criterion::Identifier, 1.0, IDENTIFIER));
        }
        parts.push(part(ranking, Criterion::Question, f64::from(u8::from(turn.asks)), QUESTION));
        if reading.asks_when {
            parts.push(part(ranking, Criterion::Time, f64::from(u8::from(turn.tells_time)), TIME));
        }
        if !decays(ranking) {
            parts.push(part(ranking, Criterion::Recency, turn.recency, RECENCY));
        }
        let score = sum(&parts) * factor(ranking, turn.recency);
        let lexical = if turn.is_wanted { Some(1.0) } else { postings.relevance(turn.id) };
        Scored {
            id: turn.id,
            semantic: turn.semantic,
            lexical,
            recency: turn.recency,
            parts,
            score,
            fit: turn.scope,
            content: turn.content,
            vector: turn.vector,
        }
    };
    let mut scored: Vec<Scored> = turns.into_iter().map(one).collect();
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.id.cmp(&a.id)));
    scored
}

/// The parts of a chunk's score, the same as those of a new memory with the same text: of this project, certain, and fresh. A chunk that
/// waits for its vector has no meaning yet; its words count as in any other chunk. One that is named in the question gets as much as all words
/// of a question in addition, however long it is.
pub fn decided(ranking: Ranking, semantic: Option<f64>, lexical: Option<f64>, is_named: bool, characters: i32) -> Vec<Part> {
    let mut parts = vec![
        words(ranking, lexical.unwrap_or(0.0), characters),
        meaning(ranking, semantic, characters),
        part(ranking, Criterion::Length, length(characters), LENGTH),
        part(ranking, Criterion::Scope, 1.0, SCOPE),
        part(ranking, Criterion::Confidence, 1.0, CONFIDENCE),
    ];
    if is_named {
        parts.push(part(ranking, Criterion::Identifier, 1.0, WORDS));
    }
    if !decays(ranking) {
        parts.push(part(ranking, Criterion::Recency, 1.0, RECENCY));
    }
    parts
}

/// The sum of value · weight.
pub fn sum(parts: &[Part]) -> f64 {
    parts.iter().map(|part| part.value * part.weight).sum()
}

/// What a ranking multiplies the sum of the parts by, for a memory of this recency.
pub fn factor(ranking: Ranking, recency: f64) -> f64 {
    if decays(ranking) { kept(recency) } else { 1.0 }
}

fn decays(ranking: Ranking) -> bool {
    ranking == Ranking::HybridDecay
}

fn words(ranking: Ranking, covered: f64, characters: i32) -> Part {
    part(ranking, Criterion::Words, covered, WORDS - PASSAGE * passage(characters))
}

fn meaning(ranking: Ranking, semantic: Option<f64>, characters: i32) -> Part {
    part(ranking, Criterion::Meaning, semantic.unwrap_or(0.0), MEANING + PASSAGE * passage(characters))
}

/// How much a text is a passage rather than a turn, 0 to 1.
fn passage(characters: i32) -> f64 {
    1.0 - (TURN / f64::from(characters).max(1.0)).min(1.0)
}

/// How much a memory says: the logarithm of the number of its words.
fn shape(turn: &Turn) -> f64 {
    (1.0 + if turn.is_code { CODE_WORDS } else { f64::from(turn.terms) }).ln()
}

/// The same for a text whose words were not counted.
fn length(characters: i32) -> f64 {
    (1.0 + f64::from(characters) / WORD).ln()
}

fn part(ranking: Ranking, name: Criterion, value: f64, weight: f64) -> Part {
    Part { name, value, weight: if decays(ranking) { weight / MOST } else { weight } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bm25::{Statistics, Words};
    use uuid::Uuid;

    fn id(number: u128) -> MemoryId {
        MemoryId(Uuid::from_u128(number))
    }

    fn turn(number: u128, cosine: f64) -> Turn {
        Turn {
            id: id(number),
            content: u64::try_from(number).unwrap(),
            said_at: DateTime::UNIX_EPOCH,
            speaker: None,
            characters: 80,
            terms: 8,
            is_timed: true,
            is_code: false,
            is_named: false,
            is_wanted: false,
            semantic: Some(cosine),
            vector: None,
            scope: 1.0,
            recency: 1.0,
            confidence: 1.0,
            asks: false,
            tells_time: false,
        }
    }

    /// The meaning of the second of three turns that follow each other.
    fn meaning_between(turns: [Turn; 3]) -> f64 {
        let line: Vec<_> = turns.iter().map(|turn| (turn.id, turn.said_at)).collect();
        let places: HashMap<MemoryId, Place> = places(&line, &line.iter().map(|(id, _)| *id).collect()).into_iter().collect();
        let none = Words::new(&BTreeMap::new(), &[]);
        let postings = Postings::new(&none, Statistics::default(), &[], |_| true);
        let reading = Reading::new(Ranking::Hybrid, "", &BTreeMap::new());
        let scored = score(&reading, &postings, &contexts(&places), turns.into());
        let second = scored.into_iter().find(|one| one.id == id(2)).unwrap();
        assert_eq!(second.semantic, Some(0.5), "its own cosine decides whether it passes the floor");
        second.parts.into_iter().find(|part| part.name == Criterion::Meaning).unwrap().value
    }

    #[test]
    fn the_turns_beside_a_turn_lend_it_meaning() {
        let near = |number, cosine, change: fn(&mut Turn)| {
            let mut turn = turn(number, cosine);
            change(&mut turn);
            turn
        };
        let same = |a: f64, b: f64| (a - b).abs() < 1e-9;
        let all = meaning_between([turn(1, 0.8), turn(2, 0.5), turn(3, 0.1)]);
        assert!(same(all, (0.5 + LENT * 0.8 + LENT * 0.1) / (1.0 + 2.0 * LENT)), "{all}");
        let unknown = meaning_between([near(1, 0.8, |turn| turn.semantic = None), turn(2, 0.5), turn(3, 0.5)]);
        assert!(same(unknown, 0.5), "a neighbour without a vector does not count: {unknown}");
        let stored = meaning_between([near(1, 0.9, |turn| turn.is_timed = false), turn(2, 0.5), turn(3, 0.5)]);
        assert!(same(stored, 0.5), "nor one whose source does not say when it was said: {stored}");
        let long = meaning_between([near(1, 0.9, |turn| turn.characters = 1_000), turn(2, 0.5), turn(3, 0.5)]);
        assert!(0.5 < long && long < meaning_between([turn(1, 0.9), turn(2, 0.5), turn(3, 0.5)]), "and a passage counts for less: {long}");
    }
}

//! The rankings `hybrid` and `hybrid_decay`: the sum of words and meaning, the turns around a memory, its speaker, the time when it was
//! said, and its length.
//!
//! Weights are round numbers on flat optima. They were chosen on conversations that are not part of this project, each held out in turn.
//! Pure.

use super::dates::{self, Dates};
use crate::api::{Criterion, MemoryId, Part, Ranking};
use crate::text::words::{self, B, K1, PRIOR_DOCUMENTS};
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Least number of candidates of each side, besides the turns beside them.
pub const ANCHORS: usize = 20;
/// Turns on either side that are read for an anchor: the neighbours of the anchor, and two more around each neighbour.
pub const AROUND: usize = 3;

const WORDS: f64 = 1.25;
const MEANING: f64 = 1.0;
const SPEAKER: f64 = 0.5;
const DATE: f64 = 0.3;
const TIME: f64 = 0.2;
const QUESTION: f64 = -0.1;
const LENGTH: f64 = 0.1;
const SCOPE: f64 = 0.2;
const RECENCY: f64 = 0.1;
const CONFIDENCE: f64 = 0.1;
/// The highest sum that a memory can reach, as a round number: `hybrid_decay` divides by it, so that scores are between 0 and about 1.
const MOST: f64 = 4.0;
/// How much a word counts that is not in the memory but in the turn before it, after it, two before, two after.
const BORROWED: [f64; 4] = [0.8, 0.4, 0.4, 0.2];
/// Characters of a usual word with the function words around it.
const WORD: f64 = 10.0;

/// The memories that hold words of the question, with the value of each word in them (a term of BM25).
#[derive(Debug, Default)]
pub struct Postings {
    idf: Vec<f64>,
    /// For each wording of the question, which words are in it.
    wordings: Vec<Vec<bool>>,
    /// The weight of all words of each wording.
    weights: Vec<f64>,
    /// Memory, place of the word, value; in the order of the memories.
    worth: Vec<(MemoryId, usize, f64)>,
}

/// The words of a question: every word once, and which of them each of its wordings has. An alias in the question is a wording of its own
/// beside the term's, so that neither weakens the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    pub terms: Vec<String>,
    wordings: Vec<Vec<bool>>,
}

impl Words {
    /// The words of `terms` and, for each wording, those that it has.
    pub fn new(terms: &BTreeMap<String, u32>, wordings: &[BTreeMap<String, u32>]) -> Self {
        let terms: Vec<String> = terms.keys().cloned().collect();
        let wordings = wordings.iter().map(|wording| terms.iter().map(|term| wording.contains_key(term)).collect()).collect();
        Self { terms, wordings }
    }
}

/// A word in a memory: the word's place in the question, its count in the memory, and the memory's length in terms.
#[derive(Clone, Copy, Debug)]
pub struct Posting {
    pub term: i32,
    pub memory_id: MemoryId,
    pub tf: f32,
    pub length: i32,
}

impl Postings {
    /// Weighs postings of the words of a question among `documents` memories of `mean` terms. Memories that are `foreign` to the project of
    /// the question do not count for the rarity of words.
    pub fn new(words: &Words, documents: f64, mean: f64, postings: &[Posting], foreign: &HashSet<MemoryId>) -> Self {
        let mut df = vec![0.0; words.terms.len()];
        let place = |posting: &Posting| usize::try_from(posting.term).ok().filter(|place| *place < words.terms.len());
        for posting in postings.iter().filter(|posting| !foreign.contains(&posting.memory_id)) {
            if let Some(place) = place(posting) {
                df[place] += 1.0;
            }
        }
        let idf: Vec<f64> = df.iter().map(|df| (1.0 + (documents + PRIOR_DOCUMENTS - df + 0.5) / (df + 0.5)).ln()).collect();
        let worth = |posting: &Posting| {
            let place = place(posting)?;
            let (tf, length) = (f64::from(posting.tf), f64::from(posting.length));
            let value = idf[place] * tf * (K1 + 1.0) / (tf + K1 * (1.0 - B + B * length / mean.max(1.0)));
            Some((posting.memory_id, place, value))
        };
        let mut worth: Vec<_> = postings.iter().filter_map(worth).collect();
        worth.sort_by_key(|(id, place, _)| (*id, *place));
        let weight = |wording: &Vec<bool>| idf.iter().zip(wording).filter(|(_, has)| **has).map(|(idf, _)| idf).sum();
        Self { weights: words.wordings.iter().map(weight).collect(), wordings: words.wordings.clone(), idf, worth }
    }

    /// The places of the words that a memory holds, with their values.
    fn of(&self, id: MemoryId) -> &[(MemoryId, usize, f64)] {
        let first = self.worth.partition_point(|(other, ..)| *other < id);
        let here = &self.worth[first..];
        // A handful of words: counting is faster than searching.
        &here[..here.iter().take_while(|(other, ..)| *other == id).count()]
    }

    /// Every memory that shares a word with the question.
    pub fn memories(&self) -> impl Iterator<Item = MemoryId> {
        self.worth.chunk_by(|a, b| a.0 == b.0).map(|words| words[0].0)
    }

    /// Normalised BM25 of a memory by its own words, 0 to about 1; nothing if it shares none.
    pub fn lexical(&self, id: MemoryId) -> Option<f64> {
        let words = self.of(id);
        (!words.is_empty()).then(|| self.relevance(words))
    }

    /// The share of the question's weight that the words of a memory have, in the wording that matches best.
    fn relevance(&self, words: &[(MemoryId, usize, f64)]) -> f64 {
        let share = |(wording, all): (&Vec<bool>, &f64)| {
            words.iter().filter(|(_, place, _)| wording[*place]).map(|(_, _, value)| value).sum::<f64>() / all
        };
        self.wordings.iter().zip(&self.weights).map(share).fold(0.0, f64::max)
    }

    /// The best by their own words, best first, of those that `accepted` admits.
    pub fn best(&self, most: usize, accepted: impl Fn(MemoryId, f64) -> bool) -> Vec<MemoryId> {
        let memories = self.worth.chunk_by(|a, b| a.0 == b.0).map(|words| (self.relevance(words), words[0].0));
        let mut all: Vec<(f64, MemoryId)> = memories.filter(|(relevance, id)| accepted(*id, *relevance)).collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        all.into_iter().take(most).map(|(_, id)| id).collect()
    }

    /// The weight of the words in `counted` that a memory or the turns around it hold, 0 to about 1.
    fn covered(&self, id: MemoryId, around: &Context, counted: &[bool]) -> f64 {
        let mut best = vec![0.0_f64; self.idf.len()];
        let sources = std::iter::once((Some(id), 1.0)).chain(around.0.iter().copied().zip(BORROWED));
        for (source, share) in sources {
            for (_, place, value) in source.map(|source| self.of(source)).unwrap_or_default() {
                best[*place] = best[*place].max(share * value);
            }
        }
        let share = |wording: &Vec<bool>| {
            let (mut has, mut all) = (0.0, 0.0);
            for place in (0..best.len()).filter(|place| wording[*place] && counted[*place]) {
                has += best[place];
                all += self.idf[place];
            }
            if all == 0.0 { 0.0 } else { has / all }
        };
        self.wordings.iter().map(share).fold(0.0, f64::max)
    }
}

/// The turns around an anchor, nearest first, at most [`AROUND`] on either side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    pub before: Vec<MemoryId>,
    pub after: Vec<MemoryId>,
}

/// The turns around anchors in one complete conversation, in the order of the turns.
pub fn places(line: &[MemoryId], anchors: &HashSet<MemoryId>) -> Vec<(MemoryId, Place)> {
    let place = |(at, id): (usize, &MemoryId)| {
        let before = line[..at].iter().rev().take(AROUND).copied().collect();
        let after = line[at + 1..].iter().take(AROUND).copied().collect();
        (*id, Place { before, after })
    };
    line.iter().enumerate().filter(|(_, id)| anchors.contains(id)).map(place).collect()
}

/// The turn before, the one after, two before, two after.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Context([Option<MemoryId>; 4]);

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
    pub said_at: DateTime<Utc>,
    pub speaker: Option<String>,
    /// Length of the content, in characters.
    pub characters: i32,
    pub semantic: Option<f64>,
    /// How well its scope fits the question's, 0 to 1.
    pub scope: f64,
    pub recency: f64,
    pub confidence: f64,
    /// Its text ends as a question.
    pub asks: bool,
    /// Its text mentions a time; only determined when the question asks when.
    pub tells_time: bool,
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
            let terms = words::terms(speaker);
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
}

/// Scores memories, best first; at the same score the newer id.
pub fn score(reading: &Reading, postings: &Postings, contexts: &HashMap<MemoryId, Context>, turns: Vec<Turn>) -> Vec<Scored> {
    let (speaker, counted) = reading.speaker(&turns);
    let (none, ranking) = (Context::default(), reading.ranking);
    let one = |turn: Turn| {
        let covered = postings.covered(turn.id, contexts.get(&turn.id).unwrap_or(&none), &counted);
        let spoken = speaker.is_some() && turn.speaker == speaker;
        let dated = reading.dates.as_ref().is_some_and(|dates| dates.hold(turn.said_at.date_naive()));
        let mut parts = vec![
            part(ranking, Criterion::Words, covered, WORDS),
            part(ranking, Criterion::Meaning, turn.semantic.unwrap_or(0.0), MEANING),
            part(ranking, Criterion::Speaker, f64::from(u8::from(spoken)), SPEAKER),
            part(ranking, Criterion::Date, f64::from(u8::from(dated)), DATE),
            part(ranking, Criterion::Length, length(turn.characters), LENGTH),
            part(ranking, Criterion::Scope, turn.scope, SCOPE),
            part(ranking, Criterion::Confidence, turn.confidence, CONFIDENCE),
        ];
        parts.push(part(ranking, Criterion::Question, f64::from(u8::from(turn.asks)), QUESTION));
        if reading.asks_when {
            parts.push(part(ranking, Criterion::Time, f64::from(u8::from(turn.tells_time)), TIME));
        }
        let decay = if decays(ranking) {
            turn.recency
        } else {
            parts.push(part(ranking, Criterion::Recency, turn.recency, RECENCY));
            1.0
        };
        let (score, lexical) = (sum(&parts) * decay, postings.lexical(turn.id));
        Scored { id: turn.id, semantic: turn.semantic, lexical, recency: turn.recency, parts, score, fit: turn.scope }
    };
    let mut scored: Vec<Scored> = turns.into_iter().map(one).collect();
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.id.cmp(&a.id)));
    scored
}

/// The parts of a chunk's score, the same as those of a new memory with the same text: of this project, certain, and fresh. A chunk that
/// waits for its vector has no meaning yet; its words count as in any other chunk.
pub fn decided(ranking: Ranking, semantic: Option<f64>, lexical: Option<f64>, characters: i32) -> Vec<Part> {
    let mut parts = vec![
        part(ranking, Criterion::Words, lexical.unwrap_or(0.0), WORDS),
        part(ranking, Criterion::Meaning, semantic.unwrap_or(0.0), MEANING),
        part(ranking, Criterion::Length, length(characters), LENGTH),
        part(ranking, Criterion::Scope, 1.0, SCOPE),
        part(ranking, Criterion::Confidence, 1.0, CONFIDENCE),
    ];
    if !decays(ranking) {
        parts.push(part(ranking, Criterion::Recency, 1.0, RECENCY));
    }
    parts
}

/// The sum of value · weight.
pub fn sum(parts: &[Part]) -> f64 {
    parts.iter().map(|part| part.value * part.weight).sum()
}

fn decays(ranking: Ranking) -> bool {
    ranking == Ranking::HybridDecay
}

fn length(characters: i32) -> f64 {
    (1.0 + f64::from(characters) / WORD).ln()
}

fn part(ranking: Ranking, name: Criterion, value: f64, weight: f64) -> Part {
    Part { name, value, weight: if decays(ranking) { weight / MOST } else { weight } }
}

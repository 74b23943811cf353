//! Words from before that explain a passage.

use super::pointing::{self, DEMONSTRATIVES, Lack};
use super::words::{AUXILIARIES, MODALS, PREPOSITIONS, Word, YOU_WORDS, is_any};

/// Words from before, and how they introduce what is said next.
pub struct Context {
    /// Up to the verb: "Asked “Where do you live?”, Vera answers".
    pub introduction: String,
    pub words: Vec<Word>,
    /// A question that can be understood alone: "it" in the answer is what it asks for.
    pub clear: bool,
}

impl Context {
    /// Whether it names everything that a passage lacks.
    pub fn explains(&self, lacks: &[Lack]) -> bool {
        let named = |lack: Lack| pointing::names(&self.words, lack) || points_to_noun(&self.words, lack);
        lacks.iter().all(|lack| named(*lack) || self.clear && *lack == Lack::Thing)
    }
}

/// Whether words call something that speaker and listener see or know, "that photo", "your trip", or something that people do: "camping".
pub fn points_to_noun(words: &[Word], lack: Lack) -> bool {
    let known = |word: &Word| DEMONSTRATIVES.contains(&word.lower.as_str()) || word.lower == "your";
    let noun = |word: &Word| word.lower.len() > 3 && !word.fresh && !is_any(&word.lower, &[AUXILIARIES, MODALS, YOU_WORDS]);
    let pointed = |pair: &[Word]| matches!(pair, [this, next] if known(this) && noun(next));
    let placed = |three: &[Word]| matches!(three, [at, rest @ ..] if PREPOSITIONS.contains(&at.lower.as_str()) && pointed(rest));
    let done = || words.iter().any(|word| word.lower.len() > 6 && word.lower.ends_with("ing") && !word.lower.ends_with("thing"));
    match lack {
        Lack::Thing => words.windows(2).any(pointed) || done(),
        Lack::Several | Lack::Shown => words.windows(2).any(pointed),
        Lack::Place => words.windows(3).any(placed),
        Lack::Person => false,
    }
}

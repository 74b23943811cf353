//! Words from before that explain a passage.

use super::nouns::{is_group, is_person, is_plural};
use super::pointing::{self, DEMONSTRATIVES, Lack};
use super::words::{AUXILIARIES, I_WORDS, MODALS, PREPOSITIONS, Word, YOU_WORDS, is_any};

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
        let named = |lack: Lack| match lack {
            Lack::Person => names_person(&self.words),
            Lack::Several => names_several(&self.words),
            lack => pointing::names(&self.words, lack) || points_to_noun(&self.words, lack),
        };
        lacks.iter().all(|lack| named(*lack) || self.clear && *lack == Lack::Thing)
    }
}

/// Whether words name a person: "the Alps" and "in Basel" are none.
fn names_person(words: &[Word]) -> bool {
    let name = |pair: &[Word]| {
        matches!(pair, [before, word] if word.capital && !word.stressed && !I_WORDS.contains(&word.lower.as_str())
            && !matches!(before.lower.as_str(), "the" | "a" | "an" | "in" | "at" | "to" | "from" | "of") && !before.capital)
    };
    words.iter().any(|word| is_person(&word.lower)) || words.windows(2).any(name)
}

fn names_several(words: &[Word]) -> bool {
    words.iter().any(|word| is_plural(&word.lower) || is_group(&word.lower) || is_person(&word.lower))
        || points_to_noun(words, Lack::Several)
}

/// Whether words call something that speaker and listener see or know, "that photo", "your trip".
pub fn points_to_noun(words: &[Word], lack: Lack) -> bool {
    let known = |word: &Word| DEMONSTRATIVES.contains(&word.lower.as_str()) || word.lower == "your" && lack != Lack::Shown;
    let noun = |word: &Word| word.lower.len() > 3 && !word.fresh && !is_any(&word.lower, &[AUXILIARIES, MODALS, YOU_WORDS]);
    let pointed = |pair: &[Word]| matches!(pair, [this, next] if known(this) && noun(next));
    let placed = |three: &[Word]| matches!(three, [at, rest @ ..] if PREPOSITIONS.contains(&at.lower.as_str()) && pointed(rest));
    match lack {
        Lack::Thing | Lack::Several | Lack::Shown => words.windows(2).any(pointed),
        Lack::Place => words.windows(3).any(placed),
        Lack::Person => false,
    }
}

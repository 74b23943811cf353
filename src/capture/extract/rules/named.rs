//! Whether words name something that a pronoun after them may mean: by a name, or by any noun that agrees with it.

use super::nouns::{is_group, is_one_person, is_period, is_person, is_plural};
use super::pointing::{BEFORE_PLACES, DETERMINERS, Lack, NAMELESS};
use super::verbs;
use super::words::{AUXILIARIES, I_WORDS, MODALS, POINTING, PREPOSITIONS, WE_WORDS, Word, YOU_WORDS, is_adverb, is_any, lower};

/// Nouns that count and name nothing: "a lot".
const AMOUNTS: &[&str] = &["best", "bit", "couple", "few", "first", "last", "most", "part", "same", "way", "worst"];

/// Whether the words name something that the next ones may mean.
pub fn names(words: &[Word], lack: Lack) -> bool {
    let lowers = lower(words);
    let name = |at: usize, word: &Word| word.capital && !word.stressed && !I_WORDS.contains(&word.lower.as_str()) && at > 0;
    words.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).and_then(|at| lowers.get(at)).copied().unwrap_or_default();
        let earlier = at.checked_sub(2).and_then(|at| lowers.get(at)).copied().unwrap_or_default();
        let lower = word.lower.as_str();
        let thing = || {
            !is_person(lower)
                && !is_period(lower)
                && word.lower.len() > 2
                && !is_any(lower, &[AUXILIARIES, MODALS, I_WORDS, WE_WORDS, AMOUNTS, POINTING, NAMELESS])
        };
        // "In Basel", but not "of books" and not "want to swim".
        let place = |before: &str| BEFORE_PLACES.contains(&before) && (before != "to" || name(at, word) || is_haunt(lower));
        match lack {
            Lack::Shown => false,
            Lack::Person => is_one_person(lower) || lower == "who" || name(at, word),
            Lack::Several => {
                is_plural(lower)
                    || is_group(lower)
                    || is_person(lower)
                    || matches!(earlier, "at" | "to" | "with" | "from" | "for") && matches!(before, "the" | "a" | "my")
                    || lower == "and" && (words.get(at + 1).is_some_and(|next| name(at + 1, next)) || joins_things(words, at))
            }
            Lack::Place => {
                before == "it's" && name(at, word)
                    || (place(before) || DETERMINERS.contains(&before) && BEFORE_PLACES.contains(&earlier)) && (name(at, word) || thing())
            }
            Lack::Thing => {
                name(at, word)
                    || word.quoted
                    || DETERMINERS.contains(&before) && thing()
                    || DETERMINERS.contains(&earlier)
                        && thing()
                        && !is_period(before)
                        && !is_person(before)
                        && !verbs::is_past(lower)
                        && !verbs::is_common(lower)
                    || lower.len() > 3
                        && thing()
                        && words.get(at + 1).is_some_and(|next| matches!(next.lower.as_str(), "is" | "was" | "has"))
            }
        }
    })
}

/// Whether "and" at `at` joins two nouns without articles: "dance and fashion".
fn joins_things(words: &[Word], at: usize) -> bool {
    let thing = |at: usize| {
        words.get(at).is_some_and(|word| {
            let lower = word.lower.as_str();
            let function =
                is_any(lower, &[AUXILIARIES, MODALS, PREPOSITIONS, I_WORDS, WE_WORDS, YOU_WORDS, POINTING, DETERMINERS, NAMELESS]);
            lower.len() > 3 && !function && !verbs::is_past(lower) && !verbs::is_common(lower) && !is_adverb(lower)
        })
    };
    let noun = at.checked_sub(1).is_some_and(thing) && thing(at + 1) && !words.get(at).is_some_and(|and| and.fresh);
    noun && at.checked_sub(2).and_then(|at| words.get(at)).is_some_and(|word| PREPOSITIONS.contains(&word.lower.as_str()))
}

/// Whether people go to a place of this name without an article: "to school".
fn is_haunt(word: &str) -> bool {
    matches!(word, "camp" | "church" | "class" | "college" | "court" | "school" | "town" | "university" | "work")
}

/// Whether words bring in a thing by its name or as a new one: "a trip to Basel".
pub fn introduces(words: &[Word]) -> bool {
    let new = |word: &Word| matches!(word.lower.as_str(), "a" | "an" | "another") || word.quoted;
    let name = |(at, word): (usize, &Word)| at > 0 && word.capital && !word.stressed && !I_WORDS.contains(&word.lower.as_str());
    words.iter().any(new) || words.iter().enumerate().any(name)
}

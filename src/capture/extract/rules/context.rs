//! Words from before that explain a passage.

use super::definite::{is_general, is_topic};
use super::nouns::{is_group, is_one_person, is_period, is_person, is_plural};
use super::pattern::has_any;
use super::pointing::{self, BEFORE_PLACES, DEMONSTRATIVES, DETERMINERS, Lack, NAMELESS};
use super::thread::joined;
use super::words::{AUXILIARIES, I_WORDS, MODALS, POINTING, PREPOSITIONS, WE_WORDS, Word, YOU_WORDS, is_adverb, is_any, lower};
use super::{topical, verbs};

/// Words that end a noun and what describes it.
const ENDS: &[&str] = &["and", "but", "or", "so", "because", "while", "if", "too", "yet", "lately", "now", "then", "last", "next"];
/// Words after a verb that are no nouns.
const PARTICLES: &[&str] =
    &["away", "back", "down", "happy", "off", "out", "up", "well", "good", "great", "better", "more", "much", "not", "there", "here"];
/// Nouns for places: "this town" is the one that was named.
const PLACES: &[&str] = &["area", "city", "country", "island", "town", "village"];
/// Nouns that "it" never means.
#[rustfmt::skip]
const EMPTY_NOUNS: &[&str] = &[
    "best", "bit", "chance", "couple", "few", "first", "last", "lot", "most", "part", "same", "way", "worst", "kind", "sort", "whole",
    "advice", "tip", "reason", "idea", "fun", "favorite", "favourite", "fave", "while",
];

/// Words from before, and how they introduce what is said next.
pub struct Context {
    /// Up to the verb: "Asked “Where do you live?”, Vera answers".
    pub introduction: String,
    pub words: Vec<Word>,
    /// A question that can be understood alone: "it" in the answer is what it asks for.
    pub clear: bool,
    /// The speaker goes on from their own words.
    pub own: bool,
}

impl Context {
    /// Whether it names everything that a passage with these words lacks. `people` are the names of the speakers.
    pub fn explains(&self, lacks: &[Lack], passage: &[Word], people: &[String]) -> bool {
        let place =
            |noun: &str| PLACES.contains(&noun) && (names(&self.words, Lack::Place, people) || names(&self.words, Lack::Thing, people));
        // "This boat" in the answer is the boat in the question.
        let both = joined([&self.words[..], passage]);
        let favourite = has_any(&lower(&self.words), &["what's|which|what is? your? favorite|favourite|fave"]);
        let seen = !favourite && is_shown(passage) && unnamed(&both, self.words.len()).is_none();
        // Both speak of the same picture.
        let pictured = pointing::has_picture(&self.words) && pointing::has_picture(passage);
        shown(passage).iter().all(|noun| place(noun) || self.own && noun.is_empty() || topical::has(&self.words, noun))
            && lacks.iter().all(|lack| {
                *lack == Lack::Shown && (pictured || seen)
                    || names(&self.words, *lack, people)
                    || self.clear && *lack == Lack::Thing
                    || repeats(&self.words, passage, *lack)
            })
    }
}

/// Whether all that a passage lacks in this way are nouns that the words before have, too: "The boat is old" after "How is your boat?"
fn repeats(before: &[Word], passage: &[Word], lack: Lack) -> bool {
    let lowers = lower(passage);
    let mut lacking = (0..passage.len()).filter(|at| pointing::points_at(passage, &lowers, *at) == Some(lack)).peekable();
    let noun = |at: usize| {
        let rest = passage.get(at + 1..).unwrap_or_default();
        let pointed = lowers.get(at).is_some_and(|word| matches!(*word, "the" | "this" | "that" | "these" | "those"));
        pointed && topical::shares(before, rest.get(..2).unwrap_or(rest))
    };
    lacking.peek().is_some() && lacking.all(noun)
}

/// Whether words name what others lack: not any noun, but one that its pronoun agrees with. Names of speakers name nothing that is spoken
/// about.
pub fn names(words: &[Word], lack: Lack, people: &[String]) -> bool {
    let lowers = lower(words);
    let name = |at: usize, word: &Word| {
        let speaker = || people.iter().any(|name| name.to_lowercase().split(' ').any(|part| part.starts_with(&word.lower)));
        word.capital && !word.stressed && at > 0 && !is_any(&word.lower, &[I_WORDS]) && !is_period(&word.lower) && !speaker()
    };
    let before = |at: usize, back: usize| at.checked_sub(back).and_then(|at| lowers.get(at)).copied().unwrap_or_default();
    words.iter().enumerate().any(|(at, word)| {
        let lower = word.lower.as_str();
        // "In Basel": no thing and no person.
        let place = || BEFORE_PLACES.contains(&before(at, 1)) || before(at, 1) == "the" && BEFORE_PLACES.contains(&before(at, 2));
        match lack {
            Lack::Shown => false,
            Lack::Thing => {
                name(at, word) && !place()
                    || word.quoted
                    || head(words, at).is_some_and(is_single)
                    || is_subject(words, at)
                    || is_object(words, at)
            }
            Lack::Person => is_one_person(lower) || name(at, word) && !place() && !matches!(before(at, 1), "the" | "a" | "an"),
            Lack::Several => {
                let verb = || lower.strip_suffix('s').is_some_and(verbs::is_common) && !DETERMINERS.contains(&before(at, 1));
                is_plural(lower) && !verb() && !NAMELESS.contains(&lower)
                    || is_group(lower)
                    || is_person(lower) && lower != "who"
                    || lower == "and" && words.get(at + 1).is_some_and(|next| name(at + 1, next))
            }
            Lack::Place => {
                name(at, word) && place()
                    || BEFORE_PLACES.contains(&before(at, 1)) && head(words, at).is_some_and(|head| !is_person(head) && !is_period(head))
            }
        }
    })
}

/// The noun of a phrase whose determiner stands at `at`: "boat" in "my old boat".
fn head(words: &[Word], at: usize) -> Option<&str> {
    let determiner = words.get(at)?.lower.as_str();
    if DETERMINERS.contains(&determiner) || determiner == "your" { noun_after(words, at) } else { None }
}

/// The noun of the phrase after `at`.
fn noun_after(words: &[Word], at: usize) -> Option<&str> {
    let ends = |(at, word): (usize, &Word)| {
        let lower = word.lower.as_str();
        let verb =
            at > 0 && (verbs::is_past(lower) || verbs::is_common(lower) || lower.strip_suffix('s').is_some_and(verbs::is_never_noun));
        word.fresh || verb || is_any(lower, &[PREPOSITIONS, AUXILIARIES, MODALS, ENDS, NAMELESS, POINTING, I_WORDS, WE_WORDS, YOU_WORDS])
    };
    let phrase = words.get(at + 1..)?;
    let end = phrase.iter().enumerate().position(|(at, word)| ends((at, word))).unwrap_or(phrase.len());
    let mut nouns = phrase.get(..end)?.iter().filter(|word| !is_adverb(&word.lower));
    nouns.next_back().map(|word| word.lower.as_str())
}

/// The words with "my" for "that" and "this" before a noun that says what both see: "that plate is lovely" is about a plate.
pub fn seen(words: &[Word]) -> Vec<Word> {
    let mut seen = words.to_vec();
    for (at, word) in seen.iter_mut().enumerate() {
        // "Is this your painting?"
        let asked = at > 0 && words.get(at - 1).is_some_and(|verb| matches!(verb.lower.as_str(), "is" | "was"));
        let yours = words.get(at + 1).is_some_and(|next| next.lower == "your") && head(words, at + 1).is_some();
        if asked && yours && matches!(word.lower.as_str(), "this" | "that") {
            word.lower = "my".to_owned();
            continue;
        }
        let likes = at > 0 && words.get(at - 1).is_some_and(|verb| matches!(verb.lower.as_str(), "love" | "like" | "loving"));
        let points = DEMONSTRATIVES.contains(&word.lower.as_str()) || word.lower == "the" && likes;
        let next = words.get(at + 1).map(|next| next.lower.as_str()).unwrap_or_default();
        let verb = verbs::is_past(next) || verbs::is_common(next.strip_suffix('s').unwrap_or(next));
        let noun = noun_after(words, at).filter(|_| points && !verb);
        if noun.is_some_and(|noun| noun.len() > 2 && !is_general(noun) && !is_person(noun) && !is_period(noun) && !is_adverb(noun)) {
            word.lower = "my".to_owned();
        }
    }
    seen
}

/// Whether a noun may be what "it" means.
fn is_single(noun: &str) -> bool {
    noun.len() > 2 && !is_plural(noun) && !is_person(noun) && !is_period(noun) && !is_any(noun, &[EMPTY_NOUNS, NAMELESS])
}

/// Whether the word at `at` is a subject without a determiner: "Swimming is fun".
fn is_subject(words: &[Word], at: usize) -> bool {
    let verb = words.get(at + 1).is_some_and(|next| matches!(next.lower.as_str(), "is" | "was" | "has"));
    let placed = at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|before| PREPOSITIONS.contains(&before.lower.as_str()));
    let Some(word) = words.get(at).filter(|_| verb && !placed) else { return false };
    let lower = word.lower.as_str();
    lower.len() > 3 && is_single(lower) && !is_any(lower, &[AUXILIARIES, MODALS, POINTING, I_WORDS, WE_WORDS, YOU_WORDS, EMPTY_NOUNS])
}

/// Whether the word at `at` is the object of a verb, without a determiner: "since you built furniture".
fn is_object(words: &[Word], at: usize) -> bool {
    let (Some(word), Some(verb)) = (words.get(at), at.checked_sub(1).and_then(|at| words.get(at))) else { return false };
    let acts = verbs::is_common(&verb.lower) || verb.lower.len() > 5 && verb.lower.ends_with("ing");
    let lower = word.lower.as_str();
    let noun = lower.len() > 2
        && is_single(lower)
        && !verbs::is_common(lower)
        && !verbs::is_past(lower)
        && !lower.ends_with("ing")
        && !is_adverb(lower)
        && !is_any(lower, &[AUXILIARIES, MODALS, PREPOSITIONS, ENDS, POINTING, DETERMINERS, I_WORDS, WE_WORDS, YOU_WORDS]);
    let ends = words.get(at + 1).is_none_or(|next| next.fresh || is_any(&next.lower, &[PREPOSITIONS, ENDS]));
    acts && !word.fresh && noun && ends && !PARTICLES.contains(&lower)
}

/// Whether words speak of "this boat" or "these masts" and name none before.
pub fn is_shown(words: &[Word]) -> bool {
    unnamed(words, 0).is_some()
}

/// The place from `from` on where words speak of "this boat" or "this one" and name none before.
pub fn unnamed(words: &[Word], from: usize) -> Option<usize> {
    let lowers = lower(words);
    let lower = |at: usize| lowers.get(at).copied().unwrap_or_default();
    let named = |at: usize, noun: &str| {
        let before = words.get(..at).unwrap_or_default();
        // "All these boats", "there was this boat", "this fight for peace": the sentence says itself which.
        let brought = at > 0 && matches!(lower(at - 1), "all" | "was" | "is" | "were" | "make" | "made" | "making");
        let after = (at + 2..at + 4).any(|at| matches!(lower(at), "for" | "of" | "to") && !words.get(at).is_some_and(|word| word.fresh));
        let name = words.get(at + 1).is_some_and(|word| word.capital);
        let known =
            |noun: &str| is_general(noun) || is_period(noun) || is_person(noun) || PLACES.contains(&noun) || topical::has(before, noun);
        brought || after || name || known(noun) || known(lower(at + 2))
    };
    (from..words.len())
        .filter(|at| matches!(lower(*at), "this" | "these"))
        .find(|at| shown_at(words, &lowers, *at).is_some_and(|noun| !matches!(noun, "" | "this") && !named(*at, noun)))
}

/// The nouns after "this", "these" or "those"; empty where no noun follows. Words that explain a passage must contain them. "That trip" may
/// be any trip.
pub fn shown(words: &[Word]) -> Vec<&str> {
    let lowers = lower(words);
    (0..words.len()).filter_map(|at| shown_at(words, &lowers, at)).collect()
}

fn shown_at<'a>(words: &'a [Word], lowers: &[&'a str], at: usize) -> Option<&'a str> {
    let demonstrates = is_any(lowers.get(at).copied().unwrap_or_default(), &[DEMONSTRATIVES]);
    if !demonstrates || pointing::points_at(words, lowers, at).is_none() {
        return None;
    }
    let next = words.get(at + 1).filter(|next| !next.fresh).map_or("", |next| next.lower.as_str());
    let noun = !is_any(next, &[AUXILIARIES, MODALS, PREPOSITIONS, ENDS, I_WORDS, WE_WORDS, YOU_WORDS, POINTING]) && !is_adverb(next);
    match lowers.get(at) {
        Some(&("that" | "those")) if !noun || next.is_empty() || is_topic(next) => None,
        _ if noun && !verbs::is_past(next) => Some(next),
        // "This helped": what the speaker said before.
        _ if is_any(next, &[AUXILIARIES, MODALS]) || verbs::is_past(next) => Some(""),
        _ => Some("this"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    #[test]
    fn a_name_or_a_noun_that_agrees_is_named() {
        let people = ["Vera".to_owned(), "Idris".to_owned()];
        for (text, lack, expected) in [
            ("How old is your boat?", Lack::Thing, true),
            ("Since when do you build furniture?", Lack::Thing, true),
            ("What is the best part?", Lack::Thing, false),
            ("How are you handling the changes?", Lack::Thing, false),
            ("Where in Basel was it?", Lack::Thing, false),
            ("That was great", Lack::Thing, false),
            ("I asked my sister", Lack::Person, true),
            ("So cool, Vera!", Lack::Person, false),
            ("I painted the masts", Lack::Several, true),
            ("The boat looks old", Lack::Several, false),
            ("We stayed at the harbour", Lack::Place, true),
            ("I have a pile of books", Lack::Place, false),
        ] {
            assert_eq!(names(&words(text), lack, &people), expected, "{text}");
        }
    }

    #[test]
    fn what_is_shown_needs_its_noun() {
        assert!(is_shown(&words("I love to wear this dress")));
        assert!(!is_shown(&words("I built a boat and love to sail this boat")));
        assert_eq!(shown(&words("I never saw those masts")), ["masts"]);
    }
}

//! An "it" that needs no noun before it: it stands for a clause, or judges what the speaker did.

use super::pointing::{COPULAS, DEMONSTRATIVES, DETERMINERS, PERSONS, SEVERAL, THINGS};
use super::verbs;
use super::words::{ADVERBS, I_WORDS, PREPOSITIONS, WE_WORDS, Word, YOU_WORDS, is_adverb, is_any};

/// What it may be to do something.
const PLEASURES: &[&str] =
    &["blast", "challenge", "delight", "dream", "honor", "honour", "joy", "pleasure", "privilege", "relief", "shame", "thrill"];

/// Whether "it" at `at` stands for a clause that follows: "it's important to me that boats float", "it's great having a dog".
pub fn is_empty_it(found: &[Word], lowers: &[&str], at: usize) -> bool {
    let lower = |at: usize| lowers.get(at).copied().unwrap_or_default();
    let word = lower(at);
    // "It was like a dream coming true": something was.
    let like = lower(at + 2) == "like" || matches!(word, "it's" | "it'd") && lower(at + 1) == "like";
    let copula = !like && (matches!(word, "it's" | "it'd" | "it'll") || (word == "it" && COPULAS.contains(&lower(at + 1))));
    // "It sounds like the trip was fun."
    if word == "it" && matches!(lower(at + 1), "looks" | "seems" | "sounds") && matches!(lower(at + 2), "as" | "like" | "that") {
        return !matches!(lower(at + 3), "" | "it" | "that" | "this" | "a" | "an");
    }
    // "Find it hard to rest": an object.
    let object = word == "it" && at > 0 && !copula;
    let mut rest = lowers.iter().skip(at + 1).take(7).take_while(|word| **word != "to");
    // "It's one of my favourite places to read", but "it's a joy to read".
    let took = matches!(lower(at + 1), "takes" | "took" | "would" | "will");
    let thing =
        !took && rest.any(|word| DETERMINERS.contains(word) || *word == "one") && !lowers.iter().any(|word| PLEASURES.contains(word));
    let start = at;
    let clause = |position: usize| {
        let at = position;
        let (before, next) = (lower(at - 1), lower(at + 1));
        let noun = next.is_empty() || is_any(next, &[I_WORDS, WE_WORDS, YOU_WORDS, THINGS, PERSONS, SEVERAL, DETERMINERS, DEMONSTRATIVES]);
        let described = !is_any(before, &[PREPOSITIONS, COPULAS, ADVERBS, DETERMINERS, &["and", "so", "it", "it's", "been"]]);
        match lower(at) {
            "to" => !noun && !is_adverb(next) && !thing,
            "how" | "when" | "if" | "since" => before != "like" && described && position <= start + 3,
            "that" => matches!(before, "me" | "us" | "important" | "good" | "great" | "nice" | "sad" | "clear" | "true" | "amazing"),
            word => {
                word.len() > 4
                    && word.ends_with("ing")
                    && !word.ends_with("thing")
                    && described
                    && !thing
                    && !matches!(next, "" | "and" | "but" | "so" | "of")
            }
        }
    };
    let same = |at: &usize| found.get(*at).is_some_and(|word| !word.fresh) && !matches!(lower(*at), "and" | "but");
    if object { clause(at + 2) } else { copula && (at + 1..at + 8).take_while(same).skip(1).any(clause) }
}

/// Whether "it" at `at` judges what the speaker did in the clause before: "I went sailing and it was great".
pub fn judges_event(found: &[Word], lowers: &[&str], at: usize) -> bool {
    let next = lowers.get(at + 1).copied().unwrap_or_default();
    let judges = lowers.get(at) == Some(&"it's")
        || lowers.get(at) == Some(&"it") && (COPULAS.contains(&next) || next.strip_suffix('s').is_some_and(verbs::is_never_noun));
    let earlier = lowers.get(..at).unwrap_or_default();
    let begins = found.get(at).is_some_and(|word| word.fresh) || earlier.last().is_some_and(|word| matches!(*word, "and" | "but" | "so"));
    judges && begins && earlier.len() > 3 && earlier.iter().any(|word| matches!(*word, "i" | "i'm" | "i've" | "we" | "we've" | "we're"))
}

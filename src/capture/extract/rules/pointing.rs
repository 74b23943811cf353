//! Words that point to something said before: whether a sentence can be understood alone.

use super::sorts::is_kin;
use super::verbs;
use super::words::{ADVERBS, AUXILIARIES, I_WORDS, MODALS, PREPOSITIONS, WE_WORDS, Word, YOU_WORDS, is_adverb, is_any, lower};

/// Whether a sentence has a word that points to something, wherever it stands.
pub fn points(found: &[Word]) -> bool {
    found.iter().any(|word| is_any(&word.lower, &[THINGS, PERSONS, &["that", "this", "these", "there", "that's"]]))
}

/// Pronouns of things and groups.
const THINGS: &[&str] = &["it", "it's", "them", "they", "they're", "they've", "those", "one", "ones", "their"];
/// Pronouns of persons.
const PERSONS: &[&str] = &["he", "he's", "she", "she's", "him", "his", "her"];
const DETERMINERS: &[&str] = &["a", "an", "the", "my", "our", "some", "any", "every", "his", "her", "their", "another", "two", "three"];
/// Persons whom a pronoun may mean, beside kin and names.
#[rustfmt::skip]
const SOMEBODY: &[&str] = &[
    "someone", "somebody", "guy", "man", "woman", "girl", "boy", "person", "lady", "teacher", "boss", "coach", "author", "artist",
    "singer", "player", "actor", "character", "manager", "nurse", "doctor", "who",
];
/// Periods after "this" and "these" that need no other word.
#[rustfmt::skip]
const PERIODS: &[&str] = &[
    "day", "days", "week", "weekend", "month", "year", "morning", "afternoon", "evening", "spring", "summer", "autumn", "fall",
    "winter", "season", "time", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
];

/// Whether "that" at `at` stands between a verb or preposition and a noun: "using that app", not "think that apps" or "a day that I".
fn demonstrative(lowers: &[&str], at: usize) -> bool {
    // Verbs before a clause: "think that apps are …".
    const BEFORE_CLAUSES: &[&str] = &[
        "agree",
        "believe",
        "decide",
        "feel",
        "find",
        "guess",
        "hear",
        "hope",
        "imagine",
        "know",
        "learn",
        "mean",
        "notice",
        "realise",
        "realize",
        "remember",
        "say",
        "see",
        "show",
        "tell",
        "think",
        "understand",
    ];
    let before = at.checked_sub(1).and_then(|before| lowers.get(before)).copied().unwrap_or_default();
    let next = lowers.get(at + 1).copied().unwrap_or_default();
    let noun = !is_any(next, &[I_WORDS, THINGS, PERSONS, DETERMINERS, AUXILIARIES, MODALS, WE_WORDS, YOU_WORDS]);
    noun && (PREPOSITIONS.contains(&before) || verbs::is_common(before) && !BEFORE_CLAUSES.contains(&before))
}

/// Whether a pronoun or a pointing word has nothing before it in the sentence that it could mean.
/// The second: whether it shows or repeats something ("this place", "there", "too"), which often reads well enough alone.
pub fn dangles(found: &[Word]) -> (bool, bool) {
    let lowers = lower(found);
    let named =
        |at: usize| found.iter().take(at).enumerate().any(|(at, word)| word.capital && !I_WORDS.contains(&word.lower.as_str()) && at > 0);
    let person = |at: usize| named(at) || lowers.iter().take(at).any(|word| is_kin(word) || SOMEBODY.contains(word));
    let noun = |at: usize| {
        // A plural or a gerund as the subject, unless the pronoun is its object: "Having them around".
        let subject = at > 3
            && lowers.first().is_some_and(|word| word.ends_with("ing") || (word.len() > 4 && word.ends_with('s') && !is_adverb(word)));
        let plural = |word: &&&str| {
            word.len() > 4
                && word.ends_with('s')
                && !word.ends_with("ss")
                && !is_adverb(word)
                && !ADVERBS.contains(word)
                && !word.contains('\'')
        };
        let earlier = lowers.iter().take(at.saturating_sub(2)).skip(1).any(|word| plural(&word));
        named(at) || subject || earlier || lowers.iter().take(at).any(|word| DETERMINERS.contains(word))
    };
    let thing = lowers.iter().position(|word| THINGS.contains(word)).is_some_and(|at| !noun(at));
    let somebody = lowers.iter().position(|word| PERSONS.contains(word)).is_some_and(|at| !person(at));
    let presents = lowers.iter().any(|word| matches!(*word, "here's"))
        || lowers.windows(2).any(|pair| matches!(pair, ["this" | "these" | "that", "picture" | "pictures" | "photo" | "photos" | "one"]));
    let points_at = (1..lowers.len()).any(|at| {
        matches!(lowers.get(at), Some(&("this" | "that" | "these" | "those")))
            && lowers.get(at + 1).is_some_and(|next| !PERIODS.contains(next))
            && demonstrative(&lowers, at)
    });
    let shown = presents
        || lowers.windows(2).enumerate().any(|(at, pair)| match pair {
            ["this" | "these" | "those", next] => at > 0 && !PERIODS.contains(next),
            // "that" after a preposition points; elsewhere it often joins clauses.
            [before, "that"] => PREPOSITIONS.contains(before) && !noun(at),
            _ => false,
        });
    let last = matches!(lowers.as_slice(), [.., "there" | "too" | "that" | "this"]);
    // "There" as a place; not "there is".
    let place = lowers.iter().enumerate().skip(1).any(|(at, word)| {
        matches!(*word, "there" | "here")
            && !lowers.get(at + 1).is_some_and(|next| is_any(next, &[AUXILIARIES, MODALS, &["for", "been", "to"]]))
            && !noun(at)
    });
    let hard = points_at || place || thing || somebody || matches!(lowers.as_slice(), [.., "this" | "that" | "those" | "these"]);
    (hard, shown || last)
}

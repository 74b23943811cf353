//! How two statements that resemble each other relate, by their words. Pure.

use crate::api::PairRelation;
use crate::text::words;
use std::collections::BTreeSet;

/// The least cosine of two statements that are compared for a conflict.
pub const RELATED: f64 = 0.6;

/// How two statements relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// They are the same words in the same order, apart from case, punctuation and articles.
    Same,
    /// They differ in a value (a number, a name, a day) or in a negation, and say the same otherwise.
    Conflict,
    /// They differ in more.
    Other,
}

/// What a statement is to another one of the same owner whose meaning is this near, apart from corrections.
pub fn relation(likeness: Likeness, similarity: f64, dedup_threshold: f64) -> Option<PairRelation> {
    match likeness {
        Likeness::Conflict if similarity >= RELATED => Some(PairRelation::Contradicts),
        Likeness::Same | Likeness::Other if similarity > dedup_threshold => Some(PairRelation::Duplicates),
        _ => None,
    }
}

/// The least share of words in common for a conflict.
const COMMON_MIN: f64 = 0.5;
/// Most words that a side of a conflict may have for itself.
const OWN_MAX: usize = 4;
const ARTICLES: &[&str] = &["a", "an", "the"];
const NEGATIONS: &[&str] = &["not", "no", "never", "none", "nobody", "nothing", "without", "cannot"];
#[rustfmt::skip]
const NUMBERS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    "hundred", "thousand", "million",
];
#[rustfmt::skip]
const CALENDAR: &[&str] = &[
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december", "morning", "afternoon", "evening", "night", "noon", "today",
    "tomorrow", "yesterday",
];

/// Compares two statements.
pub fn compare(one: &str, other: &str) -> Likeness {
    let (a, b) = (stems(one), stems(other));
    let (mine, yours): (BTreeSet<_>, BTreeSet<_>) = (a.difference(&b).cloned().collect(), b.difference(&a).cloned().collect());
    if wording(one).eq(wording(other)) {
        return Likeness::Same;
    }
    let negated = is_negated(one) != is_negated(other);
    if mine.is_empty() && yours.is_empty() {
        // The same terms may still say something else: who paid whom, before or after, was or will be.
        return if negated { Likeness::Conflict } else { Likeness::Other };
    }
    let common = a.intersection(&b).count();
    let alike = common as f64 >= COMMON_MIN * a.len().min(b.len()) as f64 && common > 0;
    let few = mine.len() <= OWN_MAX && yours.len() <= OWN_MAX;
    let (my_values, your_values) = (values(one, &mine), values(other, &yours));
    let differ_in_values = !my_values.is_empty() && !your_values.is_empty();
    // "The review is on Wednesday at ten" has few words besides its values.
    let only_in_values = common > 0 && my_values.len() == mine.len() && your_values.len() == yours.len();
    let conflict = few && (alike && (differ_in_values || negated) || differ_in_values && only_in_values);
    if conflict { Likeness::Conflict } else { Likeness::Other }
}

fn stems(text: &str) -> BTreeSet<String> {
    words::terms(text).into_keys().collect()
}

fn plain_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').filter(|word| !word.is_empty())
}

/// The words of a statement without those that never change what it says.
fn wording(text: &str) -> impl Iterator<Item = String> {
    plain_words(text).map(|word| word.to_lowercase().replace('’', "'")).filter(|word| !ARTICLES.contains(&word.as_str()))
}

fn is_negated(text: &str) -> bool {
    let odd = plain_words(text)
        .filter(|word| {
            let word = word.to_lowercase().replace('’', "'");
            NEGATIONS.contains(&word.as_str()) || word.ends_with("n't")
        })
        .count();
    odd % 2 == 1
}

/// Those of these words of the text that are a number, a day, a month or a name.
fn values(text: &str, own: &BTreeSet<String>) -> BTreeSet<String> {
    let is_value = |place: usize, word: &str| {
        let lower = word.to_lowercase();
        word.chars().any(|c| c.is_ascii_digit())
            || CALENDAR.contains(&lower.as_str())
            || NUMBERS.contains(&lower.as_str())
            || (place > 0 && word.starts_with(char::is_uppercase))
    };
    let named = plain_words(text).enumerate().filter(|(place, word)| is_value(*place, word));
    named.flat_map(|(_, word)| words::terms(word).into_keys()).filter(|stem| own.contains(stem)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_the_same_a_conflict_or_something_else() {
        for (one, other, expected) in [
            ("Vera likes green tea.", "Vera likes the green tea", Likeness::Same),
            ("Vera paid Idris.", "Idris paid Vera.", Likeness::Other),
            ("Vera arrives before Idris.", "Vera arrives after Idris.", Likeness::Other),
            ("Boat 2 of fleet 5 is sold.", "Boat 5 of fleet 2 is sold.", Likeness::Other),
            ("The review is on Wednesday at ten.", "The review is on Thursday at eleven.", Likeness::Conflict),
            ("Vera lives in Bern.", "Vera lives in Thun.", Likeness::Conflict),
            ("Vera eats meat.", "Vera does not eat meat.", Likeness::Conflict),
            ("Idris has 2 children.", "Idris has 3 children.", Likeness::Conflict),
            ("Vera lives in Bern.", "Idris plays the cello.", Likeness::Other),
            ("Vera lives in Bern.", "Vera lives in Bern with her sister.", Likeness::Other),
            ("Mina drinks coffee in the morning.", "Mina runs five miles on Sunday.", Likeness::Other),
        ] {
            assert_eq!(compare(one, other), expected, "{one} / {other}");
            assert_eq!(compare(other, one), expected, "{other} / {one}");
        }
    }
}

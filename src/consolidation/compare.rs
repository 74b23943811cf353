//! How two statements that resemble each other relate, by their words. Pure.

use crate::text::words;
use std::collections::BTreeSet;

/// How two statements relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// They say the same in the same words, apart from words that mean nothing.
    Same,
    /// They differ in a value (a number, a name, a day) or in a negation, and say the same otherwise.
    Conflict,
    /// They differ in more.
    Other,
}

/// The least share of words in common for a conflict.
const COMMON_MIN: f64 = 0.5;
/// Most words that a side of a conflict may have for itself.
const OWN_MAX: usize = 4;
const NEGATIONS: &[&str] = &["not", "no", "never", "none", "nobody", "nothing", "without", "cannot"];
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
    let negated = is_negated(one) != is_negated(other);
    if mine.is_empty() && yours.is_empty() {
        return if negated { Likeness::Conflict } else { Likeness::Same };
    }
    let common = a.intersection(&b).count();
    let alike = common as f64 >= COMMON_MIN * a.len().min(b.len()) as f64 && common > 0;
    let few = mine.len() <= OWN_MAX && yours.len() <= OWN_MAX;
    let values = !mine.is_empty() && !yours.is_empty() && has_value(one, &mine) && has_value(other, &yours);
    if alike && few && (values || negated) { Likeness::Conflict } else { Likeness::Other }
}

fn stems(text: &str) -> BTreeSet<String> {
    words::terms(text).into_keys().collect()
}

fn plain_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').filter(|word| !word.is_empty())
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

/// Whether one of these words of the text is a number, a day, a month or a name.
fn has_value(text: &str, own: &BTreeSet<String>) -> bool {
    plain_words(text).enumerate().any(|(place, word)| {
        let value = word.chars().any(|c| c.is_ascii_digit())
            || CALENDAR.contains(&word.to_lowercase().as_str())
            || (place > 0 && word.starts_with(char::is_uppercase));
        value && words::terms(word).keys().any(|stem| own.contains(stem))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_the_same_a_conflict_or_something_else() {
        for (one, other, expected) in [
            ("Vera likes green tea.", "Vera likes the green tea", Likeness::Same),
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

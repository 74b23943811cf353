//! "This" for things that the listener does not know yet, as people say it: "I'm reading this great book" means a great book.

use super::verbs;
use super::words::{PREPOSITIONS, Word, is_adverb, lower};

/// Adjectives that describe something new to the listener.
#[rustfmt::skip]
const ADJECTIVES: &[&str] = &[
    "amazing", "awesome", "beautiful", "big", "cool", "crazy", "cute", "fantastic", "funny", "great", "huge", "incredible", "interesting",
    "lovely", "new", "nice", "old", "really", "small", "super", "wonderful",
];
/// What people do with things: each past form may have one of these as its object.
#[rustfmt::skip]
const ACTIONS: &[&str] = &[
    "attended", "baked", "bought", "built", "cooked", "created", "drew", "finished", "found", "got", "heard", "joined", "making", "made", "met",
    "painted", "played", "read", "reading", "received", "saw", "started", "took", "tried", "visited", "watched", "watching", "wrote",
];
/// Nouns without an article.
const MASSES: &[&str] =
    &["art", "bread", "cream", "equipment", "food", "furniture", "gear", "jewelry", "music", "pottery", "stuff", "work"];

/// The sentence with "a" for such a "this", and without such a "these".
pub fn indefinite(sentence: &str, found: &[Word]) -> String {
    let lowers = lower(found);
    let (mut text, mut read) = (String::with_capacity(sentence.len()), 0);
    for (at, word) in found.iter().enumerate().skip(1) {
        let (Some(next), Some(before)) = (found.get(at + 1), lowers.get(at - 1)) else { continue };
        let described = ADJECTIVES.contains(&next.lower.as_str()) && !verbs::is_common(before);
        let noun = next.lower.len() > 2
            && !PREPOSITIONS.contains(&next.lower.as_str())
            && !is_adverb(&next.lower)
            && !next.fresh
            && !is_pronoun(&next.lower);
        if word.quoted || !noun || !(described || ACTIONS.contains(before)) {
            continue;
        }
        let mass = lowers.iter().skip(at + 1).take(3).any(|word| MASSES.contains(word));
        let article = match word.lower.as_str() {
            "this" if mass => "",
            "this" if next.lower.starts_with(['a', 'e', 'i', 'o']) => "an ",
            "this" => "a ",
            "these" => "",
            _ => continue,
        };
        text.push_str(sentence.get(read..word.start).unwrap_or_default());
        text.push_str(article);
        read = next.start;
    }
    text + sentence.get(read..).unwrap_or_default()
}

fn is_pronoun(word: &str) -> bool {
    matches!(
        word,
        "one"
            | "ones"
            | "work"
            | "happen"
            | "morning"
            | "afternoon"
            | "evening"
            | "week"
            | "weekend"
            | "month"
            | "year"
            | "and"
            | "for"
            | "with"
            | "when"
            | "while"
            | "because"
            | "since"
            | "until"
            | "that"
            | "if"
            | "is"
            | "was"
    )
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    #[test]
    fn new_things_get_an_article() {
        for (sentence, expected) in [
            ("I'm reading this amazing series.", "I'm reading an amazing series."),
            ("I made this bowl and these cups.", "I made a bowl and these cups."),
            ("I baked these cakes.", "I baked cakes."),
            ("I started this week.", "I started this week."),
            ("I made this after work.", "I made this after work."),
            ("I love this old house.", "I love this old house."),
            ("I'm making this lately.", "I'm making this lately."),
            ("I painted this when I was ill.", "I painted this when I was ill."),
            ("This book is good.", "This book is good."),
        ] {
            assert_eq!(indefinite(sentence, &words(sentence)), expected);
        }
    }
}

//! "This" for things that the listener does not know yet, as people say it: "I'm reading this great book" means a great book.

use super::verbs;
use super::words::{I_WORDS, PREPOSITIONS, Word, is_adverb, lower};

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
    "painted", "played", "read", "reading", "received", "saw", "shot", "snapped", "started", "took", "tried", "visited", "watched", "watching", "wrote",
];
/// What was spoken of before.
const KNOWN: &[&str] = &["chance", "community", "experience", "opportunity"];
/// What is shown beside the text.
const PICTURES: &[&str] = &["photo", "photos", "pic", "pics", "picture", "pictures", "shot", "video"];
/// How people come to a place or meet somebody.
const MOTIONS: &[&str] = &["been", "bumped", "came", "drove", "ended", "got", "ran", "up", "walked", "went"];
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
        let noun_of = |class: &[&str]| found.iter().skip(at + 1).take(2).any(|word| class.contains(&word.lower.as_str()));
        // "This pic of my boat", "this pic in Basel": the sentence says what is on it, or where.
        let says = found.iter().skip(at + 2).any(|word| word.lower == "of" || word.capital && !I_WORDS.contains(&word.lower.as_str()));
        let known = noun_of(KNOWN) || noun_of(PICTURES) && !says;
        // "We went to this fair": one that the listener does not know.
        let earlier = at.checked_sub(2).and_then(|at| lowers.get(at)).copied().unwrap_or_default();
        let met = matches!(*before, "to" | "into" | "in" | "at") && MOTIONS.contains(&earlier);
        if word.quoted || known || !noun || !(described || met || ACTIONS.contains(before)) {
            continue;
        }
        let mass = lowers.iter().skip(at + 1).take(3).any(|word| MASSES.contains(word));
        let article = match word.lower.as_str() {
            // "I took that pic in Basel": where a picture comes from is news.
            "that" if noun_of(PICTURES) => "a ",
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
            ("I took this pic last autumn.", "I took this pic last autumn."),
            ("I took that pic in Basel.", "I took a pic in Basel."),
            ("We went to this fair and ended up in this old boat.", "We went to a fair and ended up in an old boat."),
            ("I found this great opportunity.", "I found this great opportunity."),
        ] {
            assert_eq!(indefinite(sentence, &words(sentence)), expected);
        }
    }
}

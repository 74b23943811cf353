//! A proposal for the topic of a statement: its two or three most telling words.

use super::patterns::{Match, PATTERNS, Sort};
use super::word::{Word, is_unspaced};
use std::ops::Range;
use words::guard::MARKER;

/// The most words of a topic.
const WORDS_MAX: usize = 3;
/// The longest word of a topic, in characters.
const WORD_MAX: usize = 24;
/// How many letters a name is worth more than another word.
const NAME: usize = 8;

/// Whether a word is a name: it has a capital letter, and not only because a sentence begins.
pub fn is_name(word: &Word) -> bool {
    word.capital && !word.first && word.lower.chars().nth(1).is_some() && !PATTERNS.is_stop(&word.lower)
}

/// The most telling words of a text in their order: names and long words; in writing without blanks the longest run of one script.
/// Absent if it has none.
pub fn topic(text: &str, words: &[Word], matches: &[Match]) -> Option<String> {
    if text.contains(is_unspaced) {
        return run(text);
    }
    let end = |from: usize| text.get(from..).and_then(|rest| rest.find(']')).map_or(text.len(), |length| from + length);
    let markers: Vec<Range<usize>> = text.match_indices(MARKER).map(|(from, _)| from..end(from)).collect();
    let is_day = |at: usize| matches.iter().any(|one| one.sort == Sort::Calendar && (one.from..one.to).contains(&at));
    let mut telling: Vec<(usize, usize, &Word)> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let length = word.lower.chars().count();
        let is_word = (3..=WORD_MAX).contains(&length) && word.lower.contains(char::is_alphabetic);
        let is_new = || telling.iter().all(|(.., other)| other.lower != word.lower);
        let is_removed = || markers.iter().any(|marker| marker.contains(&word.start));
        if is_word && !PATTERNS.is_stop(&word.lower) && !is_day(at) && !is_removed() && is_new() {
            telling.push((length + if is_name(word) { NAME } else { 0 }, at, word));
        }
    }
    telling.sort_by_key(|(weight, at, _)| (std::cmp::Reverse(*weight), *at));
    telling.truncate(WORDS_MAX);
    telling.sort_by_key(|(_, at, _)| *at);
    let words: Vec<&str> = telling.iter().filter_map(|(.., word)| text.get(word.start..word.end)).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The longest run of one script: of ideographs, of katakana, or of other letters that no blanks separate.
fn run(text: &str) -> Option<String> {
    let script = |c: char| match c {
        '\u{30a0}'..='\u{30ff}' => 1,
        '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{323af}' | '々' => 2,
        // Hiragana is grammar.
        '\u{3040}'..='\u{309f}' => 0,
        c if is_unspaced(c) => 3,
        _ => 0,
    };
    let chars: Vec<(char, u8)> = text.chars().map(|c| (c, script(c))).collect();
    let runs = chars.chunk_by(|one, next| one.1 == next.1).filter(|run| run.first().is_some_and(|(_, script)| *script > 0));
    let longest = runs.rev().max_by_key(|run| run.len())?;
    Some(longest.iter().take(WORD_MAX / 2).map(|(c, _)| c).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quotes::word::words;

    fn topic_of(text: &str) -> Option<String> {
        let words = words(text);
        topic(text, &words, &PATTERNS.find(text, &words))
    }

    #[test]
    fn names_and_long_words_tell() {
        assert_eq!(topic_of("We decided to use Postgres because the team knows it.").as_deref(), Some("Postgres team"));
        assert_eq!(topic_of("I'm allergic to peanuts.").as_deref(), Some("allergic peanuts"));
        assert_eq!(topic_of("Meine Schwester Mina arbeitet im Hafen.").as_deref(), Some("Schwester Mina Hafen"));
        assert_eq!(topic_of("我对青霉素过敏。").as_deref(), Some("我对青霉素过敏"));
        assert_eq!(topic_of("私はコーヒーが好きです。").as_deref(), Some("コーヒー"));
        assert_eq!(topic_of("My key is [secret removed: API key] and opens Kestrel.").as_deref(), Some("key opens Kestrel"));
        assert_eq!(topic_of("It is on Monday at 5."), None);
    }
}

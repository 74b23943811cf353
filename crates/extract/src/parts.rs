//! Splits a long transcript into parts. A part is one row, one line of an export and one piece of work. Pure.

use super::{Role, Transcript, Turn};
use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};

/// Longest part, in bytes.
pub const PART_MAX: usize = 1024 * 1024;
/// Most bytes of a part and its turns as JSON: both are one line of an export, and many short turns are longer than their text.
const LINE_MAX: usize = 7 * 1024 * 1024;
/// Most bytes of a turn as JSON, without the name of its speaker.
const TURN: usize = 128;

/// A part of a transcript: a text of its own, with turns by bytes of that text.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub text: String,
    pub turns: Vec<StoredTurn>,
}

/// A turn as a source stores it: its words are in the source's text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredTurn {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    pub role: Role,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<DateTime<FixedOffset>>,
    pub start: usize,
    pub end: usize,
}

/// Splits at the ends of turns, and inside a turn only if it is longer than a part.
pub fn split(transcript: &Transcript, most: usize) -> Vec<Part> {
    let text = &transcript.text;
    let (mut parts, mut begin, mut turns, mut line) = (Vec::new(), 0, Vec::new(), 0);
    let mut close = |begin: &mut usize, end: usize, turns: &mut Vec<StoredTurn>| {
        if let Some(text) = text.get(*begin..end).filter(|text| !text.is_empty()) {
            parts.push(Part { text: text.to_owned(), turns: std::mem::take(turns) });
        }
        *begin = end;
    };
    for turn in &transcript.turns {
        let mut from = turn.start;
        let last = turns.last().map_or(begin, |last: &StoredTurn| begin + last.end);
        let weight = TURN + escaped(turn.speaker.as_deref().unwrap_or_default()) + escaped(text.get(last..turn.end).unwrap_or_default());
        line += weight;
        if (turn.end - begin > most || line > LINE_MAX) && !turns.is_empty() {
            close(&mut begin, last, &mut turns);
            line = weight;
        }
        while turn.end - begin > most {
            let cut = boundary(text, from.max(begin), begin + most);
            turns.push(stored(turn, from, cut, begin));
            close(&mut begin, cut, &mut turns);
            from = cut;
        }
        turns.push(stored(turn, from, turn.end, begin));
    }
    while text.len() - begin > most {
        let cut = boundary(text, begin, begin + most);
        let before = turns.last().map_or(0, |last| last.end);
        if begin + before > cut {
            break;
        }
        close(&mut begin, cut, &mut turns);
    }
    close(&mut begin, text.len(), &mut turns);
    parts
}

/// Bytes of a text as JSON.
fn escaped(text: &str) -> usize {
    text.bytes().map(|byte| if byte < 0x20 { 6 } else { 1 + usize::from(matches!(byte, b'"' | b'\\')) }).sum()
}

fn stored(turn: &Turn, start: usize, end: usize, begin: usize) -> StoredTurn {
    StoredTurn { speaker: turn.speaker.clone(), role: turn.role, at: turn.at, start: start - begin, end: end - begin }
}

/// Where to cut between two bytes: after a sentence or a word in the last tenth if there is one, never inside a character.
pub fn boundary(text: &str, from: usize, most: usize) -> usize {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut begin = from.max(end - (end - from) / 10);
    while !text.is_char_boundary(begin) {
        begin += 1;
    }
    let tail = text.get(begin..end).unwrap_or_default();
    let sentence = tail.rfind(". ").or_else(|| tail.rfind('\n')).map(|at| at + 1);
    let cut = sentence.or_else(|| tail.rfind(char::is_whitespace)).map_or(end, |at| begin + at);
    if cut > from { cut } else { end }
}

/// The turns of a stored source, ready to be extracted.
pub fn turns(text: &str, stored: Vec<StoredTurn>) -> Vec<Turn> {
    let turn = |turn: StoredTurn| {
        let words = text.get(turn.start..turn.end)?.to_owned();
        let StoredTurn { speaker, role, at, start, end } = turn;
        Some(Turn { speaker, role, at, local: false, start, end, text: words, cleared: false })
    };
    stored.into_iter().filter_map(turn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn transcript(words: &[String]) -> Transcript {
        let mut transcript = Transcript::default();
        for word in words {
            transcript.text.push_str("Vera: ");
            let start = transcript.text.len();
            transcript.text.push_str(word);
            let end = transcript.text.len();
            transcript.text.push_str("\n\n");
            let (speaker, role) = (Some("Vera".into()), Role::Person);
            transcript.turns.push(Turn { speaker, role, at: None, local: false, start, end, text: word.clone(), cleared: false });
        }
        transcript
    }

    #[test]
    fn a_part_of_many_short_turns_is_a_line_of_an_export() {
        let turns = transcript(&vec!["a".to_owned(); 130_000]);
        let parts = split(&turns, PART_MAX);
        let line = |part: &Part| serde_json::to_string(&part.text).unwrap().len() + serde_json::to_string(&part.turns).unwrap().len();
        let short = |parts: &[Part]| parts.len() > 1 && parts.iter().all(|part| line(part) < 8 * 1024 * 1024 - 128 * 1024);
        assert!(short(&parts), "{}", parts.len());
        assert_eq!(parts.iter().map(|part| part.turns.len()).sum::<usize>(), 130_000);
        let controls = transcript(&vec!["\u{1}".repeat(1000); 2_000]);
        assert!(short(&split(&controls, PART_MAX)));
    }

    #[test]
    fn a_turn_keeps_the_clock_of_its_time() {
        let read = |at: &str| serde_json::from_str::<StoredTurn>(&format!(r#"{{"role":"person","at":"{at}","start":0,"end":1}}"#)).unwrap();
        // "Z" is what every time was stored with before it had an offset.
        for at in ["2026-05-03T08:00:00+09:00", "2026-05-03T08:00:00Z"] {
            let turn = read(at);
            assert_eq!(turn.at.unwrap().date_naive().to_string(), "2026-05-03");
            assert!(serde_json::to_string(&turn).unwrap().contains(at), "{at}");
        }
    }

    proptest! {
        #[test]
        fn parts_join_to_the_whole_and_keep_every_word(words in proptest::collection::vec("[a-zé. ]{1,60}", 0..12), most in 24_usize..80) {
            let whole = transcript(&words);
            let parts = split(&whole, most);
            let joined: String = parts.iter().map(|part| part.text.as_str()).collect();
            prop_assert_eq!(&joined, &whole.text);
            let spoken: String = parts.iter().flat_map(|part| part.turns.iter().map(|turn| &part.text[turn.start..turn.end])).collect();
            prop_assert_eq!(spoken, words.concat());
            prop_assert!(parts.iter().all(|part| part.text.len() <= most + 8), "{:?}", parts);
        }
    }
}

//! Cutting: a text becomes words, and runs of scripts that put no space between words.

use super::fold::{fold, lower};
use unicode_segmentation::UnicodeSegmentation;

/// Longest term kept, in characters; longer ones are data, not words.
const TERM_MAX: usize = 64;

/// Scripts without spaces between words; in Hangul, spaces enclose particles, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    Han,
    Thai,
    Lao,
    Khmer,
    Myanmar,
    Hangul,
}

impl Script {
    /// The script of a letter, if it is one of these. Katakana spells loan words and stays whole.
    fn of(letter: char) -> Option<Self> {
        match letter {
            _ if letter.is_numeric() => None,
            '\u{3005}'
            | '\u{3041}'..='\u{309f}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => Some(Self::Han),
            '\u{e01}'..='\u{e7f}' => Some(Self::Thai),
            '\u{e81}'..='\u{eff}' => Some(Self::Lao),
            '\u{1000}'..='\u{109f}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}' => Some(Self::Myanmar),
            '\u{1780}'..='\u{17ff}' => Some(Self::Khmer),
            '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}' => Some(Self::Hangul),
            _ => None,
        }
    }
}

/// What a text is cut into.
#[derive(Debug)]
pub enum Unit<'a> {
    /// A word as it is spelled, in lower case, and folded.
    Word { spelled: &'a str, lower: String, folded: String },
    /// Neighbouring letters of one script without spaces.
    Run(&'a str),
}

impl Unit<'_> {
    /// The folded word, if it is one.
    pub fn folded(&self) -> Option<&str> {
        match self {
            Self::Word { folded, .. } => Some(folded),
            Self::Run(_) => None,
        }
    }
}

/// The words and runs of a line, without data.
pub fn units(line: &str) -> Vec<Unit<'_>> {
    let mut units = Vec::new();
    // Topics join words with underscores, which Unicode counts as part of a word.
    line.split('_').for_each(|piece| cut(piece, &mut units));
    units
}

fn cut<'a>(piece: &'a str, units: &mut Vec<Unit<'a>>) {
    // The run that the next letters may continue: its script, its beginning and its end.
    let mut open: Option<(Script, usize, usize)> = None;
    for (start, end, script) in parts(piece) {
        match (script, open) {
            (Some(script), Some((same, first, last))) if script == same && last == start => open = Some((script, first, end)),
            _ => {
                close(piece, open, units);
                open = script.map(|script| (script, start, end));
                if script.is_none() {
                    units.extend(word(&piece[start..end]));
                }
            }
        }
    }
    close(piece, open, units);
}

fn close<'a>(line: &'a str, open: Option<(Script, usize, usize)>, units: &mut Vec<Unit<'a>>) {
    units.extend(open.map(|(_, first, last)| Unit::Run(&line[first..last])));
}

/// Unicode words, cut where letters of a script without spaces begin and end.
fn parts(piece: &str) -> Vec<(usize, usize, Option<Script>)> {
    let mut parts = Vec::new();
    for (at, word) in piece.unicode_word_indices() {
        match word.is_ascii() {
            true => parts.push((at, at + word.len(), None)),
            false => scripts(at, word, &mut parts),
        }
    }
    parts
}

fn scripts(at: usize, word: &str, parts: &mut Vec<(usize, usize, Option<Script>)>) {
    let known = parts.len();
    for (offset, letter) in word.grapheme_indices(true) {
        let (start, script) = (at + offset, letter.chars().next().and_then(Script::of));
        let end = start + letter.len();
        match parts[known..].last_mut().filter(|last| last.2 == script) {
            Some(last) => last.1 = end,
            None => parts.push((start, end, script)),
        }
    }
}

fn word(spelled: &str) -> Option<Unit<'_>> {
    let lower = lower(spelled);
    let folded = fold(&lower);
    let kept = !folded.is_empty() && folded.chars().count() <= TERM_MAX;
    kept.then_some(Unit::Word { spelled, lower, folded })
}

/// The pairs of neighbouring letters of a run, each with the bytes that it takes. A run of one letter is itself.
pub fn pairs(run: &str) -> Vec<(usize, usize, String)> {
    let letters: Vec<(usize, usize, String)> = run
        .grapheme_indices(true)
        .map(|(at, letter)| (at, at + letter.len(), fold(&lower(letter))))
        .filter(|(_, _, folded)| (1..=TERM_MAX / 2).contains(&folded.chars().count()))
        .collect();
    match letters.len() {
        0 | 1 => letters,
        _ => letters.windows(2).map(|two| (two[0].0, two[1].1, format!("{}{}", two[0].2, two[1].2))).collect(),
    }
}

//! Extraction without a model: what people say is quoted, word for word, under their name and day. Nothing is restated.
//!
//! A turn is read as sentences (`sentences`), each is looked at for the patterns of twelve languages (`patterns`, `sentence`), and what is
//! worth a candidate is quoted (`build`): episodes by signals of any language, and few and sure candidates for a person to confirm.

mod build;
mod dates;
mod patterns;
mod sentence;
mod sentences;
mod topic;
mod word;

use super::{Candidate, Extraction, Role, Transcript, Turn, quarantined, recalled};
use crate::parts::boundary;
use build::{LATEST, Scene, Thread};
use sentence::Sentence;
use std::collections::HashSet;
use std::ops::Range;
use wire::MemoryKind;
use words::minutes::{THE_USER, label};

/// The longest piece of a turn that is read at a time, in bytes. A longer turn is read as several of the same speaker.
const PIECE_MAX: usize = 8 * 1024;
/// How far back what was said before is looked for, in bytes.
const BACK_MAX: usize = LATEST * PIECE_MAX;

/// After how much a round ends, at the end of a piece.
#[derive(Clone, Copy)]
struct Round {
    bytes: usize,
    candidates: usize,
}

/// Whether nobody waits for a round any more; asked before each sentence.
pub type Cancelled<'a> = &'a dyn Fn() -> bool;

/// What is placed in about a second.
const ROUND: Round = Round { bytes: 2 * PIECE_MAX, candidates: 25 };

/// What is quoted from byte `from` on in about a second of work, and how far that came; it ends early once `cancelled` says that nobody
/// waits for it any more.
pub fn step(transcript: &Transcript, from: usize, cancelled: Cancelled) -> Extraction {
    round(transcript, from, ROUND, cancelled)
}

/// Everything that is quoted from a transcript: linear in its text.
pub fn extract(transcript: &Transcript) -> Extraction {
    round(transcript, 0, Round { bytes: usize::MAX, candidates: usize::MAX }, &|| false)
}

/// The candidate that a person makes of words of a turn, by bytes of the text; `None` if these are no boundaries of characters.
pub fn quote(transcript: &Transcript, turn: &Turn, words: Range<usize>, kind: MemoryKind) -> Option<Candidate> {
    let (turns, thread) = (&transcript.turns, Thread::default());
    let notes = turns.iter().all(|turn| turn.speaker.is_none());
    let scene = Scene { transcript, turn, notes, assisted: false, thread: &thread };
    let sentence = Sentence::new(words.start, transcript.text.get(words)?, &speakers(turns));
    build::chosen(&scene, sentence, kind)
}

/// What is quoted from byte `from` on, until the round ends or `cancelled` says that nobody waits for it. What was said shortly before is
/// read again: a candidate may reply to it or correct it.
fn round(transcript: &Transcript, from: usize, most: Round, cancelled: Cancelled) -> Extraction {
    let turns = &transcript.turns;
    let notes = turns.iter().all(|turn| turn.speaker.is_none());
    // Who is called "user" speaks to an assistant, also before it answers.
    let is_user = |turn: &Turn| label(turn.speaker.as_deref()) == THE_USER;
    let assisted = turns.iter().any(|turn| turn.role == Role::Assistant || is_user(turn));
    let speakers = speakers(turns);
    let first = turns.partition_point(|turn| turn.end <= from);
    let mut thread = before(transcript, first, from, (&speakers, cancelled));
    let (mut found, mut size) = (Extraction { read_to: transcript.text.len(), ..Extraction::default() }, 0);
    let is_over = |found: &Extraction, size: usize| size >= most.bytes || found.candidates.len() >= most.candidates || cancelled();
    for turn in turns.iter().skip(first) {
        if turn.start >= from && is_over(&found, size) {
            found.read_to = turn.start;
            return found;
        }
        // A turn that was begun before was inspected then.
        let suspicious = if turn.start < from { None } else { quarantined(transcript, turn) };
        if let Some(one) = suspicious {
            size += turn.text.len();
            found.quarantined.push(one);
            thread.clear();
            continue;
        }
        if turn.role == Role::Machine {
            size += turn.text.len();
            continue;
        }
        for piece in pieces(turn).into_iter().filter(|piece| turn.start + piece.range.end > from) {
            if is_over(&found, size) {
                found.read_to = turn.start + piece.range.start;
                return found;
            }
            size += piece.range.len();
            let sentences = spoken(turn, &piece, (&speakers, cancelled));
            if cancelled() {
                // The sentences may be a part of the piece.
                found.read_to = turn.start.max(from);
                return found;
            }
            let scene = Scene { transcript, turn, notes, assisted, thread: &thread };
            found.candidates.extend(build::candidates(&scene, &sentences).into_iter().filter(|one| one.span.start >= from));
            thread.push(turn, sentences);
        }
    }
    found
}

/// What was said before byte `from`, which lies in or before the turn at `first`.
fn before<'a>(transcript: &'a Transcript, first: usize, from: usize, how: (&HashSet<String>, Cancelled)) -> Thread<'a> {
    let turns = transcript.turns.get(..=first).unwrap_or(&transcript.turns);
    let (mut said, mut size): (Vec<(&Turn, Vec<Sentence>)>, usize) = (Vec::new(), 0);
    'back: for turn in turns.iter().rev().filter(|turn| turn.start < from) {
        if turn.end <= from && quarantined(transcript, turn).is_some() {
            break;
        }
        for piece in pieces(turn).into_iter().rev().filter(|piece| turn.start + piece.range.end <= from) {
            if said.len() >= LATEST || size >= BACK_MAX {
                break 'back;
            }
            size += piece.range.len() + 1;
            let sentences = if turn.role == Role::Machine { Vec::new() } else { spoken(turn, &piece, how) };
            said.extend((!sentences.is_empty()).then_some((turn, sentences)));
        }
    }
    let mut thread = Thread::default();
    for (turn, sentences) in said.into_iter().rev() {
        thread.push(turn, sentences);
    }
    thread
}

/// The words of the speakers' names, in lower case.
fn speakers(turns: &[Turn]) -> HashSet<String> {
    let names: HashSet<&str> = turns.iter().filter_map(|turn| turn.speaker.as_deref()).collect();
    names.into_iter().flat_map(word::words).map(|word| word.lower).collect()
}

/// A piece of a turn, by bytes of its text.
struct Piece {
    range: Range<usize>,
    /// It begins inside of code.
    code: bool,
}

fn pieces(turn: &Turn) -> Vec<Piece> {
    let (mut pieces, mut start, mut code, end) = (Vec::new(), 0, false, turn.text.len());
    while end - start > PIECE_MAX {
        let cut = boundary(&turn.text, start, start + PIECE_MAX);
        pieces.push(Piece { range: start..cut, code });
        code ^= turn.text.get(start..cut).is_some_and(sentences::toggles_code);
        start = cut;
    }
    pieces.push(Piece { range: start..end, code });
    pieces
}

/// The sentences of a piece of a turn that did not come from a memory; only the first of them if the round is cancelled meanwhile.
fn spoken(turn: &Turn, piece: &Piece, (speakers, cancelled): (&HashSet<String>, Cancelled)) -> Vec<Sentence> {
    let text = turn.text.get(piece.range.clone()).unwrap_or_default();
    let recalled = recalled::stretches(text);
    let own = sentences::sentences(text, piece.code).into_iter().filter(|range| {
        let next = recalled.partition_point(|old| old.end <= range.start);
        recalled.get(next).is_none_or(|old| old.start >= range.end)
    });
    let wanted = own.take_while(|_| !cancelled());
    wanted.filter_map(|range| Some(Sentence::new(turn.start + piece.range.start + range.start, text.get(range)?, speakers))).collect()
}

#[cfg(test)]
mod tests;

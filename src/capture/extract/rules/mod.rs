//! Extraction without a model: sentence by sentence, in the words of the speaker.

mod build;
mod dates;
mod decision;
mod opening;
mod pattern;
mod person;
mod pointing;
mod recalled;
mod sentences;
mod signals;
mod sorts;
mod talk;
mod topic;
mod verbs;
pub mod weight;
mod words;

use super::{ExtractError, Extraction, Extractor, Quarantined, Role, Span, Transcript, Turn};
use crate::guard;
use build::{Scene, Sentence};
use futures_util::future::BoxFuture;
use person::People;
use std::collections::BTreeSet;

/// The longest sentence that is read, in bytes: longer ones are data, not speech.
const SENTENCE_MAX: usize = 1000;

/// The rules. They hold no state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules;

impl Extractor for Rules {
    fn name(&self) -> &str {
        "rules"
    }

    fn extract<'a>(&'a self, transcript: &'a Transcript) -> BoxFuture<'a, Result<Extraction, ExtractError>> {
        Box::pin(async move { Ok(extract(transcript)) })
    }
}

/// What the rules find in a transcript: linear in its text.
pub fn extract(transcript: &Transcript) -> Extraction {
    let names = names(&transcript.turns);
    let mut found = Extraction::default();
    let mut before = None;
    for turn in &transcript.turns {
        let reasons = if turn.cleared { Vec::new() } else { guard::inspect(&turn.text) };
        if !reasons.is_empty() {
            found.quarantined.extend(Span::of(&transcript.text, turn.start, turn.end).map(|span| Quarantined { span, reasons }));
            before = None;
            continue;
        }
        if turn.role == Role::Machine {
            continue;
        }
        let sentences = own_sentences(turn);
        let people = people(turn, &names);
        found
            .candidates
            .extend(build::candidates(&Scene { transcript, turn, people: &people, names: &names, before: before.as_deref() }, &sentences));
        before = tail(&sentences).or(before);
    }
    found
}

/// The last sentence of a turn, with the one before it if the last one points back: "I like your boat. How old is it?"
fn tail(sentences: &[Sentence]) -> Option<String> {
    let last = sentences.last()?;
    let earlier = sentences.len().checked_sub(2).and_then(|at| sentences.get(at));
    match earlier.filter(|_| pointing::points(&words::words(&last.text))) {
        Some(earlier) => Some(format!("{} {}", earlier.text, last.text)),
        None => Some(last.text.clone()),
    }
}

/// The names of the people who speak, in a fixed order. A long list means a crowd, in which "you" is nobody in particular.
fn names(turns: &[Turn]) -> Vec<String> {
    let names: BTreeSet<&str> = turns.iter().filter(|turn| turn.role == Role::Person).filter_map(|turn| turn.speaker.as_deref()).collect();
    names.into_iter().take(64).map(str::to_owned).collect()
}

fn people(turn: &Turn, names: &[String]) -> People {
    let speaker = match &turn.speaker {
        Some(name) if name.eq_ignore_ascii_case("user") || name.eq_ignore_ascii_case("human") => "the user".to_owned(),
        Some(name) => name.clone(),
        None => "the author".to_owned(),
    };
    let others: Vec<&String> = names.iter().filter(|name| Some(*name) != turn.speaker.as_ref()).collect();
    let listener = match others.as_slice() {
        [one] if turn.role == Role::Person && turn.speaker.is_some() => Some((*one).clone()),
        _ => None,
    };
    People { speaker, listener }
}

/// The sentences of a turn that did not come from a memory, with their places in the transcript's text.
fn own_sentences(turn: &Turn) -> Vec<Sentence> {
    let recalled = recalled::stretches(&turn.text);
    let mut before = 0;
    let ranges = sentences::sentences(&turn.text).into_iter().filter(|range| range.len() <= SENTENCE_MAX);
    let own = ranges.filter(|range| {
        while recalled.get(before).is_some_and(|old| old.end <= range.start) {
            before += 1;
        }
        recalled.get(before).is_none_or(|old| old.start >= range.end)
    });
    own.filter_map(|range| {
        Some(Sentence { start: turn.start + range.start, end: turn.start + range.end, text: turn.text.get(range)?.to_owned() })
    })
    .collect()
}

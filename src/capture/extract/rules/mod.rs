//! Extraction without a model: sentence by sentence, in the words of the speaker.

mod asking;
mod build;
mod clauses;
mod context;
mod dates;
mod decision;
mod definite;
mod exchange;
mod expletive;
mod indefinite;
mod join;
mod named;
mod naming;
mod nouns;
mod opening;
mod passage;
mod pattern;
mod person;
mod pointing;
mod reading;
mod sentences;
mod signals;
mod sorts;
mod subject;
mod talk;
mod thread;
mod topic;
mod topical;
mod verbs;
pub mod weight;
mod words;

use super::{ExtractError, Extraction, Extractor, Role, Transcript, Turn, quarantined, recalled};
use build::Scene;
use futures_util::future::BoxFuture;
use person::People;
use reading::Sentence;
use std::collections::BTreeSet;
use thread::Thread;

/// The longest sentence that is read, in bytes: longer ones are data, not speech.
const SENTENCE_MAX: usize = 1000;

/// The rules. They hold no state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules;

impl Extractor for Rules {
    fn name(&self) -> &str {
        "rules"
    }

    // They read the whole text: what was said before decides how a sentence is understood.
    fn extract<'a>(&'a self, transcript: &'a Transcript, _from: usize) -> BoxFuture<'a, Result<Extraction, ExtractError>> {
        let copy = transcript.clone();
        // They compute without a pause, for a second on a long text.
        Box::pin(async move { tokio::task::spawn_blocking(move || extract(&copy)).await.map_err(|_| ExtractError::Ended) })
    }
}

/// What the rules find in a transcript: linear in its text.
pub fn extract(transcript: &Transcript) -> Extraction {
    let names = names(&transcript.turns);
    let mut found = Extraction { read_to: transcript.text.len(), ..Extraction::default() };
    let mut thread = Thread::default();
    for turn in &transcript.turns {
        if let Some(one) = quarantined(transcript, turn) {
            found.quarantined.push(one);
            thread.clear();
            continue;
        }
        if turn.role == Role::Machine {
            continue;
        }
        let sentences = own_sentences(turn, &names);
        let people = people(turn, &names);
        thread.resume(turn.at);
        let question = thread.question(&names);
        let scene = Scene { transcript, turn, people: &people, names: &names, thread: &thread, question: question.as_deref() };
        found.candidates.extend(build::candidates(&scene, &sentences));
        thread.push(&people.speaker, turn.role, sentences);
    }
    found
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

/// The sentences of a turn that did not come from a memory and are no notes in brackets, with their places in the transcript's text.
fn own_sentences(turn: &Turn, names: &[String]) -> Vec<Sentence> {
    let recalled = recalled::stretches(&turn.text);
    let mut before = 0;
    let sentences = sentences::sentences(&turn.text).into_iter().filter(|range| range.len() <= SENTENCE_MAX);
    let clauses = sentences.flat_map(|range| {
        let within = clauses::clauses(turn.text.get(range.clone()).unwrap_or_default());
        within.into_iter().map(move |clause| range.start + clause.start..range.start + clause.end)
    });
    let notes = sentences::notes(&turn.text);
    let spoken = clauses.filter(|range| {
        let note = notes.partition_point(|note| note.end < range.end);
        notes.get(note).is_none_or(|note| range.start < note.start)
    });
    let own = spoken.filter(|range| {
        while recalled.get(before).is_some_and(|old| old.end <= range.start) {
            before += 1;
        }
        recalled.get(before).is_none_or(|old| old.start >= range.end)
    });
    own.filter_map(|range| Some(Sentence::new(turn.start + range.start, turn.start + range.end, turn.text.get(range)?, names))).collect()
}

//! From drafts to candidates: how sentences read without the conversation.

use super::reading::{self, Reading, Sentence, is_thing};
use super::thread::{self, Thread};
use super::words::{lower, words};
use super::{dates, exchange, join, passage, person, person::People, signals, topic, weight};
use crate::api::MemoryScope;
use crate::capture::extract::{Candidate, Span, Transcript, Turn};

/// The most sentences of a candidate.
pub const SENTENCES_MAX: usize = 3;

/// What is around the sentences.
pub struct Scene<'a> {
    pub transcript: &'a Transcript,
    pub turn: &'a Turn,
    pub people: &'a People,
    /// Of everybody who speaks.
    pub names: &'a [String],
    /// What was said before.
    pub thread: &'a Thread,
    /// The question with which the turn before ends, if it can be understood alone.
    pub question: Option<&'a str>,
}

/// What a candidate needs beside its sentences.
pub enum Need {
    Nothing,
    /// The question that it answers.
    Question,
    /// The sentence that it corrects.
    Corrected,
    /// The words that introduce it. It is quoted.
    Context(String),
    /// To be quoted.
    Quotation,
}

/// A candidate in the making.
pub struct Draft {
    /// The first and last sentence that it covers.
    pub first: usize,
    pub last: usize,
    /// Its sentences without what precedes their statements.
    pub parts: Vec<String>,
    pub need: Need,
    pub reading: Reading,
}

impl Draft {
    /// Adds the sentence at `at`.
    pub fn push(&mut self, at: usize, core: String) {
        self.parts.push(core);
        self.last = at;
    }
}

/// The candidates of a turn, in its order.
pub fn candidates(scene: &Scene, sentences: &[Sentence]) -> Vec<Candidate> {
    let mut drafts = join::drafts(scene, sentences);
    let opening = passage::reply(scene, sentences);
    drafts.retain_mut(|draft| passage::introduce(scene, sentences, opening, draft));
    drafts.extend(passage::passages(scene, sentences, opening, &drafts));
    drafts.sort_by_key(|draft| draft.first);
    let mut found: Vec<Candidate> = drafts.into_iter().filter_map(|draft| finished(scene, sentences, draft)).collect();
    let covered =
        |at: usize| sentences.get(at).is_some_and(|one| found.iter().any(|other| other.span.start < one.end && one.start < other.span.end));
    let rest = exchange::exchange(scene, sentences, opening, covered).and_then(|draft| finished(scene, sentences, draft));
    found.extend(rest);
    found.sort_by_key(|one| one.span.start);
    found
}

fn finished(scene: &Scene, sentences: &[Sentence], draft: Draft) -> Option<Candidate> {
    let (turn, reading) = (scene.turn, &draft.reading);
    let span = Span::of(&scene.transcript.text, sentences.get(draft.first)?.start, sentences.get(draft.last)?.end)?;
    let (before, text, after) = statement(scene, &draft)?;
    let found = turn.at.map(|at| dates::relative(&text, &words(&text), at.date_naive())).unwrap_or_default();
    let statement = format!("{before}{}{after}", dates::annotated(&text, &found));
    let things = is_thing(reading.kind);
    let thing = topic::thing(&lower(&words(&reading.core)));
    let speaker = person::capitalised(&scene.people.speaker);
    Some(Candidate {
        kind: reading.kind,
        scope: if things { MemoryScope::Project } else { MemoryScope::Agent },
        statement,
        confidence: if reading.explicit { 0.95 } else { weight::confidence(reading.hedged, !after.is_empty()) },
        importance: reading.importance,
        topic: if things { thing.clone() } else { topic::topic(&reading.signals, &speaker) },
        subject: if things { Some(thing) } else { reading.signals.first_person.then_some(speaker) },
        category: Some(reading::category(reading.kind, &reading.signals)),
        observed_at: turn.at,
        span,
        rationale: draft.reading.decision.rationale,
        alternatives: draft.reading.decision.alternatives,
        corrects: draft.reading.corrects,
        dates: found.into_iter().map(|found| found.date).collect(),
    })
}

/// How a candidate reads without the conversation: what introduces it, the text, and a closing mark if the text is quoted. `None` if it
/// cannot be understood.
fn statement(scene: &Scene, draft: &Draft) -> Option<(String, String, &'static str)> {
    let parts: Vec<String> = draft.parts.iter().map(|part| ended(part)).collect();
    let speaker = person::capitalised(&scene.people.speaker);
    let quoted = |introduction: String| Some((format!("{introduction}: “"), parts.join(" "), "”"));
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    match (&draft.need, scene.question, scene.thread.last()) {
        (Need::Question, Some(_), _) if let Some(context) = scene.thread.recounted(&scene.people.speaker) => {
            return quoted(context.introduction);
        }
        (Need::Question, Some(question), _) => {
            return quoted(thread::introduced(scene.thread.asker(), &line(question), &scene.people.speaker));
        }
        (Need::Corrected, _, Some(before)) => return quoted(format!("{speaker} corrects “{}”", line(&before.text))),
        (Need::Context(introduction), ..) => return quoted(introduction.clone()),
        (Need::Quotation, ..) => return quoted(format!("{speaker} says")),
        _ => {}
    }
    if scene.turn.speaker.is_none() && !parts.iter().any(|part| signals::read(&words(part)).first_person) {
        return Some((String::new(), parts.iter().map(|part| person::capitalised(part)).collect::<Vec<_>>().join(" "), ""));
    }
    // A later sentence that cannot be changed is left out.
    let core = ended(&draft.reading.core);
    let kept = parts.iter().position(|part| *part == core).map_or(parts.len(), |at| at + 1);
    let attributed = (kept..=parts.len()).rev().find_map(|count| person::attribute(parts.get(..count)?, scene.people));
    match attributed {
        Some(text) => Some((String::new(), text, "")),
        // Nobody knows whom "you" means.
        None if draft.reading.signals.second_person && !draft.reading.is_plain(scene) => None,
        None => quoted(format!("{speaker} says")),
    }
}

/// With a full stop at the end, and on one line.
fn ended(part: &str) -> String {
    let text = part.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = person::capitalised(text.trim_end_matches(['.', '!', '…', ',', ' ']));
    let closed = text.ends_with(['"', '”', ')', ']']) && text.trim_end_matches(['"', '”', ')', ']']).ends_with(['.', '!', '?']);
    if closed || text.ends_with(':') { text } else { format!("{text}.") }
}

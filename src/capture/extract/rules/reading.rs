//! Which sentences are worth a candidate, of which kind, and how much they matter.

use super::build::Scene;
use super::clauses::untagged;
use super::decision::{self, Decision};
use super::pattern::has_any;
use super::signals::{self, Signals, Sort};
use super::words::{Word, lower, words};
use super::{opening, talk, weight};
use crate::api::{Category, MemoryKind};
use crate::capture::extract::Role;

/// The fewest plain words of a statement (see `signals`).
const WORDS_MIN: usize = 3;
/// The fewest topical words, names and numbers of a statement about what happened, is planned or felt.
const CONTENT_MIN: usize = 2;
/// Words for a time that is over soon.
pub const PASSING: &[&str] = &["i'm|we're off to", "today", "tonight", "right now", "this morning|afternoon|evening", "at the moment"];

/// A sentence that is worth a candidate.
pub struct Reading {
    pub kind: MemoryKind,
    /// Without what precedes its statement.
    pub core: String,
    pub signals: Signals,
    /// 0 to 1.
    pub importance: f32,
    pub hedged: bool,
    /// The speaker asks to remember it.
    pub explicit: bool,
    pub corrects: bool,
    pub decision: Decision,
}

impl Reading {
    /// Whether it is kept even if it points to something that it does not name.
    pub fn is_plain(&self, scene: &Scene) -> bool {
        scene.turn.speaker.is_none() || self.explicit || is_thing(self.kind)
    }
}

/// Whether a kind of memory is about a project and not about a person.
pub fn is_thing(kind: MemoryKind) -> bool {
    matches!(kind, MemoryKind::Decision | MemoryKind::Project | MemoryKind::TaskHint | MemoryKind::Artifact)
}

fn is_question(text: &str) -> bool {
    text.trim_end_matches(['"', '”', ')', '!', ' ']).ends_with('?')
}

/// A sentence with its place in the transcript's text, and what its words say.
#[derive(Clone)]
pub struct Sentence {
    pub start: usize,
    pub end: usize,
    pub text: String,
    /// Without what precedes its statement.
    pub core: String,
    /// Of the core.
    pub words: Vec<Word>,
    pub signals: Signals,
    pub question: bool,
    /// Small talk.
    pub talk: bool,
}

impl Sentence {
    /// A sentence from `start` to `end`. `names` are those of the speakers.
    pub fn new(start: usize, end: usize, text: &str, names: &[String]) -> Self {
        let core = opening::statement(text, names);
        let words = words(&core);
        let signals = signals::read(&words);
        let talk = talk::is_talk(&lower(&words), &signals);
        Self { start, end, text: text.to_owned(), question: is_question(text), core, words, signals, talk }
    }

    /// Whether it is nothing but an interjection or small talk.
    pub fn says_nothing(&self) -> bool {
        self.words.is_empty() || !self.question && self.talk
    }
}

/// Reads a sentence; `None` if it is not worth a candidate.
pub fn read(scene: &Scene, sentence: &Sentence) -> Option<Reading> {
    let text = if sentence.question { untagged(&sentence.text)? } else { &sentence.text };
    let wanted = decision::to_remember(text);
    let changed = sentence.question || wanted.is_some() || sentence.talk;
    let again = changed.then(|| after_courtesy(opening::statement(wanted.unwrap_or(text), scene.names), scene));
    let (core, found, signals) = match again {
        Some(core) => {
            let found = words(&core);
            let signals = signals::read(&found);
            (core, found, signals)
        }
        None => (sentence.core.clone(), sentence.words.clone(), sentence.signals.clone()),
    };
    if signals.plain.len() < WORDS_MIN || found.first().is_some_and(|word| word.lower == "mine") {
        return None;
    }
    let corrects = decision::corrects(text, &words(text), scene.thread.asks());
    let decided = decision::decision(&core, &found, &signals);
    let talk = talk::is_talk(&lower(&found), &signals);
    // "Remember that you can do it" encourages.
    let explicit = wanted.is_some() && !talk && !signals.commands && !signals.general && (signals.first_person || !signals.second_person);
    let technical = (explicit || !signals.second_person) && signals.verb && decision::is_technical(&found);
    let (kind, importance) = if scene.turn.role == Role::Assistant {
        (MemoryKind::Decision, decided.as_ref().map(|_| 0.7)?)
    } else if decided.is_some() {
        (MemoryKind::Decision, 0.8)
    } else if explicit {
        let kind = if decision::is_hint(&found) {
            MemoryKind::TaskHint
        } else if technical {
            MemoryKind::Project
        } else {
            MemoryKind::Profile
        };
        (kind, weight::EXPLICIT)
    } else if decision::is_hint(&found) {
        (MemoryKind::TaskHint, 0.7)
    } else if talk {
        return None;
    } else if core.contains("://") {
        (MemoryKind::Artifact, 0.6)
    } else if technical && is_about_project(scene, &found, &signals) {
        (MemoryKind::Project, 0.6)
    } else {
        fact(scene, &found, &signals, corrects)?
    };
    let hedged = weight::hedged(&lower(&found), &signals);
    Some(Reading { kind, core, signals, importance, hedged, explicit, corrects, decision: decided.unwrap_or_default() })
}

/// The second clause of a sentence whose first one is only courtesy: "I'm glad to hear it, but I moved away".
fn after_courtesy(core: String, scene: &Scene) -> String {
    let found = words(&core);
    let joint = |at: usize| {
        let (word, next) = (found.get(at)?, found.get(at + 1)?);
        if word.fresh && matches!(word.lower.as_str(), "i" | "i'm" | "i've" | "we" | "we're" | "we've" | "my" | "our") {
            return Some((word.start, word.start));
        }
        let joins = word.fresh && matches!(word.lower.as_str(), "but" | "and" | "so");
        let own = found
            .iter()
            .skip(at + 1)
            .take(3)
            .any(|word| matches!(word.lower.as_str(), "i" | "i'm" | "i've" | "we" | "we're" | "we've" | "my" | "our"));
        (joins && own).then_some((word.start, next.start))
    };
    let Some((end, start)) = (1..found.len()).find_map(joint) else { return core };
    let first = words(core.get(..end).unwrap_or_default());
    if !talk::is_talk(&lower(&first), &signals::read(&first)) {
        return core;
    }
    opening::statement(core.get(start..).unwrap_or_default(), scene.names)
}

/// Whether a technical statement is about what people work on together and not about the speaker.
fn is_about_project(scene: &Scene, found: &[Word], signals: &Signals) -> bool {
    let first = found.first().map(|word| word.lower.as_str()).unwrap_or_default();
    scene.turn.speaker.is_none() || !signals.own_subject || matches!(first, "we" | "our" | "we're" | "we've")
}

/// The kind and importance of a statement about a person or about what somebody noted; `None` if it says too little.
fn fact(scene: &Scene, found: &[Word], signals: &Signals, corrects: bool) -> Option<(MemoryKind, f32)> {
    let note = scene.turn.speaker.is_none();
    let add = |is: bool, by: f32| if is { by } else { 0.0 };
    let importance = weight::importance(signals) + add(scene.thread.asks(), 0.05) + add(note && signals.verb, 0.2) + add(corrects, 0.2);
    // "We had fun" says too little, "I have a dog" does not.
    let happens = signals.sorts.iter().any(|sort| matches!(sort, Sort::Event | Sort::Plan));
    // What "we" did needs more to be understood.
    let shared = usize::from(!note && !corrects && !signals.single && !signals.is(Sort::Event));
    let least = if corrects || lasts(signals) { 1 } else { shared + CONTENT_MIN + usize::from(!happens) };
    let empty = signals.content + signals.concrete < least || (!note && !corrects && is_truism(signals));
    let verb = signals.verb || signals.is(Sort::Habit) || note || signals.plain.iter().any(|word| word == "i");
    (importance >= weight::FLOOR && !empty && verb).then(|| (kind(signals, &lower(found)), importance.min(1.0)))
}

/// Whether a statement is about more than what happened, is planned or felt.
pub fn lasts(signals: &Signals) -> bool {
    signals.sorts.iter().any(|sort| !matches!(sort, Sort::Event | Sort::Plan | Sort::Feeling | Sort::Meaning))
}

/// A truth about people in general: nobody in particular is in it, no event and no habit of the speakers.
pub fn is_truism(signals: &Signals) -> bool {
    let particular = |sort: &Sort| !matches!(sort, Sort::Meaning | Sort::Feeling | Sort::Health);
    let specific = signals.sorts.iter().any(particular) || signals.concrete > 0 || signals.past;
    let about_us = signals.first_person
        && !signals.general
        && specific
        && (signals.own_subject || signals.past || signals.plain.iter().any(|word| word == "i"));
    !(signals.single || about_us || signals.is(Sort::Relation))
}

/// Feelings, and what is over by tomorrow, are episodes.
pub fn kind(signals: &Signals, lowers: &[&str]) -> MemoryKind {
    let passing = has_any(lowers, PASSING) && !lasts(signals);
    let feeling = signals.is(Sort::Feeling) && signals.sorts.iter().all(|sort| matches!(sort, Sort::Feeling | Sort::Meaning));
    if passing || feeling { MemoryKind::Episode } else { MemoryKind::Profile }
}

/// The category of a kind of memory with such words.
pub fn category(kind: MemoryKind, signals: &Signals) -> Category {
    match (kind, signals.sorts.first()) {
        (MemoryKind::Decision | MemoryKind::Project | MemoryKind::TaskHint | MemoryKind::Artifact, _) => Category::Project,
        (_, Some(Sort::Preference)) => Category::Preference,
        (_, None) if !signals.first_person => Category::Context,
        (_, Some(Sort::Plan | Sort::Event | Sort::Feeling | Sort::Meaning)) | (MemoryKind::Episode, _) => Category::Context,
        _ => Category::Person,
    }
}

//! From the sentences of a turn to candidates: which sentences are worth one, which belong to the sentence before, and how it reads alone.

use super::decision::{self, Decision};
use super::person::{self, People};
use super::signals::{self, Signals, Sort};
use super::words::{lower, words};
use super::{dates, opening, talk, topic, weight};
use crate::api::{Category, MemoryKind, MemoryScope};
use crate::capture::extract::{Candidate, Role, Span, Transcript, Turn};

/// The fewest words of a statement.
const WORDS_MIN: usize = 3;
/// The most sentences of a candidate.
const SENTENCES_MAX: usize = 3;
/// Words for a time that is over soon.
const PASSING: &[&str] = &["today", "tonight", "right now", "this morning", "this afternoon", "this evening", "at the moment"];

/// A sentence with its place in the transcript's text.
pub struct Sentence {
    pub start: usize,
    pub end: usize,
    pub text: String,
}

/// What is around the sentences.
pub struct Scene<'a> {
    pub transcript: &'a Transcript,
    pub turn: &'a Turn,
    pub people: &'a People,
    /// Of everybody who speaks.
    pub names: &'a [String],
    /// The last sentence of the turn before.
    pub before: Option<&'a str>,
}

/// A candidate in the making.
struct Draft {
    /// The first and last sentence that it covers.
    first: usize,
    last: usize,
    /// Its sentences without what precedes their statements.
    parts: Vec<String>,
    /// What it answers or corrects.
    about: Option<String>,
    /// A pronoun of it means something that only the conversation tells.
    loose: bool,
    read: Read,
}

/// A sentence that is worth a candidate.
struct Read {
    kind: MemoryKind,
    core: String,
    signals: Signals,
    importance: f32,
    hedged: bool,
    explicit: bool,
    corrects: bool,
    decision: Decision,
}

/// The candidates of a turn, in its order.
pub fn candidates(scene: &Scene, sentences: &[Sentence]) -> Vec<Candidate> {
    let mut drafts: Vec<Draft> = Vec::new();
    for (at, sentence) in sentences.iter().enumerate() {
        let previous = at.checked_sub(1).and_then(|before| sentences.get(before)).filter(|before| is_context(scene, &before.text));
        let open = drafts.last_mut().filter(|draft| draft.last + 1 == at && at - draft.first < SENTENCES_MAX);
        let Some(read) = read(scene, &sentence.text) else {
            if let (Some(draft), Some(core)) = (open, continuation(scene, &sentence.text)) {
                draft.parts.push(core);
                draft.last = at;
            }
            continue;
        };
        let plain = scene.turn.speaker.is_none() || read.explicit || is_thing(read.kind);
        let alone = plain || (!read.signals.points_back && !read.signals.dangles);
        match (open, previous) {
            _ if alone => drafts.push(draft(at, at, vec![read.core.clone()], None, read)),
            (Some(draft), _) => {
                draft.parts.push(read.core.clone());
                draft.last = at;
                draft.read.corrects |= read.corrects;
            }
            (None, Some(previous)) => {
                let context = opening::statement(&previous.text, scene.names);
                drafts.push(draft(at - 1, at, vec![context, read.core.clone()], None, read));
            }
            (None, None) => {
                let first = drafts.is_empty();
                drafts.extend(unaided(scene, sentences, at, first, read));
            }
        }
    }
    drafts.into_iter().filter_map(|draft| finished(scene, sentences, draft)).collect()
}

/// A sentence that points to something which no sentence of its turn names: with the question that it answers or the sentence that it
/// corrects if it is the `first` of its turn that says anything, or alone if it says much.
fn unaided(scene: &Scene, sentences: &[Sentence], at: usize, first: bool, read: Read) -> Option<Draft> {
    let important = !read.signals.points_back && read.importance >= weight::LOOSE;
    let many = words(&read.core).first().is_some_and(|word| matches!(word.lower.as_str(), "they" | "they're" | "these" | "those"));
    let clear = |about: &str| important || (!many && (about.ends_with('?') && (read.signals.first_person || read.signals.content > 2)));
    let about = scene.before.filter(|about| first && (read.corrects || clear(about))).map(str::to_owned);
    let loose = about.is_none();
    let earlier = at.checked_sub(1).and_then(|before| sentences.get(before)).filter(|before| loose && !before.text.ends_with('?'));
    if let Some(earlier) = earlier.filter(|_| important) {
        let context = opening::statement(&earlier.text, scene.names);
        return Some(draft(at - 1, at, vec![context, read.core.clone()], None, read));
    }
    let wanted = !loose || important;
    wanted.then(|| Draft { loose, ..draft(at, at, vec![read.core.clone()], about, read) })
}

fn draft(first: usize, last: usize, parts: Vec<String>, about: Option<String>, read: Read) -> Draft {
    Draft { first, last, parts, about, loose: false, read }
}

/// Whether a kind of memory is about a project and not about a person.
fn is_thing(kind: MemoryKind) -> bool {
    matches!(kind, MemoryKind::Decision | MemoryKind::Project | MemoryKind::TaskHint | MemoryKind::Artifact)
}

/// Whether a sentence may be the beginning of what the next one says.
fn is_context(scene: &Scene, text: &str) -> bool {
    let core = opening::statement(text, scene.names);
    let found = words(&core);
    let signals = signals::read(&found);
    !text.ends_with('?') && signals.content > 1 && !signals.points_back && !talk::is_talk(&lower(&found), &signals)
}

/// A sentence that adds to the statement before it: "It is near the lake."
fn continuation(scene: &Scene, text: &str) -> Option<String> {
    let core = opening::statement(text, scene.names);
    let signals = signals::read(&words(&core));
    (signals.points_back && !signals.second_person && !text.ends_with('?') && signals.content > 2 && signals.concrete > 0).then_some(core)
}

/// Reads a sentence; `None` if it is not worth a candidate.
fn read(scene: &Scene, text: &str) -> Option<Read> {
    if text.trim_end_matches(['"', '”', ')', '!']).ends_with('?') {
        return None;
    }
    let wanted = decision::to_remember(text);
    let core = opening::statement(wanted.unwrap_or(text), scene.names);
    let found = words(&core);
    if found.len() < WORDS_MIN {
        return None;
    }
    let signals = signals::read(&found);
    let corrects = decision::corrects(text, &words(text), scene.before.is_some_and(|before| before.ends_with('?')));
    let decided = decision::decision(&core, &found, &signals);
    // "Remember that you can do it" encourages.
    let explicit = wanted.is_some() && !signals.commands && !signals.general && (signals.first_person || !signals.second_person);
    let note = scene.turn.speaker.is_none();
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
    } else if talk::is_talk(&lower(&found), &signals) {
        return None;
    } else if core.contains("://") {
        (MemoryKind::Artifact, 0.6)
    } else if technical
        && (note
            || !signals.own_subject
            || found.first().is_some_and(|word| matches!(word.lower.as_str(), "we" | "our" | "we're" | "we've")))
    {
        (MemoryKind::Project, 0.6)
    } else {
        let importance = weight::importance(&signals)
            + if scene.before.is_some_and(|before| before.ends_with('?')) { 0.05 } else { 0.0 }
            + if note && signals.verb { 0.2 } else { 0.0 }
            + if corrects { 0.2 } else { 0.0 };
        if importance < weight::FLOOR
            || signals.content < 2
            || (!note && !corrects && is_truism(&signals))
            || !(signals.verb || note || signals.plain.iter().any(|word| word == "i"))
        {
            return None;
        }
        (fact_kind(&signals, &lower(&found)), importance.min(1.0))
    };
    let hedged = weight::hedged(&lower(&found), &signals);
    Some(Read { kind, core, signals, importance, hedged, explicit, corrects, decision: decided.unwrap_or_default() })
}

/// A truth about people in general: nobody in particular is in it, no event and no habit of the speakers.
fn is_truism(signals: &Signals) -> bool {
    let particular = |sort: &Sort| !matches!(sort, Sort::Meaning | Sort::Feeling | Sort::Health);
    let about_us = signals.own_subject && !signals.general && signals.sorts.iter().any(particular);
    !(signals.single || about_us || signals.is(Sort::Relation))
}

/// Feelings, and what is over by tomorrow, are episodes.
fn fact_kind(signals: &Signals, lowers: &[&str]) -> MemoryKind {
    let lasting = signals.sorts.iter().any(|sort| !matches!(sort, Sort::Feeling | Sort::Event | Sort::Plan | Sort::Meaning));
    let passing = super::pattern::has_any(lowers, PASSING) && !lasting;
    if passing || signals.sorts == [Sort::Feeling] { MemoryKind::Episode } else { MemoryKind::Profile }
}

fn finished(scene: &Scene, sentences: &[Sentence], draft: Draft) -> Option<Candidate> {
    let (turn, read) = (scene.turn, draft.read);
    let span = Span::of(&scene.transcript.text, sentences.get(draft.first)?.start, sentences.get(draft.last)?.end)?;
    let (text, verbatim) = statement(scene, &draft.parts, draft.about.as_deref(), read.corrects);
    let found = turn.at.map(|at| dates::relative(&text, &words(&text), at.date_naive())).unwrap_or_default();
    let statement = dates::annotated(&text, &found);
    let things = is_thing(read.kind);
    let thing = topic::thing(&lower(&words(&read.core)));
    let speaker = person::capitalised(&scene.people.speaker);
    Some(Candidate {
        kind: read.kind,
        scope: if things { MemoryScope::Project } else { MemoryScope::Agent },
        statement,
        confidence: if read.explicit { 0.95 } else { weight::confidence(read.hedged, verbatim, draft.loose) },
        importance: read.importance,
        topic: if things { thing.clone() } else { topic::topic(&read.signals, &speaker) },
        subject: if things { Some(thing) } else { read.signals.first_person.then_some(speaker) },
        category: Some(category(read.kind, &read.signals)),
        observed_at: turn.at,
        span,
        rationale: read.decision.rationale,
        alternatives: read.decision.alternatives,
        corrects: read.corrects,
        dates: found.into_iter().map(|found| found.date).collect(),
    })
}

/// How a candidate reads without the conversation, and whether it is as it was sentences.
fn statement(scene: &Scene, parts: &[String], about: Option<&str>, corrects: bool) -> (String, bool) {
    let parts: Vec<String> = parts.iter().map(|part| ended(part)).collect();
    if let Some(about) = about {
        let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
        let verb = match (corrects, about.ends_with('?')) {
            (true, false) => " corrects",
            (_, true) => " answers",
            _ => ", about",
        };
        return (format!("{}{verb} “{about}”: {}", person::capitalised(&scene.people.speaker), parts.join(" ")), true);
    }
    if scene.turn.speaker.is_none() && !parts.iter().any(|part| signals::read(&words(part)).first_person) {
        return (parts.iter().map(|part| person::capitalised(part)).collect::<Vec<_>>().join(" "), false);
    }
    person::attribute(&parts, scene.people)
}

/// With a full stop at the end, and on one line.
fn ended(part: &str) -> String {
    let text = part.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = person::capitalised(text.trim_end_matches(['.', '!', '…', ',', ' ']));
    if text.ends_with(['"', '”', ')', ':']) { text } else { format!("{text}.") }
}

fn category(kind: MemoryKind, signals: &Signals) -> Category {
    match (kind, signals.sorts.first()) {
        (MemoryKind::Decision | MemoryKind::Project | MemoryKind::TaskHint | MemoryKind::Artifact, _) => Category::Project,
        (_, Some(Sort::Preference)) => Category::Preference,
        (_, None) if !signals.first_person => Category::Context,
        (_, Some(Sort::Plan | Sort::Event | Sort::Feeling | Sort::Meaning)) | (MemoryKind::Episode, _) => Category::Context,
        _ => Category::Person,
    }
}

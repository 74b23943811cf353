//! Passages that no rule reads as a statement, quoted as they were said, with what they point to: an answer with its question, or words
//! with what they are about. A quotation is never wrong about its speaker.

use super::build::{Draft, Need, SENTENCES_MAX, Scene};
use super::pattern::{begins, has_any};
use super::pointing::{self, Lack};
use super::reading::{self, Reading, Sentence};
use super::signals::{self, Signals};
use super::thread::joined;
use super::words::{Word, lower};
use super::{join, weight};
use crate::capture::extract::Role;
use std::collections::BTreeSet;

/// The least weight of an answer that is understood without its question.
const ANSWER_MIN: usize = 6;

/// The passages of a turn beside its drafts, in its order.
pub fn passages(scene: &Scene, sentences: &[Sentence], drafts: &[Draft]) -> Vec<Draft> {
    if scene.turn.role != Role::Person || scene.turn.speaker.is_none() {
        return Vec::new();
    }
    let covered: BTreeSet<usize> = drafts.iter().flat_map(|draft| draft.first..=draft.last).collect();
    let opening = reply(scene, sentences);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < sentences.len() {
        let answers = at == opening && scene.thread.asks();
        let fits = |at: &usize| !covered.contains(at) && sentences.get(*at).is_some_and(|sentence| tells(sentence, answers));
        let end = (at..sentences.len()).take_while(fits).take(SENTENCES_MAX).last();
        if let Some(last) = end {
            found.extend(passage(scene, sentences, (at, last), at == opening));
            at = last;
        }
        at += 1;
    }
    found
}

/// Gives a lone draft that says little what it is about: the sentence before it, or the turn before.
pub fn introduce(scene: &Scene, sentences: &[Sentence], draft: &mut Draft) {
    let (Some(sentence), signals) = (sentences.get(draft.first), &draft.reading.signals) else { return };
    let lone = draft.parts.len() == 1 && matches!(draft.need, Need::Nothing) && !draft.reading.is_plain(scene);
    let weak = join::is_weak(&draft.reading) && !reading::lasts(signals);
    let answers = scene.thread.asks() && join::weight(signals) < ANSWER_MIN && !reading::lasts(signals);
    if !lone || !weak && !answers {
        return;
    }
    let before = draft.first.checked_sub(1).and_then(|at| sentences.get(at)).filter(|_| weak);
    if let Some(before) = before.filter(|before| tells(before, true) && !join::turns(&sentence.text)) {
        draft.parts = vec![before.text.clone(), sentence.text.clone()];
        (draft.first, draft.need) = (draft.first - 1, Need::Quotation);
    } else if draft.first == reply(scene, sentences) {
        let context = scene.thread.contexts(&scene.people.speaker).into_iter().next();
        if let Some(context) = context {
            (draft.parts, draft.need) = (vec![sentence.text.clone()], Need::Context(context.introduction));
        }
    }
}

/// The sentence with which a turn replies to the one before: the first that takes up a word of its question, or else the first that says
/// something.
fn reply(scene: &Scene, sentences: &[Sentence]) -> usize {
    let says = |sentence: &&Sentence| !sentence.says_nothing() && !sentence.talk;
    let taken_up = sentences.iter().position(|sentence| says(&sentence) && scene.thread.asks_about(&sentence.words));
    taken_up.or_else(|| sentences.iter().position(|sentence| says(&sentence))).unwrap_or_default()
}

/// Whether a sentence may be part of a passage. What holds for everybody is only an answer.
fn tells(sentence: &Sentence, answers: bool) -> bool {
    let general = reading::is_truism(&sentence.signals) && (sentence.signals.lack.is_none() || sentence.signals.general);
    !sentence.question && !sentence.talk && !sentence.says_nothing() && (answers || !general)
}

/// The passage from `first` to `last`, with what explains it; `None` if it says too little or nothing explains it.
fn passage(scene: &Scene, sentences: &[Sentence], (first, last): (usize, usize), opens: bool) -> Option<Draft> {
    let within = sentences.get(first..=last)?;
    let found = joined(within.iter().map(|sentence| sentence.words.as_slice()));
    let signals = signals::read(&found);
    let answers = opens && scene.thread.asks();
    let goes_on = within.first()?.text.split(' ').next().is_some_and(|word| ["But", "So", "And"].contains(&word));
    if !is_worth(&signals, &found, answers) || goes_on && !opens {
        return None;
    }
    let lacks = lacks(within, &found);
    let reading = Reading {
        kind: reading::kind(&signals, &lower(&found)),
        core: within.first()?.core.clone(),
        importance: weight::importance(&signals).max(weight::FLOOR),
        hedged: weight::hedged(&lower(&found), &signals),
        signals,
        explicit: false,
        corrects: false,
        decision: Default::default(),
    };
    let parts = |first: usize| Some(sentences.get(first..=last)?.iter().map(|sentence| sentence.text.clone()).collect());
    let draft = |first: usize, need: Need| Some(Draft { first, last, parts: parts(first)?, need, reading });
    if lacks.is_empty() && !answers {
        return draft(first, Need::Quotation);
    }
    // Its own turn explains it.
    let earlier = (last + 1).saturating_sub(SENTENCES_MAX)..first;
    let own =
        earlier.rev().take_while(|at| sentences.get(*at).is_some_and(|one| tells(one, true))).find(|at| explains_own(sentences, *at, last));
    if let Some(first) = own {
        return draft(first, Need::Quotation);
    }
    let mut contexts = scene.thread.contexts(&scene.people.speaker).into_iter();
    match contexts.find(|context| opens && context.explains(&lacks)) {
        Some(context) => draft(first, Need::Context(context.introduction)),
        None if lacks.is_empty() => draft(first, Need::Quotation),
        None => None,
    }
}

/// What the sentences of a passage lack, with these words.
fn lacks(sentences: &[Sentence], found: &[Word]) -> Vec<Lack> {
    let mut lacks = pointing::lacks(found);
    let Some(first) = sentences.first() else { return lacks };
    // What the sentence lacks as a whole: "Gives me hope". What both see is named nowhere: "I love the colours".
    let shows = begins(&lower(&first.words), "this|these is|was|are|were|one|ones");
    let whole = if shows || signals::likes_known(&first.signals) { Some(Lack::Shown) } else { first.signals.lack };
    lacks.extend(whole.filter(|lack| !lacks.contains(lack)));
    lacks
}

/// Whether the sentences from `first` to `last` can be understood alone.
fn explains_own(sentences: &[Sentence], first: usize, last: usize) -> bool {
    let within = sentences.get(first..=last).unwrap_or_default();
    lacks(within, &joined(within.iter().map(|sentence| sentence.words.as_slice()))).is_empty()
}

/// Whether a passage says enough.
fn is_worth(signals: &Signals, found: &[Word], answers: bool) -> bool {
    let passing = has_any(&lower(found), &["talk to you", "see you"]);
    let vague = has_any(&lower(found), &["something|stuff|things"]) && signals.content + signals.concrete < 5;
    let says = signals.content + signals.concrete;
    let enough = if answers { says >= 3 } else { says + signals.concrete >= 6 && signals.first_person };
    enough && signals.verb && !signals.second_person && !passing && !vague
}

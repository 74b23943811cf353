//! What no rule reads as a statement, quoted together with the words that it replies to. Both sides together name what they point to. It is
//! an episode: it says what was said.

use super::build::{Draft, Need, SENTENCES_MAX, Scene};
use super::context::Context;
use super::reading::{self, Reading, Sentence};
use super::signals::{self, Signals};
use super::thread::joined;
use super::words::{Word, lower};
use super::{passage, topical, weight};
use crate::api::MemoryKind;
use crate::capture::extract::Role;

/// The fewest topical words, names and numbers of what is quoted, and of an answer to a question.
const CONTENT_MIN: usize = 4;
const ANSWER_MIN: usize = 3;
/// The fewest topical words of a sentence that advises.
const ADVICE_MIN: usize = 3;
/// The most words of an answer to a question, and of another reply, that takes up no word of what it replies to.
const ANSWER_MAX: usize = 20;
const REMARK_MAX: usize = 8;

/// What a turn says to those before it; `None` if it says too little, replies to nothing, or points to what neither side names. `opening`
/// is the sentence that replies, `covered` are the sentences that are in other drafts.
pub fn exchange(scene: &Scene, sentences: &[Sentence], opening: usize, covered: impl Fn(usize) -> bool) -> Option<Draft> {
    if scene.turn.role != Role::Person || scene.turn.speaker.is_none() {
        return None;
    }
    let answers = scene.thread.asks();
    let advises = scene.thread.asks_advice();
    let questions = if answers { scene.thread.contexts(&scene.people.speaker) } else { Vec::new() };
    let contexts = scene.thread.exchanges(&scene.people.speaker);
    let spoken = |one: &Sentence| !one.question && (!one.says_nothing() || advises && is_advice(&one.signals));
    let fits = |at: &usize| !covered(*at) && sentences.get(*at).is_some_and(spoken);
    let mut stretches: Vec<Stretch> = (0..sentences.len()).filter_map(|first| stretch(sentences, first, fits)).collect();
    stretches.sort_by_key(|one| (usize::MAX - says(&one.signals), one.first));
    let least = if answers { ANSWER_MIN } else { CONTENT_MIN };
    let fits = |one: &Stretch| {
        let general = reading::is_truism(&one.signals);
        let particular = !general && !one.signals.general && (answers || one.signals.first_person);
        says(&one.signals) >= least && one.signals.verb && (particular || advises)
    };
    let found = stretches.into_iter().filter(fits).find_map(|one| {
        let direct = (one.first == opening || advises)
            && !scene.thread.asks_anything()
            && (advises || one.words.len() <= if answers { ANSWER_MAX } else { REMARK_MAX });
        let replies = |context: &&Context| direct || context.own || topical::shares(&context.words, &one.words);
        let explained = |first: usize| {
            let within: Vec<&Sentence> = sentences.get(first..=one.last)?.iter().collect();
            let words = joined(within.iter().map(|sentence| sentence.words.as_slice()));
            let lacks = passage::lacks(&within, &words);
            let asked = questions.iter().filter(|_| first == opening || advises);
            let context = asked.chain(&contexts).filter(replies).find(|context| context.explains(&lacks, &words, scene.names));
            match context {
                Some(context) => Some((first, Need::Context(context.introduction.clone()))),
                // Its own turn names it.
                None if first < one.first && lacks.is_empty() => Some((first, Need::Quotation)),
                None => None,
            }
        };
        let before = one.first.checked_sub(1).filter(|at| sentences.get(*at).is_some_and(|sentence| !sentence.question && !sentence.talk));
        let (first, need) = explained(one.first).or_else(|| explained(before?))?;
        Some((one, first, need))
    });
    let (Stretch { last, signals, words, .. }, first, need) = found?;
    let lowers = lower(&words);
    let reading = Reading {
        kind: MemoryKind::Episode,
        core: sentences.get(first)?.core.clone(),
        importance: weight::importance(&signals).max(weight::FLOOR),
        hedged: weight::hedged(&lowers, &signals),
        signals,
        explicit: false,
        corrects: false,
        decision: Default::default(),
    };
    let parts = sentences.get(first..=last)?.iter().map(|sentence| sentence.text.clone()).collect();
    Some(Draft { first, last, parts, need, reading })
}

/// Whether a sentence that is small talk elsewhere tells a person who asked for it what to do: "Take the old boat".
fn is_advice(signals: &Signals) -> bool {
    let courtesy =
        signals.opens(&["sorry|thanks|thank|hope|good|great|glad|wish|congrats", "you are", "i hope|wish|understand|know|see|am"]);
    let vague = signals.says(&["the same"]);
    signals.content >= ADVICE_MIN && !courtesy && !vague && (!signals.first_person || signals.concrete > 0)
}

/// Sentences in a row, and what their words say.
struct Stretch {
    first: usize,
    last: usize,
    signals: Signals,
    words: Vec<Word>,
}

/// At most three sentences from `first` on that fit.
fn stretch(sentences: &[Sentence], first: usize, fits: impl Fn(&usize) -> bool) -> Option<Stretch> {
    let last = (first..sentences.len()).take_while(fits).take(SENTENCES_MAX).last()?;
    let words = joined(sentences.get(first..=last)?.iter().map(|sentence| sentence.words.as_slice()));
    Some(Stretch { first, last, signals: signals::read(&words), words })
}

fn says(signals: &Signals) -> usize {
    signals.content + signals.concrete
}

#[cfg(test)]
mod tests {
    use super::super::extract;
    use crate::capture::extract::transcript::read;

    fn statements(transcript: &str) -> Vec<String> {
        extract(&read(transcript.as_bytes()).unwrap()).candidates.into_iter().map(|one| one.statement).collect()
    }

    #[test]
    fn what_points_to_the_turn_before_is_quoted_with_it() {
        assert_eq!(
            statements(
                "Vera: Two new engineers work at the harbour in Basel.\nIdris: Those engineers asked me to oil their gears every Friday morning."
            ),
            [
                "Vera says “Two new engineers work at the harbour in Basel.” and Idris answers: “Those engineers asked me to oil their gears every Friday morning.”"
            ]
        );
        // One sentence more names it.
        assert_eq!(
            statements(
                "Vera: I sold my old boat in Basel. The mast broke twice. It scared everybody.\nIdris: Those masts scare me whenever storms come over the bay near Bern."
            ),
            [
                "Vera sold their old boat in Basel. The mast broke twice. It scared everybody.",
                "Vera says “I sold my old boat in Basel. The mast broke twice. It scared everybody.” and Idris answers: “Those masts scare me whenever storms come over the bay near Bern.”"
            ]
        );
    }

    #[test]
    fn what_neither_side_names_is_left_out() {
        for talk in [
            "Vera: The old harbour crane moves again.\nIdris: Those engineers asked me to oil their gears every Friday morning.",
            "Vera: It sold quickly last Friday.\nIdris: Nobody painted it because of its age.",
            "Vera: Which tools did you use for the mast?\nIdris: This shows how carefully my uncle worked.",
        ] {
            let found = statements(talk);
            assert!(!found.iter().any(|one| one.contains("Idris")), "{found:?}");
        }
    }

    #[test]
    fn advice_is_quoted_with_the_question_for_it() {
        assert_eq!(
            statements("Vera: Any tips for painting a boat?\nIdris: Use thin brushes and wait until the first coat is dry."),
            ["Asked “Any tips for painting a boat?”, Idris answers: “Use thin brushes and wait until the first coat is dry.”"]
        );
        assert_eq!(statements("Vera: The harbour is full.\nIdris: Use thin brushes and wait until the first coat is dry."), [""; 0]);
    }

    #[test]
    fn what_is_shown_is_quoted_if_the_sentence_says_what_it_is() {
        assert_eq!(
            statements("Vera: I see.\nIdris: Here's a photo of my old boat near the harbour."),
            ["Idris says: “Here's a photo of my old boat near the harbour.”"]
        );
        assert_eq!(statements("Vera: I see.\nIdris: Here's a photo."), [""; 0]);
    }

    #[test]
    fn courtesies_and_notes_about_pictures_are_no_replies() {
        assert_eq!(statements("Vera: The old harbour crane moves again.\nIdris: Thanks for telling me, I hope you like it!"), [""; 0]);
        assert_eq!(statements("Vera: The old harbour crane moves again.\nIdris: [shared photo: a crane beside four old boats]"), [""; 0]);
    }
}

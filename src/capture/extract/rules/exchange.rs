//! What no rule reads as a statement, quoted together with the words that it replies to. Nobody resolved what its pronouns point to, so the
//! reader gets both sides. It is an episode: it says what was said.

use super::build::{Draft, Need, SENTENCES_MAX, Scene};
use super::reading::{self, Reading, Sentence};
use super::signals::{self, Signals};
use super::thread::joined;
use super::weight;
use super::words::{Word, lower};
use crate::api::MemoryKind;
use crate::capture::extract::Role;

/// The fewest topical words, names and numbers of what is quoted, and of an answer to a question.
const CONTENT_MIN: usize = 4;
const ANSWER_MIN: usize = 3;

/// What a turn says to those before it; `None` if it says too little, or replies to nothing. `covered` are the sentences that are in other
/// drafts.
pub fn exchange(scene: &Scene, sentences: &[Sentence], covered: impl Fn(usize) -> bool) -> Option<Draft> {
    if scene.turn.role != Role::Person || scene.turn.speaker.is_none() {
        return None;
    }
    let introduction = scene.thread.exchange(&scene.people.speaker)?;
    let stretches = (0..sentences.len()).filter_map(|first| stretch(sentences, first, &covered));
    let Stretch { first, last, signals, words } = stretches.max_by_key(|one| (says(&one.signals), usize::MAX - one.first))?;
    let answers = scene.thread.asks();
    let least = if answers { ANSWER_MIN } else { CONTENT_MIN };
    let particular = answers || signals.first_person && !reading::is_truism(&signals);
    if says(&signals) < least || !signals.verb || !particular {
        return None;
    }
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
    Some(Draft { first, last, parts, need: Need::Context(introduction), reading })
}

/// Sentences in a row, and what their words say.
struct Stretch {
    first: usize,
    last: usize,
    signals: Signals,
    words: Vec<Word>,
}

/// At most three sentences from `first` on that are no questions and no small talk.
fn stretch(sentences: &[Sentence], first: usize, covered: impl Fn(usize) -> bool) -> Option<Stretch> {
    let fits = |at: &usize| !covered(*at) && sentences.get(*at).is_some_and(|one| !one.question && !one.says_nothing());
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
                "Vera: The old harbour crane moves again.\nIdris: Those engineers asked me to oil their gears every Friday morning."
            ),
            [
                "Vera says “The old harbour crane moves again.” and Idris answers: “Those engineers asked me to oil their gears every Friday morning.”"
            ]
        );
    }

    #[test]
    fn courtesies_and_notes_about_pictures_are_no_replies() {
        assert_eq!(statements("Vera: The old harbour crane moves again.\nIdris: Thanks for telling me, I hope you like it!"), [""; 0]);
        assert_eq!(statements("Vera: The old harbour crane moves again.\nIdris: [shared photo: a crane beside four old boats]"), [""; 0]);
    }
}

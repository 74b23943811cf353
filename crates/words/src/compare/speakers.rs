//! How statements relate that are quoted with their speakers: who said something counts, and not the day on which it was said.

use super::lexicon::PERSONS;
use super::{Difference, Likeness, of_words};
use crate::minutes::Minutes;

/// Compares two quoted statements. Those of different speakers never say the same, and only in English is it known whether they are about one
/// matter: in other languages "I" may be a form of the verb.
pub fn compare(one: &Minutes<'_>, other: &Minutes<'_>) -> Likeness {
    if one == other {
        return Likeness::Same;
    }
    let (likeness, english) = of_words(one.words, other.words);
    let is_one_speaker = one.is_by(other);
    if !is_one_speaker && (!english || is_of_oneself(one.words) || is_of_oneself(other.words)) {
        return Likeness::Apart;
    }
    let replies_alike = match (&one.question, &other.question) {
        (Some(mine), Some(yours)) => of_words(mine.words, yours.words).0 == Likeness::Same,
        _ => true,
    };
    match likeness {
        Likeness::Other => Likeness::Apart,
        _ if !replies_alike => Likeness::Apart,
        // "Next Tuesday" is another day.
        Likeness::Same if one.note != other.note => Likeness::Apart,
        Likeness::Same if !is_one_speaker => Likeness::Differs(Difference::Subject),
        Likeness::Same if one.question.is_some() != other.question.is_some() => Likeness::Differs(Difference::Words),
        likeness => likeness,
    }
}

/// Compares a quoted statement with a text that nobody is quoted with.
pub fn compare_with_text(said: &Minutes<'_>, text: &str) -> Likeness {
    let names_speaker = || text.to_lowercase().contains(&said.speaker.to_lowercase());
    if is_of_oneself(said.words) && !names_speaker() {
        return Likeness::Apart;
    }
    match of_words(said.words, text).0 {
        Likeness::Same if said.question.is_some() || said.note.is_some() => Likeness::Differs(Difference::Words),
        likeness => likeness,
    }
}

/// Whether English words are about the one who says them.
fn is_of_oneself(words: &str) -> bool {
    let mut parts = words.split(|c: char| !c.is_alphanumeric());
    parts.any(|word| PERSONS[0].iter().any(|own| word.eq_ignore_ascii_case(own)))
}

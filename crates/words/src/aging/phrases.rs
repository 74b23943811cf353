//! Words and phrases in a message, without regard to case and punctuation, in twelve languages.

use crate::guard::fold::is_unspaced;
use crate::lists::lists;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

const PHRASES: &str = include_str!("phrases.txt");
/// Words before the beginning of a clause that still begin it.
#[rustfmt::skip]
const LINKS: &[&str] = &[
    "please", "and", "bitte", "und", "plaît", "et", "favor", "y", "e", "favore", "alsjeblieft", "en", "пожалуйста", "и", "فضلك", "رجاء", "و",
];
/// Most words of small talk, and most letters where nothing separates words.
const SMALL_TALK_MAX: usize = 8;
const SMALL_TALK_LETTERS: usize = 20;

static SMALL_TALK: LazyLock<HashMap<&str, HashSet<&str>>> = LazyLock::new(|| {
    let mut languages: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (language, _, list) in lists(PHRASES).filter(|(_, name, _)| *name == "small_talk") {
        languages.entry(language).or_default().extend(list.split("; "));
    }
    languages
});

/// Phrases that show one thing, in all languages.
#[derive(Default)]
pub struct Phrases {
    /// By their first word.
    spaced: HashMap<&'static str, Vec<Phrase>>,
    unspaced: Vec<&'static str>,
}

struct Phrase {
    words: Vec<&'static str>,
    /// A clause begins with it.
    clause: bool,
}

impl Phrases {
    /// The phrases of the lists with this name in `phrases.txt`.
    pub fn named(name: &str) -> Self {
        let mut phrases = Self::default();
        let all = lists(PHRASES).filter(|(_, known, _)| *known == name).flat_map(|(_, _, list)| list.split("; "));
        all.for_each(|phrase| phrases.add(phrase));
        phrases
    }

    fn add(&mut self, phrase: &'static str) {
        if phrase.contains(is_unspaced) {
            return self.unspaced.push(phrase);
        }
        let words: Vec<&str> = phrase.trim_start_matches('^').split(' ').collect();
        if let Some(first) = words.first() {
            self.spaced.entry(first).or_default().push(Phrase { words, clause: phrase.starts_with('^') });
        }
    }
}

/// The words of a text in lower case, with what belongs to a word inside it ("don't", "1,200").
pub struct Words<'a> {
    text: &'a str,
    words: Vec<(String, &'a str)>,
}

impl<'a> Words<'a> {
    pub fn of(text: &'a str) -> Self {
        let words = text.split_whitespace().map(|word| (bare(word), word)).filter(|(word, _)| !word.is_empty()).collect();
        Self { text, words }
    }

    /// The words as they are written, if they are nothing but small talk of one language.
    pub fn small_talk(&self) -> Option<String> {
        let spaced = (1..=SMALL_TALK_MAX).contains(&self.words.len())
            && SMALL_TALK.values().any(|list| self.words.iter().all(|(word, _)| list.contains(word.as_str())));
        (spaced || ["zh", "ja"].iter().any(|language| self.is_unspaced_small_talk(language))).then(|| self.slice(0, self.words.len()))
    }

    fn is_unspaced_small_talk(&self, language: &str) -> bool {
        let letters: String = self.text.chars().filter(|c| c.is_alphanumeric()).take(SMALL_TALK_LETTERS + 1).collect();
        let mut rest = letters.as_str();
        let longest = |rest: &str| {
            let fits = SMALL_TALK.get(language)?.iter().filter(|word| rest.starts_with(**word));
            fits.map(|word| word.len()).max()
        };
        while let Some(after) = longest(rest).and_then(|length| rest.get(length..)) {
            rest = after;
        }
        rest.is_empty() && (1..=SMALL_TALK_LETTERS).contains(&letters.chars().count())
    }

    /// The first phrase that occurs in the text, as it is written there. `fits` sees the words before it, nearest last.
    pub fn phrase(&self, phrases: &Phrases, fits: impl Fn(&[(String, &'a str)]) -> bool) -> Option<String> {
        let spaced = || {
            (0..self.words.len()).find_map(|at| {
                let end = phrases.spaced.get(self.words[at].0.as_str())?.iter().find_map(|phrase| self.ends(at, phrase))?;
                fits(&self.words[..at]).then(|| self.slice(at, end))
            })
        };
        let unspaced = || phrases.unspaced.iter().find(|phrase| self.text.contains(**phrase)).map(|phrase| (*phrase).to_owned());
        spaced().or_else(unspaced)
    }

    /// The first word that passes, with the one after it, as they are written.
    pub fn pair(&self, test: impl Fn(&str, &str) -> bool) -> Option<String> {
        let next = |at: usize| self.words.get(at + 1).map_or("", |(word, _)| word.as_str());
        let at = (0..self.words.len()).find(|at| test(self.words[*at].1, next(*at)))?;
        Some(self.slice(at, (at + 2).min(self.words.len())))
    }

    /// Where a phrase ends that begins at `at`.
    fn ends(&self, at: usize, phrase: &Phrase) -> Option<usize> {
        let end = at + phrase.words.len();
        let same = self.words.get(at..end)?.iter().zip(&phrase.words).all(|((word, _), known)| word == known);
        (same && (!phrase.clause || self.begins(at))).then_some(end)
    }

    /// Whether a clause begins with a word.
    fn begins(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|at| self.words.get(at));
        before.is_none_or(|(word, written)| {
            LINKS.contains(&word.as_str()) || written.ends_with(['.', ',', ':', ';', '!', '?', '-', '،', '؟'])
        })
    }

    fn slice(&self, from: usize, to: usize) -> String {
        self.words[from..to].iter().map(|(_, written)| *written).collect::<Vec<_>>().join(" ")
    }
}

/// A word without the punctuation around it, in lower case, with plain apostrophes.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_language_has_every_list() {
        let known: BTreeSet<(&str, &str)> = lists(PHRASES).map(|(language, name, _)| (language, name)).collect();
        let languages: BTreeSet<&str> = known.iter().map(|(language, _)| *language).collect();
        let names: BTreeSet<&str> = known.iter().map(|(_, name)| *name).collect();
        assert_eq!(names, BTreeSet::from(["action", "approval", "decision", "error", "explicit", "small_talk"]));
        assert_eq!((languages.len(), known.len()), (12, 12 * 6));
    }
}

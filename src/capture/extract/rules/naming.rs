//! Which word stands for the speaker of a sentence: the name, or "they" where nobody else can be meant.

use super::nouns::{is_group, is_person, is_plural};
use super::words::{I_WORDS, Word};

/// Pronouns of other people.
const OTHERS: &[&str] = &["they", "they're", "they've", "them", "their", "he", "she", "his", "her", "him", "who"];
/// Words before a name of a place.
const BEFORE_PLACES: &[&str] = &["in", "to", "at", "from", "near", "around", "of"];

/// The speaker in one sentence, and the words that have named them so far.
#[derive(Debug)]
pub struct Naming<'a> {
    name: &'a str,
    found: &'a [Word],
    /// The index of the last word that meant the speaker alone.
    single: Option<usize>,
    /// Whether that word was a possessive: "my job".
    owner: bool,
    /// The index of the last word that meant the speaker and others.
    group: Option<usize>,
}

impl<'a> Naming<'a> {
    pub fn new(name: &'a str, found: &'a [Word]) -> Self {
        Self { name, found, single: None, owner: false, group: None }
    }

    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The possessive of the name: "Vera's".
    pub fn possessive(&self) -> String {
        format!("{}'s", self.name)
    }

    /// Whether "they" at `at` means the speaker alone: named before in the sentence, no other people in it, and no things since.
    pub fn is_clear(&self, at: usize) -> bool {
        let people = (0..at).filter_map(|at| self.found.get(at)).any(|word| is_crowd(&word.lower));
        self.group.is_none() && !people && self.single.is_some_and(|single| self.is_free(single, at))
    }

    /// The word at `at` means the speaker alone.
    pub fn mention(&mut self, at: usize) {
        (self.single, self.owner) = (Some(at), false);
    }

    /// The word at `at` means the speaker and others, as the words before it say.
    pub fn join(&mut self, at: usize) {
        self.group = Some(at);
    }

    /// "My" at `at`.
    pub fn my(&mut self, at: usize) -> String {
        let own = self.found.get(at + 1).is_some_and(|next| next.lower == "own") && self.single.is_some() && self.group.is_none();
        let pronoun = own || self.is_clear(at) || self.precedes_subject(at);
        if pronoun && !own && self.single.is_none() {
            return "their".into();
        }
        let owner = self.owner || self.single.is_none();
        self.mention(at);
        self.owner = owner;
        if pronoun { "their".into() } else { self.possessive() }
    }

    /// "Me" at `at`.
    pub fn me(&mut self, at: usize) -> String {
        let clear = self.is_clear(at) && !self.owner;
        self.mention(at);
        if clear { "them".into() } else { self.name.to_owned() }
    }

    /// "We" (`object`: "us") at `at`.
    pub fn we(&mut self, at: usize, object: bool) -> String {
        let company = self.single.is_some_and(|single| !self.is_free(single, at));
        let known = self.group.is_some() || company;
        self.join(at);
        match (known, object) {
            (true, false) => "they".into(),
            (true, true) => "them".into(),
            _ => format!("{} and others", self.name),
        }
    }

    /// "Our" at `at`: what a group owns, its member owns. `None` after "I": who the others are is not known.
    pub fn our(&mut self, at: usize) -> Option<String> {
        let company = self.group.is_some() || self.owner && self.single.is_some_and(|single| self.is_free(single, at));
        if company {
            return Some("their".into());
        }
        // "Our work lets us understand each other": whose?
        let next = self.found.get(at + 1).map(|word| word.lower.as_str()).unwrap_or_default();
        let team = is_group(next) || is_person(next);
        let shared = |word: &Word| matches!(word.lower.as_str(), "us" | "we" | "we're" | "we've");
        if self.single.is_some() && !self.owner || !team && self.found.iter().skip(at + 1).any(shared) {
            return None;
        }
        self.single.get_or_insert(at);
        Some(self.possessive())
    }

    /// Whether "my" at `at` is part of an opening like "After finishing my book, I …", which the subject follows.
    fn precedes_subject(&self, at: usize) -> bool {
        let lower = |at: usize| self.found.get(at).map(|word| word.lower.as_str()).unwrap_or_default();
        let opens = matches!(lower(0), "after" | "before" | "while" | "by" | "when" | "since" | "besides") && lower(1).ends_with("ing");
        opens && self.single.is_none() && self.found.iter().skip(at).any(|word| matches!(word.lower.as_str(), "i" | "i'm" | "i've"))
    }

    /// Whether no word between `from` and `to` can be meant by "they".
    fn is_free(&self, from: usize, to: usize) -> bool {
        !(from + 1..to).any(|at| self.is_other(at))
    }

    fn is_other(&self, at: usize) -> bool {
        let Some(word) = self.found.get(at) else { return false };
        let lower = word.lower.as_str();
        let place = || at.checked_sub(1).and_then(|at| self.found.get(at)).is_some_and(|word| BEFORE_PLACES.contains(&word.lower.as_str()));
        let named = word.capital && !I_WORDS.contains(&lower) && !place();
        named || is_plural(lower) || is_group(lower) || is_person(lower) || OTHERS.contains(&lower)
    }
}

/// Several people, or words for them.
fn is_crowd(word: &str) -> bool {
    is_group(word) || is_person(word) && is_plural(word) || matches!(word, "they" | "they're" | "they've" | "them" | "their" | "who")
}

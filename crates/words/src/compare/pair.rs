//! What differs in the words of two statements.

use super::Difference;
use super::lexicon::{CALENDAR, NEGATIONS, OPPOSITES, PASSIVE, PAST, PERSONS, PREPOSITIONS};
use super::statement::{Kind, Token, is_duty};
use crate::steps;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The least share of words in common for two statements about one matter.
const COMMON_MIN: f64 = 0.5;
/// Most words that either of two statements about one matter has for itself.
const OWN_MAX: usize = 4;

/// The words of a statement, without articles.
pub fn plain(tokens: &[Token]) -> impl Iterator<Item = &str> {
    tokens.iter().inspect(|_| steps::looked_at(1)).filter(|token| !token.article).map(|token| token.stem.as_str())
}

/// Two statements, and whether they are read as English.
pub struct Pair<'a> {
    pub one: &'a [Token],
    pub other: &'a [Token],
    pub english: bool,
}

impl<'a> Pair<'a> {
    /// The tokens that each statement has for itself, links of English included.
    pub fn own(&self) -> (Vec<&'a Token>, Vec<&'a Token>) {
        let mut counts: BTreeMap<(Kind, &str), i64> = BTreeMap::new();
        let key = |token: &'a Token| (merged(token.kind), token.stem.as_str());
        for token in counted(self.one) {
            *counts.entry(key(token)).or_default() += 1;
        }
        for token in counted(self.other) {
            *counts.entry(key(token)).or_default() -= 1;
        }
        let mut take = |tokens: &'a [Token], sign: i64| {
            let mut own = Vec::new();
            for token in counted(tokens) {
                let count = counts.entry(key(token)).or_default();
                if *count * sign > 0 {
                    *count -= sign;
                    own.push(token);
                }
            }
            own
        };
        (take(self.one, 1), take(self.other, -1))
    }

    /// What differs, if anything does besides the order.
    pub fn difference(&self, mine: &[&'a Token], yours: &[&'a Token]) -> Option<Difference> {
        if negated(self.one) != negated(self.other) {
            return Some(Difference::Negation);
        }
        if contrary(mine, yours) {
            return Some(Difference::Opposite);
        }
        let values = || mine.iter().chain(yours).filter(|token| !token.link);
        let any = |test: &dyn Fn(&Token) -> bool| values().any(|token| test(token));
        let of_kind = |kind: Kind| any(&|token| token.kind == kind);
        let found = [
            (of_kind(Kind::Identifier), Difference::Identifier),
            (any(&in_calendar), Difference::Date),
            (of_kind(Kind::Number), Difference::Number),
            (any(&|token| token.after_number), Difference::Unit),
            (of_kind(Kind::Symbol), Difference::Symbol),
            (any(&|token| token.is_named()), Difference::Name),
            (any(&|token| token.capital), Difference::Subject),
            (values().next().is_some(), Difference::Words),
            (self.english && tense(self.one) != tense(self.other), Difference::Time),
            (self.english && has(self.one, &["being"]) != has(self.other, &["being"]), Difference::Time),
            (self.english && (duty(self.one) != duty(self.other) || self.other_verb() || self.one_and_many()), Difference::Words),
            (self.english && self.other_persons(), Difference::Subject),
            (self.english && self.other_prepositions(mine, yours), Difference::Words),
            (!self.same_case(), Difference::Words),
        ];
        found.into_iter().find(|(is, _)| *is).map(|(_, difference)| difference)
    }

    /// Whether one is something and the other has or gets it.
    fn other_verb(&self) -> bool {
        let (one, other) = (verbs(self.one), verbs(self.other));
        !one.is_empty() && !other.is_empty() && one != other
    }

    /// Whether one has a thing and the other has several: "a dog", "dogs".
    fn one_and_many(&self) -> bool {
        let many = |single: &'a [Token], several: &'a [Token]| {
            let is_one = |place: &usize| single[place - 1].article && single[place - 1].text != "the";
            // In "a wool allergy" it is part of a name.
            let ends = |place: &usize| single.get(place + 1).is_none_or(|next| next.light || next.link || next.kind == Kind::Symbol);
            let singles = (1..single.len()).filter(|place| is_one(place) && ends(place)).map(|place| single[place].text.as_str());
            let mut plurals = singles.flat_map(|word| match word {
                "child" => ["children".to_owned(), "kids".to_owned()],
                word => [format!("{word}s"), format!("{word}es")],
            });
            let (mine, yours) = (texts(single), texts(several));
            plurals.any(|plural| yours.contains(plural.as_str()) && !mine.contains(plural.as_str()))
        };
        many(self.one, self.other) || many(self.other, self.one)
    }

    /// Whether they speak of other persons. Where a name stands for "he", only one of them has the word.
    fn other_persons(&self) -> bool {
        let (one, other) = (persons(self.one), persons(self.other));
        let split = |persons: &[(usize, &'a str)]| -> (BTreeSet<usize>, BTreeSet<usize>) {
            persons.iter().map(|(person, _)| *person).partition(|person| *person == 0 || *person == 2)
        };
        let ((mine, third), (yours, other_third)) = (split(&one), split(&other));
        let same_order = content(self.one).eq(content(self.other));
        let words = |persons: &[(usize, &'a str)]| {
            let mut words: Vec<&str> = persons.iter().map(|(_, word)| *word).collect();
            if !same_order {
                words.sort_unstable();
            }
            words
        };
        let several = mine.len() + third.len() > 1 && yours.len() + other_third.len() > 1;
        mine != yours || !third.is_empty() && !other_third.is_empty() && third != other_third || several && words(&one) != words(&other)
    }

    /// Whether things relate otherwise: "works for", "works with"; "reports to Vera", "reports Vera".
    fn other_prepositions(&self, mine: &[&'a Token], yours: &[&'a Token]) -> bool {
        let tells = |token: &&&'a Token| token.link && PREPOSITIONS.contains(&token.text.as_str()) && token.text != "by";
        let (one, other): (Vec<_>, Vec<_>) = (mine.iter().filter(tells).collect(), yours.iter().filter(tells).collect());
        if !one.is_empty() && !other.is_empty() {
            return true;
        }
        let same_order = content(self.one).eq(content(self.other));
        same_order && (weighs(self.one, &one) || weighs(self.other, &other))
    }

    /// Whether the words that both have are written alike, but at the beginning of a sentence: "Polish" is not "polish", nor "GB" "Gb". In a
    /// text without capitals a first letter says nothing.
    fn same_case(&self) -> bool {
        let first: HashSet<&str> = self.one.iter().chain(self.other).filter(|token| token.first).map(|token| token.text.as_str()).collect();
        let small = |tokens: &[Token]| !tokens.iter().any(|token| token.spelling.contains(char::is_uppercase));
        let any_small = small(self.one) || small(self.other);
        let (mine, yours) = (texts(self.one), texts(self.other));
        let spellings = |tokens: &'a [Token]| -> BTreeSet<String> {
            let counts = |token: &&Token| {
                !first.contains(token.text.as_str()) && mine.contains(token.text.as_str()) && yours.contains(token.text.as_str())
            };
            tokens
                .iter()
                .filter(counts)
                .map(|token| if any_small { decapitalised(&token.spelling) } else { token.spelling.clone() })
                .collect()
        };
        spellings(self.one) == spellings(self.other)
    }

    /// Whether both are about one matter: they have most words in common, or differ in nothing but values.
    pub fn one_matter(&self, mine: &[&Token], yours: &[&Token]) -> bool {
        let (a, b) = (content(self.one).count(), content(self.other).count());
        let own = |tokens: &[&Token]| tokens.iter().filter(|token| !token.link).count();
        let (my, your) = (own(mine), own(yours));
        let common = a.saturating_sub(my).min(b.saturating_sub(your));
        let value = |token: &Token| token.kind != Kind::Word || token.is_named() || in_calendar(token);
        let words = |tokens: &[&Token]| tokens.iter().filter(|token| !token.link && !value(token)).count();
        let alike = common as f64 >= COMMON_MIN * a.min(b) as f64 && words(mine) <= OWN_MAX && words(yours) <= OWN_MAX;
        let only_in_values = words(mine) == 0 && words(yours) == 0;
        // An emoji, or a word in a script without spaces, may be all that there is.
        (common > 0 && (alike || only_in_values)) || (common == 0 && a.max(b) <= 2 && my == your && only_in_values)
    }
}

/// The tokens that count: without those that never change what a statement says.
fn counted(tokens: &[Token]) -> impl Iterator<Item = &Token> {
    tokens.iter().inspect(|_| steps::looked_at(1)).filter(|token| !token.light)
}

/// The stems of the words that say something.
fn content(tokens: &[Token]) -> impl Iterator<Item = &str> {
    counted(tokens).filter(|token| !token.link).map(|token| token.stem.as_str())
}

fn texts(tokens: &[Token]) -> HashSet<&str> {
    tokens.iter().inspect(|_| steps::looked_at(1)).map(|token| token.text.as_str()).collect()
}

/// Whether one of the prepositions `own` says how a word relates that is no date.
fn weighs(tokens: &[Token], own: &[&&Token]) -> bool {
    let own: HashSet<*const Token> = own.iter().map(|token| std::ptr::from_ref(**token)).collect();
    let decided = |place: usize| place > 0 && tokens[place - 1].text.starts_with("decid");
    // Backwards, so that the word that follows is known without a search.
    let mut word_follows = false;
    for (place, token) in tokens.iter().enumerate().rev() {
        steps::looked_at(1);
        if word_follows && token.text != "of" && own.contains(&std::ptr::from_ref(token)) && !decided(place) {
            return true;
        }
        if !token.light && !token.link {
            word_follows = token.kind == Kind::Word && !in_calendar(token);
        }
    }
    false
}

fn decapitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

pub fn has(tokens: &[Token], words: &[&str]) -> bool {
    tokens.iter().inspect(|_| steps::looked_at(1)).any(|token| words.contains(&token.text.as_str()))
}

/// A day, a month or another word of the calendar.
pub fn in_calendar(token: &Token) -> bool {
    steps::looked_at(1);
    CALENDAR.contains(&token.text.as_str()) || CALENDAR.contains(&token.text.trim_end_matches('s'))
}

/// Identifiers and numbers are one when they are looked up: `db-2` and `db 2`.
fn merged(kind: Kind) -> Kind {
    if kind == Kind::Identifier { Kind::Number } else { kind }
}

/// Whether an odd number of words denies or limits a statement.
fn negated(tokens: &[Token]) -> bool {
    tokens.iter().filter(|token| token.kind == Kind::Word && NEGATIONS.contains(&token.text.as_str())).count() % 2 == 1
}

/// Whether one side has a word and the other its contrary.
fn contrary(mine: &[&Token], yours: &[&Token]) -> bool {
    let words = |tokens: &[&Token]| -> HashSet<String> { tokens.iter().map(|token| token.text.clone()).collect() };
    let (mine, yours) = (words(mine), words(yours));
    OPPOSITES.iter().any(|(a, b)| mine.contains(*a) && yours.contains(*b) || mine.contains(*b) && yours.contains(*a))
}

#[derive(PartialEq)]
enum Tense {
    Past,
    Present,
    Future,
}

fn tense(tokens: &[Token]) -> Tense {
    if has(tokens, &["will", "shall", "going"]) {
        return Tense::Future;
    }
    let past = |(place, token): (usize, &Token)| {
        let passive = place.checked_sub(1).is_some_and(|before| PASSIVE.contains(&tokens[before].text.as_str()));
        let form = token.text.len() > 4 && token.text.ends_with("ed") || PAST.contains(&token.text.as_str());
        token.kind == Kind::Word && form && !passive && !token.is_named()
    };
    if has(tokens, &["did", "had", "been"]) || tokens.iter().enumerate().any(past) { Tense::Past } else { Tense::Present }
}

/// What a statement says must, should or would be.
fn duty(tokens: &[Token]) -> BTreeSet<&'static str> {
    let of = |place: usize| match tokens[place].text.as_str() {
        "must" | "shall" => Some("must"),
        "should" | "ought" => Some("should"),
        "would" => Some("would"),
        word if is_duty(word) && tokens.get(place + 1).is_some_and(|next| next.text == "to") => Some("must"),
        _ => None,
    };
    (0..tokens.len()).filter_map(of).collect()
}

/// The verbs before an article: "is a dentist", "has a dentist".
fn verbs(tokens: &[Token]) -> BTreeSet<&'static str> {
    let has = tokens.iter().position(|token| matches!(token.text.as_str(), "have" | "has" | "had"));
    steps::looked_at(tokens.len());
    let of = |place: usize| match tokens[place].text.as_str() {
        _ if !tokens[place + 1].article => None,
        "am" | "is" | "are" | "was" | "were" | "be" | "been" => Some("be"),
        "has" | "have" | "had" | "own" | "owns" => Some("have"),
        "got" if has.is_some_and(|has| has < place) => Some("have"),
        "get" | "gets" | "got" => Some("get"),
        "do" | "does" | "did" => Some("do"),
        _ => None,
    };
    (1..tokens.len()).filter_map(|place| of(place - 1)).collect()
}

/// The persons that its small words name, by their place in [`PERSONS`].
fn persons(tokens: &[Token]) -> Vec<(usize, &str)> {
    let of = |token: &Token| PERSONS.iter().position(|words| token.link && words.contains(&token.text.as_str()));
    tokens.iter().filter_map(|token| Some((of(token)?, token.text.as_str()))).collect()
}

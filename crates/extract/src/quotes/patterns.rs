//! The patterns of `patterns.txt`: which words show that a sentence is worth keeping, in twelve languages.

use super::word::{Word, words};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use words::steps;

/// What a pattern shows. `patterns.txt` says what each is, by these names in lower case.
#[rustfmt::skip]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    First, Points, Reply, Filler, If, Hedge, Courtesy, Order, Wish, Remember, Prefer, Fact, Project, Decide, Resolve, Because, Instead, Meant,
    Actually, Lasting, None, Calendar, When,
}

impl Sort {
    /// Whether it proposes a sentence to a person.
    pub fn is_kept(self) -> bool {
        matches!(self, Self::Remember | Self::Wish | Self::Prefer | Self::Fact | Self::Project | Self::Decide | Self::Resolve)
    }

    fn named(name: &str) -> Option<Self> {
        serde_json::from_value(name.into()).ok()
    }
}

/// A place where a pattern matches: words `from` to `to`, without the one at `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    pub sort: Sort,
    pub from: usize,
    pub to: usize,
}

enum Part {
    Any(Vec<String>),
    Number,
    Gap(usize),
}

struct Pattern {
    sort: Sort,
    language: usize,
    /// It begins its sentence.
    opens: bool,
    /// A colon follows it.
    colon: bool,
    parts: Vec<Part>,
}

/// The lists of words that patterns name, such as `<own>`.
const CLASSES: [&str; 6] = ["own", "ill", "job", "praise", "do", "calendar"];
type Classes<'a> = HashMap<&'a str, Vec<String>>;

/// All patterns, and the words that are no patterns.
#[derive(Default)]
pub struct Patterns {
    patterns: Vec<Pattern>,
    /// Those that may begin with a word.
    by_word: HashMap<String, Vec<usize>>,
    /// By language: whether blanks separate its words, and it has a list of small ones.
    spaced: Vec<bool>,
    /// By language.
    vague: Vec<HashSet<String>>,
    /// Of all languages, with the languages of each.
    stop: HashMap<String, Vec<usize>>,
    /// Of all languages: words that say nothing of what is to be remembered.
    idle: HashSet<String>,
    /// Of all languages: the words of patterns that ask to remember something.
    remember: HashSet<String>,
}

pub static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::parse(include_str!("patterns.txt")));

impl Patterns {
    fn parse(file: &str) -> Self {
        let mut all = Self::default();
        // What stands before the first language tells a person how the file is read.
        for block in file.split("\n[").skip(1) {
            let lists: Vec<(&str, &str)> = block.lines().filter_map(|line| line.split_once(": ")).collect();
            let single = |list: &str| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let classes: Classes =
                lists.iter().filter(|(name, _)| CLASSES.contains(name)).map(|(name, list)| (*name, single(list))).collect();
            let of_name = |wanted: &'static str| lists.iter().filter(move |(name, _)| *name == wanted).flat_map(|(_, list)| single(list));
            all.vague.push(of_name("vague").collect());
            all.spaced.push(lists.iter().any(|(name, _)| *name == "stop"));
            for word in of_name("stop") {
                all.stop.entry(word).or_default().push(all.vague.len() - 1);
            }
            all.idle.extend(of_name("idle"));
            for (name, list) in &lists {
                all.add(name, list, &classes);
            }
        }
        all
    }

    fn add(&mut self, name: &str, list: &str, classes: &Classes) {
        let Some(sort) = Sort::named(name) else { return };
        // These lists are words and not phrases.
        let by_blank = matches!(sort, Sort::First | Sort::Points | Sort::Reply | Sort::Filler | Sort::If | Sort::Calendar);
        let separator = |c: char| if by_blank { c.is_whitespace() } else { c == ';' };
        for phrase in list.split(separator).map(str::trim).filter(|phrase| !phrase.is_empty()) {
            let opens = phrase.starts_with('^');
            let colon = phrase.ends_with(':');
            let parts: Vec<Part> = phrase.trim_matches(['^', ':']).split_whitespace().flat_map(|item| parts(item, classes)).collect();
            let Some(Part::Any(first)) = parts.first() else { continue };
            if sort == Sort::Remember {
                for part in &parts {
                    if let Part::Any(list) = part {
                        self.remember.extend(list.iter().cloned());
                    }
                }
            }
            for word in first {
                self.by_word.entry(word.clone()).or_default().push(self.patterns.len());
            }
            self.patterns.push(Pattern { sort, language: self.vague.len().saturating_sub(1), opens, colon, parts });
        }
    }

    /// Whether a word, in lower case, is no topic.
    pub fn is_stop(&self, word: &str) -> bool {
        self.stop.contains_key(word)
    }

    /// Whether a sentence asks to remember something and does not say what: "Please keep that in mind." `found` is what matches in it.
    pub fn only_asks_to_remember(&self, words: &[Word], found: &[Match]) -> bool {
        let asked = || found.iter().filter(|one| one.sort == Sort::Remember);
        let asks = |at: usize, word: &Word| self.remember.contains(&word.lower) && asked().any(|one| (one.from..one.to).contains(&at));
        let is_plain = |sort: Sort| matches!(sort, Sort::Filler | Sort::Points | Sort::Reply | Sort::Courtesy);
        let plain = |at: usize| found.iter().any(|one| is_plain(one.sort) && (one.from..one.to).contains(&at));
        let idle = |word: &Word| self.is_stop(&word.lower) || self.idle.contains(&word.lower);
        let says = |(at, word): (usize, &Word)| !(idle(word) || plain(at) || asks(at, word));
        asked().next().is_some() && !words.iter().enumerate().any(says)
    }

    /// Every match in the words of a sentence that is nobody else's words, in their order.
    pub fn find(&self, text: &str, words: &[Word]) -> Vec<Match> {
        let languages = self.languages(words);
        let (mut found, mut opening): (Vec<Match>, usize) = (Vec::new(), 0);
        for (from, word) in words.iter().enumerate() {
            steps::looked_at(1);
            // "Vera, remember that …": a statement may begin after an address.
            let opens = from <= opening || (from <= ADDRESS_MAX && word.fresh);
            let is_claim = opens || self.claims(words, from, opening);
            let (mut here, mut is_none) = (Vec::new(), false);
            for pattern in self.by_word.get(&word.lower).into_iter().flatten().filter_map(|at| self.patterns.get(*at)) {
                let is_spoken = languages.get(pattern.language).is_some_and(|is| *is);
                let needs_claim = matches!(pattern.sort, Sort::Prefer | Sort::Fact) && self.is_spaced(pattern.language);
                if !is_spoken || pattern.opens && !opens || needs_claim && !is_claim {
                    continue;
                }
                let Some(to) = self.end(&pattern.parts, words, from, pattern.language) else { continue };
                if pattern.sort == Sort::None {
                    is_none = true;
                } else if self.holds(pattern, text, words, from..to) {
                    here.push(Match { sort: pattern.sort, from, to });
                    if pattern.sort == Sort::Filler && from <= opening {
                        opening = opening.max(to);
                    }
                }
            }
            found.extend(here.into_iter().filter(|one| !is_none || !one.sort.is_kept()));
        }
        found
    }

    /// Which languages the words may be of: those that have at least half as many of their small words as any other.
    fn languages(&self, words: &[Word]) -> Vec<bool> {
        let mut counts = vec![0_usize; self.vague.len()];
        for language in words.iter().filter_map(|word| self.stop.get(&word.lower)).flatten() {
            if let Some(count) = counts.get_mut(*language) {
                *count += 1;
            }
        }
        let most = counts.iter().copied().max().unwrap_or_default();
        counts.iter().zip(&self.spaced).map(|(count, spaced)| !spaced || count * 2 >= most).collect()
    }

    /// Whether the words from `from` on are what a sentence claims: few words stand before them since it or a clause of it began, and none of
    /// these points to anything. "That is why I love it" claims no preference.
    fn claims(&self, words: &[Word], from: usize, opening: usize) -> bool {
        let begins = |at: &usize| *at <= opening || words.get(*at).is_some_and(|word| word.fresh);
        let start = (from.saturating_sub(CLAIM_MAX)..=from).rev().find(begins);
        let points = |word: &Word| self.vague.iter().any(|vague| vague.contains(&word.lower));
        start.is_some_and(|start| !words.get(start..from).unwrap_or_default().iter().any(points))
    }

    /// Where a pattern ends that matches at `at`.
    fn end(&self, parts: &[Part], words: &[Word], at: usize, language: usize) -> Option<usize> {
        steps::looked_at(1);
        let Some((part, rest)) = parts.split_first() else { return Some(at) };
        let next = words.get(at);
        match part {
            Part::Any(list) => next.filter(|word| list.contains(&word.lower)).and_then(|_| self.end(rest, words, at + 1, language)),
            Part::Number => next.filter(|word| word.is_number()).and_then(|_| self.end(rest, words, at + 1, language)),
            Part::Gap(most) => {
                let empty = |to: usize| to == at || words.get(to - 1).is_some_and(|word| !word.first && !self.is_vague(word, language));
                (at..=at + most).take_while(|to| empty(*to)).find_map(|to| self.end(rest, words, to, language))
            }
        }
    }

    /// Whether a pattern that matches some words says what it shows.
    fn holds(&self, pattern: &Pattern, text: &str, words: &[Word], place: std::ops::Range<usize>) -> bool {
        let after = || place.end.checked_sub(1).and_then(|last| text.get(words.get(last)?.end..)).unwrap_or_default();
        let quoted = words.get(place.clone()).unwrap_or_default().iter().any(|word| word.quoted);
        let colon = !pattern.colon || after().trim_start().starts_with([':', '：']);
        // "I love that!" says nothing.
        let telling = !matches!(pattern.sort, Sort::Prefer | Sort::Fact)
            || words.get(place.end).is_none_or(|next| next.fresh || !self.is_vague(next, pattern.language));
        !quoted && colon && telling
    }

    fn is_spaced(&self, language: usize) -> bool {
        self.spaced.get(language).is_some_and(|spaced| *spaced)
    }

    fn is_vague(&self, word: &Word, language: usize) -> bool {
        self.vague.get(language).is_some_and(|vague| vague.contains(&word.lower))
    }
}

/// The most words of an address before a statement.
const ADDRESS_MAX: usize = 2;
/// The most words before what a sentence claims.
const CLAIM_MAX: usize = 6;

/// What an item of a pattern stands for.
fn parts(item: &str, classes: &Classes) -> Vec<Part> {
    let lower = |text: &str| words(text).into_iter().map(|word| word.lower).collect::<Vec<_>>();
    match item {
        "#" => vec![Part::Number],
        _ if item.starts_with('<') => vec![Part::Any(classes.get(item.trim_matches(['<', '>'])).cloned().unwrap_or_default())],
        _ if item.starts_with("..") => vec![Part::Gap(item.trim_start_matches('.').parse().unwrap_or(1))],
        _ if item.contains('|') => vec![Part::Any(lower(item))],
        _ => lower(item).into_iter().map(|word| Part::Any(vec![word])).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorts(text: &str) -> Vec<Sort> {
        PATTERNS.find(text, &words(text)).into_iter().map(|found| found.sort).collect()
    }

    #[test]
    fn the_file_is_read_as_a_whole() {
        let file = include_str!("patterns.txt");
        let mut languages = Vec::new();
        for line in file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.strip_prefix('[') {
                Some(code) => languages.push(code.trim_end_matches(']')),
                None => {
                    let (name, list) = line.split_once(": ").unwrap();
                    let other = CLASSES.contains(&name) || ["vague", "idle", "stop"].contains(&name);
                    assert!(other || Sort::named(name).is_some(), "{line}");
                    assert!(!list.split(';').any(|phrase| phrase.trim().is_empty()), "{line}");
                    for item in list.split([' ', ';']).filter(|item| item.contains('|')) {
                        let alternatives = item.trim_matches(['^', ':']);
                        assert_eq!(words(alternatives).len(), alternatives.split('|').count(), "one word each: {item}");
                    }
                }
            }
        }
        assert_eq!(languages, ["en", "de", "fr", "es", "pt", "it", "nl", "ru", "ar", "hi", "zh", "ja"]);
        assert_eq!(PATTERNS.vague.len(), languages.len());
        assert!(PATTERNS.patterns.len() > 1000, "{}", PATTERNS.patterns.len());
    }

    #[test]
    fn gaps_alternatives_numbers_and_places() {
        assert!(sorts("My sister Lena works in Zurich").contains(&Sort::Fact));
        assert!(sorts("I'm 34").contains(&Sort::Fact) && sorts("I've two sons").contains(&Sort::Fact));
        assert!(sorts("Wir haben uns gestern für Postgres entschieden").contains(&Sort::Decide));
        assert!(!sorts("Wir haben uns noch nicht entschieden").contains(&Sort::Decide));
        assert!(sorts("Decision: deploy on Monday").contains(&Sort::Decide) && !sorts("Decision time is near").contains(&Sort::Decide));
        assert!(sorts("Vera, remember that it rains").contains(&Sort::Remember));
        assert!(sorts("Well, actually the boat is blue").contains(&Sort::Actually));
        assert!(!sorts("It was never actually blue").contains(&Sort::Actually));
    }

    #[test]
    fn what_only_looks_like_a_statement_is_none() {
        assert!(!sorts("I love that!").contains(&Sort::Prefer));
        assert!(!sorts("Mina said “I hate tea”").contains(&Sort::Prefer));
        let german = sorts("Im Büro ist es warm");
        assert!(!german.contains(&Sort::Fact) && !german.contains(&Sort::First), "{german:?}");
    }

    #[test]
    fn the_search_is_linear() {
        for piece in ["my ", "wir haben ", "i am not ", "我在", "мне ", "ich bin a b c "] {
            steps::assert_linear(piece, |text| {
                PATTERNS.find(text, &words(text));
            });
        }
    }
}

//! Whether the same English words say the same in two orders. Only orders that surely do count; every other one is another statement.

use super::lexicon::{ARTICLES, COPULAS, NEGATIONS, OPENERS, PASSIVE, PAST, PREPOSITIONS, RELATIVES};
use super::pair::{self, in_calendar};
use super::statement::{Kind, Token};
use crate::steps;

/// Longest phrase, in words, that may stand at the beginning or at the end.
const PHRASE: usize = 4;

/// A statement, and the places of the words that say something.
struct Line<'a> {
    tokens: &'a [Token],
    places: Vec<usize>,
}

impl<'a> Line<'a> {
    fn new(tokens: &'a [Token]) -> Self {
        Self { tokens, places: (0..tokens.len()).filter(|place| !tokens[*place].light && !tokens[*place].link).collect() }
    }

    fn len(&self) -> usize {
        self.places.len()
    }

    fn word(&self, at: usize) -> &'a Token {
        steps::looked_at(1);
        &self.tokens[self.places[at]]
    }

    fn stems(&self) -> Vec<&'a str> {
        (0..self.len()).map(|at| self.word(at).stem.as_str()).collect()
    }

    /// The small words before the word `at`; after the last one, if `at` is their number.
    fn before(&self, at: usize) -> &'a [Token] {
        let start = at.checked_sub(1).map_or(0, |before| self.places[before] + 1);
        let small = &self.tokens[start..self.places.get(at).copied().unwrap_or(self.tokens.len())];
        steps::looked_at(small.len() + 1);
        small
    }

    fn has_before(&self, at: usize, words: &[&str]) -> bool {
        self.before(at).iter().any(|token| token.kind == Kind::Word && words.contains(&token.text.as_str()))
    }

    /// Whether the word `at` begins a phrase of place or time: "in the wiki", "Monday", "until noon".
    fn is_phrase(&self, at: usize) -> bool {
        let opens = self.before(at).iter().rev().find(|token| !ARTICLES.contains(&token.text.as_str()));
        opens.is_some_and(|token| PREPOSITIONS.contains(&token.text.as_str()))
            || in_calendar(self.word(at))
            || OPENERS.contains(&self.word(at).text.as_str())
            || matches!(self.word(at).text.as_str(), "every" | "each")
    }

    /// How many words stand before the "by" that names who acts.
    fn agent(&self) -> Option<usize> {
        let acts = |at: &usize| {
            let next = self.word(*at);
            self.has_before(*at, &["by"]) && next.kind == Kind::Word && !in_calendar(next) && !next.text.ends_with("ing")
        };
        (1..self.len()).find(acts)
    }

    /// What each word that denies or limits stands before.
    fn denied(&self) -> Vec<(&'a str, &'a str)> {
        let (mut denied, mut after) = (Vec::new(), "");
        for token in (0..self.len()).rev().map(|at| self.word(at)) {
            if is_denial(token) {
                denied.push((token.stem.as_str(), after));
            } else {
                after = &token.stem;
            }
        }
        denied.sort_unstable();
        denied
    }

    /// Who owns something: "Vera's sister"; but not "Vera's a doctor".
    fn owners(&self) -> Vec<&'a str> {
        let owns = |place: &usize| {
            let next = self.tokens.get(place + 1);
            self.tokens[*place].text == "s" && next.is_some_and(|next| !next.article && next.text != "not")
        };
        let mut owners: Vec<&str> = (1..self.tokens.len()).filter(owns).map(|place| self.tokens[place - 1].stem.as_str()).collect();
        owners.sort_unstable();
        owners
    }

    fn has(&self, words: &[&str]) -> bool {
        pair::has(self.tokens, words)
    }
}

fn is_denial(token: &Token) -> bool {
    // "May" is a month.
    token.kind == Kind::Word && NEGATIONS.contains(&token.text.as_str()) && !(token.capital && in_calendar(token))
}

/// Whether two statements with the same words say the same.
pub fn says_the_same(one: &[Token], other: &[Token]) -> bool {
    let (one, other) = (Line::new(one), Line::new(other));
    let (mine, yours) = (one.owners(), other.owners());
    let owns = |line: &Line<'_>| line.has(&["has", "have", "had", "of", "own", "owns"]);
    let same_owners = match (mine.len(), yours.len()) {
        (0, 0) => true,
        (0, _) => owns(&one),
        (_, 0) => owns(&other),
        _ => mine == yours,
    };
    if one.denied() != other.denied() || !same_owners {
        return false;
    }
    let (a, b) = (one.stems(), other.stems());
    match (one.agent(), other.agent()) {
        (Some(by), None) => is_passive(&a, by, &b),
        (None, Some(by)) => is_passive(&b, by, &a),
        _ if a == b => true,
        _ => moved(&one, &a, &other, &b) || moved(&other, &b, &one, &a),
    }
}

/// Whether `passive`, with `by` words before who acts, says what `active` says: "Idris was paid by Vera", "Vera paid Idris".
fn is_passive(passive: &[&str], by: usize, active: &[&str]) -> bool {
    let (before, after) = passive.split_at(by);
    let Some((verb, whom)) = before.split_last().filter(|_| active.len() == passive.len()) else { return false };
    let middle: Vec<&str> = [verb].into_iter().chain(whom).copied().collect();
    // The words before the verb begin the agent, and those after its object end it: the agent ends where the verb is.
    let first = active.iter().zip(after).take_while(|(one, other)| one == other).count();
    let last = active.iter().rev().zip(after.iter().rev()).take_while(|(one, other)| one == other).count();
    steps::looked_at(first + last);
    places_of(&middle, active.iter().copied()).into_iter().any(|verb| verb >= 1 && verb <= first && after.len() - verb <= last)
}

/// Where `needle` begins in `hay`, found by Knuth, Morris and Pratt: a search from each place would take the product of both lengths.
fn places_of(needle: &[&str], hay: impl Iterator<Item = impl AsRef<str>>) -> Vec<usize> {
    // For each place of the needle: how many of its first words end there again.
    let mut borders = vec![0_usize; needle.len()];
    let (mut places, mut length) = (Vec::new(), 0);
    for at in 1..needle.len() {
        steps::looked_at(1);
        while length > 0 && needle[length] != needle[at] {
            steps::looked_at(1);
            length = borders[length - 1];
        }
        length += usize::from(needle[length] == needle[at]);
        borders[at] = length;
    }
    length = 0;
    for (at, word) in hay.enumerate() {
        steps::looked_at(1);
        while length > 0 && needle.get(length) != Some(&word.as_ref()) {
            steps::looked_at(1);
            length = borders[length - 1];
        }
        length += usize::from(needle.get(length) == Some(&word.as_ref()));
        if length == needle.len() {
            places.push(at + 1 - length);
        }
    }
    places
}

/// Whether `b` is `a` in one of the orders that say the same.
fn moved(one: &Line<'_>, a: &[&str], other: &Line<'_>, b: &[&str]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    // `b` is `a` turned by `at` words if it begins there in `a` written twice.
    let mut turned = places_of(b, a.iter().chain(a)).into_iter().filter(|at| (1..a.len()).contains(at));
    let copula = one.tokens.iter().position(|token| COPULAS.contains(&token.text.as_str()));
    let around = one.denied().is_empty()
        && turned.any(|at| {
            let back = a.len() - at;
            phrase_moved(one, at, other, back) || sides_moved(one, at, other, back) || is_cleft(one, at, copula)
        });
    around || date_moved(one, other) || pair_moved(one, a, other, b) || no_agent(one, a, other, b) || phrases_swapped(one, a, other, b)
}

/// "In the wiki the notes are kept", "The notes are kept in the wiki": the phrase is the first `at` words of one.
fn phrase_moved(one: &Line<'_>, at: usize, other: &Line<'_>, back: usize) -> bool {
    at <= PHRASE && one.is_phrase(0) && other.is_phrase(back)
}

/// "Every Thursday at noon", "at noon every Thursday": two phrases at the end that change places, each with its small words.
fn phrases_swapped(one: &Line<'_>, a: &[&str], other: &Line<'_>, b: &[&str]) -> bool {
    let Some(start) = (1..a.len()).find(|at| a[*at] != b[*at]).filter(|_| a[0] == b[0]) else { return false };
    let (mine, yours) = (&a[start..], &b[start..]);
    if mine.len() > 2 * PHRASE {
        return false;
    }
    let Some(first) = places_of(yours, mine.iter().chain(mine)).into_iter().find(|at| (1..mine.len()).contains(at)) else { return false };
    let second = mine.len() - first;
    let small = |at: usize| one.before(start + at).iter().map(|token| &token.text);
    let same_small =
        (0..mine.len()).all(|at| small(at).eq(other.before(start + (at + second) % mine.len()).iter().map(|token| &token.text)));
    first <= PHRASE && second <= PHRASE && one.is_phrase(start) && one.is_phrase(start + first) && one.denied().is_empty() && same_small
}

/// "Green is her colour", "Her colour is green": what stands around the only verb.
fn sides_moved(one: &Line<'_>, at: usize, other: &Line<'_>, back: usize) -> bool {
    let participle = |word: &Token| word.text.ends_with("ed") || PAST.contains(&word.text.as_str());
    one.has_before(at, COPULAS) && other.has_before(back, COPULAS) && !participle(one.word(at)) && !participle(other.word(back))
}

/// "Bern is where Vera lives", "Vera lives in Bern"; `copula` is the place of the first "is".
fn is_cleft(one: &Line<'_>, at: usize, copula: Option<usize>) -> bool {
    one.has_before(at, RELATIVES) && copula.is_some_and(|copula| copula < one.places[at])
}

/// "3 May", "May 3": nothing but words of the calendar moved, and each is beside its number.
fn date_moved(one: &Line<'_>, other: &Line<'_>) -> bool {
    fn split<'a>(line: &Line<'a>) -> (Vec<&'a str>, Vec<&'a str>) {
        let (dates, rest): (Vec<&Token>, Vec<&Token>) = (0..line.len()).map(|at| line.word(at)).partition(|token| in_calendar(token));
        let stems = |tokens: Vec<&'a Token>| tokens.into_iter().map(|token| token.stem.as_str()).collect();
        (stems(dates), stems(rest))
    }
    let beside = |line: &Line<'_>| {
        let is_time = |token: &Token| token.kind == Kind::Number || matches!(token.text.as_str(), "am" | "pm");
        let number = |at: Option<usize>| at.is_some_and(|at| at < line.len() && is_time(line.word(at)));
        (0..line.len()).filter(|at| in_calendar(line.word(*at))).all(|at| number(at.checked_sub(1)) || number(Some(at + 1)))
    };
    split(one) == split(other) && beside(one) && beside(other)
}

/// Two words that changed places: "allergic to wool", "a wool allergy"; or two names around "and".
fn pair_moved(one: &Line<'_>, a: &[&str], other: &Line<'_>, b: &[&str]) -> bool {
    let Some(at) = (0..a.len()).find(|at| a[*at] != b[*at]) else { return false };
    let is_pair = at + 1 < a.len() && a[at] == b[at + 1] && a[at + 1] == b[at] && a[at + 2..] == b[at + 2..];
    if !is_pair {
        return false;
    }
    let other_form = |mine: usize, yours: usize| one.word(mine).stem.starts_with('=') && one.word(mine).text != other.word(yours).text;
    let linked = one.has_before(at + 1, &["to", "of"]) && other.before(at + 1).is_empty();
    let alone = |line: &Line<'_>| {
        let between = line.before(at + 1);
        let names = between.len() == 1 && line.word(at).capital && line.word(at + 1).capital;
        let things = between.len() == 2 && between[1].article && line.before(at).last().is_some_and(|token| token.article);
        between.first().is_some_and(|token| matches!(token.text.as_str(), "and" | "or")) && (names || things)
    };
    let at_an_end = at == 0 || at + 2 == a.len();
    (other_form(at, at + 1) || other_form(at + 1, at)) || linked || at_an_end && alone(one) && alone(other)
}

/// "We write the guide", "The guide is written": nobody is named who acts.
fn no_agent(one: &Line<'_>, a: &[&str], other: &Line<'_>, b: &[&str]) -> bool {
    let somebody = one.tokens.first().is_some_and(|token| matches!(token.text.as_str(), "we" | "they" | "i" | "you"));
    let verb = b.iter().position(|stem| *stem == a[0]).unwrap_or_default();
    somebody
        && verb > 0
        && a[1..=verb] == b[..verb]
        && a[verb + 1..] == b[verb + 1..]
        && (other.has_before(verb, PASSIVE) || other.has_before(verb, COPULAS))
}

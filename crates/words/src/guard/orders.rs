//! Orders to an agent in plain words, in twelve languages and in a few disguises, and roles that speak inside a turn.

use super::added::added;
use super::fold::{Word, folded, is_unspaced, words};
use super::phrases::{Order, PATTERNS, REPORTED, REPORTERS};
use super::value::decoded;
use crate::steps;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// Roles that may not speak inside somebody's turn.
const ROLES: &[&str] = &["assistant", "developer", "system", "system prompt", "tool", "admin", "system message"];
/// With these a role begins to give orders.
#[rustfmt::skip]
const SPEAKS: &[&str] = &[
    "you", "your", "ignore", "disregard", "forget", "override", "always", "never", "from", "obey", "reveal", "new", "user", "the_user", "do", "answer",
];
/// Before an order these say whose order it is: the agent's, not somebody's who is told of.
#[rustfmt::skip]
const ADDRESSED: &[&str] = &["you", "your", "must", "please", "now", "du", "bitte", "vous", "tu", "usted", "voce", "je", "jij", "вы", "ты", "пожалуйста"];
/// Before an order they make it one.
#[rustfmt::skip]
const ADDRESS: &[&str] = &[
    "please", "you", "must", "should", "shall", "will", "and", "then", "now", "just", "simply", "kindly", "completely", "immediately", "also", "or",
    "bitte", "sie", "favor", "prego", "assistant", "ai",
];
/// The same, before "to".
const ADDRESS_TO: &[&str] = &["you", "is", "are", "need", "want", "now", "agent", "assistant", "model", "ai"];
/// Words that stand before a report in the same clause only.
const PRONOUNS: &[&str] = &[
    "i", "we", "he", "she", "they", "who", "people", "ich", "wir", "er", "sie", "nous", "il", "elle", "ils", "yo", "ella", "ellos", "eu",
    "ele", "ela", "io", "noi", "lui", "lei", "loro", "ik", "wij", "hij", "zij", "он", "она", "они", "мы", "я",
];
/// How far before and behind an order a report is looked for, in words.
const REPORT: usize = 8;
/// How far it is looked for where each character is a word.
const REPORT_UNSPACED: usize = 16;
/// What a disguise is taken off for: text without any of these is not searched again.
const SEEDS: &[&str] = &["ignore", "instruct", "prompt", "disregard", "forget every", "reveal", "jailbreak"];
/// The same, of letters that stand apart.
#[rustfmt::skip]
const SQUEEZED: &[&str] = &[
    "ignoreall", "ignoreprev", "ignorethe", "ignoreyour", "ignoreany", "previousinstruct", "priorinstruct", "systemprompt", "disregardall",
    "disregardthe", "disregardprev", "forgeteverything", "forgetall", "revealyour", "revealthe", "jailbreak",
];
/// How many characters of a word decide which patterns are tried.
const HEAD: usize = 4;
/// The shortest word that is read as base64, in characters.
const BASE64_MIN: usize = 20;

/// A part of a pattern.
enum Part {
    /// One of several rows of words; whether it must begin a clause.
    Any(Vec<Vec<Form>>, bool),
    /// At most so many words.
    Gap(usize),
}

/// A word of a pattern, or how it begins.
struct Form {
    text: String,
    stem: bool,
}

struct Pattern {
    order: Order,
    clause: bool,
    parts: Vec<Part>,
}

static COMPILED: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let known = PATTERNS.iter().copied().flatten().copied();
    let added = added().orders.iter().map(|(order, pattern)| (*order, pattern.as_str()));
    known.chain(added).map(|(order, pattern)| compile(order, pattern)).collect()
});
/// The patterns by the first characters of what they begin with, at most [`HEAD`] of them.
static BY_HEAD: LazyLock<HashMap<String, Vec<&Pattern>>> = LazyLock::new(|| {
    let mut by_head: HashMap<String, Vec<&Pattern>> = HashMap::new();
    for pattern in COMPILED.iter() {
        let Some(Part::Any(rows, _)) = pattern.parts.first() else { continue };
        let heads: BTreeSet<String> = rows.iter().filter_map(|row| Some(row.first()?.text.chars().take(HEAD).collect())).collect();
        heads.into_iter().for_each(|head| by_head.entry(head).or_default().push(pattern));
    }
    by_head
});

/// The patterns that may begin with a word.
fn known(word: &str) -> impl Iterator<Item = &'static Pattern> {
    let ends = word.char_indices().map(|(at, c)| at + c.len_utf8()).take(HEAD);
    ends.filter_map(|end| BY_HEAD.get(word.get(..end)?)).flatten().copied()
}

fn compile(order: Order, pattern: &str) -> Pattern {
    let unspaced = pattern.contains(is_unspaced);
    let part = |part: &str| match part {
        "*" => Part::Gap(if unspaced { 5 } else { 3 }),
        "**" => Part::Gap(if unspaced { 12 } else { 7 }),
        part => Part::Any(part.trim_start_matches('^').split('|').map(row).collect(), part.starts_with('^')),
    };
    Pattern { order, clause: pattern.starts_with('^'), parts: pattern.trim_start_matches('^').split(' ').map(part).collect() }
}

/// The words of `a_b~`.
fn row(alternative: &str) -> Vec<Form> {
    let stem = alternative.ends_with('~');
    let plain = folded(&alternative.trim_end_matches('~').replace('_', " "));
    let mut row: Vec<Form> = words(&plain).into_iter().map(|word| Form { text: word.text.to_owned(), stem: false }).collect();
    if let Some(last) = row.last_mut() {
        last.stem = stem;
    }
    row
}

impl Form {
    fn fits(&self, word: &Word<'_>) -> bool {
        if self.stem { word.text.starts_with(&self.text) } else { word.text == self.text }
    }
}

/// Parts and words that were left when a search found nothing: choices and gaps that overlap lead there again.
type Tried = BTreeSet<(usize, usize)>;

/// Whether the parts fit the words, without going on into another sentence.
fn fits(parts: &[Part], text: &[Word<'_>], begins: bool, tried: &mut Tried) -> bool {
    let left = (parts.len(), text.len());
    if tried.contains(&left) {
        return false;
    }
    steps::looked_at(1);
    let same = |count: usize| text.get(..count).is_some_and(|words| words.iter().skip(usize::from(begins)).all(|word| !word.first));
    let found = match parts.split_first() {
        None => true,
        Some((Part::Gap(most), rest)) => (0..=*most)
            .take_while(|skipped| same(*skipped))
            .any(|skipped| fits(rest, text.get(skipped..).unwrap_or_default(), false, tried)),
        Some((Part::Any(_, true), _)) if !text.first().is_some_and(|word| word.clause) => false,
        Some((Part::Any(rows, _), rest)) => rows.iter().any(|row| {
            let alike = || row.iter().zip(text).all(|(form, word)| form.fits(word));
            same(row.len()) && alike() && fits(rest, text.get(row.len()..).unwrap_or_default(), false, tried)
        }),
    };
    // Nothing leads back to where it begins.
    if !found && !begins {
        tried.insert(left);
    }
    found
}

/// Why the text may order an agent about.
pub fn reasons(text: &str) -> Vec<String> {
    let plain = folded(text);
    let mut orders = orders(&plain);
    if orders.is_empty() {
        orders = disguised(text, &plain);
    }
    let mut reasons: Vec<String> = orders.into_iter().map(|order| order.reason().to_owned()).collect();
    if is_spoken(&plain) {
        reasons.push("A line in it begins like the turn of a system or an assistant.".into());
    }
    reasons
}

/// The orders in a folded text, each once.
fn orders(plain: &str) -> Vec<Order> {
    let words = words(plain);
    let mut found: Vec<Order> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for pattern in known(word.text).filter(|pattern| !pattern.clause || begins(&words, at)) {
            let there = || fits(&pattern.parts, words.get(at..).unwrap_or_default(), true, &mut Tried::new());
            if !found.contains(&pattern.order) && there() && !is_report(&words, at) {
                found.push(pattern.order);
            }
        }
    }
    found
}

/// Whether a clause begins at a word, or words of address stand before it: "you must", "your task is to".
fn begins(words: &[Word<'_>], at: usize) -> bool {
    let before = |distance: usize| at.checked_sub(distance).and_then(|before| words.get(before)).map_or("", |word| word.text);
    let addressed = ADDRESS.contains(&before(1)) || before(1) == "to" && ADDRESS_TO.contains(&before(2));
    words.get(at).is_some_and(|word| word.clause) || addressed
}

/// Whether what is found at a word is told of somebody: "they asked us to ignore the rules".
fn is_report(words: &[Word<'_>], at: usize) -> bool {
    if words.get(at).is_some_and(|word| word.text.starts_with(is_unspaced)) {
        let from = at.saturating_sub(REPORT_UNSPACED);
        let near: String = words.iter().skip(from).take(3 * REPORT_UNSPACED).map(|word| word.text).collect();
        return REPORTED.iter().any(|report| near.contains(folded(report).as_str()));
    }
    let mut crossed = words.get(at).is_none_or(|word| word.clause);
    let mut ends = words.get(at).is_none_or(|word| word.first);
    for word in words.get(at.saturating_sub(REPORT)..at).unwrap_or_default().iter().rev() {
        if ends || ADDRESSED.contains(&word.text) {
            return false;
        }
        if REPORTERS.contains(&word.text) && !(crossed && PRONOUNS.contains(&word.text)) {
            return true;
        }
        (crossed, ends) = (crossed || word.clause, word.first);
    }
    false
}

/// The orders under a disguise: digits for letters, letters that stand apart, hyphens, another alphabet, backwards, base64.
fn disguised(text: &str, plain: &str) -> Vec<Order> {
    let leet = |one: char| {
        plain.chars().map(move |c| match c {
            '0' => 'o',
            '1' | '|' => one,
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' => 't',
            c => c,
        })
    };
    let rotated = plain.chars().map(|c| match c {
        'a'..='m' => char::from_u32(u32::from(c) + 13).unwrap_or(c),
        'n'..='z' => char::from_u32(u32::from(c) - 13).unwrap_or(c),
        c => c,
    });
    let joined = plain.chars().filter(|c| !matches!(c, '-' | '_' | '*' | '.' | '\u{b7}' | '~'));
    let forms: [String; 5] = [leet('i').collect(), leet('l').collect(), rotated.collect(), joined.collect(), plain.chars().rev().collect()];
    let seeded = forms.iter().filter(|form| *form != plain && SEEDS.iter().any(|seed| form.contains(seed)));
    let mut found: Vec<Order> = seeded.flat_map(|form| orders(form)).collect();
    if SQUEEZED.iter().any(|order| letters(plain).contains(order)) {
        found.push(Order::Dismiss);
    }
    found.extend(encoded(text).iter().flat_map(|hidden| orders(&folded(hidden))));
    found.dedup();
    found
}

/// Runs of five letters or more that stand apart, each as one word.
fn letters(plain: &str) -> String {
    let words: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let single = |word: &&str| word.chars().count() == 1;
    let runs = words.chunk_by(|one, other| single(one) == single(other)).filter(|run| run.len() >= 5 && run.first().is_some_and(single));
    runs.map(|run| run.concat()).collect::<Vec<_>>().join(" ")
}

/// The texts that words of base64 hold.
fn encoded(text: &str) -> Vec<String> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_');
    let words = text.split(|c| !is_letter(c)).filter(|word| word.len() >= BASE64_MIN);
    let plain = words.filter_map(|word| String::from_utf8(decoded(word)?).ok());
    plain.filter(|plain| !plain.contains(|c: char| c.is_control() && !c.is_whitespace())).collect()
}

/// Whether a line begins like the turn of a role. The first line is somebody's own: "The system: two pumps".
fn is_spoken(plain: &str) -> bool {
    plain.lines().enumerate().any(|(number, line)| is_role(line, number == 0))
}

/// "System: you are …", "### Assistant: sure, I …"
fn is_role(line: &str, first: bool) -> bool {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '*' | '[' | '>' | '-' | '_' | '<' | '('));
    let Some((head, rest)) = line.split_once([':', ']']) else { return false };
    let head = head.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | ']' | '_' | ')'));
    let rest = rest.trim_start_matches([':', '*', ' ', '(']);
    let mut words = rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let ordered = words.next().is_some_and(|word| SPEAKS.contains(&word));
    ROLES.contains(&head) && if first { ordered } else { rest.split_whitespace().count() > 2 }
}

#[cfg(test)]
mod tests;

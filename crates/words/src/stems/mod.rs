//! Words: how text becomes the terms that a recall can match without any embedding.

mod cut;
mod fold;
mod language;

use cut::{Unit, pairs, units};
use language::{Language, vote};
use std::collections::{BTreeMap, HashSet};

/// The version of these rules. Rows keep the version that cut their words.
pub const RULES: i16 = 2;
/// BM25's saturation of repeated terms.
pub const K1: f64 = 0.9;
/// BM25's weight of a text's length. Both as in Trotman, Puurula and Burgess, *Improvements to BM25 and Language Models Examined* (2014):
/// among short texts a longer one says more, so its length counts less than the usual 0.75.
pub const B: f64 = 0.4;
/// Pseudo-documents that smooth term weights: among three memories it is not known which words are rare.
pub const PRIOR_DOCUMENTS: f64 = 100.0;

/// The terms of a text with their counts. Words are folded, stemmed by the rules of their language and freed of its function words; scripts
/// without spaces are cut into pairs of letters. A line of nothing but function words keeps them: they are all that a topic "IT" or a
/// question "Who am I?" has.
pub fn terms(text: &str) -> BTreeMap<String, u32> {
    let (units, latin) = read(text);
    let mut counts = BTreeMap::new();
    for term in units.iter().flat_map(|unit| unit_terms(unit, latin)) {
        *counts.entry(term).or_insert(0) += 1;
    }
    counts
}

/// The words of `text`, in its own spelling and each once, whose terms are in `wanted`; of a script without spaces, the longest stretches
/// whose pairs of letters all are.
pub fn matched_words(text: &str, wanted: &BTreeMap<String, u32>) -> Vec<String> {
    let (units, latin) = read(text);
    let letters: HashSet<char> = wanted.keys().filter_map(|term| term.chars().next()).collect();
    let (mut words, mut seen) = (Vec::new(), HashSet::new());
    for unit in units.iter().filter(|unit| may_match(unit, latin, &letters)) {
        match unit {
            Unit::Run(run) => words.extend(stretches(run, wanted).into_iter().filter(|stretch| seen.insert((*stretch).to_owned()))),
            Unit::Word { spelled, .. } => {
                let matched: Vec<String> = unit_terms(unit, latin).into_iter().filter(|term| wanted.contains_key(term)).collect();
                let is_new = !matched.is_empty() && matched.iter().all(|term| !seen.contains(term));
                seen.extend(matched);
                words.extend(is_new.then_some(*spelled));
            }
        }
    }
    words.into_iter().map(str::to_owned).collect()
}

/// Whether a text has words, and all of them are function words of its language.
pub fn has_only_function_words(text: &str) -> bool {
    let units: Vec<Unit> = text.lines().flat_map(units).collect();
    let latin = vote(units.iter().filter_map(Unit::folded));
    are_function_words(&units, latin)
}

/// What a text is cut into, without function words in lines that have others; and the language of its Latin words.
fn read(text: &str) -> (Vec<Unit<'_>>, Language) {
    let lines: Vec<Vec<Unit>> = text.lines().map(units).collect();
    let latin = vote(lines.iter().flatten().filter_map(Unit::folded));
    (lines.into_iter().flat_map(|line| content(line, latin)).collect(), latin)
}

/// The language of the Latin words of a text, in two letters: "en" unless the text has function words of another one. Empty for a language
/// whose phrases nobody lists.
pub fn latin_language(text: &str) -> &'static str {
    let units: Vec<Unit> = text.lines().flat_map(units).collect();
    vote(units.iter().filter_map(Unit::folded)).code()
}

/// The units of a line without its function words, unless it has nothing else.
fn content(line: Vec<Unit<'_>>, latin: Language) -> Vec<Unit<'_>> {
    let all = are_function_words(&line, latin);
    line.into_iter().filter(|unit| all || !is_function_word(unit, latin)).collect()
}

fn unit_terms(unit: &Unit, latin: Language) -> Vec<String> {
    match unit {
        Unit::Word { lower, folded, .. } => Language::of(folded, latin).terms(lower, folded),
        Unit::Run(run) => pairs(run).into_iter().map(|(_, _, pair)| pair).collect(),
    }
}

/// Whether a unit may have one of the terms that begin with `letters`: stemming is the slow part.
fn may_match(unit: &Unit, latin: Language, letters: &HashSet<char>) -> bool {
    unit.folded().is_none_or(|folded| {
        !Language::of(folded, latin).keeps_beginnings() || folded.chars().next().is_some_and(|first| letters.contains(&first))
    })
}

/// The longest parts of a run, as they are spelled, whose pairs of letters are all in `wanted`.
fn stretches<'a>(run: &'a str, wanted: &BTreeMap<String, u32>) -> Vec<&'a str> {
    let mut stretches: Vec<(usize, usize)> = Vec::new();
    let mut continues = false;
    for (start, end, pair) in pairs(run) {
        let matches = wanted.contains_key(&pair);
        match stretches.last_mut().filter(|_| matches && continues) {
            Some(last) => last.1 = end,
            None => stretches.extend(matches.then_some((start, end))),
        }
        continues = matches;
    }
    stretches.into_iter().map(|(start, end)| &run[start..end]).collect()
}

fn are_function_words(units: &[Unit], latin: Language) -> bool {
    !units.is_empty() && units.iter().all(|unit| is_function_word(unit, latin))
}

fn is_function_word(unit: &Unit, latin: Language) -> bool {
    match unit {
        Unit::Word { spelled, folded, .. } => Language::of(folded, latin).has_function_word(folded) && !is_acronym(spelled),
        Unit::Run(_) => false,
    }
}

/// Whether a word that looks like a function word is written as a name: "IT", "US".
fn is_acronym(word: &str) -> bool {
    word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests;

//! Words: how text becomes the terms that a recall can match without any embedding.

use rust_stemmers::{Algorithm, Stemmer};
use std::collections::{BTreeMap, HashSet};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// BM25's saturation of repeated terms.
pub const K1: f64 = 1.2;
/// BM25's weight of a memory's length.
pub const B: f64 = 0.75;
/// Pseudo-documents that smooth term weights: among three memories it is not known which words are rare.
pub const PRIOR_DOCUMENTS: f64 = 100.0;
/// Longest term kept, in characters; longer ones are data, not words.
const TERM_MAX: usize = 64;

/// English function words, unstemmed, in their order. They carry no topic, and every memory has them.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "before", "being", "but", "by", "can",
    "could", "did", "do", "does", "doing", "for", "from", "had", "has", "have", "having", "he", "her", "hers", "him", "his", "how", "i",
    "if", "in", "into", "is", "it", "its", "just", "me", "more", "most", "my", "no", "nor", "not", "of", "on", "or", "our", "ours", "out",
    "over", "own", "same", "she", "should", "so", "some", "such", "than", "that", "the", "their", "theirs", "them", "then", "there",
    "these", "they", "this", "those", "through", "to", "too", "under", "until", "up", "very", "was", "we", "were", "what", "when", "where",
    "which", "while", "who", "whom", "why", "will", "with", "would", "you", "your", "yours",
];

/// The terms of a text with their counts: Unicode words, NFKC, lower case, without stop words, Snowball-stemmed. A line of nothing but stop
/// words keeps them: they are all that a topic "IT" or a question "Who am I?" has.
pub fn terms(text: &str) -> BTreeMap<String, u32> {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut counts = BTreeMap::new();
    for (_, folded) in folded(text) {
        *counts.entry(stemmer.stem(&folded).into_owned()).or_insert(0) += 1;
    }
    counts
}

/// The words of `text`, in its own spelling and each once, whose terms are in `wanted`.
pub fn matched_words(text: &str, wanted: &BTreeMap<String, u32>) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let (mut words, mut seen) = (Vec::new(), HashSet::new());
    let letters: HashSet<char> = wanted.keys().filter_map(|term| term.chars().next()).collect();
    for (word, folded) in folded(text) {
        // A stem begins with the same letter as its word, and stemming is the slow part.
        if folded.chars().next().is_some_and(|first| letters.contains(&first)) {
            let term = stemmer.stem(&folded).into_owned();
            if wanted.contains_key(&term) && seen.insert(term) {
                words.push(word.to_owned());
            }
        }
    }
    words
}

/// Whether a text has words, and all of them are function words.
pub fn has_only_function_words(text: &str) -> bool {
    let mut words = words(text).peekable();
    words.peek().is_some() && words.all(|(word, folded)| is_function_word(word, &folded))
}

/// Words as they are spelled, and folded; without data, and without function words in lines that have others.
fn folded(text: &str) -> impl Iterator<Item = (&str, String)> {
    text.lines().flat_map(|line| {
        let all = has_only_function_words(line);
        words(line).filter(move |(word, folded)| all || !is_function_word(word, folded))
    })
}

/// Words as they are spelled, and folded; without data.
fn words(text: &str) -> impl Iterator<Item = (&str, String)> {
    // Topics join words with underscores, which Unicode counts as part of a word.
    text.split('_').flat_map(UnicodeSegmentation::unicode_words).filter_map(|word| {
        let folded = fold(word);
        let kept = !folded.is_empty() && folded.chars().count() <= TERM_MAX;
        kept.then_some((word, folded))
    })
}

fn is_function_word(word: &str, folded: &str) -> bool {
    STOP_WORDS.binary_search(&folded).is_ok() && !is_acronym(word)
}

/// Whether a word that looks like a function word is written as a name: "IT", "US".
fn is_acronym(word: &str) -> bool {
    word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn fold(word: &str) -> String {
    // Most words are ASCII, which is its own NFKC.
    let mut folded: String = match word.is_ascii() {
        true => word.to_ascii_lowercase(),
        false => word.nfkc().flat_map(char::to_lowercase).collect(),
    };
    if let Some(owner) = folded.strip_suffix("'s").or_else(|| folded.strip_suffix("’s")) {
        folded.truncate(owner.len());
    }
    // The stemmer drops it.
    match folded.starts_with('\'') {
        true => folded.trim_start_matches('\'').to_owned(),
        false => folded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_folded_stemmed_and_counted() {
        let counts = terms("Vera_prefers Terraform-managed INFRA; Vera's preferences are managed in Terraform.");
        let expected = [("infra", 1), ("manag", 2), ("prefer", 2), ("terraform", 2), ("vera", 2)];
        assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected.map(|(term, count)| (term.to_owned(), count)));
        assert_eq!(terms("the tea of Vera").into_keys().collect::<Vec<_>>(), ["tea", "vera"]);
        assert_eq!(terms("it\nthe tea of Vera").into_keys().collect::<Vec<_>>(), ["it", "tea", "vera"], "a topic keeps its words");
        assert_eq!(terms("Who am I?").into_keys().collect::<Vec<_>>(), ["am", "i", "who"]);
        assert!(has_only_function_words("Who am I?"));
        assert!(["Who is Vera?", "IT", "", "?"].into_iter().all(|text| !has_only_function_words(text)));
        assert_eq!(terms("IT for US").into_keys().collect::<Vec<_>>(), ["it", "us"], "names are no function words");
    }

    #[test]
    fn stop_words_are_in_order() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn matched_words_keep_their_spelling() {
        let wanted = terms("which deployments");
        assert_eq!(matched_words("Deployed on Friday; no deploys on Mondays", &wanted), ["Deployed"]);
    }

    #[test]
    fn an_apostrophe_that_a_mark_extends_begins_no_word() {
        assert_eq!(folded("'\u{f73}").map(|(_, folded)| folded).collect::<Vec<_>>(), ["\u{f71}\u{f72}"]);
        assert!(terms("'' '").is_empty());
    }

    proptest! {
        // The search for matched words relies on this to skip words.
        #[test]
        fn a_stem_begins_as_its_word(word in "\\PC{1,20}") {
            for (_, folded) in folded(&word) {
                let stem = Stemmer::create(Algorithm::English).stem(&folded).into_owned();
                prop_assert_eq!(stem.chars().next(), folded.chars().next());
            }
        }

        #[test]
        fn no_text_breaks_the_tokeniser(text in "\\PC{0,200}") {
            for (term, count) in terms(&text) {
                prop_assert!(!term.is_empty() && count > 0);
            }
        }
    }
}

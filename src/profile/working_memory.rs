//! The working memory about a person: at most 500 words, in plain sentences from the freshest and most certain leaves. Pure.

use serde_json::Value;
use std::collections::BTreeMap;
use words::tree::folded;

/// Most words of a working memory.
pub const WORDS_MAX: usize = 500;
/// The sections that come first, in their order, by folded key. The others follow by name.
const SECTIONS: &[&str] = &["role", "goals", "projects", "preferences", "people", "facts"];
/// Leaves with less confidence are left out. The confidence of a single observation falls below it after 685 days.
const CONFIDENCE_MIN: f64 = 0.05;
/// Most words of one value, so that none takes more than its share.
const VALUE_WORDS: usize = WORDS_MAX / 5;
/// Least words of a text that is a sentence of its own.
const SENTENCE_WORDS: usize = 3;

/// A leaf with what decides its place in the working memory.
#[derive(Clone, Debug, PartialEq)]
pub struct WeighedLeaf<'a> {
    pub path: &'a [String],
    pub value: &'a Value,
    pub listed: bool,
    pub disputed: bool,
    /// As [`super::confidence::confidence`] says; the fresh and the certain come first where not all fits.
    pub confidence: f64,
}

/// One paragraph's part: a sentence with the place where it belongs and its weight.
struct Sentence {
    section: (usize, String),
    path: Vec<String>,
    text: String,
    weight: f64,
}

/// Writes the working memory, in each section the most certain first. Empty without leaves that are certain enough.
pub fn compose(leaves: &[WeighedLeaf<'_>]) -> String {
    let mut groups: BTreeMap<Vec<String>, Vec<&WeighedLeaf<'_>>> = BTreeMap::new();
    for leaf in leaves.iter().filter(|leaf| leaf.confidence >= CONFIDENCE_MIN) {
        groups.entry(leaf.path.iter().map(|key| folded(key)).collect()).or_default().push(leaf);
    }
    let mut sentences: Vec<Sentence> = groups.into_iter().flat_map(|(path, group)| sentences(path, &group)).collect();
    sentences.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.path.cmp(&b.path)));
    let (mut left, mut chosen) = (WORDS_MAX, Vec::new());
    for sentence in sentences {
        let words = count_words(&sentence.text);
        if words <= left {
            left -= words;
            chosen.push(sentence);
        }
    }
    // In steps of a tenth, so that a day between two observations does not tear apart what belongs together. The steps end between the values
    // that a few observations give.
    let step = |sentence: &Sentence| (sentence.weight * 10.0 + 0.25).floor();
    chosen.sort_by(|a, b| a.section.cmp(&b.section).then(step(b).total_cmp(&step(a))).then_with(|| a.path.cmp(&b.path)));
    let mut paragraphs: Vec<(String, Vec<String>)> = Vec::new();
    for sentence in chosen {
        match paragraphs.last_mut() {
            Some((section, texts)) if *section == sentence.section.1 => texts.push(sentence.text),
            _ => paragraphs.push((sentence.section.1, vec![sentence.text])),
        }
    }
    let paragraphs: Vec<String> = paragraphs.into_iter().map(|(_, texts)| texts.join(" ")).collect();
    paragraphs.join("\n")
}

/// What is said about one path.
fn sentences(path: Vec<String>, group: &[&WeighedLeaf<'_>]) -> Vec<Sentence> {
    let section = path.first().cloned().unwrap_or_default();
    let place = SECTIONS.iter().position(|known| *known == section).unwrap_or(SECTIONS.len());
    let sentence = |text: String, weight: f64| Sentence { section: (place, section.clone()), path: path.clone(), text, weight };
    let (whole, short): (Vec<&WeighedLeaf<'_>>, Vec<&WeighedLeaf<'_>>) = group.iter().copied().partition(|leaf| is_sentence(leaf));
    let mut said: Vec<Sentence> = whole.into_iter().map(|leaf| sentence(closed(&words_of(leaf)), leaf.confidence)).collect();
    if let Some(first) = short.first() {
        let name = label(first.path);
        let values = fitting(short.iter().map(|leaf| words_of(leaf)));
        let disputed = short.iter().any(|leaf| leaf.disputed) && values.len() > 1;
        let text = match (disputed, values.as_slice()) {
            (true, values) => format!("{name}: unclear, either {}.", values.join(" or ")),
            (false, [one]) => format!("{name}: {one}."),
            (false, values) => format!("{name}: {}.", values.join(", ")),
        };
        said.push(sentence(text, short.iter().map(|leaf| leaf.confidence).fold(0.0, f64::max)));
    }
    said
}

/// The first values of a list that share the words of one value.
fn fitting(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut words = 0;
    let mut fitting = Vec::new();
    for value in values {
        words += count_words(&value);
        if words > VALUE_WORDS && !fitting.is_empty() {
            break;
        }
        fitting.push(value);
    }
    fitting
}

/// Whether a value can be read alone.
fn is_sentence(leaf: &WeighedLeaf<'_>) -> bool {
    let Some(text) = leaf.value.as_str().filter(|_| leaf.listed) else { return false };
    text.split_whitespace().count() >= SENTENCE_WORDS && text.starts_with(|c: char| c.is_uppercase() || !c.is_alphabetic())
}

fn closed(text: &str) -> String {
    if text.ends_with(['.', '!', '?', '…']) { text.to_owned() } else { format!("{text}.") }
}

/// A value in words.
fn words_of(leaf: &WeighedLeaf<'_>) -> String {
    let text = match leaf.value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        value => value.to_string(),
    };
    shorten_words(&text, VALUE_WORDS)
}

/// The keys of a path as words: `Projects, harbour, start date`.
fn label(path: &[String]) -> String {
    let keys: Vec<String> = path.iter().map(|key| key.replace(['_', '-'], " ").split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let joined = shorten_words(&keys.join(", "), WORDS_MAX / 10);
    let mut letters = joined.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// How many words a text has.
pub fn count_words(text: &str) -> usize {
    text.split_whitespace().count()
}

fn shorten_words(text: &str, most: usize) -> String {
    if count_words(text) <= most {
        return text.to_owned();
    }
    format!("{}…", text.split_whitespace().take(most).collect::<Vec<_>>().join(" "))
}

/// A text of at most [`WORDS_MAX`] words, cut after the last sentence that fits, or after a word if the first sentence is longer.
pub fn cut(text: &str) -> String {
    let text = text.trim();
    let Some(end) = word_end(text, WORDS_MAX) else { return text.to_owned() };
    let head = &text[..end];
    let ends_sentence = |(at, _): &(usize, char)| {
        let after = &text[*at + 1..];
        after.is_empty() || after.starts_with(char::is_whitespace)
    };
    let sentence = head.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?')).rfind(ends_sentence);
    match sentence {
        Some((at, _)) => head[..=at].to_owned(),
        None => format!("{head}…"),
    }
}

/// Where the n-th word ends, if more words follow.
fn word_end(text: &str, n: usize) -> Option<usize> {
    let (mut words, mut inside, mut end) = (0, false, 0);
    for (at, c) in text.char_indices() {
        match (inside, c.is_whitespace()) {
            (false, false) if words == n => return Some(end),
            (false, false) => (words, inside) = (words + 1, true),
            (true, true) => (end, inside) = (at, false),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_working_memory_reads_well() {
        let paths = ["Role", "Time_zone", "Preferences", "Projects/harbour/status", "Projects/harbour", "Goals"];
        let paths: Vec<Vec<String>> = paths.iter().map(|path| path.split('/').map(str::to_owned).collect()).collect();
        let values = [
            json!("Engineering manager"),
            json!("Europe/Zurich"),
            json!("Vera prefers short e-mails"),
            json!("on hold"),
            json!("Vera works on the harbour project."),
            json!("ship in May"),
        ];
        let leaf =
            |n: usize, disputed| WeighedLeaf { path: &paths[n], value: &values[n], listed: n == 2 || n > 3, disputed, confidence: 0.7 };
        let director = json!("Director");
        let mut leaves: Vec<WeighedLeaf<'_>> = (0..6).map(|n| leaf(n, n == 0)).collect();
        leaves.push(WeighedLeaf { value: &director, ..leaf(0, true) });
        let expected = "Role: unclear, either Engineering manager or Director.\nGoals: ship in May.\n\
                        Vera works on the harbour project. Projects, harbour, status: on hold.\nVera prefers short e-mails.\n\
                        Time zone: Europe/Zurich.";
        assert_eq!(compose(&leaves), expected);
        assert_eq!(compose(&[]), "");
    }

    #[test]
    fn what_is_faint_comes_late_and_then_not_at_all() {
        let paths =
            [&["Role"][..], &["Facts"], &["Facts", "animals"]].map(|path| path.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>());
        let values = [json!("Nurse"), json!("Vera has a boat"), json!("Vera keeps bees"), json!("Vera sings")];
        let leaf = |path: usize, n: usize, confidence| WeighedLeaf {
            path: &paths[path],
            value: &values[n],
            listed: n > 0,
            disputed: false,
            confidence,
        };
        let leaves = [leaf(0, 0, 0.02), leaf(1, 1, 0.1), leaf(1, 2, 0.7), leaf(1, 3, 0.04)];
        assert_eq!(compose(&leaves), "Vera keeps bees. Vera has a boat.");
        assert_eq!(compose(&leaves[..1]), "");
        let a_day_apart = [leaf(1, 1, 0.849), leaf(2, 2, 0.85)];
        assert_eq!(compose(&a_day_apart), "Vera has a boat. Vera keeps bees.");
    }

    proptest! {
        #[test]
        fn a_working_memory_never_has_more_than_500_words(
            texts in proptest::collection::vec("([A-Za-z]{1,8} ){1,150}[a-z]{1,8}", 1..30),
            certain in 0_usize..30,
        ) {
            let values: Vec<Value> = texts.iter().map(|text| json!(text)).collect();
            let paths: Vec<Vec<String>> = (0..values.len()).map(|n| vec![format!("Key {}", n % 7)]).collect();
            let certain = certain % values.len();
            let leaves: Vec<WeighedLeaf<'_>> = (0..values.len())
                .map(|n| WeighedLeaf { path: &paths[n], value: &values[n], listed: true, disputed: false, confidence: if n == certain { 0.9 } else { 0.5 } })
                .collect();
            let text = compose(&leaves);
            prop_assert!(count_words(&text) <= WORDS_MAX);
            prop_assert!(!text.is_empty());
        }

        #[test]
        fn a_long_text_is_cut_at_a_sentence(sentences in proptest::collection::vec("[A-Z][a-z]{0,6}( [a-z]{1,6}){0,60}[.!?]", 0..40)) {
            let text = sentences.join(" ");
            let short = cut(&text);
            prop_assert!(count_words(&short) <= WORDS_MAX && text.starts_with(&short));
            prop_assert_eq!(short.len() == text.len(), count_words(&text) <= WORDS_MAX);
            prop_assert!(short.is_empty() || short.ends_with(['.', '!', '?']));
            prop_assert_eq!(cut(&short), short);
        }
    }

    #[test]
    fn one_endless_sentence_is_cut_after_a_word() {
        let short = cut(&"word ".repeat(600));
        assert!(count_words(&short) == WORDS_MAX && short.ends_with("word…"));
    }
}

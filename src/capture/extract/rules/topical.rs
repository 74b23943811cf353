//! Words that carry a topic, compared by their beginnings: "painted" and "painting" are of one topic.

use super::words::{ADVERBS, AUXILIARIES, I_WORDS, MODALS, POINTING, PREPOSITIONS, WE_WORDS, Word, YOU_WORDS, is_any};

/// How many letters words of one stem share.
const STEM: usize = 5;
/// Words that say nothing of a topic.
#[rustfmt::skip]
const EMPTY: &[&str] = &[
    "been", "being", "does", "have", "having", "what", "what's", "when", "where", "which", "much", "many", "some", "thing", "things",
    "good", "great", "like", "love", "make", "makes", "made", "feel", "know", "think", "want", "really", "because", "more", "most", "time",
    "very", "just", "such", "with", "your", "from", "something", "amazing", "awesome", "definitely",
];

/// Whether two stretches of words have a topical word in common.
pub fn shares(some: &[Word], others: &[Word]) -> bool {
    let known: Vec<String> = some.iter().filter_map(stem).collect();
    others.iter().filter_map(stem).any(|stem| known.contains(&stem))
}

/// Whether words have this noun, in any number.
pub fn has(words: &[Word], noun: &str) -> bool {
    !noun.is_empty() && words.iter().any(|word| beginning(&word.lower) == beginning(noun))
}

/// The beginning of a topical word; `None` for others.
fn stem(word: &Word) -> Option<String> {
    let classes = &[AUXILIARIES, MODALS, POINTING, PREPOSITIONS, ADVERBS, I_WORDS, WE_WORDS, YOU_WORDS, EMPTY];
    let topical = word.lower.len() > 3 && !is_any(&word.lower, classes);
    topical.then(|| beginning(&word.lower))
}

/// The first letters of a word, without the mark of its plural.
fn beginning(word: &str) -> String {
    let single = word.strip_suffix('s').filter(|single| !single.ends_with('s')).unwrap_or(word);
    single.chars().take(STEM).collect()
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::shares;

    #[test]
    fn words_of_one_stem_are_shared() {
        assert!(shares(&words("I painted the old boat"), &words("Painting is fun")));
        assert!(shares(&words("Two boats"), &words("My boat")));
        assert!(!shares(&words("I love what you made"), &words("I love it, it made me think of what you have")));
    }
}

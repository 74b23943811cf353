//! Tokens: how models divide text, and how much of a text they read.
//!
//! [`count`] uses the vocabulary `o200k_base`, with which OpenAI's models since GPT-4o divide text. It is part of the program.

/// The name of the vocabulary.
pub const TOKENIZER: &str = "o200k_base";

/// How many tokens a text has. The time is almost linear in the length of the text. The first call loads the vocabulary.
pub fn count(text: &str) -> usize {
    // Only a build without the crate's feature of this name lacks the vocabulary.
    tiktoken::get_encoding(TOKENIZER).map_or_else(|| Estimate.count(text), |vocabulary| vocabulary.count(text))
}

/// The tokens of a model.
pub trait Tokens: Send + Sync + 'static {
    /// How many tokens of a text the model reads, besides those that it adds itself; it ignores the rest.
    fn limit(&self) -> usize;
    /// Where each token of a text begins, in bytes, in the order of the text.
    fn starts(&self, text: &str) -> Vec<usize>;
    /// How many tokens a text has.
    fn count(&self, text: &str) -> usize {
        self.starts(text).len()
    }
    /// Which share of a text's tokens the model does not know, 0 to 1: most of those of a language that it never read.
    fn unknown(&self, _text: &str) -> f64 {
        0.0
    }
}

/// Tokens of a hosted model, whose tokenizer is not available: one for every four bytes. English prose has fewer, source code and
/// identifiers have up to half as many again, and Chinese, where a character is three bytes, about as many.
#[derive(Clone, Copy, Debug)]
pub struct Estimate;

/// Bytes that are taken for a token.
const BYTES: usize = 4;

impl Tokens for Estimate {
    /// The limit of common hosted models.
    fn limit(&self) -> usize {
        8_191
    }

    fn starts(&self, text: &str) -> Vec<usize> {
        (0..text.len()).step_by(BYTES).map(|at| text.floor_char_boundary(at)).collect()
    }

    fn count(&self, text: &str) -> usize {
        text.len().div_ceil(BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_texts_have_their_known_tokens() {
        for (text, tokens) in [("", 0), ("hello world", 2), ("We deploy on Fridays.", 5), ("お誕生日おめでとう", 8), ("1234567", 3)]
        {
            assert_eq!(count(text), tokens, "{text}");
        }
        assert!(count(&"a".repeat(80_000)) < 20_000, "one long word is divided in little time, too");
    }

    #[test]
    fn an_estimate_counts_bytes() {
        assert_eq!((Estimate.count(""), Estimate.count("a"), Estimate.count("abcd"), Estimate.count("abcde")), (0, 1, 1, 2));
        let text = "ab東京ab";
        assert_eq!(Estimate.starts(text), [0, 2, 8]);
        assert_eq!(Estimate.starts(text).len(), Estimate.count(text));
    }

    proptest! {
        /// The parts of a context are counted one by one: together they must not have more tokens.
        #[test]
        fn parts_that_begin_and_end_with_marks_add_up(parts in proptest::collection::vec(".{0,40}", 0..6)) {
            let parts: Vec<String> = parts.into_iter().map(|part| format!("- {part}\n")).collect();
            prop_assert!(count(&parts.concat()) <= parts.iter().map(|part| count(part)).sum());
        }
    }
}

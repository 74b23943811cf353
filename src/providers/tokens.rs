//! Tokens: how a model divides text, and how much of a text it reads.

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

    #[test]
    fn an_estimate_counts_bytes() {
        assert_eq!((Estimate.count(""), Estimate.count("a"), Estimate.count("abcd"), Estimate.count("abcde")), (0, 1, 1, 2));
        let text = "ab東京ab";
        assert_eq!(Estimate.starts(text), [0, 2, 8]);
        assert_eq!(Estimate.starts(text).len(), Estimate.count(text));
    }
}

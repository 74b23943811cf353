//! Tokens of the vocabulary `o200k_base`, with which OpenAI's models since GPT-4o divide text. The vocabulary is part of the program.

/// The name of the vocabulary.
pub const TOKENIZER: &str = "o200k_base";

/// How many tokens a text has. The time is linear in the length of the text. The first call loads the vocabulary.
pub fn count(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
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
        assert!(count(&"a".repeat(80_000)) < 20_000, "one long word is divided in linear time, too");
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

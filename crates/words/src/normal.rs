//! The form in which phrases are compared.

use unicode_normalization::UnicodeNormalization;
use wire::TOPIC_MAX;

/// NFKC, case-folded, with runs of `_`, `-` and white space folded to one space, trimmed.
///
/// `Terraform-managed_Infra` and `terraform managed infra` have one normal form. The function is idempotent, and its result has at most as
/// many characters as a topic may have: NFKC turns one character into up to eighteen.
pub fn normal(phrase: &str) -> String {
    let folded: String = phrase.nfkc().flat_map(char::to_lowercase).nfkc().collect();
    let words: Vec<&str> = folded.split(|c: char| c.is_whitespace() || c == '_' || c == '-').filter(|word| !word.is_empty()).collect();
    let joined = words.join(" ");
    joined.char_indices().nth(TOPIC_MAX).map_or(joined.as_str(), |(end, _)| joined[..end].trim_end()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::normal;
    use proptest::prelude::*;

    #[test]
    fn separators_case_and_width_do_not_matter() {
        for phrase in ["Terraform-managed_Infra", " terraform  managed\tinfra ", "ＴＥＲＲＡＦＯＲＭ managed-infra"] {
            assert_eq!(normal(phrase), "terraform managed infra");
        }
        assert_eq!(normal("__-- "), "");
    }

    #[test]
    fn a_phrase_that_grows_is_cut() {
        assert_eq!(normal(&"\u{fb03}".repeat(200)).chars().count(), 256);
        assert_eq!(normal(&format!("{} b", "a".repeat(255))), "a".repeat(255));
    }

    proptest! {
        #[test]
        fn normalising_twice_changes_nothing(phrase in "\\PC{0,40}") {
            let once = normal(&phrase);
            prop_assert_eq!(normal(&once), once.clone());
        }
    }
}

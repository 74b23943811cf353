//! The form under which phrases are compared.

use unicode_normalization::UnicodeNormalization;

/// NFKC, case-folded, with runs of `_`, `-` and white space folded to one space, trimmed.
///
/// `Terraform-managed_Infra` and `terraform managed infra` have one normal form. It is idempotent.
pub fn normal(phrase: &str) -> String {
    let folded: String = phrase.nfkc().flat_map(char::to_lowercase).nfkc().collect();
    folded.split(|c: char| c.is_whitespace() || c == '_' || c == '-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
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

    proptest! {
        #[test]
        fn normalising_twice_changes_nothing(phrase in "\\PC{0,40}") {
            let once = normal(&phrase);
            prop_assert_eq!(normal(&once), once.clone());
        }
    }
}

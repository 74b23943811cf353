//! What is kept out of profiles because it is nobody's business by default: health, faith, politics, money and ethnic origin. Pure.

use wire::SensitiveMatters;
pub use words::sensitive::matters;

/// Whether a text is about a sensitive matter that profiles may not hold. A profile without a harmless fact costs less than one with a
/// diagnosis.
pub fn is_kept_out(text: &str, policy: SensitiveMatters) -> bool {
    matters(text).into_iter().any(|matter| policy.keep_out(matter))
}

/// Whether a text is about any sensitive matter.
pub fn is_sensitive(text: &str) -> bool {
    !matters(text).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::Matter;

    #[test]
    fn the_policy_says_what_is_kept_out() {
        for (text, expected) in [
            ("Vera was diagnosed with asthma.", Some(Matter::Health)),
            ("Idris prays on Fridays.", Some(Matter::Faith)),
            ("Vera prefers short e-mails.", None),
        ] {
            assert_eq!(is_sensitive(text), expected.is_some(), "{text}");
            assert_eq!(is_kept_out(text, SensitiveMatters::default()), expected.is_some(), "{text}");
            let faith = SensitiveMatters { faith: None, ..SensitiveMatters::default() };
            assert_eq!(is_kept_out(text, faith), expected.is_some_and(|matter| matter != Matter::Faith), "{text}");
        }
    }
}

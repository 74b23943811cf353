//! Whether a text uses a fact, by their words. Pure.

use crate::stems;
use std::collections::BTreeMap;

/// The least share of a fact's content words that a text has if it uses the fact.
const SHARE: f64 = 0.5;

/// Whether a text, given as its terms, has at least half of the content words of a fact. Content words are those of [`stems::terms`]: without
/// function words, each once, in the form of their stem. A fact without any reappears nowhere.
pub fn reappears(fact: &str, text: &BTreeMap<String, u32>) -> bool {
    let wanted = stems::terms(fact);
    let there = wanted.keys().filter(|term| text.contains_key(*term)).count();
    !wanted.is_empty() && there as f64 >= SHARE * wanted.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_fact_reappears_with_half_of_its_content_words() {
        let answer = stems::terms("You deploy on a Friday, as always.");
        for (fact, expected) in [
            ("We deploy on Fridays.", true),
            ("Vera deploys the harbour service on Fridays.", false),
            ("Vera deploys on Fridays with Idris.", true),
            ("Mina drinks cocoa.", false),
            ("It is what it is.", false),
            ("", false),
        ] {
            assert_eq!(reappears(fact, &answer), expected, "{fact}");
        }
    }

    proptest! {
        #[test]
        fn every_text_uses_itself_and_more_words_never_hide_a_fact(fact in "([a-z]{3,9} ){1,12}", more in "([a-z]{3,9} ){0,12}") {
            prop_assume!(!stems::terms(&fact).is_empty());
            prop_assert!(reappears(&fact, &stems::terms(&fact)));
            let longer = format!("{more} {fact}");
            prop_assert!(reappears(&fact, &stems::terms(&longer)));
            prop_assert!(!reappears(&fact, &BTreeMap::new()));
        }
    }
}

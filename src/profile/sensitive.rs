//! What is kept out of profiles because it is nobody's business by default: health, faith, politics and money. Pure.

use wire::{Matter, SensitiveMatters};

/// Words that give a sensitive matter away, in English. A profile without a harmless fact costs less than one with a diagnosis.
#[rustfmt::skip]
const WORDS: &[(Matter, &[&str])] = &[
    (Matter::Health, &[
        "illness", "disease", "diagnosis", "diagnosed", "cancer", "diabetes", "diabetic", "depression", "depressed", "anxiety", "therapy", "therapist",
        "medication", "prescription", "pregnant", "pregnancy", "miscarriage", "surgery", "hospital", "symptom", "allergy", "allergic", "asthma",
        "hiv", "epilepsy", "adhd", "autism", "autistic", "disability", "disabilities", "psychiatrist", "psychologist", "rehab", "alcoholic", "addiction",
        "chemotherapy", "vaccine", "burnout", "migraine",
    ]),
    (Matter::Faith, &[
        "religion", "religious", "christian", "catholic", "protestant", "muslim", "islam", "jewish", "judaism", "hindu", "hinduism", "buddhist",
        "buddhism", "atheist", "agnostic", "church", "mosque", "synagogue", "prayer", "pray", "baptism", "ramadan", "kosher", "halal", "faith",
    ]),
    (Matter::Politics, &[
        "politics", "political", "democrat", "republican", "socialist", "communist", "vote", "voter", "election", "activist", "abortion",
        "immigration",
    ]),
    (Matter::Money, &[
        "salary", "salaries", "wage", "income", "debt", "mortgage", "loan", "bankruptcy", "bankrupt", "savings", "pension", "inheritance", "alimony",
        "creditor", "overdraft", "iban", "paycheck",
    ]),
];

/// Whether a text is about a sensitive matter that profiles may not hold.
pub fn is_kept_out(text: &str, policy: SensitiveMatters) -> bool {
    matters(text).into_iter().any(|matter| policy.keep_out(matter))
}

/// Whether a text is about any sensitive matter.
pub fn is_sensitive(text: &str) -> bool {
    !matters(text).is_empty()
}

/// What may follow a word without changing what it is about.
const ENDINGS: &[&str] = &["", "s", "es", "d", "ed"];

/// The sensitive matters that a text is about.
pub fn matters(text: &str) -> Vec<Matter> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let gives_away = |word: &str| words.iter().any(|one| one.strip_prefix(word).is_some_and(|ending| ENDINGS.contains(&ending)));
    WORDS.iter().filter(|(_, list)| list.iter().any(|word| gives_away(word))).map(|(matter, _)| *matter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sensitive_matters_are_recognised_in_any_form() {
        for (text, expected) in [
            ("Vera was diagnosed with asthma.", Some(Matter::Health)),
            ("Idris prays on Fridays.", Some(Matter::Faith)),
            ("Mina voted last week.", Some(Matter::Politics)),
            ("Her salaries are paid monthly", Some(Matter::Money)),
            ("Vera reads incoming mail and disables notifications.", None),
            ("Vera prefers short e-mails.", None),
            ("The harbour project ships in May.", None),
        ] {
            assert_eq!(matters(text), Vec::from_iter(expected), "{text}");
            assert_eq!(is_kept_out(text, SensitiveMatters::default()), expected.is_some(), "{text}");
            let faith = SensitiveMatters { faith: None, ..SensitiveMatters::default() };
            assert_eq!(is_kept_out(text, faith), expected.is_some_and(|matter| matter != Matter::Faith), "{text}");
        }
    }
}

//! What is kept out of profiles because it is nobody's business by default: health, faith, politics and money. Pure.

/// Words that give a sensitive matter away, in English. A profile without a harmless fact costs less than one with a diagnosis.
#[rustfmt::skip]
const WORDS: &[(&str, &[&str])] = &[
    ("health", &[
        "illness", "disease", "diagnosis", "diagnosed", "cancer", "diabetes", "diabetic", "depression", "depressed", "anxiety", "therapy", "therapist",
        "medication", "prescription", "pregnant", "pregnancy", "miscarriage", "surgery", "hospital", "symptom", "allergy", "allergic", "asthma",
        "hiv", "epilepsy", "adhd", "autism", "autistic", "disability", "disabilities", "psychiatrist", "psychologist", "rehab", "alcoholic", "addiction",
        "chemotherapy", "vaccine", "burnout", "migraine",
    ]),
    ("faith", &[
        "religion", "religious", "christian", "catholic", "protestant", "muslim", "islam", "jewish", "judaism", "hindu", "hinduism", "buddhist",
        "buddhism", "atheist", "agnostic", "church", "mosque", "synagogue", "prayer", "pray", "baptism", "ramadan", "kosher", "halal", "faith",
    ]),
    ("politics", &[
        "politics", "political", "democrat", "republican", "socialist", "communist", "vote", "voter", "election", "activist", "abortion",
        "immigration",
    ]),
    ("money", &[
        "salary", "salaries", "wage", "income", "debt", "mortgage", "loan", "bankruptcy", "bankrupt", "savings", "pension", "inheritance", "alimony",
        "creditor", "overdraft", "iban", "paycheck",
    ]),
];

/// What may follow a word without changing what it is about.
const ENDINGS: &[&str] = &["", "s", "es", "d", "ed"];

/// The sensitive matter that a text is about, if it is about one.
pub fn matter(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let gives_away = |word: &&str| words.iter().any(|one| one.strip_prefix(word).is_some_and(|ending| ENDINGS.contains(&ending)));
    WORDS.iter().find(|(_, list)| list.iter().any(|word| gives_away(&word))).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::matter;

    #[test]
    fn sensitive_matters_are_recognised_in_any_form() {
        for (text, expected) in [
            ("Vera was diagnosed with asthma.", Some("health")),
            ("Idris prays on Fridays.", Some("faith")),
            ("Mina voted last week.", Some("politics")),
            ("Her salaries are paid monthly", Some("money")),
            ("Vera reads incoming mail and disables notifications.", None),
            ("Vera prefers short e-mails.", None),
            ("The harbour project ships in May.", None),
        ] {
            assert_eq!(matter(text), expected, "{text}");
        }
    }
}

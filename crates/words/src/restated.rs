//! Whether a statement gives the matter of an earlier one another number, in the same words.

use crate::minutes::Minutes;
use wire::MemoryKind;

/// Words that say that something changed, in the languages of extraction that separate words.
#[rustfmt::skip]
const NOW: &[&str] = &[
    "now", "jetzt", "nun", "inzwischen", "maintenant", "désormais", "ahora", "agora", "ora", "adesso", "nu", "теперь", "сейчас", "الآن", "अब",
];

/// Whether a statement says the same as an earlier one with other numbers: "The port is 6544 now" after "The port is 5544". An episode tells
/// what happened once, so it must say that something changed.
pub fn restates(kind: MemoryKind, statement: &str, earlier: &str) -> bool {
    let (Some(new), Some(old)) = (Statement::read(statement), Statement::read(earlier)) else { return false };
    let other_numbers = new.numbers.len() == old.numbers.len() && new.numbers != old.numbers;
    other_numbers && new.words == old.words && (kind != MemoryKind::Episode || new.now)
}

/// The words of a statement, in lower case.
struct Statement {
    words: Vec<String>,
    numbers: Vec<String>,
    /// It says that something changed.
    now: bool,
}

impl Statement {
    /// Absent for what replies to somebody or tells a day: its words alone do not say what it is about.
    fn read(statement: &str) -> Option<Self> {
        let minutes = Minutes::parse(statement);
        let alone = minutes.as_ref().is_none_or(|minutes| minutes.question.is_none() && minutes.note.is_none());
        let text = minutes.map_or(statement, |minutes| minutes.words);
        let mut read = Self { words: Vec::new(), numbers: Vec::new(), now: false };
        // A number keeps its marks: 3.5, 10:30.
        for word in text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()) {
            if word.contains(char::is_numeric) {
                read.numbers.push(word);
            } else if NOW.contains(&word.as_str()) {
                read.now = true;
            } else if !word.is_empty() {
                read.words.push(word);
            }
        }
        alone.then_some(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_number_in_the_same_words_replaces() {
        let earlier = "Vera, 3 May 2026: “The staging port is 5544.”";
        for (kind, later, is) in [
            (MemoryKind::Profile, "Vera, 4 May 2026: “The staging port is 6544 now.”", true),
            (MemoryKind::Project, "Vera, 4 May 2026: “The staging port is 6544.”", true),
            (MemoryKind::Episode, "Vera, 4 May 2026: “The staging port is now 6544.”", true),
            (MemoryKind::Episode, "Vera, 4 May 2026: “The staging port is 6544.”", false),
            (MemoryKind::Project, "Vera, 4 May 2026: “The review port is 6544 now.”", false),
            (MemoryKind::Project, "Vera, 4 May 2026: “The staging port is 5544 now.”", false),
            (MemoryKind::Project, "Vera, 4 May 2026: “The staging port is not 6544.”", false),
            (MemoryKind::Project, "Idris asked “Which one?” Vera, 4 May 2026: “The staging port is 6544.”", false),
            (MemoryKind::Project, "The staging port is 6544.", true),
        ] {
            assert_eq!(restates(kind, later, earlier), is, "{kind} {later}");
        }
        assert!(!restates(MemoryKind::Profile, "My sister Lena bakes.", "My sister Mina bakes."), "there may be two of them");
    }
}

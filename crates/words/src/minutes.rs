//! Statements that read like minutes: who said when what, and what it replies to. The one place that writes and reads this form.
//!
//! `Idris asked “How old is your boat?” Vera, 3 May 2026: “It is from last year.” (last year: 2025)`

use chrono::NaiveDate;
use std::fmt::{self, Display};

/// A speaker whom nobody knows.
pub const SOMEBODY: &str = "Somebody";
/// The person that an assistant talks to, if only their part is known.
pub const THE_USER: &str = "The user";
const THE_ASSISTANT: &str = "The assistant";
/// Names of speakers whom a program did not know.
const UNKNOWN: &[&str] = &["unknown", "unknown speaker", "somebody"];
/// How a day is written: "3 May 2026".
const DAY: &str = "%-d %B %Y";
/// How the words before a quotation end that others reply to, and whether it is a question.
const VERBS: [(&str, bool); 2] = [(" asked ", true), (" said ", false)];

/// What somebody said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minutes<'a> {
    /// What it replies to.
    pub question: Option<Question<'a>>,
    /// The name, or a [`label`] in place of one.
    pub speaker: &'a str,
    pub day: Option<NaiveDate>,
    /// Quotation marks in it are single ones.
    pub words: &'a str,
    /// The days of its relative times: "last year: 2025".
    pub note: Option<&'a str>,
}

/// What somebody asked, or said, before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question<'a> {
    pub speaker: &'a str,
    pub asks: bool,
    pub words: &'a str,
}

impl<'a> Minutes<'a> {
    /// Reads a text that is nothing but such a statement. A text that only holds a quotation is none.
    pub fn parse(text: &'a str) -> Option<Self> {
        Self::read(text).filter(|minutes| minutes.day.is_some() || is_name(minutes.speaker))
    }

    /// As [`Self::parse`], with any text as the name of the speaker.
    fn read(text: &'a str) -> Option<Self> {
        let (opening, words, rest) = quotation(text)?;
        let asked = VERBS.into_iter().find_map(|(verb, asks)| Some((opening.strip_suffix(verb)?, asks)));
        let (question, (opening, words, rest)) = match asked.filter(|(speaker, _)| !speaker.is_empty()) {
            Some((speaker, asks)) => (Some(Question { speaker, asks, words }), quotation(rest.strip_prefix(' ')?)?),
            None => (None, (opening, words, rest)),
        };
        let opening = opening.strip_suffix(": ")?;
        let dated = opening.rsplit_once(", ").and_then(|(speaker, written)| Some((speaker, day(written)?)));
        let (speaker, day) = match dated {
            Some((speaker, day)) => (speaker, Some(day)),
            None => (opening, None),
        };
        let note = match rest {
            "" => None,
            rest => Some(rest.strip_prefix(" (")?.strip_suffix(')')?),
        };
        (!speaker.is_empty()).then_some(Self { question, speaker, day, words, note })
    }

    /// What was said, without who said it on which day.
    pub fn spoken(&self) -> String {
        let Self { question, words, note, .. } = self;
        let question = question.as_ref().map(|question| format!("{question} ")).unwrap_or_default();
        let note = note.map(|note| format!(" ({note})")).unwrap_or_default();
        format!("{question}{words}{note}")
    }

    /// Whether two statements are surely of one speaker.
    pub fn is_by(&self, other: &Minutes<'_>) -> bool {
        self.speaker != SOMEBODY && self.speaker.to_lowercase() == other.speaker.to_lowercase()
    }
}

impl Display for Minutes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { question, speaker, day, words, note } = self;
        if let Some(question) = question {
            write!(f, "{question} ")?;
        }
        f.write_str(&single(speaker))?;
        if let Some(day) = day {
            write!(f, ", {}", format_day(*day))?;
        }
        write!(f, ": “{}”", single(words))?;
        note.map_or(Ok(()), |note| write!(f, " ({})", single(note)))
    }
}

impl Display for Question<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.asks { "asked" } else { "said" };
        write!(f, "{} {verb} “{}”", single(self.speaker), single(self.words))
    }
}

/// A statement in which the speaker `from` is called `to`; `None` if it does not name `from`. `speaks` says whether `from` is the one who
/// says it: two speakers may have one label.
pub fn renamed(text: &str, from: &str, to: &str, speaks: bool) -> Option<String> {
    let (old, new) = (single(label(Some(from))), label(Some(to)));
    let mut minutes = Minutes::read(text)?;
    let speaks = speaks && minutes.speaker == old;
    // "Somebody" who asks may be anybody without a name.
    let asks = old != SOMEBODY && minutes.question.as_ref().is_some_and(|question| question.speaker == old);
    if speaks {
        minutes.speaker = new;
    }
    if let Some(question) = minutes.question.as_mut().filter(|_| asks) {
        question.speaker = new;
    }
    (speaks || asks).then(|| minutes.to_string())
}

/// How a statement names a speaker of this name.
pub fn label(speaker: Option<&str>) -> &str {
    let name = speaker.map(str::trim).unwrap_or_default();
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    match name {
        _ if name.is_empty() || UNKNOWN.iter().any(|unknown| is(unknown)) => SOMEBODY,
        _ if is("user") || is("human") => THE_USER,
        _ if is("assistant") => THE_ASSISTANT,
        _ => name,
    }
}

/// The day that [`format_day`] writes so.
pub fn day(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text, DAY).ok().filter(|day| format_day(*day) == text)
}

/// A day as statements and openings write it.
pub fn format_day(day: NaiveDate) -> String {
    day.format(DAY).to_string()
}

/// A text in which quotation marks are single ones, so that it can stand between double ones.
pub fn single(text: &str) -> String {
    let single = |c| match c {
        '“' | '„' | '‟' => '‘',
        '”' => '’',
        c => c,
    };
    text.chars().map(single).collect()
}

/// What stands before the first quotation, the words in it, and what follows.
fn quotation(text: &str) -> Option<(&str, &str, &str)> {
    let (opening, rest) = text.split_once('“')?;
    let (words, rest) = rest.split_once('”')?;
    (!words.is_empty() && !words.contains('“')).then_some((opening, words, rest))
}

/// Whether a text without a day may be a name or a label: "The sign says" is none. A name of one word may be written small.
fn is_name(text: &str) -> bool {
    let is_label = [SOMEBODY, THE_USER, THE_ASSISTANT].contains(&text);
    let is_plain = !text.contains(['”', ':', ',', '?', '!', '\n']);
    is_label || is_plain && !text.split(' ').skip(1).any(|word| word.starts_with(char::is_lowercase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_part_is_read() {
        let whole = "Idris asked “How old is your boat?” Vera, 3 May 2026: “It is from last year.” (last year: 2025)";
        let minutes = Minutes::parse(whole).unwrap();
        let question = Question { speaker: "Idris", asks: true, words: "How old is your boat?" };
        let (day, words) = (NaiveDate::from_ymd_opt(2026, 5, 3), "It is from last year.");
        assert_eq!(minutes, Minutes { question: Some(question), speaker: "Vera", day, words, note: Some("last year: 2025") });
        assert_eq!(minutes.to_string(), whole);
        assert_eq!(minutes.spoken(), "Idris asked “How old is your boat?” It is from last year. (last year: 2025)");
        let plain = Minutes::parse("The user: “I live in Bern.”").unwrap();
        assert_eq!((plain.speaker, plain.day, plain.spoken().as_str()), (THE_USER, None, "I live in Bern."));
    }

    #[test]
    fn a_text_that_holds_a_quotation_is_no_minutes() {
        for text in [
            "The sign says: “No entry.”",
            "Vera, 3 May 2026: “We freeze.” Nobody objected.",
            "Vera said “I live in Bern.”",
            "Vera said “Stop.” and left.",
            "I remember it well, Vera: “Stop.”",
            "Vera: I live in Bern.",
            "Vera: “I live",
            ": “I live in Bern.”",
            "“I live in Bern.”",
            "",
        ] {
            assert_eq!(Minutes::parse(text), None, "{text}");
        }
        assert_eq!(Minutes::parse("Frey, Vera, 3 May 2026: “Stop.”").map(|minutes| minutes.speaker), Some("Frey, Vera"));
        assert_eq!(day("03 May 2026").or(day("3 may 2026")).or(day("3 Sep 2026")), None, "as it is written");
    }

    #[test]
    fn labels_stand_for_speakers_without_a_name() {
        assert_eq!([label(None), label(Some(" ")), label(Some("Unknown"))], [SOMEBODY; 3]);
        assert_eq!([label(Some("user")), label(Some("Human")), label(Some(" Vera "))], [THE_USER, THE_USER, "Vera"]);
    }

    #[test]
    fn a_speaker_gets_another_name_where_the_statement_names_them() {
        let whole = "Speaker 2 asked “How old is it?” Speaker 1, 3 May 2026: “From last year, Speaker 1.” (last year: 2025)";
        let vera = "Speaker 2 asked “How old is it?” Vera, 3 May 2026: “From last year, Speaker 1.” (last year: 2025)";
        let idris = "Idris asked “How old is it?” Speaker 1, 3 May 2026: “From last year, Speaker 1.” (last year: 2025)";
        assert_eq!(renamed(whole, "Speaker 1", "Vera", true).as_deref(), Some(vera));
        assert_eq!(renamed(whole, "Speaker 2", "Idris", false).as_deref(), Some(idris));
        assert_eq!(renamed(whole, "Speaker 1", "Vera", false), None, "another one with this name says it");
        assert_eq!(renamed(whole, "Speaker", "Vera", true), None);
        // Names that are not read as names, and labels in place of names.
        assert_eq!(renamed("anna from work: “Stop.”", "anna from work", "Anna", true).as_deref(), Some("Anna: “Stop.”"));
        assert_eq!(renamed("The user: “Stop.”", "user", "Ve“r”a", true).as_deref(), Some("Ve‘r’a: “Stop.”"));
        assert_eq!(renamed("Somebody: “Stop.”", "Unknown", "Vera", true).as_deref(), Some("Vera: “Stop.”"));
        assert_eq!(renamed("Somebody said “Go.” Vera: “Stop.”", "Unknown", "Idris", false), None);
        assert_eq!(renamed("Vera likes tea.", "Vera", "Mina", true), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            question in proptest::option::of(("[A-Z][a-z]{1,8}", any::<bool>(), "[a-z“”„.?: ]{1,30}")),
            speaker in "[A-Z][a-z]{1,8}( [A-Z][a-z]{1,8})?",
            days in proptest::option::of(0_i32..20_000),
            words in "[a-z“”„\".:?() ]{1,40}",
            note in proptest::option::of("[a-z: ]{1,20}"),
        ) {
            let day = days.and_then(|days| NaiveDate::from_num_days_from_ce_opt(719_163 + days));
            let question = question.as_ref().map(|(speaker, asks, words)| Question { speaker, asks: *asks, words });
            let text = Minutes { question: question.clone(), speaker: &speaker, day, words: &words, note: note.as_deref() }.to_string();
            let read = Minutes::parse(&text).unwrap();
            prop_assert_eq!(read.to_string(), text.as_str());
            prop_assert_eq!((read.speaker, read.day, read.note), (speaker.as_str(), day, note.as_deref()));
            prop_assert_eq!(read.words, single(&words));
            prop_assert_eq!(read.question.is_some(), question.is_some());
        }

        #[test]
        fn no_text_breaks_it(text in "(\\PC|[“”: ,()]| asked | said |Vera|3 May 2026){0,40}") {
            if let Some(read) = Minutes::parse(&text) {
                prop_assert!(text.contains(read.words));
            }
        }
    }
}

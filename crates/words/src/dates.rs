//! Times in questions and texts: months and days in words, and whether a text mentions a time. English, pure.

use chrono::{Datelike, Days, NaiveDate};

const MONTHS: [&str; 12] =
    ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/// Words that name a time by themselves.
const TIMES: [&str; 7] = ["yesterday", "today", "tomorrow", "tonight", "ago", "recently", "weekend"];
/// Words that name a time together with a period.
const BEFORE_PERIODS: [&str; 8] = ["last", "next", "this", "past", "few", "every", "other", "couple"];
const PERIODS: [&str; 13] =
    ["day", "week", "weekend", "month", "year", "night", "morning", "afternoon", "evening", "spring", "summer", "autumn", "winter"];
/// People often talk about a day some days later.
const TOLD_LATER: u64 = 7;

/// A month, a day or a year that a question names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dates {
    month: u32,
    day: Option<u32>,
    year: Option<i32>,
}

impl Dates {
    /// Whether something said on `day` may be about it: from its first day until a week after its last.
    pub fn hold(&self, day: NaiveDate) -> bool {
        let years = match self.year {
            Some(year) => year..=year,
            None => day.year() - 1..=day.year(),
        };
        years.into_iter().filter_map(|year| self.in_year(year)).any(|(first, last)| first <= day && day <= last + Days::new(TOLD_LATER))
    }

    fn in_year(&self, year: i32) -> Option<(NaiveDate, NaiveDate)> {
        match self.day {
            Some(day) => NaiveDate::from_ymd_opt(year, self.month, day).map(|day| (day, day)),
            None => {
                let first = NaiveDate::from_ymd_opt(year, self.month, 1)?;
                let next = if self.month == 12 {
                    NaiveDate::from_ymd_opt(year + 1, 1, 1)
                } else {
                    NaiveDate::from_ymd_opt(year, self.month + 1, 1)
                };
                Some((first, next?.pred_opt()?))
            }
        }
    }
}

fn tokens(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

/// A month in capitals as people write it, in full or by its first three letters.
fn month(word: &str) -> Option<u32> {
    let lower = word.to_lowercase();
    if !word.starts_with(char::is_uppercase) || lower.len() < 3 {
        return None;
    }
    let place = MONTHS.iter().position(|month| *month == lower || month[..3] == lower || (lower == "sept" && month.starts_with("sept")))?;
    u32::try_from(place + 1).ok()
}

fn day(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = &word[digits.len()..];
    let day: u32 = digits.parse().ok()?;
    ((1..=31).contains(&day) && ["", "st", "nd", "rd", "th"].contains(&suffix)).then_some(day)
}

fn year(word: &str) -> Option<i32> {
    word.parse().ok().filter(|year| word.len() == 4 && (1900..2100).contains(year))
}

/// The month that a question names, with its day and year if it has them: “7 May”, “May 7th, 2023”, “in October”.
pub fn in_question(query: &str) -> Option<Dates> {
    let words = tokens(query);
    let (place, month) = words.iter().enumerate().find_map(|(place, word)| Some((place, month(word)?)))?;
    let after = words.get(place + 1).and_then(|word| day(word));
    let before = || match place.checked_sub(1).map(|place| words[place]) {
        Some("of") => place.checked_sub(2).and_then(|place| day(words[place])),
        Some(word) => day(word),
        None => None,
    };
    Some(Dates { month, day: after.or_else(before), year: words.iter().find_map(|word| year(word)) })
}

/// Whether a question asks for a time.
pub fn asks_when(query: &str) -> bool {
    let query = query.to_lowercase();
    let words = tokens(&query);
    let asks = |pair: &[&str]| matches!(pair, ["what" | "which", "date" | "day" | "month" | "year"]);
    words.first() == Some(&"when") || words.starts_with(&["how", "long"]) || words.windows(2).any(asks)
}

/// Whether a text mentions a time: a day, a month, a year, “last week”.
pub fn tells_time(text: &str) -> bool {
    let text = text.to_lowercase();
    let words = tokens(&text);
    let alone = |word: &&str| {
        TIMES.contains(word)
            || WEEKDAYS.contains(word)
            // These two are also other words.
            || (MONTHS.contains(word) && !["march", "may"].contains(word))
            || year(word).is_some()
    };
    let together = |pair: &[&str]| BEFORE_PERIODS.contains(&pair[0]) && PERIODS.contains(&pair[1].strip_suffix('s').unwrap_or(pair[1]));
    words.iter().any(alone) || words.windows(2).any(together)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn on(year: i32, month: u32, day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(year, month, day).unwrap()
    }

    #[test]
    fn months_days_and_years_are_read_from_questions() {
        for (query, month, day, year) in [
            ("What did Vera plant on 7 May 2026?", 5, Some(7), Some(2026)),
            ("What did Vera plant on May 7th?", 5, Some(7), None),
            ("the 3rd of October", 10, Some(3), None),
            ("Where was Idris in Sept 2025", 9, None, Some(2025)),
        ] {
            assert_eq!(in_question(query), Some(Dates { month, day, year }), "{query}");
        }
        assert_eq!(in_question("What may Mina march for?"), None, "verbs are no months");
    }

    #[test]
    fn what_is_told_within_a_week_may_be_about_the_day() {
        let october = in_question("in October").unwrap();
        assert!(october.hold(on(2026, 10, 1)) && october.hold(on(2026, 11, 7)));
        assert!(!october.hold(on(2026, 9, 30)) && !october.hold(on(2026, 11, 8)));
        let new_year = in_question("on December 31").unwrap();
        assert!(new_year.hold(on(2027, 1, 5)), "over the end of the year");
        assert!(!in_question("31 December 2025").unwrap().hold(on(2027, 1, 5)));
    }

    #[test]
    fn questions_for_a_time_and_texts_that_tell_one() {
        assert!(asks_when("When does the boat sail?") && asks_when("On what day?") && asks_when("how long has she known?"));
        assert!(!asks_when("Who knows when?"));
        assert!(tells_time("They met last summer") && tells_time("since 2019") && tells_time("On Friday.") && tells_time("a few weeks"));
        assert!(!tells_time("It may rain; they march on"));
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_reading(text in "\\PC{0,80}") {
            if let Some(dates) = in_question(&text) {
                dates.hold(on(2024, 2, 29));
            }
            tells_time(&text);
        }
    }
}

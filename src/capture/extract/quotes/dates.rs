//! Relative times ("next Tuesday", "two weeks ago") resolved against the day of the turn. English, pure.

use super::words::{Word, line};
use crate::capture::extract::Resolved;
use chrono::{Datelike, Days, Months, NaiveDate};

const WEEKDAYS: &[&str] = &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const MONTHS: &[&str] =
    &["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
#[rustfmt::skip]
const NUMBERS: &[(&str, u32)] = &[
    ("a", 1), ("an", 1), ("one", 1), ("two", 2), ("three", 3), ("four", 4), ("five", 5), ("six", 6), ("seven", 7), ("eight", 8),
    ("nine", 9), ("ten", 10), ("eleven", 11), ("twelve", 12),
];
/// The largest number of periods that is resolved: beyond it a date would be a guess.
const FARTHEST: u32 = 200;

/// The relative times of a text that was said on `day`.
pub fn relative(text: &str, words: &[Word], day: NaiveDate) -> Vec<Resolved> {
    let lowers: Vec<&str> = words.iter().map(|word| word.lower.as_str()).collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let rest = lowers.get(at..).unwrap_or_default();
        let read = read(rest, day).filter(|_| words.get(at).is_some_and(|word| !word.quoted));
        let Some((length, (first, last))) = read else {
            at += 1;
            continue;
        };
        if let (Some(start), Some(end)) = (words.get(at), words.get(at + length - 1)) {
            let phrase = line(text.get(start.start..end.end).unwrap_or_default());
            found.push(Resolved { phrase, first, last });
        }
        at += length;
    }
    found
}

/// The days of relative times as a note: "next Tuesday: 26 May 2026". Absent if there are none.
pub fn note(found: &[Resolved]) -> Option<String> {
    let days: Vec<String> = found.iter().map(|one| format!("{}: {}", one.phrase, format_days(one))).collect();
    (!days.is_empty()).then(|| days.join("; "))
}

/// A day, a month, a year, or the first and last day of anything else.
fn format_days(date: &Resolved) -> String {
    let Resolved { first, last, .. } = date;
    let day = |day: &NaiveDate| day.format("%-d %B %Y").to_string();
    if first == last {
        day(first)
    } else if whole_year(first.year()) == Some((*first, *last)) {
        first.year().to_string()
    } else if whole_month(*first) == Some((*first, *last)) {
        first.format("%B %Y").to_string()
    } else {
        format!("{} to {}", day(first), day(last))
    }
}

type Period = (NaiveDate, NaiveDate);

/// How many words at the beginning of `words` name a time, and its first and last day.
fn read(words: &[&str], day: NaiveDate) -> Option<(usize, Period)> {
    let ahead = |days: u64| day.checked_add_days(Days::new(days)).map(|day| (day, day));
    let back = |days: u64| day.checked_sub_days(Days::new(days)).map(|day| (day, day));
    let (length, period) = match words {
        ["the", "day", "before", "yesterday", ..] => (4, back(2)),
        ["the", "day", "after", "tomorrow", ..] => (4, ahead(2)),
        ["yesterday", ..] => (1, back(1)),
        ["last", "night" | "evening", ..] => (2, back(1)),
        ["today" | "tonight", ..] => (1, Some((day, day))),
        ["this", "morning" | "afternoon" | "evening", ..] => (2, Some((day, day))),
        ["tomorrow", ..] => (1, ahead(1)),
        ["in", count, unit, ..] => (3, count_of(count).and_then(|count| moved(day, i64::from(count), unit))),
        [count, unit, "ago", ..] => (3, count_of(count).and_then(|count| moved(day, -i64::from(count), unit))),
        ["a", "couple", "of", unit, "ago", ..] => (5, moved(day, -2, unit)),
        [which @ ("last" | "next" | "this"), unit, ..] => (2, named(day, which, unit)),
        _ => return None,
    };
    Some((length, period?))
}

fn count_of(word: &str) -> Option<u32> {
    let count = NUMBERS.iter().find(|(name, _)| *name == word).map(|(_, count)| *count).or_else(|| word.parse().ok())?;
    (1..=FARTHEST).contains(&count).then_some(count)
}

/// The day, week, month or year that lies `count` units away.
fn moved(day: NaiveDate, count: i64, unit: &str) -> Option<Period> {
    let by_days = |days: i64| {
        if days < 0 { day.checked_sub_days(Days::new(days.unsigned_abs())) } else { day.checked_add_days(Days::new(days.unsigned_abs())) }
    };
    let months = |count: i64| {
        let months = Months::new(u32::try_from(count.unsigned_abs()).ok()?);
        if count < 0 { day.checked_sub_months(months) } else { day.checked_add_months(months) }
    };
    match unit.strip_suffix('s').unwrap_or(unit) {
        "day" => by_days(count).map(|day| (day, day)),
        "week" => week(by_days(7 * count)?),
        "month" => whole_month(months(count)?),
        "year" => whole_year(months(12 * count)?.year()),
        _ => None,
    }
}

/// "last Friday", "next week", "this summer" are left out where people mean different days.
fn named(day: NaiveDate, which: &str, unit: &str) -> Option<Period> {
    let step = match which {
        "last" => -1,
        "next" => 1,
        _ => 0,
    };
    if let Some(weekday) = WEEKDAYS.iter().position(|name| *name == unit) {
        return weekday_near(day, step, u64::try_from(weekday).ok()?);
    }
    if let Some(month) = MONTHS.iter().position(|name| *name == unit) {
        return month_near(day, step, u32::try_from(month + 1).ok()?);
    }
    match unit {
        "week" | "month" | "year" => moved(day, step.into(), unit),
        "weekend" => {
            let (_, sunday) = week(day)?;
            // On a Sunday "last weekend" may be the one that ends today; a week before is what most people mean.
            let sunday = if step < 0 {
                sunday.checked_sub_days(Days::new(7))
            } else {
                sunday.checked_add_days(Days::new(7 * u64::try_from(step).ok()?))
            }?;
            Some((sunday.pred_opt()?, sunday))
        }
        _ => None,
    }
}

/// "last" is the latest such day before today, "next" the one in the week after this, or the coming one if this week's is past.
fn weekday_near(day: NaiveDate, step: i32, weekday: u64) -> Option<Period> {
    let monday = week(day)?.0;
    let this = monday.checked_add_days(Days::new(weekday))?;
    let chosen = match step {
        -1 if this < day => this,
        -1 => this.checked_sub_days(Days::new(7))?,
        1 => this.checked_add_days(Days::new(7))?,
        _ => this,
    };
    Some((chosen, chosen))
}

/// The latest such month before this one, the next one after it, or that of this year.
fn month_near(day: NaiveDate, step: i32, month: u32) -> Option<Period> {
    let year = match step {
        -1 if month >= day.month() => day.year() - 1,
        1 if month <= day.month() => day.year() + 1,
        _ => day.year(),
    };
    whole_month(NaiveDate::from_ymd_opt(year, month, 1)?)
}

/// Monday to Sunday around `day`.
fn week(day: NaiveDate) -> Option<Period> {
    let monday = day.checked_sub_days(Days::new(u64::from(day.weekday().num_days_from_monday())))?;
    Some((monday, monday.checked_add_days(Days::new(6))?))
}

fn whole_month(day: NaiveDate) -> Option<Period> {
    let first = day.with_day(1)?;
    Some((first, first.checked_add_months(Months::new(1))?.pred_opt()?))
}

fn whole_year(year: i32) -> Option<Period> {
    Some((NaiveDate::from_ymd_opt(year, 1, 1)?, NaiveDate::from_ymd_opt(year, 12, 31)?))
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;
    use proptest::prelude::*;

    fn note_on(sentence: &str, (year, month, day): (i32, u32, u32)) -> String {
        note(&relative(sentence, &words(sentence), NaiveDate::from_ymd_opt(year, month, day).unwrap())).unwrap_or_default()
    }

    /// A Thursday.
    const THURSDAY: (i32, u32, u32) = (2026, 5, 21);

    #[test]
    fn days_are_resolved() {
        for (phrase, date) in [
            ("yesterday", "20 May 2026"),
            ("tomorrow", "22 May 2026"),
            ("last night", "20 May 2026"),
            ("next Tuesday", "26 May 2026"),
            ("last Friday", "15 May 2026"),
            ("this Saturday", "23 May 2026"),
            ("three days ago", "18 May 2026"),
            ("in 10 days", "31 May 2026"),
            ("the day before yesterday", "19 May 2026"),
            ("two weeks ago", "4 May 2026 to 10 May 2026"),
            ("a couple of weeks ago", "4 May 2026 to 10 May 2026"),
            ("last weekend", "16 May 2026 to 17 May 2026"),
            ("next month", "June 2026"),
            ("last August", "August 2025"),
            ("two years ago", "2024"),
            ("last year", "2025"),
        ] {
            assert_eq!(note_on(&format!("We meet {phrase}."), THURSDAY), format!("{phrase}: {date}"));
        }
    }

    #[test]
    fn the_ends_of_months_and_years_hold() {
        assert_eq!(note_on("in a month", (2026, 12, 31)), "in a month: January 2027");
        assert_eq!(note_on("a month ago", (2024, 3, 31)), "a month ago: February 2024");
        assert_eq!(note_on("yesterday", (2024, 3, 1)), "yesterday: 29 February 2024");
        assert_eq!(note_on("next Monday", (2026, 5, 18)), "next Monday: 25 May 2026", "said on a Monday");
    }

    #[test]
    fn vague_or_quoted_times_stay_as_they_are() {
        for sentence in ["a few days ago", "in two minutes", "he said \"see you tomorrow\"", "the last thing", "in a row"] {
            assert_eq!(note_on(sentence, THURSDAY), "");
        }
    }

    proptest! {
        #[test]
        fn no_day_and_no_number_overflows(days in 0i32..3_000_000, count in 0u64..u64::MAX, unit in "(day|week|month|year)s?") {
            if let Some(day) = NaiveDate::from_num_days_from_ce_opt(days) {
                let sentence = format!("{count} {unit} ago, in {count} {unit}, last {unit}, next {unit}, next monday");
                relative(&sentence, &words(&sentence), day);
            }
        }
    }
}

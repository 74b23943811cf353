//! Relative times ("next Tuesday", "two weeks ago") resolved against the day of the turn. English, pure.

use super::word::{Word, line};
use chrono::{Datelike, Months, NaiveDate, TimeDelta};
use words::minutes::format_day;

const WEEKDAYS: &[&str] = &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const MONTHS: &[&str] =
    &["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
#[rustfmt::skip]
const NUMBERS: &[(&str, i64)] = &[
    ("a", 1), ("an", 1), ("one", 1), ("two", 2), ("three", 3), ("four", 4), ("five", 5), ("six", 6), ("seven", 7), ("eight", 8),
    ("nine", 9), ("ten", 10), ("eleven", 11), ("twelve", 12),
];
/// The largest number of periods that is resolved: beyond it a date would be a guess.
const FARTHEST: i64 = 200;

/// The first and the last day.
type Period = (NaiveDate, NaiveDate);

/// The relative times of a text that was said on `day`, with the days that they mean: "next Tuesday: 26 May 2026". Absent if there are none.
pub fn note(text: &str, words: &[Word], day: NaiveDate) -> Option<String> {
    let lowers: Vec<&str> = words.iter().map(|word| word.lower.as_str()).collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(first) = words.get(at) {
        let read = lowers.get(at..).filter(|_| !first.quoted).and_then(|rest| read(rest, day));
        at += read.map_or(1, |(length, _)| length);
        if let (Some((_, period)), Some(last)) = (read, words.get(at - 1)) {
            found.push(format!("{}: {}", line(text.get(first.start..last.end).unwrap_or_default()), days(period)));
        }
    }
    (!found.is_empty()).then(|| found.join("; "))
}

/// A day, a month, a year, or the first and last day of anything else.
fn days((first, last): Period) -> String {
    if first == last {
        format_day(first)
    } else if whole_year(first.year()) == Some((first, last)) {
        first.year().to_string()
    } else if whole_month(first) == Some((first, last)) {
        first.format("%B %Y").to_string()
    } else {
        format!("{} to {}", format_day(first), format_day(last))
    }
}

/// How many words at the beginning of `words` name a time, and its first and last day.
fn read(words: &[&str], day: NaiveDate) -> Option<(usize, Period)> {
    let away = |days| moved(day, days, "day");
    let (length, period) = match words {
        ["the", "day", "before", "yesterday", ..] => (4, away(-2)),
        ["the", "day", "after", "tomorrow", ..] => (4, away(2)),
        ["yesterday", ..] => (1, away(-1)),
        ["last", "night" | "evening", ..] => (2, away(-1)),
        ["today" | "tonight", ..] => (1, away(0)),
        ["this", "morning" | "afternoon" | "evening", ..] => (2, away(0)),
        ["tomorrow", ..] => (1, away(1)),
        ["in", count, unit, ..] => (3, count_of(count).and_then(|count| moved(day, count, unit))),
        [count, unit, "ago", ..] => (3, count_of(count).and_then(|count| moved(day, -count, unit))),
        ["a", "couple", "of", unit, "ago", ..] => (5, moved(day, -2, unit)),
        [which @ ("last" | "next" | "this"), unit, ..] => (2, named(day, which, unit)),
        _ => return None,
    };
    Some((length, period?))
}

fn count_of(word: &str) -> Option<i64> {
    let count = NUMBERS.iter().find(|(name, _)| *name == word).map(|(_, count)| *count).or_else(|| word.parse().ok())?;
    (1..=FARTHEST).contains(&count).then_some(count)
}

/// The day, week, month or year that lies `count` units away.
fn moved(day: NaiveDate, count: i64, unit: &str) -> Option<Period> {
    match unit.strip_suffix('s').unwrap_or(unit) {
        "day" => add(day, count).map(|day| (day, day)),
        "week" => week(add(day, 7 * count)?),
        "month" => {
            let months = Months::new(u32::try_from(count.unsigned_abs()).ok()?);
            whole_month(if count < 0 { day.checked_sub_months(months)? } else { day.checked_add_months(months)? })
        }
        "year" => whole_year(day.year() + i32::try_from(count).ok()?),
        _ => None,
    }
}

/// "last Friday" is the latest one before today, "next Friday" the one in the week after this; "last May" is the latest one before this month.
/// "this summer" is left out: people mean different days.
fn named(day: NaiveDate, which: &str, unit: &str) -> Option<Period> {
    let step = match which {
        "last" => -1,
        "next" => 1,
        _ => 0,
    };
    if let Some(weekday) = WEEKDAYS.iter().position(|name| *name == unit) {
        let this = add(week(day)?.0, i64::try_from(weekday).ok()?)?;
        let weeks = if step < 0 && this < day { 0 } else { step };
        return add(this, 7 * weeks).map(|day| (day, day));
    }
    if let Some(month) = MONTHS.iter().position(|name| *name == unit) {
        let month = u32::try_from(month + 1).ok()?;
        let years = match step {
            -1 if month >= day.month() => -1,
            1 if month <= day.month() => 1,
            _ => 0,
        };
        return whole_month(NaiveDate::from_ymd_opt(day.year() + years, month, 1)?);
    }
    match unit {
        "week" | "month" | "year" => moved(day, step, unit),
        // On a Sunday "last weekend" may be the one that ends today; the one before is what most people mean.
        "weekend" => week(add(day, 7 * step)?).and_then(|(_, sunday)| Some((sunday.pred_opt()?, sunday))),
        _ => None,
    }
}

fn add(day: NaiveDate, days: i64) -> Option<NaiveDate> {
    day.checked_add_signed(TimeDelta::try_days(days)?)
}

/// Monday to Sunday around `day`.
fn week(day: NaiveDate) -> Option<Period> {
    let monday = add(day, -i64::from(day.weekday().num_days_from_monday()))?;
    Some((monday, add(monday, 6)?))
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
    use super::super::word::words;
    use super::*;
    use proptest::prelude::*;

    fn note_on(sentence: &str, (year, month, day): (i32, u32, u32)) -> String {
        note(sentence, &words(sentence), NaiveDate::from_ymd_opt(year, month, day).unwrap()).unwrap_or_default()
    }

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
                note(&sentence, &words(&sentence), day);
            }
        }
    }
}

//! Dates and times as transcripts write them. A date whose day and month could be swapped is not read.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveTime, Utc};

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: &[&str] = &["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// A date, a time of day, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    pub date: Option<NaiveDate>,
    pub time: Option<NaiveTime>,
    /// East of Greenwich, in seconds.
    pub offset: i32,
}

impl Stamp {
    /// The moment, in the years 1970 to 2100; a time alone is on `day`, a date alone begins at midnight.
    pub fn at(&self, day: Option<NaiveDate>) -> Option<DateTime<Utc>> {
        let local = self.date.or(day)?.and_time(self.time.unwrap_or_default());
        let at = local.and_local_timezone(FixedOffset::east_opt(self.offset)?).single()?.to_utc();
        Some(at).filter(|at| plausible(*at))
    }
}

/// Whether a message may have been said then. Anything else is a number that means something else, or a slip.
pub fn plausible(at: DateTime<Utc>) -> bool {
    (1970..=2100).contains(&at.year())
}

/// The date or time at the beginning of `text`, and how many bytes it has.
pub fn read(text: &str) -> Option<(Stamp, usize)> {
    let mut stamp = Stamp::default();
    let mut rest = weekday(text);
    if let Some((date, after)) = iso_date(rest).or_else(|| worded_date(rest)).or_else(|| numbered_date(rest)) {
        stamp.date = Some(date);
        rest = after;
    }
    let gap = rest.trim_start_matches([',', ' ', 'T']);
    let gap = gap.strip_prefix("at ").unwrap_or(gap);
    if let Some((time, after)) = (stamp.date.is_none() || gap.len() < rest.len()).then(|| time(gap)).flatten() {
        stamp.time = Some(time);
        (stamp.offset, rest) = zone(after);
    }
    (stamp.date.is_some() || stamp.time.is_some()).then(|| (stamp, text.len() - rest.len()))
}

/// Without the name of a day at the beginning.
fn weekday(text: &str) -> &str {
    let length = text.bytes().take(10).take_while(u8::is_ascii_alphabetic).count();
    let named = length >= 3 && text.get(..3).is_some_and(|start| WEEKDAYS.contains(&start.to_ascii_lowercase().as_str()));
    let rest = text.get(length..).unwrap_or_default();
    if named && rest.starts_with([',', ' ']) { rest.trim_start_matches([',', ' ']) } else { text }
}

fn number(text: &str, most: usize) -> Option<(u32, usize, &str)> {
    let length = text.bytes().take(most + 1).take_while(u8::is_ascii_digit).count();
    let value = text.get(..length).filter(|_| length > 0 && length <= most)?.parse().ok()?;
    Some((value, length, text.get(length..)?))
}

fn iso_date(text: &str) -> Option<(NaiveDate, &str)> {
    let (year, digits, rest) = number(text, 4)?;
    let mark = rest.chars().next().filter(|c| matches!(c, '-' | '/' | '.') && digits == 4)?;
    let (month, _, rest) = number(rest.strip_prefix(mark)?, 2)?;
    let (day, _, rest) = number(rest.strip_prefix(mark)?, 2)?;
    Some((NaiveDate::from_ymd_opt(year.try_into().ok()?, month, day)?, rest))
}

/// "3 May 2026", "May 3rd, 2026".
fn worded_date(text: &str) -> Option<(NaiveDate, &str)> {
    let (day, month, rest) = match number(text, 2) {
        Some((day, _, rest)) => {
            let (month, rest) = month(ordinal(rest).trim_start_matches([' ', '.', '-']))?;
            (day, month, rest)
        }
        None => {
            let (month, rest) = month(text)?;
            let (day, _, rest) = number(rest.trim_start_matches([' ', '.']), 2)?;
            (day, month, ordinal(rest))
        }
    };
    let (year, _, rest) = number(rest.trim_start_matches([' ', ',', '.', '-']), 4).filter(|(_, digits, _)| *digits == 4)?;
    Some((NaiveDate::from_ymd_opt(year.try_into().ok()?, month, day)?, rest))
}

fn ordinal(text: &str) -> &str {
    ["st", "nd", "rd", "th"].iter().find_map(|ending| text.strip_prefix(ending)).unwrap_or(text)
}

fn month(text: &str) -> Option<(u32, &str)> {
    let length = text.bytes().take(10).take_while(u8::is_ascii_alphabetic).count();
    let start = text.get(..3).filter(|_| length >= 3)?.to_ascii_lowercase();
    let place = MONTHS.iter().position(|month| *month == start)?;
    Some((u32::try_from(place + 1).ok()?, text.get(length..)?))
}

/// "31.05.2026" has the day first; "31/05/2026" only where it cannot be the month.
fn numbered_date(text: &str) -> Option<(NaiveDate, &str)> {
    let (first, _, rest) = number(text, 2)?;
    let mark = rest.chars().next().filter(|c| matches!(c, '/' | '.' | '-'))?;
    let (second, _, rest) = number(rest.strip_prefix(mark)?, 2)?;
    let (year, digits, rest) = number(rest.strip_prefix(mark)?, 4)?;
    let year: i32 = if digits == 2 { 2000 + year } else { year }.try_into().ok()?;
    let (day, month) = match (mark, first > 12, second > 12) {
        ('.', ..) | (_, true, false) => (first, second),
        (_, false, true) => (second, first),
        _ if first == second => (first, second),
        _ => return None,
    };
    Some((NaiveDate::from_ymd_opt(year, month, day)?, rest))
}

/// "9:12", "09:12:30.5", "9:12 PM".
fn time(text: &str) -> Option<(NaiveTime, &str)> {
    let (hour, _, rest) = number(text, 2)?;
    let (minute, digits, mut rest) = number(rest.strip_prefix(':')?, 2)?;
    let mut second = 0;
    if let Some((value, 2, after)) = rest.strip_prefix(':').and_then(|after| number(after, 2)) {
        second = value;
        rest = after.strip_prefix('.').map_or(after, |fraction| fraction.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    let marked = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
    let half = marked
        .get(..2)
        .map(str::to_ascii_lowercase)
        .filter(|_| !marked.get(2..).is_some_and(|after| after.starts_with(char::is_alphanumeric)));
    let hour = match half.as_deref() {
        Some("am" | "pm") if hour == 0 || hour > 12 => return None,
        Some("am") => hour % 12,
        Some("pm") => hour % 12 + 12,
        _ => hour,
    };
    if matches!(half.as_deref(), Some("am" | "pm")) {
        rest = marked.get(2..)?;
    }
    Some((NaiveTime::from_hms_opt(hour, minute, second).filter(|_| digits == 2)?, rest))
}

/// "Z", "+02:00", " UTC"; nothing is UTC.
fn zone(text: &str) -> (i32, &str) {
    if let Some(rest) = text.strip_prefix('Z').or_else(|| text.strip_prefix(" UTC")) {
        return (0, rest);
    }
    let offset = || {
        let sign = match text.chars().next()? {
            '+' => 1,
            '-' => -1,
            _ => return None,
        };
        let (hours, _, rest) = number(text.get(1..)?, 2)?;
        let (minutes, _, rest) = number(rest.strip_prefix(':')?, 2)?;
        Some((sign * i32::try_from(hours * 3600 + minutes * 60).ok()?, rest))
    };
    offset().unwrap_or((0, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn common_shapes_are_read() {
        for (text, expected) in [
            ("2026-05-03 09:12", "2026-05-03T09:12:00+00:00"),
            ("2026-05-03T09:12:30.25Z", "2026-05-03T09:12:30+00:00"),
            ("2026-05-03T09:12:00+02:00", "2026-05-03T07:12:00+00:00"),
            ("Sunday, May 3, 2026 at 9:12 PM", "2026-05-03T21:12:00+00:00"),
            ("3 May 2026", "2026-05-03T00:00:00+00:00"),
            ("31/05/26, 09:12", "2026-05-31T09:12:00+00:00"),
            ("05/31/2026, 12:12 AM", "2026-05-31T00:12:00+00:00"),
            ("3.5.2026", "2026-05-03T00:00:00+00:00"),
        ] {
            let (stamp, length) = read(text).unwrap();
            assert_eq!((stamp.at(None).unwrap().to_rfc3339().as_str(), length), (expected, text.len()), "{text}");
        }
        let (stamp, _) = read("9:12 rest").unwrap();
        assert_eq!(stamp.at(None), None);
        let (stamp, _) = read("0026-05-03 9:12").unwrap();
        assert_eq!(stamp.at(None), None);
    }

    #[test]
    fn what_is_unclear_or_impossible_is_not_read() {
        for text in ["03/05/2026", "2026-02-30", "25:00", "May be", "12 monkeys 2026", "9:5", "13:12 PM"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_reading(text in "([0-9:/. ,\\-TZ+]|am|PM|May|Mon|\\PC){0,30}") {
            if let Some((stamp, length)) = read(&text) {
                prop_assert!(text.is_char_boundary(length));
                stamp.at(None);
            }
        }
    }
}

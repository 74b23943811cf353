//! Dates and times as transcripts write them. Which number of 03/05/2026 is the day follows from the other dates of the text, or is not
//! known.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveTime, Utc};

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: &[&str] = &["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// Spaces between a time and the half of the day.
const SPACES: [char; 3] = [' ', '\u{a0}', '\u{202f}'];
/// Words between a date and a time.
const BETWEEN: &[&str] = &["at ", "um ", "à ", "kl. ", "klo ", "a las "];
/// Halves of the day that stand before the time, and whether they are the second.
const BEFORE: &[(&str, bool)] = &[("오전", false), ("오후", true), ("上午", false), ("下午", true), ("午前", false), ("午後", true)];

/// A date, a time of day, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    pub date: Option<NaiveDate>,
    pub time: Option<NaiveTime>,
    /// East of Greenwich, in seconds; absent where no zone is written.
    pub offset: Option<i32>,
    /// The date, if its day and its month are both numbers.
    pub numbers: Option<Numbers>,
}

/// When something was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// On the clock of its own zone.
    pub at: DateTime<FixedOffset>,
    /// A time of day without a zone, which is read as UTC for now.
    pub local: bool,
}

/// A date such as 03/05/2026.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    first: u32,
    second: u32,
    year: i32,
}

/// Which number of a date comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Day,
    Month,
}

impl Numbers {
    fn date(self, order: Order) -> Option<NaiveDate> {
        match order {
            Order::Day => NaiveDate::from_ymd_opt(self.year, self.second, self.first),
            Order::Month => NaiveDate::from_ymd_opt(self.year, self.first, self.second),
        }
    }
}

/// Decides once for the stamps of a text, in their order, whether the day or the month comes first. True: for some it cannot be told.
pub fn settle(stamps: Vec<&mut Stamp>) -> bool {
    let dates: Vec<Numbers> = stamps.iter().filter_map(|stamp| stamp.numbers).collect();
    let order = order(&dates);
    let mut unclear = false;
    for stamp in stamps.into_iter().filter(|stamp| stamp.is_unclear()) {
        stamp.date = stamp.numbers.zip(order).and_then(|(numbers, order)| numbers.date(order));
        unclear |= stamp.is_unclear();
    }
    unclear
}

/// The order in which all are dates; if both fit, the one in which they do not run backwards.
fn order(dates: &[Numbers]) -> Option<Order> {
    let fits = |order: Order| dates.iter().all(|numbers| numbers.date(order).is_some());
    let grows = |order: Order| fits(order) && dates.iter().map(|numbers| numbers.date(order)).is_sorted();
    let only = |is_right: &dyn Fn(Order) -> bool| match (is_right(Order::Day), is_right(Order::Month)) {
        (true, false) => Some(Order::Day),
        (false, true) => Some(Order::Month),
        _ => None,
    };
    only(&fits).or_else(|| only(&grows))
}

impl Stamp {
    /// Whether it has a date, but nobody knows which.
    pub fn is_unclear(&self) -> bool {
        self.date.is_none() && self.numbers.is_some()
    }

    /// Whether it has a date and a time of day.
    pub fn is_whole(&self) -> bool {
        (self.date.is_some() || self.numbers.is_some()) && self.time.is_some()
    }

    /// The moment, in the years 1970 to 2100; a time alone is on `day`, a date alone begins at midnight.
    pub fn at(&self, day: Option<NaiveDate>) -> Option<Moment> {
        let day = if self.is_unclear() { None } else { self.date.or(day) };
        let clock = day?.and_time(self.time.unwrap_or_default());
        let at = clock.and_local_timezone(FixedOffset::east_opt(self.offset.unwrap_or_default())?).single()?;
        // A day alone is that day in every zone.
        plausible(at.to_utc()).then_some(Moment { at, local: self.offset.is_none() && self.time.is_some() })
    }
}

/// Whether a message may have been said then. Anything else is a number that means something else, or a slip.
pub fn plausible(at: DateTime<Utc>) -> bool {
    (1970..=2100).contains(&at.year())
}

/// The date or time at the beginning of `text`, and how many bytes it has; `None` if its day and month could be swapped.
pub fn read(text: &str) -> Option<(Stamp, usize)> {
    unsettled(text).filter(|(stamp, _)| !stamp.is_unclear())
}

/// As [`read`], with dates that wait for [`settle`].
pub fn unsettled(text: &str) -> Option<(Stamp, usize)> {
    let mut stamp = Stamp::default();
    let mut rest = weekday(text);
    if let Some((date, after)) = iso_date(rest).or_else(|| worded_date(rest)) {
        stamp.date = Some(date);
        rest = after;
    } else if let Some((date, numbers, after)) = numbered_date(rest) {
        (stamp.date, stamp.numbers) = (date, Some(numbers));
        rest = after;
    }
    let dated = stamp.date.is_some() || stamp.numbers.is_some();
    let gap = rest.trim_start_matches([',', ' ', 'T', '\u{a0}', '\u{202f}']);
    let gap = BETWEEN.iter().find_map(|word| gap.strip_prefix(word)).unwrap_or(gap);
    if let Some((time, after)) = (!dated || gap.len() < rest.len()).then(|| time(gap, dated)).flatten() {
        stamp.time = Some(time);
        (stamp.offset, rest) = zone(after);
    }
    (dated || stamp.time.is_some()).then(|| (stamp, text.len() - rest.len()))
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
    let (month, _, rest) = number(rest.strip_prefix(mark)?.trim_start(), 2)?;
    let (day, _, rest) = number(rest.strip_prefix(mark)?.trim_start(), 2)?;
    // "2026. 5. 3." in Korea and Hungary.
    let rest = rest.strip_prefix('.').filter(|_| mark == '.').unwrap_or(rest);
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
fn numbered_date(text: &str) -> Option<(Option<NaiveDate>, Numbers, &str)> {
    let (first, _, rest) = number(text, 2)?;
    let mark = rest.chars().next().filter(|c| matches!(c, '/' | '.' | '-'))?;
    let (second, _, rest) = number(rest.strip_prefix(mark)?.trim_start(), 2)?;
    let (year, digits, rest) = number(rest.strip_prefix(mark)?.trim_start(), 4)?;
    let year = match digits {
        2 => 2000 + year,
        4 => year,
        _ => return None,
    };
    let numbers = Numbers { first, second, year: year.try_into().ok()? };
    let date = match (numbers.date(Order::Day), numbers.date(Order::Month)) {
        (day, _) if mark == '.' => Some(day?),
        (None, None) => return None,
        (Some(date), None) | (None, Some(date)) => Some(date),
        (Some(one), Some(other)) => Some(one).filter(|_| one == other),
    };
    Some((date, numbers, rest))
}

/// "9:12", "09:12:30.5", "9:12 PM", "9:12 a. m."; after a date "9.12", too.
fn time(text: &str, dated: bool) -> Option<(NaiveTime, &str)> {
    let before = BEFORE.iter().find_map(|(mark, second)| Some((*second, text.strip_prefix(mark)?.trim_start_matches(SPACES))));
    let (mut half, text) = before.map_or((None, text), |(second, text)| (Some(second), text));
    let (hour, _, rest) = number(text, 2)?;
    let mark = rest.chars().next().filter(|c| *c == ':' || dated && *c == '.')?;
    let (minute, digits, mut rest) = number(rest.strip_prefix(mark)?, 2)?;
    let mut second = 0;
    if let Some((value, 2, after)) = rest.strip_prefix(mark).and_then(|after| number(after, 2)) {
        second = value;
        rest = after.strip_prefix('.').map_or(after, |fraction| fraction.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    if let Some((second, after)) = half_after(rest) {
        half = Some(second);
        rest = after;
    }
    let hour = match half {
        Some(_) if hour == 0 || hour > 12 => return None,
        Some(second) => hour % 12 + if second { 12 } else { 0 },
        None => hour,
    };
    Some((NaiveTime::from_hms_opt(hour, minute, second).filter(|_| digits == 2)?, rest))
}

/// Whether "AM", "p.m." or "a. m." is the second half of the day, and what follows.
fn half_after(text: &str) -> Option<(bool, &str)> {
    let marked = text.trim_start_matches(SPACES);
    let (second, rest) = match marked.strip_prefix(['a', 'A']) {
        Some(rest) => (false, rest),
        None => (true, marked.strip_prefix(['p', 'P'])?),
    };
    let rest = rest.strip_prefix('.').map_or(rest, |dotted| dotted.trim_start_matches(SPACES));
    let rest = rest.strip_prefix(['m', 'M'])?;
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    (!rest.starts_with(char::is_alphanumeric)).then_some((second, rest))
}

/// "Z", "+02:00", " UTC".
fn zone(text: &str) -> (Option<i32>, &str) {
    if let Some(rest) = text.strip_prefix('Z').or_else(|| text.strip_prefix(" UTC")) {
        return (Some(0), rest);
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
    offset().map_or((None, text), |(offset, rest)| (Some(offset), rest))
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
            ("2026-05-03T09:12:00+02:00", "2026-05-03T09:12:00+02:00"),
            ("Sunday, May 3, 2026 at 9:12 PM", "2026-05-03T21:12:00+00:00"),
            ("3 May 2026", "2026-05-03T00:00:00+00:00"),
            ("31/05/26, 09:12", "2026-05-31T09:12:00+00:00"),
            ("05/31/2026, 12:12 AM", "2026-05-31T00:12:00+00:00"),
            ("3.5.2026", "2026-05-03T00:00:00+00:00"),
            ("03.05.26 klo 9.12", "2026-05-03T09:12:00+00:00"),
            ("13/5/2026, 9:12\u{a0}p.\u{a0}m.", "2026-05-13T21:12:00+00:00"),
            ("2026. 5. 3. 오후 9:12", "2026-05-03T21:12:00+00:00"),
            ("2026/5/3 上午9:12", "2026-05-03T09:12:00+00:00"),
        ] {
            let (stamp, length) = read(text).unwrap();
            assert_eq!((stamp.at(None).unwrap().at.to_rfc3339().as_str(), length), (expected, text.len()), "{text}");
        }
        let (stamp, _) = read("9:12 rest").unwrap();
        assert_eq!(stamp.at(None), None);
        let (stamp, _) = read("0026-05-03 9:12").unwrap();
        assert_eq!(stamp.at(None), None);
    }

    #[test]
    fn a_time_of_day_without_a_zone_is_local() {
        for (text, local) in [
            ("2026-05-03 09:12", true),
            ("2026-05-03 09:12 UTC", false),
            ("2026-05-03T09:12Z", false),
            ("2026-05-03T09:12+02:00", false),
            ("3 May 2026", false),
        ] {
            assert_eq!(read(text).unwrap().0.at(None).unwrap().local, local, "{text}");
        }
    }

    /// The dates of a text; `None` where they cannot be told.
    fn settled(texts: &[&str]) -> Option<Vec<String>> {
        let mut stamps: Vec<Stamp> = texts.iter().map(|text| unsettled(text).unwrap().0).collect();
        let unclear = settle(stamps.iter_mut().collect());
        (!unclear).then(|| stamps.iter().map(|stamp| stamp.date.unwrap().to_string()).collect())
    }

    #[test]
    fn the_order_of_day_and_month_is_decided_once() {
        let dates = |dates: &[&str]| Some(dates.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(settled(&["5/3/26", "5/13/26"]), dates(&["2026-05-03", "2026-05-13"]));
        assert_eq!(settled(&["3/5/26", "13/5/26"]), dates(&["2026-05-03", "2026-05-13"]));
        // Only one order is an order of time.
        assert_eq!(settled(&["30/4/26", "1/5/26"]), dates(&["2026-04-30", "2026-05-01"]));
        assert_eq!(settled(&["12/4/26", "1/5/26"]), dates(&["2026-04-12", "2026-05-01"]));
        assert_eq!(settled(&["4/12/26", "5/1/26"]), dates(&["2026-04-12", "2026-05-01"]));
        assert_eq!(settled(&["03.05.26"]), dates(&["2026-05-03"]));
        for unclear in [&["5/3/26"][..], &["5/3/26", "5/4/26"], &["13/5/26", "5/13/26", "5/3/26"]] {
            assert_eq!(settled(unclear), None, "{unclear:?}");
        }
    }

    #[test]
    fn what_is_unclear_or_impossible_is_not_read() {
        for text in ["03/05/2026", "2026-02-30", "25:00", "May be", "12 monkeys 2026", "9:5", "13:12 PM", "1.2.3"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_reading(text in "([0-9:/. ,\\-TZ+]|am|PM|May|Mon|\\PC){0,30}") {
            if let Some((stamp, length)) = unsettled(&text) {
                prop_assert!(text.is_char_boundary(length));
                stamp.at(None);
            }
        }
    }
}

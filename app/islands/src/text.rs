//! Formats numbers, times and messages for people.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, TimeDelta};

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Formats a number with separators: `12,431`.
pub fn number(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut text = String::from(if n < 0 { "−" } else { "" });
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number with its noun: `1 memory`, `12,431 memories`.
pub fn count(n: i64, one: &str, many: &str) -> String {
    format!("{} {}", number(n), if n == 1 { one } else { many })
}

/// Formats a day: `14 Jun 2026`.
pub fn day(day: NaiveDate) -> String {
    format!("{} {} {}", day.day(), month(day.month0()), day.year())
}

/// Formats a day without its year: `14 Jun`.
pub fn short_day(day: NaiveDate) -> String {
    format!("{} {}", day.day(), month(day.month0()))
}

/// Formats a number of bytes: `512 bytes`, `12 KB`, `3.4 MB`.
pub fn bytes(n: i64) -> String {
    match n.max(0) {
        n @ ..1_000 => count(n, "byte", "bytes"),
        n @ 1_000..1_000_000 => format!("{} KB", (n + 500) / 1_000),
        n => format!("{}.{} MB", n / 1_000_000, n % 1_000_000 / 100_000),
    }
}

/// Formats a time relative to `now`: `4 min ago`, `yesterday`, `in 3 days`; as a day when it is more than a month away.
pub fn relative(at: &DateTime<FixedOffset>, now: &DateTime<FixedOffset>) -> String {
    let apart = *now - *at;
    let (size, future) = (apart.abs(), apart < TimeDelta::zero());
    let distance = if size < TimeDelta::seconds(45) {
        return if future { "in a moment" } else { "just now" }.to_owned();
    } else if size < TimeDelta::minutes(59) {
        format!("{} min", (size.num_seconds() + 30) / 60)
    } else if size < TimeDelta::hours(23) {
        format!("{} h", (size.num_minutes() + 30) / 60)
    } else if size < TimeDelta::hours(36) {
        return if future { "tomorrow" } else { "yesterday" }.to_owned();
    } else if size < TimeDelta::days(31) {
        format!("{} days", (size.num_hours() + 12) / 24)
    } else if at.year() == now.year() {
        return short_day(at.date_naive());
    } else {
        return day(at.date_naive());
    };
    if future { format!("in {distance}") } else { format!("{distance} ago") }
}

/// Turns an error message into a sentence: a capital first and a full stop last.
pub fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let end = if text.ends_with(['.', '!', '?']) || text.is_empty() { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}

fn month(month0: u32) -> &'static str {
    MONTHS.iter().cycle().nth(month0 as usize).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{TimeZone, Utc};

    #[test]
    fn numbers_have_groups() {
        assert_eq!(["0", "999", "1,000", "12,431", "−1,234,567"], [0, 999, 1000, 12431, -1_234_567].map(number).as_slice());
        assert_eq!((count(1, "memory", "memories"), count(0, "memory", "memories")), ("1 memory".into(), "0 memories".into()));
    }

    #[test]
    fn sizes_have_a_unit() {
        assert_eq!([1, 999, 1_499, 12_500, 3_460_000].map(bytes), ["1 byte", "999 bytes", "1 KB", "13 KB", "3.4 MB"]);
    }

    #[test]
    fn times_read_as_people_say_them() {
        let now = Utc.with_ymd_and_hms(2026, 6, 14, 12, 0, 0).unwrap().fixed_offset();
        let ago = |seconds| relative(&(now - TimeDelta::seconds(seconds)), &now);
        assert_eq!(
            (ago(3), ago(240), ago(7200), ago(86_400)),
            ("just now".into(), "4 min ago".into(), "2 h ago".into(), "yesterday".into())
        );
        assert_eq!((ago(5 * 86_400), ago(40 * 86_400), ago(400 * 86_400)), ("5 days ago".into(), "5 May".into(), "10 May 2025".into()));
        assert_eq!((ago(-3 * 86_400), ago(-10)), ("in 3 days".into(), "in a moment".into()));
    }

    #[test]
    fn sentences_begin_and_end_as_such() {
        assert_eq!(
            (sentence("must not be empty"), sentence("Done."), sentence("")),
            ("Must not be empty.".into(), "Done.".into(), String::new())
        );
    }
}

//! When a message of a list was said: the usual names of the field, and the forms that programs write times in.

use super::stamp::{self, Moment, Stamp, plausible};
use chrono::{DateTime, FixedOffset, NaiveDate};
use serde_json::{Map, Value};

/// Names of the field without case, `_` and `-`, the surest first.
const NAMES: &[&str] = &[
    "at",
    "ts",
    "dateunixtime",
    "timestamp",
    "timestampms",
    "datetime",
    "date",
    "time",
    "sentat",
    "sent",
    "senttime",
    "createdat",
    "created",
    "createtime",
    "creationtime",
    "createdtime",
    "createdtimestamp",
    "postedat",
    "receivedat",
];
/// Numbers from here on are milliseconds, microseconds and nanoseconds since 1970; smaller ones are seconds.
const MILLISECONDS: f64 = 1e11;
const MICROSECONDS: f64 = 1e14;
const NANOSECONDS: f64 = 1e17;
/// Forms with a zone that RFC 3339 and RFC 2822 do not have.
const ZONED: &[&str] = &["%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f %#z", "%a %b %d %Y %H:%M:%S GMT%z"];

/// The time of a message, in the years 1970 to 2100. A date and a time of day may be in fields of their own.
pub fn of(message: &Map<String, Value>) -> Option<Moment> {
    let mut fields: Vec<(usize, &Value)> = message.iter().filter_map(|(name, value)| Some((rank(name)?, value))).collect();
    fields.sort_by_key(|(rank, _)| *rank);
    let found: Vec<Found> = fields.into_iter().filter_map(|(_, value)| read(value)).collect();
    let exact = found.iter().find_map(|one| if let Found::Moment(at) = one { Some(*at) } else { None });
    let day = found.iter().find_map(|one| if let Found::Part(stamp) = one { stamp.date } else { None });
    let clock =
        found.iter().find_map(|one| if let Found::Part(stamp) = one { Some(*stamp).filter(|one| one.date.is_none()) } else { None });
    exact.or_else(|| clock.and_then(|clock| clock.at(day))).or_else(|| Stamp { date: day, ..Stamp::default() }.at(None))
}

fn rank(name: &str) -> Option<usize> {
    let plain: String = name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect();
    NAMES.iter().position(|known| *known == plain)
}

/// What a field says.
enum Found {
    Moment(Moment),
    /// A date without a time of day, or the other way round.
    Part(Stamp),
}

fn read(value: &Value) -> Option<Found> {
    match value {
        Value::Number(number) => since_1970(number.as_f64()?),
        Value::String(text) => written(text.trim()),
        // As databases export a time.
        Value::Object(fields) => ["$date", "seconds", "_seconds"].iter().find_map(|name| fields.get(*name)).and_then(read),
        _ => None,
    }
}

fn since_1970(number: f64) -> Option<Found> {
    let micros = match number {
        _ if number >= NANOSECONDS => number / 1e3,
        _ if number >= MICROSECONDS => number,
        _ if number >= MILLISECONDS => number * 1e3,
        _ => number * 1e6,
    };
    DateTime::from_timestamp_micros(micros.round() as i64).and_then(|at| absolute(at.fixed_offset()))
}

/// A time that needs no zone.
fn absolute(at: DateTime<FixedOffset>) -> Option<Found> {
    plausible(at.to_utc()).then_some(Found::Moment(Moment { at, local: false }))
}

fn written(text: &str) -> Option<Found> {
    if let Some(day) = compact_date(text) {
        return Some(Found::Part(Stamp { date: Some(day), ..Stamp::default() }));
    }
    let is_number = text.starts_with(|c: char| c.is_ascii_digit()) && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if let Some(found) = Some(text).filter(|_| is_number).and_then(|text| since_1970(text.parse().ok()?)) {
        return Some(found);
    }
    if let Some(at) = zoned(text) {
        return absolute(at);
    }
    let (stamp, _) = stamp::read(text).filter(|(_, length)| *length == text.len())?;
    match stamp.date.is_some() && stamp.time.is_some() {
        true => stamp.at(None).map(Found::Moment),
        false => Some(Found::Part(stamp)),
    }
}

/// "20260503".
fn compact_date(text: &str) -> Option<NaiveDate> {
    let day = NaiveDate::parse_from_str(text, "%Y%m%d").ok().filter(|_| text.len() == 8)?;
    plausible(day.and_time(chrono::NaiveTime::MIN).and_utc()).then_some(day)
}

fn zoned(text: &str) -> Option<DateTime<FixedOffset>> {
    // "Sun May 03 2026 09:12:10 GMT+0200 (CEST)": the name repeats the offset.
    let named = text.split_once(" (").filter(|(_, name)| name.ends_with(')')).map_or(text, |(before, _)| before);
    let other = || ZONED.iter().find_map(|form| DateTime::parse_from_str(named, form).ok());
    DateTime::parse_from_rfc3339(text).ok().or_else(|| DateTime::parse_from_rfc2822(text).ok()).or_else(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{Datelike, SecondsFormat};
    use proptest::prelude::*;
    use serde_json::json;

    fn at(message: Value) -> Option<String> {
        of(message.as_object().unwrap()).map(|found| found.at.to_utc().to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }

    #[test]
    fn usual_forms_of_a_time_are_read() {
        let whole = Some("2026-05-03T09:12:10Z".to_owned());
        for value in [
            json!(1_777_799_530),
            json!(1_777_799_530_000_u64),
            json!(1_777_799_530_000_000_u64),
            json!(1_777_799_530_000_000_000_u64),
            json!(1_777_799_530.0),
            json!("1777799530"),
            json!("1777799530000"),
            json!("1777799530.000000"),
            json!("2026-05-03T09:12:10Z"),
            json!("2026-05-03T09:12:10"),
            json!("2026-05-03 09:12:10"),
            json!("2026-05-03T09:12:10.0000001Z"),
            json!("2026-05-03 09:12:10+00:00"),
            json!("2026-05-03 11:12:10 +0200"),
            json!("2026-05-03T11:12:10+0200"),
            json!("2026-05-03T11:12:10+02"),
            json!("Sun, 03 May 2026 11:12:10 +0200"),
            json!("Sun, 3 May 2026 09:12:10 GMT"),
            json!("Sun May 03 2026 11:12:10 GMT+0200 (Central European Summer Time)"),
            json!({ "$date": "2026-05-03T09:12:10Z" }),
            json!({ "seconds": 1_777_799_530, "nanoseconds": 5 }),
        ] {
            let read = at(json!({ "at": value })).map(|text| text.replace(".000000100", ""));
            assert_eq!(read, whole, "{value}");
        }
        for name in ["ts", "date", "time", "timestamp", "sent_at", "created_at", "createdAt", "Created-At", "create_time", "dateTime"] {
            assert_eq!(at(json!({ name: 1_777_799_530 })), whole, "{name}");
        }
        assert_eq!(at(json!({ "ts": "1777799530.000100" })).unwrap(), "2026-05-03T09:12:10.000100Z");
        assert_eq!(at(json!({ "timestamp": 1_777_799_530_123_u64 })).unwrap(), "2026-05-03T09:12:10.123Z");
    }

    #[test]
    fn a_time_keeps_its_offset_or_is_local() {
        let found = |at: Value| of(json!({ "at": at }).as_object().unwrap()).map(|found| (found.at.to_rfc3339(), found.local)).unwrap();
        assert_eq!(found(json!("2026-05-03T01:00:00+09:00")), ("2026-05-03T01:00:00+09:00".into(), false));
        assert_eq!(found(json!("Sun, 03 May 2026 11:12:10 +0200")), ("2026-05-03T11:12:10+02:00".into(), false));
        assert_eq!(found(json!(1_777_799_530)), ("2026-05-03T09:12:10+00:00".into(), false));
        assert_eq!(found(json!("2026-05-03T09:12:10")), ("2026-05-03T09:12:10+00:00".into(), true));
        assert_eq!(found(json!("2026-05-03")), ("2026-05-03T00:00:00+00:00".into(), false));
    }

    #[test]
    fn dates_and_times_of_day_make_a_moment() {
        let midnight = Some("2026-05-03T00:00:00Z".to_owned());
        assert_eq!(at(json!({ "timestamp": "2026-05-03" })), midnight);
        assert_eq!(at(json!({ "date": "20260503" })), midnight);
        assert_eq!(at(json!({ "date": "2026-05-03", "time": "09:12" })).unwrap(), "2026-05-03T09:12:00Z");
        assert_eq!(at(json!({ "time": "09:12" })), None);
        // A field that says nothing does not hide one that does.
        assert_eq!(at(json!({ "at": "yesterday", "created": 1_777_799_530 })).unwrap(), "2026-05-03T09:12:10Z");
        assert_eq!(at(json!({ "at": null, "date": "2026-05-03" })), midnight);
    }

    #[test]
    fn what_lies_outside_1970_to_2100_is_no_time() {
        for value in [
            json!(-1),
            json!(4_133_980_800_u64),
            json!(90_000_000_000_000_u64),
            json!(5_000_000_000_000_000_u64),
            json!(1e300),
            json!("1777799530123456789012345"),
            json!("1969-12-31T23:59:59Z"),
            json!("2101-01-01"),
            json!("0001-01-01T00:00:00"),
            json!("+12026-05-03T09:12:10Z"),
            json!("03/05/2026"),
            json!("2026-02-30"),
            json!(true),
            json!([1_777_799_530]),
        ] {
            assert_eq!(at(json!({ "at": value })), None, "{value}");
        }
        assert_eq!(at(json!({ "at": "2100-12-31T23:59:59Z" })).unwrap(), "2100-12-31T23:59:59Z");
        assert_eq!(at(json!({ "at": 0 })).unwrap(), "1970-01-01T00:00:00Z");
    }

    proptest! {
        #[test]
        fn every_time_is_in_range(number in proptest::num::f64::ANY, text in "([0-9:/. ,\\-TZ+e]|am|May|Sun|GMT|\\PC){0,24}") {
            for value in [json!(number), json!(text)] {
                let Value::Object(message) = json!({ "at": value }) else { continue };
                prop_assert!(of(&message).is_none_or(|found| (1970..=2100).contains(&found.at.to_utc().year())));
            }
        }
    }
}

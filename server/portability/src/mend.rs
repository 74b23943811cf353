//! Mends the times that a file may hold because a clock was wrong: it may have been ahead when something was written, and is right now.

use super::read::at;
use chrono::{DateTime, Datelike, Duration, SecondsFormat, Utc};
use foundation::Error;
use serde_json::{Map, Value};
use wire::FieldError;

/// How far clocks may differ: a memory with a time in the future would be first in every answer for years.
pub const FUTURE_MAX: Duration = Duration::days(1);
/// Most corrections that a report names.
const NAMED_MAX: usize = 100;

/// Fields with the moment of an event here. None is later than the file.
pub const RECORDED: &[&str] = &[
    "created_at",
    "updated_at",
    "stated_at",
    "confirmed_at",
    "last_accessed_at",
    "archived_at",
    "deleted_at",
    "valid_from",
    "valid_to",
    "first_seen",
    "last_seen",
    "seen_at",
    "decided_at",
    "at",
    "finished_at",
    "processed_at",
    "superseded_at",
];
/// Fields with the moment at which something was said or done elsewhere, as far as somebody says so. One that no calendar has is no time.
const SAID: &[&str] = &["observed_at"];
/// Objects and lists of objects with times.
const INSIDE: &[(&str, &[&str])] = &[("source", SAID), ("provenance", SAID), ("turns", &["at"]), ("topics", &["created_at"])];

/// Corrections of the lines of a file.
#[derive(Clone, Debug, Default)]
pub struct Corrections {
    pub count: i64,
    /// The first ones, each with its line and field.
    pub named: Vec<FieldError>,
}

impl Corrections {
    /// Adds one.
    pub fn note(&mut self, line: u64, field: &str, message: String) {
        self.count += 1;
        if let (true, Error::Invalid(fields)) = (self.named.len() < NAMED_MAX, at(line, Error::invalid(field, message))) {
            self.named.extend(fields);
        }
    }
}

/// The moment of a file: the time in its header, or now if that lies more than a day ahead.
pub fn moment(header: &Map<String, Value>, now: DateTime<Utc>) -> DateTime<Utc> {
    header.get("exported_at").and_then(time).filter(|at| *at <= now + FUTURE_MAX).unwrap_or(now)
}

/// Mends the times of a line: what happened more than a day after the file was written happened when it was written, and no row ends before it
/// begins. Earlier programs closed a row with the time of a clock that was behind the one that opened it.
pub fn mend(fields: &mut Map<String, Value>, moment: DateTime<Utc>, note: &mut dyn FnMut(&str, String)) {
    recorded(fields, moment, note);
    said(fields, moment, note);
    let (from, to) = (fields.get("valid_from").cloned(), fields.get_mut("valid_to"));
    if let (Some(from), Some(to)) = (from, to)
        && let (Some(begins), Some(ends)) = (time(&from), time(to))
        && ends < begins
    {
        note("valid_to", format!("was {}, which is before valid_from, and is now {}", ends.to_rfc3339(), begins.to_rfc3339()));
        *to = from;
    }
}

fn recorded(fields: &mut Map<String, Value>, moment: DateTime<Utc>, note: &mut dyn FnMut(&str, String)) {
    for name in RECORDED {
        if let Some(value) = fields.get_mut(*name) {
            no_later(value, moment, &mut |message| note(name, message));
        }
    }
}

fn said(fields: &mut Map<String, Value>, moment: DateTime<Utc>, note: &mut dyn FnMut(&str, String)) {
    for name in SAID {
        possible(fields, name, &mut |message| note(name, message));
    }
    for (name, inside) in INSIDE {
        let objects = match fields.get_mut(*name) {
            Some(Value::Object(object)) => vec![object],
            Some(Value::Array(list)) => list.iter_mut().filter_map(Value::as_object_mut).collect(),
            _ => continue,
        };
        for object in objects {
            for field in *inside {
                let mut note = |message| note(&format!("{name}.{field}"), message);
                match (RECORDED.contains(field) && *name == "topics", object.get_mut(*field)) {
                    (true, Some(value)) => no_later(value, moment, &mut note),
                    _ => possible(object, field, &mut note),
                }
            }
        }
    }
}

fn no_later(value: &mut Value, moment: DateTime<Utc>, note: &mut dyn FnMut(String)) {
    let Some(at) = time(value).filter(|at| *at > moment + FUTURE_MAX) else { return };
    let instead = moment.to_rfc3339_opts(SecondsFormat::Micros, true);
    note(format!("was {}, which is after the file was written, and is now {instead}", at.to_rfc3339()));
    *value = instead.into();
}

fn possible(fields: &mut Map<String, Value>, name: &str, note: &mut dyn FnMut(String)) {
    let impossible = |at: &DateTime<Utc>| !(1..=9999).contains(&at.year());
    if let Some(at) = fields.get(name).and_then(time).filter(impossible) {
        note(format!("was {}, which is no time of the years 1 to 9999, and was left out", at.to_rfc3339()));
        fields.remove(name);
    }
}

fn time(value: &Value) -> Option<DateTime<Utc>> {
    value.as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::{SCHEMA, Section};
    use crate::store;
    use serde_json::json;

    /// Fields with a moment to come, or with one that an agent reported.
    const FREE: &[&str] = &["expires_at", "run_after", "schema_expires_at", "completed_at"];

    #[test]
    fn every_time_of_a_line_is_known() {
        assert_eq!(SCHEMA, 6, "a new schema may have new times");
        let columns = Section::ALL.into_iter().flat_map(Section::columns).chain(store::TOPIC.iter().copied());
        let is_time = |name: &&str| {
            *name == "at" || *name == "run_after" || ["_at", "valid_from", "valid_to", "_seen"].iter().any(|end| name.ends_with(end))
        };
        let times: Vec<&str> = columns.filter(is_time).collect();
        assert!(times.len() > 40, "{times:?}");
        for name in times {
            assert!(
                RECORDED.contains(&name) || SAID.contains(&name) || FREE.contains(&name),
                "{name}: is it a moment that was, or one to come?"
            );
        }
    }

    #[test]
    fn times_of_a_clock_that_was_ahead_are_those_of_the_file() {
        let now: DateTime<Utc> = "2026-05-03T09:12:10Z".parse().unwrap();
        let header = |at: &str| json!({ "exported_at": at }).as_object().unwrap().clone();
        assert_eq!(moment(&header("2026-05-03T09:13:40Z"), now).to_rfc3339(), "2026-05-03T09:13:40+00:00");
        assert_eq!(moment(&header("2027-06-07T09:12:10Z"), now), now);
        assert_eq!(moment(&Map::new(), now), now);
        let mut line = json!({
            "created_at": "2026-05-03T09:13:40Z", "updated_at": "2027-06-07T09:12:10Z", "expires_at": "2027-06-07T09:12:10Z",
            "valid_from": "2026-05-03T09:12:10Z", "valid_to": "2026-05-03T09:10:40Z", "observed_at": "+58306-01-01T00:00:00Z", "source": { "platform": "x", "observed_at": "2027-06-07T09:12:10Z" },
            "turns": [{ "at": "+58306-01-01T00:00:00Z" }, { "at": "2027-06-07T09:12:10Z" }], "topics": [{ "created_at": "2027-06-07T09:12:10Z" }],
        });
        let mut corrections = Corrections::default();
        mend(line.as_object_mut().unwrap(), now, &mut |field, message| corrections.note(7, field, message));
        assert_eq!(
            line,
            json!({
                "created_at": "2026-05-03T09:13:40Z", "updated_at": "2026-05-03T09:12:10.000000Z", "expires_at": "2027-06-07T09:12:10Z",
                "valid_from": "2026-05-03T09:12:10Z", "valid_to": "2026-05-03T09:12:10Z", "source": { "platform": "x", "observed_at": "2027-06-07T09:12:10Z" },
                "turns": [{}, { "at": "2027-06-07T09:12:10Z" }], "topics": [{ "created_at": "2026-05-03T09:12:10.000000Z" }],
            })
        );
        let named: Vec<&str> = corrections.named.iter().filter_map(|one| one.message.split(' ').next()).collect();
        assert_eq!((corrections.count, named), (5, vec!["updated_at", "observed_at", "turns.at", "topics.created_at", "valid_to"]));
        assert_eq!(corrections.named[0].field, "line 7");
    }
}

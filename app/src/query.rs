//! The query string of a page.

use crate::ui::Zone;
use chrono::{DateTime, Days, NaiveDate, Utc};
use chrono_tz::Tz;
use extract::transcript::zone::day_start;
use std::{fmt::Write, str::FromStr};
use wire::{FieldError, UserRef};

/// Names and values in the order of the URL, without empty values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Parses `a=1&b=2`, with or without the question mark.
    pub fn parse(text: &str) -> Self {
        let pairs = text.trim_start_matches('?').split('&').filter_map(|pair| pair.split_once('='));
        Self(pairs.map(|(name, value)| (decode(name), decode(value))).filter(|(_, value)| !value.trim().is_empty()).collect())
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.exact(name).map(str::trim)
    }

    /// The value of `name` as it was sent, with blanks at its ends.
    pub fn exact(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// The value of `name` or an empty string, for a form field.
    pub fn text(&self, name: &str) -> String {
        self.get(name).unwrap_or_default().to_owned()
    }

    /// The value of `name`, for a filter.
    pub fn owned(&self, name: &str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }

    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(n, _)| n == name).map(|(_, value)| value.trim())
    }

    /// A copy with `name` set to `value`, once.
    pub fn with(&self, name: &str, value: impl ToString) -> Self {
        let mut query = self.without(&[name]);
        query.0.push((name.to_owned(), value.to_string()));
        query.0.retain(|(_, value)| !value.trim().is_empty());
        query
    }

    /// A copy with `name` set to `value`, if there is one.
    pub fn with_some(&self, name: &str, value: Option<impl ToString>) -> Self {
        value.map_or_else(|| self.clone(), |value| self.with(name, value))
    }

    pub fn without(&self, names: &[&str]) -> Self {
        Self(self.0.iter().filter(|(n, _)| !names.contains(&n.as_str())).cloned().collect())
    }

    /// A copy with every value changed.
    pub fn map(self, change: impl Fn(String) -> String) -> Self {
        Self(self.0.into_iter().map(|(name, value)| (name, change(value))).collect())
    }

    /// Whether one of `names` is set.
    pub fn any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.get(name).is_some())
    }

    /// Whether it leads to another page of a list than the first.
    pub fn is_later_page(&self) -> bool {
        self.any(&["after", "before"])
    }

    /// How many names and values there are, if `other` has all of them.
    pub fn within(&self, other: &Self) -> Option<usize> {
        let has = |(name, value): &(String, String)| other.get(name) == Some(value.as_str());
        self.0.iter().all(has).then_some(self.0.len())
    }

    pub fn href(&self, path: &str) -> String {
        let mut url = path.to_owned();
        for (i, (name, value)) in self.0.iter().enumerate() {
            url.push(if i == 0 { '?' } else { '&' });
            encode(name, &mut url);
            url.push('=');
            encode(value, &mut url);
        }
        url
    }

    /// The URL in `back` if it is the list at `path`, filtered or not; otherwise `path`.
    pub fn back(&self, path: &str) -> String {
        match self.get("back") {
            Some(back) if back.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('?')) => back.to_owned(),
            _ => path.to_owned(),
        }
    }

    /// Parses the value of `name`; an error is added to `errors`.
    pub fn read<T: FromStr>(&self, name: &str, expected: &str, errors: &mut Vec<FieldError>) -> Option<T> {
        let value = self.get(name)?.parse().ok();
        if value.is_none() {
            errors.push(FieldError::new(name, expected));
        }
        value
    }

    /// Parses the person whom the value of `user` names, for a filter.
    pub fn user(&self, errors: &mut Vec<FieldError>) -> Option<UserRef> {
        self.read("user", "An id, a reference or a name of at most 256 printable characters.", errors)
    }

    /// Parses the value of `name` as the start of a day in the reader's zone, or of the day after it.
    pub fn day(&self, name: &str, after: bool, errors: &mut Vec<FieldError>) -> Option<DateTime<Utc>> {
        self.day_in(Zone::expect().tz(), name, after, errors)
    }

    fn day_in(&self, zone: Tz, name: &str, after: bool, errors: &mut Vec<FieldError>) -> Option<DateTime<Utc>> {
        let day: NaiveDate = self.read(name, "Write a date as 2026-05-31.", errors)?;
        let day = if after { day.checked_add_days(Days::new(1))? } else { day };
        Some(day_start(day, zone))
    }
}

pub fn use_query() -> Query {
    use leptos::prelude::*;
    leptos_router::hooks::use_location().search.with_untracked(|text| Query::parse(text))
}

pub fn use_path() -> String {
    use leptos::prelude::*;
    leptos_router::hooks::use_location().pathname.get_untracked()
}

/// The value of `name` in the path of the page, unless it is no `T`.
pub fn use_param<T: FromStr>(name: &str) -> Option<T> {
    use leptos::prelude::*;
    leptos_router::hooks::use_params_map().with_untracked(|params| params.get(name)?.parse().ok())
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = (*first == b'%').then(|| tail.get(..2)).flatten().and_then(|h| u8::from_str_radix(std::str::from_utf8(h).ok()?, 16).ok());
        bytes.push(hex.unwrap_or(if *first == b'+' { b' ' } else { *first }));
        rest = if hex.is_some() { tail.get(2..).unwrap_or_default() } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn encode(text: &str, url: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b':' | b'/' => url.push(char::from(byte)),
            b' ' => url.push('+'),
            _ => drop(write!(url, "%{byte:02X}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_the_same() {
        let query = Query::parse("?q=100%25+caf%C3%A9%26more&topic=&agent=a%2fb&peek=%zz");
        assert_eq!(query.get("q"), Some("100% café&more"));
        assert_eq!(query.get("topic"), None);
        assert_eq!(query.get("agent"), Some("a/b"));
        assert_eq!(query.get("peek"), Some("%zz"));
        assert_eq!(Query::parse(query.href("/memories").trim_start_matches("/memories")), query);
    }

    #[test]
    fn changes_one_name_at_a_time() {
        let query = Query::parse("ids=1&ids=2&q=x");
        assert_eq!(query.all("ids").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(query.with("q", "y").without(&["ids"]).href("/m"), "/m?q=y");
        assert_eq!(query.with("q", "").without(&["ids"]).href("/m"), "/m");
    }

    #[test]
    fn the_way_back_leads_to_the_list_only() {
        let back = |url: &str| Query::default().with("back", url).back("/memories");
        assert_eq!((back("/memories").as_str(), back("/memories?q=tea").as_str()), ("/memories", "/memories?q=tea"));
        for elsewhere in ["https://example.org", "/memoriesque", "/memories/1", "/audit", "//memories"] {
            assert_eq!(back(elsewhere), "/memories");
        }
        assert_eq!(Query::default().back("/memories"), "/memories");
    }

    #[test]
    fn days_are_whole_and_errors_name_the_field() {
        let (query, mut errors) = (Query::parse("from=2026-05-31&until=2026-05-31&user=vera"), Vec::new());
        assert_eq!(query.day("from", false, &mut errors).map(|t| t.to_rfc3339()).as_deref(), Some("2026-05-31T00:00:00+00:00"));
        assert_eq!(query.day("until", true, &mut errors).map(|t| t.to_rfc3339()).as_deref(), Some("2026-06-01T00:00:00+00:00"));
        let tokyo = query.day_in(Tz::Asia__Tokyo, "until", true, &mut errors);
        assert_eq!(tokyo.map(|t| t.to_rfc3339()).as_deref(), Some("2026-05-31T15:00:00+00:00"), "as clocks there show it");
        assert!(errors.is_empty());
        assert_eq!(query.read::<u32>("user", "A number.", &mut errors), None);
        assert_eq!(errors[0].field, "user");
    }
}

//! How the memories page is told what to show.

use crate::query::Query;
use remembrancer::api::{FieldError, MemoryFilter};

/// Fields of the filter form.
pub const NAMES: &[&str] = &["q", "agent", "topic", "canonical", "platform", "channel", "user", "from", "until", "deleted"];
/// Those of them that are folded away, with the words that a set one shows.
pub const FOLDED: [(&str, &str); 8] = [
    ("topic", "Topic"),
    ("canonical", "Canonical"),
    ("platform", "Platform"),
    ("channel", "Channel"),
    ("user", "User"),
    ("from", "From"),
    ("until", "Until"),
    ("deleted", "Deleted"),
];

/// The filter that the URL asks for, or what in it cannot be read.
pub fn filter(query: &Query) -> Result<MemoryFilter, Vec<FieldError>> {
    let mut errors = Vec::new();
    let owned = |name: &str| query.get(name).map(str::to_owned);
    let filter = MemoryFilter {
        agent_id: query.read("agent", "Choose one of the agents.", &mut errors),
        q: owned("q"),
        topic: owned("topic"),
        canonical: query.read("canonical", "Choose yes or no.", &mut errors),
        platform: owned("platform"),
        channel: owned("channel"),
        user_id: query.read("user", "A user is named by a UUID.", &mut errors),
        from: query.day("from", false, &mut errors),
        until: query.day("until", true, &mut errors),
        deleted: query.read("deleted", "Choose yes or no.", &mut errors),
        after: owned("after"),
        before: owned("before"),
    };
    if filter.from.zip(filter.until).is_some_and(|(from, until)| from >= until) {
        errors.push(FieldError { field: "until".into(), message: "The end is before the beginning.".into() });
    }
    if errors.is_empty() { Ok(filter) } else { Err(errors) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_url_is_a_filter() {
        let filter = filter(&Query::parse("q=tea&canonical=false&from=2026-05-01&until=2026-05-01&deleted=true&peek=x")).unwrap();
        assert_eq!((filter.q.as_deref(), filter.canonical, filter.deleted), (Some("tea"), Some(false), Some(true)));
        assert_eq!(filter.until.zip(filter.from).map(|(until, from)| (until - from).num_hours()), Some(24));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let errors = filter(&Query::parse("agent=atlas&user=1&from=yesterday&canonical=maybe")).unwrap_err();
        assert_eq!(errors.iter().map(|e| e.field.as_str()).collect::<Vec<_>>(), ["agent", "canonical", "user", "from"]);
        assert_eq!(filter(&Query::parse("from=2026-05-02&until=2026-05-01")).unwrap_err()[0].field, "until");
    }
}

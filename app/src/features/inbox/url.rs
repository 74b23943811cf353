//! Parses the URL of the inbox into a filter.

use crate::{
    query::Query,
    ui::{Parsed, is_reversed, landing, parsed},
};
use wire::{InboxFilter, MemoryId, SuggestionFilter};

/// The fields of the filter form.
pub const NAMES: &[&str] = &["q", "agent", "kind", "source", "disputed"];

pub fn filter(query: &Query) -> Parsed<InboxFilter> {
    parsed(|errors| InboxFilter {
        agent_id: query.read("agent", "Choose one of the agents.", errors),
        kind: query.read("kind", "Choose one of the kinds.", errors),
        source_id: query.read("source", "Open the inbox from the page of a source.", errors),
        disputed: query.read("disputed", "Choose one of the two.", errors),
        q: query.owned("q"),
        after: query.owned("after"),
        before: query.owned("before"),
        reversed: is_reversed(query),
    })
}

/// The fields of the filter form of suggestions.
pub const SUGGESTIONS: &[&str] = &["agent"];

pub fn suggestions(query: &Query) -> Parsed<SuggestionFilter> {
    parsed(|errors| SuggestionFilter { agent_id: query.read("agent", "Choose one of the agents.", errors), after: query.owned("after") })
}

/// The URL that opens a candidate in the panel, or closes the panel.
pub fn at(query: &Query, id: Option<MemoryId>) -> String {
    query.with("focus", id.map(|id| id.to_string()).unwrap_or_default()).href("/inbox")
}

/// The URL to which a decision leads back: the candidate in the panel, at its row.
pub fn back(query: &Query, id: Option<MemoryId>) -> String {
    id.map_or_else(|| at(query, None), |id| landing(&at(query, Some(id)), &format!("c-{id}")))
}

pub fn ids(query: &Query) -> Vec<MemoryId> {
    query.all("ids").flat_map(|ids| ids.split(',')).filter_map(|id| id.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_holds_the_filters() {
        let parsed = filter(&Query::parse("q=tea&disputed=true&focus=x")).unwrap();
        assert_eq!((parsed.q.as_deref(), parsed.disputed), (Some("tea"), Some(true)));
        assert_eq!(filter(&Query::parse("source=minutes")).unwrap_err()[0].field, "source");
        assert_eq!(suggestions(&Query::parse("agent=atlas")).unwrap_err()[0].field, "agent");
    }
}

//! Parses the URLs of the lists of sources and of events into filters.

use crate::{
    query::Query,
    ui::{Parsed, is_reversed, parsed},
};
use wire::{EventFilter, SourceFilter};

pub const SOURCES: &[&str] = &["agent", "form", "session", "user"];
pub const EVENTS: &[&str] = &["bus", "agent", "kind", "task", "state"];

pub fn sources(query: &Query) -> Parsed<SourceFilter> {
    parsed(|errors| SourceFilter {
        agent_id: query.read("agent", "Choose one of the agents.", errors),
        form: query.read("form", "Choose one of the kinds.", errors),
        session_id: query.read("session", "Enter a UUID.", errors),
        user_id: query.user(errors),
        after: query.owned("after"),
        before: query.owned("before"),
        reversed: is_reversed(query),
    })
}

pub fn events(query: &Query) -> Parsed<EventFilter> {
    parsed(|errors| EventFilter {
        bus: query.read("bus", "Choose memories or knowledge.", errors),
        agent_id: query.read("agent", "Choose one of the agents.", errors),
        kind: query.read("kind", "Choose one of the kinds.", errors),
        task: query.owned("task"),
        state: query.read("state", "Choose one of the states.", errors),
        after: query.owned("after"),
        before: query.owned("before"),
        reversed: is_reversed(query),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::{EventBus, EventState, SourceForm};

    #[test]
    fn the_url_holds_the_filters() {
        assert_eq!(sources(&Query::parse("form=note")).unwrap().form, Some(SourceForm::Note));
        let filter = events(&Query::parse("bus=knowledge&state=dead&task=embed_document&after=x")).unwrap();
        assert_eq!(
            (filter.bus, filter.state, filter.task.as_deref()),
            (Some(EventBus::Knowledge), Some(EventState::Dead), Some("embed_document"))
        );
        let fields = |query: &str| events(&Query::parse(query)).unwrap_err().into_iter().map(|error| error.field).collect::<Vec<_>>();
        assert_eq!(fields("agent=atlas&kind=party&state=alive"), ["agent", "kind", "state"]);
    }
}

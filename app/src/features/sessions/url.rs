//! Parses the URL of the list of sessions into a filter.

use crate::{
    query::Query,
    ui::{Parsed, is_reversed, parsed},
};
use wire::AgentSessionFilter;

/// The address of the list.
pub const PATH: &str = "/sessions";
/// The filter fields.
pub const NAMES: &[&str] = &["host", "project", "agent", "user"];

pub fn sessions(query: &Query) -> Parsed<AgentSessionFilter> {
    parsed(|errors| AgentSessionFilter {
        host: query.owned("host"),
        project_id: query.read("project", "Choose one of the projects.", errors),
        agent_id: query.read("agent", "Choose one of the agents.", errors),
        user_id: query.user(errors),
        after: query.owned("after"),
        before: query.owned("before"),
        reversed: is_reversed(query),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_holds_the_filters() {
        let filter = sessions(&Query::parse("host=codex&user=crm-4711&sort=reversed&after=x")).unwrap();
        assert_eq!((filter.host.as_deref(), filter.after.as_deref(), filter.reversed), (Some("codex"), Some("x"), true));
        assert!(filter.user_id.is_some());
        let fields = |query: &str| sessions(&Query::parse(query)).unwrap_err().into_iter().map(|error| error.field).collect::<Vec<_>>();
        assert_eq!(fields("project=harbour&agent=atlas"), ["project", "agent"]);
    }
}

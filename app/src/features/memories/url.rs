//! Parses the URL of the memories page into a filter, and writes those of single memories.

use crate::{
    query::Query,
    ui::{Parsed, check_period, is_reversed, parsed},
};
use chrono::{DateTime, SecondsFormat, Utc};
use uuid::Uuid;
use wire::{AgentId, FieldError, MemoryFilter, MemoryId, MemoryStatus, StateFilter};

/// The fields under "Filters", with their labels.
pub const FOLDED: [(&str, &str); 16] = [
    ("topic", "Topic"),
    ("canonical", "In the vocabulary"),
    ("kind", "Kind"),
    ("category", "Category"),
    ("scope", "Scope"),
    ("status", "Status"),
    ("unreviewed", "Review"),
    ("project", "Project"),
    ("session", "Session"),
    ("platform", "Platform"),
    ("channel", "Channel"),
    ("user", "User"),
    ("from", "Updated from"),
    ("until", "Updated until"),
    ("deleted", "Deleted"),
    ("state", "Include"),
];

/// The fields of the filter form: the search, the agent, and those under "Filters".
pub const NAMES: &[&str] = &{
    let mut names = ["q"; FOLDED.len() + 2];
    names[1] = "agent";
    let mut i = 0;
    while i < FOLDED.len() {
        names[i + 2] = FOLDED[i].0;
        i += 1;
    }
    names
};

pub fn filter(query: &Query) -> Parsed<MemoryFilter> {
    parsed(|errors| {
        let filter = MemoryFilter {
            agent_id: query.read("agent", "Choose one of the agents.", errors),
            q: query.owned("q"),
            topic: query.owned("topic"),
            canonical: query.read("canonical", "Choose one of the options.", errors),
            kind: query.read("kind", "Choose one of the kinds.", errors),
            category: query.read("category", "Choose one of the categories.", errors),
            scope: query.read("scope", "Choose one of the scopes.", errors),
            status: query.read("status", "Choose one of the statuses.", errors),
            unreviewed: query.read("unreviewed", "Choose one of the two.", errors),
            project_id: query.read("project", "Enter a UUID.", errors),
            session: query.owned("session"),
            platform: query.owned("platform"),
            channel: query.owned("channel"),
            user_id: query.user(errors),
            from: query.day("from", false, errors),
            until: query.day("until", true, errors),
            deleted: query.read("deleted", "Choose one of the options.", errors),
            state: query.read("state", "Choose one of the options.", errors),
            after: query.owned("after"),
            before: query.owned("before"),
            reversed: is_reversed(query),
        };
        check_period(filter.from, filter.until, errors);
        let mut contradicting = |field: &str, message: &str| errors.push(FieldError::new(field, message));
        if filter.q.is_some() && filter.deleted == Some(true) {
            contradicting("deleted", "Search does not find deleted memories. Clear the search text to browse them.");
        }
        if filter.q.is_some() && !filter.status.is_none_or(|status| matches!(status, MemoryStatus::Active | MemoryStatus::Contradicted)) {
            contradicting("status", "Search finds active and contradicted memories only. Clear the search text to browse the others.");
        }
        if filter.q.is_some() && filter.state == Some(StateFilter::All) {
            contradicting("state", "Search finds neither archived nor deleted memories. Clear the search text to browse them.");
        }
        filter
    })
}

/// The URL that exports the filtered list; none for a search, nor for a filter that cannot be parsed.
pub fn export(query: &Query) -> Option<String> {
    let filter = filter(query).ok().filter(|filter| filter.q.is_none())?;
    let time = |time: Option<DateTime<Utc>>| time.map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true)).unwrap_or_default();
    let exported = |all: Query, name: &str| match name {
        "from" => all.with(name, time(filter.from)),
        "until" => all.with(name, time(filter.until)),
        "agent" | "project" | "user" => all.with(&format!("{name}_id"), query.text(name)),
        _ => all.with(name, query.text(name)),
    };
    Some(NAMES.iter().fold(Query::default(), |all, name| exported(all, name)).href("/export.jsonl"))
}

/// The URL of the list without the panel.
pub fn list(query: &Query) -> String {
    query.without(&["peek"]).href("/memories")
}

/// The URL of all memories of an agent's session, archived and deleted ones included.
pub fn session(agent: AgentId, session: Uuid) -> String {
    Query::default().with("agent", agent).with("session", session).with("state", StateFilter::All).href("/memories")
}

/// The URL of a memory's page, which leads back to `list`.
pub fn memory(id: MemoryId, list: &str) -> String {
    leading_back(list).href(&path(id))
}

/// The URL of a memory's page with one of its forms unfolded: `correct`, `delete`, `resolve` or `restore`.
pub fn form(id: MemoryId, list: &str, name: &str) -> String {
    format!("{}#{name}", leading_back(list).with("open", name).href(&path(id)))
}

fn path(id: MemoryId) -> String {
    format!("/memories/{id}")
}

/// The page leads to the whole list by itself.
fn leading_back(list: &str) -> Query {
    Query::default().with("back", if list == "/memories" { "" } else { list })
}

/// The filters under "Filters" that are set: name and label.
pub fn set(query: &Query) -> Vec<(&'static str, String)> {
    let label = |(name, word): (&'static str, &str)| {
        let value = query.get(name)?;
        Some((
            name,
            match (name, value) {
                ("canonical", "true") => "Topic is a term".to_owned(),
                ("canonical", "false") => "Not a term".to_owned(),
                ("unreviewed", "true") => "Shared and unreviewed".to_owned(),
                ("deleted", "true") => "Deleted".to_owned(),
                ("deleted", "false") => "Not deleted".to_owned(),
                ("state", "all") => "Archived and deleted too".to_owned(),
                _ => format!("{word}: {value}"),
            },
        ))
    };
    FOLDED.into_iter().filter_map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::{Category, MemoryKind, MemoryScope};

    #[test]
    fn a_whole_url_is_a_filter() {
        let filter = filter(&Query::parse("q=tea&canonical=false&from=2026-05-01&until=2026-05-01&deleted=false&peek=x")).unwrap();
        assert_eq!((filter.q.as_deref(), filter.canonical, filter.deleted), (Some("tea"), Some(false), Some(false)));
        assert_eq!(filter.until.zip(filter.from).map(|(until, from)| (until - from).num_hours()), Some(24));
    }

    #[test]
    fn a_record_is_found_by_what_it_is() {
        let id = "01900000-0000-7000-8000-000000000000";
        let query = Query::parse(&format!("kind=decision&category=person&scope=repo&status=archived&project={id}"));
        let filter = filter(&query).unwrap();
        assert_eq!((filter.kind, filter.category), (Some(MemoryKind::Decision), Some(Category::Person)));
        assert_eq!((filter.scope, filter.status), (Some(MemoryScope::Repo), Some(MemoryStatus::Archived)));
        assert_eq!(filter.project_id.map(|project| project.to_string()).as_deref(), Some(id));
        assert_eq!(set(&query).last(), Some(&("project", format!("Project: {id}"))));
        assert_eq!(set(&Query::parse("unreviewed=true")), [("unreviewed", "Shared and unreviewed".to_owned())]);
        assert_eq!(set(&Query::parse("deleted=true&q=x&agent=y")), [("deleted", "Deleted".to_owned())]);
    }

    #[test]
    fn a_session_is_found_by_its_name_or_its_id() {
        let id = "01900000-0000-7000-8000-000000000007";
        let whole = session(AgentId(Uuid::nil()), id.parse().unwrap());
        assert_eq!(whole, format!("/memories?agent={}&session={id}&state=all", Uuid::nil()));
        let query = Query::parse("session=quay 7&state=all");
        let filter = filter(&query).unwrap();
        assert_eq!((filter.session.as_deref(), filter.state, filter.deleted), (Some("quay 7"), Some(StateFilter::All), None));
        assert_eq!(set(&query).iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["Session: quay 7", "Archived and deleted too"]);
        assert_eq!(export(&query).as_deref(), Some("/export.jsonl?session=quay+7&state=all"));
    }

    #[test]
    fn filters_that_contradict_are_named() {
        for (field, url) in [("deleted", "q=tea&deleted=true"), ("status", "q=tea&status=superseded"), ("state", "q=tea&state=all")] {
            assert_eq!(filter(&Query::parse(url)).unwrap_err().iter().map(|e| e.field.as_str()).collect::<Vec<_>>(), [field]);
        }
        assert!(filter(&Query::parse("q=tea&status=contradicted")).is_ok() && filter(&Query::parse("status=inbox&deleted=true")).is_ok());
    }

    #[test]
    fn what_a_list_shows_can_be_exported() {
        let of = |url: &str| export(&Query::parse(url));
        assert_eq!(of("").as_deref(), Some("/export.jsonl"));
        assert_eq!(of("after=x&peek=1").as_deref(), Some("/export.jsonl"), "a page is not a filter");
        let url = "kind=decision&project=01890000-0000-7000-8000-000000000001&from=2026-05-01";
        let expected = "/export.jsonl?kind=decision&project_id=01890000-0000-7000-8000-000000000001&from=2026-05-01T00:00:00Z";
        assert_eq!(of(url).as_deref(), Some(expected));
        assert_eq!((of("q=tea"), of("kind=novel")), (None, None));
    }

    #[test]
    fn a_memory_leads_back_to_its_list() {
        let id: MemoryId = "01890000-0000-7000-8000-000000000001".parse().unwrap();
        let filtered = list(&Query::parse("topic=tea&peek=x"));
        assert_eq!(memory(id, &filtered), format!("/memories/{id}?back=/memories%3Ftopic%3Dtea"));
        assert_eq!(form(id, &filtered, "delete"), format!("/memories/{id}?back=/memories%3Ftopic%3Dtea&open=delete#delete"));
        assert_eq!(memory(id, "/memories"), format!("/memories/{id}"));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let unknown = filter(&Query::parse("kind=novel&category=cat&scope=world&status=lost&project=1")).unwrap_err();
        assert_eq!(unknown.iter().map(|e| e.field.as_str()).collect::<Vec<_>>(), ["kind", "category", "scope", "status", "project"]);
        let errors = filter(&Query::parse("agent=atlas&user=a%0Ab&from=yesterday&canonical=maybe")).unwrap_err();
        assert_eq!(errors.iter().map(|e| e.field.as_str()).collect::<Vec<_>>(), ["agent", "canonical", "user", "from"]);
        assert_eq!(filter(&Query::parse("from=2026-05-02&until=2026-05-01")).unwrap_err()[0].field, "until");
    }
}

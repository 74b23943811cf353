//! Parses the URLs of the recall pages into filters.

use crate::{
    query::Query,
    ui::{Parsed, check_period, is_reversed, parsed},
};
use chrono::{DateTime, NaiveTime, Utc};
use wire::{
    AgentId, DiagnoseRequest, FieldError, HealthFilter, K_MAX, PlaygroundRequest, RecallFilters, RecallRequest, Retrieval, RetrievalDetail,
    RetrievalFilter, UserId, ZeroHit,
};

/// The filter fields of the health page.
pub const HEALTH: &[&str] = &["days", "day", "hour", "agent", "topic", "cause", "expected"];
/// Those that leave recalls of the period out.
pub const NARROWING: &[&str] = &["day", "hour", "agent", "topic", "cause", "expected"];
/// The fields of the playground that are folded away until one is set.
pub const OPTIONS: &[&str] =
    &["ranking", "expected", "as_of", "for_project", "for_repo", "kind", "scope", "status", "platform", "project", "repo", "from", "until"];
/// Those of a diagnosis, which is about now.
pub const DIAGNOSE_OPTIONS: &[&str] =
    &["ranking", "for_project", "for_repo", "kind", "scope", "status", "platform", "project", "repo", "from", "until"];
/// The filter fields of the log.
pub const LOG: &[&str] = &["q", "agent", "zero_hit", "ranking", "memory", "session", "user", "from", "until"];
/// The periods to choose from, in days; the first is the last 24 hours.
pub const PERIODS: [u32; 4] = [1, 7, 30, 90];
pub const PERIOD: u32 = 30;
/// The default number of hits, the same as for agents.
const K: u32 = 10;

pub fn health(query: &Query) -> Parsed<HealthFilter> {
    parsed(|errors| {
        let filter = HealthFilter {
            days: query.read("days", "Choose one of the periods.", errors),
            day: query.read("day", "Write a date as 2026-05-31.", errors),
            hour: query.read("hour", "A number from 0 to 23.", errors),
            agent_id: query.read("agent", "Choose one of the agents.", errors),
            topic: query.owned("topic"),
            cause: query.read("cause", "Choose one of the causes.", errors),
            expected: query.read("expected", "Choose one of the options.", errors),
            after: query.owned("after"),
            before: query.owned("before"),
        };
        if filter.days.is_some_and(|days| !PERIODS.contains(&days)) {
            errors.push(FieldError::new("days", "Choose one of the periods."));
        }
        if filter.hour.is_some_and(|hour| hour > 23) {
            errors.push(FieldError::new("hour", "A number from 0 to 23."));
        }
        if filter.hour.is_some() && query.get("day").is_none() {
            errors.push(FieldError::new("day", "Choose the day of the hour."));
        }
        filter
    })
}

pub fn log(query: &Query) -> Parsed<RetrievalFilter> {
    parsed(|errors| {
        let filter = RetrievalFilter {
            agent_id: query.read("agent", "Choose one of the agents.", errors),
            q: query.owned("q"),
            ranking: query.read("ranking", "Choose one of the rankings.", errors),
            zero_hit: query.read("zero_hit", "Choose one of the outcomes.", errors),
            memory_id: query.read("memory", "Enter a UUID.", errors),
            session_id: query.read("session", "Enter a UUID.", errors),
            user_id: query.user(errors),
            from: query.day("from", false, errors),
            until: query.day("until", true, errors),
            after: query.owned("after"),
            before: query.owned("before"),
            reversed: is_reversed(query),
        };
        check_period(filter.from, filter.until, errors);
        if filter.memory_id.is_some() && filter.zero_hit == Some(true) {
            errors.push(FieldError::new("zero_hit", "“Found no memory” conflicts with “Returned the memory”. Remove one of the two."));
        }
        filter
    })
}

/// Parses the request of the playground; none without a question.
pub fn playground(query: &Query) -> Parsed<Option<PlaygroundRequest>> {
    parsed(|errors| {
        let (agent_id, recall) = recall(query, errors);
        agent_id.filter(|_| !recall.query.is_empty()).map(|agent_id| PlaygroundRequest { agent_id, recall })
    })
}

/// Parses the request of a diagnosis; none without a question or a memory: links fill in only what they know.
pub fn diagnose(query: &Query) -> Parsed<Option<DiagnoseRequest>> {
    parsed(|errors| {
        let (agent_id, recall) = recall(query, errors);
        let memory = query.read("memory", "Enter the short id of eight letters and digits, or the UUID.", errors);
        // A diagnosis is about now.
        let recall = RecallRequest { as_of: None, expected: false, ..recall };
        let named = agent_id.zip(memory).filter(|_| !recall.query.is_empty());
        named.map(|(agent_id, memory)| DiagnoseRequest { agent_id, memory, recall })
    })
}

/// Parses a recall and the agent that sends it. Without a question there is nothing to require.
fn recall(query: &Query, errors: &mut Vec<FieldError>) -> (Option<AgentId>, RecallRequest) {
    let agent_id = query.read("agent", "Choose one of the agents.", errors);
    let k = query.read("k", &format!("A number from 1 to {K_MAX}."), errors).unwrap_or(K);
    if !(1..=K_MAX).contains(&k) {
        errors.push(FieldError::new("k", format!("A number from 1 to {K_MAX}.")));
    }
    if query.get("q").is_some() && query.get("agent").is_none() {
        errors.push(FieldError::new("agent", "Choose an agent."));
    }
    let recall = RecallRequest {
        query: query.text("q"),
        k,
        expected: query.read("expected", "Choose one of the options.", errors).unwrap_or_default(),
        user_id: query.user(errors),
        ranking: query.read("ranking", "Choose one of the rankings.", errors),
        filters: recall_filters(query, errors),
        as_of: query.day("as_of", false, errors),
    };
    (agent_id, recall)
}

fn recall_filters(query: &Query, errors: &mut Vec<FieldError>) -> RecallFilters {
    const ID: &str = "Enter a UUID.";
    let filters = RecallFilters {
        kinds: query.read("kind", "Choose one of the kinds.", errors).into_iter().collect(),
        scopes: query.read("scope", "Choose one of the scopes.", errors).into_iter().collect(),
        platform: query.owned("platform"),
        project_id: query.read("project", ID, errors),
        repo_id: query.read("repo", ID, errors),
        statuses: query.read("status", "Choose one of the statuses.", errors).into_iter().collect(),
        from: query.day("from", false, errors),
        until: query.day("until", true, errors),
        for_project: query.read("for_project", ID, errors),
        for_repo: query.read("for_repo", ID, errors),
    };
    check_period(filters.from, filters.until, errors);
    filters
}

fn recall_of(agent: AgentId, question: &str, user: Option<UserId>) -> Query {
    Query::default().with("agent", agent).with("q", question).with_some("user", user)
}

/// The question of a recall that found nothing.
pub fn question(hit: &ZeroHit) -> Query {
    with_filters(&recall_of(hit.agent_id, &hit.query, hit.user_id), &hit.filters)
}

/// The question of a logged recall.
pub fn asked(detail: &RetrievalDetail) -> Query {
    let Retrieval { agent_id, query, user_id, ranking, k, .. } = &detail.retrieval;
    let query = recall_of(*agent_id, query, *user_id).with("ranking", ranking).with_some("k", Some(k).filter(|k| **k != K));
    with_filters(&query, &detail.filters)
}

/// A question with the filters of its recall. A URL names one kind, scope and status, and whole days; what it cannot name is left out.
fn with_filters(query: &Query, filters: &serde_json::Value) -> Query {
    let filters: RecallFilters = serde_json::from_value(filters.clone()).unwrap_or_default();
    let day = |at: Option<DateTime<Utc>>| at.filter(|at| at.time() == NaiveTime::MIN).map(|at| at.date_naive());
    query
        .with_some("kind", only(&filters.kinds))
        .with_some("scope", only(&filters.scopes))
        .with_some("status", only(&filters.statuses))
        .with_some("platform", filters.platform)
        .with_some("project", filters.project_id)
        .with_some("repo", filters.repo_id)
        .with_some("from", day(filters.from))
        // The last day is part of the filter.
        .with_some("until", day(filters.until).and_then(|day| day.pred_opt()))
        .with_some("for_project", filters.for_project)
        .with_some("for_repo", filters.for_repo)
}

fn only<T>(list: &[T]) -> Option<&T> {
    if let [one] = list { Some(one) } else { None }
}

/// The URL of a diagnosis of a memory: the recall is that of the query, as of now.
pub fn diagnose_of(query: &Query, memory: impl ToString) -> String {
    query.without(&["as_of", "expected"]).with("memory", memory).href("/recall/diagnose")
}

/// The URL of a diagnosis of a memory, where the question is missing.
pub fn why_not(agent: AgentId, memory: &str, user: Option<UserId>) -> String {
    diagnose_of(&Query::default().with("agent", agent).with_some("user", user), memory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::{Ranking, ZeroHitCause};

    const ID: &str = "01900000-0000-7000-8000-000000000000";

    #[test]
    fn a_whole_url_is_a_filter() {
        let filter = health(&Query::parse(&format!("days=90&agent={ID}&topic=other&cause=below_floor&expected=true&after=x"))).unwrap();
        assert_eq!((filter.days, filter.cause, filter.expected), (Some(90), Some(ZeroHitCause::BelowFloor), Some(true)));
        assert_eq!((filter.topic.as_deref(), filter.after.as_deref()), (Some("other"), Some("x")));
        assert_eq!(health(&Query::default()).unwrap(), HealthFilter::default());
        let errors = health(&Query::parse("days=8&agent=atlas&cause=bad+luck&expected=perhaps")).unwrap_err();
        assert_eq!(errors.iter().map(|e| e.field.as_str()).collect::<Vec<_>>(), ["agent", "cause", "expected", "days"]);
    }

    #[test]
    fn the_url_names_a_day_and_an_hour() {
        let filter = health(&Query::parse("days=1&day=2026-06-14&hour=9")).unwrap();
        assert_eq!((filter.days, filter.day.map(|day| day.to_string()).as_deref(), filter.hour), (Some(1), Some("2026-06-14"), Some(9)));
        let fields = |url: &str| health(&Query::parse(url)).unwrap_err().into_iter().map(|e| e.field).collect::<Vec<_>>();
        assert_eq!(fields("hour=9"), ["day"]);
        assert_eq!(fields("day=2026-06-31&hour=nine"), ["day", "hour"]);
        assert_eq!(fields("day=2026-06-14&hour=24"), ["hour"]);
    }

    #[test]
    fn the_log_is_narrowed_by_the_url() {
        let filter =
            log(&Query::parse(&format!("q=tea&agent={ID}&zero_hit=false&ranking=decay&memory={ID}&from=2026-05-01&after=x"))).unwrap();
        assert_eq!((filter.q.as_deref(), filter.ranking, filter.zero_hit), (Some("tea"), Some(Ranking::Decay), Some(false)));
        assert_eq!((filter.memory_id.map(|id| id.to_string()).as_deref(), filter.after.as_deref()), (Some(ID), Some("x")));
        assert_eq!(log(&Query::parse("peek=1")).unwrap(), RetrievalFilter::default());
        let fields = |url: &str| log(&Query::parse(url)).unwrap_err().into_iter().map(|e| e.field).collect::<Vec<_>>();
        assert_eq!(fields("agent=atlas&ranking=best&zero_hit=perhaps&memory=1"), ["agent", "ranking", "zero_hit", "memory"]);
        assert_eq!(fields("from=2026-05-02&until=2026-05-01"), ["until"]);
        assert_eq!(fields(&format!("memory={ID}&zero_hit=true")), ["zero_hit"], "these contradict");
    }

    #[test]
    fn a_question_needs_somebody_who_asks() {
        assert_eq!(playground(&Query::default()), Ok(None));
        assert_eq!(playground(&Query::parse(&format!("agent={ID}"))), Ok(None));
        assert_eq!(playground(&Query::parse("q=tea")).unwrap_err()[0].field, "agent");
        let request = playground(&Query::parse(&format!("agent={ID}&q=tea"))).unwrap().unwrap();
        assert_eq!(request.recall, RecallRequest::new("tea"));
    }

    #[test]
    fn a_diagnosis_requires_an_agent_a_memory_and_a_question() {
        let fields = |url: &str| diagnose(&Query::parse(url)).unwrap_err().into_iter().map(|e| e.field).collect::<Vec<_>>();
        assert_eq!(diagnose(&Query::default()), Ok(None));
        assert_eq!(diagnose(&Query::parse(&format!("agent={ID}&memory=k3v9x2aq"))), Ok(None));
        assert_eq!(diagnose(&Query::parse(&format!("agent={ID}&q=tea"))), Ok(None));
        assert_eq!(fields("q=tea"), ["agent"]);
        assert_eq!(fields(&format!("agent={ID}&q=tea&memory=tea+leaves")), ["memory"]);
        let url = why_not(ID.parse().unwrap(), "k3v9x2aq", Some(UserId(ID.parse().unwrap())));
        assert_eq!(url, format!("/recall/diagnose?agent={ID}&user={ID}&memory=k3v9x2aq"));
        // A link from a recall of the past asks about now.
        let past = Query::parse(&format!("agent={ID}&q=which+tea%3F&as_of=2026-05-31&expected=true&kind=decision"));
        let url = diagnose_of(&past, "k3v9x2aq");
        let request = diagnose(&Query::parse(url.split_once('?').unwrap().1)).unwrap().unwrap();
        assert_eq!((request.memory.to_string().as_str(), request.recall.query.as_str()), ("k3v9x2aq", "which tea?"));
        assert_eq!((request.recall.as_of, request.recall.expected, request.recall.filters.kinds.len()), (None, false, 1));
    }

    #[test]
    fn everything_that_an_agent_can_send_is_in_the_url() {
        let url = format!(
            "agent={ID}&q=tea&user=vera&ranking=decay&expected=true&as_of=2026-05-31&for_project={ID}&for_repo={ID}&kind=decision&scope=project\
             &status=active&platform=slack&project={ID}&repo={ID}&from=2026-05-01&until=2026-05-31"
        );
        let RecallRequest { user_id, ranking, expected, as_of, filters, .. } = playground(&Query::parse(&url)).unwrap().unwrap().recall;
        assert_eq!((user_id.map(String::from).as_deref(), ranking, expected), (Some("vera"), Some(Ranking::Decay), true));
        assert_eq!(as_of.map(|at| at.to_rfc3339()).as_deref(), Some("2026-05-31T00:00:00+00:00"));
        assert!(!filters.kinds.is_empty() && !filters.scopes.is_empty() && !filters.statuses.is_empty() && filters.platform.is_some());
        assert!(filters.project_id.and(filters.repo_id).and(filters.for_project).and(filters.for_repo).is_some());
        assert!(filters.from < filters.until);
        let names: Vec<_> = url.split('&').map(|pair| pair.split_once('=').unwrap().0).collect();
        assert!(OPTIONS.iter().all(|name| names.contains(name)));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let url = format!("agent={ID}&q=tea&k=101&user=a%0Ab&ranking=best&kind=tea&project=1&from=2026-05-02&until=2026-05-01");
        let errors = playground(&Query::parse(&url)).unwrap_err();
        assert_eq!(errors.iter().map(|e| e.field.as_str()).collect::<Vec<_>>(), ["k", "user", "ranking", "kind", "project", "until"]);
        assert_eq!(playground(&Query::parse("agent=atlas&q=tea")).unwrap_err().len(), 1);
    }

    #[test]
    fn a_question_can_be_asked_again() {
        let agent: AgentId = ID.parse().unwrap();
        let url = |query: Query| query.href("/recall/playground");
        let tea = recall_of(agent, "where is the tea?", None);
        assert_eq!(url(with_filters(&tea, &serde_json::json!({}))), format!("/recall/playground?agent={ID}&q=where+is+the+tea%3F"));
        let again = |query: Query| playground(&Query::parse(url(query).split_once('?').unwrap().1)).unwrap().unwrap().recall;
        assert_eq!(again(recall_of(agent, "100% tea & milk", Some(UserId(agent.0)))).query, "100% tea & milk");

        // Without its filters, the same question may find what the recall could not.
        let url = format!(
            "for_project={ID}&for_repo={ID}&kind=decision&scope=project&status=active&platform=slack&project={ID}&repo={ID}\
             &from=2026-05-01&until=2026-05-31"
        );
        let filters = recall_filters(&Query::parse(&url), &mut vec![]);
        assert_eq!(again(with_filters(&tea, &serde_json::to_value(&filters).unwrap())).filters, filters);
        let hour = RecallFilters { from: filters.from.map(|at| at + chrono::TimeDelta::hours(1)), ..RecallFilters::default() };
        assert_eq!(again(with_filters(&tea, &serde_json::to_value(hour).unwrap())).filters, RecallFilters::default());
    }
}

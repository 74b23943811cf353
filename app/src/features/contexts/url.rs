//! Parses the URLs of the context pages.

use crate::{
    query::Query,
    ui::{Parsed, check_period, is_reversed, parsed},
};
use wire::{
    AssembleRequest, BlockOrder, CONTEXT_BUDGET, ContextFilter, ContextId, ContextTiers, FieldError, LoggedContext, PreviewRequest,
};

/// The address of the log.
pub const PATH: &str = "/recall/contexts";
pub const COMPARE: &str = "/recall/contexts/compare";
pub const PLAYGROUND: &str = "/recall/playground/context";
/// The filter fields of the log.
pub const LOG: &[&str] = &["agent", "user", "cut", "degraded", "from", "until"];
/// The fields of the playground that are folded away until one is set.
pub const OPTIONS: &[&str] = &["order", "role", "tiers", "vectors"];

pub fn log(query: &Query) -> Parsed<ContextFilter> {
    parsed(|errors| {
        let filter = ContextFilter {
            agent_id: query.read("agent", "Choose one of the agents.", errors),
            user_id: query.user(errors),
            cut: query.read("cut", "Choose one of the options.", errors),
            degraded: query.read("degraded", "Choose one of the options.", errors),
            from: query.day("from", false, errors),
            until: query.day("until", true, errors),
            after: query.owned("after"),
            before: query.owned("before"),
            reversed: is_reversed(query),
        };
        check_period(filter.from, filter.until, errors);
        filter
    })
}

/// Parses the contexts to compare: one or two.
pub fn compared(query: &Query) -> Parsed<Vec<ContextId>> {
    let ids: Vec<Option<ContextId>> = query.all("ids").map(|id| id.parse().ok()).collect();
    let read: Vec<ContextId> = ids.iter().copied().flatten().collect();
    if read.len() < ids.len() {
        return Err(vec![FieldError::new("ids", "This is not the id of a context.")]);
    }
    match read.as_slice() {
        [_] => Ok(read),
        [one, other] if one != other => Ok(read),
        [_, _] => Err(vec![FieldError::new("ids", "Select two different contexts.")]),
        _ => Err(vec![FieldError::new("ids", "Select one context, to compare it with today's assembly, or two.")]),
    }
}

/// Parses the request of the playground; none without a question.
pub fn preview(query: &Query) -> Parsed<Option<PreviewRequest>> {
    parsed(|errors| {
        let agent_id = query.read("agent", "Choose one of the agents.", errors);
        let plain = AssembleRequest::new(&query.text("q"));
        let (least, most) = (CONTEXT_BUDGET.start(), CONTEXT_BUDGET.end());
        let expected = format!("A number of tokens from {least} to {most}.");
        let budget = query.read("budget", &expected, errors).unwrap_or(plain.budget);
        if !CONTEXT_BUDGET.contains(&budget) {
            errors.push(FieldError::new("budget", expected));
        }
        if query.get("q").is_some() && query.get("agent").is_none() {
            errors.push(FieldError::new("agent", "Choose an agent."));
        }
        let context = AssembleRequest {
            budget,
            user_id: query.user(errors),
            order: query.read("order", "Choose one of the orders.", errors).unwrap_or(plain.order),
            role: query.owned("role"),
            tiers: query.read("tiers", "Choose what memory the context contains.", errors).unwrap_or(plain.tiers),
            vectors: query.read("vectors", "Choose one of the options.", errors).unwrap_or(plain.vectors),
            ..plain
        };
        agent_id.filter(|_| !context.query.is_empty()).map(|agent_id| PreviewRequest { agent_id, context })
    })
}

/// The URL of the playground with the question of a logged context, without the blocks of its caller.
pub fn try_again(context: &LoggedContext, asked: &str) -> String {
    let query = Query::default().with("agent", context.agent_id).with("q", asked).with("budget", context.budget);
    let query = query
        .with_some("user", context.user_id)
        .with_some("order", Some(context.order).filter(|order| *order != BlockOrder::StableFirst))
        .with_some("tiers", Some(context.tiers).filter(|tiers| *tiers != ContextTiers::All))
        .with_some("vectors", (!context.vectors).then_some(false));
    query.href(PLAYGROUND)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "01900000-0000-7000-8000-000000000000";
    const OTHER: &str = "01900000-0000-7000-8000-000000000001";

    fn fields<T>(parsed: Parsed<T>) -> Vec<String> {
        parsed.err().unwrap_or_default().into_iter().map(|error| error.field).collect()
    }

    #[test]
    fn the_log_is_narrowed_by_the_url() {
        let url = format!("agent={ID}&user=crm-4711&cut=true&degraded=false&from=2026-05-01&until=2026-05-01&after=x");
        let filter = log(&Query::parse(&url)).unwrap();
        assert_eq!((filter.cut, filter.degraded, filter.after.as_deref()), (Some(true), Some(false), Some("x")));
        assert!(filter.agent_id.is_some() && filter.user_id.is_some() && filter.from < filter.until);
        let names: Vec<_> = url.split('&').filter_map(|pair| pair.split_once('=')).map(|(name, _)| name).collect();
        assert_eq!(names[..LOG.len()], *LOG);
        assert_eq!(fields(log(&Query::parse("agent=atlas&cut=perhaps&from=2026-05-02&until=2026-05-01"))), ["agent", "cut", "until"]);
    }

    #[test]
    fn one_or_two_contexts_are_compared() {
        let ids = |url: &str| compared(&Query::parse(url)).map(|ids| ids.len());
        assert_eq!((ids(&format!("ids={ID}")), ids(&format!("ids={ID}&ids={OTHER}"))), (Ok(1), Ok(2)));
        for url in [String::new(), "ids=tea".to_owned(), format!("ids={ID}&ids={ID}"), format!("ids={ID}&ids={OTHER}&ids={ID}")] {
            assert_eq!(fields(compared(&Query::parse(&url))), ["ids"], "{url}");
        }
    }

    #[test]
    fn a_context_needs_an_agent_and_a_question() {
        assert_eq!(preview(&Query::default()), Ok(None));
        assert_eq!(preview(&Query::parse(&format!("agent={ID}"))), Ok(None));
        assert_eq!(fields(preview(&Query::parse("q=tea"))), ["agent"]);
        let url = format!("agent={ID}&q=tea&user=vera&budget=500&order=personal_first&role=writer&tiers=working_memory&vectors=false");
        let request = preview(&Query::parse(&url)).unwrap().unwrap().context;
        assert_eq!((request.budget, request.order, request.role.as_deref()), (500, BlockOrder::PersonalFirst, Some("writer")));
        assert_eq!((request.tiers, request.vectors), (ContextTiers::WorkingMemory, false));
        let wrong = format!("agent={ID}&q=tea&budget=99&order=best&tiers=some&vectors=perhaps");
        assert_eq!(fields(preview(&Query::parse(&wrong))), ["budget", "order", "tiers", "vectors"]);
    }
}

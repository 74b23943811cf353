use super::api::NEW;
use crate::{
    query::Query,
    ui::{IconLink, Shape},
};
use leptos::prelude::*;
use wire::ExpectationOrigin;

/// The URL of the form that makes an expectation of a recall: the agent, the question, the user and the memory, as far as the query of a
/// recall page names them.
pub fn form_for(query: &Query, origin: ExpectationOrigin) -> String {
    ["agent", "q", "user", "memory"]
        .iter()
        .fold(Query::default(), |all, name| all.with_some(name, query.get(name)))
        .with("from", origin)
        .href(NEW)
}

/// The button that leads to the form.
#[component]
pub fn ShouldHaveBeenFound(
    /// The recall, as the URLs of recall pages have it.
    query: Query,
    origin: ExpectationOrigin,
) -> impl IntoView {
    view! { <IconLink href=form_for(&query, origin) shape=Shape::Add text="This should have been found" /> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_gets_the_recall_and_none_of_its_filters() {
        let query = Query::parse("agent=a&q=which+tea%3F&kind=decision&user=vera&memory=k3v9x2aq&from=2026-05-01");
        assert_eq!(
            form_for(&query, ExpectationOrigin::Diagnosis),
            "/quality/expectations/new?agent=a&q=which+tea%3F&user=vera&memory=k3v9x2aq&from=diagnosis"
        );
    }
}

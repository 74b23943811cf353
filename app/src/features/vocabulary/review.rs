use super::{
    api::{browse_proposals, read_proposal},
    focus::Focus,
    similar::{grouped, similar_to},
    table::Table,
};
use crate::{
    ConsoleError,
    features::views::FilterBar,
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{
        Choice, EmptyCard, Filtered, NoMatch, NothingLeft, Pager, Parsed, Shape, awaited, choice, if_any, or_error, parsed, reading, text,
    },
};
use leptos::prelude::*;
use wire::{OperatorRole, Page, Proposal, ProposalFilter, ProposalId, ProposalStatus, ViewPage};

const NAMES: &[&str] = &["q", "status"];

fn filter(query: &Query) -> Parsed<ProposalFilter> {
    parsed(|errors| ProposalFilter {
        status: query.read("status", "Choose open, approved, merged or rejected.", errors),
        once: once(query),
        q: query.owned("q"),
        after: query.owned("after"),
        before: query.owned("before"),
    })
}

/// Whether the list has the open proposals that were used once, or those that were used more often; both if it is searched.
fn once(query: &Query) -> Option<bool> {
    match query.get("once") {
        Some("true") => Some(true),
        _ if query.any(NAMES) => None,
        _ => Some(false),
    }
}

/// The review page: phrases that agents use and the vocabulary does not know, the most frequent first.
#[component]
pub fn ReviewPage() -> impl IntoView {
    let filtered = Filtered::by(filter);
    let (query, list) = (filtered.query.clone(), filtered.load(browse_proposals));
    let folds = once(&query) == Some(false) && !query.is_later_page();
    let rest = folds.then(|| reading(browse_proposals(ProposalFilter { once: Some(true), ..ProposalFilter::default() })));
    let focus = query.get("focus").and_then(|id| id.parse::<ProposalId>().ok());
    let detail = focus.map(|id| reading(read_proposal(id)));
    let who = ViewerResource::expect();
    view! {
        <PageHead title="Proposed terms">"Phrases that agents use and the vocabulary does not know. A decision applies to all agents."</PageHead>
        <FilterBar page=ViewPage::Proposals label="Proposals" query=filtered.query.clone() names=NAMES>
            <div class="col-span-2">{filtered.text_field("q", "Phrase contains", "")}</div>
            {filtered.select_field("status", "State", states())}
        </FilterBar>
        <div class=if focus.is_some() { "mt-4 items-start gap-5 xl:grid xl:grid-cols-[minmax(0,1fr)_29rem]" } else { "mt-4" }>
            {awaited(async move {
                let (viewer, list, rest) = (who.await.ok(), list.await, if_any(rest).await.and_then(Result::ok));
                let (list, query, rest) = folded(list, query, rest);
                let may_decide = viewer.as_ref().is_some_and(|viewer| viewer.profile.has(OperatorRole::Reviewer));
                let ids = list.as_ref().map(|page| page.rows.iter().map(|row| row.id).collect()).unwrap_or_default();
                let similar = focus.zip(list.as_ref().ok()).map(|(id, page)| similar_to(&page.rows, id)).unwrap_or_default();
                let detail = if_any(detail).await;
                let rows = or_error(list, |page| match page.rows.is_empty() {
                    true => view! { <Nothing query=query.clone() /> }.into_any(),
                    false => view! { <Proposals page query=query.clone() focus may_decide /> }.into_any(),
                });
                view! {
                    <div class="min-w-0">{rows} <Rest number=rest /></div>
                    <Focus focus detail ids similar viewer query />
                }
            })}
        </div>
    }
}

type Proposed = Result<Page<Proposal>, ConsoleError>;

/// The list, the query of its links, and how many proposals that were used once are folded away. If all were used once, they are the list.
fn folded(list: Proposed, query: Query, rest: Option<Page<Proposal>>) -> (Proposed, Query, i64) {
    let list = list.map(|page| Page { rows: grouped(page.rows), ..page });
    match rest {
        Some(rest) if list.as_ref().is_ok_and(|page| page.rows.is_empty()) => {
            (Ok(Page { rows: grouped(rest.rows), ..rest }), query.with("once", "true"), 0)
        }
        Some(rest) => (list, query, rest.total),
        None => (list, query, 0),
    }
}

/// The line under which the proposals that were used once are folded.
#[component]
fn Rest(number: i64) -> impl IntoView {
    (number > 0).then(|| {
        let text = text::total(number, "more proposal was used once", "more proposals were used once");
        view! { <p class="mt-3 text-sm" data-testid="once"><a href="/vocabulary?once=true">{text}</a></p> }
    })
}

fn states() -> Vec<Choice> {
    vec![choice("", "Open"), choice("approved", "Approved"), choice("merged", "Merged"), choice("rejected", "Rejected")]
}

/// The adjective for proposals of the chosen state.
fn kind(query: &Query) -> &'static str {
    match query.get("status").and_then(|status| status.parse().ok()) {
        Some(ProposalStatus::Approved) => "approved",
        Some(ProposalStatus::Merged) => "merged",
        Some(ProposalStatus::Rejected) => "rejected",
        Some(ProposalStatus::Open) | None => "open",
    }
}

#[component]
fn Proposals(page: Page<Proposal>, query: Query, focus: Option<ProposalId>, may_decide: bool) -> impl IntoView {
    let kind = kind(&query);
    let total = text::total(page.total, &format!("{kind} proposal"), &format!("{kind} proposals"));
    let part = match page.rows.len() {
        shown if i64::try_from(shown) == Ok(page.total) => String::new(),
        shown => format!(", {shown} on this page"),
    };
    let (rows, select) = (page.rows, may_decide && kind == "open");
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{total} {part}</p>
        <div class="card"><Table rows query=query.clone() focus select /></div>
        <Pager path="/vocabulary" query previous=page.previous next=page.next names=("Previous", "Next") />
    }
}

#[component]
fn Nothing(query: Query) -> impl IntoView {
    match query.any(NAMES) {
        _ if query.is_later_page() => view! { <NothingLeft path="/vocabulary" query /> }.into_any(),
        true => view! {
            <NoMatch thing="proposal" href="/vocabulary">"Only open proposals are shown unless you choose another state."</NoMatch>
        }
        .into_any(),
        false => view! {
            <EmptyCard shape=Shape::Done title="No open proposals" href="/vocabulary/terms" link="All terms"
                says="When an agent files a memory under a phrase that the vocabulary does not know, or proposes one, it appears here within a \
                second or two, with the memories it came from." />
        }
        .into_any(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use uuid::Uuid;

    fn page(phrases: &[&str]) -> Page<Proposal> {
        let row = |phrase: &&str| Proposal {
            id: ProposalId(Uuid::nil()),
            phrase: (*phrase).to_owned(),
            status: ProposalStatus::Open,
            count: 1,
            agents: vec![],
            first_seen: DateTime::UNIX_EPOCH,
            last_seen: DateTime::UNIX_EPOCH,
            decision: None,
        };
        Page { rows: phrases.iter().map(row).collect(), next: None, previous: None, total: i64::try_from(phrases.len()).unwrap() }
    }

    #[test]
    fn what_was_used_once_is_folded_unless_it_is_all_there_is_or_searched_for() {
        let of = |url: &str| once(&Query::parse(url));
        assert_eq!([of(""), of("once=true"), of("q=jib"), of("status=rejected")], [Some(false), Some(true), None, None]);
        let shown = |list: &[&str], rest: &[&str]| {
            let (list, query, number) = folded(Ok(page(list)), Query::default(), Some(page(rest)));
            let phrases: Vec<_> = list.unwrap().rows.into_iter().map(|row| row.phrase).collect();
            (phrases, query.href("/vocabulary"), number)
        };
        assert_eq!(shown(&["jib"], &["genoa"]), (vec!["jib".to_owned()], "/vocabulary".to_owned(), 1));
        assert_eq!(shown(&[], &["genoa"]), (vec!["genoa".to_owned()], "/vocabulary?once=true".to_owned(), 0));
    }
}

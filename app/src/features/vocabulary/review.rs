use super::{api::browse_proposals, focus::Focus, table::Table, tabs::Tabs};
use crate::{
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{Choice, Empty, ErrorView, FilterForm, Filtered, Pager, Parsed, SelectField, Shape, TextField, choice, text},
};
use leptos::prelude::*;
use remembrancer::api::{OperatorRole, Page, Proposal, ProposalFilter, ProposalId, ProposalStatus};

const NAMES: &[&str] = &["q", "status"];

fn filter(query: &Query) -> Parsed<ProposalFilter> {
    let mut errors = Vec::new();
    let owned = |name: &str| query.get(name).map(str::to_owned);
    let status = query.read("status", "Choose open, approved, merged or rejected.", &mut errors);
    let filter = ProposalFilter { status, q: owned("q"), after: owned("after"), before: owned("before") };
    if errors.is_empty() { Ok(filter) } else { Err(errors) }
}

/// The review page: phrases that agents use and the vocabulary does not know, the most frequent first.
#[component]
pub fn ReviewPage() -> impl IntoView {
    let filtered = Filtered::by(filter);
    let (query, list) = (filtered.query, filtered.load(browse_proposals));
    let focus = Memo::new(move |_| query.with(|query| query.get("focus").and_then(|id| id.parse::<ProposalId>().ok())));
    let who = ViewerResource::expect();
    view! {
        <PageHead title="Vocabulary review">"Phrases that agents use and the vocabulary does not know. A decision applies to all agents."</PageHead>
        <Tabs />
        <FilterForm action="/vocabulary" label="Proposals">
            <div class="flex flex-wrap items-end gap-2">
                <div class="grow basis-full sm:basis-56">
                    <TextField name="q" label="Phrase contains" value=filtered.value("q") />
                </div>
                <div class="grow sm:w-44 sm:grow-0">
                    <SelectField name="status" label="State" value=filtered.value("status") choices=states() />
                </div>
                <button class="button button-primary" type="submit">
                    "Apply filters"
                </button>
                <a class="button button-quiet" class:hidden=move || !query.get().any(NAMES) href="/vocabulary">
                    "Clear"
                </a>
            </div>
        </FilterForm>
        <div class=move || if focus.get().is_some() { "mt-4 items-start gap-5 xl:grid xl:grid-cols-[minmax(0,1fr)_29rem]" } else { "mt-4" }>
            <div class="min-w-0">
                <Suspense>
                    {move || Suspend::new(async move {
                        let may_decide = who.await.is_ok_and(|viewer| viewer.profile.has(OperatorRole::Reviewer));
                        match list.await {
                            Ok(page) if page.rows.is_empty() => view! { <div class="card"><Nothing query=query.get_untracked() /></div> }.into_any(),
                            Ok(page) => view! { <Proposals page query focus may_decide /> }.into_any(),
                            Err(error) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
                        }
                    })}
                </Suspense>
            </div>
            <Focus focus queue=list query />
        </div>
    }
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
fn Proposals(page: Page<Proposal>, query: Memo<Query>, focus: Memo<Option<ProposalId>>, may_decide: bool) -> impl IntoView {
    let now = query.get_untracked();
    let kind = kind(&now);
    let total = text::count(page.total, &format!("{kind} proposal"), &format!("{kind} proposals"));
    let part = match page.rows.len() {
        shown if i64::try_from(shown) == Ok(page.total) => String::new(),
        shown => format!(", {shown} on this page"),
    };
    let (rows, select) = (page.rows, may_decide && kind == "open");
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{total} {part}</p>
        <div class="card"><Table rows query focus select /></div>
        <Pager path="/vocabulary" query=now previous=page.previous next=page.next names=("Previous", "Next") />
    }
}

#[component]
fn Nothing(query: Query) -> impl IntoView {
    if query.any(NAMES) || query.any(&["after", "before"]) {
        return view! {
            <Empty shape=Shape::Filter title="No proposal matches">
                <p class="mb-3">"Only open proposals are shown unless you choose another state."</p>
                <a class="button" href="/vocabulary">"Show open proposals"</a>
            </Empty>
        }
        .into_any();
    }
    view! {
        <Empty shape=Shape::Done title="No open proposals">
            <p class="mb-3">
                "When an agent files a memory under a phrase that the vocabulary does not know, or proposes one, it appears here within a "
                "second or two, with the memories it came from."
            </p>
            <a class="button" href="/vocabulary/terms">
                "All terms"
            </a>
        </Empty>
    }
    .into_any()
}

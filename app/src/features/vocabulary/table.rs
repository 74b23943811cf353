use super::words::summary;
use crate::{
    query::Query,
    ui::{OfSelected, Selectable, Tick, Time, columns, text},
};
use leptos::prelude::*;
use wire::{Proposal, ProposalId};

/// The table of proposals; with `select`, several can be ticked and decided together.
#[component]
pub fn Table(rows: Vec<Proposal>, query: Query, focus: Option<ProposalId>, select: bool) -> impl IntoView {
    let back = query.without(&["focus"]).href("/vocabulary");
    let first = rows.first().map(|row| row.id);
    let rows =
        rows.into_iter().map(|row| view! { <Row first=first == Some(row.id) row query=query.clone() focus select /> }).collect_view();
    view! {
        <Selectable
            action="/vocabulary/decide"
            back
            label="Proposals"
            nouns=("proposal", "proposals")
            hint="Select proposals to decide them together."
            select
            rows
            heads=columns([
                ("Phrase", ""), ("Uses", "number w-16"), ("By", "hidden w-44 @xl:table-cell"), ("Last used", "hidden w-30 @md:table-cell"),
            ])
        >
            <button class="button" type="submit" name="what" value="approve"><OfSelected verb="Approve" /></button>
            <button class="button" type="submit" name="what" value="merge"><OfSelected verb="Merge" /></button>
            <button class="button button-danger" type="submit" name="what" value="reject"><OfSelected verb="Reject" /></button>
        </Selectable>
    }
}

#[component]
fn Row(row: Proposal, query: Query, focus: Option<ProposalId>, select: bool, first: bool) -> impl IntoView {
    let (id, agents) = (row.id, row.agents.join(", "));
    let checkbox = select.then(|| view! { <Tick id=id.to_string() name=row.phrase.clone() /> });
    let decision = row.decision.map(|decision| {
        view! { <p class="mt-0.5 text-sm break-words text-soft">{summary(&decision)} " " {decision.by.clone()} ", " <Time at=decision.at /></p> }
    });
    view! {
        <tr id=format!("p-{id}") tabindex="-1" data-testid="proposal" aria-current=(focus == Some(id)).then_some("true")>
            {checkbox}
            <td>
                <a
                    class="block font-medium break-words"
                    href=query.with("focus", id).href("/vocabulary")
                    data-noscroll="true"
                    data-keys=(first && focus.is_none()).then_some("j ArrowDown")
                >
                    {text::visible(&row.phrase)}
                </a>
                {decision}
                <p class="mt-0.5 text-xs break-words text-soft @xl:hidden">{agents.clone()}</p>
            </td>
            <td class="number">{text::number(row.count)}</td>
            <td class="hidden truncate text-soft @xl:table-cell" title=agents.clone()>{agents.clone()}</td>
            <td class="hidden text-soft @md:table-cell"><Time at=row.last_seen /></td>
        </tr>
    }
}

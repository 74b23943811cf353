use crate::{
    query::Query,
    ui::{DataTable, Time, Titled, columns},
};
use leptos::prelude::*;
use wire::Citation;

/// The table of recalls that returned a document.
#[component]
pub fn Cited(cited: Vec<Citation>) -> impl IntoView {
    let body = if cited.is_empty() {
        view! { <p class="px-4 py-3 text-sm text-soft">"No recall has cited it yet."</p> }.into_any()
    } else {
        view! {
            <DataTable label="Citations" rows=cited.into_iter().map(|citation| view! { <Row citation /> }).collect_view() heads=columns([
                ("Query", ""), ("Agent", "hidden w-28 @lg:table-cell"), ("Rank", "number w-16"), ("When", "w-30"),
            ]) />
        }
        .into_any()
    };
    view! {
        <Titled id="citations" title="Citations">
            <div class="card">{body}</div>
        </Titled>
    }
}

#[component]
fn Row(citation: Citation) -> impl IntoView {
    let again = Query::default().with("agent", citation.agent_id).with("q", &citation.query).href("/recall/playground");
    view! {
        <tr data-testid="citation">
            <td>
                <a class="line-clamp-3 break-words" href=again title="Ask it again in the playground">{citation.query}</a>
                <span class="block text-xs text-soft @lg:hidden">{citation.agent_slug.clone()}</span>
            </td>
            <td class="hidden truncate @lg:table-cell">{citation.agent_slug}</td>
            <td class="number">{citation.rank.to_string()}</td>
            <td class="text-soft"><Time at=citation.at /></td>
        </tr>
    }
}

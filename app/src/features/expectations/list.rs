use super::{
    api::{page, sets},
    words::{changes, compared},
};
use crate::{
    layout::PageHead,
    ui::{Empty, Shape, TableCard, Time, awaited, columns, or_error, reading, text},
};
use leptos::prelude::*;
use wire::ExpectationSetRow;

/// The page of all sets of expectations.
#[component]
pub fn ExpectationsPage() -> impl IntoView {
    let sets = reading(sets());
    view! {
        <PageHead title="Expectations">
            "Questions with the memories that should answer them. Runs show whether recalls still find them."
        </PageHead>
        {awaited(async move { or_error(sets.await, |sets| view! { <Table sets /> }) })}
    }
}

#[component]
fn Table(sets: Vec<ExpectationSetRow>) -> impl IntoView {
    if sets.is_empty() {
        return view! {
            <div class="card">
                <Empty shape=Shape::Health title="No expectations yet">
                    <p class="mb-3">
                        "Where a recall missed a memory, choose “This should have been found”: on "
                        <a class="underline" href="/recall">"Health"</a> ", on the page of a recall, in the "
                        <a class="underline" href="/recall/playground">"playground"</a> " or in "
                        <a class="underline" href="/recall/diagnose">"Diagnose"</a> "."
                    </p>
                </Empty>
            </div>
        }
        .into_any();
    }
    let heads = columns([
        ("Set", ""),
        ("Met", "number w-24"),
        ("Recall", "hidden w-44 @lg:table-cell"),
        ("MRR", "hidden w-44 @5xl:table-cell"),
        ("Since the run before", "hidden w-48 @2xl:table-cell"),
        ("Last run", "hidden w-32 @3xl:table-cell"),
    ]);
    let total = text::count(i64::try_from(sets.len()).unwrap_or(i64::MAX), "set", "sets");
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{total}</p>
        <TableCard label="Sets of expectations" rows=sets.into_iter().map(row).collect_view() heads />
    }
    .into_any()
}

fn row(row: ExpectationSetRow) -> impl IntoView {
    let ExpectationSetRow { set, expectations, won, lost } = row;
    let (last, before) = (set.last, set.before);
    let met = last.as_ref().map_or_else(|| "–".to_owned(), |last| format!("{} of {}", text::number(last.met), text::number(last.counted)));
    let number = |of: fn(&wire::ExpectationRun) -> Option<f64>| last.as_ref().map(|last| compared(of(last), before.as_ref(), of));
    let (recall, mrr) = (number(|run| run.recall), number(|run| run.mrr));
    let changed = before.is_some().then(|| changes(won, lost));
    let when = match &last {
        _ if set.waiting => view! { <span class="text-soft">"run waiting"</span> }.into_any(),
        Some(last) => view! { <Time at=last.at /> }.into_any(),
        None => view! { <span class="text-soft">"never"</span> }.into_any(),
    };
    view! {
        <tr data-testid="set">
            <th scope="row" class="font-normal! whitespace-normal! text-ink!">
                <a class="text-base font-medium wrap-anywhere" href=page(set.id)>{text::visible(&set.name)}</a>
                <span class="block text-sm text-soft">{text::count(expectations, "expectation", "expectations")}</span>
            </th>
            <td class="number">{met}</td>
            <td class="hidden @lg:table-cell">{recall}</td>
            <td class="hidden @5xl:table-cell">{mrr}</td>
            <td class="hidden whitespace-normal! @2xl:table-cell">{changed}</td>
            <td class="hidden @3xl:table-cell">{when}</td>
        </tr>
    }
}

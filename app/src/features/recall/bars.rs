use crate::{
    query::Query,
    ui::{
        DataTable,
        chart::{percent, share_of},
        columns, text,
    },
};
use leptos::prelude::*;
use wire::RecallCounts;

/// One row of a [`BarTable`].
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The label, and the value of the filter.
    pub text: String,
    pub value: String,
    pub zero_hits: i64,
    /// The share that the bar shows and the text names, 0 to 1.
    pub share: f64,
    /// The text beside the number: `of 340 · 4 %`.
    pub beside: String,
}

impl Line {
    /// A row with zero hits and their share of the recalls.
    pub fn of(text: String, value: String, counts: RecallCounts) -> Self {
        let beside = format!("of {} · {}", text::number(counts.recalls), percent(counts.rate()));
        Self { text, value, zero_hits: counts.zero_hits, share: counts.rate(), beside }
    }
}

/// A table of zero hits as bars. The label of each row is a link that sets the filter to it, or clears the filter.
#[component]
pub fn BarTable(title: &'static str, name: &'static str, lines: Vec<Line>, query: Query) -> impl IntoView {
    let empty = lines.is_empty();
    let chosen = query.get(name).map(str::to_owned);
    let row = |line: Line| {
        let current = chosen.as_deref() == Some(line.value.as_str());
        let query = query.without(&["after", "before"]);
        let href = if current { query.without(&[name]) } else { query.with(name, &line.value) }.href("/recall");
        let width = format!("{:.1}", share_of(line.share, 1.0) * 96.0);
        view! {
            <tr data-testid=format!("by-{name}") aria-current=current.then_some("true")>
                <th scope="row" class="font-normal! whitespace-normal!">
                    <a class="text-sm break-words" href=href data-noscroll="true">{line.text}</a>
                </th>
                <td class="w-26 align-middle!">
                    <svg class="h-2 w-20" viewBox="0 0 96 8" preserveAspectRatio="none" aria-hidden="true">
                        <rect class="fill-line" width="96" height="8" rx="2" />
                        <rect class="fill-chart" width=width height="8" rx="2" />
                    </svg>
                </td>
                <td class="number w-28 text-sm">
                    <strong class="font-medium">{text::number(line.zero_hits)}</strong>
                    <span class="block text-xs text-soft">{line.beside}</span>
                </td>
            </tr>
        }
    };
    let body = if empty {
        view! { <p class="px-3 py-2.5 text-sm text-soft">"None in this period."</p> }.into_any()
    } else {
        view! {
            <DataTable
                label=title bare=true heads=columns([(title, ""), ("Share", ""), ("Found nothing", "")])
                rows=lines.into_iter().map(row).collect_view()
            />
        }
        .into_any()
    };
    view! {
        <section class="card min-w-0">
            <div class="flex flex-wrap items-baseline gap-x-3 border-b border-line px-3 py-2">
                <h2>{title}</h2>
                <p class="text-xs text-soft">"A full bar is 100 %."</p>
            </div>
            {body}
        </section>
    }
}

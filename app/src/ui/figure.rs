//! What all charts over time share: a card with the title and the legend, and a drawing with one axis on its right.

use super::{
    chart::{Plot, length},
    svg::{grid_line, word},
};
use leptos::prelude::*;

const WIDTH: f64 = 760.0;
/// The room below the axis, for hours or days.
const DATES: f64 = 26.0;

/// The area of a drawing inside its axis, which is on the right: a drawing that is wider than its window shows its right end first.
pub fn plot(height: f64) -> Plot {
    Plot { left: 6.0, top: 10.0, width: 690.0, height }
}

/// The lines of the axis; `name` formats the number of each.
pub fn axis(plot: Plot, marks: &[i64], name: impl Fn(i64) -> String) -> AnyView {
    let top = length(marks.last().copied().unwrap_or(1));
    let line = |mark: &i64| {
        let y = plot.y(length(*mark), top);
        grid_line(plot, y, word((plot.right() + 6.0, y), "start", name(*mark)))
    };
    marks.iter().map(line).collect_view().into_any()
}

/// The name of an hour or a day, below its column at `x`.
pub fn date(plot: Plot, x: f64, name: String) -> AnyView {
    word((x, plot.bottom() + 15.0), "middle", name).into_any()
}

/// A chart in a card. The drawing scrolls where the window is narrower.
#[component]
pub fn Chart<D: IntoView + 'static>(
    #[prop(into)] title: String,
    drawing: D,
    /// The id of the title.
    #[prop(optional)]
    id: Option<&'static str>,
    #[prop(optional)] test_id: Option<&'static str>,
    /// What is below the drawing: the same numbers as a table.
    #[prop(optional)]
    below: Option<AnyView>,
    /// What is beside the title: the legend, the sum, the zone.
    children: Children,
) -> impl IntoView {
    let label = format!("Chart of {}", title.to_lowercase());
    view! {
        <figure class="card min-w-0" data-testid=test_id>
            <figcaption class="flex flex-wrap items-baseline gap-x-4 gap-y-1 border-b border-line px-3 py-2">
                <h2 id=id>{title}</h2>
                {children()}
            </figcaption>
            <div class="flex flex-row-reverse overflow-x-auto p-2" tabindex="0" role="region" aria-label=label>{drawing}</div>
            {below}
        </figure>
    }
}

/// The drawing of a chart whose area is so high.
#[component]
pub fn Drawing(
    height: f64,
    /// `img`, or `group` if its columns are links.
    #[prop(default = "img")]
    role: &'static str,
    /// The chart as a sentence.
    label: String,
    children: Children,
) -> impl IntoView {
    view! {
        <svg
            class="mx-auto block w-full max-w-[57rem] min-w-[44rem] shrink-0"
            viewBox=format!("0 0 {WIDTH} {}", plot(height).bottom() + DATES)
            role=role
            aria-label=label
        >
            {children()}
        </svg>
    }
}

/// What the colours of a chart stand for: classes and names.
#[component]
pub fn ChartLegend(keys: Vec<(&'static str, &'static str)>) -> impl IntoView {
    let key = |(class, text): (&'static str, &'static str)| {
        view! {
            <span class="inline-flex items-center gap-1">
                <svg class="size-2" viewBox="0 0 8 8" aria-hidden="true">
                    <rect class=class width="8" height="8" rx="1.5" />
                </svg>
                {text}
            </span>
        }
    };
    view! { <span class="flex flex-wrap gap-x-3 text-xs text-soft">{keys.into_iter().map(key).collect_view()}</span> }
}

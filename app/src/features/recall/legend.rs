use crate::ui::{ChartLegend, chart::percent};
use leptos::prelude::*;
use wire::RecallCounts;

/// The zero-hit rate, or a dash without recalls.
pub fn rate(counts: &RecallCounts) -> String {
    if counts.recalls == 0 { "–".to_owned() } else { percent(counts.rate()) }
}

/// What the colours of a chart of recalls stand for.
#[component]
pub fn Legend() -> impl IntoView {
    let keys =
        [("fill-line-strong", "answered"), ("fill-chart", "nothing found"), ("fill-danger", "nothing found, though a result was expected")];
    view! { <ChartLegend keys=keys.to_vec() /> }
}

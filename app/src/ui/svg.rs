//! Parts of drawings.

use super::chart::Plot;
use leptos::prelude::*;

/// A word of a chart, around or beside a point.
pub fn word((x, y): (f64, f64), anchor: &'static str, text: String) -> impl IntoView + use<> {
    view! {
        <text class="fill-soft text-xs" x=format!("{x:.1}") y=format!("{y:.1}") text-anchor=anchor dominant-baseline="central">
            {text}
        </text>
    }
}

/// A line across a chart with what it stands for.
pub fn grid_line(plot: Plot, y: f64, word: impl IntoView + 'static) -> impl IntoView {
    let at = format!("{y:.1}");
    view! {
        <g>
            <line class="stroke-line" x1=plot.left.to_string() x2=plot.right().to_string() y1=at.clone() y2=at />
            {word}
        </g>
    }
}

/// A band of a chart that shows a text while a pointer is over it.
pub fn hint(plot: Plot, (x, width, text): (f64, f64, String)) -> impl IntoView {
    view! {
        <rect x=format!("{x:.1}") y=plot.top.to_string() width=format!("{width:.1}") height=plot.height.to_string() fill="transparent">
            <title>{text}</title>
        </rect>
    }
}

/// The head of an arrow; `orient` says where it points.
pub fn arrow_head(id: &'static str, class: &'static str, orient: &'static str) -> impl IntoView {
    view! {
        <marker
            id=id
            viewBox="0 0 8 8"
            refX="8"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient=orient
        >
            <path class=class d="M0 0.5 8 4 0 7.5z" />
        </marker>
    }
}

/// The sign of the product.
#[component]
pub fn Logo(class: &'static str, stroke: &'static str) -> impl IntoView {
    view! {
        <svg class=class viewBox="0 0 32 32" aria-hidden="true">
            <rect class="fill-accent" width="32" height="32" rx="7" />
            <path
                class="stroke-on-accent"
                d="M9 23V9h7.5a4.25 4.25 0 0 1 0 8.5H9m7 0 6.5 5.5"
                fill="none"
                stroke-width=stroke
                stroke-linecap="round"
                stroke-linejoin="round"
            />
        </svg>
    }
}

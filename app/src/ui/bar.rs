use super::chart::share_of;
use leptos::prelude::*;

/// A value from 0 to 1 as a bar with its number, or with another text; with a floor, also whether the value reaches it.
#[component]
pub fn Bar(
    #[prop(into)] label: String,
    value: f64,
    #[prop(optional)] strong: bool,
    /// The least value that counts, marked on the bar.
    #[prop(optional)]
    floor: Option<f64>,
    /// What is read beside the bar instead of the value.
    #[prop(optional, into)]
    number: Option<String>,
) -> impl IntoView {
    let width = format!("{:.1}", share_of(value, 1.0) * 48.0);
    let fill = if strong { "fill-accent" } else { "fill-chart" };
    let mark = floor.map(|floor| {
        let x = format!("{:.1}", share_of(floor, 1.0) * 48.0 - 1.0);
        view! { <rect class="fill-ink" x=x width="2" height="6" /> }
    });
    let number = number.unwrap_or_else(|| match floor {
        Some(floor) if value < floor => format!("{value:.2} < {floor:.2}"),
        Some(floor) => format!("{value:.2} ≥ {floor:.2}"),
        None => format!("{value:.2}"),
    });
    view! {
        <div class="grid grid-cols-[4.25rem_3rem_minmax(max-content,1fr)] items-center gap-x-2 text-xs whitespace-nowrap text-soft">
            <span>{label}</span>
            <svg class="h-1.5 w-12" viewBox="0 0 48 6" preserveAspectRatio="none" aria-hidden="true">
                <rect class="fill-line" width="48" height="6" rx="2" />
                <rect class=fill width=width height="6" rx="2" />
                {mark}
            </svg>
            <span class=if strong { "font-semibold text-ink" } else { "text-ink" }>{number}</span>
        </div>
    }
}

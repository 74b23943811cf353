use leptos::prelude::*;

/// A share between 0 and 1 as a length, with its number beside it.
#[component]
pub fn Bar(#[prop(into)] label: String, value: f64, #[prop(optional)] strong: bool) -> impl IntoView {
    let width = format!("{:.1}", value.clamp(0.0, 1.0) * 48.0);
    let fill = if strong { "fill-accent" } else { "fill-chart" };
    view! {
        <div class="grid grid-cols-[4.25rem_3rem_auto] items-center gap-x-2 text-xs text-soft">
            <span>{label}</span>
            <svg class="h-1.5 w-12" viewBox="0 0 48 6" preserveAspectRatio="none" aria-hidden="true">
                <rect class="fill-line" width="48" height="6" rx="2" />
                <rect class=fill width=width height="6" rx="2" />
            </svg>
            <span class=if strong { "font-semibold text-ink" } else { "text-ink" }>{format!("{value:.2}")}</span>
        </div>
    }
}

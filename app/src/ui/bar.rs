use super::chart::share_of;
use leptos::prelude::*;
use words::missed;

/// A value as a bar with its number, or with another text; with a floor, also whether the value reaches it.
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
    /// The value that fills the bar. One that is not 1 is said beside the bars, see [`FullBar`].
    #[prop(default = 1.0)]
    full: f64,
) -> impl IntoView {
    let width = format!("{:.1}", share_of(value, full) * 48.0);
    let fill = if strong { "fill-accent" } else { "fill-chart" };
    let mark = floor.map(|floor| {
        let x = format!("{:.1}", share_of(floor, full) * 48.0 - 1.0);
        view! { <rect class="fill-ink" x=x width="2" height="6" /> }
    });
    let number = number.unwrap_or_else(|| match floor {
        Some(floor) if value < floor => missed(value, floor).join(" < "),
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

/// The value that fills the bars of a list: the highest of them, and 1 at least.
pub fn full_of(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(1.0, f64::max)
}

/// Says what the bars of a list stand for.
#[component]
pub fn FullBar(full: f64) -> impl IntoView {
    view! { <p class="text-xs text-soft">{format!("A full bar is {full:.2}. The mark on a bar is the relevance floor.")}</p> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_value_fills_its_bar_and_nothing_overflows() {
        assert_eq!((full_of([0.3, 1.51, 0.9]), full_of([0.3]), full_of([])), (1.51, 1.0, 1.0));
    }
}

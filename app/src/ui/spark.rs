use super::{
    chart::{length, share_of},
    text,
};
use leptos::prelude::*;
use std::fmt::Write;
use wire::ActivityDay;

const HEIGHT: f64 = 24.0;
const STEP: f64 = 4.0;

/// A small bar chart of the memories written on each day.
#[component]
pub fn Spark(days: Vec<ActivityDay>) -> impl IntoView {
    let label = spoken(&days);
    let title = label.clone();
    let (mut ground, mut bars) = (String::new(), String::new());
    let most = days.iter().map(|day| day.written).max().unwrap_or(0).max(1);
    for (i, day) in (0_u32..).zip(&days) {
        let x = f64::from(i) * STEP;
        if day.written > 0 {
            // The square root keeps a quiet day visible beside a busy one.
            let height = (3.0_f64).max(share_of(length(day.written), length(most)).sqrt() * HEIGHT);
            let _ = write!(bars, "M{x} {HEIGHT}v-{height:.1}h3v{height:.1}z");
        } else {
            let _ = write!(ground, "M{x} {HEIGHT}v-1h3v1z");
        }
    }
    let width = f64::from(u32::try_from(days.len()).unwrap_or(0)) * STEP;
    view! {
        <svg class="h-6 w-28" viewBox=format!("0 0 {width} {HEIGHT}") preserveAspectRatio="none" role="img" aria-label=label>
            <title>{title}</title>
            <path class="fill-line" d=ground />
            <path class="fill-chart" d=bars />
        </svg>
    }
}

fn spoken(days: &[ActivityDay]) -> String {
    let total: i64 = days.iter().map(|day| day.written).sum();
    let busiest = days.iter().filter(|day| day.written > 0).max_by_key(|day| day.written);
    match busiest {
        Some(day) => format!(
            "{} written in {} days, most on {}: {}",
            text::count(total, "memory", "memories"),
            days.len(),
            text::day(day.day),
            text::number(day.written)
        ),
        None => format!("Nothing written in {} days", days.len()),
    }
}

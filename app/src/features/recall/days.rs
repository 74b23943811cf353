use crate::ui::{
    chart::{length, percent, share_of},
    text,
};
use chrono::NaiveDate;
use leptos::prelude::*;
use std::fmt::Write;
use wire::RecallCounts;

const HEIGHT: f64 = 56.0;
const STEP: f64 = 10.0;
const BAR: f64 = 8.0;

/// The zero-hit rate, or a dash without recalls.
pub fn rate(counts: &RecallCounts) -> String {
    if counts.recalls == 0 { "–".to_owned() } else { percent(counts.rate()) }
}

/// A bar chart of recalls by day. Each bar stacks, from the bottom: expected hits that were not found, other zero hits, and recalls
/// that found something.
#[component]
pub fn Days(days: Vec<(NaiveDate, RecallCounts)>) -> impl IntoView {
    let label = spoken(&days);
    let title = label.clone();
    let most = days.iter().map(|(_, day)| day.recalls).max().unwrap_or(0).max(1);
    let mut ground = String::new();
    let mut answered = String::new();
    let mut silent = String::new();
    let mut missed = String::new();
    for (i, (_, day)) in (0_u32..).zip(&days) {
        let x = f64::from(i) * STEP;
        let height = |n: i64| share_of(length(n), length(most)) * (HEIGHT - 2.0);
        let _ = write!(ground, "M{x} {HEIGHT}v-1h{BAR}v1z");
        // Drawn over each other, the largest first, so that each shows only what the next one does not cover.
        for (path, part) in [(&mut answered, day.recalls), (&mut silent, day.zero_hits), (&mut missed, day.expected_zero_hits)] {
            if part > 0 {
                // Keeps a single recall among thousands visible.
                let height = height(part).max(2.0) + 1.0;
                let _ = write!(path, "M{x} {HEIGHT}v-{height:.1}h{BAR}v{height:.1}z");
            }
        }
    }
    let width = f64::from(u32::try_from(days.len()).unwrap_or(0)) * STEP - (STEP - BAR);
    view! {
        <svg class="mt-2 h-14 w-full" viewBox=format!("0 0 {width} {HEIGHT}") preserveAspectRatio="none" role="img" aria-label=label>
            <title>{title}</title>
            <path class="fill-line" d=ground />
            <path class="fill-line-strong" d=answered />
            <path class="fill-chart" d=silent />
            <path class="fill-danger" d=missed />
        </svg>
    }
}

#[component]
pub fn Legend() -> impl IntoView {
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
    view! {
        <span class="flex flex-wrap gap-x-3 text-xs">
            {[("fill-line-strong", "answered"), ("fill-chart", "nothing found"), ("fill-danger", "nothing found, though a result was expected")]
                .map(key)
                .collect_view()}
        </span>
    }
}

fn spoken(days: &[(NaiveDate, RecallCounts)]) -> String {
    let (recalls, zero): (i64, i64) = days.iter().fold((0, 0), |(recalls, zero), (_, day)| (recalls + day.recalls, zero + day.zero_hits));
    let worst = days.iter().filter(|(_, day)| day.zero_hits > 0).max_by_key(|(_, day)| day.zero_hits);
    let sentence = format!("{} in {} days, {} found nothing", text::count(recalls, "recall", "recalls"), days.len(), text::number(zero));
    match worst {
        Some((day, counts)) => format!("{sentence}, most on {}: {}", text::day(*day), text::number(counts.zero_hits)),
        None => sentence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chart_can_be_heard() {
        let day = |d: u32, recalls, zero_hits| {
            (NaiveDate::from_ymd_opt(2026, 6, d).unwrap(), RecallCounts { recalls, zero_hits, ..RecallCounts::default() })
        };
        assert_eq!(spoken(&[day(1, 4, 1), day(2, 3, 2)]), "7 recalls in 2 days, 3 found nothing, most on 2 Jun 2026: 2");
        assert_eq!(spoken(&[day(1, 1, 0)]), "1 recall in 1 days, 0 found nothing");
    }
}

use crate::ui::{
    chart::{Plot, compact, length, ticks},
    svg::grid_line,
    text,
};
use chrono::{DateTime, Days, NaiveDate, Utc};
use leptos::prelude::*;
use std::fmt::Write;
use wire::{ExpiringDay, Retention};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 200.0;
const PLOT: Plot = Plot { left: 54.0, top: 12.0, width: 696.0, height: 156.0 };
/// Days that the chart shows: today and the seven that follow.
const DAYS: u32 = 8;
/// The retentions that end, from the bottom of a column to its top, with their fill and its opacity.
const LAYERS: [(Retention, &str, &str); 4] = [
    (Retention::Routine, "fill-chart", "0.35"),
    (Retention::Error, "fill-warn", "1"),
    (Retention::Task, "fill-chart", "0.65"),
    (Retention::Decision, "fill-chart", "1"),
];

/// Columns of the memories that expire on each of the next days, by retention.
#[component]
pub fn Week(now: DateTime<Utc>, days: Vec<ExpiringDay>) -> impl IntoView {
    let dates: Vec<NaiveDate> = (0..DAYS).filter_map(|day| now.date_naive().checked_add_days(Days::new(day.into()))).collect();
    let of = |date: NaiveDate, retention: Retention| -> i64 {
        days.iter().filter(|day| day.day == date && day.retention == retention).map(|day| day.memories).sum()
    };
    let sum = |date: NaiveDate| LAYERS.iter().map(|(retention, ..)| of(date, *retention)).sum::<i64>();
    let marks = ticks(dates.iter().map(|date| sum(*date)).max().unwrap_or(0), 4);
    let top = length(marks.last().copied().unwrap_or(1));
    let mut paths = [const { String::new() }; LAYERS.len()];
    for (i, date) in (0_u32..).zip(&dates) {
        let (left, width) = PLOT.band(i, DAYS);
        let (x, column, mut below) = (left + width * 0.2, width * 0.6, 0);
        for ((retention, ..), path) in LAYERS.iter().zip(&mut paths) {
            let above = below + of(*date, *retention);
            let (from, to) = (PLOT.y(length(below), top), PLOT.y(length(above), top));
            let _ = write!(path, "M{x:.1} {from:.1}h{column:.1}V{to:.1}h-{column:.1}z");
            below = above;
        }
    }
    let total: i64 = dates.iter().map(|date| sum(*date)).sum();
    if total == 0 {
        return view! { <p class="card mb-6 p-4 text-sm text-soft" data-testid="expiring">"No memories expire in the next seven days."</p> }.into_any();
    }
    let label = format!("{} in the next seven days", text::count(total, "memory expires", "memories expire"));
    let axis = marks.into_iter().map(|mark| {
        let y = PLOT.y(length(mark), top);
        grid_line(PLOT, y, word((PLOT.left - 6.0, y), "end", compact(mark)))
    });
    let names = (0_u32..).zip(&dates).map(|(i, date)| {
        let (x, width) = PLOT.band(i, DAYS);
        word((x + width / 2.0, PLOT.bottom() + 16.0), "middle", text::short_day(*date))
    });
    let layers = LAYERS.iter().zip(paths).map(|((_, class, opacity), d)| view! { <path class=*class fill-opacity=*opacity d=d /> });
    let keys = LAYERS.iter().map(|(retention, class, opacity)| {
        view! {
            <li class="flex items-center gap-1.5">
                <svg class="size-3" viewBox="0 0 12 12" aria-hidden="true">
                    <rect class=*class fill-opacity=*opacity width="12" height="12" rx="2" />
                </svg>
                {retention.as_str()}
            </li>
        }
    });
    view! {
        <figure class="card mb-6 min-w-0">
            <figcaption class="flex flex-wrap items-baseline gap-x-4 gap-y-1 border-b border-line px-3 py-2">
                <h2>"Expiring in the next seven days"</h2>
                <ul class="flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft">{keys.collect_view()}</ul>
                <p class="text-xs text-soft" data-testid="expiring">{label.clone()}</p>
                <p class="text-xs text-soft">"Days in UTC"</p>
            </figcaption>
            <div class="p-2">
                <svg
                    class="mx-auto block w-full max-w-[57rem]"
                    viewBox=format!("0 0 {WIDTH} {HEIGHT}")
                    role="img"
                    aria-label=label
                >
                    {axis.collect_view()} {names.collect_view()} {layers.collect_view()}
                </svg>
            </div>
        </figure>
    }
    .into_any()
}

fn word((x, y): (f64, f64), anchor: &'static str, text: String) -> impl IntoView + use<> {
    view! {
        // The drawing is half as large on a phone, its words are not.
        <text class="fill-soft text-xs max-sm:text-xl" x=format!("{x:.1}") y=format!("{y:.1}") text-anchor=anchor dominant-baseline="central">
            {text}
        </text>
    }
}

use crate::ui::{
    Chart, ChartLegend, Drawing,
    chart::{compact, length, ticks},
    figure::{axis, date, plot},
    text,
};
use chrono::{DateTime, Days, NaiveDate, Utc};
use leptos::prelude::*;
use std::fmt::Write;
use wire::{ExpiringDay, Retention};

/// The height of the drawing area.
const HEIGHT: f64 = 156.0;
/// Days that the chart shows: today and the seven that follow.
const DAYS: u32 = 8;
/// The retentions that end, from the bottom of a column to its top, with their fill.
const LAYERS: [(Retention, &str); 4] = [
    (Retention::Routine, "fill-chart opacity-35"),
    (Retention::Error, "fill-warn"),
    (Retention::Task, "fill-chart opacity-65"),
    (Retention::Decision, "fill-chart"),
];

/// Columns of the memories that expire on each of the next days, by retention.
#[component]
pub fn Week(now: DateTime<Utc>, days: Vec<ExpiringDay>) -> impl IntoView {
    let dates: Vec<NaiveDate> = (0..DAYS).filter_map(|day| now.date_naive().checked_add_days(Days::new(day.into()))).collect();
    let of = |date: NaiveDate, retention: Retention| -> i64 {
        days.iter().filter(|day| day.day == date && day.retention == retention).map(|day| day.memories).sum()
    };
    let sum = |day: NaiveDate| LAYERS.iter().map(|(retention, _)| of(day, *retention)).sum::<i64>();
    let plot = plot(HEIGHT);
    let marks = ticks(dates.iter().map(|date| sum(*date)).max().unwrap_or(0), 4);
    let top = length(marks.last().copied().unwrap_or(1));
    let mut paths = [const { String::new() }; LAYERS.len()];
    for (i, date) in (0_u32..).zip(&dates) {
        let (left, width) = plot.band(i, DAYS);
        let (x, column, mut below) = (left + width * 0.2, width * 0.6, 0);
        for ((retention, _), path) in LAYERS.iter().zip(&mut paths) {
            let above = below + of(*date, *retention);
            let (from, to) = (plot.y(length(below), top), plot.y(length(above), top));
            let _ = write!(path, "M{x:.1} {from:.1}h{column:.1}V{to:.1}h-{column:.1}z");
            below = above;
        }
    }
    let total: i64 = dates.iter().map(|date| sum(*date)).sum();
    if total == 0 {
        return view! { <p class="card mb-6 p-4 text-sm text-soft" data-testid="expiring">"No memories expire in the next seven days."</p> }.into_any();
    }
    let label = format!("{} in the next seven days", text::count(total, "memory expires", "memories expire"));
    let axis = axis(plot, &marks, compact);
    let names = (0_u32..).zip(&dates).map(|(i, day)| {
        let (x, width) = plot.band(i, DAYS);
        date(plot, x + width / 2.0, text::short_day(*day))
    });
    let layers = LAYERS.iter().zip(paths).map(|((_, class), d)| view! { <path class=*class d=d /> });
    let (names, layers) = (names.collect_view(), layers.collect_view());
    let keys = LAYERS.iter().map(|(retention, class)| (*class, retention.as_str())).collect();
    let drawing = view! { <Drawing height=HEIGHT label=label.clone()>{axis} {names} {layers}</Drawing> };
    view! {
        <div class="mb-6">
            <Chart title="Expiring in the next seven days" drawing>
                <ChartLegend keys />
                <p class="text-xs text-soft" data-testid="expiring">{label}</p>
                <p class="text-xs text-soft">"Days in UTC"</p>
            </Chart>
        </div>
    }
    .into_any()
}

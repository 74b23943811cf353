use super::narrow::{bar_href, bar_name, counts};
use crate::{
    query::Query,
    ui::{
        Drawing, Zone,
        chart::{Plot, compact, labelled, length, ticks},
        figure::{axis, date, plot},
        text,
    },
};
use chrono::{DateTime, NaiveDateTime, Timelike, Utc};
use leptos::prelude::*;
use wire::BarUnit;

/// No part of a column is lower than this, so that one zero hit among thousands of recalls can be seen.
const LEAST: f64 = 2.0;

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub from: DateTime<Utc>,
    /// What it counts, after the name of the bar: `12 recalls`.
    pub summary: String,
    /// Classes and counts of its parts, the largest first: they are drawn over each other.
    pub parts: Vec<(&'static str, i64)>,
}

/// A chart of columns by hour or day, on one scale. Each column is a link that narrows the health page to its time.
#[component]
pub fn Columns(
    columns: Vec<Column>,
    unit: BarUnit,
    /// The filters of the health page.
    query: Query,
    /// The height of the drawing area.
    height: f64,
    /// The chart as a sentence.
    label: String,
) -> impl IntoView {
    let plot = plot(height);
    let most = columns.iter().flat_map(|column| &column.parts).map(|(_, count)| *count).max().unwrap_or(0);
    let marks = ticks(most, if height > 100.0 { 4 } else { 2 });
    let top = length(marks.last().copied().unwrap_or(1));
    let n = u32::try_from(columns.len()).unwrap_or(u32::MAX);
    let zone = Zone::expect();
    // Hours that are divisible by three have labels.
    let has_label = |i: u32| columns.get(i as usize).is_some_and(|column| zone.clock(column.from).hour().is_multiple_of(3));
    let labels: Vec<u32> = match unit {
        BarUnit::Hour => (0..n).filter(|i| has_label(*i)).collect(),
        BarUnit::Day => labelled(n, 8),
    };
    let dates = labels.into_iter().filter_map(|i| {
        let (x, width) = plot.band(i, n);
        Some(date(plot, x + width / 2.0, below(unit, zone.clock(columns.get(i as usize)?.from))))
    });
    let dates = dates.collect_view();
    let bars = (0_u32..).zip(columns).map(|(i, column)| bar(plot, (i, n), top, column, (unit, &query, zone))).collect_view();
    view! {
        <Drawing height role="group" label>
            <g aria-hidden="true">{axis(plot, &marks, compact)} {dates}</g>
            {bars}
        </Drawing>
    }
}

/// One column as a link. The keyboard reaches the same links in the table of numbers.
fn bar(plot: Plot, (i, n): (u32, u32), top: f64, column: Column, (unit, query, zone): (BarUnit, &Query, Zone)) -> impl IntoView + use<> {
    let ((left, width), from) = (plot.band(i, n), zone.clock(column.from));
    let (x, wide) = (left + width * 0.12, width * 0.76);
    let parts = column.parts.into_iter().filter(|(_, count)| *count > 0).map(|(class, count)| {
        let y = plot.y(length(count), top).min(plot.bottom() - LEAST);
        view! { <path class=class d=format!("M{x:.1} {:.1}h{wide:.1}V{y:.1}h-{wide:.1}z", plot.bottom()) /> }
    });
    let title = format!("{}: {}", bar_name(unit, from), column.summary);
    let label = title.clone();
    view! {
        <g class=(!counts(query, from)).then_some("opacity-40")>
            <a href=bar_href(query, unit, from) tabindex="-1" aria-label=label data-testid="bar">
                <title>{title}</title>
                <rect
                    class="hover:fill-sunken"
                    x=format!("{left:.1}")
                    y=plot.top.to_string()
                    width=format!("{width:.1}")
                    height=plot.height.to_string()
                    fill="transparent"
                />
                {parts.collect_view()}
            </a>
        </g>
    }
}

/// The label below a bar: the hour, or the day.
fn below(unit: BarUnit, from: NaiveDateTime) -> String {
    match unit {
        BarUnit::Hour if from.hour() > 0 => format!("{:02}:00", from.hour()),
        BarUnit::Hour | BarUnit::Day => text::short_day(from.date()),
    }
}

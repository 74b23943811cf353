use super::words::{calls, dollars};
use crate::ui::{
    Chart, DataTable, Drawing,
    chart::{compact, labelled, length, ticks},
    columns,
    figure::{axis, date, plot},
    svg::hint,
    text,
};
use chrono::NaiveDate;
use leptos::prelude::*;
use std::fmt::Write;
use wire::{Usage, Usd};

/// The height of the drawing area.
const HEIGHT: f64 = 160.0;

/// Columns of what each day cost, or of its tokens if all calls were free.
#[component]
pub fn Days(days: Vec<(NaiveDate, Usage)>) -> impl IntoView {
    let (scale, plot) = (Scale::of(&days), plot(HEIGHT));
    let marks = ticks(scale.most, 4);
    let top = length(marks.last().copied().unwrap_or(1));
    let n = u32::try_from(days.len()).unwrap_or(u32::MAX);
    let (mut path, mut hints) = (String::new(), Vec::new());
    for (i, (day, usage)) in (0_u32..).zip(&days) {
        let (left, width) = plot.band(i, n);
        let (x, column, y) = (left + width * 0.15, width * 0.7, plot.y(scale.length(*usage), top));
        let _ = write!(path, "M{x:.1} {:.1}h{column:.1}V{y:.1}h-{column:.1}z", plot.bottom());
        hints.push((left, width, format!("{}: {}, {}", text::day(*day), dollars(usage.dollars), calls(*usage))));
    }
    let axis = axis(plot, &marks, |mark| scale.mark(mark));
    let dates = labelled(n, 7).into_iter().filter_map(|i| {
        let (x, width) = plot.band(i, n);
        Some(date(plot, x + width / 2.0, text::short_day(days.get(i as usize)?.0)))
    });
    let hints = hints.into_iter().map(|band| hint(plot, band));
    let label = spoken(&days);
    let (dates, hints) = (dates.collect_view(), hints.collect_view());
    let drawing = view! { <Drawing height=HEIGHT label>{axis} {dates} <path class="fill-chart" d=path /> {hints}</Drawing> };
    let below = view! { <Numbers days /> }.into_any();
    view! {
        <div class="mb-6">
            <Chart title=scale.title() drawing below>
                <span class="text-xs text-soft">"Days in UTC"</span>
            </Chart>
        </div>
    }
}

/// What the height of a column means.
struct Scale {
    /// Micro-dollars of one step of the axis; 0 if the chart shows tokens.
    unit: i64,
    /// The highest column, in steps.
    most: i64,
}

impl Scale {
    fn of(days: &[(NaiveDate, Usage)]) -> Self {
        let dearest = days.iter().map(|(_, usage)| usage.dollars.as_micros()).max().unwrap_or(0);
        if dearest <= 0 {
            return Self { unit: 0, most: days.iter().map(|(_, usage)| usage.tokens()).max().unwrap_or(0) };
        }
        // Four steps at least, in powers of ten, so that the axis has round amounts.
        let mut unit = 1_000_000;
        while dearest < 4 * unit && unit > 1 {
            unit /= 10;
        }
        Self { unit, most: (dearest - 1) / unit + 1 }
    }

    fn length(&self, usage: Usage) -> f64 {
        if self.unit > 0 { length(usage.dollars.as_micros()) / length(self.unit) } else { length(usage.tokens()) }
    }

    fn mark(&self, mark: i64) -> String {
        match self.unit {
            0 => compact(mark),
            1_000_000 => format!("${}", compact(mark)),
            unit => dollars(Usd::from_micros(mark * unit)),
        }
    }

    fn title(&self) -> &'static str {
        if self.unit > 0 { "Cost by day" } else { "Tokens by day" }
    }
}

/// The same data as a table, of the days with calls.
#[component]
fn Numbers(days: Vec<(NaiveDate, Usage)>) -> impl IntoView {
    let row = |(day, usage): &(NaiveDate, Usage)| {
        view! {
            <tr>
                <th scope="row" class="font-normal!">{text::day(*day)}</th>
                <td class="number">{dollars(usage.dollars)}</td>
                <td class="number">{text::number(usage.calls)}</td>
                <td class="number">{text::number(usage.tokens_in)}</td>
                <td class="number">{text::number(usage.tokens_out)}</td>
            </tr>
        }
    };
    let rows = days.iter().rev().filter(|(_, usage)| usage.calls > 0).map(row).collect_view();
    view! {
        <details class="border-t border-line">
            <summary class="px-3 py-2 text-sm text-soft">"In numbers"</summary>
            <div class="max-h-80 overflow-auto" tabindex="0" role="region" aria-label="Usage by day in numbers">
                <DataTable label="Usage by day" class="data" rows heads=columns([
                    ("Day", ""), ("Cost", "number"), ("Calls", "number"), ("Tokens read", "number"), ("Tokens written", "number"),
                ]) />
            </div>
        </details>
    }
}

fn spoken(days: &[(NaiveDate, Usage)]) -> String {
    let total = days.iter().fold(Usage::default(), |sum, (_, usage)| sum.plus(*usage));
    let dearest = days.iter().filter(|(_, usage)| usage.dollars > Usd::ZERO).max_by_key(|(_, usage)| usage.dollars);
    let most = dearest.map(|(day, usage)| format!("; most on {}: {}", text::day(*day), dollars(usage.dollars))).unwrap_or_default();
    format!("{} days: {}, {}{most}", days.len(), dollars(total.dollars), calls(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(day: u32, tokens_in: i64, micros: i64) -> (NaiveDate, Usage) {
        let dollars = Usd::from_micros(micros);
        (NaiveDate::from_ymd_opt(2026, 6, day).unwrap(), Usage { calls: 2, tokens_in, tokens_out: 0, dollars })
    }

    #[test]
    fn the_axis_has_round_amounts_of_any_size() {
        for (dearest, top) in [(1_234_000_000, "$1,500"), (7_300_000, "$8"), (380_000, "$0.40"), (2_100, "$0.003"), (2, "$0.000002")] {
            let scale = Scale::of(&[day(1, 10, dearest)]);
            let mark = ticks(scale.most, 4).last().copied().unwrap();
            assert_eq!(scale.mark(mark), top, "{dearest}");
        }
        let free = Scale::of(&[day(1, 1700, 0)]);
        assert_eq!((free.title(), free.mark(2000)), ("Tokens by day", "2,000".to_owned()));
    }

    #[test]
    fn the_chart_can_be_read_aloud() {
        let days = [day(1, 900, 500_000), day(2, 100, 1_250_000)];
        assert_eq!(spoken(&days), "2 days: $1.75, 4 calls, 1,000 tokens; most on 2 Jun 2026: $1.25");
    }
}

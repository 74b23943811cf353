use super::measures::{Day, Measure};
use crate::ui::{
    DataTable, Drawing,
    chart::{labelled, length, ticks},
    columns,
    figure::{axis, date, plot},
    svg::hint,
    text,
};
use chrono::NaiveDate;
use leptos::prelude::*;
use std::fmt::Write;
use wire::Ratio;

/// The height of the drawing area.
const HEIGHT: f64 = 90.0;

/// Columns of one number by day. A day without the number has none.
#[component]
pub fn ByDay(measure: &'static Measure, days: Vec<Day>) -> impl IntoView {
    let plot = plot(HEIGHT);
    let values: Vec<(NaiveDate, Option<f64>, String)> =
        days.iter().map(|(day, counts)| (*day, measure.value(counts), (measure.counts)((measure.ratio)(counts), counts))).collect();
    let marks = ticks(most(measure, &days), 2);
    let top = hundredths(marks.last().copied().unwrap_or(1));
    let n = u32::try_from(values.len()).unwrap_or(u32::MAX);
    let (mut path, mut hints) = (String::new(), Vec::new());
    for (i, (day, value, counts)) in (0_u32..).zip(&values) {
        let (left, width) = plot.band(i, n);
        if let Some(value) = value {
            // A value of zero is a thin line, so that it differs from a day without one.
            let (x, column, y) = (left + width * 0.15, width * 0.7, plot.y(*value, top).min(plot.bottom() - 1.5));
            let _ = write!(path, "M{x:.1} {:.1}h{column:.1}V{y:.1}h-{column:.1}z", plot.bottom());
        }
        let shown = value.map_or_else(|| "no data".to_owned(), measure.shown);
        hints.push((left, width, format!("{}: {shown} ({counts})", text::day(*day))));
    }
    let axis = axis(plot, &marks, |mark| (measure.shown)(hundredths(mark)));
    let dates = labelled(n, 7).into_iter().filter_map(|i| {
        let (x, width) = plot.band(i, n);
        let (day, ..) = values.get(i as usize)?;
        Some(date(plot, x + width / 2.0, text::short_day(*day)))
    });
    let hints = hints.into_iter().map(|band| hint(plot, band));
    let label = spoken(measure, &values);
    let (dates, hints) = (dates.collect_view(), hints.collect_view());
    view! { <Drawing height=HEIGHT label>{axis} {dates} <path class="fill-chart" d=path /> {hints}</Drawing> }
}

/// The highest value in hundredths, rounded up.
fn most(measure: &Measure, days: &[Day]) -> i64 {
    let value = |(_, counts): &Day| {
        let Ratio { part, whole } = (measure.ratio)(counts);
        (whole > 0).then(|| (part * 100 + whole - 1) / whole)
    };
    days.iter().filter_map(value).max().unwrap_or(0)
}

fn hundredths(n: i64) -> f64 {
    length(n) / 100.0
}

/// The same numbers as a table, of the days that have one.
#[component]
pub fn Numbers(measure: &'static Measure, days: Vec<Day>) -> impl IntoView {
    let row = |(day, counts): &Day| {
        let value = (measure.shown)(measure.value(counts)?);
        Some(view! {
            <tr>
                <th scope="row" class="font-normal!">{text::day(*day)}</th>
                <td class="number">{value}</td>
                <td class="text-soft">{(measure.counts)((measure.ratio)(counts), counts)}</td>
            </tr>
        })
    };
    let label = format!("{} by day", measure.title);
    let region = format!("{label} in numbers");
    let rows = days.iter().rev().filter_map(row).collect_view();
    view! {
        <details class="border-t border-line">
            <summary class="px-3 py-2 text-sm text-soft">"In numbers"</summary>
            <div class="max-h-80 overflow-auto" tabindex="0" role="region" aria-label=region>
                <DataTable label class="data" rows heads=columns([("Day", ""), ("Value", "number"), ("Counts", "")]) />
            </div>
        </details>
    }
}

fn spoken(measure: &Measure, values: &[(NaiveDate, Option<f64>, String)]) -> String {
    let known = values.iter().filter_map(|(day, value, _)| Some((*day, (*value)?)));
    let most = known.max_by(|(_, one), (_, other)| one.total_cmp(other));
    match most {
        Some((day, value)) => {
            format!("{} by day, {} days; highest on {}: {}", measure.title, values.len(), text::day(day), (measure.shown)(value))
        }
        None => {
            let days = text::count(i64::try_from(values.len()).unwrap_or(i64::MAX), "day", "days");
            format!("{} by day, {days} without data", measure.title)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::measures::MEASURES;
    use super::*;
    use wire::QualityCounts;

    #[test]
    fn the_axis_reaches_the_highest_day() {
        let day = |used, injected| (NaiveDate::default(), QualityCounts { used, injected, ..QualityCounts::default() });
        let top = |days: &[Day]| ticks(most(&MEASURES[0], days), 2).last().map(|mark| (MEASURES[0].shown)(hundredths(*mark)));
        assert_eq!(top(&[day(1, 3), day(0, 0), day(1, 8)]).as_deref(), Some("40 %"), "a third is 34 hundredths at most");
        assert_eq!(top(&[day(5, 5)]).as_deref(), Some("100 %"));
        assert_eq!(top(&[day(0, 7)]).as_deref(), Some("1 %"), "zeros have an axis, too");
    }

    #[test]
    fn a_chart_can_be_read_aloud() {
        let day = |day| NaiveDate::from_ymd_opt(2026, 6, day).unwrap();
        let values = [(day(1), Some(0.25), String::new()), (day(2), None, String::new()), (day(3), Some(0.5), String::new())];
        assert_eq!(spoken(&MEASURES[0], &values), "Context utilisation by day, 3 days; highest on 3 Jun 2026: 50 %");
        assert_eq!(spoken(&MEASURES[1], &values[1..2]), "Observation rate by day, 1 day without data");
    }
}

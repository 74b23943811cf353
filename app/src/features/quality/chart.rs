use super::measures::{Day, Measure};
use crate::ui::{
    chart::{Plot, labelled},
    svg::{hint, word},
    text,
};
use chrono::NaiveDate;
use leptos::prelude::*;
use std::fmt::Write;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 110.0;
const PLOT: Plot = Plot { left: 4.0, top: 16.0, width: 352.0, height: 72.0 };

/// A small bar chart of one number by day. A day without the number has no bar.
#[component]
pub fn ByDay(measure: &'static Measure, days: Vec<Day>) -> impl IntoView {
    let values: Vec<(NaiveDate, Option<f64>, String)> =
        days.iter().map(|(day, counts)| (*day, measure.value(counts), (measure.counts)((measure.ratio)(counts), counts))).collect();
    let most = values.iter().filter_map(|(_, value, _)| *value).fold(0.0, f64::max);
    let label = spoken(measure, &values);
    let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
    let (mut bars, mut hints) = (String::new(), Vec::new());
    for (i, (day, value, counts)) in (0_u32..).zip(&values) {
        let (left, width) = PLOT.band(i, count);
        if let Some(value) = value {
            // A value of zero is a thin line, so that it differs from a day without one.
            let top = PLOT.y(*value, most).min(PLOT.bottom() - 1.5);
            let _ = write!(bars, "M{:.1} {:.1}h{:.1}V{top:.1}h-{:.1}z", left + width * 0.15, PLOT.bottom(), width * 0.7, width * 0.7);
        }
        let shown = value.map_or_else(|| "no data".to_owned(), measure.shown);
        hints.push((left, width, format!("{}: {shown} ({counts})", text::day(*day))));
    }
    let hints = hints.into_iter().map(|band| hint(PLOT, band));
    let dates = labelled(count, 4).into_iter().filter_map(|i| {
        let (x, width) = PLOT.band(i, count);
        let (day, ..) = values.get(i as usize)?;
        let (x, anchor) = if i + 1 == count { (PLOT.right(), "end") } else { (x + width / 2.0, "middle") };
        Some(word((x, PLOT.bottom() + 13.0), anchor, text::short_day(*day)))
    });
    let (left, right, floor) = (PLOT.left.to_string(), PLOT.right().to_string(), PLOT.bottom().to_string());
    let top = (most > 0.0).then(|| word((PLOT.left, 7.0), "start", format!("highest: {}", (measure.shown)(most))));
    view! {
        <svg class="mt-3 block w-full max-w-md" viewBox=format!("0 0 {WIDTH} {HEIGHT}") role="img" aria-label=label>
            <line class="stroke-line" x1=left x2=right y1=floor.clone() y2=floor />
            <path class="fill-chart" d=bars />
            {top}
            {dates.collect_view()}
            {hints.collect_view()}
        </svg>
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

    #[test]
    fn a_chart_can_be_read_aloud() {
        let day = |day| NaiveDate::from_ymd_opt(2026, 6, day).unwrap();
        let values = [(day(1), Some(0.25), String::new()), (day(2), None, String::new()), (day(3), Some(0.5), String::new())];
        assert_eq!(spoken(&MEASURES[0], &values), "Context utilisation by day, 3 days; highest on 3 Jun 2026: 50 %");
        assert_eq!(spoken(&MEASURES[1], &values[1..2]), "Observation rate by day, 1 day without data");
    }
}

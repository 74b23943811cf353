use super::words::{cause, score};
use crate::ui::{
    Chart, ChartLegend, DataTable, Drawing, Moment, Zone,
    chart::{labelled, ticks},
    columns,
    figure::{axis, date, plot},
    svg::hint,
    text,
};
use leptos::prelude::*;
use std::fmt::Write;
use wire::ExpectationRun;

/// The height of the drawing area.
const HEIGHT: f64 = 120.0;

/// Recall as columns and MRR as points, run by run, the newest at the right.
#[component]
pub fn Runs(
    /// Newest first.
    runs: Vec<ExpectationRun>,
) -> impl IntoView {
    let (plot, zone) = (plot(HEIGHT), Zone::expect());
    let marks = ticks(100, 2);
    let oldest: Vec<&ExpectationRun> = runs.iter().rev().collect();
    let n = u32::try_from(oldest.len()).unwrap_or(u32::MAX);
    let (mut path, mut points, mut hints) = (String::new(), Vec::new(), Vec::new());
    for (i, run) in (0_u32..).zip(&oldest) {
        let (left, width) = plot.band(i, n);
        if let Some(recall) = run.recall {
            // A recall of zero is a thin line, so that it differs from a run that counted nothing.
            let y = plot.y(recall * 100.0, 100.0).min(plot.bottom() - 1.5);
            let (x, column) = (left + width * 0.2, width * 0.6);
            let _ = write!(path, "M{x:.1} {:.1}h{column:.1}V{y:.1}h-{column:.1}z", plot.bottom());
        }
        if let Some(mrr) = run.mrr {
            let (x, y) = (format!("{:.1}", left + width / 2.0), format!("{:.1}", plot.y(mrr * 100.0, 100.0)));
            points.push(view! { <circle class="fill-accent" cx=x cy=y r="4" /> });
        }
        hints.push(hint(plot, (left, width, format!("{}: {}", zone.moment(run.at), numbers(run)))));
    }
    let dates = labelled(n, 7).into_iter().filter_map(|i| {
        let (x, width) = plot.band(i, n);
        let run = oldest.get(i as usize)?;
        Some(date(plot, x + width / 2.0, text::short_day(zone.local(run.at).date_naive())))
    });
    let label = spoken(&oldest);
    let (axis, dates) = (axis(plot, &marks, |mark| format!("{mark} %")), dates.collect_view());
    let (points, hints) = (points.into_iter().collect_view(), hints.into_iter().collect_view());
    let drawing = view! { <Drawing height=HEIGHT label>{axis} {dates} <path class="fill-chart" d=path /> {points} {hints}</Drawing> };
    let below = view! { <Numbers runs /> }.into_any();
    view! {
        <Chart title="Runs" id="runs" test_id="runs" drawing below>
            <ChartLegend keys=vec![("fill-chart", "recall"), ("fill-accent", "MRR")] />
        </Chart>
    }
}

fn numbers(run: &ExpectationRun) -> String {
    format!("recall {}, MRR {}, {} of {} met", score(run.recall), score(run.mrr), run.met, run.counted)
}

/// The chart as a sentence.
fn spoken(oldest: &[&ExpectationRun]) -> String {
    let runs = text::count(i64::try_from(oldest.len()).unwrap_or(i64::MAX), "run", "runs");
    match oldest {
        [] => runs,
        [only] => format!("{runs}: {}", numbers(only)),
        [first, .., last] => format!("{runs}; first: {}; last: {}", numbers(first), numbers(last)),
    }
}

/// The same numbers as a table.
#[component]
fn Numbers(runs: Vec<ExpectationRun>) -> impl IntoView {
    let row = |run: ExpectationRun| {
        view! {
            <tr>
                <th scope="row" class="font-normal!"><Moment at=run.at bare=true /></th>
                <td class="number">{score(run.recall)}</td>
                <td class="number">{score(run.mrr)}</td>
                <td class="number">{format!("{} of {}", run.met, run.counted)}</td>
                <td class="hidden whitespace-normal! text-soft @xl:table-cell">
                    {format!("{}, vocabulary {}, {}", run.model, run.vocabulary_version, cause(run.cause))}
                </td>
            </tr>
        }
    };
    let heads = columns([("Run", ""), ("Recall", "number"), ("MRR", "number"), ("Met", "number"), ("Ran on", "hidden @xl:table-cell")]);
    view! {
        <details class="border-t border-line">
            <summary class="px-3 py-2 text-sm text-soft">"In numbers"</summary>
            <div class="max-h-80 overflow-auto" tabindex="0" role="region" aria-label="Runs in numbers">
                <DataTable label="Runs" class="data" rows=runs.into_iter().map(row).collect_view() heads />
            </div>
        </details>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use uuid::Uuid;
    use wire::{ExpectationRunId, RunCause};

    fn run(met: i64, recall: Option<f64>) -> ExpectationRun {
        ExpectationRun {
            id: ExpectationRunId(Uuid::nil()),
            at: DateTime::UNIX_EPOCH,
            cause: RunCause::Requested,
            model: "fake".into(),
            vector_floor: 0.3,
            lexical_floor: 0.3,
            vocabulary_version: 1,
            k: 10,
            expectations: 4,
            counted: 4,
            met,
            recall,
            mrr: recall,
        }
    }

    #[test]
    fn a_chart_can_be_read_aloud() {
        let (first, last) = (run(1, Some(0.25)), run(4, Some(1.0)));
        assert_eq!(spoken(&[&first]), "1 run: recall 0.250, MRR 0.250, 1 of 4 met");
        let all = [&first, &run(0, None), &last];
        assert_eq!(spoken(&all), "3 runs; first: recall 0.250, MRR 0.250, 1 of 4 met; last: recall 1.000, MRR 1.000, 4 of 4 met");
    }
}

use crate::ui::{
    chart::{Plot, labelled, length, line, percent, ticks},
    text,
};
use chrono::NaiveDate;
use leptos::prelude::*;
use remembrancer::api::Silence;
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 240.0;
const PLOT: Plot = Plot { left: 36.0, top: 12.0, width: 676.0, height: 196.0 };

/// A chart of zero hits by day: columns with expected ones on top, and a line for their share of all recalls.
#[component]
pub fn Days(days: Vec<(NaiveDate, Silence)>) -> impl IntoView {
    let most = days.iter().map(|(_, silence)| silence.zero_hits).max().unwrap_or(0);
    let marks = ticks(most, 4);
    let top = length(marks.last().copied().unwrap_or(1));
    let count = u32::try_from(days.len()).unwrap_or(u32::MAX);
    let (mut plain, mut expected, mut points) = (String::new(), String::new(), Vec::new());
    let mut hints = Vec::new();
    for (i, (day, silence)) in (0_u32..).zip(&days) {
        let (left, width) = PLOT.band(i, count);
        let (x, column) = (left + width * 0.15, width * 0.7);
        let surprising = silence.expected_zero_hits.clamp(0, silence.zero_hits);
        let (all, rest) = (PLOT.y(length(silence.zero_hits), top), PLOT.y(length(silence.zero_hits - surprising), top));
        let _ = write!(plain, "M{x:.1} {:.1}h{column:.1}V{rest:.1}h-{column:.1}z", PLOT.bottom());
        let _ = write!(expected, "M{x:.1} {rest:.1}h{column:.1}V{all:.1}h-{column:.1}z");
        points.push((silence.recalls > 0).then(|| (left + width / 2.0, PLOT.y(silence.rate(), 1.0))));
        hints.push((left, width, format!("{}: {}", text::day(*day), summary(silence))));
    }
    let dots: String = points.iter().flatten().map(|(x, y)| format!("M{x:.1} {y:.1}h0")).collect();
    let hints = hints.into_iter().map(|(x, width, text)| {
        view! {
            <rect x=format!("{x:.1}") y=PLOT.top.to_string() width=format!("{width:.1}") height=PLOT.height.to_string() fill="transparent">
                <title>{text}</title>
            </rect>
        }
    });
    let label = spoken(&days);
    view! {
        <figure class="card min-w-0">
            <figcaption class="flex flex-wrap items-baseline gap-x-4 gap-y-1 border-b border-line px-3 py-2">
                <h2>"Zero hits by day"</h2>
                <Legend />
            </figcaption>
            <div class="overflow-x-auto px-2 pt-2" tabindex="0" role="region" aria-label="Drawing of zero hits by day">
                <svg
                    class="mx-auto block w-full max-w-[57rem] min-w-[34rem]"
                    viewBox=format!("0 0 {WIDTH} {HEIGHT}")
                    role="img"
                    aria-label=label
                >
                    <defs>
                        <pattern id="hatch-expected" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                            <rect class="fill-warn-wash" width="5" height="5" />
                            <rect class="fill-warn" width="2.5" height="5" />
                        </pattern>
                    </defs>
                    <Axes marks days=days.iter().map(|(day, _)| *day).collect() />
                    <path class="fill-chart" d=plain />
                    <path class="stroke-warn" fill="url(#hatch-expected)" d=expected />
                    <path class="stroke-ink" fill="none" stroke-width="1.5" d=line(points) />
                    <path class="stroke-ink" fill="none" stroke-width="4" stroke-linecap="round" d=dots />
                    {hints.collect_view()}
                </svg>
            </div>
            <Numbers days />
        </figure>
    }
}

/// The axes: counts on the left, shares on the right, days below.
#[component]
fn Axes(marks: Vec<i64>, days: Vec<NaiveDate>) -> impl IntoView {
    let top = length(marks.last().copied().unwrap_or(1));
    let (left, right) = (PLOT.left.to_string(), PLOT.right().to_string());
    let count = marks.into_iter().map(|mark| {
        let y = format!("{:.1}", PLOT.y(length(mark), top));
        view! {
            <g>
                <line class="stroke-line" x1=left.clone() x2=right.clone() y1=y.clone() y2=y.clone() />
                {label((PLOT.left - 6.0, &y), "end", text::number(mark))}
            </g>
        }
    });
    let share = [0.0, 0.5, 1.0].map(|share| label((PLOT.right() + 6.0, &format!("{:.1}", PLOT.y(share, 1.0))), "start", percent(share)));
    let n = u32::try_from(days.len()).unwrap_or(u32::MAX);
    let beneath = format!("{:.1}", PLOT.bottom() + 16.0);
    let dates = labelled(n, 7).into_iter().filter_map(|i| {
        let (x, width) = PLOT.band(i, n);
        Some(label((x + width / 2.0, &beneath), "middle", text::short_day(*days.get(i as usize)?)))
    });
    view! {
        <g>{count.collect_view()}</g>
        <g>{share.collect_view()}</g>
        <g>{dates.collect_view()}</g>
    }
}

fn label((x, y): (f64, &str), anchor: &'static str, text: String) -> impl IntoView + use<> {
    view! {
        <text class="fill-soft text-xs" x=format!("{x:.1}") y=y.to_owned() text-anchor=anchor dominant-baseline="central">
            {text}
        </text>
    }
}

#[component]
fn Legend() -> impl IntoView {
    view! {
        <ul class="flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft">
            <li class="flex items-center gap-1.5">
                <svg class="size-3" viewBox="0 0 12 12" aria-hidden="true">
                    <rect class="fill-chart" width="12" height="12" rx="2" />
                </svg>
                "not expected"
            </li>
            <li class="flex items-center gap-1.5">
                <svg class="size-3" viewBox="0 0 12 12" aria-hidden="true">
                    <rect class="fill-warn-wash stroke-warn" x="0.5" y="0.5" width="11" height="11" rx="2" />
                    <path class="stroke-warn" stroke-width="2" d="M1 11 11 1M1 6l5-5M6 11l5-5" />
                </svg>
                "the agent should have known"
            </li>
            <li class="flex items-center gap-1.5">
                <svg class="h-3 w-5" viewBox="0 0 20 12" aria-hidden="true">
                    <path class="stroke-ink" fill="none" stroke-width="1.5" d="M0 8 10 4 20 7" />
                    <path class="stroke-ink" fill="none" stroke-width="4" stroke-linecap="round" d="M10 4h0" />
                </svg>
                "share of recalls (right)"
            </li>
        </ul>
    }
}

/// The same data as a table, of the days with recalls.
#[component]
fn Numbers(days: Vec<(NaiveDate, Silence)>) -> impl IntoView {
    let row = |(day, silence): &(NaiveDate, Silence)| {
        view! {
            <tr>
                <th scope="row" class="font-normal!">{text::day(*day)}</th>
                <td class="number">{text::number(silence.recalls)}</td>
                <td class="number">{text::number(silence.zero_hits)}</td>
                <td class="number">{text::number(silence.expected_zero_hits)}</td>
                <td class="number">{percent(silence.rate())}</td>
            </tr>
        }
    };
    view! {
        <details class="border-t border-line">
            <summary class="px-3 py-2 text-sm text-soft">"In numbers"</summary>
            <div class="max-h-80 overflow-auto" tabindex="0" role="region" aria-label="Zero hits by day in numbers">
                <table class="data" aria-label="Zero hits by day">
                    <thead>
                        <tr>
                            <th scope="col">"Day"</th>
                            <th scope="col" class="number">"Recalls"</th>
                            <th scope="col" class="number">"Zero hits"</th>
                            <th scope="col" class="number">"Expected"</th>
                            <th scope="col" class="number">"Share"</th>
                        </tr>
                    </thead>
                    <tbody>{days.iter().rev().filter(|(_, silence)| silence.recalls > 0).map(row).collect_view()}</tbody>
                </table>
            </div>
        </details>
    }
}

fn summary(silence: &Silence) -> String {
    let recalls = text::count(silence.recalls, "recall", "recalls");
    match silence.expected_zero_hits {
        0 => format!("{} of {recalls} found nothing", text::number(silence.zero_hits)),
        n => format!("{} of {recalls} found nothing, {} of them expected", text::number(silence.zero_hits), text::number(n)),
    }
}

fn spoken(days: &[(NaiveDate, Silence)]) -> String {
    let worst = days.iter().filter(|(_, silence)| silence.zero_hits > 0).max_by_key(|(_, silence)| silence.zero_hits);
    let sum = |part: fn(&Silence) -> i64| days.iter().map(|(_, silence)| part(silence)).sum::<i64>();
    let all = Silence {
        recalls: sum(|s| s.recalls),
        zero_hits: sum(|s| s.zero_hits),
        expected: sum(|s| s.expected),
        expected_zero_hits: sum(|s| s.expected_zero_hits),
    };
    let most = worst.map(|(day, silence)| format!("; most on {}: {}", text::day(*day), silence.zero_hits)).unwrap_or_default();
    format!("{} days: {}{most}", days.len(), summary(&all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_can_be_read_aloud() {
        let day = |day| NaiveDate::from_ymd_opt(2026, 6, day).unwrap();
        let silence = |recalls, zero_hits, expected_zero_hits| Silence { recalls, zero_hits, expected: 0, expected_zero_hits };
        let days = [(day(1), silence(1200, 3, 0)), (day(2), silence(0, 0, 0)), (day(3), silence(40, 4, 1))];
        assert_eq!(spoken(&days), "3 days: 7 of 1,240 recalls found nothing, 1 of them expected; most on 3 Jun 2026: 4");
        assert_eq!(spoken(&days[1..2]), "1 days: 0 of 0 recalls found nothing");
    }
}

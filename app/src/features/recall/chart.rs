//! The charts of the health page: recalls, and beside them the memories that were stored.

use super::{
    columns::{Column, Columns},
    legend::{Legend, rate},
    narrow::{bar_href, bar_name},
};
use crate::{
    query::Query,
    ui::{Chart, DataTable, Time, Zone, columns, text},
};
use leptos::prelude::*;
use wire::{BarUnit, HealthBar, RecallCounts, RecallHealth};

/// The columns of recalls: those that found something, zero hits, and expected zero hits.
pub fn recall_columns(bars: &[HealthBar]) -> Vec<Column> {
    let column = |bar: &HealthBar| {
        let counts = bar.recalls;
        let parts =
            vec![("fill-line-strong", counts.recalls), ("fill-chart", counts.zero_hits), ("fill-danger", counts.expected_zero_hits)];
        Column { from: bar.from, summary: summary(&counts), parts }
    };
    bars.iter().map(column).collect()
}

/// Recalls by hour or day, and zero hits as a part of them.
#[component]
pub fn RecallChart(bars: Vec<HealthBar>, unit: BarUnit, query: Query) -> impl IntoView {
    let zone = Zone::expect();
    let (columns, label) = (recall_columns(&bars), spoken(&bars, unit, zone));
    let drawing = view! { <Columns columns unit query=query.clone() height=170.0 label /> };
    let below = view! { <Numbers bars unit query /> }.into_any();
    view! {
        <Chart title=format!("Recalls by {unit}") drawing below>
            <span class="text-xs text-soft">"Times in " {zone.name()}</span>
            <Legend />
        </Chart>
    }
}

/// Memories stored by hour or day, on the time axis of the recalls: recalls that find nothing often follow a writer that stopped.
#[component]
pub fn StoredChart(health: RecallHealth, query: Query) -> impl IntoView {
    let RecallHealth { bars, unit, last_write, .. } = health;
    let stored: i64 = bars.iter().map(|bar| bar.stored).sum();
    let columns = bars.iter().map(|bar| {
        let summary = text::count(bar.stored, "memory stored", "memories stored");
        Column { from: bar.from, summary, parts: vec![("fill-good", bar.stored)] }
    });
    let columns: Vec<_> = columns.collect();
    let last = last_write.map(|at| {
        let which = if query.get("day").is_some() { "Last write on any day: " } else { "Last write " };
        view! { {which} <Time at /> }
    });
    let (total, class) = match stored {
        0 => ("None in this period".to_owned(), "text-sm font-medium text-warn"),
        n => (text::count(n, "memory", "memories"), "text-sm text-soft"),
    };
    let label = format!("{} {}: {}", bars.len(), plural(unit), text::count(stored, "memory stored", "memories stored"));
    let partly = query.any(&["topic", "cause", "expected"]).then_some("Only the time and agent filters apply");
    let drawing = view! { <Columns columns unit query height=70.0 label /> };
    view! {
        <Chart title=format!("Memories stored by {unit}") drawing test_id="stored">
            <span class=class>{total}</span>
            <span class="text-sm text-soft" data-testid="last-write">{last}</span>
            <span class="text-xs text-soft">{partly}</span>
        </Chart>
    }
}

/// Both charts as a table, without the bars in which nothing happened.
#[component]
fn Numbers(bars: Vec<HealthBar>, unit: BarUnit, query: Query) -> impl IntoView {
    let zone = Zone::expect();
    let row = |bar: &HealthBar| {
        let (counts, from) = (bar.recalls, zone.clock(bar.from));
        view! {
            <tr>
                <th scope="row" class="font-normal!"><a href=bar_href(&query, unit, from)>{bar_name(unit, from)}</a></th>
                <td class="number">{text::number(counts.recalls)}</td>
                <td class="number">{text::number(counts.zero_hits)}</td>
                <td class="number">{text::number(counts.expected_zero_hits)}</td>
                <td class="number">{rate(&counts)}</td>
                <td class="number">{text::number(bar.stored)}</td>
            </tr>
        }
    };
    let happened = |bar: &&HealthBar| bar.recalls.recalls > 0 || bar.stored > 0;
    let head = match unit {
        BarUnit::Hour => "Hour",
        BarUnit::Day => "Day",
    };
    let rows = bars.iter().rev().filter(happened).map(row).collect_view();
    view! {
        <details class="border-t border-line">
            <summary class="px-3 py-2 text-sm text-soft">"In numbers"</summary>
            <div class="max-h-80 overflow-auto" tabindex="0" role="region" aria-label=format!("Recalls by {unit} in numbers")>
                <DataTable label=format!("Recalls by {unit}") class="data" rows heads=columns([
                    (head, ""), ("Recalls", "number"), ("Found nothing", "number"), ("Result expected", "number"), ("Share", "number"),
                    ("Stored", "number"),
                ]) />
            </div>
        </details>
    }
}

fn plural(unit: BarUnit) -> &'static str {
    match unit {
        BarUnit::Hour => "hours",
        BarUnit::Day => "days",
    }
}

fn summary(counts: &RecallCounts) -> String {
    let recalls = text::count(counts.recalls, "recall", "recalls");
    match counts.expected_zero_hits {
        0 => format!("{} of {recalls} found nothing", text::number(counts.zero_hits)),
        n => format!(
            "{} of {recalls} found nothing, {} of them although a result was expected",
            text::number(counts.zero_hits),
            text::number(n)
        ),
    }
}

/// The chart of recalls as a sentence.
pub fn spoken(bars: &[HealthBar], unit: BarUnit, zone: Zone) -> String {
    let all: RecallCounts = bars.iter().map(|bar| bar.recalls).sum();
    let worst = bars.iter().filter(|bar| bar.recalls.zero_hits > 0).max_by_key(|bar| bar.recalls.zero_hits);
    let most = worst.map(|bar| format!("; most on {}: {}", bar_name(unit, zone.clock(bar.from)), text::number(bar.recalls.zero_hits)));
    format!("{} {}: {}{}", bars.len(), plural(unit), summary(&all), most.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_can_be_read_aloud() {
        let bar = |from: &str, recalls, zero_hits, expected_zero_hits| HealthBar {
            from: from.parse().unwrap(),
            recalls: RecallCounts { recalls, zero_hits, expected: 0, expected_zero_hits },
            stored: 0,
        };
        let bars = [bar("2026-06-01T00:00:00Z", 1200, 3, 0), bar("2026-06-02T00:00:00Z", 0, 0, 0), bar("2026-06-03T00:00:00Z", 40, 4, 1)];
        assert_eq!(
            spoken(&bars, BarUnit::Day, Zone::expect()),
            "3 days: 7 of 1,240 recalls found nothing, 1 of them although a result was expected; most on 3 Jun 2026: 4"
        );
        let hours = [bar("2026-06-01T09:00:00Z", 1, 1, 0), bar("2026-06-01T10:00:00Z", 0, 0, 0)];
        let spoken = spoken(&hours, BarUnit::Hour, Zone::expect());
        assert_eq!(spoken, "2 hours: 1 of 1 recall found nothing; most on 1 Jun 2026, 09:00–10:00: 1");
    }
}

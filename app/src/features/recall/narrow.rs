//! The bars of the health page's charts as links: each narrows the page to its day or hour. Bars begin at times on the reader's clock.

use crate::{query::Query, ui::text};
use chrono::{NaiveDate, NaiveDateTime, TimeDelta, Timelike};
use leptos::prelude::*;
use wire::BarUnit;

/// The name of a bar: `14 Jun 2026`, or `14 Jun 2026, 09:00–10:00`.
pub fn bar_name(unit: BarUnit, from: NaiveDateTime) -> String {
    let day = text::day(from.date());
    match unit {
        BarUnit::Day => day,
        BarUnit::Hour => format!("{day}, {:02}:00–{:02}:00", from.hour(), (from + TimeDelta::hours(1)).hour()),
    }
}

/// The day and the hour to which a page is narrowed.
fn chosen(query: &Query) -> Option<(NaiveDate, Option<u32>)> {
    Some((query.get("day")?.parse().ok()?, query.get("hour").and_then(|hour| hour.parse().ok())))
}

/// Whether the numbers of the page count a bar.
pub fn counts(query: &Query, from: NaiveDateTime) -> bool {
    chosen(query).is_none_or(|(day, hour)| from.date() == day && hour.is_none_or(|hour| hour == from.hour()))
}

/// The page narrowed to a bar. The hour that it is narrowed to leads back to the hours around it.
pub fn bar_href(query: &Query, unit: BarUnit, from: NaiveDateTime) -> String {
    let day = from.date();
    let narrowed = wide(query).with("day", day);
    match unit {
        BarUnit::Day => narrowed,
        BarUnit::Hour if chosen(query) == Some((day, Some(from.hour()))) => around(query),
        BarUnit::Hour => narrowed.with("hour", from.hour()),
    }
    .href("/recall")
}

/// The page of the whole period.
fn wide(query: &Query) -> Query {
    query.without(&["day", "hour", "after", "before"])
}

/// The page of the chart around an hour: the last 24 hours, or its day.
fn around(query: &Query) -> Query {
    if query.get("days") == Some("1") { wide(query) } else { query.without(&["hour", "after", "before"]) }
}

/// Says to which day or hour the page is narrowed, with links to what is around it.
#[component]
pub fn Narrowed(query: Query) -> impl IntoView {
    chosen(&query).map(|(day, hour)| {
        let name = match hour.and_then(|hour| day.and_hms_opt(hour, 0, 0)) {
            Some(from) => bar_name(BarUnit::Hour, from),
            None => text::day(day),
        };
        let (whole, day) = (wide(&query), around(&query));
        let day = (hour.is_some() && day != whole).then(|| view! { <a href=day.href("/recall")>"Show the whole day"</a> });
        view! {
            <p class="mt-3 flex flex-wrap items-baseline gap-x-4 gap-y-1 text-sm" data-testid="narrowed">
                <span>"Showing only " <strong class="font-medium">{name}</strong></span>
                {day}
                <a href=whole.href("/recall")>"Show the whole period"</a>
            </p>
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> NaiveDateTime {
        text.parse().unwrap()
    }

    #[test]
    fn a_bar_has_a_name() {
        assert_eq!(bar_name(BarUnit::Day, at("2026-06-14T00:00:00")), "14 Jun 2026");
        assert_eq!(bar_name(BarUnit::Hour, at("2026-06-14T23:00:00")), "14 Jun 2026, 23:00–00:00");
    }

    #[test]
    fn a_bar_narrows_the_page_and_keeps_its_filters() {
        let (month, nine) = (Query::parse("agent=a&topic=tea&after=x"), at("2026-06-14T09:00:00"));
        assert_eq!(bar_href(&month, BarUnit::Day, at("2026-06-14T00:00:00")), "/recall?agent=a&topic=tea&day=2026-06-14");
        let day = Query::parse("agent=a&day=2026-06-14");
        assert_eq!(bar_href(&day, BarUnit::Hour, nine), "/recall?agent=a&day=2026-06-14&hour=9");
        assert!(counts(&day, nine) && counts(&month, nine) && !counts(&day, at("2026-06-13T09:00:00")));
    }

    #[test]
    fn the_chosen_hour_leads_back_to_its_chart() {
        let nine = at("2026-06-14T09:00:00");
        let of = |query: &str| bar_href(&Query::parse(query), BarUnit::Hour, nine);
        assert_eq!(of("day=2026-06-14&hour=9"), "/recall?day=2026-06-14");
        assert_eq!(of("days=1&day=2026-06-14&hour=9"), "/recall?days=1");
        assert_eq!(of("days=1&day=2026-06-14&hour=8"), "/recall?days=1&day=2026-06-14&hour=9");
        let hour = Query::parse("day=2026-06-14&hour=9");
        assert!(counts(&hour, nine) && !counts(&hour, at("2026-06-14T10:00:00")));
    }
}

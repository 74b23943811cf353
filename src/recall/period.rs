//! Periods in whole hours and days of a zone: which recalls the health page counts, and which bars its chart has. Pure.

use chrono::{DateTime, Days, DurationRound, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use extract::transcript::zone::{day_start, on_clocks};
use foundation::{Checks, Error};
use wire::{BarUnit, HealthFilter, TOPIC_MAX};

/// Periods, in days. The first is drawn by hour.
const PERIODS: [u32; 4] = [1, 7, 30, 90];
const HOUR: TimeDelta = TimeDelta::hours(1);
const DAY: TimeDelta = TimeDelta::days(1);

/// Whole hours or days on the clocks of a zone; the end is not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub from: DateTime<Utc>,
    pub until: DateTime<Utc>,
    pub zone: Tz,
}

impl Span {
    /// The last 24 hours: the current one and the 23 before it.
    pub fn last_day(now: DateTime<Utc>, zone: Tz) -> Self {
        let shown = now.with_timezone(&zone).naive_local();
        let until = now - (shown - shown.duration_trunc(HOUR).unwrap_or(shown)) + HOUR;
        Self { from: until - DAY, until, zone }
    }

    /// The last `days` days: today and those before it.
    pub fn last_days(now: DateTime<Utc>, days: u32, zone: Tz) -> Self {
        let today = now.with_timezone(&zone).date_naive();
        let first = today - Days::new(u64::from(days.saturating_sub(1)));
        Self { from: day_start(first, zone), ..Self::of_day(today, zone) }
    }

    fn of_day(day: NaiveDate, zone: Tz) -> Self {
        Self { from: day_start(day, zone), until: day_start(day.succ_opt().unwrap_or(day), zone), zone }
    }

    /// The hours or days of this span. A day has 23 to 25 hours.
    pub fn bars(self, unit: BarUnit) -> Bars {
        let end = |start: DateTime<Utc>| match unit {
            BarUnit::Hour => start + HOUR,
            BarUnit::Day => Self::of_day(start.with_timezone(&self.zone).date_naive(), self.zone).until,
        };
        let starts = std::iter::successors(Some(self.from), |start| Some(end(*start))).take_while(|start| *start < self.until);
        let starts: Vec<_> = starts.collect();
        Bars { ends: starts.iter().map(|start| end(*start)).collect(), starts }
    }

    /// The part that two spans share.
    fn shared(self, other: Self) -> Option<Self> {
        let both = Self { from: self.from.max(other.from), until: self.until.min(other.until), zone: self.zone };
        (both.from < both.until).then_some(both)
    }
}

/// The bars of a chart, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bars {
    /// The first moment of each.
    pub starts: Vec<DateTime<Utc>>,
    /// The first moment after each.
    pub ends: Vec<DateTime<Utc>>,
}

/// What the health page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    pub unit: BarUnit,
    /// The span of the chart.
    pub chart: Span,
    /// The span of the numbers and of the list: that of the chart, or a part of it.
    pub counted: Span,
}

impl Period {
    /// The period that a filter names, as of `now` on the clocks of `zone`. One day of a longer period is drawn by hour.
    ///
    /// # Errors
    /// `Invalid` for a period that is not offered, a day or an hour outside of it, an hour without a day, and a topic that is too long.
    pub fn of(filter: &HealthFilter, now: DateTime<Utc>, zone: Tz) -> Result<Self, Error> {
        let days = filter.days.unwrap_or(30);
        Checks::default()
            .that(PERIODS.contains(&days), "days", "must be one of 1, 7, 30, 90")
            .that(filter.hour.is_none() || filter.day.is_some(), "day", "is required with an hour")
            .that(filter.hour.is_none_or(|hour| hour < 24), "hour", "must be a number from 0 to 23")
            .optional_text("topic", filter.topic.as_deref(), TOPIC_MAX)
            .done()?;
        let (unit, whole) = match days {
            1 => (BarUnit::Hour, Span::last_day(now, zone)),
            _ => (BarUnit::Day, Span::last_days(now, days, zone)),
        };
        let Some(day) = filter.day else { return Ok(Self { unit, chart: whole, counted: whole }) };
        let outside = |field| outside(field, whole);
        let of_day = whole.shared(Span::of_day(day, zone)).ok_or_else(|| outside("day"))?;
        let counted = match filter.hour {
            None => of_day,
            Some(hour) => {
                let from = day.and_hms_opt(hour, 0, 0).and_then(|shown| on_clocks(shown, zone)).map(|at| at.to_utc());
                let hour = from.map(|from| Span { from, until: from + HOUR, zone });
                hour.and_then(|hour| of_day.shared(hour)).ok_or_else(|| outside("hour"))?
            }
        };
        let chart = if unit == BarUnit::Hour { whole } else { of_day };
        Ok(Self { unit: BarUnit::Hour, chart, counted })
    }
}

fn outside(field: &str, period: Span) -> Error {
    let [from, until] = [period.from, period.until].map(|at| at.with_timezone(&period.zone).format("%Y-%m-%d %H:%M"));
    Error::invalid(field, format!("is outside of the period, which is from {from} to {until} {}", period.zone))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-06-14T09:12:33Z".parse().unwrap()
    }

    fn period(days: u32, day: Option<&str>, hour: Option<u32>) -> Result<Period, Error> {
        let day = day.map(|day| day.parse().unwrap());
        Period::of(&HealthFilter { days: Some(days), day, hour, ..HealthFilter::default() }, now(), Tz::UTC)
    }

    fn texts(span: Span) -> [String; 2] {
        [span.from, span.until].map(|at| at.format("%d %H:%M").to_string())
    }

    #[test]
    fn a_day_is_24_hours_and_a_week_seven_days() {
        let day = period(1, None, None).unwrap();
        assert_eq!(
            (day.unit, texts(day.chart), day.chart.bars(day.unit).starts.len()),
            (BarUnit::Hour, ["13 10:00".into(), "14 10:00".into()], 24)
        );
        assert_eq!(day.counted, day.chart);
        let week = period(7, None, None).unwrap();
        assert_eq!(
            (week.unit, texts(week.chart), week.chart.bars(week.unit).starts.len()),
            (BarUnit::Day, ["08 00:00".into(), "15 00:00".into()], 7)
        );
        assert_eq!(period(30, None, None).unwrap(), Period::of(&HealthFilter::default(), now(), Tz::UTC).unwrap());
    }

    #[test]
    fn a_day_of_a_week_is_drawn_by_hour() {
        let day = period(7, Some("2026-06-12"), None).unwrap();
        assert_eq!((day.unit, texts(day.chart), day.counted), (BarUnit::Hour, ["12 00:00".into(), "13 00:00".into()], day.chart));
        let hour = period(7, Some("2026-06-12"), Some(23)).unwrap();
        assert_eq!((hour.chart, texts(hour.counted)), (day.chart, ["12 23:00".into(), "13 00:00".into()]));
    }

    #[test]
    fn an_hour_of_the_last_24_leaves_their_chart() {
        let hour = period(1, Some("2026-06-13"), Some(22)).unwrap();
        assert_eq!((hour.chart, texts(hour.counted)), (Span::last_day(now(), Tz::UTC), ["13 22:00".into(), "13 23:00".into()]));
        let day = period(1, Some("2026-06-14"), None).unwrap();
        assert_eq!((day.chart, texts(day.counted)), (hour.chart, ["14 00:00".into(), "14 10:00".into()]));
    }

    #[test]
    fn hours_and_days_are_those_of_the_zone() {
        let last = Span::last_day(now(), Tz::Asia__Kathmandu);
        assert_eq!(texts(last), ["13 09:15", "14 09:15"], "15:00 there is 9:15 in UTC");
        let spring = "2026-03-29T12:00:00Z".parse().unwrap();
        let days = Span::last_days(spring, 3, Tz::Europe__Zurich);
        let Bars { starts, ends } = days.bars(BarUnit::Day);
        assert_eq!((texts(days), starts.len()), (["26 23:00".into(), "29 22:00".into()], 3));
        assert_eq!((ends[2] - starts[2], &starts[1..], ends[2]), (TimeDelta::hours(23), &ends[..2], days.until));
        let of = |hour| HealthFilter { days: Some(7), day: Some("2026-03-29".parse().unwrap()), hour, ..HealthFilter::default() };
        let counted = |hour| Period::of(&of(hour), spring, Tz::Europe__Zurich).unwrap().counted;
        assert_eq!(
            (texts(counted(None)), texts(counted(Some(9)))),
            (texts(Span { from: starts[2], ..days }), ["29 07:00".into(), "29 08:00".into()])
        );
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let field = |days, day, hour| period(days, day, hour).unwrap_err().fields()[0].clone();
        assert_eq!(field(8, None, None).field, "days");
        assert_eq!(field(7, None, Some(3)).field, "day");
        assert_eq!(field(7, Some("2026-06-12"), Some(24)).field, "hour");
        for (days, day) in [(7, "2026-06-07"), (7, "2026-06-15"), (1, "2026-06-12")] {
            assert_eq!(field(days, Some(day), None).field, "day", "{day}");
        }
        let early = field(1, Some("2026-06-13"), Some(9));
        assert_eq!(early.field, "hour");
        assert_eq!(early.message, "is outside of the period, which is from 2026-06-13 10:00 to 2026-06-14 10:00 UTC");
    }
}

//! Times without a zone, once somebody says which zone they are in.

use crate::Turn;
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Utc};
use chrono_tz::{GapInfo, Tz};

/// Reads the times of turns that have no zone as times in `zone`; false if that changes none of them.
pub fn settle(turns: &mut [Turn], zone: Tz) -> bool {
    let mut changed = false;
    for turn in turns.iter_mut().filter(|turn| turn.local) {
        if let Some(at) = turn.at.map(|at| on_clocks(at.naive_local(), zone).unwrap_or(at)) {
            changed |= turn.at.is_some_and(|before| before.offset() != at.offset());
            turn.at = Some(at);
        }
    }
    changed
}

/// The moment at which clocks in a zone show a time. Of the hour that they show twice it is the first one; of the hour that they skip, the
/// moment after it, so that turns stay in their order.
pub fn on_clocks(time: NaiveDateTime, zone: Tz) -> Option<DateTime<FixedOffset>> {
    let shown = zone.from_local_datetime(&time).earliest();
    let at = shown.or_else(|| GapInfo::new(&time, &zone)?.end)?;
    Some(at.fixed_offset())
}

/// The moment at which a day begins in a zone. Where clocks skip midnight, it begins after it.
pub fn day_start(day: NaiveDate, zone: Tz) -> DateTime<Utc> {
    let midnight = day.and_time(NaiveTime::MIN);
    on_clocks(midnight, zone).map_or_else(|| midnight.and_utc(), |at| at.to_utc())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::read;
    use proptest::prelude::*;

    /// The times of the turns of a text, and whether the zone changed one.
    fn in_zone(text: &str, zone: Tz) -> (Vec<String>, bool) {
        let mut turns = read(text.as_bytes()).unwrap().turns;
        let changed = settle(&mut turns, zone);
        (turns.into_iter().filter_map(|turn| turn.at).map(|at| at.to_rfc3339()).collect(), changed)
    }

    #[test]
    fn a_chat_is_read_on_the_clocks_of_its_zone() {
        let chat = "03.01.26, 09:12 - Vera: Hi\n03.05.26, 09:12 - Vera: Hi\n";
        assert_eq!(in_zone(chat, Tz::Europe__Zurich), (vec!["2026-01-03T09:12:00+01:00".into(), "2026-05-03T09:12:00+02:00".into()], true));
        assert_eq!(in_zone(chat, Tz::UTC), (vec!["2026-01-03T09:12:00+00:00".into(), "2026-05-03T09:12:00+00:00".into()], false));
        // London differs from UTC in summer only.
        assert!(!in_zone("03.01.26, 09:12 - Vera: Hi", Tz::Europe__London).1 && in_zone(chat, Tz::Europe__London).1);
    }

    #[test]
    fn hours_that_clocks_skip_or_show_twice_have_one_moment() {
        let spring = "29.03.26, 01:59 - Vera: a\n29.03.26, 02:30 - Vera: b\n29.03.26, 03:10 - Vera: c\n";
        let times = ["2026-03-29T01:59:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-29T03:10:00+02:00"];
        assert_eq!(in_zone(spring, Tz::Europe__Zurich).0, times);
        assert_eq!(in_zone("25.10.26, 02:30 - Vera: a", Tz::Europe__Zurich).0, ["2026-10-25T02:30:00+02:00"]);
    }

    #[test]
    fn days_begin_at_midnight_or_when_clocks_have_skipped_it() {
        let start = |day: &str, zone: Tz| day_start(day.parse().unwrap(), zone).to_rfc3339();
        assert_eq!(start("2026-07-01", Tz::Europe__Zurich), "2026-06-30T22:00:00+00:00");
        assert_eq!(start("2026-04-24", Tz::Africa__Cairo), "2026-04-23T22:00:00+00:00");
        assert_eq!(start("2026-04-25", Tz::Africa__Cairo), "2026-04-24T21:00:00+00:00", "24 April had 23 hours");
    }

    #[test]
    fn times_with_a_zone_and_days_alone_stay() {
        let list = r#"[{"role": "user", "content": "a", "at": "2026-05-03T01:00:00+09:00"}, {"role": "user", "content": "b", "at": 1777799530},
                       {"role": "user", "content": "c", "at": "2026-05-03T09:12:10Z"}, {"role": "user", "content": "d", "at": "2026-05-03"}]"#;
        let times = ["2026-05-03T01:00:00+09:00", "2026-05-03T09:12:10+00:00", "2026-05-03T09:12:10+00:00", "2026-05-03T00:00:00+00:00"];
        assert_eq!(in_zone(list, Tz::Asia__Tokyo), (times.map(str::to_owned).to_vec(), false));
    }

    proptest! {
        #[test]
        fn every_zone_has_a_moment_for_every_time(minutes in 0_i64..68_374_080, zone in proptest::sample::select(&chrono_tz::TZ_VARIANTS[..])) {
            let time = DateTime::from_timestamp(minutes * 60, 0).unwrap().naive_utc();
            let at = on_clocks(time, zone).unwrap();
            // Clocks skip at most a day: those of islands that crossed the date line.
            prop_assert!(at.naive_local() >= time && at.naive_local() - time <= chrono::TimeDelta::days(1), "{time} {zone}");
        }
    }
}

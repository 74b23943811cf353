use super::text;
use chrono::{DateTime, FixedOffset, NaiveDateTime, Utc};
use chrono_tz::{TZ_VARIANTS, Tz};
use leptos::prelude::*;

/// The reader's time zone: that of the cookie which the browser keeps, UTC without one.
#[derive(Clone, Copy)]
pub struct Zone(Option<Tz>);

impl Zone {
    pub fn provide() {
        provide_context(Self(crate::guard::zone_cookie()));
    }

    /// The reader's zone. A form has no page that provided it, so its own cookie names it.
    pub fn expect() -> Self {
        use_context().unwrap_or_else(|| Self(crate::guard::zone_cookie()))
    }

    /// The zone on whose clocks hours and days are counted.
    pub fn tz(self) -> Tz {
        self.0.unwrap_or(Tz::UTC)
    }

    /// The name of the zone in the cookie.
    pub fn kept(self) -> Option<String> {
        self.0.map(|zone| zone.name().to_owned())
    }

    /// The name of the zone: `Europe/Berlin`, `UTC`.
    pub fn name(self) -> &'static str {
        self.tz().name()
    }

    /// The names of the zones of cities, and UTC.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let is_city = |name: &&str| *name == "UTC" || name.contains('/') && !name.starts_with("Etc/");
        TZ_VARIANTS.iter().map(|zone| zone.name()).filter(is_city)
    }

    /// A time as clocks in the zone show it.
    pub fn local(self, at: DateTime<Utc>) -> DateTime<FixedOffset> {
        at.with_timezone(&self.tz()).fixed_offset()
    }

    /// What clocks in the zone show at a time.
    pub fn clock(self, at: DateTime<Utc>) -> NaiveDateTime {
        self.local(at).naive_local()
    }

    /// A time to the second, with the name of the zone.
    pub fn moment(self, at: DateTime<Utc>) -> String {
        text::moment(&self.local(at), self.name())
    }

    /// A time to the second, where the name of the zone is beside it.
    pub fn second(self, at: DateTime<Utc>) -> String {
        text::second(&self.local(at))
    }
}

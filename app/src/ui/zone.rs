use super::text;
use chrono::{DateTime, FixedOffset, Utc};
use leptos::{
    prelude::*,
    wasm_bindgen::JsValue,
    web_sys::js_sys::{Array, Intl, Object, Reflect},
};

/// The cookie that holds the reader's time zone as an IANA name. The browser writes it; the server renders the next page in that zone.
pub const ZONE_COOKIE: &str = "rmb-zone";
const YEAR: u32 = 31_536_000;

/// The reader's time zone. The server knows it from the cookie; without one it renders times in UTC. Once a page is hydrated, its times are
/// in the browser's zone.
#[derive(Clone, Copy)]
pub struct Zone(RwSignal<Option<String>>);

impl Zone {
    /// Provides the zone to every time, and keeps the browser's zone for the pages to come.
    pub fn provide() {
        let zone = RwSignal::new(SharedValue::new(kept_zone).into_inner());
        provide_context(Self(zone));
        Effect::new(move |_| {
            let Some(name) = browser_zone().filter(|name| zone.with_untracked(|kept| kept.as_ref() != Some(name))) else { return };
            let secure = window().location().protocol().is_ok_and(|protocol| protocol == "https:");
            let secure = if secure { "; Secure" } else { "" };
            let cookie = format!("{ZONE_COOKIE}={name}; Path=/; Max-Age={YEAR}; SameSite=Lax{secure}");
            let _ = Reflect::set(&document(), &"cookie".into(), &cookie.into());
            zone.set(Some(name));
        });
    }

    /// The reader's zone, UTC where none was provided.
    pub fn expect() -> Self {
        use_context().unwrap_or_else(|| Self(RwSignal::new(None)))
    }

    /// The name of the zone: `Europe/Berlin`, `UTC`.
    pub fn name(self) -> String {
        self.0.get().unwrap_or_else(|| "UTC".to_owned())
    }

    /// A time as clocks in the zone show it.
    pub fn local(self, at: DateTime<Utc>) -> DateTime<FixedOffset> {
        self.0.with(|name| name.as_deref().and_then(|name| shifted(at, name))).unwrap_or_else(|| at.fixed_offset())
    }

    /// A time to the second, with the name of the zone.
    pub fn moment(self, at: DateTime<Utc>) -> String {
        text::moment(&self.local(at), &self.name())
    }
}

/// The zone of the cookie, if it is one.
#[cfg(feature = "ssr")]
fn kept_zone() -> Option<String> {
    crate::guard::zone_cookie()
}

/// The page carries the server's value to the browser.
#[cfg(not(feature = "ssr"))]
fn kept_zone() -> Option<String> {
    None
}

/// The time in a zone of the IANA database.
#[cfg(feature = "ssr")]
fn shifted(at: DateTime<Utc>, name: &str) -> Option<DateTime<FixedOffset>> {
    Some(at.with_timezone(&name.parse::<chrono_tz::Tz>().ok()?).fixed_offset())
}

/// The time in the browser's zone: the browser has the database.
#[cfg(not(feature = "ssr"))]
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "milliseconds since 1970 and minutes of an offset are small"
)]
fn shifted(at: DateTime<Utc>, _: &str) -> Option<DateTime<FixedOffset>> {
    use chrono::TimeZone;
    // Minutes west of Greenwich.
    let west = leptos::web_sys::js_sys::Date::new(&JsValue::from_f64(at.timestamp_millis() as f64)).get_timezone_offset();
    Some(FixedOffset::west_opt(west as i32 * 60)?.from_utc_datetime(&at.naive_utc()))
}

/// The browser's time zone.
fn browser_zone() -> Option<String> {
    let options = Intl::DateTimeFormat::new(&Array::new(), &Object::new()).resolved_options();
    Reflect::get(&options, &JsValue::from_str("timeZone")).ok()?.as_string()
}

use super::dom;
use crate::text;
use chrono::{DateTime, FixedOffset, TimeZone, Utc};
use leptos::{
    prelude::*,
    wasm_bindgen::JsValue,
    web_sys::{
        self,
        js_sys::{Array, Date, Intl, Object, Reflect},
    },
};
use std::time::Duration;

/// The cookie that holds the reader's time zone as an IANA name. The browser writes it; the server renders pages in that zone.
pub const ZONE_COOKIE: &str = "rmb-zone";
const YEAR: u32 = 31_536_000;

/// Keeps the relative times of the page true while it stays open, and tells the server the browser's time zone.
#[island]
pub fn Clock(
    /// The zone in which the server rendered the page; none if no cookie names one.
    zone: Option<String>,
) -> impl IntoView {
    Effect::new(move |_| {
        if let Some(name) = browser_zone().filter(|name| zone.as_ref() != Some(name)) {
            keep(&name);
            // The page is in another zone: `console.js` shows it again.
            if let Ok(stale) = web_sys::Event::new("rmb:stale") {
                let _ = window().dispatch_event(&stale);
            }
        }
        // The clock runs as long as the document.
        let _ = set_interval_with_handle(tick, Duration::from_secs(60));
    });
}

/// Updates every relative time on the page.
fn tick() {
    for element in dom::everywhere::<web_sys::Element>("time[data-relative]") {
        let at = element.get_attribute("datetime").and_then(|at| DateTime::parse_from_rfc3339(&at).ok());
        if let Some((at, now)) = at.and_then(|at| Some((local(at.to_utc())?, local(browser_time()?)?))) {
            element.set_text_content(Some(&text::relative(&at, &now)));
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "milliseconds since 1970 are far below 2^53")]
fn browser_time() -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(Date::now() as i64)
}

/// The time in the browser's zone.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "milliseconds since 1970 and minutes of an offset are small"
)]
fn local(at: DateTime<Utc>) -> Option<DateTime<FixedOffset>> {
    // Minutes west of Greenwich.
    let west = Date::new(&JsValue::from_f64(at.timestamp_millis() as f64)).get_timezone_offset();
    Some(FixedOffset::west_opt(west as i32 * 60)?.from_utc_datetime(&at.naive_utc()))
}

/// The browser's time zone.
fn browser_zone() -> Option<String> {
    let options = Intl::DateTimeFormat::new(&Array::new(), &Object::new()).resolved_options();
    Reflect::get(&options, &JsValue::from_str("timeZone")).ok()?.as_string()
}

fn keep(zone: &str) {
    let secure = if window().location().protocol().is_ok_and(|protocol| protocol == "https:") { "; Secure" } else { "" };
    let cookie = format!("{ZONE_COOKIE}={zone}; Path=/; Max-Age={YEAR}; SameSite=Lax{secure}");
    let _ = Reflect::set(&document(), &"cookie".into(), &cookie.into());
}

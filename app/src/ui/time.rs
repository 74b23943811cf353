use super::{Zone, text};
use chrono::{DateTime, Utc};
use leptos::{prelude::*, web_sys};
use std::time::Duration;

/// The browser's clock; unset on the server and until the page is hydrated, so that both render the same HTML.
#[derive(Clone, Copy)]
pub struct Now(RwSignal<Option<DateTime<Utc>>>);

impl Now {
    /// Starts the clock and provides it to every [`Time`].
    pub fn provide() {
        let now = RwSignal::new(None);
        provide_context(Self(now));
        Effect::new(move |_| {
            let tick = move || now.set(browser_time());
            tick();
            if let Ok(handle) = set_interval_with_handle(tick, Duration::from_secs(60)) {
                on_cleanup(move || handle.clear());
            }
        });
    }

    /// Whether the page is hydrated, so that controls that need JavaScript may show.
    pub fn hydrated() -> Signal<bool> {
        match use_context::<Self>() {
            Some(Self(now)) => Signal::derive(move || now.with(Option::is_some)),
            None => Signal::stored(false),
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "milliseconds since 1970 are far below 2^53")]
fn browser_time() -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(web_sys::js_sys::Date::now() as i64)
}

/// A time relative to now, with the exact time in the reader's zone on hover. The server renders the day in that zone.
#[component]
pub fn Time(at: DateTime<Utc>) -> impl IntoView {
    let (now, zone) = (use_context::<Now>(), Zone::expect());
    let shown = move || match now.and_then(|Now(now)| now.get()) {
        Some(now) => text::relative(&zone.local(at), &zone.local(now)),
        None => text::day(zone.local(at).date_naive()),
    };
    view! {
        <time class="whitespace-nowrap" datetime=at.to_rfc3339() title=move || zone.moment(at)>
            {shown}
        </time>
    }
}

/// A time relative to when the server answered, `now`, with the exact time in the reader's zone on hover.
#[component]
pub fn Ago(at: DateTime<Utc>, now: DateTime<Utc>) -> impl IntoView {
    let zone = Zone::expect();
    view! {
        <time class="whitespace-nowrap" datetime=at.to_rfc3339() title=move || zone.moment(at)>
            {move || text::relative(&zone.local(at), &zone.local(now))}
        </time>
    }
}

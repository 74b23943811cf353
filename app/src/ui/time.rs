use super::{Zone, text};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// A time relative to now, with the exact time in the reader's zone on hover. [`crate::islands::Clock`] keeps it true.
#[component]
pub fn Time(at: DateTime<Utc>) -> impl IntoView {
    let zone = Zone::expect();
    // Without the console, while the routes are listed, no time is shown to anybody.
    let now = crate::guard::console().map_or(at, |console| console.engine.clock().now());
    view! {
        <time class="whitespace-nowrap" datetime=at.to_rfc3339() title=zone.moment(at) data-relative="">
            {text::relative(&zone.local(at), &zone.local(now))}
        </time>
    }
}

/// An exact time in the reader's zone, where the order and the second matter.
#[component]
pub fn Moment(
    at: DateTime<Utc>,
    /// The name of the zone is elsewhere: in the head of the table, for example.
    #[prop(optional)]
    bare: bool,
) -> impl IntoView {
    let zone = Zone::expect();
    view! {
        <time class=bare.then_some("whitespace-nowrap") datetime=at.to_rfc3339() title=bare.then(|| zone.moment(at))>
            {if bare { zone.second(at) } else { zone.moment(at) }}
        </time>
    }
}

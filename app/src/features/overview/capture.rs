use super::tile::{Alarm, Tile};
use crate::ui::{Shape, Time, text};
use leptos::prelude::*;
use remembrancer::api::CaptureNumbers;

/// The tiles with what waits in the inbox, in quarantine and in the queues.
#[component]
pub fn CaptureTiles(
    numbers: CaptureNumbers,
    /// Dead events of knowledge.
    knowledge_dead: i64,
) -> impl IntoView {
    let oldest = match numbers.oldest {
        Some(at) => view! { "The oldest came in " <Time at /> }.into_any(),
        None => view! { "No candidate waits" }.into_any(),
    };
    let held = match numbers.quarantined {
        0 => view! { "No turn waits" }.into_any(),
        _ => view! { <Alarm text="Turns that may carry instructions" /> }.into_any(),
    };
    let number = numbers.dead + knowledge_dead;
    let dead = match number {
        0 => view! { "No event needs a retry" }.into_any(),
        _ => view! { <Alarm text="Every attempt failed: retry" danger=true /> }.into_any(),
    };
    let dead_href = if numbers.dead == 0 && knowledge_dead > 0 { "/events?bus=knowledge&state=dead" } else { "/events?state=dead" };
    view! {
        <Tile href="/inbox" shape=Shape::Inbox title="Inbox" value=text::number(numbers.inbox)>{oldest}</Tile>
        <Tile href="/inbox/quarantine" shape=Shape::Alert title="Quarantine" value=text::number(numbers.quarantined)>{held}</Tile>
        <Tile href="/events" shape=Shape::Events title="Events" value=text::number(numbers.waiting)>"Waiting or running"</Tile>
        <Tile href=dead_href shape=Shape::Restore title="Dead events" value=text::number(number)>{dead}</Tile>
    }
}

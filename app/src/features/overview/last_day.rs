use crate::{
    features::recall::{Columns, Legend, rate, recall_columns, spoken},
    query::Query,
    ui::{Icon, Shape, Time, Titled, Zone, text},
};
use leptos::prelude::*;
use wire::{BarUnit, HealthBar, LastDay, NewMemory, RecallCounts};

/// What agents learned and asked in the last 24 hours.
#[component]
pub fn Last24Hours(day: LastDay) -> impl IntoView {
    let LastDay { bars, p95_ms, contexts, newest } = day;
    let recalls: RecallCounts = bars.iter().map(|bar| bar.recalls).sum();
    let stored: i64 = bars.iter().map(|bar| bar.stored).sum();
    let share = rate(&recalls);
    let nothing = format!("{} of {}", text::number(recalls.zero_hits), text::count(recalls.recalls, "recall", "recalls"));
    view! {
        <Titled id="last-day" title="Last 24 hours">
            <ul class="mb-4 grid grid-cols-2 gap-4 lg:grid-cols-4">
                <Tile href="/memories" shape=Shape::Memories title="Memories stored" value=text::number(stored) says="Revisions not counted".to_owned() />
                <Tile href="/recall?days=1" shape=Shape::Search title="Recalls" value=text::number(recalls.recalls) says=speed(p95_ms, recalls.recalls) />
                <Tile href="/recall?days=1" shape=Shape::Health title="Recalls that found nothing" value=share says=nothing />
                <Tile href="/recall/contexts" shape=Shape::Context title="Contexts assembled" value=text::total_number(contexts) says="Prompts with memories added".to_owned() />
            </ul>
            <div class="grid items-start gap-4 lg:grid-cols-3">
                <div class="min-w-0 lg:col-span-2"><Recalls bars /></div>
                <Newest newest />
            </div>
        </Titled>
    }
}

/// How fast recalls were answered. Of more than are measured, only the newest count.
fn speed(p95_ms: Option<f64>, recalls: i64) -> String {
    let of = if recalls > LastDay::MEASURED { format!(" of the newest {}", text::number(LastDay::MEASURED)) } else { String::new() };
    match p95_ms {
        // Rounded up: no recall takes no time.
        Some(ms) => format!("95 %{of} took at most {}", text::duration(chrono::TimeDelta::milliseconds(ms.ceil() as i64))),
        None => "By all agents".to_owned(),
    }
}

/// A number with its explanation, as a link to the page with the details.
#[component]
fn Tile(href: &'static str, shape: Shape, title: &'static str, value: String, says: String) -> impl IntoView {
    view! {
        <li>
            <a class="card block h-full px-4 py-3 text-ink hover:border-line-strong hover:no-underline" href=href data-testid="tile">
                <span class="flex items-center gap-2 text-sm text-soft">
                    <Icon shape />
                    {title}
                </span>
                " "
                <span class="mt-1 block text-2xl font-semibold tracking-tight" data-testid="value">
                    {value}
                </span>
                " "
                <span class="block text-sm text-soft">{says}</span>
            </a>
        </li>
    }
}

#[component]
fn Recalls(bars: Vec<HealthBar>) -> impl IntoView {
    let zone = Zone::expect();
    let (columns, label) = (recall_columns(&bars), spoken(&bars, BarUnit::Hour, zone));
    let query = Query::default().with("days", 1);
    let body = if bars.iter().all(|bar| bar.recalls.recalls == 0) {
        view! { <p class="px-4 py-3 text-sm text-soft">"No recalls in the last 24 hours."</p> }.into_any()
    } else {
        view! {
            <div class="flex flex-row-reverse overflow-x-auto px-2 pt-2" tabindex="0" role="region" aria-label="Chart of recalls by hour">
                <Columns columns unit=BarUnit::Hour query height=130.0 label />
            </div>
        }
        .into_any()
    };
    view! {
        <figure class="card min-w-0">
            <figcaption class="flex flex-wrap items-baseline gap-x-4 gap-y-1 border-b border-line px-4 py-2">
                <h3 class="text-sm">"Recalls by hour"</h3>
                <span class="text-xs text-soft">"Times in " {zone.name()}</span>
                <span class="text-soft"><Legend /></span>
            </figcaption>
            {body}
        </figure>
    }
}

#[component]
fn Newest(newest: Vec<NewMemory>) -> impl IntoView {
    let none = newest
        .is_empty()
        .then(|| view! { <p class="px-4 py-3 text-sm text-soft">"No memories yet. They appear here when agents store them."</p> });
    let row = |memory: NewMemory| {
        view! {
            <li class="flex justify-between gap-3 border-b border-line px-4 py-2 last:border-b-0" data-testid="newest">
                <span class="min-w-0">
                    <a class="block truncate" href=format!("/memories/{}", memory.id)>{text::visible(&memory.topic)}</a>
                    <span class="block truncate text-sm text-soft" dir="auto">{text::visible(&memory.content)}</span>
                </span>
                <span class="shrink-0 text-right text-sm text-soft">
                    <Time at=memory.at />
                    <span class="block max-w-32 truncate">{memory.agent_slug}</span>
                </span>
            </li>
        }
    };
    view! {
        <div class="card min-w-0">
            <h3 class="border-b border-line px-4 py-2 text-sm">"Newest memories"</h3>
            {none}
            <ul>{newest.into_iter().map(row).collect_view()}</ul>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::speed;

    #[test]
    fn the_speed_is_never_rounded_down() {
        assert_eq!(speed(Some(0.2), 1), "95 % took at most 1 ms");
        assert_eq!(speed(Some(84.01), 1_000), "95 % took at most 85 ms");
        assert_eq!(speed(None, 0), "By all agents");
    }

    #[test]
    fn the_speed_says_which_recalls_it_is_of() {
        assert_eq!(speed(Some(84.0), 1_001), "95 % of the newest 1,000 took at most 84 ms");
    }
}

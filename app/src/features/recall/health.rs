use super::{
    api::{measure_recall, zero_hits},
    bars::{BarTable, Line},
    chart::{RecallChart, StoredChart},
    legend::rate,
    narrow::Narrowed,
    url,
    words::cause_name,
    zero_hits::ZeroHits,
};
use crate::{
    features::{memories::AgentField, views::FilterBar},
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{Empty, ErrorView, Filtered, OrPlayground, SelectField, Shape, awaited, chart::percent, choice, text},
};
use leptos::prelude::*;
use wire::{AgentId, HealthFilter, OperatorRole, Page, RecallCounts, RecallHealth, ViewPage, ZeroHit, ZeroHitCause};

/// Agents without memories that the page names.
const NAMED: usize = 10;

/// The recall health page: how often recalls find nothing, why, and what can be done.
#[component]
pub fn HealthPage() -> impl IntoView {
    let filtered = Filtered::by(url::health);
    let query = filtered.query.clone();
    // The counts are those of the whole list, whichever of its pages is shown.
    let health = filtered.load(|filter| measure_recall(HealthFilter { after: None, before: None, ..filter }));
    let list = filtered.load(zero_hits);
    let who = ViewerResource::expect();
    view! {
        <PageHead title="Health">
            "How often recall returns nothing, and why."
        </PageHead>
        <Filters filtered />
        <Narrowed query=query.clone() />
        <div class="mt-4">
            {awaited(async move {
                let may_restore = who.await.is_ok_and(|viewer| viewer.profile.has(OperatorRole::Operator));
                match (health.await, list.await) {
                    (Ok(health), Ok(page)) => view! { <Whole health page query may_restore /> }.into_any(),
                    (Err(error), _) | (_, Err(error)) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
                }
            })}
        </div>
    }
}

#[component]
fn Filters(filtered: Filtered<HealthFilter>) -> impl IntoView {
    // The default period is left out of the URL, but a URL may name it.
    let usual = url::PERIOD.to_string();
    let period = filtered.query.get("days").filter(|days| *days != usual).unwrap_or_default().to_owned();
    let days = |days: u32| match days {
        1 => choice("1", "24 hours"),
        url::PERIOD => (String::new(), format!("{days} days")),
        _ => (days.to_string(), format!("{days} days")),
    };
    let hours = (0..24).map(|hour| (hour.to_string(), format!("{hour:02}:00–{:02}:00", (hour + 1) % 24)));
    let hours = std::iter::once(choice("", "Any hour")).chain(hours);
    let causes = std::iter::once(choice("", "Any cause")).chain(ZeroHitCause::ALL.iter().map(|c| choice(c.as_str(), cause_name(*c))));
    let expected = vec![choice("", "Any"), choice("true", "Yes"), choice("false", "No")];
    view! {
        <FilterBar page=ViewPage::Causes label="Health" query=filtered.query.clone() names=url::HEALTH>
            <SelectField name="days" label="Period" value=period error=filtered.error("days") choices=url::PERIODS.map(days).to_vec() />
            {filtered.date_field("day", "Day")}
            {filtered.select_field("hour", "Hour", hours.collect())}
            <AgentField value=filtered.value("agent") labelled=true error=filtered.error("agent") />
            {filtered.text_field("topic", "Topic", "A term, or “other”")}
            {filtered.select_field("cause", "Cause", causes.collect())}
            {filtered.select_field("expected", "Result expected", expected)}
        </FilterBar>
    }
}

#[component]
fn Whole(health: RecallHealth, page: Page<ZeroHit>, query: Query, may_restore: bool) -> impl IntoView {
    let happened = health.bars.iter().any(|bar| bar.recalls.recalls > 0 || bar.stored > 0);
    if health.totals.recalls == 0 && !happened {
        return view! { <div class="card"><Quiet filtered=query.any(url::NARROWING) /></div> }.into_any();
    }
    let none = (health.totals.recalls == 0).then(|| view! { <div class="card"><Quiet filtered=true /></div> });
    let below = none.is_none().then(|| {
        view! { <Tables health=health.clone() query=query.clone() /> <ZeroHits page query=query.clone() may_restore /> }.into_any()
    });
    view! {
        <div class="space-y-5">
            {none}
            <Tiles totals=health.totals cause=query.get("cause").is_some() />
            <WithoutMemories agents=health.without_memories.clone() />
            <RecallChart bars=health.bars.clone() unit=health.unit query=query.clone() />
            <StoredChart health query />
            {below}
        </div>
    }
    .into_any()
}

/// The agents that recall and have no memories of their own. Shared memories may answer them, so their zero hits do not show it.
#[component]
fn WithoutMemories(agents: Vec<(AgentId, String)>) -> impl IntoView {
    let count = i64::try_from(agents.len()).unwrap_or(i64::MAX);
    let says = text::count(count, "agent recalls and has no memories of its own: ", "agents recall and have no memories of their own: ");
    let more = agents.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!(" and {more} more"));
    let name = |(place, (id, slug)): (usize, (AgentId, String))| {
        view! {
            {(place > 0).then_some(", ")}
            <a class="text-warn underline" href=format!("/agents/{id}")>{slug}</a>
        }
    };
    (count > 0).then(|| {
        view! {
            <p class="rounded-md border border-warn bg-warn-wash px-3 py-2 text-sm break-words text-warn" data-testid="without-memories">
                {says}
                {agents.into_iter().take(NAMED).enumerate().map(name).collect_view()}
                {more}
            </p>
        }
    })
}

/// Zero hits by cause, agent and topic.
#[component]
fn Tables(health: RecallHealth, query: Query) -> impl IntoView {
    let zero_hits = health.totals.zero_hits;
    let causes = health.causes.into_iter().map(|(cause, count)| {
        let share = RecallCounts { recalls: zero_hits, zero_hits: count, ..RecallCounts::default() }.rate();
        let (text, beside) = (cause_name(cause).to_owned(), format!("of {} · {}", text::number(zero_hits), percent(share)));
        Line { text, value: cause.to_string(), zero_hits: count, share, beside }
    });
    let agents = health.agents.into_iter().map(|(id, slug, counts)| Line::of(slug, id.to_string(), counts));
    let topics = health.topics.into_iter().map(|(topic, counts)| {
        let text = if topic == "other" { "not in the vocabulary".to_owned() } else { topic.clone() };
        Line::of(text, topic, counts)
    });
    view! {
        <div class="grid items-start gap-5 xl:grid-cols-3">
            <BarTable title="By cause" name="cause" lines=causes.collect() query=query.clone() />
            <BarTable title="By agent" name="agent" lines=agents.collect() query=query.clone() />
            <BarTable title="By topic" name="topic" lines=topics.collect() query />
        </div>
    }
}

#[component]
fn Tiles(
    totals: RecallCounts,
    /// Zero hits are those of one cause only.
    cause: bool,
) -> impl IntoView {
    let expected = RecallCounts { recalls: totals.expected, zero_hits: totals.expected_zero_hits, ..RecallCounts::default() };
    let found = match cause {
        true => "With any result".to_owned(),
        false => format!("{} found something", text::number(totals.recalls - totals.zero_hits)),
    };
    let share = rate(&totals);
    let of_this_cause = if cause { ", with this cause" } else { "" };
    let tiles = [
        ("Recalls", text::number(totals.recalls), found),
        ("Found nothing", share, format!("{} of {}{of_this_cause}", text::number(totals.zero_hits), text::number(totals.recalls))),
        (
            "Missed expected results",
            text::number(totals.expected_zero_hits),
            format!("{} of {} that expected a result", percent(expected.rate()), text::count(totals.expected, "recall", "recalls")),
        ),
    ];
    let tile = |(name, number, beside): (&'static str, String, String)| {
        view! {
            <div class="card px-4 py-3">
                <dt class="text-xs font-medium text-soft">{name}</dt>
                <dd>
                    <span class="block text-xl font-semibold">{number}</span>
                    " "
                    <span class="text-sm text-soft">{beside}</span>
                </dd>
            </div>
        }
    };
    view! { <dl class="grid gap-3 sm:grid-cols-3" data-testid="tiles">{tiles.map(tile).collect_view()}</dl> }
}

#[component]
fn Quiet(filtered: bool) -> impl IntoView {
    let (title, says, first) = match filtered {
        true => ("No recall matches these filters", "Topics must match exactly. Try a longer period.", ("/recall", "Show everything")),
        false => ("No recalls in this period", "Recalls by agents appear here within a few seconds.", ("/agents", "Connect an agent")),
    };
    view! {
        <Empty shape=Shape::Health title=title>
            <p class="mb-3">{says}</p>
            <OrPlayground playground="/recall/playground" first />
        </Empty>
    }
}

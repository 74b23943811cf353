use super::{
    api::{measure_recall, zero_hits},
    bars::{BarTable, Line},
    days::Days,
    url,
    words::cause_name,
    zero_hits::ZeroHits,
};
use crate::{
    ConsoleError,
    features::memories::AgentField,
    layout::{PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{Empty, ErrorView, FilterForm, SelectField, Shape, Skeleton, TextField, busy, chart::percent, choice, text},
};
use leptos::prelude::*;
use remembrancer::api::{HealthFilter, OperatorRole, Page, RecallHealth, Silence, ZeroHit, ZeroHitCause};

/// The recall health page: how often recalls find nothing, why, and what can be done.
#[component]
pub fn HealthPage() -> impl IntoView {
    let query = use_query();
    let filter = Memo::new(move |_| query.with(url::health));
    // Paging through the list does not load the counts again.
    let counted = Memo::new(move |_| filter.get().map(|filter| HealthFilter { after: None, before: None, ..filter }));
    let health = Resource::new(move || counted.get(), |filter| async move { measure_recall(filter.map_err(ConsoleError::invalid)?).await });
    let list = Resource::new(move || filter.get(), |filter| async move { zero_hits(filter.map_err(ConsoleError::invalid)?).await });
    let who = ViewerResource::expect();
    let (busy, set_busy) = busy();
    view! {
        <PageHead title="Recall health">
            "How often recall returns nothing, and why."
        </PageHead>
        <Filters query />
        <div class="mt-4 transition-opacity" class:opacity-60=move || busy.get() aria-busy=move || busy.get().to_string()>
            <Transition set_pending=set_busy fallback=|| view! { <div class="card"><Skeleton /></div> }>
                {move || Suspend::new(async move {
                    let may_restore = who.await.is_ok_and(|viewer| viewer.profile.has(OperatorRole::Operator));
                    match (health.await, list.await) {
                        (Ok(health), Ok(page)) => view! { <Whole health page query=query.get_untracked() may_restore /> }.into_any(),
                        (Err(error), _) | (_, Err(error)) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
                    }
                })}
            </Transition>
        </div>
    }
}

#[component]
fn Filters(query: Memo<Query>) -> impl IntoView {
    let value = move |name: &'static str| Signal::derive(move || query.with(|query| query.text(name)));
    // The default period is left out of the URL, but a URL may name it.
    let usual = url::PERIOD.to_string();
    let period = Signal::derive(move || query.with(|query| query.get("days").filter(|days| *days != usual).unwrap_or_default().to_owned()));
    let days = |days: u32| {
        let key = if days == url::PERIOD { String::new() } else { days.to_string() };
        (key, format!("{days} days"))
    };
    let causes = std::iter::once(choice("", "Any cause")).chain(ZeroHitCause::ALL.iter().map(|c| choice(c.as_str(), cause_name(*c))));
    view! {
        <FilterForm action="/recall" names=url::HEALTH label="Recall health">
            <div class="card grid grid-cols-2 gap-3 p-3 lg:grid-cols-[repeat(5,minmax(0,1fr))_auto]">
                <SelectField name="days" label="Period" value=period choices=url::PERIODS.map(days).to_vec() />
                <AgentField query labelled=true />
                <TextField name="topic" label="Topic" hint="a term, or other" value=value("topic") />
                <SelectField name="cause" label="Cause" value=value("cause") choices=causes.collect() />
                <SelectField
                    name="expected"
                    label="Expected by the agent"
                    value=value("expected")
                    choices=vec![choice("", "Any"), choice("true", "Expected"), choice("false", "Not expected")]
                />
                <div class="col-span-full flex items-end gap-2 lg:col-span-1">
                    <button class="button button-primary" type="submit">"Apply filters"</button>
                    <a class="button button-quiet" class:hidden=move || !query.get().any(url::HEALTH) href="/recall">"Clear"</a>
                </div>
            </div>
        </FilterForm>
    }
}

#[component]
fn Whole(health: RecallHealth, page: Page<ZeroHit>, query: Query, may_restore: bool) -> impl IntoView {
    if health.totals.recalls == 0 {
        return view! { <div class="card"><Quiet filtered=query.any(url::HEALTH) /></div> }.into_any();
    }
    let zero_hits = health.totals.zero_hits;
    let causes = health.causes.into_iter().map(|(cause, count)| Line {
        text: cause_name(cause).to_owned(),
        value: cause.to_string(),
        zero_hits: count,
        beside: format!("{} of zero hits", percent(Silence { recalls: zero_hits, zero_hits: count, ..Silence::default() }.rate())),
    });
    let agents = health.agents.into_iter().map(|(id, slug, silence)| Line::of(slug, id.to_string(), silence));
    let topics = health.topics.into_iter().map(|(topic, silence)| {
        let text = if topic == "other" { "outside the vocabulary".to_owned() } else { topic.clone() };
        Line::of(text, topic, silence)
    });
    view! {
        <div class="space-y-5">
            <Tiles totals=health.totals />
            <Days days=health.days />
            <div class="grid items-start gap-5 lg:grid-cols-3">
                <BarTable title="By cause" name="cause" lines=causes.collect() query=query.clone() />
                <BarTable title="By agent" name="agent" lines=agents.collect() query=query.clone() />
                <BarTable title="By topic" name="topic" lines=topics.collect() query=query.clone() />
            </div>
            <ZeroHits page query may_restore />
        </div>
    }
    .into_any()
}

#[component]
fn Tiles(totals: Silence) -> impl IntoView {
    let expected = Silence { recalls: totals.expected, zero_hits: totals.expected_zero_hits, ..Silence::default() };
    let found = format!("{} found something", text::number(totals.recalls - totals.zero_hits));
    let tiles = [
        ("Recalls", text::number(totals.recalls), found),
        ("Zero-hit rate", percent(totals.rate()), format!("{} of {}", text::number(totals.zero_hits), text::number(totals.recalls))),
        (
            "Expected zero hits",
            text::number(totals.expected_zero_hits),
            format!("{} of {} that should have known", percent(expected.rate()), text::number(totals.expected)),
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
    let (title, says) = match filtered {
        true => ("No recall matches these filters", "Topics match as a whole; a longer period may know more."),
        false => ("Nobody has asked yet", "Every recall of an agent is counted here, most within a second or two."),
    };
    view! {
        <Empty shape=Shape::Health title=title>
            <p class="mb-3">{says}</p>
            <p class="flex justify-center gap-2">
                {filtered.then(|| view! { <a class="button" href="/recall">"Show everything"</a> })}
                <a class="button" href="/recall/playground">
                    "Open the playground"
                </a>
            </p>
        </Empty>
    }
}

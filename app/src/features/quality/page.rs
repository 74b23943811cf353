use super::{
    api::measure_quality,
    chart::{ByDay, Numbers},
    measures::{Day, MEASURES, Measure},
};
use crate::{
    features::{expectations::LastRuns, memories::AgentField, views::FilterBar},
    layout::PageHead,
    query::Query,
    ui::{Answered, Badge, Chart, Empty, Filtered, Parsed, SelectField, Shape, parsed},
};
use leptos::prelude::*;
use wire::{FieldError, Quality, QualityCounts, QualityFilter, ViewPage};

/// The filter fields.
const NAMES: &[&str] = &["days", "agent"];
/// The periods to choose from, in days, and the default one.
const PERIODS: [u32; 3] = [7, 30, 90];
const PERIOD: u32 = 30;

fn filter(query: &Query) -> Parsed<QualityFilter> {
    parsed(|errors| {
        let filter = QualityFilter {
            days: query.read("days", "Choose one of the periods.", errors),
            agent_id: query.read("agent", "Choose one of the agents.", errors),
        };
        if filter.days.is_some_and(|days| !PERIODS.contains(&days)) {
            errors.push(FieldError::new("days", "Choose one of the periods."));
        }
        filter
    })
}

/// The page of five numbers that say how well memory works for the people it is about.
#[component]
pub fn QualityPage() -> impl IntoView {
    let filtered = Filtered::by(filter);
    let (query, quality) = (filtered.query.clone(), filtered.load(measure_quality));
    view! {
        <PageHead title="Quality">
            "How much of their memory agents use, and how well they know the people they work for."
        </PageHead>
        <LastRuns />
        <Filters filtered />
        <Answered answer=quality show=whole query />
    }
}

#[component]
fn Filters(filtered: Filtered<QualityFilter>) -> impl IntoView {
    // The default period is left out of the URL, but a URL may name it.
    let usual = PERIOD.to_string();
    let period = filtered.query.get("days").filter(|days| *days != usual).unwrap_or_default().to_owned();
    let days = |days: u32| {
        let key = if days == PERIOD { String::new() } else { days.to_string() };
        (key, format!("{days} days"))
    };
    view! {
        <FilterBar page=ViewPage::Quality label="Quality" query=filtered.query.clone() names=NAMES>
            <SelectField name="days" label="Period" value=period error=filtered.error("days") choices=PERIODS.map(days).to_vec() />
            <AgentField value=filtered.value("agent") labelled=true error=filtered.error("agent") />
        </FilterBar>
    }
}

fn whole(quality: Quality, query: Query) -> AnyView {
    let Quality { totals, days, questions_cut } = quality;
    if totals == (QualityCounts { profiles: totals.profiles, ..QualityCounts::default() }) {
        return view! { <div class="card"><Nothing filtered=query.any(NAMES) /></div> }.into_any();
    }
    let cards = MEASURES.iter().map(|measure| view! { <Card measure days=days.clone() /> });
    view! {
        <div class="space-y-5">
            {cards.collect_view()}
            {questions_cut.then(|| view! {
                <p class="text-sm text-soft">"Too many questions to compare them all: the oldest are left out. Choose an agent or a shorter period."</p>
            })}
        </div>
    }
    .into_any()
}

#[component]
fn Card(measure: &'static Measure, days: Vec<Day>) -> impl IntoView {
    let Some(value) = measure.over(&days).value() else {
        return view! {
            <section class="card min-w-0 px-3 py-2" aria-labelledby=measure.id data-testid="measure">
                <h2 id=measure.id>{measure.title}</h2>
                <p class="mt-1 text-sm">{measure.meaning}</p>
                <p class="mt-1 text-sm text-soft">"No data in this period. " {measure.missing}</p>
            </section>
        }
        .into_any();
    };
    let drawing = view! { <ByDay measure days=days.clone() /> };
    let below = view! {
        <Judged measure days=days.clone() />
        <Numbers measure days />
    };
    view! {
        <section class="min-w-0" aria-labelledby=measure.id data-testid="measure">
            <Chart id=measure.id title=measure.title drawing below=below.into_any()>
                <span class="text-lg font-semibold">{(measure.shown)(value)}</span>
                <span class="text-xs text-soft">"Days in UTC"</span>
            </Chart>
        </section>
    }
    .into_any()
}

/// What the number is, what it is made of, whether it is good, and what to do if it is not.
#[component]
fn Judged(measure: &'static Measure, days: Vec<Day>) -> impl IntoView {
    let (tone, verdict) = measure.verdict(&days).badge();
    let left_out = measure.left_out(&days).map(|text| format!(". {text}")).unwrap_or_default();
    let counts = format!("{}{left_out}", (measure.counts)(measure.over(&days), &measure.totals(&days)));
    view! {
        <div class="space-y-1 border-t border-line px-3 py-2 text-sm">
            <p>{measure.meaning}</p>
            <p class="text-xs text-soft">{counts}</p>
            <p class="flex flex-wrap items-baseline gap-x-2" data-testid="verdict">
                <Badge tone text=verdict />
                <span>"Good: " {measure.target()} "."</span>
            </p>
            <p class="text-soft">{measure.advice}</p>
        </div>
    }
}

#[component]
fn Nothing(filtered: bool) -> impl IntoView {
    let (title, says) = match filtered {
        true => ("Nothing to measure", "No context, observation or question matches these filters."),
        false => ("Nothing to measure yet", "Numbers appear here once agents assemble contexts, record observations and ask questions."),
    };
    view! {
        <Empty shape=Shape::Health title=title>
            <p class="mb-3">{says}</p>
            {filtered.then(|| view! { <a class="button" href="/quality">"Show everything"</a> })}
        </Empty>
    }
}

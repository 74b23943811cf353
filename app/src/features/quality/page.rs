use super::{
    api::measure_quality,
    chart::ByDay,
    measures::{Day, MEASURES, Measure},
};
use crate::{
    features::{memories::AgentField, views::FilterBar},
    layout::PageHead,
    query::Query,
    ui::{Answered, Badge, DataTable, Empty, Filtered, Parsed, SelectField, Shape, columns, parsed, text},
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
            <div class="grid gap-4 sm:grid-cols-2 lg:grid-cols-3" data-testid="measures">{cards.collect_view()}</div>
            {questions_cut.then(|| view! {
                <p class="text-sm text-soft">"Too many questions to compare them all: the oldest are left out. Choose an agent or a shorter period."</p>
            })}
            <Numbers days=days.clone() />
        </div>
    }
    .into_any()
}

#[component]
fn Card(measure: &'static Measure, days: Vec<Day>) -> impl IntoView {
    let ratio = measure.over(&days);
    let (tone, verdict) = measure.verdict(&days).badge();
    let left_out = measure.left_out(&days).map(|text| format!(". {text}")).unwrap_or_default();
    let counts = format!("{}{left_out}", (measure.counts)(ratio, &measure.totals(&days)));
    let beneath = match ratio.value() {
        Some(_) => view! {
            <p class="mt-1 text-xs text-soft">{counts}</p>
            <ByDay measure days />
            <p class="mt-3 flex flex-wrap items-baseline gap-x-2 text-sm" data-testid="verdict">
                <Badge tone text=verdict />
                <span>"Good: " {measure.target()} "."</span>
            </p>
            <p class="mt-1 text-sm text-soft">{measure.advice}</p>
        }
        .into_any(),
        None => view! { <p class="mt-3 text-sm text-soft">"No data in this period. "{measure.missing}</p> }.into_any(),
    };
    view! {
        <section class="card min-w-0 px-4 py-3" aria-labelledby=measure.id>
            <h2 class="text-sm" id=measure.id>{measure.title}</h2>
            <p class="text-2xl font-semibold">{ratio.value().map_or_else(|| "–".to_owned(), measure.shown)}</p>
            <p class="mt-1 text-sm text-soft">{measure.meaning}</p>
            {beneath}
        </section>
    }
}

/// The same data as a table, of the days on which something happened.
#[component]
fn Numbers(days: Vec<Day>) -> impl IntoView {
    let row = |(day, counts): &Day| {
        let cell = |measure: &Measure| {
            let value = measure.value(counts).map_or_else(|| "–".to_owned(), measure.shown);
            view! { <td class="number">{value}</td> }
        };
        view! {
            <tr>
                <th scope="row" class="font-normal!">{text::day(*day)}</th>
                {MEASURES.iter().map(cell).collect_view()}
            </tr>
        }
    };
    let heads = columns(std::iter::once(("Day (UTC)", "")).chain(MEASURES.iter().map(|measure| (measure.title, "number"))));
    let happened = |(_, counts): &&Day| MEASURES.iter().any(|measure| measure.value(counts).is_some());
    view! {
        <details class="card">
            <summary class="px-3 py-2 text-sm text-soft">"In numbers"</summary>
            <div class="max-h-80 overflow-auto" tabindex="0" role="region" aria-label="Quality by day in numbers">
                <DataTable label="Quality by day" class="data" heads rows=days.iter().rev().filter(happened).map(row).collect_view() />
            </div>
        </details>
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

use super::{api, gates::Gates, options::Options, url};
use crate::{
    features::{
        expectations::ShouldHaveBeenFound,
        memories::{AgentField, Restore},
    },
    layout::PageHead,
    query::Query,
    ui::{Answered, Badge, Bar, Empty, FilterForm, Filtered, FullBar, Icon, SearchField, Shape, TextField, Tone, fact_as, full_of, text},
};
use leptos::prelude::*;
use wire::{DiagnoseRequest, DiagnosedMemory, Diagnosis, ExpectationOrigin, MendLink, Relevance};

/// The page that explains why an agent does not recall a memory.
#[component]
pub fn DiagnosePage() -> impl IntoView {
    let filtered = Filtered::by(url::diagnose);
    let (query, answer) = (filtered.query.clone(), filtered.load(api::diagnose));
    view! {
        <PageHead title="Diagnose">
            "Find out why an agent does not recall a memory, and what to do about it. Diagnoses are not logged or counted."
        </PageHead>
        <Form filtered />
        <Answered answer show query />
    }
}

fn show(answer: Option<Diagnosis>, query: Query) -> AnyView {
    match answer {
        Some(diagnosis) => view! { <Answer diagnosis query /> }.into_any(),
        None => view! { <div class="card"><NotAsked asked=query.get("q").is_some() /></div> }.into_any(),
    }
}

#[component]
fn Form(filtered: Filtered<Option<DiagnoseRequest>>) -> impl IntoView {
    view! {
        <FilterForm action="/recall/diagnose" label="Diagnose">
            <div class="card grid grid-cols-2 gap-3 p-3 lg:grid-cols-[12rem_minmax(0,1fr)_minmax(0,1fr)_6rem]">
                <div class="col-span-full lg:col-span-1">
                    <AgentField value=filtered.value("agent") none="Choose an agent" labelled=true error=filtered.error("agent") />
                </div>
                {filtered.text_field("memory", "Memory", "short id")}
                {filtered.text_field("user", "On behalf of a user", "Name, reference or id")}
                <TextField name="k" label="Maximum hits" kind="number" hint="10" value=filtered.value("k") error=filtered.error("k") />
                <div class="col-span-full flex flex-wrap gap-2">
                    <SearchField value=filtered.value("q") label="Question" hint="The question that should find the memory" />
                    <button class="button button-primary" type="submit">
                        "Diagnose"
                    </button>
                </div>
                <Options filtered=filtered.fields() names=url::DIAGNOSE_OPTIONS />
            </div>
        </FilterForm>
    }
}

#[component]
fn NotAsked(
    /// There is a question, and no memory.
    asked: bool,
) -> impl IntoView {
    let title = if asked { "Which memory is missing?" } else { "No diagnosis yet" };
    view! {
        <Empty shape=Shape::Diagnose title>
            <p>
                "Enter an agent, a question and the short id of the memory that should answer it. You will see every gate between the memory "
                "and the answer, which one stops it, and what to do about it. The short id is at the top of a memory’s page."
            </p>
        </Empty>
    }
}

#[component]
fn Answer(diagnosis: Diagnosis, query: Query) -> impl IntoView {
    let searched = diagnosis.searched.clone();
    view! {
        <div class="space-y-5">
            <Verdict diagnosis=diagnosis.clone() query=query.clone() />
            {diagnosis.memory.map(|memory| view! { <TheMemory memory here=query.href("/recall/diagnose") /> })}
            <div class="items-start gap-5 space-y-5 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem] lg:space-y-0">
                <Gates gates=diagnosis.gates stopped_by=diagnosis.stopped_by query />
                {diagnosis.relevance.map(|relevance| view! { <Numbers relevance searched /> })}
            </div>
        </div>
    }
}

/// The answer in a sentence, and what mends it.
#[component]
fn Verdict(diagnosis: Diagnosis, query: Query) -> impl IntoView {
    let found = diagnosis.rank.is_some();
    let mend = diagnosis.stop().and_then(|stop| stop.mend.clone()).map(|mend| {
        view! {
            <p class="text-sm">
                {mend.text}
                {mend.link.map(|link| way(link, &query)).map(|(href, label)| view! { " " <a class="underline" href=href>{label}</a> })}
            </p>
        }
    });
    let known = diagnosis.memory.as_ref().map(|memory| query.with("memory", memory.id));
    let expect = known.map(|query| view! { <p><ShouldHaveBeenFound query origin=ExpectationOrigin::Diagnosis /></p> });
    let degraded = (!diagnosis.degraded.is_empty()).then(|| {
        let text = format!("degraded: {}", diagnosis.degraded.join(", "));
        view! { <p><Badge tone=Tone::Warn text title="Part of the search could not run. The diagnosis may differ once it can." /></p> }
    });
    view! {
        <section
            class="card space-y-2 border-l-4 px-4 py-3"
            class:border-l-good=found
            class:border-l-danger=!found
            aria-label="Verdict"
            data-testid="verdict"
        >
            <h2 class="font-semibold wrap-anywhere">{diagnosis.verdict}</h2>
            {mend}
            {degraded}
            {expect}
        </section>
    }
}

/// The link to the place where something is mended, and its label.
pub fn way(link: MendLink, query: &Query) -> (String, String) {
    match link {
        MendLink::Memory(id) => (format!("/memories/{id}"), "Open the memory".into()),
        MendLink::Candidate(id) => (format!("/inbox?focus={id}"), "Open the candidate".into()),
        MendLink::User(id) => (query.with("user", id).href("/recall/diagnose"), "Diagnose for this user".into()),
        MendLink::Hits(k) => (query.with("k", k).href("/recall/diagnose"), format!("Diagnose with {k} hits")),
        MendLink::Events => ("/events".into(), "Open the events".into()),
        MendLink::Terms => ("/vocabulary/terms".into(), "Open the terms".into()),
    }
}

#[component]
fn TheMemory(memory: DiagnosedMemory, here: String) -> impl IntoView {
    let (by, reason) = (memory.deleted_by, memory.delete_reason);
    let restore = memory.restorable.then(|| view! { <div class="mt-2"><Restore id=memory.id here by reason /></div> });
    view! {
        <section class="card px-4 py-3 text-sm" aria-label="Diagnosed memory" data-testid="memory">
            <p class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
                <a class="min-w-0 font-medium wrap-anywhere" href=format!("/memories/{}", memory.id)>{text::visible(&memory.topic)}</a>
                <span class="font-mono text-xs text-soft">{memory.short_id}</span>
                <span class="text-soft">{memory.agent_slug}</span>
            </p>
            <p class="mt-1 line-clamp-3 wrap-anywhere text-soft">{text::visible(&memory.content)}</p>
            {restore}
        </section>
    }
}

/// How relevant the memory is for the question, in numbers.
#[component]
fn Numbers(relevance: Relevance, searched: String) -> impl IntoView {
    let measured = [relevance.similarity, relevance.words, relevance.score, relevance.last_hit];
    let full = full_of(measured.into_iter().flatten());
    let bar = |label: &'static str, value: Option<f64>, floor: f64, none: &'static str| match value {
        Some(value) => view! { <Bar label value floor full /> }.into_any(),
        None => view! { <p class="text-xs text-soft">{label} ": " {none}</p> }.into_any(),
    };
    let score = relevance.score.map(|score| view! { <Bar label="Score" value=score strong=true full /> });
    let last = relevance.last_hit.map(|last| view! { <Bar label="Last hit" value=last full /> });
    let shared = relevance.matched_words.join(", ");
    view! {
        <section aria-labelledby="numbers">
            <h2 class="mb-2 flex items-center gap-2" id="numbers">
                <Icon shape=Shape::Health />
                "Relevance"
            </h2>
            <div class="card divide-y divide-line" data-testid="numbers">
                <div class="space-y-1.5 p-4">
                    {bar("Similarity", relevance.similarity, relevance.similarity_floor, "no vector to compare")}
                    {bar("Words", relevance.words, relevance.words_floor, "none shared")}
                    {score}
                    {last}
                    <FullBar full />
                    {relevance.explanation.map(|text| view! { <p class="text-xs wrap-anywhere text-soft">{text}</p> })}
                </div>
                <dl class="facts p-4">
                    {fact_as("wrap-anywhere", "Searched for", searched)}
                    {fact_as("wrap-anywhere", "Shared words", if shared.is_empty() { "none".to_owned() } else { shared })}
                </dl>
            </div>
        </section>
    }
}

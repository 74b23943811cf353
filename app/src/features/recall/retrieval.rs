use super::{
    api::{read_retrieval, replay_retrieval, zero_hit},
    considered::ConsideredTable,
    fate::{Fates, fates},
    replay::Compared,
    url::asked,
    words::outcome_badges,
    zero_hits::Why,
};
use crate::{
    ConsoleError,
    features::{expectations::ShouldHaveBeenFound, people::PersonOf},
    guard::by_id,
    layout::{Crumb, ViewerResource},
    query::{use_param, use_query},
    ui::{ErrorView, Icon, IconLink, Shape, Time, Zone, awaited, fact, fact_as, if_any, or_missing, reading, text},
};
use leptos::prelude::*;
use leptos_meta::Title;
use wire::{ExpectationOrigin, OperatorRole, Replay, RetrievalDetail, RetrievalId, ZeroHit};

/// The page of one logged recall, with a replay if the URL asks for it.
#[component]
pub fn RetrievalPage() -> impl IntoView {
    let query = use_query();
    let id = use_param::<RetrievalId>("id");
    let detail = reading(by_id(id, read_retrieval, "No recall has this id."));
    let empty = id.map(|id| reading(zero_hit(id)));
    let who = ViewerResource::expect();
    let replayed = id.filter(|_| query.get("replay").is_some()).map(|id| reading(replay_retrieval(id)));
    view! {
        <Crumb href="/recall/log" text="Recalls" />
        {awaited(async move {
            let (replayed, empty) = (if_any(replayed).await, if_any(empty).await.unwrap_or(Ok(None)));
            let misses = empty.as_ref().ok().and_then(Option::as_ref).map(|hit| hit.near_misses.clone());
            let fates = if_any(misses.map(fates)).await.unwrap_or_default();
            let may_restore = who.await.is_ok_and(|viewer| viewer.profile.has(OperatorRole::Operator));
            or_missing("Recall", detail.await, |detail| view! { <Whole detail empty fates may_restore replayed /> })
        })}
    }
}

#[component]
fn Whole(
    detail: RetrievalDetail,
    /// Why it found nothing; nothing if it found something.
    empty: Result<Option<ZeroHit>, ConsoleError>,
    fates: Fates,
    may_restore: bool,
    replayed: Option<Result<Replay, ConsoleError>>,
) -> impl IntoView {
    let retrieval = detail.retrieval.clone();
    let (title, page) = (text::short(&retrieval.query, 80), format!("/recall/log/{}", retrieval.id));
    let restore = may_restore.then(|| (page.clone(), retrieval.id.to_string()));
    let nothing = match empty {
        Ok(None) => None,
        Ok(Some(hit)) => Some(view! { <Nothing hit fates restore /> }.into_any()),
        Err(error) => Some(view! { <div class="card mb-6"><ErrorView error /></div> }.into_any()),
    };
    view! {
        <Title text=title />
        <header class="mb-5">
            <h1 class="line-clamp-4 wrap-anywhere" title=retrieval.query.clone()>{text::visible(&retrieval.query)}</h1>
            <div class="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-soft">
                {outcome_badges(&retrieval)}
                <span>"asked by " <a class="underline" href=format!("/recall/log?agent={}", retrieval.agent_id)>{retrieval.agent_slug.clone()}</a> ", " <Time at=retrieval.at /></span>
            </div>
        </header>
        {nothing}
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="min-w-0 space-y-6">
                <Section page replayed />
                <section aria-labelledby="considered">
                    <h2 class="mb-2" id="considered">"What was considered"</h2>
                    <div class="card"><ConsideredTable detail=detail.clone() /></div>
                </section>
            </div>
            <div class="mt-6 lg:mt-0"><Facts detail /></div>
        </div>
    }
}

/// Why the recall found nothing.
#[component]
fn Nothing(hit: ZeroHit, fates: Fates, restore: Option<(String, String)>) -> impl IntoView {
    view! {
        <section class="card mb-6 space-y-1.5 border-l-4 border-l-warn px-4 py-3" aria-labelledby="nothing">
            <h2 id="nothing">"Why nothing was found"</h2>
            <Why hit fates restore />
        </section>
    }
}

#[component]
fn Section(page: String, replayed: Option<Result<Replay, ConsoleError>>) -> impl IntoView {
    let again = format!("{page}?replay=yes");
    let open = replayed.is_some();
    let body = match replayed {
        None => view! { <p class="text-sm text-soft">"Compares the logged answer with the answers from the memory of that time and of today. Replays are not logged or counted."</p> }.into_any(),
        Some(Ok(replay)) => view! { <Compared replay /> }.into_any(),
        Some(Err(error)) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
    };
    view! {
        <section aria-labelledby="again">
            <div class="mb-2 flex flex-wrap items-center justify-between gap-2">
                <h2 id="again">"Replay"</h2>
                <a class="button" class:button-primary=!open href=again data-noscroll="true" class:hidden=open>
                    <Icon shape=Shape::Restore />
                    "Replay this recall"
                </a>
                <a class="button button-quiet" href=page data-noscroll="true" class:hidden=!open>
                    "Hide the replay"
                </a>
            </div>
            {body}
        </section>
    }
}

#[component]
fn Facts(detail: RetrievalDetail) -> impl IntoView {
    let query = asked(&detail);
    let retrieval = detail.retrieval;
    let filters = match &detail.filters {
        serde_json::Value::Object(fields) if fields.is_empty() => None,
        serde_json::Value::Null => None,
        filters => Some(serde_json::to_string_pretty(filters).unwrap_or_default()),
    };
    let (playground, diagnose) = (query.href("/recall/playground"), query.href("/recall/diagnose"));
    let canonical = retrieval.query_canonical.clone();
    let (at, zone) = (retrieval.at, Zone::expect());
    view! {
        <section class="card divide-y divide-line" aria-label="Facts">
            <dl class="facts p-4">
                {fact("Answer", view! {
                    {text::count(i64::from(retrieval.hits), "memory", "memories")} ", "
                    {text::count(i64::from(retrieval.knowledge_hits), "piece", "pieces")} " of knowledge; at most " {retrieval.k.to_string()}
                })}
                {canonical.map(|term| view! { <dt>"Resolved to"</dt><dd class="text-good">{term}</dd> })}
                {retrieval.user_id.map(|id| fact("On behalf of", view! { <PersonOf id /> }))}
                {filters.map(|filters| view! { <dt>"Filters"</dt><dd><pre class="font-mono text-xs whitespace-pre-wrap">{filters}</pre></dd> })}
            </dl>
            <dl class="facts p-4">
                {fact("Ranking", retrieval.ranking.as_str())}
                {fact("Model", detail.model)}
                {fact("Floors", format!("{:.2} by meaning, {:.2} by words", detail.vector_floor, detail.lexical_floor))}
                {fact("Vocabulary", view! { "version " {text::number(detail.vocabulary_version)} })}
                {fact("Duration", text::millis(retrieval.took_ms))}
                {fact("Asked", zone.moment(at))}
                {fact_as("font-mono text-xs break-all", "Id", retrieval.id.to_string())}
            </dl>
            <p class="flex flex-wrap gap-2 p-4">
                <IconLink href=playground shape=Shape::Playground text="Open in the playground" />
                <IconLink href=diagnose shape=Shape::Diagnose text="Diagnose a missing memory" />
                <ShouldHaveBeenFound query origin=ExpectationOrigin::Retrieval />
            </p>
        </section>
    }
}

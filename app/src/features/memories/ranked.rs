use crate::{
    query::Query,
    ui::{Badge, Bar, Empty, Shape, Tone, full_of, text},
};
use leptos::prelude::*;
use wire::{MatchedBy, SearchHit, SearchResults};
use words::missed;

/// The summary of a search, above its hits.
#[component]
pub fn Summary(results: SearchResults, query: Query) -> impl IntoView {
    let shown = i64::try_from(results.hits.len()).unwrap_or(i64::MAX);
    let best = if results.more || results.passed > shown { format!(" The best {shown} are listed.") } else { String::new() };
    let bars = (shown > 0).then(|| format!(" A full bar is {:.2}.", full_bar(results.hits.iter())));
    // The empty state says it when there is nothing to search.
    let passed = (results.memories > 0).then(|| {
        let relevant = format!(
            "{} of {} reached the relevance floor of {:.2}.",
            text::at_least(results.passed, results.more),
            text::count(results.memories, "memory", "memories"),
            results.floor
        );
        view! { <span>{text::sentence(&relevant)} {best} {bars}</span> }
    });
    let agent = query.owned("agent");
    let beyond = agent.map(|agent| {
        let ask = Query::default().with("agent", agent).with("q", query.text("q")).href("/recall/playground");
        let whose = if results.agents.len() > 1 { "The agent's own memories and the shared ones, of every user. " } else { "" };
        view! { <span>{whose} "Documents are left out. " <a class="underline" href=ask>"Run the whole recall"</a></span> }
    });
    let canonical = results.query_canonical.map(|term| view! { <Badge tone=Tone::Good text=format!("searched as “{term}”") /> });
    let degraded = (!results.degraded.is_empty()).then(|| {
        let text = format!("degraded: {}", results.degraded.join(", "));
        view! { <Badge tone=Tone::Warn text title="Part of the search could not run. Some memories may be missing." /> }
    });
    view! {
        <p class="mb-2 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-soft" data-testid="total">
            {passed}
            {beyond}
            {canonical}
            {degraded}
        </p>
    }
}

/// The value that fills the bars of all hits.
pub fn full_bar<'a>(hits: impl Iterator<Item = &'a SearchHit>) -> f64 {
    full_of(hits.flat_map(|hit| [hit.score, hit.breakdown.similarity]))
}

#[component]
pub fn Scores(hit: SearchHit, full: f64) -> impl IntoView {
    let by = match hit.matched_by {
        MatchedBy::Vector | MatchedBy::Both => "Similarity",
        MatchedBy::Lexical => "Words",
    };
    view! {
        <div title=hit.explanation>
            <Bar label="Score" value=hit.score strong=true full />
            <Bar label=by value=hit.breakdown.similarity full />
            <Bar label="Recency" value=hit.breakdown.recency full />
        </div>
    }
}

/// The empty state of a search: how close the nearest memory was, and what to try.
#[component]
pub fn NothingFound(results: SearchResults, query: Query) -> impl IntoView {
    let wider = Query::default().with("q", query.text("q"));
    let narrowed = wider.href("/memories") != query.without(&["peek"]).href("/memories");
    let nothing = results.memories == 0;
    let title = match (nothing, narrowed) {
        (true, true) => "No memory matches these filters",
        (true, false) => "No memories yet",
        (false, _) => "Nothing relevant enough",
    };
    let why = match (results.nearest, results.memories) {
        (Some(nearest), _) => {
            let [nearest, floor] = missed(nearest, results.floor);
            format!("The closest memory has a relevance of {nearest}; the floor is {floor}. An agent that asks this gets no hits.")
        }
        (None, 0) if narrowed => "Try other agents or filters.".to_owned(),
        (None, 0) => "Memories appear here when an agent remembers something.".to_owned(),
        (None, n) => format!("None of {} is close to the question.", text::count(n, "memory", "memories")),
    };
    view! {
        <Empty shape=Shape::Search title>
            <p class="mb-3">{why}</p>
            <p class="flex flex-wrap justify-center gap-2">
                {narrowed.then(|| view! { <a class="button" href=wider.href("/memories")>"Ask all agents, without filters"</a> })}
                <a class="button" href=query.without(&["q", "peek"]).href("/memories")>
                    {if nothing && !narrowed { "Show how to store one" } else { "Browse instead" }}
                </a>
            </p>
        </Empty>
    }
}

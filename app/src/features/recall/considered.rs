use super::{
    url::{asked, diagnose_of},
    words::{candidate_badge, matched_name, relevance_name, source_badge},
};
use crate::{
    query::Query,
    ui::{Badge, Bar, DataTable, FullBar, Tone, columns, full_of, text},
};
use leptos::prelude::*;
use wire::{Considered, MatchedBy, RetrievalDetail};

/// The candidates of a logged recall: scores and outcome of each.
#[component]
pub fn ConsideredTable(detail: RetrievalDetail) -> impl IntoView {
    if detail.considered.is_empty() {
        return view! { <p class="px-4 py-3 text-sm text-soft">"No candidates."</p> }.into_any();
    }
    let (floors, query) = ((detail.vector_floor, detail.lexical_floor), asked(&detail));
    let full = full_of(detail.considered.iter().flat_map(|one| [one.similarity, one.score]));
    let rows = detail.considered.into_iter().map(|one| view! { <Row one floors full query=query.clone() /> }).collect_view();
    view! {
        <div class="border-b border-line px-3 py-1.5"><FullBar full /></div>
        <DataTable label="What was considered" rows heads=columns([
            ("Rank", "number w-14"), ("Memory or knowledge", ""), ("Scores", "hidden w-64 @xl:table-cell"),
            ("Outcome", "hidden w-36 @2xl:table-cell"),
        ]) />
    }
    .into_any()
}

#[component]
fn Row(one: Considered, floors: (f64, f64), full: f64, query: Query) -> impl IntoView {
    let why_not = one.memory_id.filter(|_| one.rank.is_none()).map(|id| diagnose_of(&query, id));
    let rank = one.rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string());
    let version = one.version.map(|version| view! { <span class="font-mono text-xs text-soft">{format!("v{version}")}</span> });
    view! {
        <tr data-testid="considered">
            <td class="number font-medium" class:text-soft=one.rank.is_none()>{rank}</td>
            <td>
                <div class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
                    <Name one=one.clone() />
                    {version}
                    {source_badge(one.source_tag)}
                    <Badge text=matched_name(one.matched_by) />
                    {gone(&one)}
                    <span class="@2xl:hidden">{candidate_badge(one.passed, one.rank.is_some())}</span>
                </div>
                <p class="line-clamp-2 break-words text-soft">{text::visible(&one.content)}</p>
                <Explained explanation=one.explanation.clone() />
                {why_not.map(|href| view! { <p class="mt-1 text-xs"><a class="underline" href=href>"Why not now?"</a></p> })}
                <div class="mt-1 @xl:hidden">{scores(&one, floors, full)}</div>
            </td>
            <td class="hidden @xl:table-cell">{scores(&one, floors, full)}</td>
            <td class="hidden @2xl:table-cell">{candidate_badge(one.passed, one.rank.is_some())}</td>
        </tr>
    }
}

/// How a score came about, folded away: the bars show what matters of it on every row.
#[component]
pub fn Explained(explanation: String) -> impl IntoView {
    view! {
        <details class="mt-2 text-xs text-soft">
            <summary class="w-fit py-1 text-accent">"Explain the score"</summary>
            <p class="break-words">{explanation}</p>
        </details>
    }
}

/// The title of a candidate, as a link to it.
#[component]
pub fn Name(one: Considered) -> impl IntoView {
    let href = match (one.memory_id, one.document_id) {
        (Some(id), _) => Some(format!("/memories/{id}")),
        (None, Some(id)) => Some(format!("/knowledge/documents/{id}")),
        (None, None) => None,
    };
    let title = if one.title.is_empty() { "untitled".to_owned() } else { one.title };
    match href {
        Some(href) => view! { <a class="min-w-0 font-medium wrap-anywhere" href=href>{title}</a> }.into_any(),
        None => view! { <span class="min-w-0 font-medium wrap-anywhere">{title}</span> }.into_any(),
    }
}

/// A badge for a candidate that recalls no longer find.
pub fn gone(one: &Considered) -> Option<AnyView> {
    one.gone.then(|| {
        view! { <Badge tone=Tone::Danger text="no longer available" title="Deleted, superseded, expired or retired since." /> }.into_any()
    })
}

fn scores(one: &Considered, (vector, lexical): (f64, f64), full: f64) -> impl IntoView + use<> {
    let floor = match one.matched_by {
        MatchedBy::Vector | MatchedBy::Both => vector,
        MatchedBy::Lexical => lexical,
    };
    view! {
        <Bar label=relevance_name(one.matched_by) value=one.similarity floor full />
        <Bar label="Score" value=one.score strong=true full />
    }
}

use super::{
    considered::Explained,
    url,
    words::{candidate_badge, matched_name, relevance_name, source_badge},
};
use crate::{
    query::Query,
    ui::{Badge, Bar, DataTable, FullBar, columns, full_of, text},
};
use leptos::prelude::*;
use wire::{CandidateLink, PlaygroundCandidate};

/// The candidates of a playground recall: scores and outcome of each. `query` is the recall, to diagnose a memory that is not in the answer.
#[component]
pub fn Candidates(candidates: Vec<PlaygroundCandidate>, query: Query) -> impl IntoView {
    if candidates.is_empty() {
        return view! { <p class="px-4 py-3 text-sm text-soft">"No candidates."</p> }.into_any();
    }
    let full = full_of(candidates.iter().flat_map(|one| [one.similarity, one.score]));
    let rows = candidates.into_iter().map(|candidate| view! { <Row candidate full query=query.clone() /> }).collect_view();
    view! {
        <div class="border-b border-line px-3 py-1.5"><FullBar full /></div>
        <DataTable label="Candidates" rows heads=columns([
            ("Rank", "number w-16"), ("Candidate", ""), ("Scores", "hidden w-64 @xl:table-cell"),
            ("Outcome", "hidden w-36 @2xl:table-cell"),
        ]) />
    }
    .into_any()
}

#[component]
fn Row(candidate: PlaygroundCandidate, full: f64, query: Query) -> impl IntoView {
    let (href, why_not) = match candidate.link {
        CandidateLink::Memory(id) => (format!("/memories/{id}"), candidate.rank.is_none().then(|| url::diagnose_of(&query, id))),
        CandidateLink::Document(id) => (format!("/knowledge/documents/{id}"), None),
    };
    let rank = candidate.rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string());
    view! {
        <tr data-testid="candidate">
            <td class="number font-medium" class:text-soft=candidate.rank.is_none()>{rank}</td>
            <td>
                <div class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
                    <a class="min-w-0 font-medium break-words" href=href>{candidate.label.clone()}</a>
                    {source_badge(candidate.source_tag)}
                    <Badge text=matched_name(candidate.matched_by) />
                    <span class="@2xl:hidden">{candidate_badge(candidate.passed, candidate.rank.is_some())}</span>
                </div>
                <p class="line-clamp-2 break-words text-soft">{text::visible(&candidate.content)}</p>
                <Explained explanation=candidate.explanation.clone() />
                {why_not.map(|href| view! { <p class="mt-1 text-xs"><a class="underline" href=href>"Why was it left out?"</a></p> })}
                <div class="mt-1 @xl:hidden">{scores(&candidate, full)}</div>
            </td>
            <td class="hidden @xl:table-cell">{scores(&candidate, full)}</td>
            <td class="hidden @2xl:table-cell">{candidate_badge(candidate.passed, candidate.rank.is_some())}</td>
        </tr>
    }
}

fn scores(candidate: &PlaygroundCandidate, full: f64) -> impl IntoView + use<> {
    view! {
        <Bar label=relevance_name(candidate.matched_by) value=candidate.similarity floor=candidate.floor full />
        <Bar label="Recency" value=candidate.recency full />
        <Bar label="Score" value=candidate.score strong=true full />
    }
}

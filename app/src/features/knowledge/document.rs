use super::{
    api::read_document,
    cited::Cited,
    words::{kind_name, waiting},
};
use crate::{
    Flash,
    guard::by_id,
    layout::{Crumb, ViewerResource},
    query::{Query, use_param},
    ui::{Badge, PostForm, ReasonField, Time, Titled, Tone, awaited, fact, fact_as, or_missing, reading, text},
};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use leptos_meta::Title;
use wire::{Chunk, Document, DocumentDetail, DocumentId, OperatorRole};

/// The page of a document: chunks, front matter, citations and versions.
#[component]
pub fn DocumentPage() -> impl IntoView {
    let id = use_param::<DocumentId>("id");
    let detail = reading(by_id(id, read_document, "No document has this id."));
    let who = ViewerResource::shared();
    view! {
        <Crumb href="/knowledge" text="Documents" />
        {awaited(async move {
            let (may_change, flash) = who.allows(OperatorRole::Reviewer).await;
            or_missing("Document", detail.await, |detail| view! { <Whole detail may_change flash /> })
        })}
    }
}

#[component]
fn Whole(
    detail: DocumentDetail,
    /// Whether the viewer may upload and retire documents.
    may_change: bool,
    flash: Option<Flash>,
) -> impl IntoView {
    let DocumentDetail { document, front_matter, chunks, cited, versions } = detail;
    let latest = versions.iter().find(|(_, _, until)| until.is_none()).map(|(id, ..)| *id).filter(|id| *id != document.id);
    view! {
        <Title text=document.title.clone() />
        <header class="mb-5">
            <h1 class="break-words">{document.title.clone()}</h1>
            <div class="mt-1.5 flex flex-wrap items-center gap-1.5">
                {document.reference.clone().map(|reference| view! { <span class="font-mono text-sm break-all">{reference}</span> })}
                <Badge text=kind_name(document.kind) />
                {(!document.status.is_empty())
                    .then(|| view! { <span class="min-w-0 text-sm break-words">{document.status.clone()}</span> })}
                {document.retired_at.map(|_| view! { <Badge tone=Tone::Warn text="retired" /> })}
                <span class="font-mono text-xs break-all text-soft">{format!("{}/{}", document.collection, document.path)}</span>
            </div>
            <Actions document=document.clone() may_change=may_change && latest.is_none() flash />
        </header>
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="min-w-0 space-y-6">
                {document.retired_at.map(|at| view! { <Retired at latest /> })}
                <section aria-labelledby="chunks">
                    <h2 class="mb-2" id="chunks">"Chunks"</h2>
                    <div class="space-y-3">{chunks.clone().into_iter().map(|chunk| view! { <Part chunk /> }).collect_view()}</div>
                </section>
                <Cited cited />
            </div>
            <div class="mt-6 space-y-6 lg:mt-0">
                <Facts document=document.clone() front_matter />
                <Contents chunks />
                <Versions versions shown=document.id />
            </div>
        </div>
    }
}

/// What can be done with the document. A text that a newer one replaced can only be downloaded.
#[component]
fn Actions(document: Document, may_change: bool, flash: Option<Flash>) -> impl IntoView {
    let id = document.id.to_string();
    let file = format!("/knowledge/documents/{id}/document.md");
    let replace = Query::default().with("collection", &document.collection).with("path", &document.path).href("/knowledge/upload");
    let retire = (may_change && document.retired_at.is_none()).then(|| view! { <Retire id flash /> });
    view! {
        <div class="mt-2 flex flex-wrap items-start gap-2">
            <a class="button" href=file download="" rel="external">"Download as Markdown"</a>
            {may_change.then(|| view! { <a class="button" href=replace>"Upload a new version"</a> })}
            {retire}
        </div>
    }
}

/// The folded form that retires the document, with a reason.
#[component]
fn Retire(id: String, flash: Option<Flash>) -> impl IntoView {
    let (typed, error) = flash.and_then(|flash| flash.refused_at(("retire", &id), "reason")).unzip();
    let open = typed.is_some();
    let reason = typed.map(|typed| typed.text("reason")).unwrap_or_default();
    view! {
        <details class="min-w-0 open:basis-full" open=open>
            <summary class="button button-quiet">"Retire…"</summary>
            <PostForm class="card mt-2 max-w-xl space-y-3 p-4" action="/console/api/retire_document" label="Retire" fields=[("id", id)]>
                <p class="text-sm text-soft">
                    "Recalls no longer find a retired document. Its page and its versions stay. If its file is still in a folder that the server \
                    ingests, the next ingestion adds it again."
                </p>
                <ReasonField id="retire-reason" typed=reason error=error.flatten() hint="Kept in the audit log. At most 500 characters." />
                <button class="button button-danger" type="submit">"Retire document"</button>
            </PostForm>
        </details>
    }
}

#[component]
fn Retired(at: DateTime<Utc>, latest: Option<DocumentId>) -> impl IntoView {
    view! {
        <div class="rounded-md border border-warn bg-warn-wash px-3 py-2 text-sm text-warn" data-testid="retired">
            "Retired " <Time at /> ". Recalls no longer find this text. "
            {latest.map(|id| {
                let href = format!("/knowledge/documents/{id}");
                view! { <a class="text-inherit underline" href=href>"Show the current text"</a> }
            })}
        </div>
    }
}

/// A chunk. The server made its HTML from Markdown.
#[component]
fn Part(chunk: Chunk) -> impl IntoView {
    let (anchor, place, waits) = (anchor(&chunk), place(&chunk), !chunk.embedded);
    let bytes = format!("bytes {} to {}", text::number(chunk.start_byte), text::number(chunk.end_byte));
    view! {
        <article
            class="card scroll-mt-16 p-4 target:border-accent md:scroll-mt-5"
            id=anchor.clone()
            aria-label=place.clone()
            data-testid="chunk"
        >
            <h3 class="mb-2 flex flex-wrap items-baseline gap-x-2 text-sm">
                <a class="min-w-0 font-medium break-words" href=format!("#{anchor}") title=bytes>{place.clone()}</a>
                {waits.then(|| view! { <Badge tone=Tone::Warn text="no vector yet" title="Until it has one, only its words are searched." /> })}
            </h3>
            <div class="document" data-testid="content" inner_html=chunk.html></div>
        </article>
    }
}

fn anchor(chunk: &Chunk) -> String {
    format!("chunk-{}", chunk.id)
}

fn place(chunk: &Chunk) -> String {
    if chunk.heading_path.is_empty() { "Before the first heading".to_owned() } else { chunk.heading_path.join(" › ") }
}

#[component]
fn Facts(document: Document, front_matter: Vec<(String, String)>) -> impl IntoView {
    let fields = front_matter
        .into_iter()
        .map(|(name, value)| {
            view! {
                <dt class="break-words">{name}</dt>
                <dd class="whitespace-pre-line">{value}</dd>
            }
        })
        .collect_view();
    let chunks = match waiting(&document) {
        Some(waiting) => format!("{}, {waiting}", text::number(document.chunks)),
        None => text::number(document.chunks),
    };
    view! {
        <section class="card divide-y divide-line" aria-label="Facts">
            {(!fields.is_empty()).then(|| view! { <dl class="facts p-4" data-testid="front-matter">{fields}</dl> })}
            <dl class="facts p-4">
                {fact("Collection", document.collection)}
                {fact_as("font-mono text-xs break-all!", "Path", document.path)}
                {fact("Chunks", chunks)}
                {fact("Cited", view! { {text::count(document.citations, "time", "times")} " in 30 days" })}
                {fact("Updated", view! { <Time at=document.updated_at /> })}
            </dl>
        </section>
    }
}

#[component]
fn Contents(chunks: Vec<Chunk>) -> impl IntoView {
    let line = |chunk: &Chunk| {
        let depth = ["", "", "pl-3", "pl-6", "pl-9"].get(chunk.heading_path.len()).copied().unwrap_or("pl-9");
        let heading = chunk.heading_path.last().cloned().unwrap_or_else(|| place(chunk));
        view! { <li class=format!("truncate {depth}")><a href=format!("#{}", anchor(chunk)) title=place(chunk)>{heading}</a></li> }
    };
    (chunks.len() > 1).then(|| {
        view! {
            <nav class="card hidden p-4 text-sm lg:block" aria-label="Contents">
                <ol class="space-y-1.5">{chunks.iter().map(line).collect_view()}</ol>
            </nav>
        }
    })
}

#[component]
fn Versions(versions: Vec<(DocumentId, DateTime<Utc>, Option<DateTime<Utc>>)>, shown: DocumentId) -> impl IntoView {
    let one = move |(id, from, until): (DocumentId, DateTime<Utc>, Option<DateTime<Utc>>)| {
        let until = match until {
            Some(at) => view! { "until " <Time at /> }.into_any(),
            None => view! { "current" }.into_any(),
        };
        let this = id == shown;
        view! {
            <li class="border-b border-line px-4 py-2 last:border-b-0" aria-current=this.then_some("true")>
                <a class:font-medium=this href=format!("/knowledge/documents/{id}")>"From " <Time at=from /></a>
                <span class="text-soft">", " {until} {this.then_some(", shown here")}</span>
            </li>
        }
    };
    view! {
        <Titled id="versions" title="Versions">
            <ol class="card text-sm" data-testid="versions">{versions.into_iter().map(one).collect_view()}</ol>
        </Titled>
    }
}

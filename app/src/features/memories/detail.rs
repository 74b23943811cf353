use super::{
    api::{Found, memory},
    decide::Decide,
    facts::Facts,
    history::History,
    table::state,
};
use crate::{
    ConsoleError, Flash,
    features::audit::Trail,
    layout::ViewerResource,
    ui::{Canonical, ErrorView, Icon, Shape, Skeleton, Time},
};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;
use remembrancer::api::{ErrorCode, MemoryDetail, MemoryId, OperatorRole, Relation};

/// A memory with all that is known about it.
#[component]
pub fn MemoryPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.with(|params| params.get("id")).and_then(|id| id.parse::<MemoryId>().ok()));
    let found = Resource::new(
        move || id.get(),
        |id| async move {
            match id {
                Some(id) => memory(id).await,
                None => Err(unknown()),
            }
        },
    );
    let who = ViewerResource::expect();
    view! {
        <p class="mb-2 text-sm">
            <a href="/memories">"Memories"</a>
            <span class="text-soft">" / "</span>
        </p>
        <Transition fallback=|| view! { <div class="card"><Skeleton rows=5 /></div> }>
            {move || Suspend::new(async move {
                let viewer = who.await.ok();
                let may_decide = viewer.as_ref().is_some_and(|viewer| viewer.profile.has(OperatorRole::Operator));
                let flash = viewer.and_then(|viewer| viewer.flash).filter(|flash| flash.refused);
                match found.await {
                    Ok(found) => view! { <Whole found may_decide flash /> }.into_any(),
                    Err(error) => view! { <Missing error /> }.into_any(),
                }
            })}
        </Transition>
    }
}

#[component]
fn Missing(error: ConsoleError) -> impl IntoView {
    view! {
        <Title text="Memory" />
        <h1 class="sr-only">"Memory"</h1>
        <div class="card"><ErrorView error /></div>
    }
}

fn unknown() -> ConsoleError {
    #[cfg(feature = "ssr")]
    crate::guard::set_status(ErrorCode::NotFound);
    ConsoleError::new(ErrorCode::NotFound, "This is not the id of a memory.")
}

#[component]
fn Whole(found: Found, may_decide: bool, flash: Option<Flash>) -> impl IntoView {
    let row = found.detail.memory.clone();
    let trail = found.detail.audit.clone();
    let (by, reason) = (found.detail.deleted_by.clone(), found.detail.delete_reason.clone());
    view! {
        <Title text=row.topic.clone() />
        <header class="mb-5">
            <h1 class="break-words">{row.topic.clone()}</h1>
            <div class="mt-1.5 flex flex-wrap items-center gap-1.5">
                <Canonical yes=row.is_canonical />
                {state(&row)}
                <span class="font-mono text-xs text-soft" title="The id that prompts show">{row.short_id.clone()}</span>
            </div>
        </header>
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="min-w-0 space-y-6">
                {row.deleted_at.map(|at| view! { <Deleted at by reason /> })}
                <section class="card p-4" aria-label="Content">
                    <div class="verbatim" data-testid="content">{row.content.clone()}</div>
                </section>
                <History versions=found.detail.versions.clone() />
                <Links detail=found.detail.clone() />
                <section aria-labelledby="trail">
                    <h2 class="mb-2" id="trail">"Audit trail"</h2>
                    <div class="card"><Trail entries=trail /></div>
                </section>
            </div>
            <div class="mt-6 space-y-6 lg:mt-0">
                {may_decide.then(|| view! { <Decide row flash /> })}
                <Facts detail=found.detail freshness=found.freshness />
            </div>
        </div>
    }
}

#[component]
fn Deleted(at: chrono::DateTime<chrono::Utc>, by: Option<String>, reason: Option<String>) -> impl IntoView {
    view! {
        <div class="rounded-md border border-danger bg-danger-wash px-3 py-2 text-sm text-danger" data-testid="deleted">
            <p class="font-medium">"Deleted " <Time at /> {by.map(|by| format!(" by {by}"))} ". No recall finds it."</p>
            {reason.map(|reason| view! { <p class="mt-0.5 break-words">"Reason: " {reason}</p> })}
        </div>
    }
}

#[component]
fn Links(detail: MemoryDetail) -> impl IntoView {
    let one = |link: remembrancer::api::MemoryLink| {
        let relation = relation(link.relation, link.outgoing);
        view! {
            <li class="flex items-center gap-2 border-b border-line px-4 py-2 last:border-b-0">
                <span class="text-soft"><Icon shape=Shape::Link /></span>
                <span class="text-sm text-soft">{relation}</span>
                <a class="min-w-0 grow truncate" href=format!("/memories/{}", link.other_id)>{link.other_topic}</a>
                <span class="text-sm text-soft"><Time at=link.created_at /></span>
            </li>
        }
    };
    (!detail.links.is_empty()).then(|| {
        view! {
            <section aria-labelledby="links">
                <h2 class="mb-2" id="links">"Links"</h2>
                <ul class="card">{detail.links.into_iter().map(one).collect_view()}</ul>
            </section>
        }
    })
}

fn relation(relation: Relation, outgoing: bool) -> &'static str {
    match (relation, outgoing) {
        (Relation::Supports, true) => "supports",
        (Relation::Supports, false) => "is supported by",
        (Relation::Contradicts, _) => "contradicts",
        (Relation::Supersedes, true) => "supersedes",
        (Relation::Supersedes, false) => "is superseded by",
        (Relation::AppliesTo, true) => "applies to",
        (Relation::AppliesTo, false) => "is where this applies:",
        (Relation::DerivedFrom, true) => "is derived from",
        (Relation::DerivedFrom, false) => "gave rise to",
        (Relation::RelatedTo, _) => "is related to",
    }
}

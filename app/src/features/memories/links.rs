use super::{
    graph::Graph,
    relate::{Resolve, Unlink},
    table::place,
};
use crate::ui::{Badge, Icon, PostForm, Shape, Time, Tone, text};
use crate::{
    Flash,
    ids::{Ids, Versions},
};
use leptos::prelude::*;
use wire::{MemoryId, MemoryLink, MemoryStatus, Relation, SuggestionId};

/// A warning with the memories that contradict this one, and the way to resolve each contradiction; nothing if there are none.
#[component]
pub fn Contradictions(
    id: MemoryId,
    links: Vec<MemoryLink>,
    /// The versions that the page shows, for those who may resolve contradictions.
    versions: Option<Versions>,
    /// Whether the forms are unfolded.
    open: bool,
    /// The URL of the memory's page.
    here: String,
    flash: Option<Flash>,
) -> impl IntoView {
    let against: Vec<_> = links.into_iter().filter(disputes).collect();
    let number = i64::try_from(against.len()).unwrap_or(i64::MAX);
    let one = |link: MemoryLink| {
        let (other, here, flash) = (link.other_id, here.clone(), flash.clone());
        let resolve = versions.clone().map(|shown| view! { <Resolve id other shown open here flash /> });
        view! {
            <li class="px-4 py-2.5">
                <p class="flex flex-wrap items-baseline gap-x-2">
                    <a class="min-w-0 font-medium break-words" href=format!("/memories/{}", link.other_id)>{link.other_topic.clone()}</a>
                    <Ended link=link.clone() />
                </p>
                <p class="verbatim line-clamp-4">{text::visible(&link.other_content)}</p>
                <p class="mt-0.5 text-xs break-words text-soft">{place(&link.other_source)} " · " <Time at=link.other_updated_at /></p>
                {resolve}
            </li>
        }
    };
    (number > 0).then(|| {
        view! {
            <section class="scroll-mt-16 overflow-hidden rounded-lg border-2 border-warn bg-surface md:scroll-mt-5" id="resolve" aria-labelledby="contradicts" data-testid="contradictions">
                <div class="flex items-start gap-2.5 bg-warn-wash px-4 py-2.5 text-warn">
                    <span class="pt-0.5"><Icon shape=Shape::Alert /></span>
                    <div>
                        <h2 id="contradicts">{format!("Contradicted by {}", text::count(number, "other memory", "other memories"))}</h2>
                        <p class="text-sm">"Both sides are kept, each with its source. A newer memory does not hide an older one."</p>
                    </div>
                </div>
                <ul class="divide-y divide-line">{against.into_iter().map(one).collect_view()}</ul>
            </section>
        }
    })
}

/// The links of a memory, as a drawing and a list.
#[component]
pub fn Links(
    id: MemoryId,
    topic: String,
    links: Vec<MemoryLink>,
    /// The accepted suggestions that can be undone, each with the other memory; none for who may not.
    decided: Vec<(MemoryId, SuggestionId)>,
    /// Whether the links can be removed.
    may_unlink: bool,
    /// The URL of the memory's page.
    here: String,
    flash: Option<Flash>,
) -> impl IntoView {
    if links.is_empty() {
        return ().into_any();
    }
    let mut links = links;
    // Contradictions first; the sort is stable and keeps the newest first.
    links.sort_by_key(|link| link.relation != Relation::Contradicts);
    let decision = |link: &MemoryLink| {
        let made = matches!(link.relation, Relation::Supersedes | Relation::Contradicts);
        decided.iter().find(|(other, _)| made && *other == link.other_id).map(|(_, suggestion)| *suggestion)
    };
    let item = |link: MemoryLink| {
        let undo = decision(&link).map(|suggestion| view! { <Undo suggestion here=here.clone() /> });
        let (other, outgoing, relation) = (link.other_id, link.outgoing, link.relation);
        let (here, flash) = (here.clone(), flash.clone());
        let unlink = (may_unlink && !link.other_deleted).then(|| view! { <Unlink id other outgoing relation here flash /> });
        view! { <Item link>{undo} {unlink}</Item> }
    };
    let list = links.clone().into_iter().map(item).collect_view();
    view! {
        <section aria-labelledby="links">
            <h2 class="mb-2 flex flex-wrap items-baseline gap-x-2" id="links">
                "Links"
                <span class="text-sm font-normal text-soft">{text::number(i64::try_from(links.len()).unwrap_or(i64::MAX))}</span>
            </h2>
            <div class="card divide-y divide-line">
                <Graph topic links />
                <ul data-testid="links">{list}</ul>
            </div>
        </section>
    }
    .into_any()
}

/// Undoes the suggestion that made a link: a reviewer accepted it, or a correction replaced its speaker's own words.
#[component]
fn Undo(suggestion: SuggestionId, here: String) -> impl IntoView {
    view! {
        <PostForm class="mt-1" action="/console/api/undo_pair" test_id="undo-link" fields=[
            ("id", String::from(Ids(vec![suggestion]))), ("done", here),
        ]>
            <button class="text-soft underline" type="submit" title="Both memories become as they were before, and the suggestion waits again.">
                "Undo"
            </button>
        </PostForm>
    }
}

#[component]
fn Item(link: MemoryLink, children: Children) -> impl IntoView {
    let (relation, disputes) = (relation(&link), disputes(&link));
    view! {
        <li class="border-b border-line px-4 py-2.5 text-sm last:border-b-0">
            <div class="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
                <span class=if disputes { "font-semibold text-warn" } else { "text-soft" }>{relation}</span>
                <a class="min-w-0 font-medium wrap-anywhere" href=format!("/memories/{}", link.other_id)>{link.other_topic.clone()}</a>
                <Ended link=link.clone() />
                <span class="ml-auto text-soft"><Time at=link.created_at /></span>
            </div>
            <p class="line-clamp-2 break-words text-soft">{text::visible(&link.other_content)}</p>
            {children()}
        </li>
    }
}

/// Badges for a linked memory that is deleted or not active.
#[component]
fn Ended(link: MemoryLink) -> impl IntoView {
    let deleted = link.other_deleted.then(|| view! { <Badge tone=Tone::Danger text="deleted" /> });
    let status = (!matches!(link.other_status, MemoryStatus::Active | MemoryStatus::Contradicted))
        .then(|| view! { <Badge text=link.other_status.as_str() /> });
    (deleted, status)
}

/// The words between this memory and the other end of a link: `contradicts`, `is supported by`.
pub fn relation(link: &MemoryLink) -> &'static str {
    link.relation.phrase(link.outgoing)
}

/// Whether the other end contradicts this memory and is neither deleted nor superseded.
pub fn disputes(link: &MemoryLink) -> bool {
    link.relation == Relation::Contradicts && !link.other_deleted && link.other_status != MemoryStatus::Superseded
}

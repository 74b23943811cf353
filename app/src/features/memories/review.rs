use crate::{ids::Versions, ui::PostForm};
use leptos::prelude::*;
use wire::{MemoryId, Trust};

/// Whether a person confirmed a shared memory, and the button that does. Nothing for a private one.
#[component]
pub fn Review(
    id: MemoryId,
    /// The version that the page shows: the review is about it.
    version: i32,
    trust: Trust,
    may_review: bool,
    /// The URL of the memory's page.
    here: String,
) -> impl IntoView {
    let says = match trust {
        Trust::Own => return ().into_any(),
        Trust::Captured => return ().into_any(),
        Trust::Reviewed => "Shared and reviewed: a person confirmed this content.",
        Trust::Unreviewed => "Shared and unreviewed: agents see that no person has confirmed this content.",
    };
    let open = may_review && trust == Trust::Unreviewed;
    view! {
        <PostForm class="card flex flex-wrap items-center gap-3 px-4 py-2.5" action="/console/api/review_memories" test_id="review" fields=[
            ("ids", id.to_string()), ("shown", String::from(Versions(vec![(id, version)]))), ("done", here),
        ]>
            <p class="min-w-0 flex-1 text-sm text-soft">{says}</p>
            {open.then(|| view! { <button class="button" type="submit">"Mark as reviewed"</button> })}
        </PostForm>
    }
    .into_any()
}

/// Who reads a memory that agents recall, and the button that shares it with all agents or makes it private again.
#[component]
pub fn Readers(
    id: MemoryId,
    /// The version that the page shows: the decision is about it.
    version: i32,
    is_shared: bool,
    agent_slug: String,
    may_review: bool,
    /// The URL of the memory's page.
    here: String,
) -> impl IntoView {
    let (action, says, button) = match is_shared {
        true => ("/console/api/make_private", "All agents read this memory.".to_owned(), "Make private"),
        false => ("/console/api/share_memories", format!("Only {agent_slug} reads this memory."), "Share with all agents"),
    };
    view! {
        <PostForm class="card flex flex-wrap items-center gap-3 px-4 py-2.5" action test_id="readers" fields=[
            ("ids", id.to_string()), ("shown", String::from(Versions(vec![(id, version)]))), ("done", here),
        ]>
            <p class="min-w-0 flex-1 text-sm text-soft">{says}</p>
            {may_review.then(|| view! { <button class="button" type="submit">{button}</button> })}
        </PostForm>
    }
}

/// The button that pins or unpins a memory, whose page is `here`.
#[component]
pub fn Pin(id: MemoryId, pinned: bool, here: String) -> impl IntoView {
    let (verb, says) = match pinned {
        true => ("Unpin memory", "Pinned: it never expires and is never archived."),
        false => ("Pin memory", "A pinned memory never expires and is never archived."),
    };
    view! {
        <PostForm class="card flex flex-wrap items-center gap-3 px-4 py-2.5" action="/console/api/pin_memory" fields=[
            ("id", id.to_string()), ("pinned", (!pinned).to_string()), ("done", here),
        ]>
            <p class="min-w-0 flex-1 text-sm text-soft">{says}</p>
            <button class="button" type="submit">{verb}</button>
        </PostForm>
    }
}

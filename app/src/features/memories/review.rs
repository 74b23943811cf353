use crate::{ids::Versions, ui::PostForm};
use leptos::prelude::*;
use remembrancer::api::{MemoryId, Trust};

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
        <PostForm class="card flex flex-wrap items-center gap-3 px-4 py-2.5" action="/console/api/review_memories" test_id="review">
            <input type="hidden" name="ids" value=id.to_string() />
            <input type="hidden" name="shown" value=String::from(Versions(vec![(id, version)])) />
            <input type="hidden" name="done" value=here />
            <p class="min-w-0 flex-1 text-sm text-soft">{says}</p>
            {open.then(|| view! { <button class="button" type="submit">"Mark as reviewed"</button> })}
        </PostForm>
    }
    .into_any()
}

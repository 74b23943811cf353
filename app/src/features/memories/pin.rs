use crate::ui::PostForm;
use leptos::prelude::*;
use wire::MemoryId;

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

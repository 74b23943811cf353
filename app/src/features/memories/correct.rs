use crate::{
    Flash,
    ids::Versions,
    ui::{AreaField, Icon, PostForm, ReasonField, Shape},
};
use leptos::prelude::*;
use wire::MemoryRow;

/// The folded form that gives a memory new content, with a reason. Works without JavaScript.
#[component]
pub fn Correct(
    row: MemoryRow,
    /// The URL of the memory's page.
    here: String,
    /// Whether the URL unfolds it.
    open: bool,
    flash: Option<Flash>,
) -> impl IntoView {
    let (id, shown) = (row.id.to_string(), String::from(Versions(vec![(row.id, row.version)])));
    let wrong = flash.as_ref().and_then(|flash| flash.field("content"));
    let (typed, error) = flash.and_then(|flash| flash.refused_at(("correct", &id), "reason")).unzip();
    let open = open || typed.is_some();
    let (content, reason) = match typed {
        Some(typed) => (typed.text("content"), typed.text("reason")),
        None => (row.content, String::new()),
    };
    view! {
        <details class="card scroll-mt-16 md:scroll-mt-5" id="correct" open=open>
            <summary class="flex items-center gap-2 px-4 py-2.5 font-medium">
                <Icon shape=Shape::Edit />
                "Correct…"
            </summary>
            <PostForm class="space-y-3 px-4 pb-4" action="/console/api/correct_memory" fields=[
                ("id", id), ("shown", shown), ("done", here),
            ]>
                <p class="text-sm text-soft">
                    "Agents recall the new content immediately, attributed to you. The history keeps the old one, with its title and rationale."
                </p>
                <AreaField id="new-content" name="content" label="Content" rows="5" value=content required=true dir="auto" error=wrong />
                <ReasonField id="correct-reason" typed=reason error=error.flatten() hint="Kept in the audit log. At most 500 characters." />
                <button class="button button-primary" type="submit">
                    "Correct this memory"
                </button>
            </PostForm>
        </details>
    }
}

use crate::{
    Flash,
    layout::ViewerResource,
    ui::{Icon, PostForm, ReasonField, Shape, awaited},
};
use leptos::prelude::*;
use wire::MemoryId;

/// The folded form that restores a memory from another page and leads back there.
#[component]
pub fn Restore(
    id: MemoryId,
    /// The page that shows it.
    #[prop(into)]
    here: String,
    /// Tells forms for the same memory apart on one page.
    #[prop(into, optional)]
    place: String,
) -> impl IntoView {
    let who = ViewerResource::expect();
    awaited(async move {
        let flash = who.await.ok().and_then(|viewer| viewer.flash);
        view! { <Fold id here place flash /> }
    })
}

#[component]
fn Fold(id: MemoryId, here: String, place: String, flash: Option<Flash>) -> impl IntoView {
    let (typed, error) = flash.and_then(|flash| flash.refused_at(("ids", &id.to_string()), "reason")).unzip();
    let (open, typed) = (typed.is_some(), typed.map(|typed| typed.text("reason")).unwrap_or_default());
    view! {
        <details class="w-full text-sm" open=open data-testid="restore">
            <summary class="inline-flex cursor-pointer items-center gap-1.5 text-accent">
                <Icon shape=Shape::Restore />
                "Restore…"
            </summary>
            <PostForm class="mt-2 max-w-md space-y-2" action="/console/api/restore_memories" fields=[
                ("ids", id.to_string()), ("done", here.clone()), ("form", here),
            ]>
                <ReasonField id=format!("restore-{place}{id}") typed error=error.flatten() hint="Kept in the audit log. At most 500 characters." />
                <button class="button" type="submit">"Restore this memory"</button>
            </PostForm>
        </details>
    }
}

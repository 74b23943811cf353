use crate::{
    Flash,
    layout::ViewerResource,
    ui::{Icon, PostForm, ReasonField, Shape, awaited, text},
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
    /// Who deleted it, and why, if somebody did: they may have had to.
    by: Option<String>,
    reason: Option<String>,
) -> impl IntoView {
    let who = ViewerResource::expect();
    let deleted =
        by.map(|by| view! { <p class="w-full text-sm wrap-anywhere text-soft" data-testid="why-deleted">{deletion(&by, reason)}</p> });
    awaited(async move {
        let flash = who.await.ok().and_then(|viewer| viewer.flash);
        view! { {deleted} <Fold id here place flash /> }
    })
}

/// Who deleted a memory, and why.
fn deletion(by: &str, reason: Option<String>) -> String {
    let by = text::visible(by);
    match reason.filter(|reason| !reason.trim().is_empty()) {
        Some(reason) => format!("Deleted by {by}: {}", text::visible(&reason)),
        None => format!("Deleted by {by}, who gave no reason."),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deletion_says_who_and_why() {
        assert_eq!(deletion("Vera", Some("Mina asked for it".into())), "Deleted by Vera: Mina asked for it");
        for none in [None, Some(" ".to_owned())] {
            assert_eq!(deletion("atlas", none), "Deleted by atlas, who gave no reason.");
        }
    }
}

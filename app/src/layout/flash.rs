use super::viewer::ViewerResource;
use crate::{
    Flash,
    ids::Ids,
    query::Query,
    ui::{Icon, Now, Shape},
};
use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// The message about the last form, until another page is opened.
#[component]
pub fn FlashView() -> impl IntoView {
    let who = ViewerResource::expect();
    view! {
        <Transition fallback=|| ()>
            {move || Suspend::new(async move {
                who.await.ok().and_then(|viewer| viewer.flash).map(|flash| view! { <Message flash /> })
            })}
        </Transition>
    }
}

#[component]
fn Message(flash: Flash) -> impl IntoView {
    let location = use_location();
    let path = location.pathname;
    let (candidates, query) = (flash.candidates.0, move || Query::parse(&location.search.get()));
    let (page, open, hydrated) = (path.get_untracked(), RwSignal::new(true), Now::hydrated());
    let (class, role, shape) = match flash.refused {
        true => ("border-danger bg-danger-wash text-danger", "alert", Shape::Alert),
        false => ("border-good bg-good-wash text-good", "status", Shape::Done),
    };
    view! {
        <div
            class=format!("mb-5 flex items-start gap-2.5 rounded-md border px-3 py-2 text-sm {class}")
            class:hidden=move || !open.get() || path.get() != page
            role=role
            data-testid="flash"
        >
            <span class="pt-0.5">
                <Icon shape />
            </span>
            <p class="grow">{flash.text}</p>
            {flash.undo.map(|id| {
                let here = move || query().href(&path.get());
                view! { <Undo action="/console/api/undo_decision" name="id" value=id.to_string() here=Signal::derive(here) /> }
            })}
            {flash.pair.map(|id| {
                let here = move || query().href(&path.get());
                view! { <Undo action="/console/api/undo_pair" name="id" value=id.to_string() here=Signal::derive(here) /> }
            })}
            {flash.entry.map(|entry| {
                let here = move || query().href(&path.get());
                view! { <Undo action="/console/api/restore_entry" name="entry" value=entry.to_string() here=Signal::derive(here) /> }
            })}
            {(!candidates.is_empty()).then(|| {
                // A single candidate that waits again is looked at again.
                let again = candidates.first().copied().filter(|_| candidates.len() == 1);
                let here = move || match again.filter(|_| path.get() == "/inbox") {
                    Some(id) => query().with("focus", id).href("/inbox"),
                    None => query().href(&path.get()),
                };
                view! { <Undo action="/console/api/undo_candidates" name="ids" value=String::from(Ids(candidates)) here=Signal::derive(here) /> }
            })}
            <button
                class="cursor-pointer"
                class:hidden=move || !hydrated.get()
                type="button"
                aria-label="Dismiss"
                on:click=move |_| open.set(false)
            >
                <Icon shape=Shape::Close />
            </button>
        </div>
    }
}

/// The form that undoes a decision.
#[component]
fn Undo(action: &'static str, name: &'static str, value: String, here: Signal<String>) -> impl IntoView {
    view! {
        <form method="post" action=action>
            <input type="hidden" name=name value=value />
            <input type="hidden" name="done" value=move || here.get() />
            <button class="cursor-pointer font-medium underline underline-offset-2" type="submit" data-keys="u">
                "Undo"
            </button>
        </form>
    }
}

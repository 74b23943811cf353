use super::viewer::ViewerResource;
use crate::{
    Flash,
    flash::Inverse,
    query::Query,
    ui::{Icon, Shape},
};
use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// The message about the last form, in sight wherever the page is scrolled, until it is dismissed or another page is opened.
#[component]
pub fn FlashView() -> impl IntoView {
    let who = ViewerResource::expect();
    view! {
        <Transition fallback=|| ()>
            {move || Suspend::new(async move {
                who.await.ok().and_then(|viewer| viewer.flash).map(|flash| view! { <Toast flash /> })
            })}
        </Transition>
    }
}

#[component]
fn Toast(flash: Flash) -> impl IntoView {
    let location = use_location();
    let path = location.pathname;
    let (page, open) = (path.get_untracked(), RwSignal::new(true));
    let here = Signal::derive(move || Query::parse(&location.search.get()).href(&path.get()));
    let (class, role, shape) = match flash.refused {
        true => ("border-danger bg-danger-wash text-danger", "alert", Shape::Alert),
        false => ("border-good bg-good-wash text-good", "status", Shape::Done),
    };
    let dismiss = move |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        open.set(false);
    };
    view! {
        <div class=format!("toast {class}") class:hidden=move || !open.get() || path.get() != page role=role data-testid="flash">
            <span class="pt-0.5">
                <Icon shape />
            </span>
            <p class="max-h-40 grow overflow-y-auto break-words">{flash.text}</p>
            {flash.inverse.map(|inverse| view! { <Undo inverse here /> })}
            // Without JavaScript the page loads again, without the message.
            <a class="pt-0.5 text-inherit" href=move || here.get() rel="external" aria-label="Dismiss" on:click=dismiss>
                <Icon shape=Shape::Close />
            </a>
        </div>
    }
}

/// The form that undoes what the message is about, then leads back to this page.
#[component]
fn Undo(inverse: Inverse, here: Signal<String>) -> impl IntoView {
    let field = |(name, value): (String, String)| view! { <input type="hidden" name=name value=value /> };
    view! {
        <form method="post" action=inverse.action>
            {inverse.fields.into_iter().map(field).collect_view()}
            <input type="hidden" name="done" value=move || here.get() />
            <button class="cursor-pointer font-medium underline underline-offset-2" type="submit" data-keys="u">
                "Undo"
            </button>
        </form>
    }
}

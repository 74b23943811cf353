use super::viewer::ViewerResource;
use crate::{
    Flash,
    flash::Inverse,
    query::{use_path, use_query},
    ui::{Icon, PostForm, Shape, awaited, text},
};
use leptos::prelude::*;

/// The message about the last form, in sight wherever the page is scrolled, until it is dismissed or another page is opened.
#[component]
pub fn FlashView() -> impl IntoView {
    let who = ViewerResource::expect();
    let here = use_query().href(&use_path());
    awaited(async move { who.await.ok().and_then(|viewer| viewer.flash).map(|flash| view! { <Toast flash here /> }) })
}

#[component]
fn Toast(
    flash: Flash,
    /// The URL of the page.
    here: String,
) -> impl IntoView {
    let (class, role, shape) = match flash.refused {
        true => ("border-danger bg-danger-wash text-danger", "alert", Shape::Alert),
        false => ("border-good bg-good-wash text-good", "status", Shape::Done),
    };
    let undo = flash.inverse.map(|inverse| view! { <Undo inverse here=here.clone() /> });
    view! {
        // It takes the focus of a form that is gone, so that its undo is the next stop of the keyboard.
        <div class=format!("toast {class}") role=role tabindex="-1" data-testid="flash">
            <span class="pt-0.5">
                <Icon shape />
            </span>
            <p class="max-h-40 grow overflow-y-auto break-words">{text::visible(&flash.text)}</p>
            {undo}
            // Without JavaScript the page loads again, without the message.
            <a class="pt-0.5 text-inherit" href=here data-dismiss="" aria-label="Dismiss">
                <Icon shape=Shape::Close />
            </a>
        </div>
    }
}

/// The form that undoes what the message is about, then leads back to this page.
#[component]
fn Undo(inverse: Inverse, here: String) -> impl IntoView {
    let field = |(name, value): (String, String)| view! { <input type="hidden" name=name value=value /> };
    let name = if inverse.name.is_empty() { "Undo".to_owned() } else { inverse.name };
    view! {
        <PostForm action=inverse.action>
            {inverse.fields.into_iter().map(field).collect_view()}
            <input type="hidden" name="done" value=here />
            <button class="cursor-pointer font-medium underline underline-offset-2" type="submit" data-keys="u">
                {name}
            </button>
        </PostForm>
    }
}

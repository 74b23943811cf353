use crate::{
    Flash,
    features::session::Viewer,
    layout::{PageHead, ViewerResource},
    ui::{PostForm, awaited, or_error, text},
};
use leptos::prelude::*;

/// The page on which people change their own password.
#[component]
pub fn PasswordPage() -> impl IntoView {
    let who = ViewerResource::expect();
    view! {
        <PageHead title="Change your password">"It ends your other sessions, and the access of clients that you let in."</PageHead>
        {awaited(async move {
            or_error(who.await, |viewer| match viewer.profile.has_password {
                true => view! { <Form viewer /> }.into_any(),
                false => view! { <p class="card max-w-md p-5">"You sign in with the identity provider. Change your password there."</p> }.into_any(),
            })
        })}
    }
}

#[component]
fn Form(viewer: Viewer) -> impl IntoView {
    let (login, flash) = (viewer.profile.login.clone(), viewer.refused());
    let error = move |field: &str| flash.as_ref().and_then(|flash: &Flash| flash.field(field));
    view! {
        <PostForm class="card max-w-md space-y-4 p-5" action="/console/api/change_password" label="Change your password">
            <p class="text-sm wrap-anywhere">{text::visible(&login)}</p>
            <Password name="current" label="Current password" kind="current-password" note="" error=error("current") />
            <Password name="new" label="New password" kind="new-password" note="At least 12 characters." error=error("new") />
            <button class="button button-primary" type="submit">"Change password"</button>
        </PostForm>
    }
}

/// A field for a password. Nothing of what was typed is ever sent back.
#[component]
fn Password(name: &'static str, label: &'static str, kind: &'static str, note: &'static str, error: Option<String>) -> impl IntoView {
    let (id, beneath) = (format!("field-{name}"), format!("about-{name}"));
    let invalid = error.as_ref().map(|_| "true");
    view! {
        <div>
            <label class="label" for=id.clone()>{label}</label>
            <input
                class="input"
                id=id
                name=name
                type="password"
                autocomplete=kind
                required=true
                aria-invalid=invalid
                aria-describedby=beneath.clone()
            />
            <p class="mt-1 text-xs text-soft" id=beneath>
                {error.map(|says| view! { <span class="text-danger">{says} " "</span> })}
                {note}
            </p>
        </div>
    }
}

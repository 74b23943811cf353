use super::{api::invited, sign_in::message};
use crate::{
    guard::ACCEPT_INVITATION,
    query::use_query,
    text,
    ui::{Logo, PostForm, awaited, or_error, reading},
};
use leptos::prelude::*;
use leptos_meta::Title;
use wire::{Invitation, InvitationKind};

/// The page of a one-time link: whoever has it chooses a password.
#[component]
pub fn InvitationPage() -> impl IntoView {
    let query = use_query();
    let (token, refusal) = (query.text("token"), query.get("error").map(refusal));
    let invitation = reading(invited(token.clone()));
    view! {
        <Title text="Choose a password" />
        <main id="main" class="mx-auto flex min-h-dvh max-w-sm flex-col justify-center px-6 py-10">
            <Logo class="mb-5 size-9" stroke="2.6" />
            {awaited(async move {
                or_error(invitation.await, |invitation| match invitation {
                    Some(invitation) => view! { <Choose invitation token refusal /> }.into_any(),
                    None => view! { <NotValid /> }.into_any(),
                })
            })}
        </main>
    }
}

/// What is wrong with what was sent, by the code in the address.
fn refusal(code: &str) -> &'static str {
    match code {
        "short" => "The password must have at least 12 characters.",
        "limited" => "Too many attempts from this address. Wait a minute, then try again.",
        "passwords" => "This server takes no passwords. Sign in with the identity provider of your organisation.",
        "taken" => "Somebody else took this login in the meantime. Ask your administrator for another invitation.",
        _ => "The password could not be saved. Try again shortly.",
    }
}

#[component]
fn Choose(invitation: Invitation, token: String, refusal: Option<&'static str>) -> impl IntoView {
    let (login, by) = (text::visible(&invitation.login), text::visible(&invitation.created_by));
    let says = match invitation.kind {
        InvitationKind::Invite => format!("{by} invited you to Remembrancer. You sign in as {login}."),
        InvitationKind::Reset => format!("Choose a new password for {login}. Your other sessions end."),
    };
    view! {
        <h1>"Choose a password"</h1>
        <p class="mt-1 mb-6 text-soft">{says}</p>
        {refusal.map(|text| message(text, true))}
        <PostForm class="space-y-4" action=ACCEPT_INVITATION fields=[("token", token)]>
            <div>
                <label class="label" for="login">
                    "Login"
                </label>
                <input class="input" id="login" autocomplete="username" readonly value=invitation.login.clone() />
            </div>
            <div>
                <label class="label" for="password">
                    "Password"
                </label>
                <input
                    class="input"
                    id="password"
                    name="password"
                    type="password"
                    autocomplete="new-password"
                    minlength="12"
                    aria-describedby="rule"
                    required
                    autofocus
                />
                <p class="mt-1 text-xs text-soft" id="rule">
                    "At least 12 characters."
                </p>
            </div>
            <button class="button button-primary w-full" type="submit">
                "Set password and sign in"
            </button>
        </PostForm>
    }
}

#[component]
fn NotValid() -> impl IntoView {
    view! {
        <h1>"This link is not valid"</h1>
        <p class="mt-1 mb-6 text-soft">"It was used, withdrawn or replaced, or it has expired. Ask your administrator for a new one."</p>
        <p>
            <a class="button" href="/">
                "Open the console"
            </a>
        </p>
    }
}

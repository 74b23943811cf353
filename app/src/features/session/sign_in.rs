use crate::{
    guard::{console, kept_login, takes_passwords},
    query::{Query, use_query},
    ui::{Icon, Logo, Shape},
};
use leptos::prelude::*;
use leptos_meta::Title;
use std::sync::Arc;

#[component]
pub fn SignInPage() -> impl IntoView {
    let query = use_query();
    let provider = console().ok().and_then(|console| console.provider);
    let next = query.text("next");
    let form = takes_passwords().then(|| view! { <Passwords next=next.clone() is_only=provider.is_none() /> });
    view! {
        <Title text="Sign in" />
        <main id="main" class="mx-auto flex min-h-dvh max-w-sm flex-col justify-center px-6 py-10">
            <Logo class="mb-5 size-9" stroke="2.6" />
            <h1>"Sign in to Remembrancer"</h1>
            <p class="mt-1 mb-6 text-soft">"See and manage what your agents remember."</p>
            {notice(&query)}
            {provider.map(|name| view! { <IdentityProvider name next has_form=takes_passwords() signed_out=query.any(&["signed_out"]) /> })}
            {form}
        </main>
    }
}

/// The way to the identity provider, and after a sign-out to the end of the session there.
#[component]
fn IdentityProvider(name: Arc<str>, next: String, has_form: bool, signed_out: bool) -> impl IntoView {
    let class = if has_form { "button w-full" } else { "button button-primary w-full" };
    let there = signed_out.then(|| {
        view! {
            <p class="mt-3 text-sm text-soft">
                "You may still be signed in at the identity provider. "
                <a class="underline" rel="external" href="/sign-in/sso/end">
                    "Sign out there, too"
                </a> "."
            </p>
        }
    });
    view! {
        <div class="mb-6">
            <a class=class rel="external" href=Query::default().with("next", next).href("/sign-in/sso")>
                {format!("Sign in with {name}")}
            </a>
            {there}
        </div>
    }
}

/// The form for a login and a password.
#[component]
fn Passwords(next: String, is_only: bool) -> impl IntoView {
    // After a refusal only the password has to be typed again.
    let kept = kept_login();
    view! {
        <form class="space-y-4" method="post" action="/console/api/sign_in">
            <input type="hidden" name="next" value=next />
            <div>
                <label class="label" for="login">
                    "Login"
                </label>
                <input
                    class="input"
                    id="login"
                    name="login"
                    autocomplete="username"
                    autocapitalize="none"
                    spellcheck="false"
                    required
                    autofocus=is_only && kept.is_empty()
                    value=kept.clone()
                />
            </div>
            <div>
                <label class="label" for="password">
                    "Password"
                </label>
                <input class="input" id="password" name="password" type="password" autocomplete="current-password" required autofocus=!kept.is_empty() />
            </div>
            <button class="button button-primary w-full" type="submit">
                "Sign in"
            </button>
        </form>
        <p class="mt-8 text-xs text-soft">
            "No account or forgotten password? Ask an administrator of your organisation for a one-time link."
        </p>
    }
}

fn notice(query: &Query) -> Option<impl IntoView + use<>> {
    let (text, refused) = match (query.get("error"), query.get("signed_out")) {
        (Some("limited"), _) => ("Too many attempts with this login or from this address. Wait a minute, then try again.", true),
        (Some("unavailable"), _) => ("The server cannot check passwords at the moment. Try again shortly.", true),
        (Some("passwords"), _) => ("This server takes no passwords. Sign in with the identity provider of your organisation.", true),
        (Some(code), _) if code.starts_with("sso_") => (of_provider(code), true),
        (Some(_), _) => ("Login and password do not match. Check both, including upper and lower case.", true),
        (None, Some(_)) => ("You are signed out.", false),
        (None, None) if query.any(&["next"]) => ("Sign in to continue to the page you requested.", false),
        (None, None) => return None,
    };
    Some(message(text, refused))
}

/// Why nobody was let in with the identity provider (`server/src/sso/mod.rs`).
fn of_provider(code: &str) -> &'static str {
    match code {
        "sso_again" => "This sign-in took too long, was used already, or began in another browser. Start again.",
        "sso_denied" => "The identity provider did not let you in. Start again, or ask the administrator of the provider.",
        "sso_invalid" => "The identity provider sent an answer that this server cannot trust. Ask the administrator of this server.",
        "sso_no_role" => "None of your groups has a role here. Ask your administrator to put you into a group that has one.",
        "sso_organisations" => {
            "Your groups have roles in several organisations. An account belongs to one: ask your administrator to choose."
        }
        "sso_disabled" => "Your account is disabled. Ask an administrator of your organisation.",
        _ => "The identity provider cannot be used at the moment. Try again shortly.",
    }
}

/// The result of a form that was sent, in a box.
pub fn message(text: &'static str, refused: bool) -> impl IntoView + use<> {
    let (class, role, shape) = match refused {
        true => ("border-danger bg-danger-wash text-danger", "alert", Shape::Alert),
        false => ("border-line bg-sunken text-soft", "status", Shape::Done),
    };
    view! {
        <div class=format!("mb-5 flex items-start gap-2.5 rounded-md border px-3 py-2 text-sm {class}") role=role>
            <span class="pt-0.5">
                <Icon shape />
            </span>
            <p>{text}</p>
        </div>
    }
}

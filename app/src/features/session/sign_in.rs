use crate::{
    guard::kept_login,
    query::{Query, use_query},
    ui::{Icon, Logo, Shape},
};
use leptos::prelude::*;
use leptos_meta::Title;

#[component]
pub fn SignInPage() -> impl IntoView {
    let query = use_query();
    // After a refusal only the password has to be typed again.
    let kept = kept_login();
    view! {
        <Title text="Sign in" />
        <main id="main" class="mx-auto flex min-h-dvh max-w-sm flex-col justify-center px-6 py-10">
            <Logo class="mb-5 size-9" stroke="2.6" />
            <h1>"Sign in to Remembrancer"</h1>
            <p class="mt-1 mb-6 text-soft">"See and manage what your agents remember."</p>
            {notice(&query)}
            <form class="space-y-4" method="post" action="/console/api/sign_in">
                <input type="hidden" name="next" value=query.text("next") />
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
                        autofocus=kept.is_empty()
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
                "No account or forgotten password? The administrator of this server can help with "
                <code class="font-mono text-ink">"remembrancer operator"</code> "."
            </p>
        </main>
    }
}

fn notice(query: &Query) -> Option<impl IntoView + use<>> {
    let (text, refused) = match (query.get("error"), query.get("signed_out")) {
        (Some("limited"), _) => ("Too many attempts with this login or from this address. Wait a minute, then try again.", true),
        (Some("unavailable"), _) => ("The server cannot check passwords at the moment. Try again shortly.", true),
        (Some(_), _) => ("Login and password do not match. Check both, including upper and lower case.", true),
        (None, Some(_)) => ("You are signed out.", false),
        (None, None) if query.any(&["next"]) => ("Sign in to continue to the page you requested.", false),
        (None, None) => return None,
    };
    Some(message(text, refused))
}

/// What became of what was sent.
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

use super::api::{SET_THEME, post};
use leptos::{ev, prelude::*, task::spawn_local};

/// The form to choose the theme; with JavaScript the choice applies at once.
#[island]
pub fn ThemeSwitch(
    theme: Option<String>,
    /// The token of the form; none without a session.
    token: Option<String>,
) -> impl IntoView {
    let token = StoredValue::new(token.unwrap_or_default());
    let chosen = RwSignal::new(theme.unwrap_or_else(|| "system".into()));
    let choice = move |(key, text): (&'static str, &'static str)| {
        let choose = move |event: ev::MouseEvent| {
            event.prevent_default();
            show(key);
            chosen.set(key.to_owned());
            // If the cookie cannot be set, the theme still applies until the page is left.
            spawn_local(async move { post(SET_THEME, &[("form_token", &token.get_value()), ("theme", key)]).await });
        };
        view! {
            <button
                class="grow cursor-pointer rounded-sm px-1.5 py-0.5 text-soft hover:text-ink aria-pressed:bg-surface \
                aria-pressed:font-medium aria-pressed:text-ink aria-pressed:shadow-xs"
                type="submit"
                name="theme"
                value=key
                aria-pressed=move || (chosen.get() == key).to_string()
                on:click=choose
            >
                {text}
            </button>
        }
    };
    view! {
        <form method="post" action=SET_THEME>
            <input type="hidden" name="form_token" value=token.get_value() />
            <div class="flex rounded-md border border-line bg-sunken p-0.5 text-xs" role="group" aria-label="Theme">
                {[("system", "System"), ("light", "Light"), ("dark", "Dark")].map(choice).collect_view()}
            </div>
        </form>
    }
}

fn show(theme: &str) {
    let Some(root) = document().document_element() else { return };
    let _ = if theme == "system" { root.remove_attribute("data-theme") } else { root.set_attribute("data-theme", theme) };
}

use super::viewer::ViewerResource;
use crate::{
    features::session::Viewer,
    guard::{takes_passwords, token_of},
    islands::{SET_THEME, ThemeSwitch},
    ui::{Icon, PostForm, Shape, Zone, awaited},
};
use leptos::prelude::*;

/// The signed-in operator as one row, which opens a menu: roles, time zone, theme, and the button to sign out.
#[component]
pub fn Account() -> impl IntoView {
    let who = ViewerResource::expect();
    awaited(async move { who.await.ok().map(|viewer| view! { <SignedIn viewer /> }) })
}

#[component]
fn SignedIn(viewer: Viewer) -> impl IntoView {
    let roles = viewer.profile.roles.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(", ");
    let zone = Zone::expect();
    view! {
        <details class="relative border-t border-line pt-2" data-testid="account" data-frame="">
            <summary class="flex h-11 items-center gap-2 rounded-md px-2 hover:bg-sunken">
                <span class="min-w-0 grow leading-tight" title=viewer.profile.login.clone()>
                    <span class="block truncate font-medium">{viewer.profile.name.clone()}</span>
                    " "
                    <span class="block truncate text-xs text-soft">{viewer.profile.tenant_name.clone()}</span>
                </span>
                <Icon shape=Shape::Menu />
            </summary>
            // Above the row in the sidebar, below it in the menu of narrow screens.
            <div class="z-10 mt-1 space-y-3 rounded-md border border-line bg-surface p-3 shadow-lg md:absolute md:inset-x-0 md:bottom-full">
                <p class="text-xs leading-snug text-soft">{roles}</p>
                <p class="text-xs leading-snug text-soft" data-testid="zone">
                    {format!("Times in {}", zone.name())}
                </p>
                <ThemeSwitch theme=viewer.theme token=token_of(SET_THEME) />
                {(takes_passwords() && viewer.profile.has_password).then(|| view! {
                    <a class="button button-quiet w-full justify-start! px-2!" href="/password">
                        <Icon shape=Shape::Edit />
                        "Change password"
                    </a>
                })}
                <PostForm action="/console/api/sign_out">
                    <button class="button button-quiet w-full justify-start! px-2!" type="submit">
                        <Icon shape=Shape::SignOut />
                        "Sign out"
                    </button>
                </PostForm>
            </div>
        </details>
    }
}

use super::viewer::ViewerResource;
use crate::{
    features::session::Viewer,
    guard::token_of,
    islands::{SET_THEME, ThemeSwitch},
    ui::{Icon, PostForm, Shape, Zone, awaited},
};
use leptos::prelude::*;

/// The signed-in operator, the theme, and the button to sign out.
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
        <div class="space-y-3 border-t border-line pt-3" data-testid="account" data-frame="">
            <div class="px-2 leading-tight">
                <p class="truncate font-medium" title=viewer.profile.login.clone()>
                    {viewer.profile.name.clone()}
                </p>
                <p class="truncate text-sm text-soft">{viewer.profile.tenant_name.clone()}</p>
                <p class="mt-1 text-xs leading-snug text-soft">{roles}</p>
            </div>
            <p class="px-2 text-xs leading-snug text-soft" data-testid="zone">
                {zone_says(zone.name())}
            </p>
            <ThemeSwitch theme=viewer.theme token=token_of(SET_THEME) />
            <PostForm action="/console/api/sign_out">
                <button class="button button-quiet w-full justify-start! px-2!" type="submit">
                    <Icon shape=Shape::SignOut />
                    "Sign out"
                </button>
            </PostForm>
        </div>
    }
}

/// In which zone the page shows times. Days of charts and of filters are those of UTC for everybody.
fn zone_says(zone: &str) -> String {
    if zone == "UTC" { "Times in UTC".to_owned() } else { format!("Times in {zone}; charts and filters in UTC") }
}

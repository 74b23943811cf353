use super::{
    account::Account,
    flash::FlashView,
    nav::{Brand, MobileNav, Nav},
    numbers::NumbersResource,
    viewer::ViewerResource,
};
use crate::{
    features::places::SearchLink,
    islands::{GoTo, Keys},
};
use leptos::prelude::*;
use leptos_router::components::Outlet;

/// The frame of every page: the sidebar (a bar with a menu on narrow screens), the message about the last form, and the page.
#[component]
pub fn Layout() -> impl IntoView {
    ViewerResource::provide();
    NumbersResource::provide();
    view! {
        <a class="skip" href="#main">
            "Skip to content"
        </a>
        <Keys />
        <GoTo />
        <div class="min-h-dvh md:grid md:grid-cols-[13.5rem_minmax(0,1fr)]">
            <header class="sticky top-0 hidden h-dvh flex-col gap-4 border-r border-line px-3 py-4 md:flex">
                <Brand />
                <SearchLink />
                <div class="-mx-3 min-h-0 grow scroll-pb-6 overflow-y-auto px-3 pb-6 mask-b-from-[calc(100%-1.5rem)]" data-scrolls>
                    <Nav />
                </div>
                <Account />
            </header>
            <MobileNav />
            <main id="main" class="min-w-0 transition-opacity aria-busy:opacity-60 px-4 pt-5 pb-16 md:px-8 md:pt-7" tabindex="-1">
                <FlashView />
                <Outlet />
            </main>
        </div>
    }
}

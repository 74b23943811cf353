use super::{
    account::Account,
    numbers::NumbersResource,
    sections::{ADMINISTRATION, DAILY, Page, Section, waiting},
    viewer::ViewerResource,
};
use crate::{
    features::places::SearchLink,
    query::{use_path, use_query},
    ui::{Icon, Logo, Shape, awaited, text},
};
use leptos::prelude::*;
use wire::OperatorRole;

/// The name of the product, as a link to the front page.
#[component]
pub fn Brand() -> impl IntoView {
    view! {
        <a class="flex h-8 items-center gap-2 px-2 font-semibold tracking-tight text-ink hover:no-underline" href="/">
            <Logo class="size-5" stroke="2.8" />
            "Remembrancer"
        </a>
    }
}

/// The entries of the sidebar that the viewer may open. That of the page is current, and that of a page below it, too.
#[component]
pub fn Nav() -> impl IntoView {
    let here = Section::of(&use_path(), &use_query());
    let who = ViewerResource::shared();
    awaited(async move { entries(here, &who.roles().await) })
}

fn entries(here: Option<(&'static Section, Option<&'static Page>)>, roles: &[OperatorRole]) -> impl IntoView + use<> {
    let entry = |section: &'static Section| {
        let first = *section.open_to(roles).first()?;
        let current = here.filter(|(here, _)| here.name == section.name);
        let current = current.map(|(_, page)| if page.is_some_and(|page| page.href == first.href) { "page" } else { "true" });
        Some(view! {
            <li>
                <a
                    href=first.href
                    aria-current=current
                    class="flex h-8 items-center gap-2.5 rounded-md px-2 text-ink hover:bg-sunken hover:no-underline \
                    [&[aria-current]]:bg-accent-wash [&[aria-current]]:font-medium [&[aria-current]]:text-accent"
                >
                    <Icon shape=section.shape />
                    {section.name}
                    <Waiting pages=section.pages />
                </a>
            </li>
        })
    };
    let group = |sections: &'static [Section]| view! { <ul class="space-y-0.5">{sections.iter().filter_map(entry).collect_view()}</ul> };
    view! {
        <nav class="space-y-2" aria-label="Main" data-frame="">
            {group(&DAILY)}
            <hr class="border-line" />
            {group(&ADMINISTRATION)}
        </nav>
    }
}

/// The tabs of the page's section that the viewer may open, on the page of each tab.
#[component]
pub fn Tabs() -> impl IntoView {
    let here = Section::of(&use_path(), &use_query()).and_then(|(section, shown)| Some((section, shown?)));
    here.filter(|(section, _)| section.pages.len() > 1).map(|(section, shown)| {
        let who = ViewerResource::shared();
        awaited(async move {
            let pages = section.open_to(&who.roles().await);
            (pages.len() > 1).then(|| tabs(section.name, pages, shown))
        })
    })
}

fn tabs(section: &'static str, pages: Vec<&'static Page>, shown: &'static Page) -> impl IntoView {
    let tab = |page: &'static Page| {
        view! {
            <li class="shrink-0">
                <a
                    href=page.href
                    aria-current=(page.href == shown.href).then_some("page")
                    class="flex items-center gap-1.5 border-b-2 border-transparent px-1 pb-1.5 text-soft hover:text-ink \
                    hover:no-underline aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
                >
                    {page.name}
                    <Waiting pages=std::slice::from_ref(page) />
                </a>
            </li>
        }
    };
    view! {
        <nav class="mb-4 border-b border-line" aria-label=section>
            <ul class="relative flex gap-2 overflow-x-auto sm:gap-4">{pages.into_iter().map(tab).collect_view()}</ul>
        </nav>
    }
}

/// How much waits on some pages for a decision, as a badge; nothing if nothing does.
#[component]
fn Waiting(pages: &'static [Page]) -> impl IntoView {
    let counted = pages.iter().any(|page| page.count.is_some());
    counted.then(|| {
        let numbers = NumbersResource::expect();
        awaited(async move {
            let count = numbers.await.map_or(0, |numbers| waiting(pages, &numbers));
            (count > 0).then(|| {
                view! {
                    <span class="badge ml-auto border-transparent bg-accent-wash text-accent">
                        {text::total_number(count)} <span class="sr-only">" waiting"</span>
                    </span>
                }
            })
        })
    })
}

/// The navigation for narrow screens: a bar with a menu that opens without JavaScript.
#[component]
pub fn MobileNav() -> impl IntoView {
    view! {
        <header class="sticky top-0 z-20 flex h-12 items-center justify-between border-b border-line bg-canvas px-2 md:hidden">
            <Brand />
            <SearchLink narrow=true />
            <details>
                <summary class="button button-quiet px-2!">
                    <Icon shape=Shape::Menu />
                    "Menu"
                </summary>
                <div class="absolute inset-x-0 top-full max-h-[calc(100dvh-3rem)] space-y-5 overflow-y-auto border-y border-line bg-canvas \
                px-3 py-4 shadow-lg">
                    <Nav />
                    <Account />
                </div>
            </details>
        </header>
    }
}

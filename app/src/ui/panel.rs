use super::{Icon, Shape};
use crate::query::Query;
use leptos::prelude::*;
use std::fmt::Display;

/// A panel with one row's details: beside the list, or over its lower part on narrow screens.
#[component]
pub fn Panel(
    open: bool,
    label: &'static str,
    name: &'static str,
    /// Ends above the lower edge of the window before anything is scrolled, so that what sticks to its bottom is in sight.
    #[prop(optional)]
    short: bool,
    children: Children,
) -> impl IntoView {
    let height = if short { "xl:max-h-[calc(100dvh-19rem)]" } else { "xl:max-h-[calc(100dvh-2.5rem)]" };
    view! {
        <section
            class=format!(
                "panel card fixed inset-x-0 bottom-0 z-30 max-h-[75dvh] min-h-32 overflow-y-auto shadow-xl xl:sticky xl:top-5 xl:z-10 xl:shadow-none \
                 {height}"
            )
            class:hidden=!open
            aria-label=label
            data-testid=name
        >
            {children()}
        </section>
    }
}

/// The head of a panel: links and keys to the row before `at`, to the row after it, and to close the panel.
#[component]
pub fn Walk<T: Copy + PartialEq + 'static>(
    ids: Vec<T>,
    at: Option<T>,
    link: fn(&Query, Option<T>) -> String,
    query: Query,
) -> impl IntoView {
    at.map(|at| {
        let (before, after) = neighbours(&ids, at);
        let link = |id| link(&query, id);
        let (previous, next) = (before.map(|id| link(Some(id))), after.map(|id| link(Some(id))));
        view! { <Steps previous next close=link(None) /> }
    })
}

/// Links to the previous row and the next one, and to close the panel, each with its key.
#[component]
fn Steps(previous: Option<String>, next: Option<String>, close: String) -> impl IntoView {
    view! {
        <div class="sticky top-0 z-10 flex items-center gap-1 border-b border-line bg-surface px-2 py-1.5">
            {step(previous, "Previous", "k ArrowUp", "k", Shape::Previous, true)}
            {step(next, "Next", "j ArrowDown", "j", Shape::Next, true)}
            <span class="ml-auto"></span>
            {step(Some(close), "Close", "Escape", "Esc", Shape::Close, false)}
        </div>
    }
}

/// A link with its keys. With `replace` it takes the place of this page in the browser's history, so that going back leaves the panel
/// instead of retracing each step.
fn step(href: Option<String>, text: &'static str, keys: &'static str, hint: &'static str, shape: Shape, replace: bool) -> impl IntoView {
    let inside = view! {
        <Icon shape />
        <span class="sr-only">{text}</span>
        <kbd class="kbd hidden md:inline" aria-hidden="true">
            {hint}
        </kbd>
    };
    match href {
        Some(href) => {
            view! { <a class="button button-quiet px-2!" href=href data-noscroll="true" data-keys=keys title=text data-replace=replace.then_some("")>{inside}</a> }.into_any()
        }
        None => view! { <span class="button button-quiet px-2! opacity-40" aria-hidden="true">{inside}</span> }.into_any(),
    }
}

/// The ids before and after `at`; for one that is not in the list, none and the first.
pub fn neighbours<T: Copy + PartialEq>(ids: &[T], at: T) -> (Option<T>, Option<T>) {
    match ids.iter().position(|id| *id == at) {
        Some(place) => (place.checked_sub(1).and_then(|i| ids.get(i).copied()), ids.get(place + 1).copied()),
        None => (None, ids.first().copied()),
    }
}

/// The URL of a page at the row with this id, for a form that leads back there: the browser shows the row, and `console.js` focuses it.
pub fn landing(href: &str, row: &str) -> String {
    format!("{href}#{row}")
}

/// The same for a list of which the row `at` goes: its neighbour, or the page if it was alone. The ids of the rows begin with `prefix`.
pub fn landing_beside<T: Copy + PartialEq + Display>(href: &str, prefix: &str, ids: &[T], at: T) -> String {
    let (before, after) = neighbours(ids, at);
    after.or(before).map_or_else(|| href.to_owned(), |id| landing(href, &format!("{prefix}{id}")))
}

#[cfg(test)]
mod tests {
    use super::{landing_beside, neighbours};

    #[test]
    fn a_row_has_its_neighbours() {
        assert_eq!(neighbours(&[1, 2, 3], 1), (None, Some(2)));
        assert_eq!(neighbours(&[1, 2, 3], 3), (Some(2), None));
        assert_eq!(neighbours(&[1, 2, 3], 9), (None, Some(1)));
        assert_eq!(neighbours(&[], 9), (None, None));
    }

    #[test]
    fn a_decision_leads_to_the_row_beside_it() {
        assert_eq!(landing_beside("/inbox?q=tea", "c-", &[1, 2, 3], 2), "/inbox?q=tea#c-3");
        assert_eq!(landing_beside("/inbox", "c-", &[1, 2], 2), "/inbox#c-1");
        assert_eq!(landing_beside("/inbox", "c-", &[2], 2), "/inbox");
    }
}

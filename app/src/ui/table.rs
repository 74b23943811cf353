//! Tables with a head, and tables whose rows are selected and acted on.

use crate::{
    islands::{SelectAll, Selected},
    query::Query,
};
use leptos::prelude::*;

/// The heads of columns: the name of each, and its classes.
pub fn columns<N: IntoView + 'static, C: Into<String>>(columns: impl IntoIterator<Item = (N, C)>) -> AnyView {
    let head = |(name, class): (N, C)| {
        let class = Some(class.into()).filter(|class| !class.is_empty());
        view! { <th scope="col" class=class>{name}</th> }
    };
    columns.into_iter().map(head).collect_view().into_any()
}

/// The head of a column that a short list is sorted by if its URL has `sort=key`, the largest first. It is a link that sorts by it, and then
/// one that leads back to the usual order.
pub fn sorting(path: &str, query: &Query, key: &'static str, head: (&'static str, &'static str)) -> AnyView {
    let sorted = query.get("sort") == Some(key);
    let href = if sorted { query.without(&["sort"]) } else { query.with("sort", key) }.href(path);
    sorted_head(href, head, sorted.then_some("descending"))
}

/// Whether the URL asks for the reverse of the usual order of a list.
pub fn is_reversed(query: &Query) -> bool {
    query.get("sort") == Some("reversed")
}

/// The head of the column that orders a list with pages. It is a link that reverses the order and leads to the first page. `falling` is
/// whether the greatest is usually first.
pub fn reversing<N: IntoView + 'static, C: Into<String>>(path: &str, query: &Query, falling: bool, head: (N, C)) -> AnyView {
    let (reversed, first) = (is_reversed(query), query.without(&["sort", "after", "before", "peek", "focus"]));
    let href = if reversed { first } else { first.with("sort", "reversed") }.href(path);
    sorted_head(href, head, Some(if falling == reversed { "ascending" } else { "descending" }))
}

/// A head with a link that changes the order; `order` is that of the rows if they are ordered by it.
fn sorted_head<N: IntoView + 'static, C: Into<String>>(href: String, (name, class): (N, C), order: Option<&'static str>) -> AnyView {
    let class = Some(class.into()).filter(|class| !class.is_empty());
    let arrow = order.map(|order| {
        let arrow = if order == "ascending" { " ↑" } else { " ↓" };
        view! { <span aria-hidden="true">{arrow}</span> }
    });
    view! {
        <th scope="col" class=class aria-sort=order>
            <a class="text-inherit" href=href data-noscroll="true">{name} {arrow}</a>
        </th>
    }
    .into_any()
}

/// The head of the column of checkboxes.
pub fn select_all() -> AnyView {
    view! { <th scope="col" class="w-9 pr-0!"><SelectAll /></th> }.into_any()
}

/// A table. Its columns come and go with its own width (`@xl:table-cell`), not with that of the window, which says nothing about a table
/// beside a sidebar: those shown at a width leave the column that names a row 120 pixels at least.
#[component]
pub fn DataTable<H: IntoView + 'static, R: IntoView + 'static>(
    #[prop(into)] label: String,
    /// See [`columns`].
    heads: H,
    rows: R,
    #[prop(default = "data table-fixed")] class: &'static str,
    /// Shows the heads to screen readers only.
    #[prop(optional)]
    bare: bool,
) -> impl IntoView {
    view! {
        <div class="@container">
            <table class=class aria-label=label>
                <thead class=bare.then_some("sr-only")>
                    <tr>{heads}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// A card with a table and nothing else.
#[component]
pub fn TableCard<H: IntoView + 'static, R: IntoView + 'static>(
    label: &'static str,
    heads: H,
    rows: R,
    #[prop(default = "data table-fixed")] class: &'static str,
) -> impl IntoView {
    view! { <div class="card"><DataTable label heads rows class=class /></div> }
}

/// A table of a page that acts on several rows: with `select`, its buttons, the children, send the rows that are selected to `action`.
#[component]
pub fn Selectable<H: IntoView + 'static, R: IntoView + 'static>(
    action: &'static str,
    /// The URL of the list.
    back: String,
    label: &'static str,
    heads: H,
    rows: R,
    select: bool,
    /// What a row is, in the singular and the plural.
    nouns: (&'static str, &'static str),
    hint: &'static str,
    children: Children,
) -> impl IntoView {
    let (one, many) = nouns;
    view! {
        <form method="get" action=action>
            <input type="hidden" name="back" value=back />
            <DataTable label heads=(select.then(select_all), heads) rows />
            {select.then(|| view! { <Selection one many hint>{children()}</Selection> })}
        </form>
    }
}

/// Rows in a card, or a sentence in their place.
pub fn rows_or(none: &'static str, rows: Vec<impl IntoView + 'static>) -> AnyView {
    match rows.is_empty() {
        true => view! { <p class="card px-4 py-3 text-sm text-soft">{none}</p> }.into_any(),
        false => view! { <ul class="card divide-y divide-line">{rows}</ul> }.into_any(),
    }
}

/// The name of a button that acts on the selected rows: `Delete selected…`, or `Delete 3…` once rows are selected.
#[component]
pub fn OfSelected(verb: &'static str, #[prop(default = "…")] end: &'static str) -> impl IntoView {
    view! { <span>{verb} " " <span data-selected="selected">"selected"</span> {end}</span> }
}

/// The checkbox that selects a row.
#[component]
pub fn Tick(
    #[prop(into)] id: String,
    name: String,
    /// The name of the field; `ids[]` in a form that posts.
    #[prop(default = "ids")]
    field: &'static str,
) -> impl IntoView {
    view! { <td class="pr-0!"><input class="mt-1 block" type="checkbox" name=field value=id aria-label=format!("Select “{name}”") /></td> }
}

/// The footer of a table with checkboxes: how many rows are selected, and the buttons that act on them.
#[component]
pub fn Selection(
    one: &'static str,
    many: &'static str,
    /// The text while nothing is selected.
    hint: &'static str,
    children: Children,
) -> impl IntoView {
    view! {
        <div class="selection flex flex-wrap items-center justify-between gap-3 border-t border-line px-3 py-2 text-sm">
            <Selected one=one.to_owned() many=many.to_owned() hint=hint.to_owned() />
            <span class="flex flex-wrap gap-2">{children()}</span>
        </div>
    }
}

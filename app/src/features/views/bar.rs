use super::{api::saved_views, filters::address};
use crate::{
    Flash,
    layout::ViewerResource,
    query::Query,
    ui::{Icon, PostForm, Shape, TextField, awaited, reading, text},
};
use leptos::prelude::*;
use wire::{OperatorRole, SavedView, VIEW_NAME_MAX, ViewPage, ViewSharing};

/// The operator's saved views of a page and those that are pinned as links, and the forms that save, rename, share and delete views.
#[component]
pub fn ViewBar(
    page: ViewPage,
    /// The filter fields of the page; but for these and the order of the list, the rest of the URL is no part of a view.
    names: &'static [&'static str],
    query: Query,
) -> impl IntoView {
    let views = reading(saved_views(page));
    let who = ViewerResource::expect();
    awaited(async move {
        let viewer = who.await.ok();
        let has = |role| viewer.as_ref().is_some_and(|viewer| viewer.profile.has(role));
        let may_share = has(OperatorRole::Reviewer) || has(OperatorRole::Admin);
        let flash = viewer.and_then(|viewer| viewer.flash).filter(|flash| flash.refused);
        // The list works without its views; the next load tries again.
        let views = views.await.unwrap_or_default();
        view! { <Bar page views now=only(&query, names) may_share flash /> }
    })
}

/// The filters of a URL in the order of `names`, then the order of the list, so that two URLs of the same list are one view.
fn only(query: &Query, names: &[&str]) -> Query {
    names.iter().chain(&["sort"]).fold(Query::default(), |all, name| all.with_some(name, query.get(name)))
}

#[component]
fn Bar(page: ViewPage, views: Vec<SavedView>, now: Query, may_share: bool, flash: Option<Flash>) -> impl IntoView {
    let path = address(page);
    let (here, filtered) = (now.href(path), now != Query::default());
    if views.is_empty() && !filtered {
        return ().into_any();
    }
    let text = now.href("");
    let link = |view: &SavedView| {
        let href = Query::parse(&view.query).href(path);
        let current = (href == here).then_some("true");
        view! {
            <li class="max-w-full">
                <a class="chip" href=href aria-current=current title=view.by.as_deref().map(shared_by)>
                    <span class="truncate">{view.name.clone()}</span>
                </a>
            </li>
        }
    };
    let known = views.iter().any(|view| Query::parse(&view.query) == now);
    let in_bar: Vec<_> = views.iter().filter(|view| view.by.is_none() || view.sharing == ViewSharing::Pinned).map(link).collect();
    let links = (!in_bar.is_empty()).then(|| {
        view! {
            <ul class="contents" aria-label="Saved views" data-testid="views">
                {in_bar}
            </ul>
        }
    });
    let save = (filtered && !known).then(|| view! { <Save page query=text done=here.clone() flash=flash.clone() /> });
    let manage = (!views.is_empty()).then(|| view! { <Manage path views may_share done=here flash /> });
    view! {
        <div class="mb-3 flex flex-wrap items-center gap-1.5 text-sm" data-testid="view-bar">
            {links}
            {save}
            {manage}
        </div>
    }
    .into_any()
}

#[component]
fn Save(page: ViewPage, query: String, done: String, flash: Option<Flash>) -> impl IntoView {
    let (typed, error) = flash.and_then(|flash| flash.refused_at(("view", "new"), "name")).unzip();
    let (open, typed) = (typed.is_some(), typed.map(|typed| typed.text("name")).unwrap_or_default());
    view! {
        <details class="max-w-full open:basis-full" open=open>
            <summary class="chip border-dashed! text-soft hover:text-ink">
                <Icon shape=Shape::Add />
                "Save this view…"
            </summary>
            <PostForm class="card mt-1.5 max-w-md space-y-2 p-3" action="/console/api/save_view" fields=[
                ("page", page.as_str().to_owned()), ("query", query.trim_start_matches('?').to_owned()), ("done", done),
            ]>
                <Name id="view-name" label="Name of the view" value=typed error=error.flatten() />
                <p class="text-xs text-soft">"Saves the filters, the search and the order, not the results. Only you see it until it is shared."</p>
                <button class="button button-primary" type="submit">
                    "Save view"
                </button>
            </PostForm>
        </details>
    }
}

#[component]
fn Manage(path: &'static str, views: Vec<SavedView>, may_share: bool, done: String, flash: Option<Flash>) -> impl IntoView {
    let typed = |id: &str| flash.as_ref().and_then(|flash| flash.refused_at(("view", id), "name"));
    let open = views.iter().any(|view| typed(&view.id.to_string()).is_some());
    let one = |view: SavedView| {
        let sharing = may_share.then(|| view! { <Sharing view=view.clone() done=done.clone() /> });
        if let Some(by) = &view.by {
            let href = Query::parse(&view.query).href(path);
            return view! {
                <li class="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2 last:border-b-0">
                    <span class="min-w-0 grow">
                        <a class="wrap-anywhere" href=href>{view.name.clone()}</a>
                        <span class="block text-xs text-soft">{shared_by(by)}</span>
                    </span>
                    {sharing}
                </li>
            }
            .into_any();
        }
        let (refused, error) = typed(&view.id.to_string()).unzip();
        let shown = refused.map_or_else(|| view.name.clone(), |refused| refused.text("name"));
        let (rename, delete) = (format!("Rename “{}”", view.name), format!("Delete “{}”", view.name));
        let (id, back, done) = (view.id, done.clone(), done.clone());
        view! {
            <li class="flex flex-wrap items-end gap-2 border-b border-line px-3 py-2 last:border-b-0">
                <PostForm class="flex min-w-0 grow items-end gap-2" action="/console/api/rename_view" fields=[
                    ("id", id.to_string()), ("done", back),
                ]>
                    <Name id=format!("name-{id}") label=rename.clone() unseen=true value=shown error=error.flatten() />
                    <button class="button" type="submit" aria-label=rename>
                        "Rename"
                    </button>
                </PostForm>
                <PostForm action="/console/api/delete_view" fields=[("id", id.to_string()), ("done", done)]>
                    <button class="button button-danger" type="submit" aria-label=delete>
                        "Delete"
                    </button>
                </PostForm>
                {sharing}
            </li>
        }
        .into_any()
    };
    view! {
        <details class="max-w-full open:basis-full" open=open>
            <summary class="button button-quiet h-6! px-2! text-xs!">"Manage views…"</summary>
            <ul class="card mt-1.5 max-w-xl">{views.into_iter().map(one).collect_view()}</ul>
        </details>
    }
}

/// Who shared a view that somebody else saved.
fn shared_by(name: &str) -> String {
    format!("Shared by {}", text::visible(name))
}

/// The buttons that change who sees a view.
#[component]
fn Sharing(view: SavedView, done: String) -> impl IntoView {
    let ways: &[(&str, ViewSharing)] = match view.sharing {
        ViewSharing::Private => &[("Share", ViewSharing::Shared), ("Pin", ViewSharing::Pinned)],
        ViewSharing::Shared => &[("Pin", ViewSharing::Pinned), ("Make private", ViewSharing::Private)],
        ViewSharing::Pinned => &[("Unpin", ViewSharing::Shared), ("Make private", ViewSharing::Private)],
    };
    let form = |&(verb, sharing): &(&'static str, ViewSharing)| {
        let label = format!("{verb} “{}”", view.name);
        let fields = [("id", view.id.to_string()), ("sharing", sharing.to_string()), ("done", done.clone())];
        view! {
            <PostForm action="/console/api/share_view" fields>
                <button class="button button-quiet" type="submit" aria-label=label>
                    {verb}
                </button>
            </PostForm>
        }
    };
    ways.iter().map(form).collect_view()
}

#[component]
fn Name(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    /// The label is only heard.
    #[prop(optional)]
    unseen: bool,
    value: String,
    error: Option<String>,
) -> impl IntoView {
    view! {
        <div class="min-w-0 grow">
            <TextField id name="name" label bare=unseen value required=true most=VIEW_NAME_MAX error />
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_its_filters_and_nothing_else() {
        let (one, two) = (Query::parse("kind=decision&agent=a&after=x&peek=y"), Query::parse("agent=a&kind=decision"));
        let sorted = Query::parse("sort=reversed&kind=decision&before=x");
        let names = ["q", "agent", "kind"];
        assert_eq!(only(&one, &names), only(&two, &names));
        assert_eq!(only(&one, &names).href("/memories"), "/memories?agent=a&kind=decision");
        assert_eq!(only(&Query::parse("after=x"), &names), Query::default());
        assert_eq!(only(&sorted, &names).href("/memories"), "/memories?kind=decision&sort=reversed", "and the order");
    }
}

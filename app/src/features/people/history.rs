use super::{leaf::shown, path::PersonPath};
use crate::{
    query::Query,
    ui::{Time, Titled, text},
};
use leptos::prelude::*;
use wire::{LeafChange, ProfileChange, ProfileVersion, ProfileVersions};

/// How a profile changed, newest first, each change with its difference.
#[component]
pub fn History(history: ProfileVersions, person: PersonPath) -> impl IntoView {
    let older = history.before.map(|before| {
        let href = Query::default().with("before", before).href(&person.href());
        view! { <p class="mt-2"><a class="button" rel="next" href=href>"Older changes"</a></p> }
    });
    view! {
        <Titled id="history" title="History">
            <ol class="card divide-y divide-line" data-testid="history">
                {history.versions.into_iter().map(|version| view! { <Version version /> }).collect_view()}
            </ol>
            {older}
        </Titled>
    }
}

#[component]
fn Version(version: ProfileVersion) -> impl IntoView {
    let forgotten = (version.forgotten > 0).then(|| {
        let says = format!("{} forgotten or expired, then or later.", text::count(version.forgotten, "entry was", "entries were"));
        view! { <li class="text-soft">{says}</li> }
    });
    let narrated = version.narrated.then(|| view! { <li class="text-soft">"A chat model wrote a new narrative."</li> });
    view! {
        <li class="px-4 py-3 text-sm">
            <p class="mb-1 text-xs text-soft">"Version " {version.version} " · " <Time at=version.created_at /></p>
            <ul class="space-y-1">
                {version.changes.into_iter().map(|change| view! { <Change change /> }).collect_view()} {forgotten} {narrated}
            </ul>
        </li>
    }
}

#[component]
fn Change(change: ProfileChange) -> impl IntoView {
    let (path, value) = (text::visible(&change.path.join(" › ")), shown(&change.value));
    let value = match change.change {
        LeafChange::Added | LeafChange::Restored => view! { <ins>{value}</ins> }.into_any(),
        LeafChange::Superseded => view! { <del>{value}</del> }.into_any(),
        LeafChange::Repeated | LeafChange::Disputed => view! { <span>{value}</span> }.into_any(),
    };
    let what = match change.change {
        LeafChange::Added => "Added",
        LeafChange::Repeated => "Observed again",
        LeafChange::Disputed => "Contradicted",
        LeafChange::Superseded => "Corrected",
        LeafChange::Restored => "Restored",
    };
    view! { <li class="wrap-anywhere" dir="auto"><span class="text-soft">{what} ": " {path} ": "</span> {value}</li> }
}

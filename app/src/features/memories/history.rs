use super::{
    compare::Compare,
    version::{ChangedReasons, Stamp, changed_reasons, changes, event},
};
use crate::{
    query::Query,
    ui::{Diff, Titled, text},
};
use leptos::prelude::*;
use wire::MemoryVersion;

/// The versions of a memory, newest first, each with what changed, and a comparison of any two.
#[component]
pub fn History(versions: Vec<MemoryVersion>, query: Query, #[prop(into)] page: String) -> impl IntoView {
    let compare = view! { <Compare versions=versions.clone() query action=page /> };
    let older = versions.iter().skip(1).cloned().map(Some).chain(std::iter::once(None)).collect::<Vec<_>>();
    let alone = versions.len() == 1;
    let entries = versions.into_iter().zip(older).map(|(version, older)| view! { <Entry version older alone /> }).collect_view();
    view! {
        <Titled id="history" title="History">
            {compare}
            <ol class="card" data-testid="history">
                {entries}
            </ol>
        </Titled>
    }
}

#[component]
fn Entry(version: MemoryVersion, older: Option<MemoryVersion>, alone: bool) -> impl IntoView {
    let changes = older.as_ref().map(|older| changes(older, &version)).unwrap_or_default();
    let reasons = older.as_ref().map(|older| changed_reasons(older, &version)).unwrap_or_default();
    let content = match older {
        Some(older) if older.content != version.content => view! { <Diff old=older.content new=version.content.clone() /> }.into_any(),
        Some(_) if changes.is_empty() && reasons.is_empty() => {
            view! { <p class="text-sm text-soft">{event(&version.change)}</p> }.into_any()
        }
        Some(_) => ().into_any(),
        None if alone => view! { <p class="text-sm text-soft">"Same as the content above: nothing has changed since."</p> }.into_any(),
        None => view! { <div class="verbatim text-sm">{text::visible(&version.content)}</div> }.into_any(),
    };
    view! {
        <li class="border-b border-line px-4 py-3 last:border-b-0">
            <div class="mb-1"><Stamp version /></div>
            {changes.into_iter().map(|text| view! { <p class="text-sm text-soft">{text}</p> }).collect_view()}
            {content} <ChangedReasons reasons />
        </li>
    }
}

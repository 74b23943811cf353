use super::compare::Compare;
use crate::{
    query::Query,
    ui::{Badge, Diff, Time, Tone},
};
use leptos::prelude::*;
use remembrancer::api::MemoryVersion;

/// Every state that the memory has been in, newest first, each with what it changed; and any two of them beside each other.
#[component]
pub fn History(versions: Vec<MemoryVersion>, query: Memo<Query>, #[prop(into)] page: String) -> impl IntoView {
    let compare = view! { <Compare versions=versions.clone() query action=page /> };
    let older = versions.iter().skip(1).cloned().map(Some).chain(std::iter::once(None)).collect::<Vec<_>>();
    let alone = versions.len() == 1;
    let entries = versions.into_iter().zip(older).map(|(version, older)| view! { <Entry version older alone /> }).collect_view();
    view! {
        <section aria-labelledby="history">
            <h2 class="mb-2" id="history">
                "History"
            </h2>
            {compare}
            <ol class="card" data-testid="history">
                {entries}
            </ol>
        </section>
    }
}

#[component]
fn Entry(version: MemoryVersion, older: Option<MemoryVersion>, alone: bool) -> impl IntoView {
    let changes = older.as_ref().map(|older| changes(older, &version)).unwrap_or_default();
    let content = match older {
        Some(older) if older.content != version.content => view! { <Diff old=older.content new=version.content.clone() /> }.into_any(),
        Some(_) if changes.is_empty() => view! { <p class="text-sm text-soft">"The same content, met again."</p> }.into_any(),
        Some(_) => ().into_any(),
        None if alone => view! { <p class="text-sm text-soft">"As it stands above; nothing has changed since."</p> }.into_any(),
        None => view! { <div class="verbatim text-sm">{version.content.clone()}</div> }.into_any(),
    };
    view! {
        <li class="border-b border-line px-4 py-3 last:border-b-0">
            <div class="mb-1"><Stamp version /></div>
            {changes.into_iter().map(|text| view! { <p class="text-sm text-soft">{text}</p> }).collect_view()}
            {content}
        </li>
    }
}

/// Which version it is: what was done, by whom, where and when.
#[component]
pub fn Stamp(version: MemoryVersion) -> impl IntoView {
    let tone = match version.change.as_str() {
        "forgotten" => Tone::Danger,
        "restored" => Tone::Good,
        "contradicted" => Tone::Warn,
        _ => Tone::Plain,
    };
    view! {
        <div class="flex flex-wrap items-baseline gap-x-2 text-sm">
            <span class="font-mono text-xs text-soft">"v" {version.version.to_string()}</span>
            <Badge tone text=version.change />
            <span class="min-w-0 break-words">{version.actor_name}</span>
            <span class="text-soft">"on " {version.source.platform}</span>
            <span class="ml-auto text-soft"><Time at=version.valid_from /></span>
        </div>
    }
}

/// What else than the content is different.
pub fn changes(old: &MemoryVersion, new: &MemoryVersion) -> Vec<String> {
    let mut changes = Vec::new();
    if old.topic != new.topic {
        changes.push(format!("Topic: {} → {}", old.topic, new.topic));
    }
    if old.topic_raw != new.topic_raw {
        changes.push(format!("Topic as met: {} → {}", old.topic_raw, new.topic_raw));
    }
    if old.is_canonical != new.is_canonical {
        changes.push(if new.is_canonical { "The topic became canonical." } else { "The topic is no longer canonical." }.to_owned());
    }
    if old.status != new.status {
        changes.push(format!("Status: {} → {}", old.status, new.status));
    }
    if old.deleted != new.deleted {
        changes.push(if new.deleted { "Out of reach of every recall." } else { "Within reach of recalls again." }.to_owned());
    }
    changes
}

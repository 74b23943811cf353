use super::path::{LeafPath, PersonPath};
use crate::{
    Flash,
    layout::ViewerResource,
    ui::{AreaField, Badge, Bar, PostForm, ReasonField, Time, Tone, awaited, chart::percent, text},
};
use leptos::prelude::*;
use serde_json::Value;
use std::collections::HashMap;
use wire::{CitedSentence, Matter, MemoryId, PersonDetail, ProfileLeaf};

/// A leaf of a profile with what it cites.
#[derive(Clone, Debug, PartialEq)]
pub struct CitedLeaf {
    pub path: LeafPath,
    pub leaf: ProfileLeaf,
    pub sentences: Vec<CitedSentence>,
    /// The URL of the page that shows it, to which its forms lead back.
    pub here: String,
}

impl CitedLeaf {
    /// The leaves of a profile, each with what it cites, for the page `here`.
    pub fn all_of(detail: &PersonDetail, here: &str) -> Vec<Self> {
        let person = PersonPath { agent: detail.agent_id, user: detail.user_id };
        let mut sentences: HashMap<_, _> = detail.evidence.iter().map(|one| (one.leaf_id, one.sentences.clone())).collect();
        let cited = |leaf: &ProfileLeaf| Self {
            path: LeafPath { person, leaf: leaf.leaf_id },
            leaf: leaf.clone(),
            sentences: sentences.remove(&leaf.leaf_id).unwrap_or_default(),
            here: here.to_owned(),
        };
        detail.profile.leaves.iter().map(cited).collect()
    }
}

/// A value as text.
pub fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A value in words, with its hidden characters shown.
pub fn shown(value: &Value) -> String {
    text::visible(&plain(value))
}

/// A leaf: its value, how sure it is and how old, why, and the forms that correct and forget it.
#[component]
pub fn LeafView(cited: CitedLeaf, may_forget: bool) -> impl IntoView {
    let CitedLeaf { path, leaf, sentences, here } = cited;
    let value = shown(&leaf.value);
    let seen = match leaf.observations {
        1 => view! { "observed once, " <Time at=leaf.first_seen /> }.into_any(),
        n => {
            let times = text::count(n, "time", "times");
            view! { "observed " {times} " since " <Time at=leaf.first_seen /> ", last " <Time at=leaf.last_seen /> }.into_any()
        }
    };
    let recurring = leaf.recurring.then(|| {
        let sessions = format!("recurring in {} sessions", leaf.sessions);
        view! { <Badge tone=Tone::Accent text=sessions title="Observed in three sessions or more." /> }
    });
    let unconfirmed = leaf.unconfirmed.then(|| {
        view! { <Badge tone=Tone::Warn text="unconfirmed" title="An agent or a tool noted it. No person has said or confirmed it." /> }
    });
    let matters =
        leaf.matters.iter().map(|matter| view! { <Badge text=matter_name(*matter).to_lowercase() title="A sensitive matter." /> });
    let decide = may_forget.then(|| view! { <Decide path value=leaf.value.clone() here /> });
    view! {
        <div class="min-w-0 space-y-1" data-testid="entry">
            <p class="flex flex-wrap items-baseline gap-x-2">
                <span class="min-w-0 wrap-anywhere whitespace-pre-wrap" dir="auto">{value.clone()}</span>
                {unconfirmed}
                {recurring}
                {matters.collect_view()}
            </p>
            <div class="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-soft">
                <Bar label="Confidence" value=leaf.confidence number=percent(leaf.confidence) />
                <span>{seen}</span>
                {leaf.expires_at.map(|at| view! { <span>"ends " <Time at /> " unless it is observed again"</span> })}
            </div>
            <div class="flex flex-wrap items-start gap-x-4 gap-y-1 text-xs">
                <Why value sentences memories=leaf.memory_ids />
                {decide}
            </div>
        </div>
    }
}

/// The label of a sensitive matter.
pub fn matter_name(matter: Matter) -> &'static str {
    match matter {
        Matter::Health => "Health",
        Matter::Faith => "Faith",
        Matter::Politics => "Politics",
        Matter::Money => "Money",
        Matter::Ethnicity => "Ethnic origin",
    }
}

#[component]
fn Why(value: String, sentences: Vec<CitedSentence>, memories: Vec<MemoryId>) -> impl IntoView {
    let said = sentences.into_iter().map(|sentence| {
        view! {
            <li class="space-y-0.5 border-l-2 border-line-strong pl-3" data-testid="sentence">
                <blockquote class="said text-sm" dir="auto"><span>{text::visible(&sentence.text)}</span></blockquote>
                <p class="text-soft">
                    <Time at=sentence.at /> " · " <a class="underline" href=format!("/sources/{}", sentence.source_id)>"Source"</a>
                </p>
            </li>
        }
    });
    let memories = (!memories.is_empty()).then(|| {
        let links = memories
            .into_iter()
            .zip(1..)
            .map(|(id, n)| view! { <a class="mr-2 underline" href=format!("/memories/{id}")>"Memory "{n}</a> });
        view! { <p class="mt-2 text-soft">"Confirmed as " {links.collect_view()}</p> }
    });
    let said: Vec<_> = said.collect();
    let gone = said.is_empty().then(|| view! { <p class="text-soft">"The observations are no longer stored."</p> });
    view! {
        <details class="min-w-0">
            <summary class="text-accent">"Why" <span class="sr-only">{format!(": {value}")}</span></summary>
            <ul class="mt-1 space-y-2">{said}</ul>
            {gone}
            {memories}
        </details>
    }
}

#[component]
fn Decide(path: LeafPath, value: Value, here: String) -> impl IntoView {
    let who = ViewerResource::expect();
    awaited(async move {
        let flash = who.await.ok().and_then(|viewer| viewer.flash);
        view! {
            <CorrectFold path value=value.clone() here=here.clone() flash=flash.clone() />
            <ForgetFold path value=shown(&value) here flash />
        }
    })
}

#[component]
fn CorrectFold(path: LeafPath, value: Value, here: String, flash: Option<Flash>) -> impl IntoView {
    let (value_id, reason_id) = (format!("value-{}", path.leaf), format!("correct-{}", path.leaf));
    let wrong = flash.as_ref().and_then(|flash| flash.field("value"));
    let (typed, error) = flash.and_then(|flash| flash.refused_at(("correct", &path.to_string()), "reason")).unzip();
    let (open, wrong) = (typed.is_some(), wrong.filter(|_| typed.is_some()));
    let label = format!(": {}", shown(&value));
    let (text, reason) = typed.map_or_else(|| (plain(&value), String::new()), |typed| (typed.text("value"), typed.text("reason")));
    view! {
        <details class="min-w-0" open=open>
            <summary class="text-accent">"Correct" <span class="sr-only">{label}</span></summary>
            <PostForm class="card mt-1 max-w-md space-y-2 p-3" action="/console/api/correct_entry" fields=[
                ("entry", path.to_string()), ("done", here),
            ]>
                <AreaField id=value_id name="value" label="Value" rows="2" value=text required=true dir="auto" error=wrong />
                <ReasonField id=reason_id typed=reason error=error.flatten() hint="Kept in the audit log. Memories are not affected: correct them separately." />
                <button class="button" type="submit">"Correct entry"</button>
            </PostForm>
        </details>
    }
}

#[component]
fn ForgetFold(path: LeafPath, value: String, here: String, flash: Option<Flash>) -> impl IntoView {
    let id = format!("forget-{}", path.leaf);
    let (typed, error) = flash.and_then(|flash| flash.refused_at(("entry", &path.to_string()), "reason")).unzip();
    let (open, typed) = (typed.is_some(), typed.map(|typed| typed.text("reason")).unwrap_or_default());
    view! {
        <details class="min-w-0" open=open>
            <summary class="text-danger">"Forget" <span class="sr-only">{format!(": {value}")}</span></summary>
            <PostForm class="card mt-1 max-w-md space-y-2 p-3" action="/console/api/forget_entry" fields=[
                ("entry", path.to_string()), ("done", here),
            ]>
                <ReasonField id typed error=error.flatten() hint="Kept in the audit log. Memories are not affected: delete them separately." />
                <button class="button button-danger" type="submit">"Forget entry"</button>
            </PostForm>
        </details>
    }
}

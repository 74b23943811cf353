use super::words::{consequence, other, relation};
use crate::{
    features::inbox::quote::ShortQuote,
    ids::Versions,
    ui::{Badge, Icon, PostForm, Shape, text},
};
use leptos::prelude::*;
use wire::{InboxItem, InboxPair, MemoryEvidence, MemoryId, MemoryStatus, PairRelation};

/// What consolidation proposes about a candidate and other memories, each side beside the other.
#[component]
pub fn Pairs(item: InboxItem, may_decide: bool, here: String, next: String) -> impl IntoView {
    let first = item.pairs.iter().find(|pair| pair.relation == PairRelation::Duplicates).map(|pair| pair.id);
    let one = |pair: InboxPair| {
        let (here, next, key) = (here.clone(), next.clone(), first == Some(pair.id));
        let own_quote = item.quotes.first().map(|quote| quote.evidence.clone());
        view! { <Pair id=item.id version=item.version content=item.content.clone() own_quote pair may_decide here next key /> }
    };
    let pairs = item.pairs.clone().into_iter().map(one).collect_view();
    view! { <ul class="space-y-3" aria-label="Proposals about this candidate">{pairs}</ul> }
}

#[component]
fn Pair(
    id: MemoryId,
    version: i32,
    content: String,
    own_quote: Option<MemoryEvidence>,
    pair: InboxPair,
    may_decide: bool,
    here: String,
    next: String,
    key: bool,
) -> impl IntoView {
    let disputed = pair.relation != PairRelation::Duplicates;
    let class = if disputed { "border-warn" } else { "border-line-strong" };
    let tint = if disputed { "bg-warn-wash text-warn" } else { "bg-sunken" };
    let shown = String::from(Versions(vec![(id, version), (pair.other_id, pair.other_version)]));
    let open = may_decide.then(|| match disputed {
        true => view! { <Dispute pair=pair.clone() shown here next /> }.into_any(),
        false => view! { <Merge id pair=pair.clone() shown here next key /> }.into_any(),
    });
    let status = match pair.other_status {
        MemoryStatus::Inbox | MemoryStatus::Active => None,
        other => Some(view! { <Badge text=other.as_str() /> }),
    };
    let waits = pair.other_status == MemoryStatus::Inbox;
    let href = if waits { format!("/inbox?focus={}", pair.other_id) } else { format!("/memories/{}", pair.other_id) };
    view! {
        <li class=format!("@container overflow-hidden rounded-md border {class}") data-testid="pair">
            <div class=format!("flex items-start gap-2 px-3 py-2 text-sm {tint}")>
                <span class="pt-0.5"><Icon shape=if disputed { Shape::Alert } else { Shape::Copy } /></span>
                <p><span class="font-medium">{relation(&pair)} " " {other(&pair)} "."</span> " " {pair.reason.clone()}</p>
            </div>
            <div class="grid gap-3 p-3 @lg:grid-cols-2">
                <div class="min-w-0 space-y-1.5">
                    <p class="text-xs text-soft">"This candidate"</p>
                    <p class="text-sm break-words whitespace-pre-wrap" dir="auto">{text::visible(&content)}</p>
                    {own_quote.map(|evidence| view! { <ShortQuote evidence /> })}
                </div>
                <div class="min-w-0 space-y-1.5">
                    <p class="flex flex-wrap items-center gap-x-2 text-xs text-soft">
                        <a href=href>{if waits { "The other candidate" } else { "The other memory" }}</a>
                        <span class="font-mono">{pair.other_short_id.clone()}</span>
                        {status}
                    </p>
                    <p class="text-sm break-words whitespace-pre-wrap" dir="auto">{text::visible(&pair.other_content)}</p>
                    {pair.other_quote.clone().map(|evidence| view! { <ShortQuote evidence /> })}
                </div>
            </div>
            {open}
        </li>
    }
}

/// The buttons that accept or decline a contradiction or a correction.
#[component]
fn Dispute(pair: InboxPair, shown: String, here: String, next: String) -> impl IntoView {
    // An accepted correction decides on the candidate, an accepted contradiction leaves it in the inbox.
    let (what, done) = match pair.relation {
        PairRelation::Supersedes => ("correction", next),
        _ => ("contradiction", here.clone()),
    };
    view! {
        <div class="flex flex-wrap items-center gap-2 border-t border-line px-3 py-2">
            <p class="mr-auto text-sm text-soft">{consequence(&pair)}</p>
            <Answer ids=pair.id.to_string() accept=true shown=shown.clone() done form=here.clone() class="button">{format!("Accept {what}")}</Answer>
            <Answer ids=pair.id.to_string() accept=false shown done=here.clone() form=here class="button button-quiet">"Decline"</Answer>
        </div>
    }
}

/// A button that accepts or declines suggestions, by their ids, about memories in the versions that were shown. A refusal leads back to `form`.
#[component]
pub fn Answer(
    ids: String,
    accept: bool,
    shown: String,
    done: String,
    form: String,
    class: &'static str,
    children: Children,
) -> impl IntoView {
    view! {
        <PostForm action="/console/api/decide_pair" fields=[
            ("id", ids), ("accept", accept.to_string()), ("shown", shown), ("done", done), ("form", form),
        ]>
            <button class=class type="submit">{children()}</button>
        </PostForm>
    }
}

/// The button that merges the candidate into a memory that says the same.
#[component]
fn Merge(id: MemoryId, pair: InboxPair, shown: String, here: String, next: String, key: bool) -> impl IntoView {
    let (form, seen, declined) = (here.clone(), shown.clone(), pair.id.to_string());
    view! {
        <div class="flex flex-wrap items-center gap-2 border-t border-line px-3 py-2">
            <p class="mr-auto text-sm text-soft">{consequence(&pair)}</p>
            <PostForm action="/console/api/decide_candidates" fields=[
                ("ids", id.to_string()), ("shown", seen), ("what", "merge".to_owned()), ("into", pair.other_id.to_string()), ("done", next),
                ("form", form),
            ]>
                <button class="button" type="submit" data-keys=key.then_some("m")>
                    "Merge into memory"
                    {key.then(|| view! { <kbd class="kbd hidden md:inline" aria-hidden="true">"m"</kbd> })}
                </button>
            </PostForm>
            <Answer ids=declined accept=false shown done=here.clone() form=here class="button button-quiet">"Decline"</Answer>
        </div>
    }
}

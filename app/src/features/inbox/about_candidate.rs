use super::words::{consequence, other, relation};
use crate::{
    features::inbox::quote::ShortQuote,
    ids::Versions,
    ui::{Badge, Icon, PostForm, Shape, text},
};
use leptos::prelude::*;
use wire::{InboxItem, InboxSuggestion, MemoryEvidence, MemoryId, MemoryStatus, SuggestionRelation};

/// What consolidation proposes about a candidate and other memories, each side beside the other.
#[component]
pub fn CandidateSuggestions(item: InboxItem, may_decide: bool, here: String, next: String) -> impl IntoView {
    let first = item.pairs.iter().find(|suggestion| suggestion.relation == SuggestionRelation::Duplicates).map(|suggestion| suggestion.id);
    let one = |suggestion: InboxSuggestion| {
        let (here, next, key) = (here.clone(), next.clone(), first == Some(suggestion.id));
        let own_quote = item.quotes.first().map(|quote| quote.evidence.clone());
        view! { <CandidateSuggestion id=item.id version=item.version content=item.content.clone() own_quote suggestion may_decide here next key /> }
    };
    let suggestions = item.pairs.clone().into_iter().map(one).collect_view();
    view! { <ul class="space-y-3" aria-label="Proposals about this candidate">{suggestions}</ul> }
}

#[component]
fn CandidateSuggestion(
    id: MemoryId,
    version: i32,
    content: String,
    own_quote: Option<MemoryEvidence>,
    suggestion: InboxSuggestion,
    may_decide: bool,
    here: String,
    next: String,
    key: bool,
) -> impl IntoView {
    let disputed = suggestion.relation != SuggestionRelation::Duplicates;
    let class = if disputed { "border-warn" } else { "border-line-strong" };
    let tint = if disputed { "bg-warn-wash text-warn" } else { "bg-sunken" };
    let shown = String::from(Versions(vec![(id, version), (suggestion.other_id, suggestion.other_version)]));
    let open = may_decide.then(|| match disputed {
        true => view! { <Dispute suggestion=suggestion.clone() shown here next /> }.into_any(),
        false => view! { <Merge id suggestion=suggestion.clone() shown here next key /> }.into_any(),
    });
    let status = match suggestion.other_status {
        MemoryStatus::Inbox | MemoryStatus::Active => None,
        other => Some(view! { <Badge text=other.as_str() /> }),
    };
    let waits = suggestion.other_status == MemoryStatus::Inbox;
    let href = if waits { format!("/inbox?focus={}", suggestion.other_id) } else { format!("/memories/{}", suggestion.other_id) };
    view! {
        <li class=format!("@container overflow-hidden rounded-md border {class}") data-testid="pair">
            <div class=format!("flex items-start gap-2 px-3 py-2 text-sm {tint}")>
                <span class="pt-0.5"><Icon shape=if disputed { Shape::Alert } else { Shape::Copy } /></span>
                <p><span class="font-medium">{relation(&suggestion)} " " {other(&suggestion)} "."</span> " " {suggestion.reason.clone()}</p>
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
                        <span class="font-mono">{suggestion.other_short_id.clone()}</span>
                        {status}
                    </p>
                    <p class="text-sm break-words whitespace-pre-wrap" dir="auto">{text::visible(&suggestion.other_content)}</p>
                    {suggestion.other_quote.clone().map(|evidence| view! { <ShortQuote evidence /> })}
                </div>
            </div>
            {open}
        </li>
    }
}

/// The buttons that accept or decline a contradiction or a correction.
#[component]
fn Dispute(suggestion: InboxSuggestion, shown: String, here: String, next: String) -> impl IntoView {
    // An accepted correction decides on the candidate, an accepted contradiction leaves it in the inbox.
    let (what, done) = match suggestion.relation {
        SuggestionRelation::Supersedes => ("correction", next),
        _ => ("contradiction", here.clone()),
    };
    view! {
        <div class="flex flex-wrap items-center gap-2 border-t border-line px-3 py-2">
            <p class="mr-auto text-sm text-soft">{consequence(&suggestion)}</p>
            <Answer ids=suggestion.id.to_string() accept=true shown=shown.clone() done form=here.clone() class="button">{format!("Accept {what}")}</Answer>
            <Answer ids=suggestion.id.to_string() accept=false shown done=here.clone() form=here class="button button-quiet">"Decline"</Answer>
        </div>
    }
}

/// A button that accepts or declines suggestions, by their ids, about memories in the versions that were shown. A refusal leads back to `form`.
#[component]
pub fn Answer(
    ids: String,
    accept: bool,
    /// Whether the memories are merged as duplicates, also where another relation was suggested.
    #[prop(optional)]
    same: bool,
    shown: String,
    done: String,
    form: String,
    class: &'static str,
    children: Children,
) -> impl IntoView {
    view! {
        <PostForm action="/console/api/decide_pair" fields=[
            ("id", ids), ("accept", accept.to_string()), ("same", same.to_string()), ("shown", shown), ("done", done), ("form", form),
        ]>
            <button class=class type="submit">{children()}</button>
        </PostForm>
    }
}

/// The button that merges the candidate into a memory that says the same.
#[component]
fn Merge(id: MemoryId, suggestion: InboxSuggestion, shown: String, here: String, next: String, key: bool) -> impl IntoView {
    let (form, seen, declined) = (here.clone(), shown.clone(), suggestion.id.to_string());
    view! {
        <div class="flex flex-wrap items-center gap-2 border-t border-line px-3 py-2">
            <p class="mr-auto text-sm text-soft">{consequence(&suggestion)}</p>
            <PostForm action="/console/api/decide_candidates" fields=[
                ("ids", id.to_string()), ("shown", seen), ("what", "merge".to_owned()), ("into", suggestion.other_id.to_string()), ("done", next),
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

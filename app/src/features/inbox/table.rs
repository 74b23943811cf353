use super::{
    url::at,
    words::{kind, other, relation},
};
use crate::{
    query::Query,
    ui::{Badge, Canonical, OfSelected, Selectable, Tick, Time, Tone, columns, reversing, text},
};
use leptos::prelude::*;
use wire::{InboxItem, MemoryId, SuggestionRelation};

/// The table of candidates; with `select`, several can be ticked and decided together.
#[component]
pub fn Table(rows: Vec<InboxItem>, query: Query, focus: Option<MemoryId>, select: bool) -> impl IntoView {
    let back = query.without(&["focus"]).href("/inbox");
    let found = reversing("/inbox", &query, false, ("Found", "hidden w-30 @2xl:table-cell"));
    let first = rows.first().map(|row| row.id);
    let rows =
        rows.into_iter().map(|row| view! { <Row first=first == Some(row.id) row query=query.clone() focus select /> }).collect_view();
    view! {
        <Selectable
            action="/inbox/review"
            back
            label="Candidates"
            nouns=("candidate", "candidates")
            hint="Select candidates to decide them together."
            select
            rows
            heads=(columns([
                ("Candidate", ""), ("Topic", "hidden w-44 @2xl:table-cell"), ("Agent", "hidden w-28 @2xl:table-cell"),
            ]), found)
        >
            <button class="button" type="submit" name="what" value="confirm"><OfSelected verb="Confirm" /></button>
            <button class="button button-danger" type="submit" name="what" value="reject"><OfSelected verb="Reject" /></button>
        </Selectable>
    }
}

#[component]
fn Row(row: InboxItem, query: Query, focus: Option<MemoryId>, select: bool, first: bool) -> impl IntoView {
    let id = row.id;
    let checkbox = select.then(|| view! { <Tick id=id.to_string() name=text::short(&row.content, 60) /> });
    view! {
        <tr id=format!("c-{id}") tabindex="-1" data-testid="candidate" aria-current=(focus == Some(id)).then_some("true")>
            {checkbox}
            <td>
                <a
                    class="line-clamp-3 font-medium break-words"
                    dir="auto"
                    href=at(&query, Some(id))
                    data-noscroll="true"
                    data-keys=(first && focus.is_none()).then_some("j ArrowDown")
                >
                    {text::visible(&row.content)}
                </a>
                <div class="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-soft">
                    <Badge text=kind(row.kind) />
                    {disputes(&row)}
                    <span class="max-w-full truncate @2xl:hidden" dir="auto">{row.topic.clone()}</span>
                    <span class="@2xl:hidden">{row.agent_slug.clone()} " · " <Time at=row.created_at /></span>
                </div>
            </td>
            <td class="hidden @2xl:table-cell">
                <p class="line-clamp-2 break-words" dir="auto">{row.topic.clone()}</p>
                {row.is_canonical.then(|| view! { <Canonical yes=true /> })}
            </td>
            <td class="hidden truncate text-soft @2xl:table-cell">{row.agent_slug.clone()}</td>
            <td class="hidden text-soft @2xl:table-cell"><Time at=row.created_at /></td>
        </tr>
    }
}

/// Badges for what a candidate contradicts, corrects or repeats.
pub fn disputes(row: &InboxItem) -> impl IntoView + use<> {
    // One badge of a kind, however many memories it is about: its title names them.
    let mut seen: Vec<(_, Vec<String>)> = Vec::new();
    for suggestion in &row.pairs {
        let badge = match suggestion.relation {
            SuggestionRelation::Duplicates => (Tone::Plain, "duplicate"),
            SuggestionRelation::Contradicts => (Tone::Warn, "contradiction"),
            SuggestionRelation::Supersedes if suggestion.outgoing => (Tone::Warn, "correction"),
            SuggestionRelation::Supersedes => (Tone::Warn, "corrected"),
        };
        let title = format!("{} {}.", relation(suggestion), other(suggestion));
        match seen.iter_mut().find(|(known, _)| *known == badge) {
            Some((_, titles)) if titles.contains(&title) => {}
            Some((_, titles)) => titles.push(title),
            None => seen.push((badge, vec![title])),
        }
    }
    seen.into_iter().map(|((tone, text), titles)| view! { <Badge tone text title=titles.join(" ") /> }).collect_view()
}

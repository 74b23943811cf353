use super::{
    about_candidate::CandidateSuggestions,
    candidate::Candidate,
    url::{at, back},
    verdicts::Verdicts,
};
use crate::{
    ConsoleError, Flash,
    features::{memories::Changed, session::Viewer, vocabulary::TermNames},
    query::Query,
    ui::{ErrorView, Panel, Walk, neighbours},
};
use leptos::prelude::*;
use uuid::Uuid;
use wire::{ErrorCode, InboxItem, MemoryId, MemoryStatus, OperatorRole};

/// The panel with the candidate that the URL names: its quotes, what it contradicts, and the decision.
#[component]
pub fn Focus(
    focus: Option<MemoryId>,
    /// The candidate in focus, or why it cannot be read.
    item: Option<Result<Option<InboxItem>, ConsoleError>>,
    /// The ids of the list, from top to bottom.
    ids: Vec<MemoryId>,
    /// Projects by id and slug.
    projects: Vec<(Uuid, String)>,
    viewer: Option<Viewer>,
    query: Query,
) -> impl IntoView {
    let changed = viewer.as_ref().and_then(|viewer| viewer.flash.clone());
    let shown = item.map(|item| match item.and_then(|item| item.ok_or_else(unknown)) {
        Ok(item) => {
            let may_decide = viewer.as_ref().is_some_and(|viewer| viewer.profile.has(OperatorRole::Reviewer));
            let id = item.id.to_string();
            let about_it = |flash: &Flash| flash.refused && Query::parse(&flash.typed).get("ids") == Some(id.as_str());
            let flash = viewer.and_then(|viewer| viewer.flash).filter(about_it);
            let (before, after) = neighbours(&ids, item.id);
            let (here, next) = (back(&query, Some(item.id)), back(&query, after.or(before)));
            view! { <Look item projects may_decide flash here next /> }.into_any()
        }
        Err(error) => view! { <ErrorView error /> }.into_any(),
    });
    view! {
        <Panel open=focus.is_some() label="Candidate" name="focus" short=true>
            <Walk ids at=focus link=at query />
            <div class="px-4 pt-4 empty:hidden"><Changed flash=changed /></div>
            {shown}
            <TermNames />
        </Panel>
    }
}

fn unknown() -> ConsoleError {
    ConsoleError::new(ErrorCode::NotFound, "No candidate has this id.")
}

#[component]
fn Look(
    item: InboxItem,
    projects: Vec<(Uuid, String)>,
    may_decide: bool,
    flash: Option<Flash>,
    here: String,
    next: String,
) -> impl IntoView {
    let waits = item.status == MemoryStatus::Inbox && !item.deleted;
    let page = (!waits).then(|| {
        view! {
            <p class="rounded-md bg-sunken px-3 py-2 text-sm" data-testid="decided">
                "This candidate was decided already. " <a class="underline" href=format!("/memories/{}", item.id)>"Open the memory"</a>
            </p>
        }
    });
    let suggestions = (!item.pairs.is_empty() && waits).then(|| {
        view! { <CandidateSuggestions item=item.clone() may_decide here=here.clone() next=next.clone() /> }
    });
    let verdicts = (waits && may_decide).then(|| view! { <Verdicts item=item.clone() projects=projects.clone() flash here next /> });
    // The id tells the panels of two candidates apart, so that input about one is not sent for another.
    let id = format!("candidate-{}", item.id);
    view! { <div class="space-y-4 p-4" id=id><Candidate item projects>{suggestions}</Candidate> {page} {verdicts}</div> }
}

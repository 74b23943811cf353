use super::{
    api::read_candidate,
    candidate::Candidate,
    pairs::Pairs,
    url::{at, back},
    verdicts::Verdicts,
};
use crate::{
    ConsoleError, Flash,
    features::{projects::project_names, vocabulary::TermNames},
    layout::ViewerResource,
    query::Query,
    ui::{ErrorView, Panel, Walk, neighbours},
};
use leptos::prelude::*;
use remembrancer::api::{ErrorCode, InboxItem, MemoryId, MemoryStatus, OperatorRole, Page};
use uuid::Uuid;

/// The candidates of the inbox as they load; the table shows them, and the panel steps through them.
pub type Queue = Resource<Result<Page<InboxItem>, ConsoleError>>;

/// The panel with the candidate that the URL names: its quotes, what it contradicts, and the decision.
#[component]
pub fn Focus(focus: Memo<Option<MemoryId>>, queue: Queue, query: Memo<Query>) -> impl IntoView {
    let item = Resource::new(
        move || focus.get(),
        |id| async move {
            match id {
                Some(id) => Some(read_candidate(id).await),
                None => None,
            }
        },
    );
    let projects = Resource::new(|| (), |()| project_names());
    let who = ViewerResource::expect();
    view! {
        <Panel open=Signal::derive(move || focus.get().is_some()) label="Candidate" name="focus" short=true>
            <Suspense>
                {move || Suspend::new(async move {
                    view! { <Walk ids=ids(queue).await at=focus link=at query /> }
                })}
            </Suspense>
            <Suspense>
                {move || Suspend::new(async move {
                    let viewer = who.await.ok();
                    let ids = ids(queue).await;
                    let item = match item.await? {
                        Ok(Some(item)) => item,
                        Ok(None) => return Some(view! { <ErrorView error=unknown() /> }.into_any()),
                        Err(error) => return Some(view! { <ErrorView error /> }.into_any()),
                    };
                    let may_decide = viewer.as_ref().is_some_and(|viewer| viewer.profile.has(OperatorRole::Reviewer));
                    let id = item.id.to_string();
                    let about_it = |flash: &Flash| flash.refused && Query::parse(&flash.typed).get("ids") == Some(id.as_str());
                    let flash = viewer.and_then(|viewer| viewer.flash).filter(about_it);
                    let (before, after) = neighbours(&ids, item.id);
                    let (here, next) = query.with_untracked(|query| (back(query, Some(item.id)), back(query, after.or(before))));
                    let projects = projects.await.unwrap_or_default();
                    Some(view! { <Look item projects may_decide flash here next /> }.into_any())
                })}
            </Suspense>
            <TermNames />
        </Panel>
    }
}

/// The ids of the queue, from top to bottom.
async fn ids(queue: Queue) -> Vec<MemoryId> {
    queue.await.map(|page| page.rows.iter().map(|row| row.id).collect()).unwrap_or_default()
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
    let pairs = (!item.pairs.is_empty() && waits).then(|| {
        view! { <Pairs item=item.clone() may_decide here=here.clone() next=next.clone() /> }
    });
    let verdicts = (waits && may_decide).then(|| view! { <Verdicts item=item.clone() projects flash here next /> });
    // The id tells the panels of two candidates apart, so that input about one is not sent for another.
    let id = format!("candidate-{}", item.id);
    view! { <div class="space-y-4 p-4" id=id><Candidate item>{pairs}</Candidate> {page} {verdicts}</div> }
}

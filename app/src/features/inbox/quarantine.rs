use super::api::browse_quarantine;
use crate::{
    layout::{PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{EmptyCard, NothingLeft, Pager, PostForm, Shape, Time, awaited, landing_beside, or_error, reading, text},
};
use leptos::prelude::*;
use wire::{OperatorRole, Page, QuarantineItem};

/// The page of turns that are kept from extraction until a person decides.
#[component]
pub fn QuarantinePage() -> impl IntoView {
    let query = use_query();
    let list = reading(browse_quarantine(query.owned("after")));
    let who = ViewerResource::expect();
    view! {
        <PageHead title="Quarantine">"Turns that may carry instructions for an agent. No memory is made from them until you release them."</PageHead>
        {awaited(async move {
            let may_decide = who.await.is_ok_and(|viewer| viewer.profile.has(OperatorRole::Reviewer));
            or_error(list.await, |page| match page.rows.is_empty() {
                true if query.is_later_page() => view! { <NothingLeft path="/inbox/quarantine" query /> }.into_any(),
                true => view! {
                    <EmptyCard shape=Shape::Done title="No turns in quarantine" href="/capture" link="Capture a text"
                        says="When a captured text holds a turn that reads like an instruction for an agent, it appears here with the reason. No memory is \
                        made from it until you decide." />
                }
                .into_any(),
                false => view! { <Turns page query may_decide /> }.into_any(),
            })
        })}
    }
}

#[component]
fn Turns(page: Page<QuarantineItem>, query: Query, may_decide: bool) -> impl IntoView {
    let here = query.href("/inbox/quarantine");
    let ids: Vec<_> = page.rows.iter().map(|item| item.id).collect();
    let one = |item: QuarantineItem| {
        let done = landing_beside(&here, "t-", &ids, item.id);
        view! { <Turn item may_decide done /> }
    };
    let rows = page.rows.into_iter().map(one).collect_view();
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{text::total(page.total, "turn", "turns")}</p>
        <ul class="max-w-4xl space-y-4">{rows}</ul>
        <Pager path="/inbox/quarantine" query previous=None next=page.next names=("Previous", "Next") />
    }
}

#[component]
fn Turn(item: QuarantineItem, may_decide: bool, done: String) -> impl IntoView {
    let reasons = item.reasons.into_iter().map(|reason| view! { <li>{reason}</li> }).collect_view();
    view! {
        <li id=format!("t-{}", item.id) tabindex="-1" class="card space-y-3 p-4" data-testid="quarantined">
            <p class="flex flex-wrap gap-x-2 text-sm text-soft">
                <a class="wrap-anywhere" dir="auto" href=format!("/sources/{}", item.source_id)>{item.source_title}</a>
                <span>{item.agent_slug}</span>
                <span class="ml-auto"><Time at=item.created_at /></span>
            </p>
            <blockquote
                class="max-h-72 overflow-y-auto border-l-2 border-danger pl-3 break-words whitespace-pre-wrap"
                dir="auto"
                tabindex="0"
                data-testid="quote"
            >
                {text::visible(&item.quote)}
            </blockquote>
            <ul class="list-disc pl-5 text-sm text-danger">{reasons}</ul>
            {may_decide.then(|| view! {
                <PostForm class="flex flex-wrap gap-2" action="/console/api/decide_quarantine" fields=[
                    ("id", item.id.to_string()), ("done", done),
                ]>
                    <button class="button" type="submit" name="release" value="true">"Release for extraction"</button>
                    <button class="button button-danger" type="submit" name="release" value="false">"Dismiss"</button>
                </PostForm>
            })}
        </li>
    }
}

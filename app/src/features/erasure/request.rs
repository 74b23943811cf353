use super::{
    NOT_ALLOWED,
    api::{ErasureRead, read_erasure},
    erased::short,
    list::State,
    report::Report,
    tables::{Counts, Mentions},
    words::who_confirms,
};
use crate::{
    ConsoleError, Flash,
    features::people::Person,
    layout::{Crumb, PageHead, ViewerResource},
    query::{Query, use_param},
    ui::{PostForm, TextField, Time, awaited, fact, fact_as, or_error, text},
};
use foundation::identity::Admin;
use leptos::prelude::*;
use uuid::Uuid;
use wire::{Erasure, ErasureDetail, ErasureId, ErasurePreview, ErasureState, ErrorCode, Mention, OperatorRole};

/// The page of one request: what it would remove, how far it is, or its report.
#[component]
pub fn ErasurePage() -> impl IntoView {
    let id = use_param::<ErasureId>("id");
    let detail = async move {
        match id {
            Some(id) => read_erasure(id).await,
            None => Err(ConsoleError::new(ErrorCode::NotFound, "There is no such request.")),
        }
    };
    let who = ViewerResource::shared();
    view! {
        <Crumb href="/erasure" text="Erasure" />
        <PageHead title="Erasure request">"Two admins decide about an erasure. It cannot be undone."</PageHead>
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Admin, NOT_ALLOWED, detail).await;
            or_error(answer, |(viewer, ErasureRead { detail, admins })| {
                let me = viewer.profile.id.0;
                view! { <Whole detail admins me flash=viewer.refused() /> }
            })
        })}
    }
}

#[component]
fn Whole(detail: ErasureDetail, admins: Vec<Admin>, me: Uuid, flash: Option<Flash>) -> impl IntoView {
    let ErasureDetail { request, names, ticked, preview, report } = detail;
    let reference = preview.as_ref().and_then(|preview| preview.external_ref.clone()).unwrap_or_else(|| request.user_id.to_string());
    let mine = request.requested_by == me;
    let waits = request.state == ErasureState::Waiting;
    let running = request.state == ErasureState::Confirmed;
    // Without JavaScript the page loads itself again. With it the noscript element stays text.
    let reload = running.then(|| view! { <noscript inner_html=r#"<meta http-equiv="refresh" content="3">"#></noscript> });
    view! {
        {reload}
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]" data-again=running.then_some("")>
            <div class="mb-6 space-y-6 lg:sticky lg:top-5 lg:order-2">
                {waits.then(|| view! { <Decide request=request.clone() reference=reference.clone() admins me flash /> })}
                <Facts mine request=request.clone() reference=waits.then_some(reference) names />
            </div>
            <div class="min-w-0">
                {preview.map(|preview| view! { <Planned preview ticked /> })}
                {report.map(|report| view! { <Report request=request.id report /> })}
            </div>
        </div>
    }
}

/// What will be erased once another admin confirms it.
#[component]
fn Planned(preview: ErasurePreview, ticked: Vec<Mention>) -> impl IntoView {
    let hold = preview.hold.map(|hold| {
        view! { <p class="card mb-6 p-4 text-sm text-warn">"The person is under a legal hold, set by " {hold.set_by} ". Lift it first."</p> }
    });
    let mentions = match ticked.is_empty() {
        true => view! { <p class="mb-6 text-sm text-soft">"No records of others were selected."</p> }.into_any(),
        false => view! { <Mentions mentions=ticked /> }.into_any(),
    };
    view! {
        {hold}
        <h2 class="mb-2">"Mentions to erase"</h2>
        {mentions}
        <Counts tables=preview.tables />
    }
}

#[component]
fn Facts(
    request: Erasure,
    /// Whether the viewer made it.
    mine: bool,
    /// The person's reference, while the organisation knows it.
    reference: Option<String>,
    names: Vec<String>,
) -> impl IntoView {
    let confirmed = request.confirmed_at.map(|at| {
        let name = request.confirmed_by_name.clone().unwrap_or_default();
        view! { <dt>"Confirmed"</dt> <dd>{name} " · " <Time at /></dd> }
    });
    let ended = request.ended_at.map(|at| {
        let name = request.ended_by_name.clone().map(|name| format!("{name} · ")).unwrap_or_default();
        view! { <dt>"Ended"</dt> <dd>{name} <Time at /></dd> }
    });
    let step = request.step.clone().map(|step| {
        view! { <dt>"Step"</dt> <dd aria-live="polite" data-testid="step">{text::sentence(&step)}</dd> }
    });
    let (own, known) = (request.user_id.to_string(), request.state != ErasureState::Done);
    let names: Vec<String> = names.into_iter().filter(|name| *name != own).map(|name| text::visible(&name)).collect();
    view! {
        <dl class="facts card p-4" data-testid="request">
            {fact("State", view! { <State state=request.state mine /> })}
            {step}
            {fact("Person", view! { <Person id=request.user_id name=request.user_name.clone() known /> })}
            {reference.map(|reference| fact_as("break-all", "Reference", text::visible(&reference)))}
            {fact_as("break-words", "Reason", text::visible(&request.reason))}
            {(!names.is_empty()).then(|| view! { <dt>"Searched for"</dt> <dd class="break-words">{names.join(", ")}</dd> })}
            {fact("Requested", view! { {request.requested_by_name.clone()} " · " <Time at=request.requested_at /> })}
            {confirmed}
            {ended}
            {fact("Request", view! { <span class="font-mono text-xs" title=request.id.to_string()>{short(request.id)}</span> })}
        </dl>
    }
}

/// The decision of another admin, who types the person's reference.
#[component]
fn Decide(request: Erasure, reference: String, admins: Vec<Admin>, me: Uuid, flash: Option<Flash>) -> impl IntoView {
    let typed = flash.as_ref().map(|flash| Query::parse(&flash.typed).text("person")).unwrap_or_default();
    let error = flash.and_then(|flash| flash.field("person"));
    let name = request.user_name.clone();
    let mine = me == request.requested_by;
    let end = if mine { "Withdraw request" } else { "Refuse request" };
    let asked = format!("{} requested it. Confirm it, or refuse it: nothing is erased then.", text::visible(&request.requested_by_name));
    let confirm = if mine {
        view! {
            <p class="text-sm text-soft">"You requested it. Another admin must confirm it."</p>
            <p class="text-sm" data-testid="who-confirms">{who_confirms(&admins, me)}</p>
        }
        .into_any()
    } else {
        view! {
            <p class="text-sm text-soft">{asked}</p>
            <PostForm class="space-y-3" action="/console/api/confirm_erasure" fields=[("id", request.id.to_string())]>
                <TextField
                    name="person"
                    label=format!("Type {} to confirm", text::visible(&reference))
                    value=typed
                    required=true
                    note="The person’s reference, or the id."
                    error
                />
                <button class="button button-danger" type="submit">"Erase this person"</button>
            </PostForm>
        }
        .into_any()
    };
    view! {
        <div class="card space-y-3 p-4">
            <h2>"Erase " <Person id=request.user_id name /> "?"</h2>
            {confirm} <p class="text-sm text-soft">"Expires " <Time at=request.expires_at /></p>
            <PostForm action="/console/api/withdraw_erasure" fields=[("id", request.id.to_string())]>
                <button class="button" type="submit">{end}</button>
            </PostForm>
        </div>
    }
}

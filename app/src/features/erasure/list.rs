use super::{
    NOT_ALLOWED,
    api::{ErasureList, erasures},
};
use crate::{
    Flash,
    features::people::Person,
    layout::{PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{
        Admins, AreaField, Badge, DataTable, Empty, PostForm, ReasonField, Shape, TextField, Time, Tone, awaited, columns, is_reversed,
        or_error, reversing, text,
    },
};
use leptos::prelude::*;
use uuid::Uuid;
use wire::{Erasure, ErasureState, LegalHold, OperatorRole};

/// The page of erasures: the form that begins one, requests, and legal holds.
#[component]
pub fn ErasuresPage() -> impl IntoView {
    let (list, query) = (erasures(), use_query());
    let who = ViewerResource::shared();
    view! {
        <PageHead title="Erasure">
            "Remove a person from all databases on a legal request. One admin requests it, another confirms it. It cannot be undone."
        </PageHead>
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Admin, NOT_ALLOWED, list).await;
            or_error(answer, |(viewer, list)| {
                let me = viewer.profile.id.0;
                view! { <Whole list me flash=viewer.refused() query /> }
            })
        })}
    }
}

#[component]
fn Whole(list: ErasureList, me: Uuid, flash: Option<Flash>, query: Query) -> impl IntoView {
    let admins: Vec<String> = list.admins.into_iter().map(|admin| admin.name).collect();
    view! {
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="min-w-0 space-y-6">
                <Requests requests=list.requests me query />
                <Holds holds=list.holds flash=flash.clone() />
            </div>
            <div class="mt-6 space-y-6 lg:mt-0">
                <Begin />
                <SetHold flash />
                <Admins names=admins alone="is the only admin. An erasure needs a second one." />
            </div>
        </div>
    }
}

/// Leads to the preview, which has the form of the request.
#[component]
fn Begin() -> impl IntoView {
    view! {
        <form class="card space-y-3 p-4" method="get" action="/erasure/new">
            <h2>"Request an erasure"</h2>
            <TextField name="user" label="Person" hint="Name, reference or id" value="" required=true />
            <AreaField
                id="names"
                name="names"
                label="Names, one on each line"
                optional=true
                rows="3"
                value=""
                note="The next page lists records of others that contain these names. You choose which of them to erase."
            />
            <button class="button button-primary" type="submit">"Preview"</button>
        </form>
    }
}

#[component]
fn SetHold(flash: Option<Flash>) -> impl IntoView {
    let flash = flash.filter(|flash| Query::parse(&flash.typed).get("lift").is_none());
    let typed = flash.as_ref().map(|flash| Query::parse(&flash.typed)).unwrap_or_default();
    let error = flash.as_ref().and_then(|flash| flash.field("reason"));
    view! {
        <PostForm class="card space-y-3 p-4" action="/console/api/set_hold">
            <h2>"Set a legal hold"</h2>
            <p class="text-sm text-soft">"While the hold is active, no data of the person is erased, archived or swept. Agents still cannot read memories that have expired."</p>
            <TextField id="hold-user" name="user" label="Person" hint="Name, reference or id" value=typed.text("user") required=true />
            <ReasonField id="hold-reason" typed=typed.text("reason") error hint="Kept in the audit log." />
            <button class="button" type="submit">"Set hold"</button>
        </PostForm>
    }
}

#[component]
fn Requests(requests: Vec<Erasure>, me: Uuid, query: Query) -> impl IntoView {
    if requests.is_empty() {
        return view! {
            <section class="card">
                <Empty shape=Shape::Delete title="No requests">
                    "Requests to erase a person appear here. To create one, enter a person and choose Preview."
                </Empty>
            </section>
        }
        .into_any();
    }
    let mut requests = requests;
    if is_reversed(&query) {
        requests.reverse();
    }
    let running = requests.iter().any(|request| request.state == ErasureState::Confirmed);
    let rows = requests.into_iter().map(|request| {
        let known = request.state != ErasureState::Done;
        let mine = request.requested_by == me;
        let confirmed = request.confirmed_by_name.clone().unwrap_or_else(|| "–".into());
        view! {
            <tr data-testid="erasure">
                <td>
                    <Person id=request.user_id name=request.user_name.clone() known />
                    <p class="break-words"><a href=format!("/erasure/{}", request.id)>{text::visible(&request.reason)}</a></p>
                </td>
                <td><State state=request.state mine /></td>
                <td class="hidden @lg:table-cell">{request.requested_by_name.clone()}</td>
                <td class="hidden @lg:table-cell">{confirmed}</td>
                <td><Time at=request.requested_at /></td>
            </tr>
        }
    });
    view! {
        <section class="card overflow-x-auto" aria-label="Requests" tabindex="0" data-again=running.then_some("")>
            <DataTable label="Requests" class="data" rows=rows.collect_view() heads=(columns([
                ("Person", ""), ("State", ""), ("Requested by", "hidden @lg:table-cell"), ("Confirmed by", "hidden @lg:table-cell"),
            ]), reversing("/erasure", &query, true, ("Requested", ""))) />
        </section>
    }
    .into_any()
}

/// The state of a request as a badge.
#[component]
pub fn State(
    state: ErasureState,
    /// Whether the viewer made the request, so that another admin confirms it.
    mine: bool,
) -> impl IntoView {
    let (tone, name) = match state {
        ErasureState::Waiting if !mine => (Tone::Warn, "waits for you"),
        ErasureState::Waiting => (Tone::Warn, "waits for another admin"),
        ErasureState::Confirmed => (Tone::Accent, "running"),
        ErasureState::Done => (Tone::Good, "done"),
        ErasureState::Withdrawn => (Tone::Plain, "withdrawn"),
        ErasureState::Expired => (Tone::Plain, "expired"),
    };
    view! { <Badge tone text=name /> }
}

#[component]
fn Holds(holds: Vec<LegalHold>, flash: Option<Flash>) -> impl IntoView {
    if holds.is_empty() {
        return ().into_any();
    }
    let rows = holds.into_iter().map(|hold| {
        let (id, error_id) = (format!("lift-{}", hold.user_id), format!("lift-{}-error", hold.user_id));
        let (typed, error) = flash.as_ref().and_then(|flash| flash.refused_at(("lift", &hold.user_id.to_string()), "reason")).unzip();
        let error = error.flatten();
        let (invalid, described) = (error.as_ref().map(|_| "true"), error.as_ref().map(|_| error_id.clone()));
        view! {
            <tr data-testid="hold">
                <td>
                    <Person id=hold.user_id name=hold.user_name.clone() />
                    <p class="break-words text-soft">{text::visible(&hold.reason)}</p>
                </td>
                <td>{hold.set_by}</td>
                <td><Time at=hold.set_at /></td>
                <td>
                    <PostForm class="flex gap-2" action="/console/api/lift_hold" fields=[("user", hold.user_id.to_string())]>
                        <label class="sr-only" for=id.clone()>"Reason for lifting the hold"</label>
                        <input
                            class="input"
                            id=id
                            name="reason"
                            required
                            maxlength="500"
                            placeholder="Reason"
                            value=typed.map(|typed| typed.text("reason"))
                            aria-invalid=invalid
                            aria-describedby=described
                        />
                        <button class="button" type="submit">"Lift hold"</button>
                    </PostForm>
                    {error.map(|text| view! { <p class="mt-1 text-xs text-danger" id=error_id>{text}</p> })}
                </td>
            </tr>
        }
    });
    view! {
        <section class="card overflow-x-auto" aria-label="Legal holds" tabindex="0">
            <DataTable
                label="Legal holds" class="data" heads=columns([("Person on hold", ""), ("Set by", ""), ("Since", ""), ("Lift", "")])
                rows=rows.collect_view()
            />
        </section>
    }
    .into_any()
}

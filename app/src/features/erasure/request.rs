use super::{
    NOT_ALLOWED,
    api::read_erasure,
    list::State,
    tables::{Counts, Mentions, place_name},
};
use crate::{
    ConsoleError,
    layout::{Crumb, PageHead, ViewerResource},
    query::use_param,
    ui::{DataTable, PostForm, Time, awaited, columns, fact, fact_as, or_error, text},
};
use leptos::prelude::*;
use uuid::Uuid;
use wire::{Erasure, ErasureDetail, ErasureId, ErasureState, ErrorCode, OperatorRole, SignedReport};

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
            or_error(answer, |(viewer, detail)| view! { <Whole detail me=viewer.profile.id.0 /> })
        })}
    }
}

#[component]
fn Whole(detail: ErasureDetail, me: Uuid) -> impl IntoView {
    let ErasureDetail { request, names, ticked, preview, report } = detail;
    let waiting = request.state == ErasureState::Waiting;
    let mentions = (!ticked.is_empty()).then(|| {
        view! {
            <h2 class="mb-2">"Mentions to erase"</h2>
            <Mentions mentions=ticked ticks=false />
        }
    });
    let left = waiting.then(|| {
        preview.map(|preview| {
            let hold = preview.hold.map(|hold| {
                view! { <p class="card mb-6 p-4 text-sm text-warn">"The user is under a legal hold, set by " {hold.set_by} ". Lift it first."</p> }
            });
            view! {
                {hold}
                <Counts tables=preview.tables />
                {mentions}
            }
        })
    });
    view! {
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="min-w-0">{left} {report.map(|report| view! { <Report report /> })}</div>
            <div class="space-y-6">
                <Facts request=request.clone() names />
                {waiting.then(|| view! { <Decide request me /> })}
            </div>
        </div>
    }
}

#[component]
fn Facts(request: Erasure, names: Vec<String>) -> impl IntoView {
    let confirmed = request.confirmed_at.map(|at| {
        let name = request.confirmed_by_name.clone().unwrap_or_default();
        view! { <dt>"Confirmed"</dt> <dd>{name} " · " <Time at /></dd> }
    });
    let ended = request.ended_at.map(|at| {
        let name = request.ended_by_name.clone().map(|name| format!("{name} · ")).unwrap_or_default();
        view! { <dt>"Ended"</dt> <dd>{name} <Time at /></dd> }
    });
    view! {
        <dl class="facts card p-4" data-testid="request">
            {fact("State", view! { <State state=request.state /> })}
            {request.step.clone().map(|step| view! { <dt>"Step"</dt> <dd data-testid="step">{text::sentence(&step)}</dd> })}
            {fact_as("font-mono text-xs break-all", "User", request.user_id.to_string())}
            {fact_as("break-words", "Reason", request.reason.clone())}
            {(!names.is_empty()).then(|| view! { <dt>"Names"</dt> <dd class="break-words">{names.join(", ")}</dd> })}
            {fact("Requested", view! { {request.requested_by_name.clone()} " · " <Time at=request.requested_at /> })}
            {confirmed}
            {ended}
        </dl>
    }
}

#[component]
fn Decide(request: Erasure, me: Uuid) -> impl IntoView {
    let confirm = if me == request.requested_by {
        view! { <p class="text-sm text-soft">"You requested it. Another admin must confirm it."</p> }.into_any()
    } else {
        view! {
            <PostForm action="/console/api/confirm_erasure" fields=[("id", request.id.to_string())]>
                <button class="button button-danger" type="submit">"Erase this person"</button>
            </PostForm>
        }
        .into_any()
    };
    view! {
        <div class="card space-y-3 p-4">
            {confirm} <p class="text-sm text-soft">"Expires " <Time at=request.expires_at /></p>
            <PostForm action="/console/api/withdraw_erasure" fields=[("id", request.id.to_string())]>
                <button class="button" type="submit">"Withdraw request"</button>
            </PostForm>
        </div>
    }
}

#[component]
fn Report(report: SignedReport) -> impl IntoView {
    let file = serde_json::to_string_pretty(&report).unwrap_or_default();
    let SignedReport { report, algorithm, signature } = report;
    let tables = report.tables.into_iter().filter(|table| table.found + table.left > 0).map(|table| {
        let name = if table.label.is_empty() { table.table.clone() } else { table.label };
        view! {
            <tr>
                <td title=table.table>{name}</td>
                <td class="text-soft">{table.database}</td>
                <td class="number">{text::number(table.found)}</td>
                <td class="number">{text::number(table.left)}</td>
            </tr>
        }
    });
    let mentions = report.mentions.into_iter().map(|(place, rows)| fact(place_name(place), text::number(rows)));
    view! {
        <section class="card mb-6 overflow-x-auto" aria-label="Report" tabindex="0" data-testid="report">
            <h2 class="border-b border-line px-3 py-2">"Report"</h2>
            <DataTable label="Erased rows" class="data" rows=tables.collect_view() heads=columns([
                ("What", ""), ("Database", ""), ("Rows before", "number"), ("Rows after", "number"),
            ]) />
            <dl class="facts p-4">{mentions.collect_view()}</dl>
            <div class="border-t border-line p-4 text-sm">
                <h3 class="mb-1 font-medium">"Not covered by this erasure"</h3>
                <ul class="list-disc pl-5 text-soft">
                    {report.outside.into_iter().map(|one| view! { <li>{text::sentence(&one)}</li> }).collect_view()}
                </ul>
            </div>
            <details class="border-t border-line p-4 text-sm">
                <summary>"Signed file (" {algorithm} ")"</summary>
                <p class="mt-2 text-soft">
                    "Save this as a file. "
                    <code class="font-mono text-xs">"remembrancer erasure verify FILE"</code>
                    " checks the signature "
                    <span class="font-mono text-xs break-all">{signature}</span>
                </p>
                <pre class="mt-2 overflow-x-auto font-mono text-xs" tabindex="0">{file}</pre>
            </details>
        </section>
    }
}

use super::{
    api::{all_of, browse_decisions},
    words::{inverse, summaries, summary},
};
use crate::{
    layout::{PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{Badge, DataTable, EmptyCard, Icon, NothingLeft, Pager, PostForm, Shape, Time, Tone, awaited, columns, or_error, reading, text},
};
use leptos::prelude::*;
use wire::{Decision, DecisionKind, OperatorRole, Page, audit_words};

/// The page of all decisions, newest first, with the progress of each.
#[component]
pub fn DecisionsPage() -> impl IntoView {
    let query = use_query();
    let list = reading(browse_decisions(query.owned("after"), query.owned("before")));
    let who = ViewerResource::expect();
    view! {
        <PageHead title="Decisions">"Every decision on the vocabulary. Decisions refile memories but never change their content."</PageHead>
        {awaited(async move {
            let may_undo = who.await.is_ok_and(|viewer| viewer.profile.has(OperatorRole::Reviewer));
            or_error(list.await, |page| match page.rows.is_empty() {
                true if query.is_later_page() => view! { <NothingLeft path="/vocabulary/decisions" query /> }.into_any(),
                true => view! {
                    <EmptyCard shape=Shape::Audit title="No decisions yet" href="/vocabulary" link="Review proposals"
                        says="Decisions on proposals and terms appear here, with who made them. You can undo each one." />
                }
                .into_any(),
                false => view! { <Decisions page query may_undo /> }.into_any(),
            })
        })}
    }
}

/// Whether memories of the decision are still to be refiled.
fn on_its_way(decision: &Decision) -> bool {
    decision.remaining > 0
}

#[component]
fn Decisions(page: Page<Decision>, query: Query, may_undo: bool) -> impl IntoView {
    let again = page.rows.iter().any(on_its_way).then_some("");
    let here = query.href("/vocabulary/decisions");
    let step = |decisions: &[Decision]| match decisions {
        [one] => view! { <Row decision=one.clone() may_undo here=here.clone() /> }.into_any(),
        several => view! { <Several decisions=several.to_vec() may_undo here=here.clone() /> }.into_any(),
    };
    let rows = page.rows.chunk_by(|one, next| one.together.is_some() && one.together == next.together).map(step).collect_view();
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{text::count(page.total, "decision", "decisions")}</p>
        <div class="card" data-again=again>
            <DataTable label="Decisions" rows heads=(
                columns([
                    ("When", "hidden w-32 @3xl:table-cell"), ("Who", "hidden w-32 @3xl:table-cell"), ("What", ""),
                    ("Memories", "number w-28 @xl:w-40"),
                ]),
                view! { <th scope="col" class="hidden w-28 @xl:table-cell"><span class="sr-only">"Undo"</span></th> },
            ) />
        </div>
        <Pager path="/vocabulary/decisions" query previous=page.previous next=page.next />
    }
}

#[component]
fn Row(decision: Decision, may_undo: bool, here: String) -> impl IntoView {
    let undo = || (may_undo && decision.undoable).then(|| view! { <Undo decision=decision.clone() done=here.clone() /> });
    let wide = undo();
    let narrow = undo().map(|undo| view! { <div class="mt-1.5 @xl:hidden">{undo}</div> });
    let id = format!("d-{}", decision.id);
    view! {
        <tr id=id data-testid="decision">
            <td class="hidden text-soft @3xl:table-cell"><Time at=decision.at /></td>
            <td class="hidden break-words @3xl:table-cell">{decision.by.clone()}</td>
            <td>
                <DecisionSummary decision=decision.clone() />
                <p class="mt-1 text-xs text-soft @3xl:hidden">{decision.by.clone()} " · " <Time at=decision.at /></p>
                {narrow}
            </td>
            <td class="number"><Progress decision /></td>
            <td class="hidden @xl:table-cell">{wide}</td>
        </tr>
    }
}

/// Decisions that were made in one step: what they did, then each of them with its own undo.
#[component]
fn Several(decisions: Vec<Decision>, may_undo: bool, here: String) -> impl IntoView {
    let Some(first) = decisions.first().cloned() else { return ().into_any() };
    let sum = |of: fn(&Decision) -> i64| decisions.iter().map(of).sum::<i64>();
    let whole = Decision { memories: sum(|decision| decision.memories), remaining: sum(|decision| decision.remaining), ..first.clone() };
    let sentence = text::visible(&summaries(&decisions));
    let undoable = may_undo && decisions.iter().any(|decision| decision.undoable);
    let all = || {
        first.together.filter(|_| undoable).map(|together| {
            let (href, name) = (all_of(&together.to_string(), &here), inverse(&first));
            view! { <a class="button" href=href aria-label=format!("{name} all: {sentence}")>{name} " all…"</a> }
        })
    };
    let wide = all();
    let narrow = all().map(|all| view! { <div class="mt-1.5 @xl:hidden">{all}</div> });
    let one = |decision: Decision| {
        let undo = (may_undo && decision.undoable).then(|| view! { <Undo decision=decision.clone() done=here.clone() /> });
        let id = format!("d-{}", decision.id);
        view! {
            <li class="flex flex-wrap items-start justify-between gap-3 py-2" id=id>
                <div class="min-w-0"><DecisionSummary decision /></div>
                {undo}
            </li>
        }
    };
    let number = text::count(i64::try_from(decisions.len()).unwrap_or(i64::MAX), "decision", "decisions");
    view! {
        <tr data-testid="decision">
            <td class="hidden text-soft @3xl:table-cell"><Time at=first.at /></td>
            <td class="hidden break-words @3xl:table-cell">{first.by.clone()}</td>
            <td>
                <p class="break-words">{sentence.clone()}</p>
                <p class="mt-1 text-xs text-soft @3xl:hidden">{first.by.clone()} " · " <Time at=first.at /></p>
                {narrow}
                <details class="mt-1">
                    <summary class="py-1 text-sm text-soft">{number}</summary>
                    <ul class="divide-y divide-line">{decisions.into_iter().map(one).collect_view()}</ul>
                </details>
            </td>
            <td class="number"><Progress decision=whole /></td>
            <td class="hidden @xl:table-cell">{wide}</td>
        </tr>
    }
    .into_any()
}

/// A sentence about a decision, with a link to the term and the reason.
#[component]
pub fn DecisionSummary(decision: Decision) -> impl IntoView {
    let tone = match decision.kind {
        DecisionKind::Approve | DecisionKind::Merge | DecisionKind::Add => Tone::Good,
        DecisionKind::Reject | DecisionKind::Retire => Tone::Danger,
        DecisionKind::Undo => Tone::Warn,
        _ => Tone::Plain,
    };
    let name = audit_words(&format!("vocabulary.{}", decision.kind)).to_owned();
    let sentence = text::visible(&summary(&decision));
    let sentence = match decision.term_id.zip(decision.term.clone()) {
        Some((id, term)) => linked(&sentence, &text::visible(&term), format!("/vocabulary/terms/{id}")),
        None => sentence.into_any(),
    };
    let undone = decision.undone.then(|| view! { <Badge text="undone" /> });
    view! {
        <p class="flex flex-wrap items-baseline gap-x-2">
            <Badge tone text=name />
            <span class="min-w-0 break-words" class:line-through=decision.undone>{sentence}</span>
            {undone}
        </p>
        {decision.reason.map(|reason| view! { <p class="mt-0.5 break-words text-soft">"Reason: " {text::visible(&reason)}</p> })}
    }
}

/// A sentence in which the name of a term is a link; one that does not name the term has the link after it.
fn linked(sentence: &str, term: &str, href: String) -> AnyView {
    let quoted = format!("“{term}”");
    match sentence.split_once(&quoted) {
        Some((before, after)) => view! { {before.to_owned()} <a class="underline" href=href>{quoted}</a> {after.to_owned()} }.into_any(),
        None => view! { {sentence.to_owned()} " " <a class="underline" href=href>{term.to_owned()}</a> }.into_any(),
    }
}

/// How many memories a decision has refiled, and of how many.
#[component]
pub fn Progress(decision: Decision) -> impl IntoView {
    let (all, done) = (decision.memories, (decision.memories - decision.remaining).max(0));
    if all == 0 {
        return view! { <span class="text-soft">"0"</span> }.into_any();
    }
    if !on_its_way(&decision) {
        return view! { {text::number(all)} }.into_any();
    }
    let says = format!("{} of {}", text::number(done), text::number(all));
    view! {
        <label class="block text-xs text-soft">
            {says}
            <progress class="mt-1 block h-1.5 w-full max-w-28 accent-accent" max=all.to_string() value=done.to_string()></progress>
        </label>
    }
    .into_any()
}

/// The button that undoes a decision and then leads to `done`.
#[component]
pub fn Undo(decision: Decision, done: String) -> impl IntoView {
    let name = inverse(&decision);
    let label = format!("{name}: {}", summary(&decision));
    view! {
        <PostForm action="/console/api/undo_decision" fields=[("id", decision.id.to_string()), ("done", done)]>
            <button class="button" type="submit" aria-label=label>
                <Icon shape=Shape::Restore />
                {name}
            </button>
        </PostForm>
    }
}

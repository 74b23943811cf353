use super::{
    api::{LIST, set},
    chart::Runs,
    words::{cause, change, changes, compared, origin, result, state},
};
use crate::{
    features::people::{Person, person_names},
    guard::by_id,
    layout::{Crumb, ViewerResource},
    query::{Query, use_param},
    ui::{Badge, PostForm, TableCard, Time, Titled, awaited, columns, fact, or_missing, reading, rows_or, text},
};
use leptos::prelude::*;
use leptos_meta::Title;
use std::collections::HashMap;
use wire::{ExpectationChange, ExpectationRow, ExpectationSet, ExpectationSetDetail, ExpectationSetId, OperatorRole, UserId};

/// The page of a set: its numbers, the history of its runs, and its expectations.
#[component]
pub fn ExpectationSetPage() -> impl IntoView {
    let detail = reading(by_id(use_param::<ExpectationSetId>("id"), set, "No set of expectations has this id."));
    let who = ViewerResource::shared();
    view! {
        <Crumb href=LIST text="Expectations" />
        {awaited(async move {
            let ((may_change, _), detail) = (who.allows(OperatorRole::Reviewer).await, detail.await);
            let users = detail.iter().flat_map(|detail| detail.rows.iter().filter_map(|row| row.user_id)).collect();
            let names = person_names(users).await;
            or_missing("Set of expectations", detail, |detail| view! { <Whole detail names may_change /> })
        })}
    }
}

#[component]
fn Whole(detail: ExpectationSetDetail, names: HashMap<UserId, String>, may_change: bool) -> impl IntoView {
    let ExpectationSetDetail { set, runs, rows } = detail;
    let count = |wanted| i64::try_from(rows.iter().filter(|row| row.change == Some(wanted)).count()).unwrap_or(i64::MAX);
    let (won, lost) = (count(ExpectationChange::Won), count(ExpectationChange::Lost));
    let (name, id) = (text::visible(&set.name), set.id);
    let history = (!runs.is_empty()).then(|| view! { <Runs runs /> });
    view! {
        <Title text=name.clone() />
        <header class="mb-5">
            <h1 class="wrap-anywhere">{name}</h1>
            <Actions set=set.clone() may_change />
        </header>
        <div class="space-y-6">
            <Summary set won lost />
            {history}
            <Rows rows names set=id may_change />
        </div>
    }
}

#[component]
fn Actions(set: ExpectationSet, may_change: bool) -> impl IntoView {
    let waiting = set.waiting.then(|| view! { <Badge text="run waiting" title="A worker will run the set, or is running it." /> });
    let forms = may_change.then(|| {
        let id = set.id.to_string();
        view! {
            <PostForm action="/console/api/run_expectations" fields=[("id", id.clone())]>
                <button class="button button-primary" type="submit">"Run the set"</button>
            </PostForm>
            <details>
                <summary class="button button-quiet">"Delete set…"</summary>
                <PostForm class="card mt-1.5 max-w-md space-y-2 p-3" action="/console/api/delete_expectation_set" fields=[("id", id)]>
                    <p class="text-sm">"Its expectations and the history of its runs are deleted for good. Memories are unchanged."</p>
                    <button class="button button-danger" type="submit">"Delete set"</button>
                </PostForm>
            </details>
        }
    });
    view! { <div class="mt-2 flex flex-wrap items-start gap-2">{waiting} {forms}</div> }
}

/// The last run beside the one before.
#[component]
fn Summary(set: ExpectationSet, won: i64, lost: i64) -> impl IntoView {
    let Some(last) = set.last else {
        return view! { <p class="card px-4 py-3 text-sm text-soft">"Not run yet. The numbers of the first run appear here."</p> }
            .into_any();
    };
    let before = set.before;
    let changed = before.as_ref().map(|_| fact("Since the run before", changes(won, lost)));
    let gone = last.expectations - last.counted;
    let gone = (gone > 0).then(|| fact("Not counted", text::count(gone, "expectation without a memory", "expectations without a memory")));
    view! {
        <Titled id="last" title="Last run">
            <dl class="card facts p-4" data-testid="last-run">
                {fact("Met", format!("{} of {}", text::number(last.met), text::number(last.counted)))}
                {fact("Recall", format!("{} at {} hits", compared(last.recall, before.as_ref(), |run| run.recall), last.k))}
                {fact("MRR", compared(last.mrr, before.as_ref(), |run| run.mrr))}
                {changed}
                {gone}
                {fact("Run", view! { <Time at=last.at /> ", " {cause(last.cause)} })}
                {fact("Model", last.model)}
                {fact("Floors", format!("{:.2} by meaning, {:.2} by words", last.vector_floor, last.lexical_floor))}
                {fact("Vocabulary", view! { "version " {text::number(last.vocabulary_version)} })}
            </dl>
        </Titled>
    }
    .into_any()
}

#[component]
fn Rows(rows: Vec<ExpectationRow>, names: HashMap<UserId, String>, set: ExpectationSetId, may_change: bool) -> impl IntoView {
    let body = if rows.is_empty() {
        rows_or("No expectations are left in this set.", Vec::<AnyView>::new())
    } else {
        let heads = columns([
            ("Question", ""),
            ("State", "w-40"),
            ("Last run", "hidden w-48 @lg:table-cell"),
            ("Agent", "hidden w-32 @2xl:table-cell"),
        ]);
        let rows = rows.into_iter().map(|row| one(row, &names, set, may_change)).collect_view();
        view! { <TableCard label="Expectations" rows heads /> }.into_any()
    };
    view! { <Titled id="expectations" title="Expectations">{body}</Titled> }
}

fn one(row: ExpectationRow, names: &HashMap<UserId, String>, set: ExpectationSetId, may_change: bool) -> impl IntoView + use<> {
    let question = Query::default().with("agent", row.agent_id).with("q", &row.query).with_some("user", row.user_id);
    let memory = |memory: &wire::ExpectedMemory| match &memory.topic {
        Some(topic) => {
            let gone = memory.is_gone.then_some(" (deleted)");
            view! { <li><a class="underline wrap-anywhere" href=format!("/memories/{}", memory.id)>{text::visible(topic)}</a> {gone}</li> }
                .into_any()
        }
        None => view! { <li>"an erased memory"</li> }.into_any(),
    };
    let memories = row.memories.iter().map(memory).collect_view();
    let diagnose =
        row.memories.iter().find(|memory| !memory.is_gone).map(|memory| question.with("memory", memory.id).href("/recall/diagnose"));
    let (state, change, outcome) = (state(&row), change(row.change), row.outcome.as_ref().map(result));
    let person = row.user_id.map(|id| view! { " for " <Person id name=names.get(&id).cloned() /> });
    let label = format!("Remove the expectation “{}”", text::short(&row.query, 60));
    let remove = may_change.then(|| {
        view! {
            <PostForm action="/console/api/remove_expectation" fields=[("id", row.id.to_string()), ("set", set.to_string())]>
                <button class="button button-quiet h-6! px-2! text-xs!" type="submit" aria-label=label>"Remove"</button>
            </PostForm>
        }
    });
    view! {
        <tr data-testid="expectation">
            <th scope="row" class="font-normal! whitespace-normal! text-ink!">
                <span class="font-medium wrap-anywhere" dir="auto">{text::visible(&row.query)}</span>
                <ul class="text-sm" aria-label="Expected memories">{memories}</ul>
                {row.note.map(|note| view! { <span class="block text-sm wrap-anywhere text-soft" dir="auto">{text::visible(&note)}</span> })}
                <span class="block text-xs text-soft">
                    "Added by " {text::visible(&row.added_by)} " from: " {origin(row.origin)} ", " <Time at=row.created_at />
                </span>
                <div class="mt-1 flex flex-wrap items-center gap-3 text-sm">
                    {diagnose.map(|href| view! { <a href=href>"Diagnose"</a> })}
                    {remove}
                </div>
            </th>
            <td class="whitespace-normal!"><span class="flex flex-wrap gap-1">{state} {change}</span></td>
            <td class="hidden whitespace-normal! @lg:table-cell">{outcome}</td>
            <td class="hidden whitespace-normal! @2xl:table-cell">{row.agent_slug} {person}</td>
        </tr>
    }
}

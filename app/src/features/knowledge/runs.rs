use super::api::ingest_runs;
use crate::{
    layout::PageHead,
    query::{Query, use_query},
    ui::{Badge, Empty, NothingLeft, Pager, Shape, TableCard, Time, Tone, awaited, columns, or_error, reading, text},
};
use leptos::prelude::*;
use wire::{IngestFailure, IngestReport, IngestRun, Page};

/// The page of ingestion runs: changes and failures of each.
#[component]
pub fn RunsPage() -> impl IntoView {
    let query = use_query();
    let list = reading(ingest_runs(query.owned("after"), query.owned("before")));
    view! {
        <PageHead title="Ingestions">"Ingestions of documents, newest first. If a file cannot be read, the others are still ingested."</PageHead>
        <div>
            {awaited(async move {
                or_error(list.await, |page| match page.rows.is_empty() {
                    true if query.is_later_page() => view! { <NothingLeft path="/knowledge/runs" query /> }.into_any(),
                    true => view! { <div class="card"><NoRuns /></div> }.into_any(),
                    false => view! { <Runs page query /> }.into_any(),
                })
            })}
        </div>
    }
}

#[component]
fn Runs(page: Page<IngestRun>, query: Query) -> impl IntoView {
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{text::count(page.total, "ingestion", "ingestions")}</p>
        <TableCard label="Ingestions" rows=page.rows.into_iter().map(|run| view! { <Row run /> }).collect_view() heads=columns([
            ("Result", ""), ("Revision", "hidden w-32 @lg:table-cell"), ("By", "hidden w-36 @3xl:table-cell"),
            ("Duration", "number hidden w-24 @3xl:table-cell"), ("Started", "hidden w-30 @xl:table-cell"),
        ]) />
        <Pager path="/knowledge/runs" query previous=page.previous next=page.next />
    }
}

#[component]
fn Row(run: IngestRun) -> impl IntoView {
    let took = run.finished_at.map(|at| text::duration(at - run.started_at));
    let failed = i64::try_from(run.report.failures.len()).unwrap_or(i64::MAX);
    let failures = (failed > 0).then(|| text::count(failed, "failure", "failures"));
    let unfinished = run
        .finished_at
        .is_none()
        .then(|| view! { <Badge tone=Tone::Warn text="did not finish" title="It is still running, or it was stopped before the end." /> });
    let revision = run.revision.map(|revision| {
        let short = revision.chars().take(12).collect::<String>();
        view! { <span class="font-mono text-xs break-all" title=revision>{short}</span> }
    });
    view! {
        <tr data-testid="run">
            <td>
                <p class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
                    <span class="font-medium break-words">{run.collection}</span>
                    {run.report.dry_run.then(|| view! { <Badge text="dry run" title="Nothing was written." /> })}
                    {failures.map(|text| view! { <Badge tone=Tone::Danger text /> })}
                    {unfinished}
                </p>
                <p class="text-soft">{counts(&run.report)}</p>
                <Failures failures=run.report.failures />
                <p class="mt-1 text-xs text-soft @3xl:hidden">
                    {run.by.clone()} <span class="@xl:hidden">" · " <Time at=run.started_at /></span>
                    {took.clone().map(|took| format!(" · took {took}"))}
                </p>
            </td>
            <td class="hidden @lg:table-cell">{revision}</td>
            <td class="hidden break-words @3xl:table-cell">{run.by}</td>
            <td class="number hidden @3xl:table-cell">{took.unwrap_or_else(|| "–".into())}</td>
            <td class="hidden @xl:table-cell"><Time at=run.started_at /></td>
        </tr>
    }
}

/// Formats a report: `3 added · 1 changed · 12 unchanged`, without zeros.
fn counts(report: &IngestReport) -> String {
    let files = [
        (report.added, "added"),
        (report.changed, "changed"),
        (report.reindexed, "re-indexed"),
        (report.unchanged, "unchanged"),
        (report.retired, "retired"),
    ];
    let mut parts: Vec<_> = files.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", text::number(*n))).collect();
    parts.extend((report.terms > 0).then(|| text::count(report.terms, "term", "terms")));
    parts.extend((report.components > 0).then(|| text::count(report.components, "component", "components")));
    if parts.is_empty() { "No files to ingest".into() } else { parts.join(" · ") }
}

#[component]
fn Failures(failures: Vec<IngestFailure>) -> impl IntoView {
    let one = |failure: IngestFailure| {
        let place = failure.line.map_or_else(|| failure.path.clone(), |line| format!("{}:{line}", failure.path));
        view! {
            <li class="break-words">
                <code class="font-mono text-xs break-all">{place}</code>
                " " <span class="text-danger">{text::visible(&failure.reason)}</span>
            </li>
        }
    };
    (!failures.is_empty())
        .then(|| view! { <ul class="mt-1.5 space-y-1 text-sm" data-testid="failures">{failures.into_iter().map(one).collect_view()}</ul> })
}

#[component]
fn NoRuns() -> impl IntoView {
    view! {
        <Empty shape=Shape::Knowledge title="No ingestions yet">
            <p class="mb-3">"Each upload, each call of the API and each run of this command on the server appears here:"</p>
            <pre class="overflow-x-auto rounded-md bg-sunken px-3 py-2 text-left font-mono text-xs text-ink" tabindex="0">
                "remembrancer kb ingest DIR --tenant acme --collection handbook"
            </pre>
            <p class="mt-3"><a class="button" href="/knowledge/upload">"Upload documents"</a></p>
        </Empty>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_leave_out_what_did_not_happen() {
        let report = IngestReport { added: 3, reindexed: 2, unchanged: 1200, terms: 1, ..IngestReport::default() };
        assert_eq!(counts(&report), "3 added · 2 re-indexed · 1,200 unchanged · 1 term");
        assert_eq!(counts(&IngestReport::default()), "No files to ingest");
    }
}

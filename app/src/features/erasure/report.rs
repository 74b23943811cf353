use super::words::place_name;
use crate::ui::{DataTable, columns, fact, text};
use leptos::prelude::*;
use wire::{ErasureId, KeptTable, SignedReport};

/// What an erasure did, with the file that proves it.
#[component]
pub fn Report(request: ErasureId, report: SignedReport) -> impl IntoView {
    let SignedReport { report, algorithm, signature } = report;
    let name = |label: String, table: &str| if label.is_empty() { table.to_owned() } else { label };
    let tables = report.tables.into_iter().filter(|table| table.found + table.left > 0).map(|table| {
        view! {
            <tr>
                <td title=table.table.clone()>{name(table.label, &table.table)}</td>
                <td class="text-soft">{table.database}</td>
                <td class="number">{text::number(table.found)}</td>
                <td class="number">{text::number(table.left)}</td>
            </tr>
        }
    });
    let mentions = report.mentions.into_iter().map(|(place, rows)| fact(place_name(place), text::number(rows)));
    let kept = report.kept.into_iter().map(|KeptTable { label, table, why, .. }| {
        view! { <li>{name(label, &table)} ": " {why}</li> }
    });
    view! {
        <section class="card mb-6 overflow-x-auto" aria-label="Report" tabindex="0" data-testid="report">
            <div class="flex flex-wrap items-center justify-between gap-2 border-b border-line px-3 py-2">
                <h2>"Report"</h2>
                // A download is not a page: the browser gets it.
                <a class="button" href=format!("/erasure/{request}/report.json") rel="external" download="">"Download signed report"</a>
            </div>
            <DataTable label="Erased rows" class="data" rows=tables.collect_view() heads=columns([
                ("What", ""), ("Database", ""), ("Rows before", "number"), ("Rows after", "number"),
            ]) />
            <dl class="facts p-4 empty:hidden">{mentions.collect_view()}</dl>
            <div class="border-t border-line p-4 text-sm">
                <h3 class="mb-1 font-medium">"Not covered by this erasure"</h3>
                <ul class="list-disc pl-5 text-soft">
                    {report.outside.into_iter().map(|one| view! { <li>{text::sentence(&one)}</li> }).collect_view()}
                </ul>
                <h3 class="mt-3 mb-1 font-medium">"Kept"</h3>
                <ul class="list-disc pl-5 text-soft">{kept.collect_view()}</ul>
            </div>
            <p class="border-t border-line p-4 text-sm text-soft">
                "Signature (" {algorithm} "): " <span class="font-mono text-xs break-all">{signature}</span> ". "
                <code class="font-mono text-xs">"remembrancer erasure verify FILE"</code> " checks the downloaded file."
            </p>
        </section>
    }
}

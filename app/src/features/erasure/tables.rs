use crate::ui::{DataTable, columns, text};
use leptos::prelude::*;
use wire::{Mention, MentionPlace, TableCount};

pub fn place_name(place: MentionPlace) -> &'static str {
    match place {
        MentionPlace::Memory => "Memory",
        MentionPlace::Source => "Source",
        MentionPlace::Event => "Event",
        MentionPlace::Retrieval => "Recall",
        MentionPlace::Quarantine => "Quarantined turn",
        MentionPlace::Proposal => "Proposed phrase",
        MentionPlace::Decision => "Vocabulary decision",
        MentionPlace::Action => "Action",
        MentionPlace::Step => "Workflow step",
        MentionPlace::View => "Saved view",
        MentionPlace::AuditText => "Audit text",
        MentionPlace::Term => "Term",
        MentionPlace::Document => "Document",
    }
}

/// The rows of the person by table.
#[component]
pub fn Counts(tables: Vec<TableCount>) -> impl IntoView {
    let total: i64 = tables.iter().map(|table| table.rows).sum();
    let rows = tables.into_iter().map(|table| {
        view! {
            <tr>
                <td title=table.table>{table.label}</td>
                <td class="text-soft">{table.database}</td>
                <td class="number">{text::number(table.rows)}</td>
            </tr>
        }
    });
    view! {
        <section class="card mb-6 overflow-x-auto" aria-label="Rows of the person" tabindex="0">
            <DataTable label="Rows of the person" class="data" rows=rows.collect_view() heads=(
                columns([("What", ""), ("Database", "")]),
                view! { <th scope="col" class="number" data-testid="rows">{text::count(total, "row", "rows")}</th> },
            ) />
        </section>
    }
}

/// Rows of others that mention the person; with `ticks`, each has a checkbox.
#[component]
pub fn Mentions(mentions: Vec<Mention>, ticks: bool) -> impl IntoView {
    let rows = mentions.into_iter().map(|mention| {
        let value = mention.row().to_string();
        let label = format!("Erase this {}", place_name(mention.place).to_lowercase());
        let tick = match (ticks, mention.place.is_erasable()) {
            (false, _) => ().into_any(),
            (true, true) => view! { <input type="checkbox" name="mentions[]" value=value aria-label=label /> }.into_any(),
            (true, false) => view! { <span class="text-soft" title="It belongs to the organisation.">"stays"</span> }.into_any(),
        };
        let owner = mention.user_id.map_or_else(|| "no user".to_owned(), |user| user.to_string());
        view! {
            <tr data-testid="mention">
                {ticks.then(|| view! { <td>{tick}</td> })}
                <td class="whitespace-nowrap">{place_name(mention.place)}</td>
                <td class="break-words">{mention.excerpt}</td>
                <td class="hidden font-mono text-xs text-soft md:table-cell">{owner}</td>
            </tr>
        }
    });
    view! {
        <section class="card mb-6 overflow-x-auto" aria-label="Mentions" tabindex="0">
            <DataTable label="Mentions" class="data" rows=rows.collect_view() heads=(
                ticks.then(|| columns([("Erase", "")])),
                columns([("Where", ""), ("Text", ""), ("Belongs to user", "hidden md:table-cell")]),
            ) />
        </section>
    }
}

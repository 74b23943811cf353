use super::words::{kind_name, waiting};
use crate::ui::{Badge, DataTable, Time, Tone, columns, text};
use leptos::prelude::*;
use wire::Document;

#[component]
pub fn Table(rows: Vec<Document>) -> impl IntoView {
    view! {
        <DataTable label="Documents" rows=rows.into_iter().map(|row| view! { <Row row /> }).collect_view() heads=columns([
            ("Document", ""), ("Kind", "hidden w-32 lg:table-cell"), ("Status", "hidden w-28 md:table-cell"),
            ("Chunks", "number hidden w-32 md:table-cell"), ("Cited, 30 days", "number hidden w-32 sm:table-cell"),
            ("Updated", "hidden w-30 lg:table-cell"),
        ]) />
    }
}

#[component]
fn Row(row: Document) -> impl IntoView {
    let kind = kind_name(row.kind);
    let waiting = waiting(&row);
    let status = if row.status.is_empty() { "–".to_owned() } else { row.status.clone() };
    let narrow = if row.status.is_empty() { String::new() } else { format!(" · {}", row.status) };
    view! {
        <tr data-testid="document">
            <td>
                <div class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
                    {row.reference.clone().map(|reference| view! { <span class="font-mono text-xs text-soft">{reference}</span> })}
                    <a class="min-w-0 font-medium break-words text-ink" href=format!("/knowledge/documents/{}", row.id)>
                        {row.title.clone()}
                    </a>
                    {row.retired_at.map(|_| view! { <Badge tone=Tone::Warn text="retired" /> })}
                </div>
                <p class="text-xs break-words text-soft">{format!("{}/{}", row.collection, row.path)}</p>
                <p class="mt-1 text-xs text-soft lg:hidden">
                    {kind} <span class="md:hidden">{narrow}</span> " · "
                    <span class="sm:hidden">{format!("cited {} · ", text::count(row.citations, "time", "times"))}</span>
                    <Time at=row.updated_at />
                </p>
            </td>
            <td class="hidden lg:table-cell"><Badge text=kind /></td>
            <td class="hidden break-words md:table-cell" class:text-soft=row.status.is_empty()>{status}</td>
            <td class="number hidden md:table-cell">
                {text::number(row.chunks)}
                {waiting.map(|text| view! { <span class="block text-xs text-warn">{text}</span> })}
            </td>
            <td class="number hidden sm:table-cell" class:text-soft=row.citations == 0>{text::number(row.citations)}</td>
            <td class="hidden lg:table-cell"><Time at=row.updated_at /></td>
        </tr>
    }
}

use super::words::{address, consequence, place_name, takes, turns, whole};
use crate::{
    features::people::Person,
    ui::{DataTable, columns, text},
};
use leptos::prelude::*;
use wire::{Mention, MentionPlace, MentionRef, TableCount};

/// The rows of the person by table, folded below their sum.
#[component]
pub fn Counts(tables: Vec<TableCount>) -> impl IntoView {
    let rows = text::count(tables.iter().map(|table| table.rows).sum(), "row", "rows");
    let places = text::count(i64::try_from(tables.len()).unwrap_or(i64::MAX), "table", "tables");
    let lines = tables.into_iter().map(|table| {
        view! {
            <tr>
                <td title=table.table>{table.label}</td>
                <td class="text-soft">{table.database}</td>
                <td class="number">{text::number(table.rows)}</td>
            </tr>
        }
    });
    view! {
        <details class="card mb-6 overflow-x-auto">
            <summary class="px-3 py-2 text-sm">
                <span class="font-medium" data-testid="rows">{rows}</span> " of the person in " {places} " will be erased. " <span class="underline">"Show tables"</span>
            </summary>
            <div class="border-t border-line">
                <DataTable label="Rows of the person" class="data" rows=lines.collect_view() heads=columns([
                    ("What", ""), ("Database", ""), ("Rows", "number"),
                ]) />
            </div>
        </details>
    }
}

/// Rows of others that mention the person, each with what goes with it; with `ticked`, each can be chosen, and these are.
#[component]
pub fn Mentions(mentions: Vec<Mention>, #[prop(optional_no_strip)] ticked: Option<Vec<MentionRef>>) -> impl IntoView {
    let second = if ticked.is_some() { "Erase" } else { "What will be erased" };
    let rows = mentions.into_iter().map(|mention| {
        let goes = match &ticked {
            Some(ticked) if mention.place.is_erasable() => view! { <Choice mention=mention.clone() ticked=ticked.clone() /> }.into_any(),
            _ => view! { <p>{takes(&mention)} "."</p> <Consequence mention=mention.clone() /> }.into_any(),
        };
        let owner = mention.user_id.map(|user| view! { " · belongs to " <Person id=user name=mention.user_name /> });
        let name = place_name(mention.place);
        let place = match address(mention.place, mention.id) {
            Some(href) => view! { <a class="underline" href=href>{name}</a> }.into_any(),
            None => name.into_any(),
        };
        view! {
            <tr data-testid="mention">
                <td class="min-w-0">
                    <p class="text-xs text-soft">{place} {owner}</p>
                    <p class="break-words" dir="auto">{text::visible(&mention.excerpt)}</p>
                </td>
                <td class="w-2/5 min-w-36 text-sm" data-testid="goes">{goes}</td>
            </tr>
        }
    });
    view! {
        <section class="card mb-6 overflow-x-auto" aria-label="Mentions" tabindex="0">
            <DataTable label="Mentions" class="data" rows=rows.collect_view() heads=columns([("Mention in records of others", ""), (second, "")]) />
        </section>
    }
}

/// Chooses what goes: nothing, the row, or of a source with other turns only those that name the person.
#[component]
fn Choice(mention: Mention, ticked: Vec<MentionRef>) -> impl IntoView {
    let row = mention.row();
    let Some(extent) = mention.extent.clone().filter(|extent| extent.is_divisible()) else {
        let (value, checked) = (row.to_string(), ticked.contains(&row));
        return view! {
            <label class="flex items-start gap-2">
                <input class="mt-0.5 shrink-0" type="checkbox" name="mentions[]" value=value checked=checked />
                <span>{takes(&mention)}</span>
            </label>
            <Consequence mention />
        }
        .into_any();
    };
    let only = MentionRef { place: MentionPlace::Turns, ..row };
    let options = [("keep".to_owned(), "Nothing".to_owned(), false)]
        .into_iter()
        .chain([(only.to_string(), turns(&extent), ticked.contains(&only)), (row.to_string(), whole(&extent), ticked.contains(&row))]);
    let options = options.map(|(value, words, selected)| view! { <option value=value selected=selected>{words}</option> });
    let label = format!("What to erase of this {}", extent.form.as_str().replace('_', " "));
    let of_turns = Mention { place: MentionPlace::Turns, ..mention.clone() };
    view! {
        <select class="input" name="mentions[]" aria-label=label>{options.collect_view()}</select>
        <Consequence mention=of_turns />
        <Consequence mention />
    }
    .into_any()
}

/// What happens to the memories that quote a source.
#[component]
fn Consequence(mention: Mention) -> impl IntoView {
    consequence(&mention).map(|says| view! { <p class="mt-1 text-xs text-soft">{says}</p> })
}

use crate::ui::{Badge, text};
use leptos::prelude::*;
use wire::{SearchSource, SourceHit};

/// The hits of a search with the weights in force, beside those with other weights.
#[component]
pub fn Tried(now: Vec<SourceHit>, tried: Vec<SourceHit>) -> impl IntoView {
    let same = now.iter().map(key).eq(tried.iter().map(key));
    let verdict = match (now.is_empty(), same) {
        (true, true) => "No hits with either set of weights.",
        (false, true) => "The same hits in the same order.",
        (_, false) => "The hits or their order differ.",
    };
    let moves: Vec<String> =
        tried.iter().enumerate().map(|(rank, hit)| moved(rank, now.iter().position(|one| key(one) == key(hit)))).collect();
    let gone: Vec<String> =
        now.iter().map(|hit| if tried.iter().any(|one| key(one) == key(hit)) { String::new() } else { "no longer a hit".into() }).collect();
    view! {
        <p class="mb-2 text-sm" data-testid="verdict">{verdict}</p>
        <div class="grid items-start gap-4 md:grid-cols-2">
            <Hits title="With the weights in force" hits=now notes=gone />
            <Hits title="With the weights to try" hits=tried notes=moves />
        </div>
    }
}

#[component]
fn Hits(
    title: &'static str,
    hits: Vec<SourceHit>,
    /// What happened to each hit; empty if nothing did.
    notes: Vec<String>,
) -> impl IntoView {
    let none = hits.is_empty().then(|| view! { <p class="px-4 py-3 text-sm text-soft">"No hits."</p> });
    let row = |(hit, note): (SourceHit, String)| {
        view! {
            <li class="border-b border-line px-4 py-2 last:border-b-0">
                <p class="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
                    <span class="min-w-0 font-medium wrap-anywhere">{text::visible(&hit.title)}</span>
                    <span class="text-xs text-soft">{name(hit.source)}</span>
                    {(!note.is_empty()).then(|| view! { <Badge text=note /> })}
                    <span class="ml-auto text-sm text-soft">{format!("{:.2}", hit.score)}</span>
                </p>
                <p class="line-clamp-2 text-sm wrap-anywhere text-soft" dir="auto">{text::visible(&hit.content)}</p>
            </li>
        }
    };
    view! {
        <section class="card min-w-0" aria-label=title>
            <h3 class="border-b border-line px-4 py-2 text-sm">{title}</h3>
            {none}
            <ol>{hits.into_iter().zip(notes).map(row).collect_view()}</ol>
        </section>
    }
}

fn key(hit: &SourceHit) -> (SearchSource, uuid::Uuid) {
    (hit.source, hit.id)
}

/// How far a hit moved from its former rank; empty if it did not.
fn moved(rank: usize, before: Option<usize>) -> String {
    match before {
        None => "new".to_owned(),
        Some(before) if before > rank => format!("up {}", before - rank),
        Some(before) if before < rank => format!("down {}", rank - before),
        Some(_) => String::new(),
    }
}

fn name(source: SearchSource) -> &'static str {
    match source {
        SearchSource::Memory => "Memory",
        SearchSource::Audit => "Reported action",
        SearchSource::Workflow => "Workflow step",
        SearchSource::Knowledge => "Document",
    }
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn a_hit_moves_from_its_former_rank() {
        let moves = [(0, None), (0, Some(2)), (3, Some(1)), (1, Some(1))].map(|(rank, before)| moved(rank, before));
        assert_eq!(moves, ["new", "up 2", "down 2", ""]);
    }
}

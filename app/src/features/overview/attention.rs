use crate::ui::{Icon, Shape, Titled, text};
use chrono::TimeDelta;
use leptos::prelude::*;
use wire::{Attention, ReviewNumbers};

/// Seconds that a row of the outbox may wait for delivery.
const LATE: i64 = 60;

/// Most agents that an item names.
const NAMED: usize = 5;

/// Something that needs attention.
#[derive(Clone, Debug, PartialEq)]
struct Item {
    count: i64,
    name: &'static str,
    says: String,
    href: &'static str,
}

/// What is broken, and what waits for review, each with its number and a link to where it is solved.
#[component]
pub fn NeedsAttention(attention: Attention, review: ReviewNumbers) -> impl IntoView {
    let (broken, waiting) = (broken(&attention), waiting(&attention, &review));
    let body = if broken.is_empty() && waiting.is_empty() {
        view! {
            <p class="card flex items-center gap-2 px-4 py-3 text-sm" data-testid="calm">
                <span class="text-good">
                    <Icon shape=Shape::Done />
                </span>
                "Nothing is broken, and nothing is waiting for review."
            </p>
        }
        .into_any()
    } else {
        view! {
            <div class="grid items-start gap-4 lg:grid-cols-2">
                <Items title="Broken" class="text-danger" calm="Nothing is broken." items=broken />
                <Items title="Waiting for review" class="text-ink" calm="Nothing is waiting for review." items=waiting />
            </div>
        }
        .into_any()
    };
    view! {
        <Titled id="attention" title="Needs attention">
            {body}
        </Titled>
    }
}

#[component]
fn Items(title: &'static str, class: &'static str, calm: &'static str, items: Vec<Item>) -> impl IntoView {
    let none = items.is_empty().then(|| view! { <p class="px-4 py-3 text-sm text-soft">{calm}</p> });
    let row = |item: Item| {
        view! {
            <li class="border-b border-line last:border-b-0">
                <a class="flex items-baseline gap-3 px-4 py-2.5 text-ink hover:bg-sunken hover:no-underline" href=item.href data-testid="attention">
                    <span class=format!("min-w-16 shrink-0 text-right text-xl font-semibold {class}") data-testid="count">{text::total_number(item.count)}</span>
                    " "
                    <span class="min-w-0">
                        <span class="block font-medium">{item.name}</span>
                        " "
                        <span class="block text-sm text-soft">{item.says}</span>
                    </span>
                </a>
            </li>
        }
    };
    let list = (!items.is_empty()).then(|| view! { <ul>{items.into_iter().map(row).collect_view()}</ul> });
    view! {
        <div class="card min-w-0">
            <h3 class="border-b border-line px-4 py-2 text-sm">{title}</h3>
            {none}
            {list}
        </div>
    }
}

fn broken(attention: &Attention) -> Vec<Item> {
    let week = attention.week;
    let late = attention.outbox > 0 && attention.outbox_seconds >= LATE;
    let waited = text::duration(TimeDelta::seconds(attention.outbox_seconds));
    let dead = "All attempts failed. Read the error, then retry.";
    let known = format!("Of {} in the last 7 days that expected a result.", text::count(week.expected, "recall", "recalls"));
    some([
        (attention.memory_dead, ("Failed memory job", "Failed memory jobs"), dead.to_owned(), "/events?state=dead"),
        (attention.knowledge_dead, ("Failed knowledge job", "Failed knowledge jobs"), dead.to_owned(), "/events?bus=knowledge&state=dead"),
        (
            attention.ingest_failures,
            ("File that failed to import", "Files that failed to import"),
            "In the latest ingestion of each collection.".to_owned(),
            "/knowledge/runs",
        ),
        (
            if late { attention.outbox } else { 0 },
            ("Undelivered change", "Undelivered changes"),
            format!("The oldest has waited {waited}."),
            "/audit",
        ),
        (
            attention.late_vectors,
            ("Memory without a vector", "Memories without a vector"),
            "For more than a minute. Recalls find them by their words only.".to_owned(),
            "/events?task=embed",
        ),
        (week.expected_zero_hits, ("Missed expected result", "Missed expected results"), known, "/recall?days=7&expected=true"),
        (
            attention.exhausted_accounts,
            ("Account without credit", "Accounts without credit"),
            "Their calls of paid models are refused.".to_owned(),
            "/usage",
        ),
        (attention.blocked_agents, ("Blocked agent", "Blocked agents"), "Their keys are refused.".to_owned(), "/agents"),
        (
            count(&attention.refused_agents),
            ("Agent with refused calls", "Agents with refused calls"),
            format!(
                "{}. A key has ended, lacks a right or calls too often: look at the keys of the agent.",
                names(&attention.refused_agents)
            ),
            "/agents",
        ),
        (
            count(&attention.silent_agents),
            ("Agent without calls for a week", "Agents without calls for a week"),
            format!("{}. Look at the keys of the agent and at the host where it runs.", names(&attention.silent_agents)),
            "/agents",
        ),
    ])
}

fn count(agents: &[String]) -> i64 {
    i64::try_from(agents.len()).unwrap_or(i64::MAX)
}

/// The first names of a list, for a sentence.
fn names(agents: &[String]) -> String {
    let shown = agents.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match agents.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn waiting(attention: &Attention, review: &ReviewNumbers) -> Vec<Item> {
    some([
        (
            review.candidates,
            ("Candidate in the inbox", "Candidates in the inbox"),
            "Agents recall them once you confirm them.".to_owned(),
            "/inbox",
        ),
        (review.terms, ("Proposed term", "Proposed terms"), "Phrases that the vocabulary does not know yet.".to_owned(), "/vocabulary"),
        (
            review.suggestions,
            ("Suggestion", "Suggestions"),
            "Active memories that may say the same or contradict each other.".to_owned(),
            "/inbox/suggestions",
        ),
        (
            review.contradicted,
            ("Contradicted memory", "Contradicted memories"),
            "Agents recall both sides until you say which one is right.".to_owned(),
            "/memories?status=contradicted",
        ),
        (
            review.quarantined,
            ("Turn in quarantine", "Turns in quarantine"),
            "Text that reads like an instruction for an agent. Release or dismiss it.".to_owned(),
            "/inbox/quarantine",
        ),
        (
            review.shared,
            ("Shared memory to confirm", "Shared memories to confirm"),
            "All agents recall them, and no person has confirmed them.".to_owned(),
            "/memories?unreviewed=true",
        ),
        (attention.erasures, ("Erasure to confirm", "Erasures to confirm"), "Another admin requested them.".to_owned(), "/erasure"),
    ])
}

/// The items that there are, each with its name for one and for more.
fn some<const N: usize>(items: [(i64, (&'static str, &'static str), String, &'static str); N]) -> Vec<Item> {
    let item = |(count, (one, more), says, href)| Item { count, name: if count == 1 { one } else { more }, says, href };
    items.into_iter().filter(|(count, ..)| *count > 0).map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::RecallCounts;

    #[test]
    fn only_what_there_is_needs_attention() {
        let calm = Attention {
            outbox: 3,
            outbox_seconds: LATE - 1,
            week: RecallCounts { recalls: 9, zero_hits: 4, ..RecallCounts::default() },
            ..Attention::default()
        };
        assert_eq!((broken(&calm), waiting(&calm, &ReviewNumbers::default())), (vec![], vec![]));
    }

    #[test]
    fn each_item_has_its_number_and_its_page() {
        let week = RecallCounts { recalls: 9, zero_hits: 4, expected: 5, expected_zero_hits: 2 };
        let attention = Attention {
            memory_dead: 12,
            knowledge_dead: 1,
            ingest_failures: 3,
            outbox: 4,
            outbox_seconds: 200,
            late_vectors: 14,
            week,
            blocked_agents: 5,
            refused_agents: vec!["atlas".to_owned(); 7],
            silent_agents: vec!["binky".to_owned(), "mole".to_owned()],
            exhausted_accounts: 6,
            erasures: 8,
        };
        let review = ReviewNumbers { candidates: 10, terms: 7, suggestions: 9, contradicted: 15, quarantined: 11, shared: 13 };
        let list = |items: Vec<Item>| items.into_iter().map(|item| (item.count, item.href)).collect::<Vec<_>>();
        assert_eq!(
            list(broken(&attention)),
            [
                (12, "/events?state=dead"),
                (1, "/events?bus=knowledge&state=dead"),
                (3, "/knowledge/runs"),
                (4, "/audit"),
                (14, "/events?task=embed"),
                (2, "/recall?days=7&expected=true"),
                (6, "/usage"),
                (5, "/agents"),
                (7, "/agents"),
                (2, "/agents")
            ]
        );
        assert_eq!(
            list(waiting(&attention, &review)),
            [
                (10, "/inbox"),
                (7, "/vocabulary"),
                (9, "/inbox/suggestions"),
                (15, "/memories?status=contradicted"),
                (11, "/inbox/quarantine"),
                (13, "/memories?unreviewed=true"),
                (8, "/erasure")
            ]
        );
        assert_eq!(broken(&attention)[3].says, "The oldest has waited 3 min 20 s.");
        assert!(broken(&attention)[8].says.starts_with("atlas, atlas, atlas, atlas, atlas and 2 more. A key has ended"));
        assert!(broken(&attention)[9].says.starts_with("binky, mole. Look at the keys"));
    }
}

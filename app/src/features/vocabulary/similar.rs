//! Proposals that resemble each other in spelling.

use crate::{query::Query, ui::text};
use leptos::prelude::*;
use remembrancer::vocabulary::near_spellings;
use wire::{Proposal, ProposalId};

/// Proposals in their order, except that those that resemble an earlier one follow it.
pub fn grouped(rows: Vec<Proposal>) -> Vec<Proposal> {
    let near = near_spellings(&rows.iter().map(|row| row.phrase.as_str()).collect::<Vec<_>>());
    let mut rows: Vec<Option<Proposal>> = rows.into_iter().map(Some).collect();
    let order = near.into_iter().enumerate().flat_map(|(at, near)| std::iter::once(at).chain(near));
    order.filter_map(|at| rows.get_mut(at)?.take()).collect()
}

/// The proposals of a list that resemble one of it.
pub fn similar_to(rows: &[Proposal], id: ProposalId) -> Vec<Proposal> {
    let near = near_spellings(&rows.iter().map(|row| row.phrase.as_str()).collect::<Vec<_>>());
    let place = rows.iter().position(|row| row.id == id);
    let near = place.and_then(|at| near.into_iter().nth(at)).unwrap_or_default();
    near.into_iter().filter_map(|at| rows.get(at).cloned()).collect()
}

/// The other proposals that resemble one, with the way to merge all of them; nothing if there are none.
#[component]
pub fn Similar(id: ProposalId, similar: Vec<Proposal>, here: String) -> impl IntoView {
    (!similar.is_empty()).then(|| {
        let ids = similar.iter().fold(id.to_string(), |ids, row| format!("{ids},{}", row.id));
        let href = Query::default().with("ids", ids).with("what", "merge").with("back", here).href("/vocabulary/decide");
        let item = |row: Proposal| {
            view! {
                <li class="flex justify-between gap-3 px-3 py-1.5 text-sm">
                    <span class="min-w-0 break-words">{text::visible(&row.phrase)}</span>
                    <span class="shrink-0 text-soft">{text::count(row.count, "use", "uses")}</span>
                </li>
            }
        };
        view! {
            <section class="space-y-1.5" aria-labelledby="similar" data-testid="similar">
                <h3 class="font-semibold" id="similar">"Similar proposals"</h3>
                <ul class="divide-y divide-line rounded-md border border-line">{similar.into_iter().map(item).collect_view()}</ul>
                <a class="button" href=href>"Merge all of them…"</a>
            </section>
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use uuid::Uuid;
    use wire::ProposalStatus;

    #[test]
    fn near_spellings_follow_each_other_and_other_numbers_do_not() {
        let row = |(n, phrase): (u128, &str)| Proposal {
            id: ProposalId(Uuid::from_u128(n)),
            phrase: phrase.to_owned(),
            status: ProposalStatus::Open,
            count: 1,
            agents: vec![],
            first_seen: DateTime::UNIX_EPOCH,
            last_seen: DateTime::UNIX_EPOCH,
            decision: None,
        };
        let rows: Vec<_> = (0..).zip(["mooring place", "harbour dues", "node 12", "moorings place", "node 21"]).map(row).collect();
        let phrases = |rows: Vec<Proposal>| rows.into_iter().map(|row| row.phrase).collect::<Vec<_>>();
        assert_eq!(phrases(similar_to(&rows, rows[3].id)), ["mooring place"]);
        assert_eq!(phrases(similar_to(&rows, ProposalId(Uuid::max()))), Vec::<String>::new());
        assert_eq!(phrases(grouped(rows)), ["mooring place", "moorings place", "harbour dues", "node 12", "node 21"]);
    }
}

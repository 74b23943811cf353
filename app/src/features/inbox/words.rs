//! Candidates and decisions about them in words.

use crate::{features::vocabulary::names, ui::text::count};
use wire::{InboxOutcome, InboxSuggestion, InboxVerdict, MemoryId, MemoryKind, MemoryStatus, SuggestionRelation};

pub fn number(ids: &[MemoryId]) -> i64 {
    i64::try_from(ids.len()).unwrap_or(i64::MAX)
}

/// `3 candidates`.
pub fn candidates(n: i64) -> String {
    count(n, "candidate", "candidates")
}

pub fn kind(kind: MemoryKind) -> String {
    let text = kind.as_str().replace('_', " ");
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// How a candidate relates to the other memory of a suggestion, before the other's text.
pub fn relation(suggestion: &InboxSuggestion) -> &'static str {
    match (suggestion.relation, suggestion.outgoing) {
        (SuggestionRelation::Duplicates, _) => "Says the same as",
        (SuggestionRelation::Contradicts, _) => "Contradicts",
        (SuggestionRelation::Supersedes, true) => "Corrects",
        (SuggestionRelation::Supersedes, false) => "Is corrected by",
    }
}

/// What the other side of a suggestion is.
pub fn other(suggestion: &InboxSuggestion) -> &'static str {
    if suggestion.other_status == MemoryStatus::Inbox { "another candidate" } else { "another memory" }
}

/// What happens if the suggestion is accepted.
pub fn consequence(suggestion: &InboxSuggestion) -> &'static str {
    match (suggestion.relation, suggestion.outgoing) {
        (SuggestionRelation::Duplicates, _) => "If you merge, the other memory gets this evidence and the candidate disappears.",
        (SuggestionRelation::Contradicts, _) => {
            "If you accept, both are kept and marked as contradicting each other. The candidate still waits."
        }
        (SuggestionRelation::Supersedes, true) => {
            "If you accept, the candidate becomes active and the other memory is superseded. Its history is kept."
        }
        (SuggestionRelation::Supersedes, false) => "If you accept, the other memory stays and this candidate is superseded.",
    }
}

/// A sentence that says what a decision did.
pub fn summary(verdict: &InboxVerdict, outcome: &InboxOutcome) -> String {
    let (changed, merged) = (number(&outcome.changed), number(&outcome.merged));
    let mut text = match verdict {
        InboxVerdict::Confirm { .. } if changed > 0 && changed == merged => match merged {
            1 => "The candidate was merged into a memory that says the same.".to_owned(),
            n => format!("{} were merged into memories that say the same.", candidates(n)),
        },
        InboxVerdict::Confirm { .. } => format!("Confirmed {}.", candidates(changed)),
        InboxVerdict::Reject { .. } => format!("Rejected {}.", candidates(changed)),
        InboxVerdict::Merge { .. } => format!("Merged {}.", candidates(changed)),
        InboxVerdict::Undo => format!("Undone: {} again.", count(changed, "candidate waits", "candidates wait")),
    };
    if matches!(verdict, InboxVerdict::Confirm { .. }) && merged > 0 && merged < changed {
        text.push_str(&format!(" {} merged into memories that say the same.", count(merged, "of them was", "of them were")));
    }
    match number(&outcome.shared) {
        0 => {}
        1 if changed == 1 => text.push_str(" All agents read it."),
        n => text.push_str(&format!(" {n} of them {} read by all agents now.", if n == 1 { "is" } else { "are" })),
    }
    match number(&outcome.unchanged) {
        0 => {}
        1 => text.push_str(" One was decided already."),
        n => text.push_str(&format!(" {n} were decided already.")),
    }
    if !outcome.new_topics.is_empty() {
        let verb = if outcome.new_topics.len() == 1 { "is" } else { "are" };
        text.push_str(&format!(" {} {verb} proposed as {}.", names(&outcome.new_topics), if verb == "is" { "a term" } else { "terms" }));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn the_outcome_agrees_in_number() {
        let ids = |n: u128| (0..n).map(|i| MemoryId(Uuid::from_u128(i))).collect::<Vec<_>>();
        let confirm = InboxVerdict::confirm();
        let outcome = |changed, merged, unchanged, topics: &[&str]| InboxOutcome {
            changed: ids(changed),
            merged: ids(merged),
            unchanged: ids(unchanged),
            new_topics: topics.iter().map(|topic| (*topic).to_owned()).collect(),
            disputed: Vec::new(),
            shared: Vec::new(),
        };
        assert_eq!(summary(&confirm, &outcome(1, 0, 0, &["tea"])), "Confirmed 1 candidate. “tea” is proposed as a term.");
        assert_eq!(
            summary(&confirm, &outcome(12, 2, 1, &["tea", "milk"])),
            "Confirmed 12 candidates. 2 of them were merged into memories that say the same. One was decided already. \
             “tea” and “milk” are proposed as terms."
        );
        assert_eq!(summary(&confirm, &outcome(1, 1, 0, &[])), "The candidate was merged into a memory that says the same.");
        assert_eq!(summary(&InboxVerdict::Undo, &outcome(1, 0, 0, &[])), "Undone: 1 candidate waits again.");
        assert_eq!(
            summary(&InboxVerdict::Reject { reason: "x".into() }, &outcome(0, 0, 2, &[])),
            "Rejected 0 candidates. 2 were decided already."
        );
    }

    #[test]
    fn kinds_begin_with_a_capital() {
        assert_eq!(kind(MemoryKind::TaskHint), "Task hint");
    }
}

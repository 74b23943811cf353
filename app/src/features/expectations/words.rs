//! Runs and results in words.

use crate::{
    features::recall::gate_name,
    ui::{Badge, Tone, text},
};
use leptos::prelude::*;
use wire::{ExpectationChange, ExpectationOrigin, ExpectationOutcome, ExpectationRow, ExpectationRun, RunCause};

pub const CANNOT_CHANGE: &str = "Adding expectations requires the role “reviewer”. Ask an administrator for it.";

/// A number from 0 to 1: `0.875`, or `–` if nothing was counted.
pub fn score(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
}

/// A number of the last run, and of the one before.
pub fn compared(last: Option<f64>, before: Option<&ExpectationRun>, of: fn(&ExpectationRun) -> Option<f64>) -> String {
    match before {
        Some(before) => format!("{} (before {})", score(last), score(of(before))),
        None => score(last),
    }
}

/// What changed between the last two runs.
pub fn changes(won: i64, lost: i64) -> String {
    match (won, lost) {
        (0, 0) => "no change".to_owned(),
        (won, 0) => format!("{} newly met", text::number(won)),
        (0, lost) => format!("{} no longer met", text::number(lost)),
        (won, lost) => format!("{} newly met, {} no longer met", text::number(won), text::number(lost)),
    }
}

pub fn cause(cause: RunCause) -> &'static str {
    match cause {
        RunCause::Requested => "requested",
        RunCause::Changed => "after a change of model, thresholds or vocabulary",
    }
}

pub fn origin(origin: ExpectationOrigin) -> &'static str {
    match origin {
        ExpectationOrigin::ZeroHit => "recall that found nothing",
        ExpectationOrigin::Retrieval => "recall log",
        ExpectationOrigin::Playground => "playground",
        ExpectationOrigin::Diagnosis => "diagnosis",
    }
}

/// Whether an expectation is met.
pub fn state(row: &ExpectationRow) -> AnyView {
    let badge = |tone: Tone, text: &'static str, title: &'static str| view! { <Badge tone text title /> }.into_any();
    match &row.outcome {
        _ if row.is_gone() => badge(Tone::Plain, "memory gone", "Its memories were deleted or erased. It is not counted."),
        None => badge(Tone::Plain, "not run yet", "No run has included it yet."),
        Some(outcome) if outcome.expected == 0 => badge(Tone::Plain, "not counted", "Its memories were gone at the last run."),
        Some(outcome) if outcome.is_met() => badge(Tone::Good, "met", "Every expected memory was found."),
        Some(_) => badge(Tone::Danger, "not met", "An expected memory was not found."),
    }
}

/// How an expectation changed since the run before.
pub fn change(change: Option<ExpectationChange>) -> Option<AnyView> {
    let (tone, text) = match change? {
        ExpectationChange::Won => (Tone::Good, "newly met"),
        ExpectationChange::Lost => (Tone::Danger, "no longer met"),
    };
    Some(view! { <Badge tone text /> }.into_any())
}

/// What the last run found for an expectation, in a sentence.
pub fn result(outcome: &ExpectationOutcome) -> String {
    let rank = outcome.rank.map(|rank| format!("rank {rank}"));
    let part = (outcome.expected > 1).then(|| format!("{} of {} found", outcome.found, outcome.expected));
    let stopped = match outcome.stopped_by {
        Some(gate) => Some(format!("stopped by {}", gate_name(gate))),
        None if outcome.found < outcome.expected => Some("the recall was refused".to_owned()),
        None => None,
    };
    [part, rank, stopped].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::Gate;

    #[test]
    fn a_result_is_a_sentence() {
        let outcome = |expected, found, rank, stopped_by| ExpectationOutcome { expected, found, rank, stopped_by };
        assert_eq!(result(&outcome(1, 1, Some(3), None)), "rank 3");
        assert_eq!(result(&outcome(2, 1, Some(1), Some(Gate::Floor))), "1 of 2 found, rank 1, stopped by Relevance floor");
        assert_eq!(result(&outcome(1, 0, None, None)), "the recall was refused");
    }

    #[test]
    fn what_changed_is_said_in_words() {
        assert_eq!(changes(0, 0), "no change");
        assert_eq!(changes(2, 0), "2 newly met");
        assert_eq!(changes(1, 3), "1 newly met, 3 no longer met");
        assert_eq!((score(Some(0.5)), score(None)), ("0.500".to_owned(), "–".to_owned()));
    }
}

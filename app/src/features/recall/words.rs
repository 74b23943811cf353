//! Labels of causes, states and sources.

use crate::ui::{Badge, Tone};
use leptos::prelude::*;
use wire::{Gate, GateOutcome, MatchedBy, NearMissState, Retrieval, SourceTag, ZeroHitCause};

pub fn cause_name(cause: ZeroHitCause) -> &'static str {
    match cause {
        ZeroHitCause::NothingStored => "nothing stored",
        ZeroHitCause::BelowFloor => "all below the floor",
        ZeroHitCause::FilteredOut => "filtered out",
        ZeroHitCause::Degraded => "search degraded",
    }
}

/// What the relevance of a candidate compares: meanings or words.
pub fn relevance_name(matched_by: MatchedBy) -> &'static str {
    match matched_by {
        MatchedBy::Vector | MatchedBy::Both => "Similarity",
        MatchedBy::Lexical => "Words",
    }
}

pub fn gate_name(gate: Gate) -> &'static str {
    match gate {
        Gate::Tenant => "Organisation",
        Gate::Key => "Key",
        Gate::Agent => "Agent",
        Gate::User => "User",
        Gate::Status => "Status",
        Gate::Deleted => "Deletion",
        Gate::Expired => "Expiry",
        Gate::Archived => "Archive",
        Gate::Filters => "Filters",
        Gate::Scope => "Scope",
        Gate::Vector => "Vector",
        Gate::Vocabulary => "Vocabulary",
        Gate::Similarity => "Similarity",
        Gate::Words => "Words",
        Gate::Floor => "Relevance floor",
        Gate::Rank => "Candidates",
        Gate::K => "Hit limit",
    }
}

/// What the search compared to find a candidate.
pub fn matched_name(matched_by: MatchedBy) -> &'static str {
    match matched_by {
        MatchedBy::Vector => "by meaning",
        MatchedBy::Lexical => "by words",
        MatchedBy::Both => "by meaning and words",
    }
}

/// The badge of a candidate: whether it passed the floor, and whether it is a hit.
pub fn candidate_badge(passed: bool, is_hit: bool) -> impl IntoView {
    let (tone, text) = match (passed, is_hit) {
        (_, true) => (Tone::Good, "in the answer"),
        (true, false) => (Tone::Plain, "over the hit limit"),
        (false, false) => (Tone::Warn, "below the floor"),
    };
    view! { <Badge tone text /> }
}

pub fn gate_badge(outcome: GateOutcome) -> impl IntoView {
    let (tone, text, title) = match outcome {
        GateOutcome::Passed => (Tone::Good, "passed", "The memory passes."),
        GateOutcome::Short => (Tone::Warn, "falls short", "Below the limit here. Another gate can make up for it."),
        GateOutcome::Stopped => (Tone::Danger, "stopped", "The memory stops here."),
        GateOutcome::Open => (Tone::Plain, "not checked", "This gate was not checked."),
    };
    view! { <Badge tone text title /> }
}

pub fn cause_sentence(cause: ZeroHitCause, degraded: &[String], stopped: Option<NearMissState>) -> String {
    match cause {
        ZeroHitCause::NothingStored => {
            "Nothing stored: the agent had no memories of its own to search, and no shared memory was relevant enough.".to_owned()
        }
        ZeroHitCause::BelowFloor => "All below the floor: no memory was relevant enough.".to_owned(),
        ZeroHitCause::FilteredOut => stopped_sentence(stopped),
        ZeroHitCause::Degraded if degraded.is_empty() => "Search degraded: a part of the search could not run.".to_owned(),
        ZeroHitCause::Degraded => format!("Search degraded: a part of the search could not run ({}).", degraded.join(", ")),
    }
}

/// Why a relevant memory was no hit.
pub fn stopped_sentence(stopped: Option<NearMissState>) -> String {
    let why = match stopped {
        Some(NearMissState::Archived) => "it is archived",
        Some(NearMissState::Deleted) => "it was deleted",
        Some(NearMissState::Expired) => "its retention period ended",
        Some(NearMissState::Filtered) => "the filters of this recall exclude it",
        Some(NearMissState::Inbox) => "it waits in the inbox",
        Some(NearMissState::OtherUser) => "it belongs to another user",
        Some(NearMissState::Superseded) => "another memory supersedes it",
        Some(NearMissState::BelowFloor) | None => "this recall could not return it",
    };
    format!("Filtered out: a relevant memory exists, but {why}.")
}

/// The label of a near miss's state.
fn state_name(state: NearMissState) -> &'static str {
    match state {
        NearMissState::BelowFloor => "below the floor",
        NearMissState::Deleted => "deleted",
        NearMissState::Expired => "expired",
        NearMissState::Archived => "archived",
        NearMissState::Inbox => "waits in the inbox",
        NearMissState::Superseded => "superseded",
        NearMissState::OtherUser => "another user’s",
        NearMissState::Filtered => "outside the recall’s filters",
    }
}

/// The badge of a near miss's state; none below the floor, which the bar shows.
pub fn state_badge(state: NearMissState) -> Option<AnyView> {
    let tone = match state {
        NearMissState::BelowFloor => return None,
        NearMissState::Deleted => Tone::Danger,
        _ => Tone::Warn,
    };
    Some(view! { <Badge tone text=state_name(state) /> }.into_any())
}

pub fn source_badge(tag: SourceTag) -> impl IntoView {
    let (tone, title) = match tag {
        SourceTag::Private => (Tone::Plain, "The agent's own memory."),
        SourceTag::Shared => (Tone::Accent, "The memory that all agents of the organisation share."),
        SourceTag::Canonical => (Tone::Good, "Decided knowledge: specifications, decisions, documents."),
    };
    view! { <Badge tone text=tag.as_str() title=title /> }
}

/// Badges for everything unusual about a recall.
pub fn outcome_badges(retrieval: &Retrieval) -> impl IntoView + use<> {
    let silent =
        retrieval.zero_hit.then(|| view! { <Badge tone=Tone::Warn text="found nothing" title="No memory reached the relevance floor." /> });
    let outranked = (!retrieval.zero_hit && retrieval.hits == 0)
        .then(|| view! { <Badge text="only documents" title="Memories reached the relevance floor, but documents ranked higher." /> });
    let context = retrieval.for_context.then(|| view! { <Badge text="context" title="The search behind a context before a task." /> });
    let expected = retrieval.expected.then(|| view! { <Badge text="result expected" title="The agent expected a result." /> });
    let degraded = (!retrieval.degraded.is_empty()).then(|| {
        let text = format!("degraded: {}", retrieval.degraded.join(", "));
        view! { <Badge tone=Tone::Danger text title="Part of the search could not run." /> }
    });
    (silent, outranked, context, expected, degraded)
}

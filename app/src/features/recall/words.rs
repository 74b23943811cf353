//! Labels of causes, states and sources.

use crate::ui::{Badge, Tone};
use leptos::prelude::*;
use remembrancer::api::{NearMissState, Retrieval, SourceTag, ZeroHitCause};

/// The label of a cause.
pub fn cause_name(cause: ZeroHitCause) -> &'static str {
    match cause {
        ZeroHitCause::NothingStored => "nothing stored",
        ZeroHitCause::BelowFloor => "all below the floor",
        ZeroHitCause::FilteredOut => "filtered out",
        ZeroHitCause::Degraded => "search degraded",
    }
}

/// A sentence that explains a cause.
pub fn cause_sentence(cause: ZeroHitCause, degraded: &[String]) -> String {
    match cause {
        ZeroHitCause::NothingStored => "Nothing stored: the agent had no memory that could be searched.".to_owned(),
        ZeroHitCause::BelowFloor => "All below the floor: there were memories, and none was relevant enough.".to_owned(),
        ZeroHitCause::FilteredOut => "Filtered out: a relevant memory exists, and this recall could not reach it.".to_owned(),
        ZeroHitCause::Degraded if degraded.is_empty() => "Search degraded: a part of the search could not run.".to_owned(),
        ZeroHitCause::Degraded => format!("Search degraded: a part of the search could not run ({}).", degraded.join(", ")),
    }
}

/// The label of a near miss's state.
fn state_name(state: NearMissState) -> &'static str {
    match state {
        NearMissState::BelowFloor => "below the floor",
        NearMissState::Deleted => "deleted",
        NearMissState::Expired => "expired",
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
        NearMissState::Expired | NearMissState::Superseded => Tone::Warn,
        NearMissState::OtherUser | NearMissState::Filtered => Tone::Plain,
    };
    Some(view! { <Badge tone text=state_name(state) /> }.into_any())
}

/// The badge of a source.
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
    let silent = retrieval.zero_hit.then(|| view! { <Badge tone=Tone::Warn text="zero hit" title="No memory reached the floor." /> });
    let expected = retrieval.expected.then(|| view! { <Badge text="expected" title="The agent said that it should know this." /> });
    let degraded = (!retrieval.degraded.is_empty()).then(|| {
        let text = format!("degraded: {}", retrieval.degraded.join(", "));
        view! { <Badge tone=Tone::Danger text title="Part of the search could not run." /> }
    });
    (silent, expected, degraded)
}

use crate::ui::{Badge, Tone};
use leptos::prelude::*;
use wire::{NoticeKind, WebhookState};

/// What happened, as a choice of a form.
pub fn event(kind: NoticeKind) -> &'static str {
    match kind {
        NoticeKind::MemoryStored => "A memory is stored",
        NoticeKind::MemoryChanged => "A memory is changed, deleted or restored",
        NoticeKind::CandidateWaiting => "A candidate waits for review",
        NoticeKind::ZeroHitExpected => "A recall that expects a hit finds nothing",
        NoticeKind::JobDead => "All attempts of a job failed",
        NoticeKind::ErasureConfirmed => "The erasure of a person is confirmed",
    }
}

pub fn state(state: WebhookState) -> impl IntoView + use<> {
    let (tone, text, title) = match state {
        WebhookState::Active => (Tone::Good, "active", "The server calls this address."),
        WebhookState::Paused => (Tone::Plain, "paused", "The server does not call this address. Resume sends the events of the last day."),
        WebhookState::Disabled => (Tone::Danger, "disabled", "The server stopped calling this address because deliveries failed."),
    };
    view! { <Badge tone text title /> }
}

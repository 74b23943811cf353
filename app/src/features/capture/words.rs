//! Sources and events in words.

use crate::ui::{Badge, Tone};
use leptos::prelude::*;
use wire::{EventBus, EventKind, EventState, SourceForm, SourceRow};

pub fn form(form: SourceForm) -> &'static str {
    match form {
        SourceForm::Transcript => "Transcript",
        SourceForm::Note => "Note",
        SourceForm::Summary => "Summary",
        SourceForm::Document => "Document",
        SourceForm::ToolOutput => "Tool output",
        SourceForm::Attachment => "Attachment",
    }
}

/// What caused an event.
pub fn kind(kind: EventKind) -> &'static str {
    match kind {
        EventKind::ManualWrite => "Manual write",
        EventKind::SessionClose => "Session close",
        EventKind::ConversationCapture => "Conversation capture",
        EventKind::Observation => "Observation",
        EventKind::Maintenance => "Maintenance",
    }
}

/// What workers do for events: tasks with their names.
pub const TASKS: [(&str, &str); 18] = [
    ("remember", "Store a memory"),
    ("embed", "Compute the vector of a memory"),
    ("settle_links", "Update the statuses of contradicting memories"),
    ("recanonicalise", "Refile memories after a decision on the vocabulary"),
    ("embed_terms", "Compute the vectors of terms"),
    ("embed_document", "Compute the vectors of a document"),
    ("embed_imported", "Compute the vectors of imported memories"),
    ("index_profile", "Compute the vectors of a profile"),
    ("extract", "Extract candidates from a source"),
    ("survey", "Compare active memories"),
    ("sweep", "Archive what faded or expired"),
    ("run_expectations", "Run a set of expectations"),
    ("synthesise", "Combine observations into candidates"),
    ("consolidate", "Compare candidates with the memory"),
    ("ingest", "Add a candidate to the inbox"),
    ("observe", "Keep an observation"),
    ("erase", "Erase a person"),
    ("webhook", "Send a notice to a webhook"),
];

/// What a worker does for an event.
pub fn task(task: &str) -> String {
    let known = TASKS.iter().find(|(name, _)| *name == task).map(|(_, words)| *words);
    known.map_or_else(|| task.replace('_', " "), str::to_owned)
}

pub fn bus(bus: EventBus) -> &'static str {
    match bus {
        EventBus::Memories => "Memories",
        EventBus::Knowledge => "Knowledge",
    }
}

pub fn name(state: EventState) -> &'static str {
    match state {
        EventState::Pending => "Waiting",
        EventState::Running => "Running",
        EventState::Done => "Done",
        EventState::Failed => "Will retry",
        EventState::Dead => "Failed",
        EventState::Imported => "Imported",
    }
}

pub fn state(state: EventState) -> impl IntoView + use<> {
    let (tone, title) = match state {
        EventState::Pending => (Tone::Plain, "Waiting for a worker."),
        EventState::Running => (Tone::Accent, "A worker is processing it."),
        EventState::Done => (Tone::Good, "Finished."),
        EventState::Failed => (Tone::Warn, "An attempt failed. It will be retried."),
        EventState::Dead => (Tone::Danger, "All attempts failed. Retry it."),
        EventState::Imported => (Tone::Plain, "Imported as history. It never runs."),
    };
    view! { <Badge tone text=name(state) title /> }
}

/// What is happening to a source, in a sentence.
pub fn reading(source: &SourceRow) -> &'static str {
    match source.state {
        None => "This source is stored and was never captured.",
        Some(EventState::Pending) => "Extraction is waiting to start.",
        Some(EventState::Running) => "Extraction is running.",
        Some(EventState::Failed) => "An attempt to extract memories failed. It will be retried.",
        Some(EventState::Dead) => "Extraction failed. Retry the failed event below.",
        Some(EventState::Done) if source.waiting + source.active + source.rejected == 0 => {
            "Extraction finished. It found nothing to remember."
        }
        Some(EventState::Done) => "Extraction finished.",
        Some(EventState::Imported) => "This source was imported.",
    }
}

/// Whether a source is not read to its end.
pub fn unfinished(source: &SourceRow) -> bool {
    matches!(source.state, Some(EventState::Pending | EventState::Running | EventState::Failed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_work_has_a_name_too() {
        assert_eq!((task("extract").as_str(), task("fold_laundry").as_str()), ("Extract candidates from a source", "fold laundry"));
    }
}

use super::input::CaptureInput;
use crate::{
    ConsoleError, Flash,
    guard::{announce, finish, incomplete, operator, own_path},
    query::Query,
    submit::submit,
    ui::text::{count, number},
};
use leptos::prelude::*;
use remembrancer::capture as engine;
use wire::{EventCount, EventFilter, EventId, EventRow, Page, SourceDetail, SourceFilter, SourceId, SourceResponse, SourceRow};

/// Captures a text, then redirects to its source, or back to the form if it is refused. The message is kept for scripts, too: they open
/// the source's page themselves.
#[server(endpoint = "capture")]
pub async fn capture(#[server(flatten)] input: CaptureInput) -> Result<SourceId, ConsoleError> {
    let typed = kept(&input);
    let stored = paste(input).await;
    let to = stored.as_ref().map(|source| format!("/sources/{}", source.source_id)).unwrap_or_default();
    if let Ok(source) = &stored {
        announce(told(source)).await?;
    }
    finish(stored.as_ref().map(told).map_err(Clone::clone), &to, "/capture", &typed).await?;
    Ok(stored?.source_id)
}

/// One page of sources, newest first.
pub async fn browse_sources(filter: SourceFilter) -> Result<Page<SourceRow>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(engine::sources(&engine, &ctx, &filter).await?)
}

/// A source with the page of its turns that begins at `turn`.
pub async fn read_source(id: SourceId, turn: i64) -> Result<SourceDetail, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(engine::source(&engine, &ctx, id, turn).await?)
}

/// Gives a speaker of a source, who had `shown` turns there, another name, then redirects to the source.
#[server(endpoint = "rename_speaker")]
pub async fn rename_speaker(
    source: SourceId,
    #[server(default)] speaker: String,
    #[server(default)] name: String,
    shown: i64,
) -> Result<(), ConsoleError> {
    let page = format!("/sources/{source}");
    let typed = Query::default().with("speaker", &speaker).with("name", &name);
    submit(&page, typed, |engine, ctx| async move {
        Ok(renamed(&engine::rename_speaker(&engine, &ctx, source, &speaker, name, Some(shown)).await?))
    })
    .await
}

/// One page of events, newest first.
pub async fn browse_events(filter: EventFilter) -> Result<Page<EventRow>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(engine::events(&engine, &ctx, &filter).await?)
}

/// How many events are not done, by bus and state.
pub async fn event_counts() -> Result<Vec<EventCount>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(engine::event_counts(&engine, &ctx).await?)
}

/// Retries the dead event `one`, or else those of `ids`, then redirects to `done`.
#[server(endpoint = "retry_events")]
pub async fn retry_events(
    #[server(default)] ids: Vec<EventId>,
    #[server(default)] one: Option<EventId>,
    #[server(default)] done: String,
) -> Result<(), ConsoleError> {
    let ids = one.map_or(ids, |one| vec![one]);
    let done = own_path(&done, "/events");
    finish(retry(&ids).await, done, done, "").await
}

async fn paste(input: CaptureInput) -> Result<SourceResponse, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(engine::paste(&engine, &ctx, input.paste().map_err(incomplete)?).await?)
}

async fn retry(ids: &[EventId]) -> Result<Flash, ConsoleError> {
    let (engine, ctx) = operator().await?;
    if ids.is_empty() {
        return Ok(Flash::unchanged("Nothing was selected. Select at least one failed event."));
    }
    Ok(Flash::done(match engine::retry(&engine, &ctx, ids).await? {
        0 => "No event was retried: none of them is in the state Failed now.".to_owned(),
        n => format!("{} being retried.", count(n, "event is", "events are")),
    }))
}

/// The message about a speaker with another name.
fn renamed(outcome: &engine::RenamedSpeaker) -> Flash {
    let mut text = format!("{} has {} now.", outcome.name, count(outcome.turns, "turn", "turns"));
    let candidates = (outcome.candidates > 0).then(|| count(outcome.candidates, "candidate", "candidates"));
    let memories = (outcome.memories > 0).then(|| count(outcome.memories, "memory", "memories"));
    let updated: Vec<String> = candidates.into_iter().chain(memories).collect();
    if !updated.is_empty() {
        let verb = if outcome.candidates + outcome.memories == 1 { "was" } else { "were" };
        text.push_str(&format!(" {} {verb} updated.", updated.join(" and ")));
    }
    if outcome.merged > 0 {
        text.push_str(&format!(" {} into one that says the same.", count(outcome.merged, "was merged", "were merged")));
    }
    Flash::done(text)
}

/// The fields of a refused form. A text that a session cannot hold is left out as a whole: half a text would be captured unnoticed.
fn kept(input: &CaptureInput) -> String {
    let typed = input.query().href("");
    let fits = typed.len() <= Flash::TYPED_MAX;
    if fits { typed } else { input.query().without(&["text"]).with("lost", "true").href("") }
}

/// The message about a stored source.
fn told(source: &SourceResponse) -> Flash {
    let mut text = match source.known {
        true => "This text was captured before. This page shows it.".to_owned(),
        false => format!("Captured {}. {} have a time.", count(source.turns, "turn", "turns"), number(source.timed_turns)),
    };
    if source.skipped_messages > 0 {
        text.push_str(&format!(" Left out {} that could not be read.", count(source.skipped_messages, "message", "messages")));
    }
    for warning in &source.warnings {
        text.push_str(&format!(" {warning}"));
    }
    if source.parts > 1 {
        text.push_str(&format!(" It was split into {} parts.", number(source.parts)));
    }
    if !source.redacted.is_empty() {
        text.push_str(&format!(" Secrets were replaced before it was stored: {}.", source.redacted.join(", ")));
    }
    Flash::done(text)
}

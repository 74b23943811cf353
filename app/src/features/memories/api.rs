use crate::{
    ConsoleError, Flash,
    guard::{incomplete, operator, own_path},
    ids::{Ids, Versions},
    query::Query,
    submit::submit,
    ui::text::{count, excerpt, short, visible},
};
use chrono::{DateTime, SecondsFormat, Utc};
use foundation::{Engine, OpContext};
use leptos::prelude::*;
use remembrancer::{
    memories::{self, Shown},
    overview, recall,
};
use wire::{
    AgentName, BULK_MAX, BulkOutcome, ChangedMemory, FieldError, MemoryDetail, MemoryFilter, MemoryId, MemoryRecalls, MemoryRow, Page,
    SearchResults,
};

/// Most characters of a memory's content in a list.
const EXCERPT: usize = 280;
/// Most characters of it in a message.
const CALLED: usize = 60;

/// One page of memories, newest first, with shortened content.
pub async fn browse_memories(filter: MemoryFilter) -> Result<Page<MemoryRow>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let page = memories::browse(&engine, &ctx, &filter).await?;
    Ok(page.map(|row| MemoryRow { content: excerpt(&row.content, &[], EXCERPT), ..row }))
}

/// Searches like a recall of `filter.q`: hits best first, with content shortened around the matched words.
pub async fn search_memories(filter: MemoryFilter) -> Result<SearchResults, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let mut results = recall::search_console(&engine, &ctx, &filter).await?;
    for hit in &mut results.hits {
        hit.memory.content = excerpt(&hit.memory.content, &hit.matched_words, EXCERPT);
    }
    Ok(results)
}

/// Every agent by name, to choose from.
pub async fn agent_names() -> Result<Vec<AgentName>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(overview::agent_names(&engine, &ctx).await?)
}

/// Everything about one memory.
pub async fn memory(id: MemoryId) -> Result<MemoryDetail, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(memories::detail(&engine, &ctx, id).await?)
}

/// The logged recalls that returned a memory.
pub async fn recalls_of_memory(id: MemoryId) -> Result<MemoryRecalls, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(memories::recalls(&engine, &ctx, id).await?)
}

/// The memories by id, to review before they are deleted.
pub async fn selected_memories(ids: Vec<MemoryId>) -> Result<Vec<MemoryRow>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let ids: Vec<_> = ids.into_iter().take(BULK_MAX).collect();
    Ok(memories::rows_by_id(&engine, &ctx, &ids).await?)
}

/// Soft-deletes memories, then redirects to `done`, or back to `form` if it is refused.
#[server(endpoint = "delete_memories")]
pub async fn delete_memories(
    ids: Ids<MemoryId>,
    #[server(default)] reason: String,
    #[server(default)] done: String,
    #[server(default)] form: String,
) -> Result<(), ConsoleError> {
    submit((own_path(&done, "/memories"), own_path(&form, "/memories")), typed(&ids, &reason), |engine, ctx| async move {
        Ok(flash(&engine, &ctx, &memories::delete(&engine, &ctx, &ids.0, &reason).await?, "Deleted", "deleted before").await)
    })
    .await
}

/// Restores memories, then redirects to `done`, or back to `form` if it is refused.
#[server(endpoint = "restore_memories")]
pub async fn restore_memories(
    ids: Ids<MemoryId>,
    #[server(default)] reason: String,
    #[server(default)] done: String,
    #[server(default)] form: String,
) -> Result<(), ConsoleError> {
    submit((own_path(&done, "/memories"), own_path(&form, "/memories")), typed(&ids, &reason), |engine, ctx| async move {
        Ok(flash(&engine, &ctx, &memories::restore(&engine, &ctx, &ids.0, &reason).await?, "Restored", "not deleted").await)
    })
    .await
}

/// Undoes the deletion or the restoration that was made at `at`, then redirects to `done`.
#[server(endpoint = "undo_memories")]
pub async fn undo_memories(ids: Ids<MemoryId>, at: DateTime<Utc>, #[server(default)] done: String) -> Result<(), ConsoleError> {
    submit(own_path(&done, "/memories"), Query::default(), |engine, ctx| async move {
        Ok(Flash::done(undone(&memories::undo(&engine, &ctx, &ids.0, at).await?)))
    })
    .await
}

/// Gives a memory new content in place of what was `shown`, then redirects to `done`, also if it is refused.
#[server(endpoint = "correct_memory")]
pub async fn correct_memory(
    id: MemoryId,
    shown: Versions,
    #[server(default)] content: String,
    #[server(default)] reason: String,
    #[server(default)] done: String,
) -> Result<(), ConsoleError> {
    // Browsers end the lines of a field with both characters.
    let content = content.replace("\r\n", "\n");
    let typed = Query::default().with("correct", id).with("content", &content).with("reason", &reason);
    let typed = typed.with("shown", String::from(shown.clone()));
    let page = format!("/memories/{id}");
    submit(own_path(&done, &page), typed, |engine, ctx| async move {
        let version = shown.of(id).ok_or_else(unseen)?;
        let corrected = memories::correct(&engine, &ctx, id, Some(version), content, &reason).await?;
        if corrected.unchanged {
            return Ok(Flash::done("Nothing has changed: the memory has this content already."));
        }
        let undo = [("id", id.to_string()), ("version", corrected.version.to_string())];
        Ok(Flash::done("Corrected. Agents recall the new content.").undone_by("undo_correction", undo))
    })
    .await
}

/// Undoes the correction that made a version of a memory, then redirects to `done`.
#[server(endpoint = "undo_correction")]
pub async fn undo_correction(id: MemoryId, version: i32, #[server(default)] done: String) -> Result<(), ConsoleError> {
    let page = format!("/memories/{id}");
    submit(own_path(&done, &page), Query::default(), |engine, ctx| async move {
        memories::undo_correction(&engine, &ctx, id, version).await?;
        Ok(Flash::done("Undone. The memory has its former content."))
    })
    .await
}

/// The memories that have changed since a page showed them.
pub async fn changed_memories(shown: Versions) -> Result<Vec<ChangedMemory>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(memories::changed_since(&engine, &ctx, &shown.0.into_iter().collect()).await?)
}

/// Marks shared memories as reviewed as they were shown, then redirects to `done`.
#[server(endpoint = "review_memories")]
pub async fn review_memories(ids: Ids<MemoryId>, shown: Versions, #[server(default)] done: String) -> Result<(), ConsoleError> {
    let typed = Query::default().with("shown", String::from(shown.clone()));
    submit(own_path(&done, "/memories"), typed, |engine, ctx| async move {
        let shown = seen(shown, &ids.0)?;
        Ok(flash(&engine, &ctx, &memories::review(&engine, &ctx, &ids.0, &shown).await?, "Reviewed", "reviewed before").await)
    })
    .await
}

/// Shares memories with all agents as they were shown, then redirects to `done`.
#[server(endpoint = "share_memories")]
pub async fn share_memories(ids: Ids<MemoryId>, shown: Versions, #[server(default)] done: String) -> Result<(), ConsoleError> {
    let typed = Query::default().with("shown", String::from(shown.clone()));
    submit(own_path(&done, "/memories"), typed, |engine, ctx| async move {
        let shown = seen(shown, &ids.0)?;
        Ok(flash(&engine, &ctx, &memories::share(&engine, &ctx, &ids.0, &shown).await?, "Shared", "shared before").await)
    })
    .await
}

/// Makes shared memories private as they were shown, then redirects to `done`.
#[server(endpoint = "make_private")]
pub async fn make_private(ids: Ids<MemoryId>, shown: Versions, #[server(default)] done: String) -> Result<(), ConsoleError> {
    let typed = Query::default().with("shown", String::from(shown.clone()));
    submit(own_path(&done, "/memories"), typed, |engine, ctx| async move {
        let shown = seen(shown, &ids.0)?;
        let outcome = memories::make_private(&engine, &ctx, &ids.0, &shown).await?;
        Ok(Flash::done(format!("Made private: {}.", what(&engine, &ctx, &outcome.changed).await)))
    })
    .await
}

/// The versions that a form names.
///
/// # Errors
/// If it decides about a memory without the version that it showed, or names none.
pub fn seen(shown: Versions, ids: &[MemoryId]) -> Result<Shown, ConsoleError> {
    let named = !shown.0.is_empty() && ids.iter().all(|id| shown.of(*id).is_some());
    if named { Ok(shown.0.into_iter().collect()) } else { Err(unseen()) }
}

fn unseen() -> ConsoleError {
    let message = "The form does not say which versions of the memories it showed. Reload the page and send it again.";
    incomplete(FieldError { field: "shown".into(), message: message.into() })
}

async fn flash(engine: &Engine, ctx: &OpContext, outcome: &BulkOutcome, done: &str, otherwise: &str) -> Flash {
    let mut text = format!("{done} {}.", what(engine, ctx, &outcome.changed).await);
    match number(&outcome.unchanged) {
        0 => {}
        1 => text.push_str(&format!(" One was {otherwise}.")),
        n => text.push_str(&format!(" {n} were {otherwise}.")),
    }
    match outcome.undoable.as_slice() {
        [] if outcome.changed.is_empty() => Flash::unchanged(text),
        [] => Flash::done(text),
        ids => {
            let at = outcome.at.to_rfc3339_opts(SecondsFormat::Micros, true);
            Flash::done(text).undone_by("undo_memories", [("ids", Ids(ids.to_vec()).into()), ("at", at)])
        }
    }
}

/// How many memories a message is about, and the name of a single one: `1 memory: “The boat is red”`.
async fn what(engine: &Engine, ctx: &OpContext, ids: &[MemoryId]) -> String {
    let number = count(number(ids), "memory", "memories");
    let row = if let [_] = ids { memories::rows_by_id(engine, ctx, ids).await.unwrap_or_default().pop() } else { None };
    match row {
        Some(row) => format!("{number}: {}", called(&row.content)),
        None => number,
    }
}

/// What a message calls a memory: the beginning of its content, in quotation marks.
pub fn called(content: &str) -> String {
    let line = content.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    format!("“{}”", visible(&short(line.trim(), CALLED)).trim_end_matches('.'))
}

/// The message after an undo.
fn undone(outcome: &BulkOutcome) -> String {
    let left = match number(&outcome.unchanged) {
        0 => "",
        1 => " One has changed since and stays as it is.",
        _ => " The others have changed since and stay as they are.",
    };
    match number(&outcome.changed) {
        0 => "Nothing was undone: the selected memories have changed since.".to_owned(),
        n => format!("Undone for {}.{left}", count(n, "memory", "memories")),
    }
}

/// What was typed into a form about memories. Only forms for one memory are told apart by its id; the ids of many would fill the cookie
/// that keeps the reason.
fn typed(ids: &Ids<MemoryId>, reason: &str) -> Query {
    let id = if let [id] = ids.0.as_slice() { id.to_string() } else { String::new() };
    Query::default().with("ids", id).with("reason", reason)
}

fn number(ids: &[MemoryId]) -> i64 {
    i64::try_from(ids.len()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::called;

    #[test]
    fn a_message_calls_a_memory_by_the_beginning_of_its_content() {
        assert_eq!(called("\n  The boat is red.\nIt is new."), "“The boat is red”");
        assert_eq!(called(&"tea ".repeat(40)).chars().count(), 63, "sixty characters, an ellipsis and the marks");
        assert_eq!(called(""), "“”");
    }
}

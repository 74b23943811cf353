//! A folder for people: one file per memory that is not deleted, by agent, and an index for each agent. The same memories make the same
//! files, byte for byte.

use super::canonical::{self, Names};
use super::export::{PAGE, Selection, agents, leave_trace};
use super::lines::MemoryLine;
use super::store::{self, RecordFilter};
use db::lift_statement_timeout;
use foundation::{Engine, Error, OpContext, identity};
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::path::Path;
use tokio::fs::{self, OpenOptions};
use tokio::io::AsyncWriteExt;
use verb::verb;
use wire::MemoryFilter;
use words::quote;

/// Most characters of a topic in a file's name; the id after it makes the name unique.
const TOPIC_IN_NAME: usize = 48;

/// Writes what `selection` names into a folder that is new or empty; returns how many memories. Deleted ones are left out unless a filter
/// includes them. `progress` receives the number of memories so far.
///
/// # Errors
/// As [`super::export()`]; `Invalid` for a selection of areas; `Conflict` for a folder that holds something, or cannot be written.
#[verb]
pub async fn markdown(
    engine: &Engine,
    ctx: &OpContext,
    selection: &Selection,
    folder: &Path,
    progress: &(dyn Fn(u64) + Send + Sync),
) -> Result<u64, Error> {
    if let Selection::Only(_) | Selection::Person(_) = selection {
        return Err(Error::invalid("only", "cannot be combined with a folder, which holds only memory"));
    }
    let agents = agents(engine, ctx, selection).await?;
    let names = Names::new(&identity::all_agents(engine, ctx).await?);
    let filter = match selection {
        Selection::Filter(filter) => (**filter).clone(),
        Selection::All | Selection::Only(_) | Selection::Agent(_) | Selection::Person(_) => MemoryFilter::default(),
    };
    empty(folder).await?;
    leave_trace(engine, ctx, "memory.export_started", selection, &json!({ "format": "markdown" })).await?;
    let mut written = 0_u64;
    let mut tx = engine.db().memory.begin_snapshot(ctx.tenancy()).await?;
    lift_statement_timeout(&mut tx).await?;
    for agent in agents {
        let records = RecordFilter {
            tenancy: ctx.tenancy(),
            agent: Some(agent.id),
            agents: &[],
            filter: Some(&filter),
            in_reach_at: None,
            of_person: false,
        };
        let home = folder.join(&agent.slug);
        let mut last: Option<MemoryLine> = None;
        loop {
            let page = store::page(&mut tx, &records, last.as_ref(), PAGE).await?;
            let whole = page.len() == PAGE;
            for memory in page {
                if last.is_none() {
                    fs::create_dir_all(&home).await.map_err(|error| unwritable(&home, &error))?;
                    append(&home.join("INDEX.md"), &format!("# What {} remembers\n\n", agent.slug)).await?;
                }
                let name = file_name(&memory);
                append(&home.join(&name), &page_of(&memory, &names)?).await?;
                append(&home.join("INDEX.md"), &format!("- [{}]({name}): {}\n", inline(&memory.topic), inline(&memory.content))).await?;
                written += 1;
                progress(written);
                last = Some(memory);
            }
            if !whole {
                break;
            }
        }
    }
    tx.commit().await?;
    leave_trace(engine, ctx, "memory.exported", selection, &json!({ "format": "markdown", "lines": { "memory": written } })).await?;
    Ok(written)
}

async fn empty(folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).await.map_err(|error| unwritable(folder, &error))?;
    let mut entries = fs::read_dir(folder).await.map_err(|error| unwritable(folder, &error))?;
    match entries.next_entry().await.map_err(|error| unwritable(folder, &error))? {
        Some(_) => Err(Error::Conflict(format!("{} is not empty: name a folder that is new or empty", folder.display()))),
        None => Ok(()),
    }
}

async fn append(path: &Path, text: &str) -> Result<(), Error> {
    let mut file = OpenOptions::new().create(true).append(true).open(path).await.map_err(|error| unwritable(path, &error))?;
    file.write_all(text.as_bytes()).await.map_err(|error| unwritable(path, &error))?;
    file.flush().await.map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    match error.kind() {
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => Error::Conflict(format!("{} is not a folder", path.display())),
        _ => Error::Conflict(format!("{} cannot be written: {error}", path.display())),
    }
}

/// `tea-time-<id>.md`: letters, digits and dashes only, so that every file system accepts it and no two are equal.
fn file_name(memory: &MemoryLine) -> String {
    let mut name = String::new();
    for c in memory.topic.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            name.push(c);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name: String = name.chars().take(TOPIC_IN_NAME).collect();
    let name = name.trim_end_matches('-');
    if name.is_empty() { format!("{}.md", memory.id) } else { format!("{name}-{}.md", memory.id) }
}

/// Front matter (JSON values are YAML; no text ends a line in it), then the content, verbatim.
fn page_of(memory: &MemoryLine, names: &Names) -> Result<String, Error> {
    const HEAD: [&str; 20] = [
        "id",
        "short_id",
        "topic",
        "topic_raw",
        "title",
        "kind",
        "category",
        "subject",
        "scope",
        "status",
        "retention",
        "source",
        "source_kind",
        "evidence_ref",
        "user_id",
        "version",
        "created_at",
        "updated_at",
        "expires_at",
        "deleted_at",
    ];
    let fields = serde_json::to_value(memory).map_err(Error::failed("a memory cannot be serialised"))?;
    let mut page = format!("---\nagent: {}\n", quote::escaped(&canonical::text(&names.slug(memory.agent_id).into())));
    for name in HEAD {
        let value = fields.get(name).unwrap_or(&Value::Null);
        if !value.is_null() {
            page.push_str(&format!("{name}: {}\n", quote::escaped(&canonical::text(value))));
        }
    }
    page.push_str(&format!("---\n\n{}\n", memory.content.trim_end_matches('\n')));
    Ok(page)
}

/// One line whose text has no meaning in Markdown.
fn inline(text: &str) -> String {
    let line = quote::one_line(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(100).collect();
    let plain: String = short.chars().flat_map(|c| c.is_ascii_punctuation().then_some('\\').into_iter().chain([c])).collect();
    if short.len() < line.len() { format!("{plain}…") } else { plain }
}

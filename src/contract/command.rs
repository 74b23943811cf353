//! `/memory`: what a person may ask of an agent's memory from any chat, answered as text.

use super::prompt::title;
use super::{delete, list};
use crate::api::{COMMAND_MAX, CommandRequest, CommandResponse, MemoryListResponse, MemoryRef, Scope, UserRef};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::op::OpContext;
use crate::quote::{inline, one_line};
use async_recursion::async_recursion as boxed;
use tracing::instrument;

/// What can be typed.
pub(crate) const HELP: &str = "/memory or /memory list shows what I remember.\n/memory delete <id> removes a memory.";

#[derive(Debug, PartialEq, Eq)]
enum Command<'a> {
    List,
    Delete(&'a str),
    Help,
}

/// A line of an answer; each channel has its own way to set headings apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Heading(String),
    Text(String),
}

impl Line {
    /// What a person reads of it.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Heading(text) | Self::Text(text) => text,
        }
    }

    fn markdown(&self) -> String {
        match self {
            Self::Heading(text) => format!("**{text}**"),
            Self::Text(text) => text.clone(),
        }
    }
}

/// The lines of a plain text.
pub(crate) fn lines(text: &str) -> Vec<Line> {
    text.lines().map(|line| Line::Text(line.to_owned())).collect()
}

/// Does what a chat command says, for the person who typed it. Headings are Markdown.
///
/// # Errors
/// `Forbidden` without `memory:read` to list or `memory:forget` to delete, `Invalid` for a text that is too long.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn command(engine: &Engine, ctx: &OpContext, request: CommandRequest) -> Result<CommandResponse, Error> {
    let lines: Vec<String> = answer(engine, ctx, request).await?.iter().map(Line::markdown).collect();
    Ok(CommandResponse { text: lines.join("\n") })
}

/// As [`command`], for a channel that renders the lines itself.
///
/// # Errors
/// As [`command`].
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn answer(engine: &Engine, ctx: &OpContext, request: CommandRequest) -> Result<Vec<Line>, Error> {
    ctx.agent_id()?;
    ctx.require(Scope::MemoryRead)?;
    Checks::default().limit("text", &request.text, COMMAND_MAX).done()?;
    Ok(match parse(&request.text) {
        Command::List => render(&list(engine, ctx, request.user_id.as_ref()).await?),
        Command::Delete(id) => lines(&deleted(engine, ctx, id, request.user_id.as_ref()).await?),
        Command::Help => lines(HELP),
    })
}

fn parse(text: &str) -> Command<'_> {
    let words: Vec<&str> = text.split_whitespace().collect();
    // In groups a command names the bot it is for.
    let command = words.first().map(|word| word.split('@').next().unwrap_or_default());
    match (command, words.get(1..).unwrap_or_default()) {
        (Some("/memory"), [] | ["list"]) => Command::List,
        (Some("/memory"), ["delete", id]) => Command::Delete(id),
        _ => Command::Help,
    }
}

fn render(list: &MemoryListResponse) -> Vec<Line> {
    if list.memories.is_empty() {
        return lines("I remember nothing yet.");
    }
    let mut lines = lines("Your memories:");
    let mut heading = None;
    for memory in &list.memories {
        if heading != Some(memory.category) {
            heading = Some(memory.category);
            lines.push(Line::Text(String::new()));
            lines.push(Line::Heading(title(memory.category.as_str())));
        }
        lines.push(Line::Text(format!("• [{}] {}", memory.id, inline(&memory.content))));
    }
    lines.push(Line::Text(String::new()));
    lines.push(Line::Text("Use /memory delete <id> to remove a memory.".to_owned()));
    lines
}

async fn deleted(engine: &Engine, ctx: &OpContext, id: &str, user: Option<&UserRef>) -> Result<String, Error> {
    let outcome = match id.parse::<MemoryRef>() {
        Ok(name) => delete(engine, ctx, &name, user).await,
        Err(_) => Err(Error::NotFound("memory")),
    };
    match outcome {
        Ok(Some(memory)) => Ok(format!("Deleted: '{}'", one_line(&memory.content))),
        Ok(None) => Ok("Deleted.".into()),
        Err(Error::NotFound(_)) => Ok(format!("There is no memory with the id {}. Use /memory list to see all memories.", one_line(id))),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_understood_and_anything_else_asks_for_help() {
        for text in ["/memory", " /memory list ", "/memory@remembrancer_bot", "/memory@remembrancer_bot  list"] {
            assert_eq!(parse(text), Command::List, "{text}");
        }
        assert_eq!(parse("/memory delete i9j0k1l2"), Command::Delete("i9j0k1l2"));
        for text in ["", "hello", "/start", "/memory delete", "/memory delete a b", "/memory purge", "/memorylist", "memory"] {
            assert_eq!(parse(text), Command::Help, "{text}");
        }
    }
}

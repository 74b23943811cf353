//! `/memory`: what a person may ask of an agent's memory from any chat, answered as text.

use super::prompt::{one_line, title};
use super::{delete, list};
use crate::api::{COMMAND_MAX, CommandRequest, CommandResponse, MemoryListResponse, MemoryRef, Scope, UserRef};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::op::OpContext;
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

/// Does what a chat command says, for the person who typed it.
///
/// # Errors
/// `Forbidden` without `memory:read` to list or `memory:forget` to delete, `Invalid` for a text that is too long.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn command(engine: &Engine, ctx: &OpContext, request: CommandRequest) -> Result<CommandResponse, Error> {
    ctx.agent_id()?;
    ctx.require(Scope::MemoryRead)?;
    Checks::default().limit("text", &request.text, COMMAND_MAX).done()?;
    let text = match parse(&request.text) {
        Command::List => render(&list(engine, ctx, request.user_id.as_ref()).await?),
        Command::Delete(id) => deleted(engine, ctx, id, request.user_id.as_ref()).await?,
        Command::Help => HELP.to_owned(),
    };
    Ok(CommandResponse { text })
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

fn render(list: &MemoryListResponse) -> String {
    if list.memories.is_empty() {
        return "I remember nothing yet.".to_owned();
    }
    let mut lines = vec!["Your memories:".to_owned()];
    let mut heading = None;
    for memory in &list.memories {
        if heading != Some(memory.category) {
            heading = Some(memory.category);
            lines.push(String::new());
            lines.push(format!("**{}**", title(memory.category.as_str())));
        }
        lines.push(format!("• [{}] {}", memory.id, one_line(&memory.content)));
    }
    lines.push(String::new());
    lines.push("Use /memory delete <id> to remove a memory.".to_owned());
    lines.join("\n")
}

async fn deleted(engine: &Engine, ctx: &OpContext, id: &str, user: Option<&UserRef>) -> Result<String, Error> {
    let outcome = match id.parse::<MemoryRef>() {
        Ok(name) => delete(engine, ctx, &name, user).await,
        Err(_) => Err(Error::NotFound("memory")),
    };
    match outcome {
        Ok(memory) => Ok(format!("Deleted: '{}'", one_line(&memory.content))),
        Err(Error::NotFound(_)) => Ok(format!("There is no memory with the id {}. /memory list shows what there is.", one_line(id))),
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

//! `/memory`: what a person may ask of an agent's memory from any chat, answered as text.

use super::pages::{SHOWN_MAX, Shown, page};
use super::remove;
use super::store::{self, EntryFilter};
use crate::memories;
use foundation::identity::acting_for;
use foundation::{Checks, Engine, Error, OpContext};
use std::collections::HashMap;
use verb::verb;
use wire::{COMMAND_MAX, CommandRequest, CommandResponse, KeyScope, MemoryRef, UserRef};
use words::quote::one_line;
use words::shorten;

/// What this is for.
const PURPOSE: &str = "I show what your agent remembers about you, and delete the memories that you choose.";
/// What can be typed.
const COMMANDS: &str = "/memory or /memory list shows what I remember. A long list has pages: /memory list 2 shows the second one.\n\
                        /memory delete <id> removes a memory.\n/help shows these commands.";

#[derive(Debug, PartialEq, Eq)]
enum Command<'a> {
    /// With the number of the page, from 1.
    List(usize),
    Delete(&'a str),
    Help,
    /// Not a command: somebody talks to us as to the agent.
    Talk,
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

    /// Its length in a message, in UTF-16 code units, its end included.
    pub(crate) fn units(&self) -> usize {
        self.text().encode_utf16().count() + 1
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

/// The answer to a text that is not one of the commands: all of them if it is meant as one, else what this is for and how to see them.
pub(crate) fn help(text: &str) -> String {
    match parse(text) {
        Command::Talk => format!("{PURPOSE} I do not answer other messages. Use /help to see the commands."),
        Command::List(_) | Command::Delete(_) | Command::Help => format!("{PURPOSE}\n\n{COMMANDS}"),
    }
}

/// Does what a chat command says, for the person who typed it. Headings are Markdown.
///
/// # Errors
/// `Forbidden` without `memory:read` to list or `memory:forget` to delete, `Invalid` for a text that is too long.
#[verb]
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
    ctx.require(KeyScope::MemoryRead)?;
    Checks::default().limit("text", &request.text, COMMAND_MAX).done()?;
    Ok(match parse(&request.text) {
        Command::List(number) => page(&read_list(engine, ctx, request.user_id.as_ref()).await?, number),
        Command::Delete(id) => lines(&deleted(engine, ctx, id, request.user_id.as_ref()).await?),
        Command::Help | Command::Talk => lines(&help(&request.text)),
    })
}

fn parse(text: &str) -> Command<'_> {
    let words: Vec<&str> = text.split_whitespace().collect();
    // In groups a command names the bot it is for.
    let command = words.first().map(|word| word.split('@').next().unwrap_or_default());
    match (command, words.get(1..).unwrap_or_default()) {
        (Some("/memory"), [] | ["list"]) => Command::List(1),
        (Some("/memory"), ["list", page]) => page.parse().map_or(Command::Help, Command::List),
        (Some("/memory"), ["delete", id]) => Command::Delete(id.trim_matches(['[', ']'])), // as the list shows it
        (Some(word), _) if word.starts_with('/') => Command::Help,
        _ => Command::Talk,
    }
}

/// Every memory that the person may see, with who shared it and where it holds.
async fn read_list(engine: &Engine, ctx: &OpContext, user: Option<&UserRef>) -> Result<Vec<Shown>, Error> {
    let ctx = &acting_for(engine, ctx, user).await?;
    let agents = [ctx.agent_id()?, ctx.commons_id];
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let found = store::entries(&mut tx, ctx.tenancy(), &agents, EntryFilter::All, engine.clock().now()).await?;
    tx.commit().await?;
    let is_any_shared = found.iter().any(|memory| memory.agent_id == ctx.commons_id);
    let slugs = if is_any_shared { memories::slugs(engine, ctx).await? } else { HashMap::new() };
    let shown = found.into_iter().map(|memory| {
        let sharer = slugs.get(&memory.created_by).filter(|_| memory.agent_id == ctx.commons_id);
        let notes = [sharer.map(|slug| format!("shared by {slug}")), memories::provenance(&memory, None, false).place()];
        let note = notes.into_iter().flatten().collect::<Vec<_>>().join(", ");
        Shown { id: memory.short_id, category: memory.category, content: memory.content, note }
    });
    Ok(shown.collect())
}

async fn deleted(engine: &Engine, ctx: &OpContext, id: &str, user: Option<&UserRef>) -> Result<String, Error> {
    let outcome = match id.parse::<MemoryRef>() {
        Ok(name) => remove(engine, ctx, &name, user, EntryFilter::All).await,
        Err(_) => Err(Error::NotFound("memory")),
    };
    match outcome {
        Ok(Some(memory)) => Ok(format!("Deleted: '{}'", one_line(&shorten(&memory.content, SHOWN_MAX)))),
        Ok(None) => Ok("Deleted.".into()),
        Err(Error::NotFound(_)) => {
            let id = one_line(&shorten(id, SHOWN_MAX));
            Ok(format!("There is no memory with the id {id}. Use /memory list to see all memories."))
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_understood_and_other_commands_ask_for_help() {
        for text in ["/memory", " /memory list ", "/memory list 1", "/memory@remembrancer_bot", "/memory@remembrancer_bot  list"] {
            assert_eq!(parse(text), Command::List(1), "{text}");
        }
        assert_eq!(parse("/memory list 12"), Command::List(12));
        assert_eq!(parse("/memory delete i9j0k1l2"), Command::Delete("i9j0k1l2"));
        assert_eq!(parse("/memory delete [i9j0k1l2]"), Command::Delete("i9j0k1l2"));
        for text in [
            "/start",
            "/help",
            "/memory delete",
            "/memory delete a b",
            "/memory purge",
            "/memorylist",
            "/memory list two",
            "/memory list 1 2",
        ] {
            assert_eq!(parse(text), Command::Help, "{text}");
            assert!(help(text).contains(COMMANDS), "{text}");
        }
    }

    #[test]
    fn somebody_who_talks_gets_one_line_that_names_the_command_for_help() {
        for text in ["", "Good morning", "memory", "Remind me of the / sign"] {
            assert_eq!(parse(text), Command::Talk, "{text}");
            let line = help(text);
            assert!(line.starts_with(PURPOSE) && line.contains("/help") && !line.contains(COMMANDS) && !line.contains('\n'), "{line}");
        }
    }
}

//! JSON files that people take for a conversation.

use crate::transcript::ReadError;
use serde_json::Value;

/// Fields of the first object of a file, what the file is, and what to send instead.
const KNOWN: &[(&[&str], &str, &str)] = &[
    (&["nbformat", "cells"], "a Jupyter notebook", "copy the text that matters into a note"),
    (&["team_id", "profile"], "Slack's list of users (`users.json`)", CHANNEL),
    (&["creator", "members"], "Slack's list of channels (`channels.json`)", CHANNEL),
    (&["email_address", "full_name"], "the account of a Claude export (`users.json`)", CONVERSATIONS),
    (&["chatgpt_plus_user"], "the account of a ChatGPT export (`user.json`)", CONVERSATIONS),
    (&["conversation_id", "is_anonymous"], "ChatGPT's list of shared links (`shared_conversations.json`)", CONVERSATIONS),
    (&["entityType", "observations"], "the knowledge graph of an MCP memory server", SENTENCES),
    (&["entities", "relations"], "the knowledge graph of an MCP memory server", SENTENCES),
];
const CHANNEL: &str = "send the file of a channel and a day, such as `general/2026-05-03.json`";
const CONVERSATIONS: &str = "send `conversations.json` of the same export";
const SENTENCES: &str = "write each observation as a sentence, such as `Vera moved to Basel in April.`, and send them as a note";

/// The refusal of a file that is known to hold something else.
pub fn refusal(values: &[Value]) -> Option<ReadError> {
    let first = values.first()?;
    let object = first.get(0).unwrap_or(first).as_object()?;
    let known = KNOWN.iter().find(|(fields, ..)| fields.iter().all(|field| object.contains_key(*field)));
    known.map(|&(_, what, recipe)| ReadError::Foreign { what, recipe })
}

//! Telegram: an update comes in, and what is to be said goes back as the webhook's answer. We call nobody.

use super::{Bot, user_of};
use crate::api::{CommandRequest, CommandResponse, ErrorCode, UserId};
use crate::contract::{self, HELP};
use crate::engine::Engine;
use crate::error::Error;
use crate::identity;
use async_recursion::async_recursion as boxed;
use serde::Deserialize;
use serde_json::{Value, json};

/// Longest message that Telegram takes, in UTF-16 code units.
const MESSAGE_MAX: usize = 4096;
/// What stands in place of what did not fit.
const MORE: &str = "…\nThere is more than a message holds.";

/// What we read of an update; the rest is Telegram's.
#[derive(Deserialize)]
struct Update {
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    chat: Chat,
    text: Option<String>,
}

#[derive(Deserialize)]
struct Chat {
    id: i64,
    #[serde(rename = "type")]
    kind: Option<String>,
}

impl Chat {
    /// Whether one person alone writes here. In a group, everybody would act as the person it is bound to.
    fn is_private(&self) -> bool {
        self.kind.as_deref() == Some("private")
    }
}

/// Answers an update with the call that Telegram is to make: `{"method": "sendMessage", …}`, or `{}` if there is nothing to say.
///
/// A group, and a chat that belongs to nobody, is answered with help, whatever it asks.
///
/// # Errors
/// `Invalid` for what is no update. What a person may not do is said in the chat; only when something is out of reach the call fails, and
/// Telegram tries again.
#[boxed]
pub async fn telegram(engine: &Engine, bot: &Bot, update: Value) -> Result<Value, Error> {
    let update: Update = serde_json::from_value(update).map_err(|_| Error::invalid("body", "is not an update of Telegram"))?;
    let Some(Message { chat, text: Some(text) }) = update.message else { return Ok(json!({})) };
    let user = if chat.is_private() { user_of(engine, bot, &chat.id.to_string()).await? } else { None };
    let reply = match user {
        None => HELP.to_owned(),
        Some(user) => match command(engine, bot, user, text).await {
            Ok(answer) => answer.text,
            Err(error) if matches!(error.code(), ErrorCode::Unavailable | ErrorCode::Internal) => return Err(error),
            Err(error) => format!("That is not possible: {}.", error.message()),
        },
    };
    Ok(json!({ "method": "sendMessage", "chat_id": chat.id, "text": fitting(&reply) }))
}

/// Does what the owner of the chat asks, whatever users the key itself may choose.
async fn command(engine: &Engine, bot: &Bot, user: UserId, text: String) -> Result<CommandResponse, Error> {
    let ctx = identity::named_by_caller(engine, bot.ctx.clone(), &user.into()).await?;
    contract::command(engine, &ctx, CommandRequest { text, user_id: None }).await
}

/// As many whole lines as a message holds.
fn fitting(text: &str) -> String {
    let units = |text: &str| text.encode_utf16().count();
    if units(text) <= MESSAGE_MAX {
        return text.to_owned();
    }
    let (mut kept, mut left) = (String::new(), MESSAGE_MAX - units(MORE));
    for line in text.split_inclusive('\n') {
        match left.checked_sub(units(line)) {
            Some(rest) => {
                kept.push_str(line);
                left = rest;
            }
            None => break,
        }
    }
    kept + MORE
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_message_never_outgrows_telegram(lines in proptest::collection::vec("[a-z😀 ]{0,600}", 0..20)) {
            let text = lines.join("\n");
            let message = fitting(&text);
            prop_assert!(message.encode_utf16().count() <= MESSAGE_MAX);
            prop_assert!(message == text || (message.ends_with(MORE) && text.starts_with(message.trim_end_matches(MORE))));
        }
    }
}

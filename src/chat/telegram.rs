//! Telegram: the answer to an update is the webhook's response. The server never calls Telegram.

use super::{Bot, user_of};
use crate::memory_block::{self, Line};
use async_recursion::async_recursion as boxed;
use foundation::{Engine, Error, identity};
use serde_json::Value;
use wire::{CommandRequest, ErrorCode, TelegramChat, TelegramMessage, TelegramReply, TelegramUpdate, UserId};

/// Longest message that Telegram takes, in UTF-16 code units of what is read, without tags.
const MESSAGE_MAX: usize = 4096;
/// Replaces the lines that do not fit.
const MORE: [&str; 2] = ["…", "The answer is too long for one message."];

/// Whether only one person writes here. In a group, everybody would act as the person it is bound to.
fn is_private(chat: &TelegramChat) -> bool {
    chat.kind.as_deref() == Some("private")
}

/// Answers an update with the call that Telegram is to make, or an empty one if there is nothing to say. The text is HTML, in which three
/// characters have a meaning; all others, of Markdown for example, are shown as they are.
///
/// A group and a private chat that is bound to nobody get help only. The chat also learns its id, which an administrator needs to bind it.
///
/// # Errors
/// `Invalid` if it is not an update. If the person may not do something, the chat says so. The call fails only when something is out of
/// reach; Telegram then tries again.
#[boxed]
pub async fn telegram(engine: &Engine, bot: &Bot, update: Value) -> Result<TelegramReply, Error> {
    let update: TelegramUpdate = serde_json::from_value(update).map_err(|_| Error::invalid("body", "is not an update of Telegram"))?;
    let Some(TelegramMessage { chat, text: Some(text) }) = update.message else { return Ok(TelegramReply::default()) };
    let user = if is_private(&chat) { user_of(engine, bot, &chat.id.to_string()).await? } else { None };
    let reply = match user {
        None if is_private(&chat) => {
            let (help, id) = (memory_block::help(&text), chat.id);
            memory_block::lines(&format!(
                "{help}\n\nThis chat belongs to nobody yet. Its id is {id}: give it to the person who runs this bot."
            ))
        }
        None => memory_block::lines(&format!("{}\n\nI answer in private chats only.", memory_block::help(&text))),
        Some(user) => match command(engine, bot, user, text).await {
            Ok(answer) => answer,
            Err(error) if matches!(error.code(), ErrorCode::Unavailable | ErrorCode::Internal) => return Err(error),
            Err(error) => memory_block::lines(&format!("That is not possible: {}.", error.message())),
        },
    };
    let lines: Vec<String> = fitting(reply).iter().map(html).collect();
    Ok(TelegramReply {
        method: Some("sendMessage".into()),
        chat_id: Some(chat.id),
        parse_mode: Some("HTML".into()),
        text: Some(lines.join("\n")),
    })
}

/// Runs the command for the owner of the chat only, even if the key may choose its user.
async fn command(engine: &Engine, bot: &Bot, user: UserId, text: String) -> Result<Vec<Line>, Error> {
    let ctx = identity::named_by_caller(engine, bot.ctx.clone(), &user.into()).await?;
    memory_block::answer(engine, &ctx, CommandRequest { text, user_id: None }).await
}

/// A line in Telegram's HTML.
fn html(line: &Line) -> String {
    let text = line.text().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    match line {
        Line::Heading(_) => format!("<b>{text}</b>"),
        Line::Text(_) => text,
    }
}

/// As many whole lines as a message holds. Lists have pages that fit.
fn fitting(lines: Vec<Line>) -> Vec<Line> {
    if lines.iter().map(Line::units).sum::<usize>() <= MESSAGE_MAX + 1 {
        return lines;
    }
    let more = MORE.map(|line| Line::Text(line.to_owned()));
    let mut left = MESSAGE_MAX + 1 - more.iter().map(Line::units).sum::<usize>();
    let fits = |line: &Line| match left.checked_sub(line.units()) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    lines.into_iter().take_while(fits).chain(more).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_means_something_in_html_is_escaped_and_nothing_else() {
        let told = html(&Line::Text("5 < 6 && <b>**x**</b> _y_ `z` [a](b)".into()));
        assert_eq!(told, "5 &lt; 6 &amp;&amp; &lt;b&gt;**x**&lt;/b&gt; _y_ `z` [a](b)");
        assert_eq!(html(&Line::Heading("Person".into())), "<b>Person</b>");
    }

    proptest! {
        #[test]
        fn a_message_never_outgrows_telegram(texts in proptest::collection::vec("[a-z😀& ]{0,600}", 0..20)) {
            let lines: Vec<Line> = texts.iter().cloned().map(Line::Text).collect();
            let message = fitting(lines.clone());
            let read = message.iter().map(Line::text).collect::<Vec<_>>().join("\n");
            prop_assert!(read.encode_utf16().count() <= MESSAGE_MAX);
            let kept = message.len().saturating_sub(MORE.len());
            prop_assert!(message == lines || (message[kept..].iter().map(Line::text).eq(MORE) && message[..kept] == lines[..kept]));
        }
    }
}

//! What a chat bot gets from Telegram, and what it answers. The names are those of Telegram's Bot API.

use serde::{Deserialize, Serialize};

/// An update from Telegram. Only these fields are read; others are ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "message": { "chat": { "id": 4711, "type": "private" }, "text": "/memory list" } }]))]
pub struct TelegramUpdate {
    /// Absent if the update is not a message.
    pub message: Option<TelegramMessage>,
}

/// A message in a chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TelegramMessage {
    pub chat: TelegramChat,
    /// Absent for a message without text, such as a picture.
    pub text: Option<String>,
}

/// The chat of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TelegramChat {
    pub id: i64,
    /// `private`, `group`, … Only private chats reach memory.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// The call that Telegram makes when it gets this answer; without fields if there is nothing to say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TelegramReply {
    /// Always `sendMessage`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_id: Option<i64>,
    /// Always `HTML`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parse_mode: Option<String>,
    /// HTML; without tags at most 4,096 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

//! The webhook of a Telegram bot. The response holds the message to send, so the server needs no outgoing connection.

use super::Api;
use super::body::UnreadBody;
use super::caller::request_id;
use super::error::ApiError;
use super::gate::seen_key;
use super::openapi::{Describe, Operation, Refusal};
use super::params::Segment;
use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use remembrancer::chat;
use wire::{BotId, TelegramReply, TelegramUpdate};

/// The header in which Telegram sends the secret from `setWebhook`.
pub const SECRET: &str = "x-telegram-bot-api-secret-token";

/// A bot that showed its secret and whose key is within its limit.
pub struct Bot(chat::Bot);

impl FromRequestParts<Api> for Bot {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, ApiError> {
        let Segment(bot, _) = Segment::<BotId>::from_request_parts(parts, api).await?;
        let secret = parts.headers.get(SECRET).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let seen = seen_key(parts);
        let look_up = chat::authenticate(&api.engine, &bot, secret, request_id(parts)?, &seen);
        Ok(Self(api.gate.admit(&format!("bot {bot} {secret}"), parts, look_up).await?))
    }
}

impl Describe for Bot {
    fn describe(operation: &mut Operation) {
        Segment::<BotId>::describe(operation);
        for refusal in [Refusal::Unauthenticated, Refusal::RateLimited, Refusal::Unavailable] {
            operation.refuses(refusal);
        }
    }
}

/// `POST /api/adapters/telegram/{bot}`: an update of Telegram, answered with the message to send.
pub async fn update(State(api): State<Api>, Bot(bot): Bot, body: UnreadBody<TelegramUpdate>) -> Result<Json<TelegramReply>, ApiError> {
    let update = body.json().await?;
    Ok(Json(chat::telegram(&api.engine.current(), &bot, update).await?))
}

//! The webhook of a Telegram bot: what is to be said goes back as the answer, so we need no way out to the network.

use super::{Api, input, respond};
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Extension, Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use remembrancer::api::RequestId;
use remembrancer::op::Actor;
use remembrancer::{Error, chat};

/// The header in which Telegram shows what `setWebhook` was told.
const SECRET: &str = "x-telegram-bot-api-secret-token";

/// `POST /api/adapters/telegram/{bot}`: an update of Telegram, answered with the message to send.
pub async fn update(
    State(api): State<Api>,
    Path(bot): Path<String>,
    Extension(id): Extension<RequestId>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let secret = headers.get(SECRET).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let bot = match admitted(&api, &bot, secret, id).await {
        Ok(bot) => bot,
        Err(error) => return respond::error(&error, Some(id)),
    };
    let update = match input::json(&headers, body, super::BODY_MAX, Some(id)) {
        Ok(update) => update,
        Err(refusal) => return *refusal,
    };
    match chat::telegram(&api.engine, &bot, update).await {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => respond::error(&error, Some(id)),
    }
}

/// The bot, if it shows its secret and its key is within its limit.
async fn admitted(api: &Api, bot: &str, secret: &str, id: RequestId) -> Result<chat::Bot, Error> {
    let bot = chat::authenticate(&api.engine, bot, secret, id).await?;
    if let Actor::Agent { key_id, .. } = &bot.ctx.actor {
        api.limiter.check(*key_id)?;
    }
    Ok(bot)
}

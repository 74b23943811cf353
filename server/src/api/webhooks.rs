//! Webhooks over HTTP, for keys with the scope `admin`.

use super::body::UnreadBody;
use super::caller::Caller;
use super::error::{Answer, ApiError};
use super::openapi::{Created, CreatedFor, NoContent};
use super::params::Segment;
use axum::Json;
use foundation::webhooks;
use wire::{KeyScope, MadeWebhook, NewWebhook, Webhook, WebhookId, WebhookSettings, Webhooks};

/// `GET /api/admin/webhooks`: the webhooks of the organisation.
pub async fn list(Caller(engine, ctx): Caller) -> Answer<Webhooks> {
    let webhooks = webhooks::list(&engine, &ctx.as_admin()?).await?;
    Ok(Json(Webhooks { webhooks }))
}

/// `POST /api/admin/webhooks`: a new webhook, with its secret.
pub async fn add(Caller(engine, ctx): Caller, body: UnreadBody<NewWebhook>) -> Result<CreatedFor<MadeWebhook>, ApiError> {
    let new = body.read(&ctx, KeyScope::Admin).await?;
    Ok(CreatedFor(webhooks::add(&engine, &ctx.as_admin()?, new).await?))
}

/// `PUT /api/admin/webhooks/{id}`: the webhook with another address, other events or another state.
pub async fn change(Caller(engine, ctx): Caller, id: Segment<WebhookId>, body: UnreadBody<WebhookSettings>) -> Answer<Webhook> {
    let settings = body.read(&ctx, KeyScope::Admin).await?;
    Ok(Json(webhooks::change(&engine, &ctx.as_admin()?, id.id("webhook")?, settings).await?))
}

/// `POST /api/admin/webhooks/{id}/rotate`: a new secret. The one before signs for 24 hours, too.
pub async fn rotate(Caller(engine, ctx): Caller, id: Segment<WebhookId>) -> Result<Created<MadeWebhook>, ApiError> {
    Ok(Created(webhooks::rotate(&engine, &ctx.as_admin()?, id.id("webhook")?).await?))
}

/// `DELETE /api/admin/webhooks/{id}`: removes a webhook.
pub async fn remove(Caller(engine, ctx): Caller, id: Segment<WebhookId>) -> Result<NoContent, ApiError> {
    webhooks::remove(&engine, &ctx.as_admin()?, id.id("webhook")?).await?;
    Ok(NoContent)
}

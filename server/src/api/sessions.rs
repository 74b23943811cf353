//! Messages of a session, which are stored as episodes.

use super::Api;
use super::body::UnreadBody;
use super::caller::Caller;
use super::error::ApiError;
use super::params::{Query, Segment};
use axum::Json;
use axum::extract::State;
use remembrancer::lifecycle;
use wire::{MessagesRequest, MessagesResponse, Page, Scope, SessionFilter, SessionMessage};

/// Largest body of a batch of messages, in bytes.
const MESSAGES_BODY_MAX: usize = 4 * 1024 * 1024;

/// `POST /api/sessions/{session}/messages`: stores up to 100 messages, all or none. The session's name is any text up to 256 characters.
pub async fn add(
    State(api): State<Api>,
    Caller(ctx): Caller,
    session: Segment<String>,
    body: UnreadBody<MessagesRequest>,
) -> Result<Json<MessagesResponse>, ApiError> {
    let request = body.at_most(MESSAGES_BODY_MAX).read(&ctx, Scope::MemoryWrite).await?;
    Ok(Json(lifecycle::add_messages(&api.engine, &ctx, &session.0, request).await?))
}

/// `GET /api/sessions/{session}/messages`: the live messages, oldest first.
pub async fn list(
    State(api): State<Api>,
    Caller(ctx): Caller,
    session: Segment<String>,
    Query(filter): Query<SessionFilter>,
) -> Result<Json<Page<SessionMessage>>, ApiError> {
    Ok(Json(lifecycle::session_messages(&api.engine, &ctx, &session.0, &filter).await?))
}

//! Sessions of agents, and the messages of a session, which are stored as episodes.

use super::body::UnreadBody;
use super::caller::Caller;
use super::error::Answer;
use super::params::{Query, Segment};
use axum::Json;
use foundation::sessions;
use remembrancer::lifecycle;
use wire::{AgentSession, AgentSessionFilter, KeyScope, MessagesRequest, MessagesResponse, Page, SessionFilter, SessionMessage};

/// Largest body of a batch of messages, in bytes.
const MESSAGES_BODY_MAX: usize = 4 * 1024 * 1024;

/// `GET /api/sessions`: the agent's own sessions, the last active first.
pub async fn all(Caller(engine, ctx): Caller, Query(filter): Query<AgentSessionFilter>) -> Answer<Page<AgentSession>> {
    Ok(Json(sessions::list(&engine, &ctx, &filter).await?))
}

/// `POST /api/sessions/{session}/messages`: stores up to 100 messages, all or none. The session's name is any text up to 256 characters.
pub async fn add(Caller(engine, ctx): Caller, session: Segment<String>, body: UnreadBody<MessagesRequest>) -> Answer<MessagesResponse> {
    let request = body.at_most(MESSAGES_BODY_MAX).read(&ctx, KeyScope::MemoryWrite).await?;
    Ok(Json(lifecycle::add_messages(&engine, &ctx, &session.0, request).await?))
}

/// `GET /api/sessions/{session}/messages`: the live messages, oldest first.
pub async fn list(
    Caller(engine, ctx): Caller,
    session: Segment<String>,
    Query(filter): Query<SessionFilter>,
) -> Answer<Page<SessionMessage>> {
    Ok(Json(lifecycle::session_messages(&engine, &ctx, &session.0, &filter).await?))
}

//! Contexts: the whole prompt of a model call, and the log of them.

use super::body::UnreadBody;
use super::caller::Caller;
use super::error::{Answer, ApiError};
use super::openapi::Found;
use super::params::{OfUser, Parameters, Segment};
use axum::Json;
use remembrancer::{context, quality};
use wire::{ANSWER_MAX, AnswerRequest, AnswerUse, AssembleRequest, AssembledContext, ContextId, KeyScope, LoggedContext};

/// Largest body of a request, in bytes: a long conversation with its results of tools.
const CONTEXT_BODY_MAX: usize = 4 * 1024 * 1024;
/// Largest body of a reported answer, in bytes: JSON may write a byte as six.
const ANSWER_BODY_MAX: usize = 6 * ANSWER_MAX + 1024;

/// `POST /api/context`: the prompt of the agent's next model call.
pub async fn assemble(Caller(engine, ctx): Caller, body: UnreadBody<AssembleRequest>) -> Result<Found<AssembledContext>, ApiError> {
    let request = body.at_most(CONTEXT_BODY_MAX).read(&ctx, KeyScope::ContextRead).await?;
    Ok(Found(context::assemble(&engine, &ctx, request).await?))
}

/// `GET /api/context/{id}`: one assembled context as the log keeps it.
pub async fn logged(Caller(engine, ctx): Caller, id: Segment<ContextId>, parameters: Parameters<OfUser>) -> Answer<LoggedContext> {
    Ok(Json(context::logged(&engine, &ctx, id.id("context")?, parameters.user()?.as_ref()).await?))
}

/// `POST /api/context/{id}/answer`: which memories of a context the agent's answer uses.
pub async fn report_answer(Caller(engine, ctx): Caller, id: Segment<ContextId>, body: UnreadBody<AnswerRequest>) -> Answer<AnswerUse> {
    let id = id.id("context")?;
    let request = body.at_most(ANSWER_BODY_MAX).read(&ctx, KeyScope::ContextRead).await?;
    Ok(Json(quality::report_answer(&engine, &ctx, id, request).await?))
}

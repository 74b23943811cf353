//! What agents report, over HTTP.

use super::body::UnreadBody;
use super::caller::Caller;
use super::error::ApiError;
use super::openapi::Created;
use super::params::Segment;
use remembrancer::activity;
use wire::{KeyScope, RecordActionRequest, RecordActionResponse, RecordStepsRequest, RecordStepsResponse};

/// Largest body of a request with steps, in bytes.
const STEPS_BODY_MAX: usize = 4 * 1024 * 1024;

/// `POST /api/actions`: records an action.
pub async fn action(Caller(engine, ctx): Caller, body: UnreadBody<RecordActionRequest>) -> Result<Created<RecordActionResponse>, ApiError> {
    let request = body.read(&ctx, KeyScope::MemoryWrite).await?;
    Ok(Created(activity::record_action(&engine, &ctx, request).await?))
}

/// `POST /api/workflows/{name}/steps`: records up to 100 completed steps of a workflow.
pub async fn steps(
    Caller(engine, ctx): Caller,
    Segment(workflow, _): Segment<String>,
    body: UnreadBody<RecordStepsRequest>,
) -> Result<Created<RecordStepsResponse>, ApiError> {
    let request = body.at_most(STEPS_BODY_MAX).read(&ctx, KeyScope::MemoryWrite).await?;
    Ok(Created(activity::record_steps(&engine, &ctx, workflow, request).await?))
}

//! Sets of expectations over HTTP: their last runs, and requests for new ones.

use super::caller::Caller;
use super::error::Answer;
use super::params::Segment;
use axum::Json;
use wire::{ExpectationRunRequested, ExpectationSetId, ExpectationSetList};

/// `GET /api/expectations`: the organisation's sets with the numbers of their last two runs, without their questions.
pub async fn list(Caller(engine, ctx): Caller) -> Answer<ExpectationSetList> {
    Ok(Json(expectations::list(&engine, &ctx).await?))
}

/// `POST /api/expectations/{id}/runs`: requests a run, which the server does in the background. At most one of a set waits.
pub async fn run(Caller(engine, ctx): Caller, id: Segment<ExpectationSetId>) -> Answer<ExpectationRunRequested> {
    Ok(Json(expectations::request_run_by_key(&engine, &ctx, id.id("set of expectations")?).await?))
}

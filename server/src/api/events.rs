//! The stream of events for agents that follow what happens.

use super::Api;
use super::caller::Caller;
use super::error::ApiError;
use super::openapi::{Describe, Operation};
use crate::streams::{EVENT_STREAM, LAST_EVENT_ID, LastEventId};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// A stream of events, as it is sent.
pub struct Events(Response);

impl IntoResponse for Events {
    fn into_response(self) -> Response {
        self.0
    }
}

impl Describe for Events {
    fn describe(operation: &mut Operation) {
        let events = json!({ "type": "string", "description": "Server-sent events. The data of each is a notice as webhooks send it; \
            `missed` is the type of one that says that older notices are no longer kept." });
        operation.answers(StatusCode::OK, "Success. The stream stays open for up to an hour.", &[(EVENT_STREAM, events)]);
    }
}

impl Describe for LastEventId {
    fn describe(operation: &mut Operation) {
        let about =
            "The id of the last event that you got, to go on after it. Without it, the stream begins now. Notices are kept for a day.";
        operation.header_parameter(LAST_EVENT_ID, about, json!({ "type": "integer", "format": "int64", "minimum": 0 }));
    }
}

/// `GET /api/events/stream`: what happens to memories that the key can read.
pub async fn stream(State(api): State<Api>, Caller(_, ctx): Caller, LastEventId(seen): LastEventId) -> Result<Events, ApiError> {
    Ok(Events(api.streams.open(ctx, seen).await?))
}

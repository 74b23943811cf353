//! What the OpenAPI document says about one operation, as its route and the types of its handler describe it.

mod describe;
mod operation;
pub(super) mod refusals;
mod schemas;

pub use describe::{Created, CreatedFor, Describe, DescribedHandler, Found, NoContent, Put};
pub use operation::Operation;
pub use refusals::Refusal;
pub(super) use schemas::Schemas;

use super::Api;
use axum::Json;
use axum::extract::State;
use serde_json::Value;

/// `GET /api/openapi.json`: the document, as OpenAPI 3.1.
pub async fn openapi(State(api): State<Api>) -> Json<&'static Value> {
    Json(api.document)
}

//! Many facts in one request.

use super::{ErrorCode, FieldError, RememberResponse, UserRef};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Body of `POST /api/memories/batch`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{
        "items": [{ "topic_raw": "release day", "content": "Releases go out on Tuesdays.", "source": { "platform": "slack" } }],
    }]))]
#[serde(deny_unknown_fields)]
pub struct BatchRequest {
    /// The person whom every item is about, if your key may choose: an id, or your own reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
    /// 1 to 500 facts, each as the input of `agent_memory_remember`. An invalid item does not affect the others.
    #[schemars(with = "Vec<super::RememberRequest>", extend("minItems" = 1, "maxItems" = 500))]
    pub items: Vec<Value>,
}

/// Answer of `POST /api/memories/batch`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BatchResponse {
    /// How many items are stored.
    pub stored: i64,
    /// How many items are not stored.
    pub failed: i64,
    /// One result for each item, in the order of the items.
    pub results: Vec<BatchOutcome>,
}

/// The result of one item: either `memory` or `error`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BatchOutcome {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<RememberResponse>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<BatchError>,
}

/// Why an item was not stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BatchError {
    pub code: ErrorCode,
    /// The error in words, for people.
    pub message: String,
    /// The fields that are wrong.
    pub fields: Vec<FieldError>,
}

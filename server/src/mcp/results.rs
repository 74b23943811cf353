//! What the engine answers, in the forms of the protocol.

use foundation::Error;
use remembrancer::tools::Output;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use wire::{ErrorBody, ErrorCode, RequestId};
use words::quote;

/// The code of JSON-RPC for a request that is refused and for which it has no code of its own.
pub const REFUSED: rmcp::model::ErrorCode = rmcp::model::ErrorCode(-32000);
/// Most ignored arguments that an answer names.
const IGNORED_MAX: usize = 10;

/// An error of the engine as an error of the protocol. Its data is the body that HTTP would answer.
pub fn refusal(error: &Error, id: RequestId) -> ErrorData {
    let data = Some(json!(ErrorBody::from(error.detail(id))));
    match error.code() {
        ErrorCode::NotFound => ErrorData::resource_not_found(error.message(), data),
        ErrorCode::Invalid => ErrorData::invalid_params(error.message(), data),
        ErrorCode::Internal | ErrorCode::Unavailable => ErrorData::internal_error(error.message(), data),
        _ => ErrorData::new(REFUSED, error.message(), data),
    }
}

/// An error of the engine as the answer of a tool, which a model reads: the body that HTTP would answer, and the same in words.
pub fn tool_error(error: &Error, id: RequestId) -> CallToolResult {
    let detail = error.detail(id);
    let body = json!(ErrorBody::from(detail.clone()));
    let mut text = format!("{}: {}", body["error"]["code"].as_str().unwrap_or_default(), detail.message);
    for field in detail.fields.iter().skip(1) {
        text.push_str(&format!("\n{} {}", field.field, field.message));
    }
    let mut result = CallToolResult::structured_error(body);
    result.content = vec![ContentBlock::text(text)];
    result
}

/// The answer of a tool, with a note about arguments that it does not have.
pub fn result(Output { mut value, text }: Output, ignored: &[String]) -> CallToolResult {
    let mut content = vec![ContentBlock::text(text)];
    if !ignored.is_empty() {
        let named: Vec<&str> = ignored.iter().take(IGNORED_MAX).map(String::as_str).collect();
        let names: Vec<String> = named.iter().map(|name| quote::marked(name)).collect();
        let more = if named.len() < ignored.len() { ", …" } else { "" };
        content.push(ContentBlock::text(format!("Ignored, because this tool has no such argument: {}{more}", names.join(", "))));
        if let Value::Object(fields) = &mut value {
            fields.insert("ignored_arguments".into(), json!(named));
        }
    }
    let mut result = CallToolResult::structured(value);
    result.content = content;
    result
}

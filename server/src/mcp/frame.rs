//! Messages before `rmcp` reads them: in the body of a `POST /mcp`, and in the lines of standard input.
//!
//! `rmcp` answers a body that is no message with 415 or not at all, so the form of a message is checked here first.

use super::MESSAGE_MAX;
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
/// Largest whole number that is exact as a float.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A message whose form is right.
#[derive(Debug)]
pub struct Frame {
    pub bytes: Bytes,
    /// The id of a request, as JSON; absent for notifications and answers.
    pub request_id: Option<String>,
    pub method: Option<String>,
}

/// Why a message is refused: the HTTP status, and the code and message of JSON-RPC.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    status: StatusCode,
    code: i32,
    message: String,
}

impl Refusal {
    /// A message that is JSON, and no valid message.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, code: INVALID_REQUEST, message: message.into() }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": self.code, "message": self.message } });
        (self.status, Json(body)).into_response()
    }
}

/// Reads a body and checks its message.
///
/// # Errors
/// A refusal that names what is wrong.
pub async fn read(body: Body) -> Result<Frame, Refusal> {
    let mut request = Request::new(body);
    DefaultBodyLimit::max(MESSAGE_MAX).apply(&mut request);
    let bytes = Bytes::from_request(request, &()).await.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Refusal {
            status: StatusCode::PAYLOAD_TOO_LARGE,
            code: INVALID_REQUEST,
            message: format!("the message is larger than {MESSAGE_MAX} bytes"),
        },
        status => Refusal { status, code: PARSE_ERROR, message: "the message could not be read to its end".into() },
    })?;
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Result<Frame, Refusal> {
    let mut value: Value = serde_json::from_slice(bytes).map_err(|error| Refusal {
        status: StatusCode::BAD_REQUEST,
        code: PARSE_ERROR,
        message: format!("the message is not JSON: {error}"),
    })?;
    let Some(message) = value.as_object_mut() else {
        return Err(Refusal::invalid("send one message for each request: batches are not supported"));
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(Refusal::invalid("jsonrpc must be \"2.0\""));
    }
    let method = match message.get("method") {
        Some(Value::String(method)) => Some(method.clone()),
        Some(_) => return Err(Refusal::invalid("method must be a string")),
        None if message.contains_key("result") || message.contains_key("error") => None,
        None => return Err(Refusal::invalid("a message has a method, a result or an error")),
    };
    mend_params(message);
    if method.is_some() && message.get("params").is_some_and(|params| !params.is_object()) {
        return Err(Refusal::invalid("params must be an object"));
    }
    let id = message.get("id").map(id_of).transpose()?;
    // Of a field that comes twice the last one counts, here and for whoever reads the message after this.
    Ok(Frame { request_id: id.filter(|_| method.is_some()), method, bytes: value.to_string().into() })
}

/// The lines of an input, each a message, with their parameters mended. Everything else stays as it is: `rmcp` decides about it.
pub fn mended(input: impl AsyncRead + Send + Unpin + 'static) -> DuplexStream {
    let (output, mut lines) = tokio::io::duplex(MESSAGE_MAX);
    tokio::spawn(async move {
        let mut input = BufReader::new(input).take(0);
        let mut line = Vec::new();
        loop {
            // Of a line that is too long, one part after the other passes.
            input.set_limit(MESSAGE_MAX as u64);
            line.clear();
            if !matches!(input.read_until(b'\n', &mut line).await, Ok(1..)) {
                return;
            }
            let mended = mended_line(&line);
            if lines.write_all(mended.as_deref().unwrap_or(&line)).await.is_err() {
                return;
            }
        }
    });
    output
}

/// A line whose parameters were mended, if there was something to mend.
fn mended_line(line: &[u8]) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(line).ok()?;
    mend_params(value.as_object_mut()?).then(|| format!("{value}\n").into_bytes())
}

/// Some clients send `null` for the parameters of a request without any, and the arguments of a call as a text. Whether something was
/// mended.
fn mend_params(message: &mut Map<String, Value>) -> bool {
    if message.get("params").is_some_and(Value::is_null) {
        message.remove("params");
        return true;
    }
    if let Some(arguments) = message.get_mut("params").and_then(|params| params.get_mut("arguments"))
        && let Some(Ok(read @ Value::Object(_))) = arguments.as_str().map(serde_json::from_str)
    {
        *arguments = read;
        return true;
    }
    false
}

/// An id in one form: `1` and `1.0` are the same.
fn id_of(id: &Value) -> Result<String, Refusal> {
    let whole = |number: f64| (number.fract() == 0.0 && number.abs() < EXACT).then(|| format!("{number:.0}"));
    let text = match id {
        Value::String(_) => Some(id.to_string()),
        Value::Number(number) if number.is_i64() => Some(number.to_string()),
        Value::Number(number) if number.is_f64() => number.as_f64().and_then(whole),
        _ => None,
    };
    text.ok_or_else(|| Refusal::invalid("an id must be a string or a whole number of 64 bits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_compared_in_one_form() {
        let id =
            |id: &str| parse(format!(r#"{{"jsonrpc": "2.0", "id": {id}, "method": "ping"}}"#).as_bytes()).map(|frame| frame.request_id);
        assert_eq!(id("1").unwrap(), id("1.0").unwrap());
        assert_ne!(id("1").unwrap(), id("\"1\"").unwrap());
        for wrong in ["1.5", "true", "null", "{}", "[]", "9223372036854775808", "1e300"] {
            assert_eq!(id(wrong).unwrap_err().code, INVALID_REQUEST, "{wrong}");
        }
    }

    #[test]
    fn parameters_are_read_as_they_are_meant() {
        let params = |params: &str| {
            let frame = parse(format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {params}}}"#).as_bytes()).unwrap();
            serde_json::from_slice::<Value>(&frame.bytes).unwrap()["params"].clone()
        };
        assert_eq!(params("null"), Value::Null, "not there");
        assert_eq!(params(r#"{"arguments": "{\"query\": \"tea\"}"}"#), json!({ "arguments": { "query": "tea" } }));
        assert_eq!(params(r#"{"arguments": "tea"}"#), json!({ "arguments": "tea" }));
        assert!(parse(br#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}"#).is_err());
    }

    #[tokio::test]
    async fn lines_are_mended_as_bodies_are_and_otherwise_stay_as_they_are() {
        let call = |arguments: &str| format!("{{\"method\":\"tools/call\",\"params\":{{\"arguments\":{arguments}}}}}\n");
        let text = call(r#""{\"query\": \"tea\"}""#);
        let long = format!("\"{}\"\n", "x".repeat(2 * MESSAGE_MAX));
        let odd = "{ \"method\" : \"ping\", \"id\": 1.0 }\r\n\nno JSON\n[1]\n";
        let input = [&*text, odd, &long, &text, "{\"method\": \"ping\", \"params\": null}\n", "the end"].concat();
        let mut output = String::new();
        mended(std::io::Cursor::new(input)).read_to_string(&mut output).await.unwrap();
        let fitted = call(r#"{"query":"tea"}"#);
        assert_eq!(output, [&*fitted, odd, &long, &fitted, "{\"method\":\"ping\"}\n", "the end"].concat());
    }

    #[test]
    fn the_last_of_two_equal_fields_counts_for_everybody() {
        let frame = parse(br#"{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "a", "method": "ping"}"#).unwrap();
        assert_eq!((frame.request_id.as_deref(), frame.method.as_deref()), (Some("2"), Some("ping")));
        assert!(!String::from_utf8_lossy(&frame.bytes).contains("\"a\""));
    }
}

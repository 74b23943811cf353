use leptos::{
    prelude::{FromServerFnError, ServerFnErrorErr},
    server_fn::codec::JsonEncoding,
};
use serde::{Deserialize, Serialize};
use wire::{ErrorCode, FieldError, RequestId};

/// The error of a server function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsoleError {
    pub code: ErrorCode,
    pub message: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldError>,
    /// Absent if no request reached the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
}

impl ConsoleError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), fields: Vec::new(), request_id: None }
    }

    /// An error about fields of the input.
    pub fn invalid(fields: Vec<FieldError>) -> Self {
        let message = if fields.len() == 1 { "Correct the marked field." } else { "Correct the marked fields." };
        Self { fields, ..Self::new(ErrorCode::Invalid, message) }
    }
}

impl FromServerFnError for ConsoleError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        match error {
            ServerFnErrorErr::Args(why) | ServerFnErrorErr::MissingArg(why) => {
                crate::guard::set_status(ErrorCode::Invalid);
                Self::new(ErrorCode::Invalid, format!("The request cannot be read: {why}"))
            }
            _ => Self::new(ErrorCode::Internal, "The console could not answer. Try again."),
        }
    }
}

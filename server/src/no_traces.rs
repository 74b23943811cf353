//! The functions of `traces.rs` in a program without the feature `otlp`: they do nothing.

use crate::Failure;
use axum::http::HeaderMap;
use tracing::Span;
use tracing_subscriber::layer::Identity;

/// Nothing: this program makes no traces.
pub struct Traces;

impl Traces {
    /// Refuses.
    ///
    /// # Errors
    /// Always.
    pub fn to(_collector: &str) -> Result<Self, Failure> {
        Err("OTEL_EXPORTER_OTLP_ENDPOINT is set, but this program was built without the feature otlp: unset it".into())
    }

    /// A layer that records nothing.
    pub fn layer(&self) -> Identity {
        Identity::new()
    }
}

/// No trace.
pub fn join(_span: &Span, _headers: &HeaderMap) -> Option<String> {
    None
}

//! Traces for an OpenTelemetry collector: what a request did, from the edge over verbs and statements to models.

use crate::Failure;
use async_trait::async_trait;
use axum::http::HeaderMap;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{TraceContextExt, TraceId, TracerProvider};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::{Bytes, HeaderExtractor, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use tracing::{Level, Span, Subscriber};
use tracing_opentelemetry::{OpenTelemetryLayer, OpenTelemetrySpanExt};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

/// How long the collector may take for one delivery.
const DELIVERY: Duration = Duration::from_secs(10);
/// How long the last delivery may hold up the end of the process.
const LAST_DELIVERY: Duration = Duration::from_secs(2);
/// Crates whose spans belong into a trace. The log has a filter of its own.
const OWN: [&str; 7] = ["app", "db", "foundation", "models", "portability", "remembrancer", "server"];

/// Spans on their way to a collector. Dropping it sends those that are left.
pub struct Traces(SdkTracerProvider);

impl Traces {
    /// Traces for the collector at a URL. Call it in a runtime.
    ///
    /// # Errors
    /// When the URL or a variable of OpenTelemetry cannot be used.
    pub fn to(collector: &str) -> Result<Self, Failure> {
        // An error means that the process has chosen its cryptography already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().timeout(DELIVERY).redirect(reqwest::redirect::Policy::none()).build()?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Collector { client, runtime: Handle::current(), is_away: AtomicBool::new(false) })
            .with_endpoint(format!("{}/v1/traces", collector.trim_end_matches('/')))
            .with_protocol(Protocol::HttpBinary)
            .build()?;
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder().with_service_name("remembrancer").with_attribute(version).build();
        Ok(Self(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build()))
    }

    /// The layer of a subscriber that records the spans.
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        OpenTelemetryLayer::<S, _>::new(self.0.tracer("remembrancer"))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(Targets::new().with_targets(OWN.map(|name| (name, Level::DEBUG))))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown_with_timeout(LAST_DELIVERY) {
            tracing::warn!(%error, "the last traces were not delivered");
        }
    }
}

/// Makes a new span part of the trace that a request names in `traceparent`, or of one of its own. Returns the id of the trace, if traces are
/// made.
pub fn join(span: &Span, headers: &HeaderMap) -> Option<String> {
    let caller = TraceContextPropagator::new().extract_with_context(&Context::new(), &HeaderExtractor(headers));
    span.set_parent(caller).ok()?;
    let trace = span.context().span().span_context().trace_id();
    (trace != TraceId::INVALID).then(|| trace.to_string())
}

/// The way to the collector. The SDK delivers on a thread of its own, which has no runtime.
#[derive(Debug)]
struct Collector {
    client: reqwest::Client,
    runtime: Handle,
    /// Whether the last delivery failed: only changes are logged.
    is_away: AtomicBool,
}

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let delivery = deliver(self.client.clone(), reqwest::Request::try_from(request)?);
        let answer = self.runtime.spawn(delivery).await?;
        let failure = match &answer {
            Ok(answer) if answer.status().is_success() => None,
            Ok(answer) => Some(answer.status().to_string()),
            Err(error) => Some(error.to_string()),
        };
        if self.is_away.swap(failure.is_some(), Ordering::Relaxed) != failure.is_some() {
            match failure {
                Some(failure) => tracing::warn!(failure, "traces cannot be delivered: is OTEL_EXPORTER_OTLP_ENDPOINT right?"),
                None => tracing::info!("traces are delivered again"),
            }
        }
        answer
    }
}

/// Delivers to the collector. Errors are logged, so they do not name its URL, which may hold a password.
async fn deliver(client: reqwest::Client, request: reqwest::Request) -> Result<Response<Bytes>, HttpError> {
    let answer = client.execute(request).await.map_err(reqwest::Error::without_url)?;
    let (status, headers) = (answer.status(), answer.headers().clone());
    let mut response = Response::new(answer.bytes().await.map_err(reqwest::Error::without_url)?);
    (*response.status_mut(), *response.headers_mut()) = (status, headers);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_failed_delivery_does_not_name_the_password_of_the_collector() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let url = "http://vera:hunter2@127.0.0.1:1/v1/traces".parse().unwrap();
        let request = reqwest::Request::new(reqwest::Method::POST, url);
        let error = deliver(reqwest::Client::builder().no_proxy().build().unwrap(), request).await.unwrap_err().to_string();
        assert!(!error.is_empty() && !error.contains("hunter2"), "{error}");
    }
}

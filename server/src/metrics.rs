//! Prometheus metrics, on a listener of their own.

use crate::api::health::{self, LastProbe};
use crate::telemetry;
use crate::{api, hosts, version};
use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use foundation::{Engine, audit, jobs};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use std::sync::Arc;

/// Bounds in seconds, from a warm recall to one that waits for a model.
const SECONDS: &[f64] = &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0];
/// Bounds of the number of hits of a recall.
const HITS: &[f64] = &[0.0, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0];
/// Buckets by the suffix of a histogram's name. A histogram without buckets becomes a summary, which cannot be aggregated over servers.
const BUCKETS: [(&str, &[f64]); 2] = [("_seconds", SECONDS), ("_hits", HITS)];

/// Installs the recorder and describes every metric.
///
/// # Errors
/// When this process has a recorder already.
pub fn install() -> Result<PrometheusHandle, BuildError> {
    let mut builder = PrometheusBuilder::new();
    for (suffix, bounds) in BUCKETS {
        builder = builder.set_buckets_for_metric(Matcher::Suffix(suffix.into()), bounds)?;
    }
    let handle = builder.install_recorder()?;
    telemetry::describe();
    metrics::gauge!("remembrancer_build_info", "version" => version::VERSION, "commit" => version::COMMIT.unwrap_or("unknown")).set(1.0);
    Ok(handle)
}

/// `GET /metrics`, `/healthz` and `/readyz`, for programs that name this server by an address or by one of `hosts`.
pub fn router(handle: PrometheusHandle, engine: Engine, hosts: Vec<String>) -> Router {
    let health = Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(ready))
        .with_state((engine.clone(), Arc::<LastProbe>::default()));
    let metrics = Router::new().route("/metrics", get(scrape)).with_state((handle, engine));
    metrics.merge(health).layer(middleware::from_fn_with_state(Arc::<[String]>::from(hosts), hosts::check_watcher))
}

async fn ready(State((engine, last)): State<(Engine, Arc<LastProbe>)>) -> Response {
    let mut response = last.report(&engine).await.into_response();
    api::error::add_retry_after(&mut response);
    response
}

async fn scrape(State((handle, engine)): State<(PrometheusHandle, Engine)>) -> Response {
    gauges(&engine).await;
    handle.run_upkeep();
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], handle.render()).into_response()
}

/// Sets the gauges whose values are counted in the databases, and that of the recall cache.
async fn gauges(engine: &Engine) {
    metrics::gauge!("remembrancer_recall_cache_bytes").set(engine.recall_cache().bytes() as f64);
    let now = engine.clock().now();
    let answers = engine.db().ping().await;
    for (name, answer) in &answers {
        metrics::gauge!("remembrancer_database_up", "database" => *name).set(if answer.is_ok() { 1.0 } else { 0.0 });
    }
    if let Ok(anchors) = audit::anchors(engine).await {
        metrics::gauge!("remembrancer_audit_entries").set(anchors.iter().map(|(_, anchor)| anchor.entries as f64).sum::<f64>());
    }
    for (name, database) in [("agent_memory", &engine.db().memory), ("shared_kb", &engine.db().kb)] {
        // A database that does not answer would only cost time.
        if answers.iter().any(|(away, answer)| *away == name && answer.is_err()) {
            continue;
        }
        if let Ok((waiting, oldest)) = audit::store::lag(database.system()).await {
            let seconds = oldest.map_or(0.0, |oldest| (now - oldest).as_seconds_f64());
            metrics::gauge!("remembrancer_outbox_waiting", "database" => name).set(waiting as f64);
            metrics::gauge!("remembrancer_outbox_lag_seconds", "database" => name).set(seconds);
        }
        if let Ok(depths) = jobs::store::depth(database.system()).await {
            for state in ["pending", "running", "failed", "dead"] {
                let depth = depths.iter().find(|(named, _)| named == state).map_or(0, |(_, depth)| *depth);
                metrics::gauge!("remembrancer_events", "database" => name, "state" => state).set(depth as f64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BUCKETS;
    use crate::telemetry::{Kind, METRICS};

    #[test]
    fn every_histogram_has_buckets() {
        for metric in METRICS.iter().filter(|metric| metric.kind == Kind::Histogram) {
            assert!(BUCKETS.iter().any(|(suffix, _)| metric.name.ends_with(suffix)), "{} has none", metric.name);
        }
    }
}

//! Health checks: whether the process lives, and whether it can serve.

use super::Api;
use super::openapi::{Describe, Operation};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, TimeDelta, Utc};
use db::DbError;
use foundation::Engine;
use tokio::sync::Mutex;
use wire::{Liveness, Readiness};

/// How long the result of a probe is valid. Anybody may send this request, so sending many must cost nothing.
const FRESH: TimeDelta = TimeDelta::seconds(1);

/// The status and the body of an answer.
#[derive(Clone)]
pub struct Report(StatusCode, Readiness);

/// The last probe. One runs at a time; requests that arrive meanwhile use its result.
#[derive(Default)]
pub struct LastProbe(Mutex<Option<(DateTime<Utc>, Report)>>);

impl LastProbe {
    pub async fn report(&self, engine: &Engine) -> Report {
        let mut last = self.0.lock().await;
        if let Some((at, report)) = &*last
            && (TimeDelta::zero()..FRESH).contains(&(engine.clock().now() - *at))
        {
            return report.clone();
        }
        let report = probe(engine).await;
        *last = Some((engine.clock().now(), report.clone()));
        report
    }
}

impl IntoResponse for Report {
    fn into_response(self) -> Response {
        (self.0, Json(self.1)).into_response()
    }
}

impl Describe for Report {
    fn describe(operation: &mut Operation) {
        operation.answers_json::<Readiness>(StatusCode::OK, "The server is ready, possibly without the model.");
        operation.answers_json::<Readiness>(StatusCode::SERVICE_UNAVAILABLE, "The server is not ready.");
    }
}

/// `GET /healthz`: the process answers.
pub async fn healthz() -> Json<Liveness> {
    Json(Liveness { status: "ok".into() })
}

/// `GET /readyz`: the databases answer, are migrated, and the model gives vectors.
pub async fn readyz(State(api): State<Api>) -> Report {
    api.readiness.report(&api.engine).await
}

/// Why a database is not ready. Anybody may ask, so it names no host.
fn not_ready(database: &str, error: &DbError) -> String {
    match error {
        DbError::Ill { illness, .. } => format!("{database}: {illness}"),
        DbError::Refused(_) => format!("{database}: a connection did not prove its role; the log of the server says why"),
        _ => format!("{database} does not answer"),
    }
}

async fn probe(engine: &Engine) -> Report {
    let (databases, migrations) = match engine.ready().await {
        Ok(0) => ("ok".to_owned(), "ok".to_owned()),
        Ok(pending) => ("ok".to_owned(), format!("{pending} pending")),
        Err((database, error)) => {
            tracing::warn!(database, %error, "not ready");
            (not_ready(database, &error), "unknown".to_owned())
        }
    };
    let model = if engine.is_model_ready().await { "ok" } else { "gives no vectors; recall uses words only" };
    let ready = databases == "ok" && migrations == "ok";
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let word = match (ready, model) {
        (true, "ok") => "ready",
        (true, _) => "degraded",
        (false, _) => "not ready",
    };
    Report(status, Readiness { status: word.into(), databases, migrations, model: model.into() })
}

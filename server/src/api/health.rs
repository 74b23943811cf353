//! Health checks: whether the process lives, and whether it can serve.

use super::Api;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};

/// `GET /healthz`: the process answers.
pub async fn healthz() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// `GET /readyz`: the databases answer, are migrated, and the model gives vectors.
pub async fn readyz(State(api): State<Api>) -> (StatusCode, Json<Value>) {
    let databases = match api.engine.ready().await {
        Ok(()) => "ok".to_owned(),
        Err((database, error)) => {
            tracing::warn!(database, %error, "not ready");
            format!("{database} does not answer")
        }
    };
    let migrations = match remembrancer::db::pending_migrations(api.engine.urls()).await {
        Ok(0) => "ok".to_owned(),
        Ok(pending) => format!("{pending} pending"),
        Err(_) => "unknown".to_owned(),
    };
    let model = if api.engine.embed_query("ready").await.is_some() { "ok" } else { "gives no vectors; recall goes by words" };
    let ready = databases == "ok" && migrations == "ok";
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let word = if ready && model == "ok" {
        "ready"
    } else if ready {
        "degraded"
    } else {
        "not ready"
    };
    (status, Json(json!({ "status": word, "databases": databases, "migrations": migrations, "model": model })))
}

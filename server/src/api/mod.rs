//! HTTP for agents: one table of routes, one way to authenticate, one error shape.

mod activity;
mod admin;
pub(crate) mod body;
mod caller;
mod context;
mod document;
pub mod error;
mod events;
mod expectations;
mod gate;
pub(crate) mod health;
mod knowledge;
mod memory;
pub mod openapi;
pub mod params;
pub mod portability;
mod profile;
mod projects;
mod records;
mod reference;
mod retrievals;
mod route;
mod sessions;
mod sources;
mod table;
mod telegram;
mod tools;
mod transfers;
pub mod usage;
mod webhooks;

pub use body::BODY_MAX;
pub use caller::{Caller, IDEMPOTENCY_KEY, REPLAYED, SESSION, USER};
pub use document::document;
pub use error::ApiError;
pub use gate::Gate;
use health::LastProbe;
pub use knowledge::BODY_MAX as KNOWLEDGE_BODY_MAX;
pub use route::{Guard, Route};
pub use table::routes;
pub use transfers::Transfers;

use crate::mcp::Mcp;
use crate::streams::Streams;
use app::ClientAddress;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{MethodRouter, any};
use foundation::Engine;
use foundation::identity::{SeenKey, Use};
use serde_json::Value;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use wire::RequestId;

/// The state that handlers share.
#[derive(Clone)]
pub struct Api {
    pub engine: Engine,
    pub gate: Arc<Gate>,
    pub transfers: Arc<Transfers>,
    pub mcp: Arc<Mcp>,
    pub streams: Arc<Streams>,
    readiness: Arc<LastProbe>,
    document: &'static Value,
}

impl Api {
    /// The state, with limits per minute: on requests of each key, and on unknown credentials of each address. The console shares the
    /// transfers and the streams.
    pub fn new(
        engine: Engine,
        requests_per_minute: NonZeroU32,
        unknown_keys_per_minute: NonZeroU32,
        transfers: Arc<Transfers>,
        mcp: Arc<Mcp>,
        streams: Arc<Streams>,
    ) -> Self {
        let gate = Arc::new(Gate::new(requests_per_minute, unknown_keys_per_minute));
        Self { engine, gate, transfers, mcp, streams, readiness: Arc::default(), document: document() }
    }
}

/// The API's part of the router.
pub fn router(api: Api) -> Router {
    // The methods of one address are one entry of the router.
    let mut addresses: BTreeMap<&'static str, MethodRouter<Api>> = BTreeMap::new();
    for route in routes() {
        let methods = addresses.remove(route.path).unwrap_or_default();
        addresses.insert(route.path, methods.merge(route.into_methods()));
    }
    let table = addresses
        .into_iter()
        .fold(Router::new(), |router, (path, methods)| router.route(path, methods.fallback(error::method_not_allowed)));
    table
        .route("/api", any(error::no_such_address))
        .route("/api/", any(error::no_such_address))
        .route("/api/{*rest}", any(error::no_such_address))
        .layer(middleware::from_fn_with_state(api.engine.clone(), count_use))
        .with_state(api)
}

/// Middleware that gives every request an id, and its response too. The outermost layer.
pub async fn assign_request_id(State(engine): State<Engine>, mut request: Request, next: Next) -> Response {
    let id = RequestId(engine.clock().id());
    request.extensions_mut().insert(id);
    let mut response = next.run(request).await;
    if let Ok(value) = HeaderValue::from_str(&id.to_string()) {
        response.headers_mut().insert("x-request-id", value);
    }
    response
}

/// Middleware that counts a request for its key, and whether it was refused.
async fn count_use(State(engine): State<Engine>, mut request: Request, next: Next) -> Response {
    let seen = SeenKey::default();
    request.extensions_mut().insert(seen.clone());
    let from = request.extensions().get::<ClientAddress>().map(|client| client.0);
    let response = next.run(request).await;
    if let Some(key) = seen.get() {
        let refused = matches!(response.status(), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS);
        engine.key_uses().note(key, Use::request(refused, from, engine.clock().now()));
    }
    response
}

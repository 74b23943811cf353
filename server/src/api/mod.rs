//! HTTP for agents: one table of routes, one way to authenticate, one error shape.

mod body;
mod caller;
pub mod error;
mod gate;
mod health;
mod knowledge;
mod memory;
pub mod params;
pub mod portability;
mod projects;
mod records;
mod retrievals;
mod telegram;
mod tools;
mod transfers;

pub use body::BODY_MAX;
pub use caller::{Caller, IDEMPOTENCY_KEY, REPLAYED, USER};
pub use error::ApiError;
pub use gate::Gate;
use health::Readiness;
pub use knowledge::BODY_MAX as KNOWLEDGE_BODY_MAX;
pub use transfers::Transfers;

use crate::mcp::{self, Mcp};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{MethodRouter, any, delete, get, post, put};
use remembrancer::api::RequestId;
use remembrancer::{Engine, Error};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

/// Longest time a request may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The state that handlers share.
#[derive(Clone)]
pub struct Api {
    pub engine: Engine,
    pub gate: Arc<Gate>,
    pub transfers: Arc<Transfers>,
    pub mcp: Arc<Mcp>,
    readiness: Arc<Readiness>,
}

impl Api {
    /// The state, with limits per minute: on requests of each key, and on unknown credentials of each address. The console shares the
    /// transfers.
    pub fn new(
        engine: Engine,
        requests_per_minute: NonZeroU32,
        unknown_keys_per_minute: NonZeroU32,
        transfers: Arc<Transfers>,
        mcp: Arc<Mcp>,
    ) -> Self {
        let gate = Arc::new(Gate::new(requests_per_minute, unknown_keys_per_minute));
        Self { engine, gate, transfers, mcp, readiness: Arc::default() }
    }
}

/// The credential that a route requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// None: the answer has no private data.
    Open,
    /// An API key; the verb decides what it may do.
    Key,
    /// The secret of a chat bot, which stands for an API key.
    Bot,
}

/// One line of the route table.
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub guard: Guard,
    handler: fn() -> MethodRouter<Api>,
}

impl Route {
    /// Whether a caller may send an `Idempotency-Key`: with every request that changes something. The Model Context Protocol has ids of its
    /// own for requests.
    pub fn is_idempotent(&self) -> bool {
        self.guard == Guard::Key && self.method != Method::GET && self.path != "/mcp"
    }

    fn methods(&self) -> MethodRouter<Api> {
        let methods = (self.handler)();
        if self.is_idempotent() { methods.layer(middleware::from_fn(caller::idempotent)) } else { methods }
    }
}

/// Every route of the API. The authorization test loops over it.
pub fn routes() -> Vec<Route> {
    vec![
        Route { method: Method::GET, path: "/healthz", guard: Guard::Open, handler: || get(health::healthz) },
        Route { method: Method::GET, path: "/readyz", guard: Guard::Open, handler: || get(health::readyz) },
        Route { method: Method::GET, path: "/api/tools", guard: Guard::Key, handler: || get(tools::list) },
        Route { method: Method::POST, path: "/api/tools/{name}", guard: Guard::Key, handler: || post(tools::call) },
        Route { method: Method::GET, path: "/mcp", guard: Guard::Key, handler: || get(mcp::handle) },
        Route { method: Method::POST, path: "/mcp", guard: Guard::Key, handler: || post(mcp::handle) },
        Route { method: Method::DELETE, path: "/mcp", guard: Guard::Key, handler: || delete(mcp::handle) },
        Route { method: Method::GET, path: "/api/prompts", guard: Guard::Key, handler: || get(tools::prompts) },
        // Clients of this contract call it with and without the slash.
        Route { method: Method::GET, path: "/api/memory/", guard: Guard::Key, handler: || memory::contract(get(memory::list)) },
        Route { method: Method::GET, path: "/api/memory", guard: Guard::Key, handler: || memory::contract(get(memory::list)) },
        Route { method: Method::POST, path: "/api/memory/", guard: Guard::Key, handler: || memory::contract(post(memory::create)) },
        Route { method: Method::POST, path: "/api/memory", guard: Guard::Key, handler: || memory::contract(post(memory::create)) },
        Route { method: Method::GET, path: "/api/memory/prompt", guard: Guard::Key, handler: || memory::contract(get(memory::prompt)) },
        Route { method: Method::GET, path: "/api/memory/{id}", guard: Guard::Key, handler: || memory::contract(get(memory::get)) },
        Route { method: Method::PUT, path: "/api/memory/{id}", guard: Guard::Key, handler: || memory::contract(put(memory::update)) },
        Route { method: Method::DELETE, path: "/api/memory/{id}", guard: Guard::Key, handler: || memory::contract(delete(memory::delete)) },
        Route { method: Method::POST, path: "/api/commands/memory", guard: Guard::Key, handler: || post(memory::command) },
        Route { method: Method::POST, path: "/api/memories/batch", guard: Guard::Key, handler: || post(records::batch) },
        Route { method: Method::GET, path: "/api/memories/{memory_id}", guard: Guard::Key, handler: || get(records::record) },
        Route { method: Method::GET, path: "/api/memories/{memory_id}/versions", guard: Guard::Key, handler: || get(records::versions) },
        Route { method: Method::GET, path: "/api/retrievals", guard: Guard::Key, handler: || get(retrievals::list) },
        Route { method: Method::GET, path: "/api/retrievals/{id}", guard: Guard::Key, handler: || get(retrievals::detail) },
        Route { method: Method::GET, path: "/api/retrievals/{id}/replay", guard: Guard::Key, handler: || get(retrievals::replay) },
        Route { method: Method::GET, path: "/api/projects", guard: Guard::Key, handler: || get(projects::list) },
        Route { method: Method::POST, path: "/api/projects", guard: Guard::Key, handler: || post(projects::create) },
        Route { method: Method::POST, path: "/api/projects/{project}/repos", guard: Guard::Key, handler: || post(projects::create_repo) },
        Route { method: Method::POST, path: "/api/projects/{project}/links", guard: Guard::Key, handler: || post(projects::link) },
        Route { method: Method::POST, path: "/api/adapters/telegram/{bot}", guard: Guard::Bot, handler: || post(telegram::update) },
        Route { method: Method::GET, path: "/api/kb/index", guard: Guard::Key, handler: || get(knowledge::index) },
        Route { method: Method::POST, path: "/api/kb/documents", guard: Guard::Key, handler: || post(knowledge::ingest) },
        Route { method: Method::GET, path: "/api/export", guard: Guard::Key, handler: || get(portability::export) },
        Route { method: Method::POST, path: portability::IMPORT, guard: Guard::Key, handler: || post(portability::import) },
    ]
}

/// The API's part of the router.
pub fn router(api: Api) -> Router {
    // The methods of one address are one entry of the router.
    let mut addresses: BTreeMap<&'static str, MethodRouter<Api>> = BTreeMap::new();
    for route in routes() {
        let methods = addresses.remove(route.path).unwrap_or_default();
        addresses.insert(route.path, methods.merge(route.methods()));
    }
    let table = addresses
        .into_iter()
        .fold(Router::new(), |router, (path, methods)| router.route(path, methods.fallback(error::method_not_allowed)));
    table
        .route("/api", any(error::no_such_address))
        .route("/api/", any(error::no_such_address))
        .route("/api/{*rest}", any(error::no_such_address))
        .layer(middleware::from_fn(limit_time))
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

/// Middleware that gives up on a request that takes too long.
async fn limit_time(request: Request, next: Next) -> Result<Response, ApiError> {
    let most = if request.uri().path() == portability::IMPORT { portability::LONGEST } else { TIMEOUT };
    let response = tokio::time::timeout(most, next.run(request)).await;
    response.map_err(|_| Error::Unavailable(format!("no answer within {} s", most.as_secs())).into())
}

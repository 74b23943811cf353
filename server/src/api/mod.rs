//! HTTP for agents: one table of routes, one way to authenticate, one error shape.

mod activity;
pub(crate) mod body;
mod caller;
mod context;
pub mod error;
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
mod telegram;
mod tools;
mod transfers;
pub mod usage;

pub use body::BODY_MAX;
pub use caller::{Caller, IDEMPOTENCY_KEY, REPLAYED, USER};
pub use error::ApiError;
pub use gate::Gate;
use health::LastProbe;
pub use knowledge::BODY_MAX as KNOWLEDGE_BODY_MAX;
pub use route::{Group, Guard, Route};
pub use transfers::Transfers;

use crate::mcp::{self, Mcp};
use app::ClientAddress;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{MethodRouter, any, delete, get, post};
use foundation::identity::{SeenKey, Use};
use foundation::{Engine, Error};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;
use wire::{RequestId, Scope};

/// Longest time a request may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The state that handlers share.
#[derive(Clone)]
pub struct Api {
    pub engine: Engine,
    pub gate: Arc<Gate>,
    pub transfers: Arc<Transfers>,
    pub mcp: Arc<Mcp>,
    readiness: Arc<LastProbe>,
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

/// Every route of the API. The authorization test loops over it.
pub fn routes() -> Vec<Route> {
    groups().into_iter().flat_map(|(_, routes)| routes).collect()
}

/// The table of routes.
pub fn groups() -> Vec<(Group, Vec<Route>)> {
    use Scope::{CaptureWrite, CommonsWrite, ContextRead, Export, KbRead, KbWrite, MemoryForget, MemoryRead, MemoryWrite};
    // Clients of this contract call it with and without the slash.
    let entries = Route::get("/api/memory/", "List entries", memory::list).needs(&[MemoryRead]).of_contract();
    let add_entry = Route::post("/api/memory/", "Add an entry", memory::create).needs(&[MemoryWrite]).of_contract();
    vec![
        (
            Group {
                name: "Tools",
                about: "The tools that agents call. Each tool is an operation; the Model Context Protocol offers the same tools.",
            },
            vec![
                Route::get("/api/tools", "List the tools that the key may call", tools::list),
                // The OpenAPI document has an operation for each tool instead.
                Route::undescribed(Method::POST, tools::CALL, post(tools::call)),
                Route::get("/api/prompts", "Get instructions on how to use the tools", tools::prompts),
                // A protocol of its own.
                Route::undescribed(Method::GET, "/mcp", get(mcp::handle)),
                Route::undescribed(Method::POST, "/mcp", post(mcp::handle)),
                Route::undescribed(Method::DELETE, "/mcp", delete(mcp::handle)),
            ],
        ),
        (
            Group {
                name: "Entries",
                about: "Short facts that every conversation begins with, by category: the memory block of a prompt. Requests that are not \
                    valid get 422 here.",
            },
            vec![
                entries.also_at("/api/memory"),
                entries,
                add_entry.also_at("/api/memory"),
                add_entry,
                Route::get("/api/memory/prompt", "Get the memory block of a prompt", memory::prompt).needs(&[MemoryRead]).of_contract(),
                Route::get("/api/memory/{id}", "Get an entry with its versions", memory::get).needs(&[MemoryRead]).of_contract(),
                Route::put("/api/memory/{id}", "Change an entry", memory::update).needs(&[MemoryWrite]).of_contract(),
                Route::delete("/api/memory/{id}", "Delete an entry", memory::delete).needs(&[MemoryForget]).of_contract(),
                Route::post("/api/commands/memory", "Run a chat command", memory::command).needs(&[MemoryRead]),
            ],
        ),
        (
            Group {
                name: "Memories",
                about: "Get one memory in full, with its source, evidence, links and every version, or remember many facts at once.",
            },
            vec![
                Route::post("/api/memories/batch", "Remember up to 500 facts", records::batch).needs(&[MemoryWrite]),
                Route::get("/api/memories/{memory_id}", "Get a memory", records::record).needs(&[MemoryRead]),
                Route::get("/api/memories/{memory_id}/versions", "List or compare the versions of a memory", records::versions)
                    .needs(&[MemoryRead]),
                Route::put("/api/memories/{memory_id}/pin", "Pin a memory", records::pin).needs(&[MemoryWrite]),
                Route::delete("/api/memories/{memory_id}/pin", "Unpin a memory", records::unpin).needs(&[MemoryWrite]),
                Route::put("/api/memories/{memory_id}/share", "Share a memory with all agents", records::share).needs(&[CommonsWrite]),
                Route::delete("/api/memories/{memory_id}/share", "Make a shared memory private", records::unshare).needs(&[CommonsWrite]),
            ],
        ),
        (
            Group {
                name: "Sessions",
                about: "The messages of a conversation, as they are said. Each has an importance and is kept as long as its kind.",
            },
            vec![
                Route::post("/api/sessions/{session}/messages", "Store messages of a session", sessions::add).needs(&[MemoryWrite]),
                Route::get("/api/sessions/{session}/messages", "List the messages of a session", sessions::list).needs(&[MemoryRead]),
            ],
        ),
        (
            Group {
                name: "Sources",
                about: "Raw material: transcripts, notes, documents. A source is stored as it is, and read only when a tool captures it.",
            },
            vec![Route::post("/api/sources", "Store a transcript, a note or a document", sources::add).needs(&[CaptureWrite])],
        ),
        (
            Group {
                name: "Profiles",
                about: "What the agent knows about a person: a narrative, a structured profile whose values cite observations, and the \
                    connections of the person's tools.",
            },
            vec![
                Route::get("/api/profile", "Get the profile of a person", profile::get).needs(&[ContextRead]),
                Route::post("/api/profile/search", "Search what is known about a person", profile::search).needs(&[ContextRead]).reading(),
                Route::get("/api/profile/versions", "List the changes of a profile", profile::versions).needs(&[ContextRead]),
                Route::delete("/api/profile/leaves/{id}", "Forget a value of a profile", profile::forget_leaf).needs(&[MemoryForget]),
                Route::get("/api/connections", "List the connections of a person", profile::connections).needs(&[ContextRead]),
                Route::get("/api/connections/{id}", "Get a connection", profile::connection).needs(&[ContextRead]),
                Route::put("/api/connections/{id}", "Store a connection", profile::put_connection).needs(&[CaptureWrite]),
                Route::put("/api/connections/{id}/entities", "Replace the entities of a connection", profile::put_entities)
                    .needs(&[CaptureWrite]),
            ],
        ),
        (
            Group { name: "Retrievals", about: "The log of the agent's recalls: each query, its hits and the reasons for them." },
            vec![
                Route::get("/api/retrievals", "List recalls", retrievals::list).needs(&[MemoryRead]),
                Route::get("/api/retrievals/{id}", "Get a recall with every candidate", retrievals::detail).needs(&[MemoryRead]),
                Route::get("/api/retrievals/{id}/replay", "Replay a recall with the data of its time and of today", retrievals::replay)
                    .needs(&[MemoryRead]),
            ],
        ),
        (
            Group { name: "Contexts", about: "The whole prompt of a model call within a budget of tokens, and the log of such prompts." },
            vec![
                Route::post("/api/context", "Assemble the prompt of a model call", context::assemble).needs(&[ContextRead]).reading(),
                Route::get("/api/context/{id}", "Get an assembled prompt from the log", context::logged).needs(&[ContextRead]),
                Route::post("/api/context/{id}/answer", "Report the answer to an assembled prompt", context::report_answer)
                    .needs(&[ContextRead]),
            ],
        ),
        (
            Group { name: "Projects", about: "Projects, their repositories, and the links between projects." },
            vec![
                Route::get("/api/projects", "List projects", projects::list).needs(&[MemoryRead]),
                Route::post("/api/projects", "Create a project", projects::create).needs(&[CommonsWrite]),
                Route::post("/api/projects/{project}/repos", "Create a repository", projects::create_repo).needs(&[CommonsWrite]),
                Route::post("/api/projects/{project}/links", "Link two projects, or remove their link", projects::link)
                    .needs(&[CommonsWrite]),
            ],
        ),
        (
            Group {
                name: "Activity",
                about: "Reports of agents: actions with their outcomes, and steps of workflows. The tool search_my_memories finds them.",
            },
            vec![
                Route::post("/api/actions", "Record an action", activity::action).needs(&[MemoryWrite]),
                Route::post("/api/workflows/{name}/steps", "Record completed steps of a workflow", activity::steps).needs(&[MemoryWrite]),
            ],
        ),
        (
            Group { name: "Usage", about: "What the agent's calls of models cost, by day, model and purpose." },
            vec![
                Route::get("/api/usage", "Get what calls of models cost", usage::report).needs(&[MemoryRead]),
                Route::get("/api/usage.csv", "Get what calls of models cost as CSV", usage::table).needs(&[MemoryRead]),
            ],
        ),
        (
            Group { name: "Knowledge", about: "The organisation's documents." },
            vec![
                Route::get("/api/kb/index", "List index pages, or get one as Markdown", knowledge::index).needs(&[KbRead]),
                Route::post("/api/kb/documents", "Ingest documents", knowledge::ingest).needs(&[KbWrite]),
            ],
        ),
        (
            Group { name: "Export and import", about: "All data of an agent as JSON Lines, which another server can import." },
            vec![
                Route::get("/api/export", "Export all data of the key's agent", portability::export).needs(&[Export]),
                Route::post(portability::IMPORT, "Import an exported file", portability::import).needs(&[Export, MemoryWrite]),
            ],
        ),
        (
            Group { name: "Chat bots", about: "The webhook of a Telegram bot." },
            vec![Route::post("/api/adapters/telegram/{bot}", "Answer an update of Telegram", telegram::update).for_bot()],
        ),
        (
            Group { name: "Service", about: "The state of the process, and its description." },
            vec![
                Route::get("/healthz", "Check that the process is running", health::healthz).open(),
                Route::get("/readyz", "Check that the server is ready", health::readyz).open(),
                Route::get("/api/openapi.json", "Get this description as OpenAPI 3.1", openapi::openapi).open(),
                Route::get("/api/docs", "Read this description as a page", reference::page).open(),
            ],
        ),
    ]
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
        .layer(middleware::from_fn(limit_time))
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

/// Middleware that gives up on a request that takes too long.
async fn limit_time(request: Request, next: Next) -> Result<Response, ApiError> {
    let most = if request.uri().path() == portability::IMPORT { portability::LONGEST } else { TIMEOUT };
    let response = tokio::time::timeout(most, next.run(request)).await;
    response.map_err(|_| Error::Unavailable(format!("no answer within {} s", most.as_secs())).into())
}

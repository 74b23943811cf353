//! The types of the route table: routes, their groups, and the credential that each requires.

use super::openapi::{DescribedHandler, Operation, Refusal};
use super::{Api, ApiError, caller};
use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{self, MethodRouter};
use foundation::Error;
use std::time::Duration;
use wire::KeyScope;

/// Longest time that a request may take, unless its route says otherwise.
const TIMEOUT: Duration = Duration::from_secs(60);

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

/// Routes that belong together.
pub struct Group {
    pub name: &'static str,
    /// A sentence on what they are for.
    pub about: &'static str,
    pub routes: Vec<Route>,
}

/// A route. It requires an API key, unless `guard` says otherwise.
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub guard: Guard,
    /// What every call needs. The verb checks it; this is its description, which a test compares.
    pub scopes: &'static [KeyScope],
    /// Its name in the OpenAPI document. It never changes: generated clients have a function of this name. Empty if it is not described.
    pub id: &'static str,
    /// A few words on what it does. Empty if it is not described.
    pub summary: &'static str,
    /// How a request that is not valid is refused.
    pub invalid: Refusal,
    /// Whether it only reads, although its method may change something.
    pub reads: bool,
    /// Whether its requests have ids of their own, so that it takes no `Idempotency-Key`.
    pub has_own_ids: bool,
    /// Longest time that a request may take.
    pub limit: Duration,
    /// Writes the description of the operation; none if the OpenAPI document leaves it out.
    pub describe: Option<fn(&mut Operation)>,
    /// The handler.
    pub methods: MethodRouter<Api>,
}

/// A function for each method that makes a route of it, with the id and the summary of its operation.
macro_rules! routes_of_methods {
    ($($name:ident $method:ident),+) => {
        $(
            pub fn $name<H, T, D>(path: &'static str, id: &'static str, summary: &'static str, handler: H) -> Self
            where
                H: Handler<T, Api> + DescribedHandler<D>,
                T: 'static,
            {
                Self::described::<H, D>(Method::$method, (path, id, summary), routing::$name(handler))
            }
        )+
    };
}

impl Route {
    routes_of_methods!(get GET, post POST, put PUT, delete DELETE);

    fn described<H: DescribedHandler<D>, D>(
        method: Method,
        (path, id, summary): (&'static str, &'static str, &'static str),
        methods: MethodRouter<Api>,
    ) -> Self {
        Self { id, summary, describe: Some(H::describe), ..Self::undescribed(method, path, methods) }
    }

    /// A route that the OpenAPI document leaves out.
    pub fn undescribed(method: Method, path: &'static str, methods: MethodRouter<Api>) -> Self {
        Self {
            method,
            path,
            guard: Guard::Key,
            scopes: &[],
            id: "",
            summary: "",
            invalid: Refusal::Invalid,
            reads: false,
            has_own_ids: false,
            limit: TIMEOUT,
            describe: None,
            methods,
        }
    }

    /// A route that only reads, with a body that is too large for an address.
    pub fn reading(self) -> Self {
        Self { reads: true, ..self }
    }

    /// A route that anybody may call.
    pub fn open(self) -> Self {
        Self { guard: Guard::Open, ..self }
    }

    /// A route that requires the secret of a chat bot.
    pub fn for_bot(self) -> Self {
        Self { guard: Guard::Bot, ..self }
    }

    /// A route whose requests have ids of their own.
    pub fn with_own_ids(self) -> Self {
        Self { has_own_ids: true, ..self }
    }

    /// A route whose requests may take longer than others.
    pub fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Whether a caller may send an `Idempotency-Key`: with every request that changes something.
    pub fn is_idempotent(&self) -> bool {
        self.guard == Guard::Key && !self.reads && !self.has_own_ids && !self.method.is_safe()
    }

    /// The handler with what every route of its kind needs.
    pub fn into_methods(self) -> MethodRouter<Api> {
        let idempotent = self.is_idempotent();
        let methods = if idempotent { self.methods.layer(middleware::from_fn(caller::idempotent)) } else { self.methods };
        methods.layer(middleware::from_fn_with_state(self.limit, limit_time))
    }

    /// Names the scopes that every call needs.
    pub fn needs(self, scopes: &'static [KeyScope]) -> Self {
        Self { scopes, ..self }
    }

    /// A route of the entries of the memory block, which answers 422 where the rest of the API answers 400.
    pub fn of_entries(self) -> Self {
        Self { invalid: Refusal::InvalidEntry, methods: self.methods.layer(middleware::map_response(refuse_entry)), ..self }
    }

    /// The same route at an address that the OpenAPI document leaves out.
    pub fn also_at(&self, path: &'static str) -> Self {
        let Self { guard, scopes, has_own_ids, .. } = *self;
        Self { guard, scopes, has_own_ids, ..Self::undescribed(self.method.clone(), path, self.methods.clone()) }
    }
}

/// Turns 400 into 422.
async fn refuse_entry(mut response: Response) -> Response {
    if response.status() == StatusCode::BAD_REQUEST {
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    }
    response
}

/// Middleware that gives up on a request that takes too long.
async fn limit_time(State(limit): State<Duration>, request: Request, next: Next) -> Result<Response, ApiError> {
    let response = tokio::time::timeout(limit, next.run(request)).await;
    response.map_err(|_| Error::Unavailable(format!("no answer within {} s", limit.as_secs())).into())
}

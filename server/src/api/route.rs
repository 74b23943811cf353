//! The types of the route table: routes, their groups, and the credential that each requires.

use super::Api;
use super::caller;
use super::memory;
use super::openapi::{DescribedHandler, Operation, Refusal};
use axum::handler::Handler;
use axum::http::Method;
use axum::middleware;
use axum::routing::{self, MethodRouter};
use wire::Scope;

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
}

/// A route. It requires an API key, unless `guard` says otherwise.
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub guard: Guard,
    /// What every call needs. The verb checks it; this is its description, which a test compares.
    pub scopes: &'static [Scope],
    /// A few words on what it does. Empty if it is not described.
    pub summary: &'static str,
    /// Its name in the OpenAPI document: the module and the name of the handler.
    pub id: String,
    /// How a request that is not valid is refused.
    pub invalid: Refusal,
    /// Whether it only reads, although its method may change something.
    pub reads: bool,
    /// Writes the description of the operation; none if the OpenAPI document leaves it out.
    pub describe: Option<fn(&mut Operation)>,
    /// The handler.
    pub methods: MethodRouter<Api>,
}

impl Route {
    pub fn get<H, T, D>(path: &'static str, summary: &'static str, handler: H) -> Self
    where
        H: Handler<T, Api> + DescribedHandler<D>,
        T: 'static,
    {
        Self::described::<H, D>(Method::GET, path, summary, routing::get(handler))
    }

    pub fn post<H, T, D>(path: &'static str, summary: &'static str, handler: H) -> Self
    where
        H: Handler<T, Api> + DescribedHandler<D>,
        T: 'static,
    {
        Self::described::<H, D>(Method::POST, path, summary, routing::post(handler))
    }

    pub fn put<H, T, D>(path: &'static str, summary: &'static str, handler: H) -> Self
    where
        H: Handler<T, Api> + DescribedHandler<D>,
        T: 'static,
    {
        Self::described::<H, D>(Method::PUT, path, summary, routing::put(handler))
    }

    pub fn delete<H, T, D>(path: &'static str, summary: &'static str, handler: H) -> Self
    where
        H: Handler<T, Api> + DescribedHandler<D>,
        T: 'static,
    {
        Self::described::<H, D>(Method::DELETE, path, summary, routing::delete(handler))
    }

    fn described<H: DescribedHandler<D>, D>(method: Method, path: &'static str, summary: &'static str, methods: MethodRouter<Api>) -> Self {
        let mut names = std::any::type_name::<H>().rsplit("::");
        let (name, module) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
        Self { summary, id: format!("{module}_{name}"), describe: Some(H::describe), ..Self::undescribed(method, path, methods) }
    }

    /// A route that the OpenAPI document leaves out.
    pub fn undescribed(method: Method, path: &'static str, methods: MethodRouter<Api>) -> Self {
        let (guard, invalid) = (Guard::Key, Refusal::Invalid);
        Self { method, path, guard, scopes: &[], summary: "", id: String::new(), invalid, reads: false, describe: None, methods }
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

    /// Whether a caller may send an `Idempotency-Key`: with every request that changes something. The Model Context Protocol has ids of its
    /// own for requests.
    pub fn is_idempotent(&self) -> bool {
        self.guard == Guard::Key && !self.reads && !self.method.is_safe() && self.path != "/mcp"
    }

    /// The handler with what every route of its kind needs.
    pub fn into_methods(self) -> MethodRouter<Api> {
        if self.is_idempotent() { self.methods.layer(middleware::from_fn(caller::idempotent)) } else { self.methods }
    }

    /// Names the scopes that every call needs.
    pub fn needs(self, scopes: &'static [Scope]) -> Self {
        Self { scopes, ..self }
    }

    /// A route of the contract of `/api/memory/`, which answers 422 where the rest of the API answers 400.
    pub fn of_contract(self) -> Self {
        Self { invalid: Refusal::InvalidEntry, methods: memory::contract(self.methods), ..self }
    }

    /// The same route at an address that the OpenAPI document leaves out.
    pub fn also_at(&self, path: &'static str) -> Self {
        Self { guard: self.guard, scopes: self.scopes, ..Self::undescribed(self.method.clone(), path, self.methods.clone()) }
    }
}

//! OAuth 2.1 for clients of the Model Context Protocol: the metadata that they read, registration, tokens and revocation. People consent on
//! a page of the console (`app/src/features/clients/`).

mod answer;
mod tokens;

use crate::api::error::method_not_allowed;
use crate::limits::{PerMinute, network};
use answer::{Answered, Refusal};
use app::ClientAddress;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Extension, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use foundation::identity::oauth;
use foundation::{Engine, Error};
use serde::Deserialize;
use serde_json::{Value, json};
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use wire::KeyScope;
use wire::oauth::{RESOURCE, SCOPES_DEFAULT, is_resource};

/// Largest body of a request, in bytes.
const BODY_MAX: usize = 16 * 1024;
/// Clients that one address may register in a minute.
const REGISTRATIONS: u32 = 20;
/// Clients that all addresses together may register in a minute.
const REGISTRATIONS_OF_ALL: u32 = 100;
/// Codes and tokens that one address may send in a minute. Hosts of connectors send those of many people.
const TOKENS: u32 = 600;
const RESOURCE_METADATA: &str = "/.well-known/oauth-protected-resource";
/// The page on which people consent.
const AUTHORIZE: &str = "/oauth/authorize";

/// The state of the endpoints.
pub struct Oauth {
    engine: Engine,
    /// The address of this server, which is its name as an issuer of tokens, too.
    issuer: String,
    registrations: PerMinute<Option<IpAddr>>,
    registrations_of_all: PerMinute<()>,
    tokens: PerMinute<Option<IpAddr>>,
}

impl Oauth {
    /// The address of the protected resource.
    fn resource(&self) -> String {
        format!("{}{RESOURCE}", self.issuer)
    }

    /// Whether a client names this server as the place where it will use its token.
    fn is_resource(&self, named: &str) -> bool {
        is_resource(&self.issuer, named)
    }
}

/// The routes of clients, which need no session and no key.
pub fn router(engine: Engine, issuer: &str) -> Router {
    let most = |events| NonZeroU32::new(events).unwrap_or(NonZeroU32::MIN);
    let oauth = Oauth {
        engine,
        issuer: issuer.to_owned(),
        registrations: PerMinute::new(most(REGISTRATIONS)),
        registrations_of_all: PerMinute::new(most(REGISTRATIONS_OF_ALL)),
        tokens: PerMinute::new(most(TOKENS)),
    };
    Router::new()
        .route(RESOURCE_METADATA, get(resource_metadata).fallback(method_not_allowed))
        .route(&format!("{RESOURCE_METADATA}{RESOURCE}"), get(resource_metadata).fallback(method_not_allowed))
        .route("/.well-known/oauth-authorization-server", get(server_metadata).fallback(method_not_allowed))
        .route("/oauth/register", post(register).fallback(method_not_allowed))
        .route("/oauth/token", post(tokens::exchange).fallback(method_not_allowed))
        .route("/oauth/revoke", post(tokens::revoke).fallback(method_not_allowed))
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .with_state(Arc::new(oauth))
}

/// Middleware that tells a client of `/mcp` without a valid key where to get one.
pub async fn challenge(State(issuer): State<Arc<str>>, request: Request, next: Next) -> Response {
    let is_mcp = request.uri().path().trim_end_matches('/') == RESOURCE;
    // A client that sent no token has made no mistake (RFC 6750).
    let error = if request.headers().contains_key(header::AUTHORIZATION) { "error=\"invalid_token\", " } else { "" };
    let mut response = next.run(request).await;
    if is_mcp && response.status() == StatusCode::UNAUTHORIZED {
        let scope = names(SCOPES_DEFAULT.iter().copied());
        let challenge = format!("Bearer {error}resource_metadata=\"{issuer}{RESOURCE_METADATA}{RESOURCE}\", scope=\"{scope}\"");
        if let Ok(challenge) = HeaderValue::from_str(&challenge) {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
    }
    response
}

/// `GET /.well-known/oauth-protected-resource` (RFC 9728).
async fn resource_metadata(State(state): State<Arc<Oauth>>) -> Json<Value> {
    Json(json!({
        "resource": state.resource(),
        "resource_name": "Remembrancer",
        "authorization_servers": [state.issuer],
        "scopes_supported": scopes(),
        "bearer_methods_supported": ["header"],
    }))
}

/// `GET /.well-known/oauth-authorization-server` (RFC 8414).
async fn server_metadata(State(state): State<Arc<Oauth>>) -> Json<Value> {
    let issuer = &state.issuer;
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}{AUTHORIZE}"),
        "token_endpoint": format!("{issuer}/oauth/token"),
        "registration_endpoint": format!("{issuer}/oauth/register"),
        "revocation_endpoint": format!("{issuer}/oauth/revoke"),
        "scopes_supported": scopes(),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": true,
    }))
}

/// The scopes that a client can get.
fn scopes() -> Vec<&'static str> {
    KeyScope::ALL.iter().filter(|scope| scope.granted_by().is_some()).map(|scope| scope.as_str()).collect()
}

/// Scopes as OAuth writes them, with blanks between them.
fn names(scopes: impl Iterator<Item = KeyScope>) -> String {
    scopes.map(KeyScope::as_str).collect::<Vec<_>>().join(" ")
}

/// What a client says of itself. Everything else in its registration is ignored: every client is a public one.
#[derive(Deserialize)]
struct Registration {
    #[serde(default)]
    redirect_uris: Vec<String>,
    client_name: Option<String>,
}

/// `POST /oauth/register` (RFC 7591).
async fn register(State(state): State<Arc<Oauth>>, client: Option<Extension<ClientAddress>>, body: Bytes) -> Answered {
    limit(&state.registrations, &address(client))?;
    limit(&state.registrations_of_all, &())?;
    let Registration { redirect_uris, client_name } = serde_json::from_slice(&body)
        .map_err(|error| Refusal::new("invalid_client_metadata", format!("the body is not valid: {error}")))?;
    let name = client_name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "A client without a name".to_owned());
    let client = oauth::register(&state.engine, &name, redirect_uris).await.map_err(refused_registration)?;
    tracing::info!(client = %client.id, "registered a client of OAuth");
    let registered = json!({
        "client_id": client.id,
        "client_id_issued_at": state.engine.clock().now().timestamp(),
        "client_name": client.name,
        "redirect_uris": client.redirect_uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    });
    Ok(answer::private(StatusCode::CREATED, registered))
}

/// The error of a registration in the words of RFC 7591.
fn refused_registration(error: Error) -> Refusal {
    let Error::Invalid(fields) = &error else { return error.into() };
    let code = match fields.iter().any(|field| field.field == "redirect_uris") {
        true => "invalid_redirect_uri",
        false => "invalid_client_metadata",
    };
    Refusal::new(code, error.message())
}

/// The network of the address that sent a request.
fn address(client: Option<Extension<ClientAddress>>) -> Option<IpAddr> {
    client.map(|Extension(ClientAddress(address))| network(address))
}

/// Counts a request.
fn limit<K: Hash + Eq + Clone>(limits: &PerMinute<K>, key: &K) -> Result<(), Error> {
    limits.check(key).map_err(|wait| {
        metrics::counter!("remembrancer_refused_total", "limit" => "oauth").increment(1);
        Error::RateLimited(wait)
    })
}

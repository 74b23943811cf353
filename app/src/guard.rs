//! What stands before every server function: who is asking, and what becomes of the answer.

use crate::{ConsoleError, Flash, query::Query};
use axum::http::{StatusCode, header, request::Parts};
use chrono::{DateTime, TimeDelta, Utc};
use leptos::prelude::*;
use leptos_axum::{ResponseOptions, redirect};
use remembrancer::{
    Engine, OpContext,
    api::{ErrorCode, OperatorId, OperatorProfile, RequestId},
    identity,
};
use std::{net::IpAddr, sync::Arc, time::Duration};
use tower_sessions::Session;

/// Says how long to wait before the next attempt to sign in with this login from this address, if at all.
pub type SignInLimiter = Arc<dyn Fn(&str, Option<IpAddr>) -> Option<Duration> + Send + Sync>;

/// What the process gives to the console; in the context of every page and server function.
#[derive(Clone)]
pub struct Console {
    pub engine: Engine,
    /// Where agents reach this server, without a slash at the end; examples show it.
    pub public_url: Arc<str>,
    pub secure_cookies: bool,
    pub limiter: SignInLimiter,
}

/// The address that a request came from, as far as the proxies in front are trusted; an extension of the request.
#[derive(Clone, Copy, Debug)]
pub struct ClientAddress(pub IpAddr);

/// Server functions that answer without a session.
pub const PUBLIC_SERVER_FUNCTIONS: [&str; 2] = ["/console/api/sign_in", "/console/api/set_theme"];

/// Where a session keeps who is signed in.
pub const SESSION_OPERATOR: &str = "operator_id";
const SEEN: &str = "seen";
const FLASH: &str = "flash";
const THEME: &str = "rmb-theme";

/// Path and method of every server function there is.
pub fn server_functions() -> Vec<(&'static str, axum::http::Method)> {
    leptos::server_fn::axum::server_fn_paths().collect()
}

/// What the process gave us.
pub fn console() -> Result<Console, ConsoleError> {
    use_context().ok_or_else(|| missing("Console"))
}

/// The first line of every server function: the engine, and whoever is signed in.
pub async fn operator() -> Result<(Engine, OpContext), ConsoleError> {
    let (engine, context, _) = signed_in().await?;
    Ok((engine, context))
}

/// Like [`operator`], with the profile that the frame of the page shows.
pub async fn signed_in() -> Result<(Engine, OpContext, OperatorProfile), ConsoleError> {
    let (engine, session) = (console()?.engine, session()?);
    let id = session.get::<OperatorId>(SESSION_OPERATOR).await.map_err(lost)?;
    let operator = match id {
        Some(id) => identity::operator(&engine, id, request_id()).await.map_err(ConsoleError::from),
        None => Err(ConsoleError::new(ErrorCode::Unauthenticated, "Sign in to continue.")),
    };
    if let Err(error) = &operator
        && error.code == ErrorCode::Unauthenticated
    {
        set_status(ErrorCode::Unauthenticated);
        redirect(&Query::default().with("next", page()).href("/sign-in"));
    }
    let (context, profile) = operator?;
    keep_alive(&session, engine.clock().now()).await?;
    Ok((engine, context, profile))
}

/// Puts the operator into a session of a new id; whatever the old one held is gone.
pub async fn open_session(id: OperatorId) -> Result<(), ConsoleError> {
    let session = session()?;
    // Not `flush`: the next record would take the id of the one that is gone, and whoever had planted it would be signed in, too.
    session.clear().await;
    session.cycle_id().await.map_err(lost)?;
    session.insert(SESSION_OPERATOR, id).await.map_err(lost)
}

/// Ends the session.
pub async fn close_session() -> Result<(), ConsoleError> {
    session()?.flush().await.map_err(lost)
}

/// What the last form did; told once.
pub async fn take_flash() -> Result<Option<Flash>, ConsoleError> {
    let session = session()?;
    if session.get::<Flash>(FLASH).await.map_err(lost)?.is_none() {
        return Ok(None);
    }
    session.remove(FLASH).await.map_err(lost)
}

/// Ends a form: to `done` with what was done, or back to `form` with why not and what had been typed.
pub async fn finish(result: Result<Flash, ConsoleError>, done: &str, form: &str, typed: &str) -> Result<(), ConsoleError> {
    let (flash, to) = match &result {
        Ok(flash) => (flash.clone(), done),
        Err(error) if error.code == ErrorCode::Unauthenticated => return result.map(drop),
        Err(error) => (Flash::refused(error, typed), form),
    };
    if wants_html() {
        session()?.insert(FLASH, flash).await.map_err(lost)?;
        redirect(to);
    }
    result.map(drop)
}

/// `path` if it is one of ours, so that a link cannot send anybody elsewhere after a form.
pub fn own_path<'a>(path: &'a str, otherwise: &'a str) -> &'a str {
    let ours = path.starts_with('/') && !path.starts_with("//") && !path.contains(['\\', '\r', '\n']) && path.is_ascii();
    if ours { path } else { otherwise }
}

/// The choice between light and dark, if the reader has made one.
pub fn theme_cookie() -> Option<String> {
    let parts = use_context::<Parts>()?;
    let cookies = parts.headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let theme = cookies.flat_map(|line| line.split("; ")).find_map(|pair| pair.strip_prefix(THEME)?.strip_prefix('='))?;
    matches!(theme, "light" | "dark").then(|| theme.to_owned())
}

/// Remembers that choice for a year.
pub fn set_theme_cookie(theme: &str, secure: bool) {
    let age = if theme == "system" { 0 } else { 31_536_000 };
    let secure = if secure { "; Secure" } else { "" };
    let cookie = format!("{THEME}={theme}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{secure}");
    if let (Some(response), Ok(value)) = (use_context::<ResponseOptions>(), cookie.parse()) {
        response.append_header(header::SET_COOKIE, value);
    }
}

/// The address of whoever asks.
pub fn client_address() -> Option<IpAddr> {
    use_context::<Parts>()?.extensions.get::<ClientAddress>().map(|address| address.0)
}

/// The id of this request, which the process has given it.
pub fn request_id() -> RequestId {
    let given = use_context::<Parts>().and_then(|parts| parts.extensions.get::<RequestId>().copied());
    given.or_else(|| use_context::<Console>().map(|console| RequestId(console.engine.clock().id()))).unwrap_or(RequestId(uuid::Uuid::nil()))
}

/// Gives the response the status that belongs to `code`.
pub fn set_status(code: ErrorCode) {
    if let (Some(response), Ok(status)) = (use_context::<ResponseOptions>(), StatusCode::from_u16(code.status())) {
        response.set_status(status);
    }
}

impl From<remembrancer::Error> for ConsoleError {
    /// The response takes the status of the error, and a fault of ours is logged here, once.
    fn from(error: remembrancer::Error) -> Self {
        let (code, request_id) = (error.code(), request_id());
        if code == ErrorCode::Internal {
            tracing::error!(%request_id, error = ?error, "a server function failed");
        }
        set_status(code);
        Self { code, message: error.message(), fields: error.fields().to_vec(), request_id: Some(request_id) }
    }
}

/// The page that is asked for, or from which a server function was called: where to go after signing in.
fn page() -> String {
    let Some(parts) = use_context::<Parts>() else { return String::new() };
    let here = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    if !here.starts_with("/console/") {
        return here.to_owned();
    }
    let referer = parts.headers.get(header::REFERER).and_then(|value| value.to_str().ok()?.parse::<axum::http::Uri>().ok());
    referer.and_then(|uri| uri.path_and_query().map(ToString::to_string)).unwrap_or_default()
}

fn session() -> Result<Session, ConsoleError> {
    use_context::<Parts>().and_then(|parts| parts.extensions.get::<Session>().cloned()).ok_or_else(|| missing("Session"))
}

fn wants_html() -> bool {
    use_context::<Parts>().is_some_and(|parts| {
        parts.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).is_some_and(|accept| accept.contains("text/html"))
    })
}

/// A session ends after a time without requests; writing its last use down every five minutes is enough for that.
async fn keep_alive(session: &Session, now: DateTime<Utc>) -> Result<(), ConsoleError> {
    let seen = session.get::<DateTime<Utc>>(SEEN).await.map_err(lost)?;
    if seen.is_none_or(|seen| now - seen > TimeDelta::minutes(5)) {
        session.insert(SEEN, now).await.map_err(lost)?;
    }
    Ok(())
}

fn lost(error: tower_sessions::session::Error) -> ConsoleError {
    tracing::error!(request_id = %request_id(), %error, "the session store failed");
    set_status(ErrorCode::Unavailable);
    let error = ConsoleError::new(ErrorCode::Unavailable, "The database that holds your session cannot be reached. Try again in a moment.");
    ConsoleError { request_id: Some(request_id()), ..error }
}

fn missing(what: &str) -> ConsoleError {
    tracing::error!(what, "the context of the console is incomplete");
    ConsoleError::new(ErrorCode::Internal, "The console is not set up completely.")
}

#[cfg(test)]
mod tests {
    use super::own_path;

    #[test]
    fn only_own_paths_are_followed() {
        assert_eq!(own_path("/memories?q=x", "/agents"), "/memories?q=x");
        for foreign in ["", "https://example.org", "//example.org", "/\\example.org", "/a\r\nb", "javascript:alert(1)", "/caf\u{e9}"] {
            assert_eq!(own_path(foreign, "/agents"), "/agents");
        }
    }
}

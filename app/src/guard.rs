//! The guard of every page and server function: the session, redirects, flash messages and the status of the response.

use crate::{
    ConsoleError, Flash,
    form_token::form_token,
    islands::{SET_THEME, ZONE_COOKIE},
    query::Query,
};
use axum::http::{HeaderMap, StatusCode, header, request::Parts};
use chrono::{DateTime, TimeDelta, Utc};
use foundation::identity::{self, Admission};
use foundation::{Engine, OpContext};
use leptos::prelude::*;
use leptos_axum::{ResponseOptions, redirect};
use std::{net::IpAddr, sync::Arc, time::Duration};
use tokio::sync::OnceCell;
use tower_sessions::Session;
use wire::{ErrorCode, FieldError, OperatorId, OperatorProfile, RequestId};

/// Returns how long to wait before the next attempt to sign in with this login from this address, if at all.
pub type SignInLimiter = Arc<dyn Fn(&str, Option<IpAddr>) -> Option<Duration> + Send + Sync>;

/// The console's dependencies, provided by the process to every page and server function.
#[derive(Clone)]
pub struct Console {
    pub engine: Engine,
    /// The URL at which agents reach this server, without a trailing slash; shown in examples.
    pub public_url: Arc<str>,
    pub secure_cookies: bool,
    pub limiter: SignInLimiter,
    /// The name of the identity provider with which people sign in, if there is one.
    pub provider: Option<Arc<str>>,
}

/// The operator of a request, read once: the frame and every read of a page need it.
#[derive(Clone, Default)]
struct SignedIn(Arc<OnceCell<(OpContext, OperatorProfile)>>);

impl Console {
    /// Provides everything that the page or the server function of one request needs from the process.
    pub fn provide(&self) {
        provide_context(Self { engine: self.engine.current(), ..self.clone() });
        provide_context(SignedIn::default());
    }
}

/// The client address of a request behind trusted proxies; an extension of the request.
#[derive(Clone, Copy, Debug)]
pub struct ClientAddress(pub IpAddr);

/// The header of a request that refreshes a page by itself (`public/console.js`).
const REFRESH: &str = "rmb-refresh";

/// The path of the server function that opens a session.
pub const SIGN_IN: &str = "/console/api/sign_in";
/// The path of the server function that uses a one-time link.
pub const ACCEPT_INVITATION: &str = "/console/api/accept_invitation";
/// The server functions that work without a session.
pub const PUBLIC_SERVER_FUNCTIONS: [&str; 3] = [SIGN_IN, ACCEPT_INVITATION, SET_THEME];

/// The session key of the [`Admission`] that opened it.
pub const SESSION_ADMISSION: &str = "admission";
/// The session key of the [`Flash`] that the next page shows.
pub const SESSION_FLASH: &str = "flash";
const SEEN: &str = "seen";
const THEME: &str = "rmb-theme";
const LOGIN: &str = "rmb-login";
const LOGIN_SECONDS: u32 = 300;
const TYPED: &str = "rmb-typed";
/// Who signed in last in this browser: nobody else sees what they typed.
const WHO: &str = "rmb-who";
/// That this browser sent a form not long ago, whose changes a replica may lack.
const CHANGED: &str = "rmb-changed";
/// Longer than any session, which lasts while it is used.
const WHO_SECONDS: u32 = 31_536_000;
/// Most characters of a cookie's value, and for how many seconds it keeps a form.
const TYPED_MAX: usize = 3_500;
const TYPED_SECONDS: u32 = 900;

pub fn server_functions() -> Vec<(&'static str, axum::http::Method)> {
    leptos::server_fn::axum::server_fn_paths().collect()
}

/// The console's dependencies, from the context.
pub fn console() -> Result<Console, ConsoleError> {
    use_context().ok_or_else(|| missing("Console"))
}

/// Whether people can sign in with a password; one-time links set one.
pub fn takes_passwords() -> bool {
    console().is_ok_and(|console| console.engine.settings().passwords)
}

/// The engine and the signed-in operator's context: the first line of everything that a page reads and of every server function. Without a
/// session it redirects to the sign-in page.
pub async fn operator() -> Result<(Engine, OpContext), ConsoleError> {
    let (engine, context, _) = signed_in().await?;
    Ok((engine, context))
}

/// Like [`operator`], with the operator's profile.
pub async fn signed_in() -> Result<(Engine, OpContext, OperatorProfile), ConsoleError> {
    let engine = console()?.engine;
    let SignedIn(known) = use_context().ok_or_else(|| missing("SignedIn"))?;
    let (context, profile) = known.get_or_try_init(|| admit(&engine)).await?.clone();
    Ok((engine, context, profile))
}

/// Reads who sent the request: from its session, then from the engine.
async fn admit(engine: &Engine) -> Result<(OpContext, OperatorProfile), ConsoleError> {
    let session = session()?;
    let admission = session.get::<Admission>(SESSION_ADMISSION).await.map_err(lost)?;
    let operator = match admission {
        Some(admission) => identity::resume(engine, &admission, request_id()).await.map_err(ConsoleError::from),
        None => Err(ConsoleError::new(ErrorCode::Unauthenticated, "Sign in to continue.")),
    };
    if let Err(error) = &operator
        && error.code == ErrorCode::Unauthenticated
    {
        set_status(ErrorCode::Unauthenticated);
        redirect(&Query::default().with("next", page()).href("/sign-in"));
    }
    let (context, profile) = operator?;
    let zone = zone_cookie().unwrap_or(context.zone);
    keep_alive(&session, engine.clock().now()).await?;
    let may_lag = use_context::<Parts>().is_some_and(|parts| may_lag(&parts));
    Ok((OpContext { zone, may_lag, ..context }, profile))
}

/// Whether a request may be answered with what is some seconds old: it changes nothing, neither did one of this browser just before, and it
/// does not refresh a page because of something that has just happened.
pub fn may_lag(parts: &Parts) -> bool {
    parts.method.is_safe() && !parts.headers.contains_key(REFRESH) && cookie(&parts.headers, CHANGED).is_none()
}

/// The cookie that keeps a browser on the primary after a form, for twice as long as what is read from a replica may be old: by then a
/// replica that is read at all has what the form changed.
pub fn changed_cookie(replica_age: Duration, secure: bool) -> String {
    let seconds = replica_age.saturating_mul(2).as_secs().max(1);
    cookie_line(CHANGED, "1", u32::try_from(seconds).unwrap_or(u32::MAX), secure)
}

/// Opens a session with a new id; the data of the old session is dropped.
pub async fn open_session(admission: Admission) -> Result<(), ConsoleError> {
    open_in(&session()?, admission).await.map_err(lost)
}

/// Opens a session with a new id in place of this one, whose data is dropped.
///
/// # Errors
/// When the store of sessions is out of reach.
pub async fn open_in(session: &Session, admission: Admission) -> Result<(), tower_sessions::session::Error> {
    // Not `flush`: the next record would reuse the old id, so that an attacker who planted it would be signed in too (session fixation).
    session.clear().await;
    session.cycle_id().await?;
    session.insert(SESSION_ADMISSION, admission).await
}

pub async fn close_session() -> Result<(), ConsoleError> {
    session()?.flush().await.map_err(lost)
}

/// The token of the form that posts to `action`; none without a session.
pub fn token_of(action: &str) -> Option<String> {
    let session = use_context::<Parts>()?.extensions.get::<Session>()?.id()?;
    Some(form_token(session, action))
}

/// Takes the message about the last form out of the session, or what this operator typed into a form before the session ended.
pub async fn take_flash(operator: OperatorId) -> Result<Option<Flash>, ConsoleError> {
    // A refresh shows no message: one that waits is for the page that its form leads to.
    if use_context::<Parts>().is_some_and(|parts| parts.headers.contains_key(REFRESH)) {
        return Ok(None);
    }
    let session = session()?;
    if session.get::<Flash>(SESSION_FLASH).await.map_err(lost)?.is_none() {
        return Ok(take_typed(operator));
    }
    session.remove(SESSION_FLASH).await.map_err(lost)
}

/// Keeps what was typed into a form whose session ended, until somebody signs in again in this browser. A cookie holds it: what strangers
/// send must not fill the table of sessions.
fn keep_typed(form: &str, typed: &str) {
    let Some(who) = cookie_of(WHO) else { return };
    let short = Query::default().with("form", path_of(form)).with("who", who);
    let whole = short.with("typed", typed).href("");
    let kept = if whole.len() <= TYPED_MAX { whole } else { short.href("") };
    if let Some(console) = use_context::<Console>().filter(|_| !typed.is_empty() && wants_html()) {
        set_cookie(TYPED, kept.trim_start_matches('?'), TYPED_SECONDS, console.secure_cookies);
    }
}

/// Keeps who signed in, for what they type until their session ends by itself; nobody after a sign-out.
pub fn keep_who(operator: Option<OperatorId>) {
    if let Ok(console) = console() {
        let (value, seconds) = operator.map_or_else(|| (String::new(), 0), |id| (id.to_string(), WHO_SECONDS));
        set_cookie(WHO, &value, seconds, console.secure_cookies);
    }
}

/// The cookie that keeps who signed in, as [`keep_who`] does.
pub fn who_cookie(operator: OperatorId, secure: bool) -> String {
    cookie_line(WHO, &operator.to_string(), WHO_SECONDS, secure)
}

/// Keeps the login of a refused form for some minutes, in a cookie; an empty one removes it.
pub fn keep_login(login: &str) {
    let value = Query::default().with("login", login).href("");
    let seconds = if login.is_empty() { 0 } else { LOGIN_SECONDS };
    if let Ok(console) = console() {
        set_cookie(LOGIN, value.trim_start_matches('?'), seconds, console.secure_cookies);
    }
}

/// The login of a refused form.
pub fn kept_login() -> String {
    cookie_of(LOGIN).map(|kept| Query::parse(&kept).text("login")).unwrap_or_default()
}

/// Takes what an operator typed into the form of this page before the session ended.
fn take_typed(operator: OperatorId) -> Option<Flash> {
    let kept = Query::parse(&cookie_of(TYPED)?);
    if kept.get("form") != Some(path_of(&page())) {
        return None;
    }
    set_cookie(TYPED, "", 0, console().ok()?.secure_cookies);
    if kept.text("who") != operator.to_string() {
        return None;
    }
    let text = match kept.get("typed") {
        Some(_) => "You were signed out before this was saved. Check it and send it again.",
        None => "You were signed out before this was saved. The text was too long to be restored: enter it again.",
    };
    let error = ConsoleError::new(ErrorCode::Unauthenticated, text);
    Some(Flash::refused(&error, &kept.text("typed")))
}

fn path_of(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// Keeps a message for the next page.
pub async fn announce(flash: Flash) -> Result<(), ConsoleError> {
    session()?.insert(SESSION_FLASH, flash.without_secrets()).await.map_err(lost)
}

/// The error of a form with a field that is missing or wrong.
pub fn incomplete(field: FieldError) -> ConsoleError {
    invalid(vec![field])
}

/// The error of a form with several fields that are missing or wrong.
pub fn invalid(fields: Vec<FieldError>) -> ConsoleError {
    let error = ConsoleError::invalid(fields);
    set_status(error.code);
    error
}

/// Finishes a form: redirects to `done` with a message, or back to `form` with the error and the input.
pub async fn finish(result: Result<Flash, ConsoleError>, done: &str, form: &str, typed: &str) -> Result<(), ConsoleError> {
    if result.is_ok()
        && let Some(SignedIn(known)) = use_context()
        && let Some((ctx, _)) = known.get()
    {
        console()?.engine.review_numbers().invalidate(&ctx.tenant_id).await;
    }
    let (flash, to) = match &result {
        Ok(flash) => (flash.clone(), done),
        Err(error) if error.code == ErrorCode::Unauthenticated => {
            keep_typed(form, typed);
            return result.map(drop);
        }
        Err(error) => (Flash::refused(error, typed), form),
    };
    if wants_html() {
        announce(flash).await?;
        redirect(to);
    }
    result.map(drop)
}

/// `path` if it is on this site, otherwise `otherwise`; prevents open redirects.
pub fn own_path<'a>(path: &'a str, otherwise: &'a str) -> &'a str {
    // Browsers drop tabs and line breaks and read a backslash as a slash; a header takes no other control characters either.
    let printable = path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let ours = path.starts_with('/') && !path.starts_with("//") && printable;
    if ours { path } else { otherwise }
}

/// The theme in the cookie, `light` or `dark`.
pub fn theme_cookie() -> Option<String> {
    theme_of(&use_context::<Parts>()?.headers)
}

/// The theme that a request's cookie names.
pub fn theme_of(headers: &HeaderMap) -> Option<String> {
    cookie(headers, THEME).filter(|theme| matches!(theme.as_str(), "light" | "dark"))
}

/// The time zone of the reader's cookie, if it is one of the IANA database.
pub fn zone_cookie() -> Option<chrono_tz::Tz> {
    zone_of(&use_context::<Parts>()?.headers)
}

/// The time zone that a request's cookie names.
pub fn zone_of(headers: &HeaderMap) -> Option<chrono_tz::Tz> {
    cookie(headers, ZONE_COOKIE)?.parse().ok()
}

/// The value of a cookie of this request.
pub fn cookie_of(name: &str) -> Option<String> {
    cookie(&use_context::<Parts>()?.headers, name)
}

/// The value of a request's cookie.
pub fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    cookies.flat_map(|line| line.split("; ")).find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')).map(str::to_owned)
}

/// Stores the theme in a cookie for a year.
pub fn set_theme_cookie(theme: &str, secure: bool) {
    set_cookie(THEME, theme, if theme == "system" { 0 } else { 31_536_000 }, secure);
}

/// The header that sets a cookie for some seconds; 0 removes it.
pub fn cookie_line(name: &str, value: &str, seconds: u32, secure: bool) -> String {
    let secure = if secure { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
}

/// Sets a cookie for some seconds; 0 removes it.
pub fn set_cookie(name: &str, value: &str, seconds: u32, secure: bool) {
    let cookie = cookie_line(name, value, seconds, secure);
    if let (Some(response), Ok(value)) = (use_context::<ResponseOptions>(), cookie.parse()) {
        response.append_header(header::SET_COOKIE, value);
    }
}

pub fn client_address() -> Option<IpAddr> {
    use_context::<Parts>()?.extensions.get::<ClientAddress>().map(|address| address.0)
}

/// The id of this request, assigned by the process.
pub fn request_id() -> RequestId {
    let given = use_context::<Parts>().and_then(|parts| parts.extensions.get::<RequestId>().copied());
    given.or_else(|| use_context::<Console>().map(|console| RequestId(console.engine.clock().id()))).unwrap_or(RequestId(uuid::Uuid::nil()))
}

/// The error of a page about something that does not exist; sets the status of the response.
pub fn not_found(message: &str) -> ConsoleError {
    set_status(ErrorCode::NotFound);
    ConsoleError::new(ErrorCode::NotFound, message)
}

/// Reads what a page is about; `missing` is the error of a URL without a valid id.
pub async fn by_id<I, R, F>(id: Option<I>, read: impl FnOnce(I) -> F, missing: &str) -> Result<R, ConsoleError>
where
    F: Future<Output = Result<R, ConsoleError>>,
{
    match id {
        Some(id) => read(id).await,
        None => Err(not_found(missing)),
    }
}

pub fn set_status(code: ErrorCode) {
    if let (Some(response), Ok(status)) = (use_context::<ResponseOptions>(), StatusCode::from_u16(code.status())) {
        response.set_status(status);
    }
}

impl From<foundation::Error> for ConsoleError {
    /// Sets the status of the response. Internal errors are logged here, once.
    fn from(error: foundation::Error) -> Self {
        let (code, request_id) = (error.code(), request_id());
        if code == ErrorCode::Internal {
            tracing::error!(%request_id, error = ?error, "a page or a server function failed");
        }
        set_status(code);
        Self { code, message: error.message(), fields: error.fields().to_vec(), request_id: Some(request_id) }
    }
}

/// The requested page, or the page that called the server function: the target after signing in.
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

/// Records the last use of the session, at most every five minutes; sessions expire after some time without requests.
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
    use super::{changed_cookie, may_lag, own_path, server_functions};
    use crate::islands::{PLACES, SET_THEME, TERM_NAMES};
    use axum::http::{Method, Request};
    use std::time::Duration;

    #[test]
    fn only_own_paths_are_followed() {
        assert_eq!(own_path("/memories?q=x", "/agents"), "/memories?q=x");
        for foreign in
            ["", "https://example.org", "//example.org", "/\\example.org", "/a\r\nb", "javascript:alert(1)", "/caf\u{e9}", "/a b"]
        {
            assert_eq!(own_path(foreign, "/agents"), "/agents");
        }
        for control in (0_u8..0x20).chain([0x7f]) {
            let path = format!("/{}/example.org", char::from(control));
            assert_eq!(own_path(&path, "/agents"), "/agents", "{control:#x}");
        }
    }

    #[test]
    fn only_what_a_browser_reads_that_changed_nothing_may_lag() {
        let lags = |method: Method, headers: &[(&str, &str)]| {
            let request = headers.iter().fold(Request::builder().method(method), |request, (name, value)| request.header(*name, *value));
            may_lag(&request.body(()).unwrap().into_parts().0)
        };
        assert!(lags(Method::GET, &[("cookie", "rmb=a; rmb-who=b")]));
        assert!(!lags(Method::GET, &[("cookie", "rmb=a; rmb-changed=1")]));
        assert!(!lags(Method::GET, &[("rmb-refresh", "1")]));
        assert!(!lags(Method::POST, &[]));
        let cookie = changed_cookie(Duration::from_secs(10), true);
        assert!(cookie.starts_with("rmb-changed=1; ") && cookie.contains("Max-Age=20"), "{cookie}");
    }

    #[test]
    fn islands_call_server_functions() {
        for called in [(PLACES, Method::GET), (TERM_NAMES, Method::GET), (SET_THEME, Method::POST)] {
            assert!(server_functions().contains(&called), "{called:?}");
        }
    }
}

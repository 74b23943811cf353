//! `/mcp`: streamable HTTP.

use super::MESSAGE_MAX;
use super::door::{Door, Identity};
use super::frame::{self, Refusal};
use super::opening::Opening;
use super::sessions::{OWNER, Sessions};
use super::toolsets::Toolsets;
use crate::api::{Api, ApiError, Caller};
use crate::config::{Config, host_of};
use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use foundation::op::Actor;
use foundation::{Engine, Error};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::collections::{HashMap, HashSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use wire::KeyId;

const SESSION: &str = "mcp-session-id";
const METHOD: &str = "mcp-method";
/// Most streams of announcements of one key, and in all: each holds a connection.
const STREAMS_OF_A_KEY: usize = 8;
const STREAMS: usize = 128;
/// When a client that finds no room should try again.
const FULL: Duration = Duration::from_secs(5);
/// How long before the end of the shutdown the streams are cut off.
const MARGIN: Duration = Duration::from_secs(1);

/// The state of `/mcp`.
pub struct Mcp {
    service: StreamableHttpService<Door, Sessions>,
    sessions: Arc<Sessions>,
    /// Hosts of web pages that may send requests.
    hosts: Vec<String>,
    calls: TaskTracker,
    running: Set<(String, String)>,
    streams: Streams,
}

impl Mcp {
    /// After `stop`, calls may finish for as long as the server's requests may; then every stream ends.
    pub fn new(engine: &Engine, config: &Config, stop: CancellationToken) -> Self {
        let (sessions, calls) = (Arc::new(Sessions::default()), TaskTracker::new());
        let settings = StreamableHttpServerConfig::default()
            // `hosts::check` did it.
            .disable_allowed_hosts()
            .with_sse_retry(None)
            .with_json_response(true)
            .with_max_request_body_bytes(MESSAGE_MAX)
            .with_cancellation_token(end_of(stop, calls.clone(), config.shutdown.saturating_sub(MARGIN)));
        let engine = engine.clone();
        let service = StreamableHttpService::new(
            move || Ok(Door::new(Opening::done(engine.clone()), Identity::Request, None)),
            Arc::clone(&sessions),
            settings,
        );
        Self { service, sessions, hosts: config.allowed_hosts.clone(), calls, running: Set::default(), streams: Streams::default() }
    }

    /// Refuses requests from web pages of other sites. Programs send no `Origin`.
    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Error> {
        let trusted = |host: String| self.hosts.contains(&host);
        for origin in headers.get_all(header::ORIGIN) {
            if !origin.to_str().ok().and_then(host_of).is_some_and(trusted) {
                return Err(Error::Forbidden("Origin is not one of ALLOWED_HOSTS".into()));
            }
        }
        Ok(())
    }
}

/// The token that ends every stream at once, calls too: it fires after `stop`, when the calls are done or had their time.
fn end_of(stop: CancellationToken, calls: TaskTracker, grace: Duration) -> CancellationToken {
    let end = CancellationToken::new();
    let ended = end.clone();
    tokio::spawn(async move {
        stop.cancelled().await;
        calls.close();
        let _ = tokio::time::timeout(grace, calls.wait()).await;
        ended.cancel();
    });
    end
}

/// `GET`, `POST` and `DELETE /mcp`.
pub async fn handle(State(api): State<Api>, Caller(_, ctx): Caller, request: Request) -> Result<Response, ApiError> {
    let mcp = &api.mcp;
    let Actor::Agent { key_id: key, .. } = ctx.actor else { return Err(Error::internal("a key belongs to an agent").into()) };
    mcp.check_origin(request.headers())?;
    let session = match request.headers().get(SESSION) {
        None => None,
        // To another key, a session does not exist.
        Some(id) => Some(id.to_str().ok().filter(|id| mcp.sessions.touch(id, key)).ok_or(Error::NotFound("session"))?.to_owned()),
    };
    let (mut parts, body) = request.into_parts();
    // Resuming a stream would repeat the answers of other requests.
    parts.headers.remove("last-event-id");
    // The key goes no further than this.
    parts.headers.remove(header::AUTHORIZATION);
    accept_both(&mut parts.headers);
    parts.extensions.insert(ctx);
    if let Some(toolsets) = toolsets(&parts.uri)? {
        parts.extensions.insert(toolsets);
    }

    let is_post = parts.method == Method::POST;
    let lasts = parts.method == Method::GET || parts.headers.get(METHOD).is_some_and(|method| method == "subscriptions/listen");
    let stream = if lasts { Some(mcp.streams.enter(key)?) } else { None };
    let call = (!lasts).then(|| mcp.calls.token());
    let mut turn = None;
    let body = if is_post {
        let frame = match frame::read(body).await {
            Ok(frame) => frame,
            Err(refusal) => return Ok(refusal.into_response()),
        };
        if session.is_none() && frame.method.as_deref() == Some("initialize") && !mcp.sessions.make_room(key).await {
            return Err(Error::Busy { reason: "too many sessions are open", wait: FULL }.into());
        }
        // Of two requests with one id at a time, `rmcp` answers one; the other would wait for ever.
        if let (Some(session), Some(id)) = (session, frame.request_id) {
            turn = mcp.running.enter((session, id));
            if turn.is_none() {
                return Ok(Refusal::invalid("a request with this id is running in this session").into_response());
            }
        }
        Body::from(frame.bytes)
    } else {
        Body::empty()
    };

    let is_json = parts.headers.get(header::CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"application/json"));
    let is_delete = parts.method == Method::DELETE;
    let answer = OWNER.scope(key, mcp.service.handle(Request::from_parts(parts, body))).await;
    let mut answer = match answer.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE if is_post && is_json => {
            return Ok(Refusal::invalid("the message does not have the form of a request, a notification or an answer").into_response());
        }
        _ => answer.map(|body| Body::new(Holding { body, _held: (stream, call, turn) })),
    };
    if is_delete && answer.status() == StatusCode::ACCEPTED {
        // The session is gone by now.
        *answer.status_mut() = StatusCode::NO_CONTENT;
    }
    Ok(answer)
}

/// The sets of tools that an address names.
///
/// # Errors
/// `Invalid` for a name that no set has.
fn toolsets(uri: &Uri) -> Result<Option<Toolsets>, Error> {
    let parameters = Query::<HashMap<String, String>>::try_from_uri(uri).map(|Query(parameters)| parameters).unwrap_or_default();
    let toolsets = parameters.get("toolset").map(|names| names.parse()).transpose();
    toolsets.map_err(|message: String| Error::invalid("toolset", message))
}

/// A client that accepts anything, or does not say what, gets the two media types of the protocol.
fn accept_both(headers: &mut HeaderMap) {
    let is_any = |value: &HeaderValue| value.to_str().is_ok_and(|text| text.split([',', ';']).any(|one| one.trim() == "*/*"));
    let mut accepted = headers.get_all(header::ACCEPT).iter().peekable();
    if accepted.peek().is_none() || accepted.any(is_any) {
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    }
}

/// A set whose members leave when their guard is dropped.
#[derive(Default)]
struct Set<T>(Arc<Mutex<HashSet<T>>>);

struct Member<T: std::hash::Hash + Eq> {
    set: Arc<Mutex<HashSet<T>>>,
    member: T,
}

impl<T: std::hash::Hash + Eq + Clone> Set<T> {
    /// Enters a member, unless it is there.
    fn enter(&self, member: T) -> Option<Member<T>> {
        let is_new = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(member.clone());
        is_new.then(|| Member { set: Arc::clone(&self.0), member })
    }
}

impl<T: std::hash::Hash + Eq> Drop for Member<T> {
    fn drop(&mut self) {
        self.set.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.member);
    }
}

/// Open streams of announcements, counted by key.
#[derive(Default)]
struct Streams(Arc<Mutex<HashMap<KeyId, usize>>>);

struct OpenStream {
    counts: Arc<Mutex<HashMap<KeyId, usize>>>,
    key: KeyId,
}

impl Streams {
    fn enter(&self, key: KeyId) -> Result<OpenStream, Error> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.get(&key).is_some_and(|count| *count >= STREAMS_OF_A_KEY) || counts.values().sum::<usize>() >= STREAMS {
            return Err(Error::Busy { reason: "too many streams of announcements are open", wait: FULL });
        }
        *counts.entry(key).or_default() += 1;
        Ok(OpenStream { counts: Arc::clone(&self.0), key })
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
        }
        counts.retain(|_, count| *count > 0);
    }
}

/// A body that holds something until its last byte is sent or its client is gone.
struct Holding<B, T> {
    body: B,
    _held: T,
}

impl<B: HttpBody + Unpin, T: Unpin> HttpBody for Holding<B, T> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

//! A router on a world, and requests to it.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use foundation::testing::World;
use http_body_util::BodyExt;
use serde_json::Value;
use server::config::Config;
use std::env::VarError;
use std::fmt::Write;
use std::io;
use std::sync::{Arc, LazyLock, Mutex};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use tower_sessions::session::Id;
use tracing::instrument::WithSubscriber;
use tracing::subscriber::NoSubscriber;
use tracing::{Dispatch, Level};

/// The token of the form that posts to `path` in the session of a cookie, if the cookie has one.
pub fn token(cookie: &str, path: &str) -> Option<String> {
    let session: Id = cookie.split("; ").find_map(|pair| pair.strip_prefix("rmb="))?.parse().ok()?;
    Some(app::form_token(session, path))
}

/// The fields of a form as a page sends them: the token of the session first.
pub fn with_token(cookie: &str, path: &str, fields: &str) -> String {
    let mut body = String::new();
    if let Some(token) = token(cookie, path) {
        write!(body, "{}={token}&", app::FORM_TOKEN).unwrap();
    }
    body + fields
}

/// What is logged, as bytes.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub fn lines(&self) -> Vec<String> {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap().lines().map(str::to_owned).collect()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The output of a future that runs with a subscriber. Another one is there as well: while a process has only one, a statement that logs for the
/// first time asks that of its own thread, and the thread of another test has none, which would silence the statement in all threads.
pub async fn subscribed<T>(future: impl Future<Output = T>, subscriber: impl Into<Dispatch>) -> T {
    static ANOTHER: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoSubscriber::new()));
    LazyLock::force(&ANOTHER);
    future.with_subscriber(subscriber).await
}

/// The output of a future, and the errors that were logged meanwhile, a line for each.
pub async fn with_errors<T>(future: impl Future<Output = T>) -> (T, Vec<String>) {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_max_level(Level::ERROR).with_ansi(false).with_writer(move || writer.clone()).finish();
    let output = subscribed(future, subscriber).await;
    (output, log.lines())
}

/// A world and the whole router on it, console included.
pub struct Site {
    pub world: World,
    pub router: Router,
    /// Ends the streams that clients hold open.
    pub stop: CancellationToken,
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// `error.code`, and the first field. The error must have the same request id as the response, and never the nil id.
    pub fn error(&self) -> (String, Option<String>) {
        let error = &self.json()["error"];
        let id = self.headers.get("x-request-id").and_then(|id| id.to_str().ok()).unwrap_or_default();
        assert_eq!(error["request_id"], id, "{}", self.text);
        assert!(!id.is_empty() && !id.parse::<uuid::Uuid>().unwrap().is_nil(), "{id}");
        (error["code"].as_str().unwrap().to_owned(), error["fields"][0]["field"].as_str().map(str::to_owned))
    }

    pub fn header(&self, name: header::HeaderName) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The cookies that it sets, as the browser would send them.
    pub fn cookies(&self) -> Vec<String> {
        let set = self.headers.get_all(header::SET_COOKIE).iter().filter_map(|value| value.to_str().ok());
        set.filter_map(|cookie| cookie.split(';').next()).map(str::to_owned).collect()
    }
}

impl Site {
    pub async fn new() -> Self {
        Self::with(&[]).await
    }

    /// A site with environment variables.
    pub async fn with(variables: &[(&str, &str)]) -> Self {
        Self::on(World::new().await, variables)
    }

    /// A site on an existing world.
    pub fn on(world: World, variables: &[(&str, &str)]) -> Self {
        let lookup =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()).ok_or(VarError::NotPresent);
        let config = Config::read(&lookup).unwrap();
        let stop = CancellationToken::new();
        let router = server::router(&world.engine, &config, stop.clone());
        Self { world, router, stop }
    }

    /// Sends a request; one that names no host names localhost.
    pub async fn send(&self, mut request: Request<Body>) -> Answer {
        request.headers_mut().entry(header::HOST).or_insert(HeaderValue::from_static("localhost"));
        self.send_as_it_is(request).await
    }

    /// Sends a request without adding a host.
    pub async fn send_as_it_is(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        if let Some(length) = parts.headers.get(header::CONTENT_LENGTH) {
            assert_eq!(length.to_str().unwrap(), bytes.len().to_string(), "{parts:?}");
        }
        Answer { status: parts.status, headers: parts.headers, text: String::from_utf8_lossy(&bytes).into_owned() }
    }

    /// Calls a tool with any body.
    pub async fn post(&self, key: Option<&str>, tool: &str, body: impl Into<Body>) -> Answer {
        let mut request = Request::post(format!("/api/tools/{tool}")).header(header::CONTENT_TYPE, "application/json");
        if let Some(key) = key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        self.send(request.body(body.into()).unwrap()).await
    }

    /// Calls a tool as atlas.
    pub async fn atlas(&self, tool: &str, input: Value) -> Answer {
        self.post(Some(&self.world.atlas_key), tool, input.to_string()).await
    }

    /// Calls a tool as binky.
    pub async fn binky(&self, tool: &str, input: Value) -> Answer {
        self.post(Some(&self.world.binky_key), tool, input.to_string()).await
    }

    pub async fn get(&self, path: &str, headers: &[(header::HeaderName, &str)]) -> Answer {
        let mut request = Request::get(path);
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        self.send(request.body(Body::empty()).unwrap()).await
    }

    /// How many rows each table with this tenant's id holds.
    pub async fn rows(&self) -> Vec<(String, i64)> {
        foundation::testing::rows_of(&self.world.engine, self.world.system.tenant_id).await
    }
}

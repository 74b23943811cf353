//! Calls of the server.

use super::Failure;
use super::settings::{ADDRESS, Settings};
use super::state::digest;
use crate::api::{IDEMPOTENCY_KEY, SESSION, USER};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Method, StatusCode, Url};
use serde::Deserialize;
use serde_json::Value;
use std::error::Error;
use std::time::Duration;
use wire::{ErrorCode, SessionRef};

/// Longest answer, in bytes.
const ANSWER_MAX: usize = 4 * 1024 * 1024;

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// No call reaches the server.
    #[error("{0}")]
    Away(String),
    /// The same call may succeed another time.
    #[error("{0}")]
    Later(String),
    /// The server will never accept it.
    #[error("{0}")]
    Refused(String),
    /// The key may not do that.
    #[error("{0}")]
    Forbidden(String),
}

/// The server, with a key.
#[derive(Clone)]
pub struct Server {
    client: Client,
    base: Url,
    /// What the server is called in names of files.
    name: String,
    key: String,
    user: Option<String>,
    /// The session that its calls belong to.
    session: Option<String>,
}

impl Server {
    /// The server of the settings, as an agent, with a time for each call.
    ///
    /// # Errors
    /// When the address cannot be used, or there is no key of the agent.
    pub fn new(settings: &Settings, agent: Option<&str>, limit: Duration) -> Result<Self, Failure> {
        let mut base: Url = settings.url.parse().map_err(|error| Fault::Away(format!("{ADDRESS} is not an address: {error}")))?;
        if !["http", "https"].contains(&base.scheme()) {
            return Err(Fault::Away(format!("{ADDRESS} must begin with http:// or https://")).into());
        }
        let path = base.path().trim_end_matches('/');
        let path = path.strip_suffix("/mcp").unwrap_or(path).to_owned();
        base.set_path(&path);
        // An error means that the process has chosen its cryptography already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // The key must not follow a redirect to another host.
        let client = Client::builder().timeout(limit).redirect(reqwest::redirect::Policy::none());
        let is_here = base.host_str().is_some_and(|host| ["127.0.0.1", "[::1]", "localhost"].contains(&host));
        let client = if is_here { client.no_proxy() } else { client }.build()?;
        let key = settings.key_of(agent).map_err(|problem| Fault::Forbidden(problem.to_string()))?.to_owned();
        // Each start of a user's own server has another port.
        let name = if settings.is_local { "local".to_owned() } else { base.to_string() };
        Ok(Self { client, base, name, key, user: settings.user.clone(), session: None })
    }

    /// The same server for the calls of a session.
    pub fn within(&self, session: &SessionRef) -> Self {
        Self { session: Some(session.to_string()), ..self.clone() }
    }

    /// The name of what was learned from it: its address, or `local` for that of this user.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whose memory the key and the user choose, as a name of what was learned with them.
    pub fn whose(&self) -> String {
        digest(&format!("{} {}", self.key, self.user.as_deref().unwrap_or_default()))
    }

    /// Reads.
    pub async fn get(&self, path: &str) -> Result<Value, Fault> {
        self.call(Method::GET, path, &[], None, None).await
    }

    /// Sends JSON. With a key for the request, it takes effect once, however often it is sent.
    pub async fn post(&self, path: &str, parameters: &[(&str, &str)], body: String, once: Option<&str>) -> Result<Value, Fault> {
        self.call(Method::POST, path, parameters, Some(body), once).await
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        parameters: &[(&str, &str)],
        body: Option<String>,
        once: Option<&str>,
    ) -> Result<Value, Fault> {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/api/{path}", self.base.path().trim_end_matches('/')));
        if !parameters.is_empty() {
            url.query_pairs_mut().extend_pairs(parameters);
        }
        let mut request = self.client.request(method, url).bearer_auth(&self.key);
        if let Some(user) = &self.user {
            request = request.header(USER, user);
        }
        if let Some(session) = &self.session {
            request = request.header(SESSION, session);
        }
        if let Some(once) = once {
            request = request.header(IDEMPOTENCY_KEY, once);
        }
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        let mut response = request.send().await.map_err(unreachable)?;
        let (status, mut bytes) = (response.status(), Vec::new());
        while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > ANSWER_MAX {
                return Err(Fault::Later("the server's answer is too long".into()));
            }
        }
        let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        if status.is_success() { Ok(answer) } else { Err(fault(status, &answer)) }
    }
}

/// What an answer that is no success means. Only the server itself refuses for good, with an error of its own: a wrong address or a proxy
/// answers with the same statuses.
fn fault(status: StatusCode, answer: &Value) -> Fault {
    let message = answer.pointer("/error/message").and_then(Value::as_str).unwrap_or_default();
    let code = answer.pointer("/error/code").and_then(|code| ErrorCode::deserialize(code).ok());
    let text = format!("the server answered {status}: {message}");
    match code {
        // The same request ran, and what it answered was erased since.
        Some(ErrorCode::Invalid | ErrorCode::TooLarge | ErrorCode::Conflict) if status.is_client_error() => Fault::Refused(text),
        _ if status == StatusCode::FORBIDDEN => Fault::Forbidden(text),
        _ => Fault::Later(text),
    }
}

/// Why the server could not be reached, without its address: that may hold credentials.
fn unreachable(error: reqwest::Error) -> Fault {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    Fault::Away(format!("the server cannot be reached: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_an_error_of_the_server_refuses_for_good() {
        let of = |status: u16, answer: &Value| fault(StatusCode::from_u16(status).unwrap(), answer);
        let error = |code: &str| json!({ "error": { "code": code, "message": "No.", "request_id": "r" } });
        for (status, code) in [(400, "invalid"), (413, "too_large"), (409, "conflict")] {
            assert!(matches!(of(status, &error(code)), Fault::Refused(_)), "{code}");
            // A proxy, or another program at a wrong address.
            assert!(matches!(of(status, &Value::Null), Fault::Later(_)), "{status}");
        }
        for (status, code) in [(401, "unauthenticated"), (402, "balance_exhausted"), (404, "not_found"), (422, "key_reused")] {
            assert!(matches!(of(status, &error(code)), Fault::Later(_)), "{code}");
        }
        assert!(matches!(of(403, &error("forbidden")), Fault::Forbidden(_)));
    }
}

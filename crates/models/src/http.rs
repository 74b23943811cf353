//! What the providers over HTTP share: the connection, the key, and what a refusal means.

use reqwest::{Client, Response, StatusCode, Url, header};
use serde::Serialize;
use std::{fmt, time::Duration};

/// A credential that is never printed.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// One address of a provider, with its pool of connections.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    url: Url,
    api_key: Option<ApiKey>,
    timeout: Duration,
    client: Client,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Failure {
    Unavailable(String),
    Timeout(Duration),
    /// The body is not read: some servers repeat the key in it.
    Unauthorized {
        status: u16,
    },
    RateLimited {
        retry_after: Option<Duration>,
    },
    Refused(Box<Response>),
}

impl Endpoint {
    /// Checks the address and prepares the connections. Sends nothing yet. `timeout` is for one request, from connecting to the last byte.
    ///
    /// # Errors
    /// A sentence, if the base URL is not a URL.
    pub fn new(base_url: &str, path: &str, api_key: Option<ApiKey>, timeout: Duration) -> Result<Self, String> {
        let address = format!("{}/{path}", base_url.trim_end_matches('/'));
        let url = address.parse().map_err(|e| format!("OPENAI_BASE_URL is not a URL: {e}"))?;
        // An error means that the process has chosen its cryptography already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .timeout(timeout)
            .connect_timeout(timeout.min(Duration::from_secs(5)))
            // The key must not follow a redirect to another host.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|e| e.to_string())?;
        Ok(Self { url, api_key, timeout, client })
    }

    /// The answer to a JSON body, if its status is success.
    pub async fn post(&self, body: &impl Serialize) -> Result<Response, Failure> {
        let mut request = self.client.post(self.url.clone()).json(body);
        if let Some(ApiKey(key)) = &self.api_key {
            request = request.bearer_auth(key);
        }
        let response = request.send().await.map_err(|e| self.transport(e))?;
        let status = response.status();
        match status {
            _ if status.is_success() => Ok(response),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(Failure::Unauthorized { status: status.as_u16() }),
            StatusCode::TOO_MANY_REQUESTS => {
                let seconds = response.headers().get(header::RETRY_AFTER).and_then(|v| v.to_str().ok()).and_then(|v| v.parse().ok());
                Err(Failure::RateLimited { retry_after: seconds.map(Duration::from_secs) })
            }
            _ if status.is_server_error() => Err(Failure::Unavailable(format!("HTTP {}", status.as_u16()))),
            _ => Err(Failure::Refused(Box::new(response))),
        }
    }

    /// What an error of the connection means. Nothing of the address is shown.
    pub fn transport(&self, error: reqwest::Error) -> Failure {
        if error.is_timeout() { Failure::Timeout(self.timeout) } else { Failure::Unavailable(error.without_url().to_string()) }
    }
}

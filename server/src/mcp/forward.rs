//! `remembrancer mcp --url`: standard input and output on one side, the `/mcp` of a server on the other. Messages pass as `rmcp` reads
//! them.

use super::stdio;
use super::toolsets::Toolsets;
use crate::Failure;
use crate::api::USER;
use axum::http::{HeaderName, HeaderValue};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransport, StreamableHttpClientTransportConfig};
use rmcp::{RoleClient, RoleServer};
use std::collections::HashSet;
use std::time::Duration;
use wire::UserRef;

/// Requests that are sent at a time; more wait.
const AT_ONCE: usize = 64;
const CONNECT: Duration = Duration::from_secs(5);
/// How long the server may take to answer what was sent when the input ended.
const LAST: Duration = Duration::from_secs(60);

/// Forwards messages until the input ends and the last request is answered, or the server ends the connection.
///
/// # Errors
/// A sentence, when the server cannot be used.
pub async fn forward(url: &str, key: String, user: Option<&UserRef>, toolsets: Option<&Toolsets>) -> Result<(), Failure> {
    let url = endpoint(url, toolsets)?;
    let mut near = stdio::transport();
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.clone());
    config.auth_header = Some(key);
    if let Some(user) = user {
        let value = HeaderValue::from_bytes(user.to_string().as_bytes())?;
        config.custom_headers.insert(HeaderName::from_static(USER), value);
    }
    config.max_concurrent_requests = AT_ONCE;
    let mut far = StreamableHttpClientTransport::with_client(client()?, config);

    // Messages are sent in their order, and none waits for the answer to another one.
    let mut sending = FuturesUnordered::new();
    let mut unanswered: HashSet<RequestId> = HashSet::new();
    let (mut begun, mut input_ended) = (false, false);
    let forwarded = loop {
        if input_ended && unanswered.is_empty() && sending.is_empty() {
            break Ok(());
        }
        let answer = tokio::select! {
            message = near.receive(), if !input_ended => {
                match message {
                    Some(message) => {
                        begun = true;
                        let id = id_of(&message);
                        unanswered.extend(id.clone());
                        let sent = Transport::<RoleClient>::send(&mut far, message);
                        sending.push(async move { (id, sent.await) });
                    }
                    None => input_ended = true,
                }
                continue;
            }
            message = Transport::<RoleClient>::receive(&mut far) => match message {
                Some(message) => message,
                None => break Err(format!("{url} ended the connection").into()),
            },
            Some((id, sent)) = sending.next() => match (id, sent) {
                (_, Ok(())) => continue,
                (Some(id), Err(error)) => ServerJsonRpcMessage::error(ErrorData::internal_error(format!("{url}: {error}"), None), Some(id)),
                (None, Err(error)) => {
                    tracing::warn!(%url, %error, "a message could not be forwarded");
                    continue;
                }
            },
            () = tokio::time::sleep(LAST), if input_ended => break Err(format!("{url} did not answer in time").into()),
        };
        if let Some(id) = answered(&answer) {
            unanswered.remove(id);
        }
        if Transport::<RoleServer>::send(&mut near, answer).await.is_err() {
            // Nobody reads the output any more.
            break Ok(());
        }
    };
    if begun {
        // Ends the session there. Before the first message, this would wait for it.
        let _ = Transport::<RoleClient>::close(&mut far).await;
    }
    forwarded
}

/// The address of `/mcp` with the sets of tools to list; that of the server is enough.
fn endpoint(url: &str, toolsets: Option<&Toolsets>) -> Result<String, Failure> {
    let mut url: reqwest::Url = url.parse().map_err(|error| format!("the server's URL is not an address: {error}"))?;
    if !["http", "https"].contains(&url.scheme()) {
        return Err("the server's URL must begin with http:// or https://".into());
    }
    if url.path() == "/" {
        url.set_path("/mcp");
    }
    if let Some(toolsets) = toolsets {
        url.query_pairs_mut().append_pair("toolset", &toolsets.to_string());
    }
    Ok(url.into())
}

fn client() -> Result<reqwest::Client, reqwest::Error> {
    // An error means that the process has chosen its cryptography already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // The key must not follow a redirect to another host. Streams stay open, so there is no limit in all.
    reqwest::Client::builder().connect_timeout(CONNECT).redirect(reqwest::redirect::Policy::none()).build()
}

fn id_of(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
        _ => None,
    }
}

fn answered(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ServerJsonRpcMessage::Response(response) => Some(&response.id),
        ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::endpoint;

    #[test]
    fn the_address_of_the_server_is_enough() {
        for (url, expected) in [
            ("http://127.0.0.1:3000", "http://127.0.0.1:3000/mcp"),
            ("https://memory.example.org/", "https://memory.example.org/mcp"),
            ("https://example.org/memory/mcp", "https://example.org/memory/mcp"),
        ] {
            assert_eq!(endpoint(url, None).unwrap(), expected);
        }
        let sets = "core,capture".parse().unwrap();
        assert_eq!(endpoint("http://127.0.0.1:3000", Some(&sets)).unwrap(), "http://127.0.0.1:3000/mcp?toolset=core%2Ccapture");
        assert!(endpoint("memory.example.org", None).is_err());
        assert!(endpoint("file:///etc/passwd", None).is_err());
    }
}

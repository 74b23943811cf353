//! Checks of the `Host` header, and addresses of clients behind proxies.

use crate::api::ApiError;
use crate::config::host_of_authority;
use app::ClientAddress;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use foundation::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Host names that the server answers to, and proxies whose `X-Forwarded-For` is trusted.
pub struct Trust {
    pub hosts: Vec<String>,
    pub proxies: Vec<IpAddr>,
}

/// Middleware that refuses foreign host names (another site could otherwise point its own name at this server), and records the client's
/// address.
pub async fn check(State(trust): State<Arc<Trust>>, mut request: Request, next: Next) -> Result<Response, ApiError> {
    match named(&request) {
        None => return Err(Error::invalid("Host", "is missing, or no host name").into()),
        Some(host) if !trust.hosts.contains(&host) => return Err(Error::invalid("Host", "is not one of ALLOWED_HOSTS").into()),
        Some(_) => {}
    }
    if let Some(ConnectInfo(peer)) = request.extensions().get::<ConnectInfo<SocketAddr>>().copied() {
        let address = client(peer.ip(), request.headers(), &trust.proxies);
        request.extensions_mut().insert(ClientAddress(address));
    }
    Ok(next.run(request).await)
}

/// Middleware for programs that watch this server: they may also name it by an address, which no other site can point elsewhere.
pub async fn check_watcher(State(hosts): State<Arc<[String]>>, request: Request, next: Next) -> Response {
    let trusted = |host: &String| {
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        address.is_ok() || host == "localhost" || hosts.contains(host)
    };
    match named(&request).as_ref().is_some_and(trusted) {
        true => next.run(request).await,
        false => (StatusCode::BAD_REQUEST, "Host must be an IP address, localhost or one of ALLOWED_HOSTS\n").into_response(),
    }
}

/// The host that a request names, without its port.
fn named(request: &Request) -> Option<String> {
    let host = || request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).map(str::to_owned);
    host_of_authority(&request.uri().authority().map(ToString::to_string).or_else(host)?)
}

/// The address of the client: the peer or, behind trusted proxies, the last address in `X-Forwarded-For` that is not one of them. An entry
/// that is not an address ends the list: the client may have forged the entries before it.
fn client(peer: IpAddr, headers: &HeaderMap, proxies: &[IpAddr]) -> IpAddr {
    let mut address = peer.to_canonical();
    let mut forwarded: Vec<&str> =
        headers.get_all("x-forwarded-for").iter().flat_map(|value| value.to_str().unwrap_or_default().split(',')).collect();
    while proxies.contains(&address) {
        match forwarded.pop().map(|part| part.trim().parse::<IpAddr>()) {
            Some(Ok(next)) => address = next.to_canonical(),
            Some(Err(_)) | None => break,
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forwarded_addresses_count_only_from_trusted_proxies() {
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", "203.0.113.9, 198.51.100.7".parse().unwrap());
        assert_eq!(client(ip("192.0.2.1"), &headers, &[]), ip("192.0.2.1"));
        assert_eq!(client(ip("192.0.2.1"), &headers, &[ip("192.0.2.1")]), ip("198.51.100.7"));
        assert_eq!(client(ip("192.0.2.1"), &headers, &[ip("192.0.2.1"), ip("198.51.100.7")]), ip("203.0.113.9"));
        assert_eq!(client(ip("::ffff:192.0.2.1"), &headers, &[ip("192.0.2.1")]), ip("198.51.100.7"));
    }

    #[test]
    fn what_is_no_address_ends_the_list() {
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        for unreadable in ["203.0.113.9, unknown", "203.0.113.9, 198.51.100.7:4711", "203.0.113.9,", "203.0.113.9, caf\u{e9}"] {
            let mut headers = HeaderMap::new();
            headers.insert("x-forwarded-for", axum::http::HeaderValue::from_bytes(unreadable.as_bytes()).unwrap());
            assert_eq!(client(ip("192.0.2.1"), &headers, &[ip("192.0.2.1")]), ip("192.0.2.1"), "{unreadable}");
        }
    }
}

//! Trusted host names and proxies.

use crate::api::ApiError;
use crate::config::host_of_authority;
use app::ClientAddress;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;
use remembrancer::Error;
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
    let named = request.uri().authority().map(ToString::to_string);
    let named = named.or_else(|| request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).map(str::to_owned));
    let host = named.as_deref().and_then(host_of_authority);
    // Requests of HTTP/1.0 and of tests in this process may have no host.
    if named.is_some() && !host.is_some_and(|host| trust.hosts.contains(&host)) {
        return Err(Error::invalid("Host", "is not one of ALLOWED_HOSTS").into());
    }
    if let Some(ConnectInfo(peer)) = request.extensions().get::<ConnectInfo<SocketAddr>>().copied() {
        let address = client(peer.ip(), request.headers(), &trust.proxies);
        request.extensions_mut().insert(ClientAddress(address));
    }
    Ok(next.run(request).await)
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

//! Requests to addresses that a stranger chose. They lead to public addresses only: names are resolved here, and a connection is opened only
//! to an address that was checked. They use no proxy and follow no redirect. The identity provider has a client of its own, which may reach
//! private addresses if the server is configured so.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use serde::de::DeserializeOwned;
use std::error::Error as StdError;
use std::iter;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;
use tokio::net::lookup_host;
use tokio::sync::{OnceCell, Semaphore};

/// How long a request may take, from the lookup of the name to the last byte.
const LIMIT: Duration = Duration::from_secs(5);
/// Requests at a time. One more is refused: a stranger must not keep the process busy with servers that do not answer.
const AT_ONCE: usize = 16;

/// The client of all such requests.
pub struct Outbound {
    allow_private: bool,
    limit: Duration,
    /// Made when it is first needed: it reads the certificates of the system.
    client: OnceCell<Client>,
    turns: Semaphore,
}

/// Why nothing was fetched: the end of a sentence that begins with the address or its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("must be an https address in its usual form, without a user name and a fragment")]
    Address,
    #[error("leads into a private network, from which this server fetches nothing")]
    Private,
    #[error("cannot be reached")]
    Unreachable,
    #[error("does not answer in time")]
    TimedOut,
    #[error("answers with the status {0} instead of 200")]
    Status(u16),
    #[error("answers with more than {0} bytes")]
    TooLong(usize),
    #[error("does not answer with the JSON that is expected")]
    NotJson,
    #[error("cannot be fetched now, because many other addresses are being fetched")]
    Busy,
}

impl Outbound {
    /// A client that connects to public addresses over https. With `allow_private` it also connects to all others, and over http.
    pub fn new(allow_private: bool) -> Self {
        Self { allow_private, limit: LIMIT, client: OnceCell::new(), turns: Semaphore::new(AT_ONCE) }
    }

    /// The JSON of `most` bytes at most that an address answers with.
    ///
    /// # Errors
    /// Every [`Fault`]. `Address` and, for an address with a number instead of a name, `Private` come before anything is sent.
    pub async fn json<T: DeserializeOwned>(&self, address: &str, most: usize) -> Result<T, Fault> {
        self.answer(address, &[StatusCode::OK], most, |client, url| client.get(url)).await
    }

    /// The JSON of `most` bytes at most that an address answers a form with, also with the status 400 or 401: OAuth says with JSON why it
    /// refuses. `authorization` is the header of this name.
    ///
    /// # Errors
    /// As [`Outbound::json`].
    pub async fn post_form<T>(&self, address: &str, form: String, authorization: Option<String>, most: usize) -> Result<T, Fault>
    where
        T: DeserializeOwned,
    {
        let request = move |client: &Client, url: Url| {
            let request = client.post(url).header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(form);
            match authorization {
                Some(value) => request.header(AUTHORIZATION, value),
                None => request,
            }
        };
        self.answer(address, &[StatusCode::OK, StatusCode::BAD_REQUEST, StatusCode::UNAUTHORIZED], most, request).await
    }

    /// An answer with one of these statuses.
    async fn answer<T, F>(&self, address: &str, read: &[StatusCode], most: usize, request: F) -> Result<T, Fault>
    where
        T: DeserializeOwned,
        F: FnOnce(&Client, Url) -> RequestBuilder,
    {
        let url = self.check(address)?;
        let _turn = self.turns.try_acquire().map_err(|_| Fault::Busy)?;
        let client = self.client.get_or_try_init(|| async { self.make() }).await.map_err(fault)?;
        let response = request(client, url).header(ACCEPT, "application/json").send().await.map_err(fault)?;
        match response.status() {
            status if read.contains(&status) && is_json(&response) => {
                serde_json::from_slice(&body(response, most).await?).map_err(|_| Fault::NotJson)
            }
            StatusCode::OK => Err(Fault::NotJson),
            status => Err(Fault::Status(status.as_u16())),
        }
    }

    /// Sends JSON to an address, which must answer with a status of success; what else it answers is not read. The caller limits how many
    /// requests run at a time.
    ///
    /// # Errors
    /// Every [`Fault`] but `TooLong`, `NotJson` and `Busy`.
    pub async fn post(&self, address: &str, headers: HeaderMap, body: String) -> Result<(), Fault> {
        let url = self.check(address)?;
        let client = self.client.get_or_try_init(|| async { self.make() }).await.map_err(fault)?;
        let request = client.post(url).headers(headers).header(CONTENT_TYPE, "application/json").body(body);
        match request.send().await.map_err(fault)?.status() {
            status if status.is_success() => Ok(()),
            status => Err(Fault::Status(status.as_u16())),
        }
    }

    /// An address that may be fetched. It must be written as programs write it, so that two texts are never the same address.
    ///
    /// # Errors
    /// `Address`, and `Private` for an address with a number instead of a name: where a name leads shows when it is called.
    pub fn check(&self, address: &str) -> Result<Url, Fault> {
        let url: Url = address.parse().map_err(|_| Fault::Address)?;
        let is_secure = url.scheme() == "https" || url.scheme() == "http" && self.allow_private;
        let is_plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none() && url.as_str() == address;
        let host = url.host_str().ok_or(Fault::Address)?;
        if !is_secure || !is_plain {
            return Err(Fault::Address);
        }
        // What is no name is connected to without a lookup.
        match host.trim_matches(['[', ']']).parse() {
            Ok(ip) if !self.allow_private && !is_public(ip) => Err(Fault::Private),
            _ => Ok(url),
        }
    }

    fn make(&self) -> reqwest::Result<Client> {
        // An error means that the process has chosen its cryptography already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Client::builder()
            .user_agent(concat!("remembrancer/", env!("CARGO_PKG_VERSION")))
            .https_only(!self.allow_private)
            .redirect(Policy::none())
            .no_proxy()
            .dns_resolver(Lookup { allow_private: self.allow_private })
            .timeout(self.limit)
            .build()
    }
}

/// Resolves names to addresses that may be connected to.
struct Lookup {
    allow_private: bool,
}

impl Resolve for Lookup {
    fn resolve(&self, name: Name) -> Resolving {
        let allow_private = self.allow_private;
        Box::pin(async move { addresses(name.as_str(), allow_private).await })
    }
}

/// That a name leads to private addresses only.
#[derive(Debug, thiserror::Error)]
#[error("no public address")]
struct NotPublic;

async fn addresses(name: &str, allow_private: bool) -> Result<Addrs, Box<dyn StdError + Send + Sync>> {
    // Port 0 stands for that of the address.
    let found: Vec<_> = lookup_host((name, 0)).await?.filter(|found| allow_private || is_public(found.ip())).collect();
    if found.is_empty() {
        return Err(NotPublic.into());
    }
    Ok(Box::new(found.into_iter()))
}

/// Whether an address is a public one of the internet, and of no network with a special purpose (RFC 6890 and its registries).
fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let is_special = matches!(
        (a, b, c),
        // This network, private ones, loopback, multicast and reserved ones.
        (0 | 10 | 127 | 224.., _, _) | (172, 16..=31, _) | (192, 168, _)
            // Shared by the customers of a provider, and link-local.
            | (100, 64..=127, _) | (169, 254, _)
            // Protocols, relays, benchmarks and examples.
            | (192, 0, 0 | 2) | (192, 88, 99) | (198, 18 | 19, _) | (198, 51, 100) | (203, 0, 113)
    );
    !is_special
}

/// Public addresses are in one block, so what has an address of version 4 inside (mapped, NAT64) is outside, like loopback and
/// private addresses.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [a, b, ..] = ip.segments();
    // Protocols, examples, and 6to4, which has an address of version 4 inside.
    let is_special = matches!((a, b), (0x2001, 0..=0x01ff | 0x0db8) | (0x2002, _) | (0x3fff, 0..=0x0fff));
    matches!(a, 0x2000..=0x3fff) && !is_special
}

fn is_json(response: &Response) -> bool {
    let named = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = named.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || kind.starts_with("application/") && kind.ends_with("+json")
}

async fn body(mut response: Response, most: usize) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(fault)? {
        if body.len() + chunk.len() > most {
            return Err(Fault::TooLong(most));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn fault(error: reqwest::Error) -> Fault {
    let error = error.without_url();
    tracing::debug!(?error, "an address cannot be fetched");
    if iter::successors(error.source(), |&cause| cause.source()).any(|cause| cause.is::<NotPublic>()) {
        Fault::Private
    } else if error.is_timeout() {
        Fault::TimedOut
    } else {
        Fault::Unreachable
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::net::SocketAddr;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    const MOST: usize = 1_000;

    /// A server that answers everything with the same bytes, or never.
    async fn server(answer: Option<String>) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let answer = answer.clone();
                tokio::spawn(async move {
                    assert!(stream.read(&mut [0; 4_096]).await.unwrap() > 0);
                    match answer {
                        // Whoever has read enough closes the connection.
                        Some(answer) => stream.write_all(answer.as_bytes()).await.unwrap_or_default(),
                        None => std::future::pending().await,
                    }
                });
            }
        });
        address
    }

    fn answer(status: &str, kind: &str, body: &str) -> Option<String> {
        let length = body.len();
        Some(format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"))
    }

    #[test]
    fn only_public_addresses_are_public() {
        for public in ["1.1.1.1", "100.63.0.1", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.0.1.1", "198.20.0.1", "223.255.255.255"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for public in ["2606:4700:4700::1111", "2001:200::1", "2001:4860:4860::8888", "2a00::1", "3fff:1000::1"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for private in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:1.1.1.1",
            "64:ff9b::127.0.0.1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
    }

    #[tokio::test]
    async fn an_address_has_one_form_and_leads_to_no_private_network() {
        let port = server(answer("200 OK", "application/json", "{}")).await.port();
        let outbound = Outbound::new(false);
        for address in [
            "",
            "example.org/a",
            "ftp://example.org/a",
            "http://example.org/a",
            "https://EXAMPLE.org/a",
            "https://example.org:443/a",
            "https://example.org/a/../b",
            "https://example.org/%2e%2e/b",
            "https://example.org/a#b",
            "https://vera@example.org/a",
            "https://vera:secret@example.org/a",
            "https://2130706433/a",
            "https://0x7f.1/a",
            "https://[::ffff:127.0.0.1]/a",
        ] {
            assert_eq!(outbound.json::<Value>(address, MOST).await, Err(Fault::Address), "{address}");
        }
        for host in ["127.0.0.1", "169.254.169.254", "[::1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "localhost"] {
            let address = format!("https://{host}:{port}/a");
            assert_eq!(outbound.json::<Value>(&address, MOST).await, Err(Fault::Private), "{address}");
        }
        let address = format!("http://localhost:{port}/a");
        assert_eq!(Outbound::new(true).json::<Value>(&address, MOST).await, Ok(json!({})), "where it is allowed, the same server answers");
    }

    #[tokio::test]
    async fn only_short_json_with_the_status_200_is_an_answer() {
        for (answer, expected) in [
            (answer("200 OK", "application/json", r#"{"a": 1}"#), Ok(json!({ "a": 1 }))),
            (answer("200 OK", "Application/Client+JSON; charset=utf-8", "[]"), Ok(json!([]))),
            (answer("200 OK", "application/json", "{"), Err(Fault::NotJson)),
            (answer("200 OK", "text/plain", "{}"), Err(Fault::NotJson)),
            (answer("200 OK", "application/json", &format!("\"{}\"", "x".repeat(10_000_000))), Err(Fault::TooLong(MOST))),
            (answer("404 Not Found", "application/json", "{}"), Err(Fault::Status(404))),
            (Some("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n".into()), Err(Fault::Status(302))),
            (Some("an old protocol\r\n\r\n".into()), Err(Fault::Unreachable)),
        ] {
            let address = format!("http://{}/a", server(answer).await);
            assert_eq!(Outbound::new(true).json::<Value>(&address, MOST).await, expected);
        }
    }

    #[tokio::test]
    async fn only_a_status_of_success_takes_what_is_sent() {
        let post = async |answer: Option<String>| {
            let address = format!("http://{}/a", server(answer).await);
            let outbound = Outbound { limit: Duration::from_millis(500), ..Outbound::new(true) };
            outbound.post(&address, HeaderMap::new(), "{}".into()).await
        };
        assert_eq!(post(answer("204 No Content", "text/plain", "")).await, Ok(()));
        assert_eq!(post(answer("200 OK", "text/html", &"x".repeat(1_000_000))).await, Ok(()), "what it says does not matter");
        assert_eq!(post(answer("500 Internal Server Error", "text/plain", "no")).await, Err(Fault::Status(500)));
        let redirect = "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
        assert_eq!(post(Some(redirect.into())).await, Err(Fault::Status(307)));
        assert_eq!(post(None).await, Err(Fault::TimedOut));
        let inward = Outbound::new(false).post("https://localhost/a", HeaderMap::new(), "{}".into()).await;
        assert_eq!(inward, Err(Fault::Private));
    }

    #[tokio::test]
    async fn whoever_never_answers_is_given_up_and_keeps_few_turns() {
        let address = format!("http://{}/a", server(None).await);
        let outbound = Outbound { limit: Duration::from_millis(100), ..Outbound::new(true) };
        assert_eq!(outbound.json::<Value>(&address, MOST).await, Err(Fault::TimedOut));
        let turns = outbound.turns.acquire_many(AT_ONCE as u32).await.unwrap();
        assert_eq!(outbound.json::<Value>(&address, MOST).await, Err(Fault::Busy));
        drop(turns);
        assert_eq!(outbound.json::<Value>(&address, MOST).await, Err(Fault::TimedOut), "turns come back");
    }
}

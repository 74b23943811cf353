//! OAuth for clients of the Model Context Protocol: the rules that need no database.

use super::{KeyScope, OperatorRole};
use serde::Deserialize;

/// Most redirect addresses of a client.
pub const REDIRECTS_MAX: usize = 10;
/// Longest redirect address, in bytes.
pub const REDIRECT_MAX: usize = 1_000;
/// Longest name of a host, in bytes.
const HOST_MAX: usize = 253;
/// Longest name of a client, in characters.
pub const CLIENT_NAME_MAX: usize = 100;
/// Characters of a PKCE challenge: a SHA-256 in base64url.
const CHALLENGE_LENGTH: usize = 43;

/// The path of what a token is for: the endpoint of the Model Context Protocol.
pub const RESOURCE: &str = "/mcp";

/// What is wrong with redirect addresses that no client may use.
pub const NO_REDIRECT: &str = "must be https, or http on 127.0.0.1, [::1] or localhost";

/// What a client says of itself in the document whose address is its id. Everything else in it is ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ClientDocument {
    pub client_id: String,
    pub client_name: String,
    pub redirect_uris: Vec<String>,
    pub token_endpoint_auth_method: Option<String>,
}

/// The scopes of a client that names none.
pub const SCOPES_DEFAULT: &[KeyScope] = {
    use KeyScope::{CaptureWrite, ContextRead, KbRead, MemoryForget, MemoryRead, MemoryWrite};
    &[MemoryRead, MemoryWrite, MemoryForget, CaptureWrite, ContextRead, KbRead]
};

impl KeyScope {
    /// The role with which an operator may give this scope to a client. None: no client gets it, because access is given to one agent for
    /// one user.
    ///
    /// It is the role that the console requires for the same, except for single tools that change the profile of that user.
    pub fn granted_by(self) -> Option<OperatorRole> {
        match self {
            Self::MemoryRead | Self::ContextRead | Self::KbRead => Some(OperatorRole::Viewer),
            Self::MemoryWrite | Self::MemoryForget | Self::CaptureWrite => Some(OperatorRole::Operator),
            Self::CommonsWrite | Self::VocabularyPropose | Self::KbWrite => Some(OperatorRole::Reviewer),
            Self::Export => Some(OperatorRole::Admin),
            Self::UsersAny | Self::Admin => None,
        }
    }

    /// Whether an operator with these roles may give this scope to a client.
    pub fn is_granted_by(self, roles: &[OperatorRole]) -> bool {
        self.granted_by().is_some_and(|role| roles.contains(&role))
    }

    /// The scopes that a client asks for, of those that a client can have. Unknown ones are ignored; without any, the usual ones.
    pub fn asked_for(text: &str) -> Vec<Self> {
        let mut words = text.split_ascii_whitespace().peekable();
        if words.peek().is_none() {
            return SCOPES_DEFAULT.to_vec();
        }
        let words: Vec<&str> = words.collect();
        Self::ALL.iter().copied().filter(|scope| scope.granted_by().is_some() && words.contains(&scope.as_str())).collect()
    }
}

/// A redirect address in parts.
struct Redirect<'a> {
    scheme: &'a str,
    host: &'a str,
    /// With its colon; may be empty.
    port: &'a str,
    /// Path and query.
    rest: &'a str,
}

impl<'a> Redirect<'a> {
    fn parse(uri: &'a str) -> Option<Self> {
        let printable = uri.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'#' | b'"' | b'<' | b'>'));
        if uri.len() > REDIRECT_MAX || !printable {
            return None;
        }
        let (scheme, after) = uri.split_once("://")?;
        let (authority, rest) = after.split_at(after.find(['/', '?']).unwrap_or(after.len()));
        let end = if authority.starts_with('[') { authority.find(']')? + 1 } else { authority.find(':').unwrap_or(authority.len()) };
        let (host, port) = authority.split_at(end);
        let named = match host.strip_prefix('[') {
            Some(address) => address.trim_end_matches(']').parse::<std::net::Ipv6Addr>().is_ok(),
            None => {
                (1..=HOST_MAX).contains(&host.len()) && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
            }
        };
        let numbered = port.is_empty() || port.strip_prefix(':').is_some_and(|port| !port.starts_with('+') && port.parse::<u16>().is_ok());
        let redirect = Self { scheme, host, port, rest };
        (named && numbered && (scheme == "https" || redirect.is_loopback())).then_some(redirect)
    }

    /// Whether it leads to a program on the person's own machine.
    fn is_loopback(&self) -> bool {
        self.scheme == "http" && matches!(self.host, "127.0.0.1" | "[::1]" | "localhost")
    }

    fn is_same_but_for_the_port(&self, other: &Self) -> bool {
        (self.scheme, self.host, self.rest) == (other.scheme, other.host, other.rest)
    }
}

/// Whether a client may register this redirect address: `https`, or `http` to the person's own machine; without a fragment and without
/// credentials.
pub fn is_redirect(uri: &str) -> bool {
    Redirect::parse(uri).is_some()
}

/// Whether a redirect address is one of the registered ones, byte by byte. A program on the person's own machine may choose its port
/// (RFC 8252).
pub fn is_registered(registered: &[String], uri: &str) -> bool {
    let Some(redirect) = Redirect::parse(uri) else { return false };
    registered.iter().any(|known| {
        known == uri || redirect.is_loopback() && Redirect::parse(known).is_some_and(|known| known.is_same_but_for_the_port(&redirect))
    })
}

/// The scheme, the host and the port of a redirect address that a client may register.
pub fn redirect_origin(uri: &str) -> Option<String> {
    Redirect::parse(uri).map(|redirect| format!("{}://{}{}", redirect.scheme, redirect.host, redirect.port))
}

/// The host and the port of the document that describes a client, if the id of the client is the address of a document: `https` with a path
/// (or `http` on the own machine, which only tests and closed networks fetch from).
pub fn document_host(client_id: &str) -> Option<&str> {
    Redirect::parse(client_id).filter(|document| document.rest.starts_with('/') && document.rest.len() > 1)?;
    let (_, after) = client_id.split_once("://")?;
    after.split('/').next()
}

/// A redirect address with the parameters of an answer, which are encoded already: `code=…&state=…`.
pub fn with_answer(uri: &str, answer: &str) -> String {
    let separator = if uri.contains('?') { '&' } else { '?' };
    format!("{uri}{separator}{answer}")
}

/// Whether the address at which a client will use its token is that of the endpoint or of the whole server `issuer`, with or without a
/// slash or a query at its end: clients name the whole address that a person entered, also with `?toolset=…`. A client that names none
/// means this server.
pub fn is_resource(issuer: &str, named: &str) -> bool {
    let address = named.split_once('?').map_or(named, |(address, _)| address);
    let own = address.trim_end_matches('/').strip_prefix(issuer);
    named.is_empty() || own.is_some_and(|path| path.is_empty() || path == RESOURCE)
}

/// Whether a text has the form of a PKCE challenge of the method S256.
pub fn is_challenge(text: &str) -> bool {
    text.len() == CHALLENGE_LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_are_https_or_lead_to_the_own_machine() {
        for good in [
            "https://claude.example/callback",
            "https://claude.example:8443/a?b=c",
            "https://claude.example",
            "http://127.0.0.1/callback",
            "http://[::1]:4711/callback",
            "http://localhost:4711/",
        ] {
            assert!(is_redirect(good), "{good}");
        }
        let long = format!("https://claude.example/{}", "a".repeat(REDIRECT_MAX));
        for bad in [
            "",
            "http://claude.example/callback",
            "http://127.0.0.1.claude.example/",
            "http://127.0.0.1@claude.example/",
            "https://vera:secret@claude.example/",
            "https://claude.example/#fragment",
            "https://claude.example\\@other.example/",
            "https://claude.example/\r\nX: y",
            "https:///callback",
            "https://claude.example:port/",
            "https://claude.example:+443/",
            "https://[claude.example]/",
            "https://clau\u{434}e.example/",
            "javascript://localhost/%0aalert(1)",
            "cursor://anysphere/callback",
            "HTTPS://claude.example/",
            &long,
        ] {
            assert!(!is_redirect(bad), "{bad}");
        }
    }

    #[test]
    fn a_redirect_is_a_registered_one_and_only_programs_choose_their_port() {
        let registered = ["https://claude.example/callback".to_owned(), "http://127.0.0.1:1/callback".to_owned()];
        for good in [&*registered[0], &registered[1], "http://127.0.0.1:4711/callback", "http://127.0.0.1/callback"] {
            assert!(is_registered(&registered, good), "{good}");
        }
        for bad in [
            "https://claude.example/callback/",
            "https://claude.example/callback?next=https://other.example",
            "https://claude.example:8443/callback",
            "https://CLAUDE.example/callback",
            "https://other.example/callback",
            "http://localhost:1/callback",
            "http://127.0.0.1:1/other",
            "https://127.0.0.1:1/callback",
        ] {
            assert!(!is_registered(&registered, bad), "{bad}");
        }
    }

    #[test]
    fn the_id_of_a_client_may_be_the_address_of_a_document() {
        assert_eq!(document_host("https://claude.example/client.json"), Some("claude.example"));
        assert_eq!(document_host("http://127.0.0.1:4711/a/b?c"), Some("127.0.0.1:4711"));
        for other in [
            "01900000-0000-7000-8000-000000000000",
            "https://claude.example",
            "https://claude.example/",
            "https://claude.example?/client.json",
            "https://claude.example/client.json#a",
            "https://claude.example@other.example/client.json",
            "http://claude.example/client.json",
            "/client.json",
        ] {
            assert_eq!(document_host(other), None, "{other}");
        }
    }

    #[test]
    fn an_answer_keeps_the_query_of_the_redirect() {
        assert_eq!(with_answer("https://claude.example/a", "code=b"), "https://claude.example/a?code=b");
        assert_eq!(with_answer("https://claude.example/a?c=d", "code=b"), "https://claude.example/a?c=d&code=b");
        assert_eq!(redirect_origin("http://127.0.0.1:4711/a?b=c").as_deref(), Some("http://127.0.0.1:4711"));
    }

    #[test]
    fn clients_get_scopes_that_they_know_and_never_every_user() {
        assert_eq!(KeyScope::asked_for(" "), SCOPES_DEFAULT);
        assert_eq!(KeyScope::asked_for("kb:read offline_access users:any memory:read"), [KeyScope::MemoryRead, KeyScope::KbRead]);
        assert!(KeyScope::asked_for("openid").is_empty());
        assert!(SCOPES_DEFAULT.iter().all(|scope| scope.granted_by().is_some()));
        assert!(!KeyScope::UsersAny.is_granted_by(OperatorRole::ALL) && !KeyScope::Admin.is_granted_by(OperatorRole::ALL));
        assert!(!KeyScope::MemoryWrite.is_granted_by(&[OperatorRole::Viewer]));
    }

    #[test]
    fn a_token_is_for_this_server_only() {
        let issuer = "https://memory.example.org";
        for path in ["", "/", "/mcp", "/mcp/", "/mcp?toolset=capture,profile", "/mcp/?toolset=all"] {
            assert!(is_resource(issuer, &format!("{issuer}{path}")), "{path}");
        }
        assert!(is_resource(issuer, ""));
        for other in [
            "/",
            "/mcp",
            "?",
            "https://memory.example.org.other.example/mcp",
            "https://memory.example.org/api",
            "http://memory.example.org",
            "https://other.example/?https://memory.example.org/mcp",
        ] {
            assert!(!is_resource(issuer, other), "{other}");
        }
    }

    #[test]
    fn a_challenge_is_a_hash_in_base64url() {
        assert!(is_challenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"));
        for bad in ["", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM"] {
            assert!(!is_challenge(bad), "{bad}");
        }
    }
}

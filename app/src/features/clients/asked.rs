//! What a client asks for in the address of the page (RFC 6749, RFC 7636, RFC 8707), and the address with which it is answered.

use crate::{form::form, query::Query};
use wire::KeyScope;
use wire::oauth::{is_challenge, is_resource, with_answer};

/// The address of the page.
const PAGE: &str = "/oauth/authorize";

form! {
    /// What a client asks for.
    pub struct Asked {
        pub response_type: String,
        pub client_id: String,
        pub redirect_uri: String,
        pub code_challenge: String,
        pub code_challenge_method: String,
        pub scope: String,
        pub resource: String,
        pub state: String,
    }
}

impl Asked {
    /// Reads the fields, with the state to the last blank: the client compares it.
    pub fn of(query: &Query) -> Self {
        Self { state: query.exact("state").unwrap_or_default().to_owned(), ..Self::read(query) }
    }

    /// What is wrong, apart from the client and its address: a code that programs know, and a sentence.
    pub fn fault(&self, issuer: &str) -> Option<(&'static str, &'static str)> {
        if self.response_type.is_empty() {
            return Some(("invalid_request", "response_type is missing: it must be code"));
        }
        if self.response_type != "code" {
            return Some(("unsupported_response_type", "response_type must be code"));
        }
        if self.code_challenge_method != "S256" || !is_challenge(&self.code_challenge) {
            return Some(("invalid_request", "code_challenge must be a SHA-256 in base64url, and code_challenge_method S256"));
        }
        if !is_resource(issuer, &self.resource) {
            return Some(("invalid_target", "resource is not the address of this server"));
        }
        self.scopes().is_empty().then_some(("invalid_scope", "scope names no scope that a client can get"))
    }

    /// The scopes that the client asks for.
    pub fn scopes(&self) -> Vec<KeyScope> {
        KeyScope::asked_for(&self.scope)
    }

    /// The page that asks the operator.
    pub fn page(&self) -> String {
        self.query().href(PAGE)
    }

    /// The address that gives the client its answer: with the state that it sent, and the name of this server (RFC 9207).
    pub fn answer(&self, issuer: &str, answer: &Query) -> String {
        let answer = answer.with("state", &self.state).with("iss", issuer).href("");
        with_answer(&self.redirect_uri, answer.trim_start_matches('?'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISSUER: &str = "https://memory.example.org";

    fn asked() -> Query {
        Query::default()
            .with("response_type", "code")
            .with("redirect_uri", "https://claude.example/callback")
            .with("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
            .with("code_challenge_method", "S256")
            .with("state", "a&b=c")
    }

    #[test]
    fn each_fault_has_the_code_of_its_standard() {
        let fault = |query: &Query| Asked::of(query).fault(ISSUER).map(|(code, _)| code);
        assert_eq!(fault(&asked()), None);
        assert_eq!(fault(&asked().with("scope", "memory:read unheard-of").with("resource", "https://memory.example.org/mcp")), None);
        for (name, value, code) in [
            ("response_type", "", "invalid_request"),
            ("response_type", "token", "unsupported_response_type"),
            ("code_challenge", "", "invalid_request"),
            ("code_challenge_method", "plain", "invalid_request"),
            ("resource", "https://other.example/mcp", "invalid_target"),
            ("scope", "users:any", "invalid_scope"),
        ] {
            assert_eq!(fault(&asked().with(name, value)), Some(code), "{name}");
        }
    }

    #[test]
    fn an_answer_has_the_state_and_names_the_server() {
        let answer = Asked::of(&asked()).answer(ISSUER, &Query::default().with("code", "4711"));
        assert_eq!(answer, "https://claude.example/callback?code=4711&state=a%26b%3Dc&iss=https://memory.example.org");
        let raw = Asked::of(&Query::parse("redirect_uri=https://claude.example/&state=+eyJhIjoxfQ=="));
        assert_eq!(raw.answer(ISSUER, &Query::default()), "https://claude.example/?state=+eyJhIjoxfQ%3D%3D&iss=https://memory.example.org");
        assert_eq!(Asked::of(&Query::parse(&raw.query().href(""))), raw, "the form keeps it");
    }
}

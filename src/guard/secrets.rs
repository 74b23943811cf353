//! Secrets by their shape or by the name before them. Each becomes a marker, so that nobody stores it.

use super::shapes::{card, iban, key, login, named, pem};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretKind {
    ApiKey,
    PrivateKey,
    Token,
    Password,
    CardNumber,
    Iban,
}

impl fmt::Display for SecretKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ApiKey => "API key",
            Self::PrivateKey => "private key",
            Self::Token => "token",
            Self::Password => "password",
            Self::CardNumber => "card number",
            Self::Iban => "IBAN",
        })
    }
}

/// A text without secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    pub text: String,
    /// What was removed, in the order of the text.
    pub removed: Vec<SecretKind>,
}

/// Every marker begins so.
pub const MARKER: &str = "[secret removed: ";

/// Replaces each secret by a marker such as `[secret removed: API key]`. Redacting twice changes nothing.
pub fn redact(text: &str) -> Redacted {
    let (mut clean, mut removed) = (String::with_capacity(text.len()), Vec::new());
    let (mut kept, mut at) = (0, 0);
    // The character before decides whether a word begins here.
    let mut before = None;
    while let Some(rest) = text.get(at..) {
        let Some(c) = rest.chars().next() else { break };
        let secret = if before.is_some_and(char::is_alphanumeric) { None } else { secret(rest, before) };
        match secret.filter(|found| found.end > found.start) {
            Some(found) => {
                clean.push_str(text.get(kept..at + found.start).unwrap_or_default());
                clean.push_str(&format!("{MARKER}{}]", found.kind));
                removed.push(found.kind);
                kept = at + found.end;
                at = kept;
                before = Some(']');
            }
            None => {
                before = Some(c);
                at += c.len_utf8();
            }
        }
    }
    clean.push_str(text.get(kept..).unwrap_or_default());
    Redacted { text: clean, removed }
}

/// A secret with its place in the rest of the text.
pub struct Match {
    pub start: usize,
    pub end: usize,
    pub kind: SecretKind,
}

/// The secret at the beginning of `rest`, or after a name that is there. `before` is the character before `rest`.
fn secret(rest: &str, before: Option<char>) -> Option<Match> {
    let whole = |length: Option<usize>, kind| length.map(|end| Match { start: 0, end, kind });
    // A key begins where nothing that belongs to a key precedes it.
    let fresh = !before.is_some_and(|c| matches!(c, '-' | '_' | '.' | '+'));
    let first = rest.bytes().next()?;
    if first == b'-' {
        return whole(pem(rest), SecretKind::PrivateKey);
    }
    if !first.is_ascii_alphanumeric() {
        return None;
    }
    let by_shape = if fresh { key(rest) } else { None };
    by_shape
        .or_else(|| whole(card(rest).filter(|_| fresh), SecretKind::CardNumber))
        .or_else(|| whole(iban(rest).filter(|_| fresh), SecretKind::Iban))
        .or_else(|| login(rest))
        .or_else(|| named(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn secrets_become_markers() {
        // Written in two parts, so that no scanner takes the tests for a leak.
        let long = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
        for (text, expected) in [
            (format!("use sk-{long} now"), "use [secret removed: API key] now"),
            (format!("ghp_{long}."), "[secret removed: API key]."),
            ("AKIA".to_owned() + "IOSFODNN7EXAMPLE", "[secret removed: API key]"),
            (format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{long}"), "[secret removed: token]"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----\nok".into(), "[secret removed: private key]\nok"),
            ("password: hunter2".into(), "password: [secret removed: password]"),
            ("My password is Tr0ub4dor&3, honest".into(), "My password is [secret removed: password], honest"),
            ("DB_PASSWORD=\"open sesame\"".into(), "DB_PASSWORD=\"[secret removed: password]\""),
            (format!("API_KEY = {long}"), "API_KEY = [secret removed: API key]"),
            (format!("Authorization: Bearer {long}"), "Authorization: Bearer [secret removed: token]"),
            ("postgres://vera:hunter2@db/main".into(), "postgres://vera:[secret removed: password]@db/main"),
            ("card 4111 1111 1111 1111 ok".into(), "card [secret removed: card number] ok"),
            ("to CH93 0076 2011 6238 5295 7 today".into(), "to [secret removed: IBAN] today"),
        ] {
            assert_eq!(redact(&text).text, expected);
        }
    }

    #[test]
    fn ordinary_text_stays() {
        for text in [
            "commit 3f786850e387550fdab836ed7e6dc881de23001b",
            "id 123e4567-e89b-12d3-a456-426614174000",
            "The password is required.",
            "Password: the one from last year, ask Mina.",
            "Forgot your password? Reset it.",
            "token: 5, secret: none",
            "Call +41 79 123 45 67 or 1234 5678 9012 3456.",
            "sk-8 boards and AKIA",
            "at 10:30 it's https://example.org:8080/a@b",
            "The secret is to rest the dough.",
            "My secret: I never measure flour",
            "GB is a country",
        ] {
            let redacted = redact(text);
            assert_eq!((redacted.text.as_str(), redacted.removed.len()), (text, 0));
        }
    }

    proptest! {
        #[test]
        fn redacting_twice_changes_nothing(text in "(password[:=] ?|sk-|://|@|[a-zA-Z0-9:\\-_. \"\n]|\\PC){0,80}") {
            let once = redact(&text);
            prop_assert_eq!(&redact(&once.text).text, &once.text);
        }
    }
}

//! Kinds of secrets, and the marker that replaces one.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Every marker begins so.
pub const MARKER: &str = "[secret removed: ";

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
    IdNumber,
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
            Self::IdNumber => "identity number",
        })
    }
}

/// A secret with its place in the text.
#[derive(Debug)]
pub struct Match {
    pub start: usize,
    pub end: usize,
    pub kind: SecretKind,
}

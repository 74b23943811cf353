//! ID tokens (OpenID Connect Core 1.0, section 3.1.3.7): whether one was signed by the provider, for this server and this sign-in, and what
//! it says of the person. Pure.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use ring::signature::{ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// By how many seconds the clock of the provider may differ.
const LEEWAY: f64 = 60.0;
/// Longest subject, in characters.
const SUBJECT_MAX: usize = 255;

/// A public key of the provider, as its document writes it. Keys of other kinds are in the same document.
#[derive(Clone, Debug, Deserialize)]
pub struct Key {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

/// What a token must say.
pub struct Expected<'a> {
    pub issuer: &'a str,
    /// The id of this server at the provider.
    pub client_id: &'a str,
    pub nonce: &'a str,
    pub now: DateTime<Utc>,
}

/// What a token that was checked says.
#[derive(Clone, Debug)]
pub struct Claims {
    pub subject: String,
    all: Map<String, Value>,
}

/// Why a token proves nothing: the end of a sentence that begins with the ID token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    #[error("is not a signed token")]
    Form,
    #[error("is not signed with RS256 or ES256")]
    Algorithm,
    #[error("is signed with a key that the provider does not publish")]
    UnknownKey,
    #[error("has a signature that its key did not make")]
    Signature,
    #[error("is from another issuer")]
    Issuer,
    #[error("is for another client")]
    Audience,
    #[error("has expired")]
    Expired,
    #[error("does not say when it was made")]
    Undated,
    #[error("is from the future")]
    Future,
    #[error("belongs to another sign-in")]
    Nonce,
    #[error("names no person")]
    Subject,
}

impl Flaw {
    /// Whether the provider may have changed its keys meanwhile.
    pub fn is_of_key(self) -> bool {
        matches!(self, Self::UnknownKey | Self::Signature)
    }
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    /// Names extensions that a reader must understand: this one understands none.
    crit: Option<Value>,
}

/// What a token says, if one of these keys signed it and it is as expected.
///
/// # Errors
/// Every [`Flaw`].
pub fn verify(token: &str, keys: &[Key], expected: &Expected<'_>) -> Result<Claims, Flaw> {
    let (signed, signature) = token.rsplit_once('.').ok_or(Flaw::Form)?;
    let (header, claims) = signed.split_once('.').ok_or(Flaw::Form)?;
    let header: Header = json(header)?;
    if header.crit.is_some() {
        return Err(Flaw::Form);
    }
    // The token does not choose how it is verified: there are two ways, each for one kind of key.
    let kind = match header.alg.as_str() {
        "RS256" => "RSA",
        "ES256" => "EC",
        _ => return Err(Flaw::Algorithm),
    };
    let signature = bytes(signature).ok_or(Flaw::Form)?;
    let fitting: Vec<&Key> = keys.iter().filter(|key| key.kty == kind && key.fits(&header)).collect();
    if fitting.is_empty() {
        return Err(Flaw::UnknownKey);
    }
    if !fitting.iter().any(|key| key.has_signed(signed.as_bytes(), &signature)) {
        return Err(Flaw::Signature);
    }
    check(json(claims)?, expected)
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

fn json<T: DeserializeOwned>(part: &str) -> Result<T, Flaw> {
    bytes(part).and_then(|bytes| serde_json::from_slice(&bytes).ok()).ok_or(Flaw::Form)
}

impl Key {
    fn fits(&self, header: &Header) -> bool {
        let is_for_signatures = self.purpose.as_deref().is_none_or(|purpose| purpose == "sig");
        let has_algorithm = self.alg.as_deref().is_none_or(|algorithm| algorithm == header.alg);
        is_for_signatures && has_algorithm && (header.kid.is_none() || header.kid == self.kid)
    }

    fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let has_signed = match self.kty.as_str() {
            "RSA" => self.rsa_has_signed(message, signature),
            _ => self.ec_has_signed(message, signature),
        };
        has_signed.unwrap_or(false)
    }

    fn rsa_has_signed(&self, message: &[u8], signature: &[u8]) -> Option<bool> {
        let (n, e) = (bytes(self.n.as_deref()?)?, bytes(self.e.as_deref()?)?);
        let key = RsaPublicKeyComponents { n: without_zeros(&n), e: without_zeros(&e) };
        Some(key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature).is_ok())
    }

    fn ec_has_signed(&self, message: &[u8], signature: &[u8]) -> Option<bool> {
        let (x, y) = (bytes(self.x.as_deref()?)?, bytes(self.y.as_deref()?)?);
        if self.crv.as_deref() != Some("P-256") || x.len() != 32 || y.len() != 32 {
            return None;
        }
        // 4: both coordinates follow.
        let point = [&[4_u8][..], &x, &y].concat();
        Some(UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature).is_ok())
    }
}

/// A number without the zeros at its start, which some providers write.
fn without_zeros(number: &[u8]) -> &[u8] {
    let start = number.iter().position(|byte| *byte != 0).unwrap_or(number.len());
    &number[start..]
}

fn check(all: Map<String, Value>, expected: &Expected<'_>) -> Result<Claims, Flaw> {
    let text = |name: &str| all.get(name).and_then(Value::as_str);
    let time = |name: &str| all.get(name).and_then(Value::as_f64);
    let now = expected.now.timestamp() as f64;
    let audiences = all.get("aud").and_then(texts).unwrap_or_default();
    let is_for_us = audiences.iter().any(|audience| audience == expected.client_id);
    let is_to_us = match text("azp") {
        Some(party) => party == expected.client_id,
        None => audiences.len() == 1,
    };
    let subject = text("sub").filter(|subject| !subject.is_empty() && subject.len() <= SUBJECT_MAX && !subject.contains('\0'));
    for (holds, flaw) in [
        (text("iss") == Some(expected.issuer), Flaw::Issuer),
        (is_for_us && is_to_us, Flaw::Audience),
        (time("exp").is_some_and(|end| now < end + LEEWAY), Flaw::Expired),
        (time("iat").is_some(), Flaw::Undated),
        (["iat", "nbf"].into_iter().filter_map(time).all(|start| start <= now + LEEWAY), Flaw::Future),
        (text("nonce") == Some(expected.nonce), Flaw::Nonce),
    ] {
        if !holds {
            return Err(flaw);
        }
    }
    let subject = subject.ok_or(Flaw::Subject)?.to_owned();
    Ok(Claims { subject, all })
}

/// One text, or a list of them; none if it is something else.
fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(items) => Some(items.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        _ => None,
    }
}

impl Claims {
    /// The first of these claims that is a text with letters.
    pub fn first(&self, names: &[&str]) -> Option<&str> {
        names.iter().filter_map(|name| self.all.get(*name)?.as_str()).find(|text| !text.trim().is_empty())
    }

    /// The texts of a claim, if the token has it. Dots in its name lead into objects, unless a claim has the whole name.
    pub fn texts(&self, name: &str) -> Option<Vec<String>> {
        let nested = || {
            let mut names = name.split('.');
            let first = self.all.get(names.next()?)?;
            names.try_fold(first, |value, name| value.get(name))
        };
        self.all.get(name).or_else(nested).and_then(texts)
    }
}

#[cfg(test)]
mod tests;

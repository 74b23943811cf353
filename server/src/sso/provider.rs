//! The identity provider: its documents, its keys, and the exchange of a code for a token that is checked.

use super::attempt::Attempt;
use super::token::{self, Claims, Expected, Flaw, Key};
use crate::config::GroupRole;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, TimeDelta, Utc};
use form_urlencoded::{Serializer, byte_serialize};
use foundation::outbound::{Fault, Outbound};
use moka::future::Cache;
use reqwest::Url;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use wire::OperatorRole;

/// Most bytes of a document or an answer.
const ANSWER_MAX: usize = 256 * 1024;
/// Letters of another issuer that are logged.
const ISSUER_MAX: usize = 200;
/// Letters of an error of the provider that are logged.
const CODE_MAX: usize = 60;
/// How long documents and keys are used. A key that the provider withdrew is trusted that long at most.
const AGE: Duration = Duration::from_secs(60 * 60);
/// How long keys are used although a token is signed with another one: tokens of strangers must not make the server fetch without end.
const FRESH: TimeDelta = TimeDelta::minutes(1);

/// How the server knows its provider.
#[derive(Clone)]
pub struct Options {
    /// What people call it, on the button of the sign-in page.
    pub name: String,
    pub issuer: String,
    pub client_id: String,
    /// Absent for a public client.
    pub client_secret: Option<String>,
    pub scopes: String,
    pub groups_claim: String,
    pub roles: Vec<GroupRole>,
    /// Whether the provider may have private addresses, and http.
    pub allow_private: bool,
}

/// The provider, with what was read of it.
pub struct Provider {
    options: Options,
    outbound: Outbound,
    known: Cache<(), Arc<Known>>,
}

/// What the provider publishes.
struct Known {
    metadata: Metadata,
    keys: Vec<Key>,
    read_at: DateTime<Utc>,
}

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    end_session_endpoint: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Keys {
    keys: Vec<Key>,
}

#[derive(Deserialize)]
struct Answer {
    id_token: Option<String>,
    error: Option<String>,
}

/// Why the provider lets nobody in, for the log: a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("the {0} of the identity provider {1}")]
    Fetch(&'static str, Fault),
    #[error("the identity provider calls itself {0}, which is not OIDC_ISSUER")]
    Issuer(String),
    #[error("the identity provider names no {0} with https")]
    Endpoint(&'static str),
    #[error("the identity provider refuses the code of a sign-in: it was used, or OIDC_CLIENT_ID or the redirect address is wrong there")]
    Code,
    #[error("the token endpoint of the identity provider refuses this server: {0}")]
    Refused(String),
    #[error("the ID token {0}")]
    Token(Flaw),
    #[error("the ID token has no claim {0} with a list of groups")]
    Groups(String),
}

impl Provider {
    pub fn new(options: Options) -> Self {
        let outbound = Outbound::new(options.allow_private);
        Self { options, outbound, known: Cache::builder().max_capacity(1).time_to_live(AGE).build() }
    }

    /// The address at which somebody signs in and comes back to `redirect_uri`.
    ///
    /// # Errors
    /// Every [`Problem`] of what the provider publishes.
    pub async fn authorization(&self, attempt: &Attempt, redirect_uri: &str, now: DateTime<Utc>) -> Result<Url, Problem> {
        let known = self.known(now).await?;
        let mut url = self.endpoint(&known.metadata.authorization_endpoint, "authorization_endpoint")?;
        let (state, nonce, challenge) = (attempt.state(), attempt.nonce(), attempt.challenge());
        let pairs: [(&str, &str); 8] = [
            ("response_type", "code"),
            ("client_id", self.options.client_id.as_str()),
            ("redirect_uri", redirect_uri),
            ("scope", self.options.scopes.as_str()),
            ("state", state.as_str()),
            ("nonce", nonce.as_str()),
            ("code_challenge", challenge.as_str()),
            ("code_challenge_method", "S256"),
        ];
        url.query_pairs_mut().extend_pairs(pairs);
        Ok(url)
    }

    /// The address at which somebody ends the session at the provider and comes back to `back`, if it has one.
    ///
    /// # Errors
    /// Every [`Problem`] of what the provider publishes.
    pub async fn end_session(&self, back: &str, now: DateTime<Utc>) -> Result<Option<Url>, Problem> {
        let known = self.known(now).await?;
        let Some(address) = &known.metadata.end_session_endpoint else { return Ok(None) };
        let mut url = self.endpoint(address, "end_session_endpoint")?;
        url.query_pairs_mut().extend_pairs([("client_id", self.options.client_id.as_str()), ("post_logout_redirect_uri", back)]);
        Ok(Some(url))
    }

    /// How the provider calls itself.
    ///
    /// # Errors
    /// Every [`Problem`] of what the provider publishes.
    pub async fn issuer(&self, now: DateTime<Utc>) -> Result<String, Problem> {
        Ok(self.known(now).await?.metadata.issuer.clone())
    }

    /// What the provider says of whom it sent back with a code, and who it is (the issuer).
    ///
    /// # Errors
    /// Every [`Problem`]; `Code` for a code that was used before.
    pub async fn exchange(
        &self,
        code: &str,
        attempt: &Attempt,
        redirect_uri: &str,
        now: DateTime<Utc>,
    ) -> Result<(String, Claims), Problem> {
        let known = self.known(now).await?;
        let (form, authorization) = self.form(&known.metadata, code, attempt, redirect_uri);
        let endpoint = &known.metadata.token_endpoint;
        let answer = self.outbound.post_form(endpoint, form, authorization, ANSWER_MAX).await;
        let id_token = token_of(answer.map_err(|fault| Problem::Fetch("token endpoint", fault))?)?;
        let nonce = attempt.nonce();
        let check = |known: &Known| {
            let expected = Expected { issuer: &known.metadata.issuer, client_id: &self.options.client_id, nonce: &nonce, now };
            token::verify(&id_token, &known.keys, &expected)
        };
        let claims = match check(&known) {
            Err(flaw) if flaw.is_of_key() && now - known.read_at >= FRESH => {
                self.known.invalidate(&()).await;
                let renewed = self.known(now).await?;
                check(&renewed)
            }
            checked => checked,
        };
        Ok((known.metadata.issuer.clone(), claims.map_err(Problem::Token)?))
    }

    /// The form that asks for a token, and the header that proves who asks.
    fn form(&self, metadata: &Metadata, code: &str, attempt: &Attempt, redirect_uri: &str) -> (String, Option<String>) {
        let Options { client_id, client_secret, .. } = &self.options;
        let (mut form, verifier) = (Serializer::new(String::new()), attempt.verifier());
        let pairs: [(&str, &str); 5] = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("client_id", client_id.as_str()),
            ("code_verifier", verifier.as_str()),
        ];
        form.extend_pairs(pairs);
        let Some(secret) = client_secret else { return (form.finish(), None) };
        // A provider that names no method takes Basic (RFC 8414).
        let takes_basic = match &metadata.token_endpoint_auth_methods_supported {
            Some(methods) => methods.iter().any(|method| method == "client_secret_basic"),
            None => true,
        };
        if !takes_basic {
            form.append_pair("client_secret", secret);
            return (form.finish(), None);
        }
        let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", encoded(client_id), encoded(secret));
        (form.finish(), Some(format!("Basic {}", STANDARD.encode(pair))))
    }

    /// The roles that a person's groups give, each with the slug of its organisation.
    ///
    /// # Errors
    /// `Groups` for a token that says nothing of groups: that is not the same as a person without groups.
    pub fn roles(&self, claims: &Claims) -> Result<Vec<(String, OperatorRole)>, Problem> {
        let groups = claims.texts(&self.options.groups_claim).ok_or_else(|| Problem::Groups(self.options.groups_claim.clone()))?;
        let given = self.options.roles.iter().filter(|given| groups.contains(&given.group));
        Ok(given.map(|given| (given.organisation.clone(), given.role)).collect())
    }

    /// What the provider publishes, read again after some time. Of many at once, one reads it.
    async fn known(&self, now: DateTime<Utc>) -> Result<Arc<Known>, Problem> {
        self.known.try_get_with((), self.read(now)).await.map_err(|problem| (*problem).clone())
    }

    async fn read(&self, now: DateTime<Utc>) -> Result<Arc<Known>, Problem> {
        let issuer = self.options.issuer.trim_end_matches('/');
        let address = format!("{issuer}/.well-known/openid-configuration");
        let metadata = self.outbound.json(&address, ANSWER_MAX).await;
        let metadata: Metadata = metadata.map_err(|fault| Problem::Fetch("configuration document", fault))?;
        if metadata.issuer.trim_end_matches('/') != issuer {
            return Err(Problem::Issuer(metadata.issuer.chars().filter(|letter| !letter.is_control()).take(ISSUER_MAX).collect()));
        }
        self.endpoint(&metadata.token_endpoint, "token_endpoint")?;
        self.endpoint(&metadata.jwks_uri, "jwks_uri")?;
        let keys = self.outbound.json(&metadata.jwks_uri, ANSWER_MAX).await;
        let Keys { keys } = keys.map_err(|fault| Problem::Fetch("document of keys", fault))?;
        Ok(Arc::new(Known { metadata, keys, read_at: now }))
    }

    /// An address that the provider names: over https, unless its own is not.
    fn endpoint(&self, address: &str, name: &'static str) -> Result<Url, Problem> {
        let url: Option<Url> = address.parse().ok();
        let allows_http = self.options.allow_private && self.options.issuer.starts_with("http://");
        let is_allowed = |url: &Url| url.scheme() == "https" || url.scheme() == "http" && allows_http;
        url.filter(is_allowed).ok_or(Problem::Endpoint(name))
    }
}

/// The token of an answer of the token endpoint (RFC 6749, section 5.2): only `invalid_grant` is about the code.
fn token_of(answer: Answer) -> Result<String, Problem> {
    match (answer.id_token, answer.error.as_deref()) {
        (Some(token), None) => Ok(token),
        (_, Some("invalid_grant")) => Err(Problem::Code),
        (_, Some(error)) => Err(Problem::Refused(plain(error))),
        (None, None) => Err(Problem::Fetch("token endpoint", Fault::NotJson)),
    }
}

/// The code of an error that a stranger may have written, for the log.
pub fn plain(code: &str) -> String {
    code.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_').take(CODE_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_with_https_names_no_address_without() {
        let allowed = |issuer: &str, address: &str| {
            let (client_id, scopes, groups_claim) = ("memory".into(), "openid".into(), "groups".into());
            let issuer = issuer.to_owned();
            let options = Options {
                name: "SSO".into(),
                issuer,
                client_id,
                client_secret: None,
                scopes,
                groups_claim,
                roles: vec![],
                allow_private: true,
            };
            Provider::new(options).endpoint(address, "jwks_uri").is_ok()
        };
        let tried = [("https", "https"), ("http", "http"), ("http", "https"), ("https", "http")];
        let found = tried.map(|(issuer, keys)| allowed(&format!("{issuer}://id.example"), &format!("{keys}://id.example/keys")));
        assert_eq!(found, [true, true, true, false]);
    }
}

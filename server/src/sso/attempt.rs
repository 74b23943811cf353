//! A sign-in on its way: what the browser keeps of it until the provider sends it back. Nothing of it is stored on the server, where
//! strangers could fill the table.

use app::Query;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use foundation::Engine;
use sha2::{Digest, Sha256};

/// How long somebody may take at the provider.
pub const LIMIT: TimeDelta = TimeDelta::minutes(10);
/// By how much the clocks of two servers may differ. Without it a browser could keep a row of the server for as long as it likes.
const LEEWAY: TimeDelta = TimeDelta::seconds(60);
/// Characters of the secret: 43 of 62 symbols are 256 bits.
const SECRET_LENGTH: usize = 43;
/// Longest cookie, in bytes: browsers drop one of more than 4,096 with its name and attributes.
const COOKIE_MAX: usize = 3_500;

/// A sign-in that a browser began. Only the browser has its secret. What travels through the provider and the address bar is computed from
/// it, so that nobody else can end this sign-in, or put another one in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    secret: String,
    /// Seconds since 1970.
    began: i64,
    /// The page that it leads to.
    pub next: String,
}

impl Attempt {
    pub fn begin(engine: &Engine, next: &str) -> Self {
        let clock = engine.clock();
        Self { secret: clock.secret(SECRET_LENGTH), began: clock.now().timestamp(), next: next.to_owned() }.fitting()
    }

    /// Without its page if the cookie would be too long: signing in matters more than where it leads.
    fn fitting(self) -> Self {
        if self.to_cookie().len() > COOKIE_MAX { Self { next: String::new(), ..self } } else { self }
    }

    /// The value of the browser's cookie.
    pub fn to_cookie(&self) -> String {
        let kept = Query::default().with("secret", &self.secret).with("began", self.began).with("next", &self.next);
        kept.href("").trim_start_matches('?').to_owned()
    }

    /// The sign-in of a cookie, unless it began too long ago, or later than the clock of another server may say.
    pub fn from_cookie(cookie: &str, now: DateTime<Utc>) -> Option<Self> {
        let kept = Query::parse(cookie);
        let attempt = Self { secret: kept.text("secret"), began: kept.get("began")?.parse().ok()?, next: kept.text("next") };
        let is_on_its_way = attempt.ends().is_some_and(|end| now < end && end <= now + LIMIT + LEEWAY);
        (attempt.secret.len() == SECRET_LENGTH && is_on_its_way).then_some(attempt)
    }

    /// When it is over.
    pub fn ends(&self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp(self.began, 0)?.checked_add_signed(LIMIT)
    }

    /// Comes back from the provider with the browser.
    pub fn state(&self) -> String {
        self.digest("state")
    }

    /// Comes back in the signed token. The time at which the sign-in began is part of it: no cookie can make it younger.
    pub fn nonce(&self) -> String {
        self.digest("nonce")
    }

    /// Proves to the provider that the code came back to whom it was meant for (PKCE).
    pub fn verifier(&self) -> String {
        self.digest("verifier")
    }

    /// The challenge of the verifier, method S256.
    pub fn challenge(&self) -> String {
        sha256(&self.verifier())
    }

    fn digest(&self, purpose: &str) -> String {
        sha256(&format!("{purpose}.{}.{}", self.began, self.secret))
    }
}

/// The SHA-256 of a text in base64url.
fn sha256(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_comes_back_in_time_and_as_it_was() {
        let began = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let attempt = Attempt { secret: "s".repeat(SECRET_LENGTH), began: began.timestamp(), next: "/memories?q=a&b=é".into() };
        let cookie = attempt.to_cookie();
        assert!(!cookie.contains([';', ',', ' ', '"']), "{cookie}");
        assert_eq!(Attempt::from_cookie(&cookie, began).as_ref(), Some(&attempt));
        assert_eq!(Attempt::from_cookie(&cookie, began + LIMIT), None);
        assert!(Attempt::from_cookie(&cookie, began - LEEWAY).is_some());
        assert_eq!(Attempt::from_cookie(&cookie, began - LEEWAY - TimeDelta::seconds(1)), None, "it begins in the future");
        for other in ["", "secret=short&began=1800000000", &cookie.replace("began=", "began=x")] {
            assert_eq!(Attempt::from_cookie(other, began), None, "{other}");
        }
        assert_eq!(attempt.clone().fitting(), attempt);
        let long = Attempt { next: format!("/{}", "a".repeat(COOKIE_MAX)), ..attempt.clone() }.fitting();
        assert_eq!(long, Attempt { next: String::new(), ..attempt.clone() }, "a page that does not fit is dropped");
        let later = Attempt { began: attempt.began + 1, ..attempt.clone() };
        let shown = [attempt.state(), attempt.nonce(), attempt.verifier(), attempt.challenge(), later.nonce()];
        for (i, text) in shown.iter().enumerate() {
            assert!(text.len() == 43 && !shown[..i].contains(text), "{shown:?}");
        }
    }
}

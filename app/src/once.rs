//! Secrets that a page shows once: the key or the link that a form just made.
//!
//! A cookie carries the secret from the answer of the form to the page that the form leads to, which removes the cookie. So the server stores
//! the secret nowhere, and only the browser that asked for it gets it.

use crate::{
    ConsoleError, Flash,
    guard::{console, cookie_of, set_cookie, signed_in},
    query::Query,
};

const COOKIE: &str = "rmb-once";
/// Longer than any redirect takes.
const SECONDS: u32 = 60;

/// Keeps a secret for the page at `path`, which the signed-in operator opens next.
async fn keep(path: &str, secret: &str) -> Result<(), ConsoleError> {
    let (_, _, profile) = signed_in().await?;
    let value = Query::default().with("who", profile.id).with("path", path).with("secret", secret).href("");
    set_cookie(COOKIE, value.trim_start_matches('?'), SECONDS, console()?.secure_cookies);
    Ok(())
}

/// Keeps a new secret for the page at `path`, and says so. The answer to a repeated request has no secret.
pub async fn show(path: &str, secret: Option<String>, says: impl Into<String>) -> Result<Flash, ConsoleError> {
    if let Some(secret) = secret {
        keep(path, &secret).await?;
    }
    Ok(Flash::done(says))
}

/// Takes the secret for the page at `path`. Nobody can take it a second time. Another page or another person leaves it where it is.
pub async fn take(path: &str) -> Option<String> {
    let (_, _, profile) = signed_in().await.ok()?;
    let kept = Query::parse(&cookie_of(COOKIE)?);
    if kept.text("who") != profile.id.to_string() || kept.text("path") != path {
        return None;
    }
    set_cookie(COOKIE, "", 0, console().ok()?.secure_cookies);
    Some(kept.text("secret"))
}

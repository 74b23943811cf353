//! The server functions that islands call.

use crate::{ConsoleError, codec::Text};
#[cfg(feature = "ssr")]
use crate::{
    features::places,
    guard::{console, operator, set_status, set_theme_cookie},
};
use leptos::{prelude::*, server_fn::codec::GetUrl};
use remembrancer::{overview, vocabulary};
use serde::{Deserialize, Serialize};
#[cfg(feature = "ssr")]
use wire::ErrorCode;

/// Somewhere to go: what it is, what it is called, what tells it apart, and its URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    pub kind: String,
    pub label: String,
    pub detail: String,
    pub href: String,
}

/// Pages whose name contains `q`, all of them if it is empty, and what else it names, at most five of each kind.
#[server(endpoint = "places", input = GetUrl, output = Text)]
pub async fn find_places(#[server(default)] q: String) -> Result<Vec<Target>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let named = overview::places(&engine, &ctx, &q).await?;
    Ok(places::pages(&q).chain(named.into_iter().map(places::target)).collect())
}

/// Names of terms in use that contain `q`, to choose one; at most a page of them.
#[server(endpoint = "term_names", input = GetUrl, output = Text)]
pub async fn term_names(#[server(default)] q: String) -> Result<Vec<String>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(vocabulary::term_names(&engine, &ctx, &q).await?)
}

/// The path of [`set_theme`].
pub const SET_THEME: &str = "/console/api/set_theme";

/// Stores the choice of `light`, `dark` or `system` in a cookie; works without a session. Where there is one, the form needs its token,
/// which the server has checked before.
#[server(endpoint = "set_theme")]
pub async fn set_theme(#[server(default)] form_token: String, theme: String) -> Result<(), ConsoleError> {
    drop(form_token);
    if !matches!(theme.as_str(), "light" | "dark" | "system") {
        set_status(ErrorCode::Invalid);
        return Err(ConsoleError::new(ErrorCode::Invalid, "A theme is one of light, dark, system."));
    }
    set_theme_cookie(&theme, console()?.secure_cookies);
    Ok(())
}

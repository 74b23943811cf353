use crate::{
    ConsoleError, Flash,
    guard::{
        Console, client_address, close_session, console, keep_login, keep_who, open_session, own_path, request_id, set_status,
        set_theme_cookie, signed_in, take_flash, theme_cookie,
    },
    query::Query,
};
use foundation::identity::{self, Admission};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;
use wire::{ErrorCode, INVITATION_PAGE, Invitation, OperatorProfile};

/// Most characters of a login that a refused form keeps.
const LOGIN_MAX: usize = 200;

/// The signed-in operator with everything that the frame of the page needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Viewer {
    pub profile: OperatorProfile,
    /// `light` or `dark`, if one was chosen.
    pub theme: Option<String>,
    pub flash: Option<Flash>,
    /// The URL at which agents reach this server.
    pub public_url: String,
    /// How many days the recall log covers; `None` if it is kept forever.
    pub log_days: Option<u32>,
}

impl Viewer {
    /// The message about a refused form, with what was typed.
    pub fn refused(self) -> Option<Flash> {
        self.flash.filter(|flash| flash.refused)
    }
}

pub async fn current_viewer() -> Result<Viewer, ConsoleError> {
    let (engine, _, profile) = signed_in().await?;
    let log_days = engine.settings().retrieval_log_days.map(NonZeroU32::get);
    let theme = theme_cookie();
    let flash = take_flash(profile.id).await?;
    let public_url = console()?.public_url.to_string();
    Ok(Viewer { profile, theme, flash, public_url, log_days })
}

/// Opens a session, then redirects to `next`.
#[server(endpoint = "sign_in")]
pub async fn sign_in(
    #[server(default)] login: String,
    #[server(default)] password: String,
    #[server(default)] next: String,
) -> Result<(), ConsoleError> {
    let signed_in = match attempt(&login, &password).await {
        Ok(admission) => {
            keep_who(Some(admission.operator));
            open_session(admission).await
        }
        Err(error) => Err(error),
    };
    match &signed_in {
        Ok(()) => {
            keep_login("");
            leptos_axum::redirect(own_path(&next, "/"));
        }
        Err(error) => {
            // Not in the address, which stays in the browser's history and in the logs of proxies.
            keep_login(&login.chars().take(LOGIN_MAX).collect::<String>());
            leptos_axum::redirect(&Query::default().with("error", why(error.code)).with("next", own_path(&next, "")).href("/sign-in"))
        }
    }
    signed_in
}

/// What a one-time link is for; none if it is not valid.
pub async fn invited(token: String) -> Result<Option<Invitation>, ConsoleError> {
    match identity::invitation(&console()?.engine, &token).await {
        Ok(invitation) => Ok(Some(invitation)),
        Err(error) if error.code() == ErrorCode::Unauthenticated => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Sets the password of whoever has a one-time link and opens a session, then redirects to the front page, or back to the page of the link.
#[server(endpoint = "accept_invitation")]
pub async fn accept_invitation(#[server(default)] token: String, #[server(default)] password: String) -> Result<(), ConsoleError> {
    let accepted = match accept(&token, &password).await {
        Ok(admission) => {
            keep_who(Some(admission.operator));
            open_session(admission).await
        }
        Err(error) => Err(error),
    };
    match &accepted {
        Ok(()) => leptos_axum::redirect("/"),
        Err(error) => {
            leptos_axum::redirect(&Query::default().with("token", &token).with("error", why_not(error.code)).href(INVITATION_PAGE))
        }
    }
    accepted
}

async fn accept(token: &str, password: &str) -> Result<Admission, ConsoleError> {
    let console = console()?;
    check_limit(&console, "")?;
    Ok(identity::accept_invitation(&console.engine, token, password, request_id()).await?)
}

/// The code of an error in the URL of the page of a link.
fn why_not(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::RateLimited => "limited",
        ErrorCode::Invalid => "short",
        ErrorCode::Conflict => "taken",
        ErrorCode::Forbidden => "passwords",
        _ => "unavailable",
    }
}

/// Ends the session.
#[server(endpoint = "sign_out")]
pub async fn sign_out() -> Result<(), ConsoleError> {
    let (engine, ctx, _) = signed_in().await?;
    identity::sign_out(&engine, &ctx).await?;
    close_session().await?;
    keep_who(None);
    leptos_axum::redirect("/sign-in?signed_out=yes");
    Ok(())
}

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

async fn attempt(login: &str, password: &str) -> Result<Admission, ConsoleError> {
    let console = console()?;
    check_limit(&console, login)?;
    Ok(identity::sign_in(&console.engine, login, password, request_id()).await?)
}

/// Refuses an attempt that comes too soon after others.
pub fn check_limit(console: &Console, login: &str) -> Result<(), ConsoleError> {
    let Some(wait) = (console.limiter)(login, client_address()) else { return Ok(()) };
    set_status(ErrorCode::RateLimited);
    let message = format!("Too many attempts. Try again in {} seconds.", wait.as_secs().max(1));
    Err(ConsoleError::new(ErrorCode::RateLimited, message))
}

/// The code of an error in the URL of the sign-in page. It does not reveal whether the login exists.
fn why(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::RateLimited => "limited",
        ErrorCode::Forbidden => "passwords",
        ErrorCode::Invalid | ErrorCode::Unauthenticated => "refused",
        _ => "unavailable",
    }
}

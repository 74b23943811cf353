//! Sign-in with an identity provider (OpenID Connect, authorization code with PKCE): `/sign-in/sso` leads to the provider, which leads back
//! to `/sign-in/sso/callback`. What goes wrong is said on the sign-in page.

mod attempt;
mod provider;
mod token;

pub use provider::Options;

use crate::limits::{PerMinute, network};
use app::{ClientAddress, Query, cookie, cookie_line, open_in, own_path, who_cookie};
use attempt::Attempt;
use axum::Router;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderName, Uri, header};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use axum::routing::get;
use chrono::TimeDelta;
use foundation::identity::{self, Admission, Identity, NotAdmitted};
use foundation::{Engine, Error};
use provider::{Problem, Provider, plain};
use reqwest::Url;
use serde_json::json;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use tower_sessions::Session;
use wire::RequestId;

/// The path that leads to the provider.
const START: &str = "/sign-in/sso";
/// The path to which the provider leads back.
const CALLBACK: &str = "/sign-in/sso/callback";
/// The path that leads to the end of the session at the provider.
const END: &str = "/sign-in/sso/end";
/// The page that shows what went wrong.
const SIGN_IN: &str = "/sign-in";
/// The page after a sign-out.
const SIGNED_OUT: &str = "/sign-in?signed_out=yes";
/// Steps of sign-ins that one network may take in a minute.
const STEPS: u32 = 60;

/// The state of the routes.
pub struct Sso {
    engine: Engine,
    provider: Provider,
    public_url: String,
    secure_cookies: bool,
    steps: PerMinute<Option<IpAddr>>,
}

/// Why somebody is not let in.
enum Refused {
    Limited,
    /// The sign-in was not begun in this browser, was used, or took too long.
    NotBegun,
    /// The provider sent its own error, with this code.
    Denied(String),
    Provider(Problem),
    Person(NotAdmitted),
    Engine(Error),
}

impl Refused {
    /// The code in the address of the sign-in page (`app/src/features/session/sign_in.rs`).
    fn code(&self) -> &'static str {
        match self {
            Self::Limited => "limited",
            Self::NotBegun | Self::Provider(Problem::Code) => "sso_again",
            Self::Denied(_) => "sso_denied",
            Self::Provider(Problem::Token(_)) => "sso_invalid",
            Self::Provider(Problem::Groups(_)) | Self::Person(NotAdmitted::NoRole) => "sso_no_role",
            Self::Provider(_) | Self::Engine(_) => "sso_unavailable",
            Self::Person(NotAdmitted::SeveralOrganisations) => "sso_organisations",
            Self::Person(NotAdmitted::Disabled) => "sso_disabled",
        }
    }

    /// Logs what only whoever runs the server can mend. The sign-in page does not say it.
    fn log(&self, request_id: RequestId) {
        match self {
            Self::Denied(code) => tracing::warn!(%request_id, code, "the identity provider refused a sign-in"),
            Self::Provider(problem) => tracing::warn!(%request_id, "sign-in with the identity provider failed: {problem}"),
            Self::Engine(error) => tracing::error!(%request_id, ?error, "sign-in with the identity provider failed"),
            Self::Person(why) => tracing::warn!(%request_id, ?why, "somebody of the identity provider was not admitted"),
            Self::Limited | Self::NotBegun => {}
        }
    }
}

impl Sso {
    pub fn new(engine: Engine, options: Options, public_url: &str, secure_cookies: bool) -> Self {
        let steps = PerMinute::new(NonZeroU32::new(STEPS).unwrap_or(NonZeroU32::MIN));
        Self { engine, provider: Provider::new(options), public_url: public_url.to_owned(), secure_cookies, steps }
    }

    fn redirect_uri(&self) -> String {
        format!("{}{CALLBACK}", self.public_url)
    }

    fn cookie_name(&self) -> &'static str {
        if self.secure_cookies { "__Host-rmb-sso" } else { "rmb-sso" }
    }

    /// Keeps an attempt in the browser; none removes it.
    fn cookie(&self, attempt: Option<&Attempt>) -> (HeaderName, String) {
        let (value, limit) = attempt.map_or_else(|| (String::new(), TimeDelta::zero()), |attempt| (attempt.to_cookie(), attempt::LIMIT));
        let seconds = u32::try_from(limit.num_seconds()).unwrap_or_default();
        (header::SET_COOKIE, cookie_line(self.cookie_name(), &value, seconds, self.secure_cookies))
    }

    fn count(&self, address: Option<Extension<ClientAddress>>) -> Result<(), Refused> {
        self.steps.check(&address.map(|Extension(address)| network(address.0))).map_err(|_| Refused::Limited)
    }

    /// Back to the sign-in page, with the reason.
    fn refuse(&self, refused: &Refused, request_id: RequestId, next: &str) -> Response {
        refused.log(request_id);
        let page = Query::default().with("error", refused.code()).with("next", own_path(next, "")).href(SIGN_IN);
        Redirect::to(&page).into_response()
    }

    /// Lets in whom the provider sent back with the state of this attempt.
    async fn complete(&self, query: &Query, attempt: Option<&Attempt>, request_id: RequestId) -> Result<Admission, Refused> {
        let attempt = attempt.ok_or(Refused::NotBegun)?;
        let now = self.engine.clock().now();
        // A mix-up of providers (RFC 9207): the code is of another one, which must not get it.
        if let Some(named) = query.get("iss")
            && self.provider.issuer(now).await.map_err(Refused::Provider)? != named
        {
            return Err(Refused::NotBegun);
        }
        if let Some(code) = query.get("error") {
            return Err(Refused::Denied(plain(code)));
        }
        let code = query.get("code").ok_or(Refused::NotBegun)?;
        let exchanged = self.provider.exchange(code, attempt, &self.redirect_uri(), now).await;
        let (issuer, claims) = exchanged.map_err(Refused::Provider)?;
        // Used once, on every server: a session without a cookie notes it for as long as the sign-in could be used.
        let ends = attempt.ends().ok_or(Refused::NotBegun)?;
        if !identity::session_create(&self.engine, &format!("sso:{}", attempt.state()), &json!({}), ends).await.map_err(Refused::Engine)? {
            return Err(Refused::NotBegun);
        }
        let text = |names: &[&str]| claims.first(names).unwrap_or_default().to_owned();
        let person = Identity {
            issuer,
            subject: claims.subject.clone(),
            login: text(&["preferred_username", "email"]),
            name: text(&["name", "preferred_username", "email"]),
            roles: self.provider.roles(&claims).map_err(Refused::Provider)?,
        };
        let admitted = identity::sign_in_with_provider(&self.engine, &person, request_id).await.map_err(Refused::Engine)?;
        admitted.map_err(Refused::Person)
    }
}

/// The routes of a sign-in, inside the layer of the sessions.
pub fn router<S: Clone + Send + Sync + 'static>(sso: Arc<Sso>) -> Router<S> {
    Router::new().route(START, get(start)).route(CALLBACK, get(finish)).route(END, get(end)).with_state(sso)
}

async fn start(
    State(sso): State<Arc<Sso>>,
    Extension(request_id): Extension<RequestId>,
    address: Option<Extension<ClientAddress>>,
    uri: Uri,
) -> Response {
    let next = Query::parse(uri.query().unwrap_or_default()).text("next");
    let attempt = Attempt::begin(&sso.engine, own_path(&next, ""));
    let url = match sso.count(address) {
        Ok(()) => {
            let url = sso.provider.authorization(&attempt, &sso.redirect_uri(), sso.engine.clock().now()).await;
            url.map_err(Refused::Provider)
        }
        Err(refused) => Err(refused),
    };
    match url {
        Ok(url) => (AppendHeaders([sso.cookie(Some(&attempt))]), Redirect::to(url.as_str())).into_response(),
        Err(refused) => sso.refuse(&refused, request_id, &next),
    }
}

async fn finish(
    State(sso): State<Arc<Sso>>,
    Extension(request_id): Extension<RequestId>,
    address: Option<Extension<ClientAddress>>,
    session: Session,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    let query = Query::parse(uri.query().unwrap_or_default());
    let state = query.text("state");
    let kept = cookie(&headers, sso.cookie_name()).and_then(|kept| Attempt::from_cookie(&kept, sso.engine.clock().now()));
    let attempt = kept.filter(|attempt| identity::same_hash(state.as_bytes(), attempt.state().as_bytes()));
    let next = attempt.as_ref().map_or_else(String::new, |attempt| attempt.next.clone());
    let refuse = |refused: &Refused| {
        let page = sso.refuse(refused, request_id, &next);
        // An attempt with another state stays: a link that a stranger made must not end it.
        if attempt.is_some() { (AppendHeaders([sso.cookie(None)]), page).into_response() } else { page }
    };
    let admitted = match sso.count(address) {
        Ok(()) => sso.complete(&query, attempt.as_ref(), request_id).await,
        Err(refused) => Err(refused),
    };
    let admission = match admitted {
        Ok(admission) => admission,
        Err(refused) => return refuse(&refused),
    };
    let who = (header::SET_COOKIE, who_cookie(admission.operator, sso.secure_cookies));
    match open_in(&session, admission).await {
        Ok(()) => (AppendHeaders([sso.cookie(None), who]), Redirect::to(own_path(&next, "/"))).into_response(),
        Err(error) => {
            let error = Error::Unavailable(format!("session: {error}"));
            refuse(&Refused::Engine(error))
        }
    }
}

/// Ends the session at the provider, where the provider has a page for it.
async fn end(
    State(sso): State<Arc<Sso>>,
    Extension(request_id): Extension<RequestId>,
    address: Option<Extension<ClientAddress>>,
) -> Response {
    if let Err(refused) = sso.count(address) {
        return sso.refuse(&refused, request_id, "");
    }
    let back = format!("{}{SIGNED_OUT}", sso.public_url);
    match sso.provider.end_session(&back, sso.engine.clock().now()).await {
        Ok(url) => Redirect::to(url.as_ref().map_or(SIGNED_OUT, Url::as_str)).into_response(),
        Err(problem) => sso.refuse(&Refused::Provider(problem), request_id, ""),
    }
}

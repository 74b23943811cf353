//! The console's part of the router: pages, server functions, files, and their middleware.

use crate::api::Transfers;
use crate::forms::{lead_to_client, require_form_token, require_same_origin};
use crate::limits::{PerMinute, network};
use crate::sessions::EngineSessions;
use crate::shown::show_hidden_characters;
use crate::site::Site;
use crate::sso::{Options, Sso};
use crate::streams::Streams;
use app::{App, Assets, Console, changed_cookie, shell};
use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Redirect, Response},
    routing::{any, get},
};
use foundation::Engine;
use leptos::{config::LeptosOptions, nonce::use_nonce, prelude::use_context};
use leptos_axum::{AxumRouteListing, LeptosRoutes, ResponseOptions, generate_route_list, render_app_async_with_context};
use sha2::{Digest, Sha256};
use std::{
    net::IpAddr,
    num::NonZeroU32,
    sync::{Arc, LazyLock},
    time::Duration,
};
use tower_http::{CompressionLevel, compression::CompressionLayer, set_header::SetResponseHeaderLayer};
use tower_sessions::{Expiry, SessionManagerLayer, cookie::SameSite, cookie::time};
use wire::AuditFormat;

/// The address of the console, and how people sign in.
#[derive(Clone)]
pub struct ConsoleConfig {
    /// The address of this server for people and agents: scheme, host and port.
    pub public_url: String,
    /// False only for `http` on loopback.
    pub secure_cookies: bool,
    /// Attempts to sign in with one login from one address, in a minute.
    pub attempts_per_login: NonZeroU32,
    /// Attempts to sign in from one address, in a minute.
    pub attempts_per_address: NonZeroU32,
    /// The identity provider with which people sign in, if there is one.
    pub provider: Option<Options>,
}

impl ConsoleConfig {
    /// The usual limits, without an identity provider.
    pub fn new(public_url: &str, secure_cookies: bool) -> Self {
        const fn per_minute(n: u32) -> NonZeroU32 {
            match NonZeroU32::new(n) {
                Some(n) => n,
                None => NonZeroU32::MIN,
            }
        }
        let public_url = public_url.trim_end_matches('/').to_owned();
        Self { public_url, secure_cookies, attempts_per_login: per_minute(10), attempts_per_address: per_minute(30), provider: None }
    }
}

/// A session ends after this time without a request.
const INACTIVITY: time::Duration = time::Duration::hours(12);

/// The console's pages. They are listed once in a process: while leptos lists them, a page that another thread renders loads nothing and
/// waits for ever (<https://github.com/leptos-rs/leptos/issues/4773>).
pub fn pages() -> Vec<AxumRouteListing> {
    static PAGES: LazyLock<Vec<AxumRouteListing>> = LazyLock::new(|| generate_route_list(App));
    PAGES.clone()
}

/// The router of everything that is not the API. Its fallback serves the files of the site, then a 404 page.
pub(crate) fn router(
    engine: Engine,
    transfers: Arc<Transfers>,
    streams: Arc<Streams>,
    config: &ConsoleConfig,
    leptos_options: LeptosOptions,
    site: Site,
) -> Router {
    let console = Console {
        engine: engine.clone(),
        public_url: config.public_url.clone().into(),
        secure_cookies: config.secure_cookies,
        limiter: limiter(config),
        provider: config.provider.as_ref().map(|provider| provider.name.as_str().into()),
    };
    let sso = config.provider.clone().map(|options| Sso::new(engine.clone(), options, &config.public_url, config.secure_cookies));
    let sso: Router<LeptosOptions> = sso.map_or_else(Router::new, |sso| crate::sso::router(Arc::new(sso)));
    let context = move || console.provide();
    let files = Arc::new(Files::of(site, &leptos_options));
    let document = {
        let (options, assets) = (leptos_options.clone(), files.assets.clone());
        move || {
            content_security_policy();
            shell(options.clone(), assets.clone())
        }
    };
    let name = if config.secure_cookies { "__Host-rmb" } else { "rmb" };
    let sessions = SessionManagerLayer::new(EngineSessions(engine.clone()))
        .with_name(name)
        .with_secure(config.secure_cookies)
        .with_http_only(true)
        .with_same_site(SameSite::Lax)
        .with_expiry(Expiry::OnInactivity(INACTIVITY));

    let public_url = Arc::<str>::from(config.public_url.as_str());
    let changed = engine.db().has_replica().then(|| changed_cookie(engine.settings().replica_age, config.secure_cookies));
    let changed = changed.and_then(|line| HeaderValue::from_str(&line).ok());
    let pages = Router::new()
        .route("/live", crate::downloads::live(engine.clone(), transfers.clone(), streams))
        .route("/export.jsonl", crate::downloads::export(engine.clone(), transfers.clone()))
        .route("/audit.csv", crate::downloads::audit_log(engine.clone(), transfers.clone(), AuditFormat::Csv))
        .route("/audit.jsonl", crate::downloads::audit_log(engine.clone(), transfers.clone(), AuditFormat::Jsonl))
        .route("/erasure/{id}/report.json", crate::downloads::erasure_report(engine.clone(), transfers.clone()))
        .route("/usage.csv", crate::downloads::usage(engine.clone(), transfers.clone()))
        .route("/knowledge/documents/{id}/document.md", crate::downloads::document(engine.clone(), transfers))
        .route("/console/upload", crate::uploads::documents(engine.clone()))
        .merge(sso)
        .leptos_routes_with_context(&leptos_options, pages(), context.clone(), document.clone())
        .layer(middleware::from_fn_with_state(changed, keep_on_primary))
        .layer(middleware::from_fn_with_state(public_url.clone(), lead_to_client))
        .layer(middleware::from_fn(drop_empty_fields))
        .layer(middleware::from_fn(require_form_token))
        .layer(sessions)
        .layer(middleware::from_fn_with_state(public_url, require_same_origin))
        .layer(middleware::from_fn(forbid_caching));

    let not_found = get(render_app_async_with_context(context, document));
    let versioned = {
        let files = Arc::clone(&files);
        move |request: Request| {
            let files = Arc::clone(&files);
            async move { files.versioned(request).await }
        }
    };
    let (prefix, site) = (files.prefix.clone(), files.site.clone());
    let plain = move |request: Request| {
        let (site, not_found) = (site.clone(), not_found.clone());
        async move { site.respond(request, not_found).await }
    };
    pages
        .nest_service(&prefix, any(versioned))
        .fallback_service(any(plain))
        .layer(middleware::from_fn(show_hidden_characters))
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest))
        // Files that are compressed already come without it.
        .layer(SetResponseHeaderLayer::if_not_present(header::VARY, HeaderValue::from_static("accept-encoding")))
        .layer(middleware::from_fn(add_security_headers))
        .with_state(leptos_options)
}

/// The files that pages load, under URLs that contain their version.
struct Files {
    site: Site,
    /// `/assets/` and the version.
    prefix: String,
    assets: Assets,
}

impl Files {
    /// The files of the site as they are now. Their version is a hash of what a page loads.
    fn of(site: Site, options: &LeptosOptions) -> Self {
        let (package, name) = (&options.site_pkg_dir, &options.output_name);
        let loaded =
            ["console.js".into(), format!("{package}/{name}.js"), format!("{package}/{name}.wasm"), format!("{package}/{name}.css")];
        let mut hash = Sha256::new();
        for file in &loaded {
            // A page without its style still works.
            hash.update(site.read(file));
        }
        let prefix = format!("/assets/{}", hex::encode(&hash.finalize()[..8]));
        let assets = Assets { style: format!("{prefix}/{package}/{name}.css"), script: format!("{prefix}/console.js") };
        Self { site, prefix, assets }
    }

    /// A file under the prefix, for a browser to keep: another version has another prefix.
    async fn versioned(&self, request: Request) -> Response {
        let mut response = self.site.respond(request, get(|| async { StatusCode::NOT_FOUND })).await;
        if response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED {
            // The watcher changes files without a restart.
            let watched = std::env::var_os("LEPTOS_WATCH").is_some();
            let kept = HeaderValue::from_static(if watched { "no-cache" } else { "public, max-age=31536000, immutable" });
            response.headers_mut().insert(header::CACHE_CONTROL, kept);
        }
        response
    }
}

/// Limits attempts to sign in: few a minute with one login from one address, more from each address. A login has no limit of its own,
/// because strangers could then lock its owner out.
fn limiter(config: &ConsoleConfig) -> app::SignInLimiter {
    let logins: PerMinute<(String, Option<IpAddr>)> = PerMinute::new(config.attempts_per_login);
    let addresses: PerMinute<Option<IpAddr>> = PerMinute::new(config.attempts_per_address);
    Arc::new(move |login, address| {
        let address = address.map(network);
        let login = login.trim().chars().take(200).collect::<String>().to_lowercase();
        let wait = addresses.check(&address).and_then(|()| logins.check(&(login, address))).err()?;
        metrics::counter!("remembrancer_refused_total", "limit" => "sign_in").increment(1);
        Some(wait + Duration::from_secs(1))
    })
}

/// Sets the policy of a page: scripts run only from this server or with the nonce of this response.
fn content_security_policy() {
    let nonce = use_nonce().map(|nonce| format!(" 'nonce-{nonce}'")).unwrap_or_default();
    // The watcher of `make watch` tells the page to reload through a socket of its own.
    let watcher = if std::env::var_os("LEPTOS_WATCH").is_some() { " ws:" } else { "" };
    let policy = format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{nonce}; style-src 'self'; img-src 'self' data:; \
         connect-src 'self'{watcher}; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    if let (Some(response), Ok(policy)) = (use_context::<ResponseOptions>(), HeaderValue::from_str(&policy)) {
        response.insert_header(header::CONTENT_SECURITY_POLICY, policy);
    }
}

/// The security headers of a page without scripts.
pub const SECURITY_HEADERS: [(header::HeaderName, &str); 4] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    // Forms use the referrer to find their way back, on this server only.
    (header::REFERRER_POLICY, "same-origin"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::CACHE_CONTROL, "no-cache"),
];

/// Middleware that adds security headers to every response that has not set its own.
async fn add_security_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in SECURITY_HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Middleware that keeps pages, which show memories, out of the browser's cache.
async fn forbid_caching(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Middleware that gives a browser a cookie after a form, and after a file, which the audit log names: for some seconds its pages are then
/// read from the primary. Without a replica there is no cookie.
async fn keep_on_primary(State(changed): State<Option<HeaderValue>>, request: Request, next: Next) -> Response {
    let is_form = !request.method().is_safe();
    let mut response = next.run(request).await;
    if let Some(changed) = changed.filter(|_| is_form || response.headers().contains_key(header::CONTENT_DISPOSITION)) {
        response.headers_mut().append(header::SET_COOKIE, changed);
    }
    response
}

/// Middleware that redirects to the address without empty fields, which a form without JavaScript sends too.
async fn drop_empty_fields(request: Request, next: Next) -> Response {
    if request.uri().path().starts_with("/console/") {
        return next.run(request).await;
    }
    let tidy = request.uri().query().map(|query| query.split('&').filter(|pair| !is_empty(pair)).collect::<Vec<_>>().join("&"));
    match tidy {
        Some(tidy) if request.method().is_safe() && (tidy.is_empty() || Some(tidy.as_str()) != request.uri().query()) => {
            let path = request.uri().path();
            Redirect::to(&if tidy.is_empty() { path.to_owned() } else { format!("{path}?{tidy}") }).into_response()
        }
        _ => next.run(request).await,
    }
}

/// Whether a pair of a query has no value. A value may end with `=`, too, for example one in base64.
fn is_empty(pair: &str) -> bool {
    pair.split_once('=').is_some_and(|(_, value)| value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_run_out_for_a_login_at_one_address_and_for_an_address() {
        let two = NonZeroU32::new(2).unwrap();
        let limits = ConsoleConfig {
            attempts_per_login: NonZeroU32::MIN,
            attempts_per_address: two,
            ..ConsoleConfig::new("http://127.0.0.1:3000", false)
        };
        let limiter = limiter(&limits);
        let (stranger, owner) = ("203.0.113.9".parse().ok(), "198.51.100.7".parse().ok());
        assert!(limiter("vera", stranger).is_none());
        assert!(limiter(" VERA", stranger).is_some_and(|wait| wait.as_secs() > 1));
        assert!(limiter("vera", owner).is_none(), "a stranger does not keep Vera out");
        assert!(limiter("idris", stranger).is_some(), "the address has had its two attempts");
        assert!(limiter("idris", owner).is_none());
    }
}

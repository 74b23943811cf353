//! `remembrancer serve`: starts the process from its configuration, serves, and stops.

use crate::api::{self, Api, Transfers};
use crate::config::Config;
use crate::console::{self, ConsoleConfig};
use crate::embedding::{self, ModelLoader, NoModel};
use crate::hosts::{self, Trust};
use crate::mcp::Mcp;
use crate::site::Site;
use crate::streams::Streams;
use crate::{Failure, ingestion, listener, metrics, oauth, traces};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use db::clock::SystemClock;
use db::embedded::{Embedded, Options};
use db::{DatabaseUrls, MigrateError, backup, create_databases, migrate, require_databases};
use demo::Server;
use foundation::{Engine, Settings, registry};
use leptos::config::LeptosOptions;
use models::Embedder;
use models::chat::{Chat, ChatOptions, OpenAiChat};
use remembrancer::{Workers, skills};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::trace::{DefaultOnResponse, OnResponse, TraceLayer};
use tracing::field::Empty;
use wire::plain;

/// How long a command waits for a connection. Nobody is turned away meanwhile, as they would be by a server.
const COMMAND_LOOKUP: Duration = Duration::from_secs(10);

/// An engine on migrated databases, and the embedded Postgres if one was started for it.
pub struct Opened {
    pub engine: Engine,
    pub postgres: Option<Embedded>,
}

/// What to do where there are no databases. A command that is run in the wrong folder must not leave an empty second set behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfAbsent {
    Create,
    Refuse,
}

/// Finds or starts the databases, migrates them, loads the model and opens the engine for a command.
///
/// # Errors
/// A sentence that says what to do.
pub async fn open(config: &Config, if_absent: IfAbsent) -> Result<Opened, Failure> {
    let (urls, postgres) = checked_databases(config, if_absent).await?;
    let embedder = migrate_and_load(config, &urls).await?;
    Ok(Opened { engine: engine(config, urls, embedder, COMMAND_LOOKUP).await?, postgres })
}

/// The same for a command that neither stores nor searches text: it loads no model.
///
/// # Errors
/// A sentence that says what to do.
pub async fn open_without_model(config: &Config) -> Result<Opened, Failure> {
    let (urls, postgres) = checked_databases(config, IfAbsent::Refuse).await?;
    Ok(Opened { engine: open_before_model(config, urls).await?, postgres })
}

/// Migrates databases and opens the engine on them, before its model is loaded: until then, it embeds nothing.
///
/// # Errors
/// A sentence that says what to do.
pub async fn open_before_model(config: &Config, urls: DatabaseUrls) -> Result<Engine, Failure> {
    migrate(&urls).await?;
    let embedder = Arc::new(NoModel::new(embedding::model(config, &urls).await?));
    engine(config, urls, embedder, COMMAND_LOOKUP).await
}

/// Migrates databases, and loads their model meanwhile.
async fn migrate_and_load(config: &Config, urls: &DatabaseUrls) -> Result<Arc<dyn Embedder>, Failure> {
    let (early, migrated) = tokio::join!(embedding::load_early(config, urls), migrate(urls));
    migrated?;
    early.or_load(config, &embedding::model(config, urls).await?).await
}

/// Opens the engine on databases as they are, for a command that only looks: it migrates nothing and loads no model.
///
/// # Errors
/// A sentence that says what to do.
pub async fn open_unchanged(config: &Config, urls: DatabaseUrls) -> Result<Engine, Failure> {
    let current = registry::current(&urls, None).await?.ok_or("the model registry has no current model: run 'remembrancer migrate'")?;
    engine(config, urls, Arc::new(NoModel::new(current)), COMMAND_LOOKUP).await
}

/// As [`databases`], each known to exist.
///
/// # Errors
/// Those of [`databases`], when one of them does not exist and should, and when one was not restored to the end.
pub async fn checked_databases(config: &Config, if_absent: IfAbsent) -> Result<(DatabaseUrls, Option<Embedded>), Failure> {
    let (urls, postgres) = databases(config, if_absent).await?;
    match if_absent {
        IfAbsent::Create => create_databases(&urls).await?,
        IfAbsent::Refuse => require_databases(&urls).await.map_err(|error| match error {
            // Nobody set a URL: the folder is what may be wrong.
            MigrateError::Absent(_) if config.databases.is_none() => no_database(config),
            error => error.into(),
        })?,
    }
    backup::require_whole(&urls).await?;
    Ok((urls, postgres))
}

/// The configured databases, or those of the embedded Postgres, which it starts.
///
/// # Errors
/// When it cannot be started, or was never made and should not be.
pub async fn databases(config: &Config, if_absent: IfAbsent) -> Result<(DatabaseUrls, Option<Embedded>), Failure> {
    match &config.databases {
        Some(urls) => Ok((urls.clone(), None)),
        None if if_absent == IfAbsent::Refuse && !Embedded::is_in(&config.cluster()) => Err(no_database(config)),
        None => {
            let postgres = start_postgres(config).await?;
            let server = postgres.url().rsplit_once('/').map_or(postgres.url(), |(server, _)| server);
            Ok((DatabaseUrls::derive(&format!("{server}/remembrancer"))?, Some(postgres)))
        }
    }
}

/// Creates the databases that do not exist, migrates them, loads the model and opens the engine.
///
/// # Errors
/// A sentence that says what to do.
pub async fn open_at(config: &Config, urls: DatabaseUrls) -> Result<(Engine, Arc<dyn Embedder>), Failure> {
    create_databases(&urls).await?;
    backup::require_whole(&urls).await?;
    let embedder = migrate_and_load(config, &urls).await?;
    let engine = engine(config, urls, Arc::clone(&embedder), Settings::default().lookup_budget).await?;
    Ok((engine, embedder))
}

/// That there is no database in the data folder, and what to do.
fn no_database(config: &Config) -> Failure {
    let folder = config.cluster();
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    format!(
        "there is no database in {} (DATA_DIR is «{}»): set DATA_DIR to the data folder of your server, or DATABASE_URL to its Postgres; \
         to create a new database, run 'remembrancer migrate' or 'remembrancer serve'",
        folder.display(),
        config.data_dir.display()
    )
    .into()
}

/// Opens the engine on migrated databases, with any model that has a name of the registry.
///
/// # Errors
/// When a database is out of reach, or the registry does not have the model.
pub async fn engine(config: &Config, urls: DatabaseUrls, embedder: Arc<dyn Embedder>, lookup_budget: Duration) -> Result<Engine, Failure> {
    let settings = Settings {
        lookup_budget,
        write_embedding_budget: config.write_embedding_budget,
        logins: config.logins.clone(),
        statement_budget: config.statement_timeout,
        session_age: config.session_age,
        passwords: !config.sso.oidc_only,
        source_bytes_per_day: config.source_bytes_per_day,
        retrieval_log_days: config.retrieval_log_days,
        context_text_days: config.context_text_days,
        allow_private_addresses: config.allow_private_addresses,
        recall_cache_bytes: config.recall_cache_bytes,
        skills_dir: config.skills_dir.clone(),
        ..Settings::default()
    };
    let engine = Engine::open(urls, embedder, Arc::new(SystemClock), settings).await?.with_chat(chat(config)?);
    let engine = engine.with_evaluator(Arc::new(expectations::Runner)).with_loader(Arc::new(ModelLoader::new(config.clone())));
    // Nothing is served through connections that could read every organisation's rows.
    engine.db().prove().await?;
    // No agent is served without its skills.
    let reader = engine.clone();
    tokio::task::spawn_blocking(move || skills::refresh(&reader)).await?;
    Ok(engine)
}

/// The configured chat model, if there is one.
fn chat(config: &Config) -> Result<Option<Arc<dyn Chat>>, Failure> {
    let Some(model) = config.llm_model.clone() else { return Ok(None) };
    let (base_url, api_key) = (config.openai_base_url.clone(), config.openai_api_key.clone());
    Ok(Some(Arc::new(OpenAiChat::new(ChatOptions { base_url, api_key, model, timeout: config.llm_timeout })?)))
}

async fn start_postgres(config: &Config) -> Result<Embedded, Failure> {
    let options = Options { binary: config.pg0.clone(), data_dir: config.cluster(), port: None, settings: vec![] };
    let postgres = Embedded::start(options).await?;
    let message = if postgres.adopted() { "adopted the embedded Postgres that was running" } else { "started the embedded Postgres" };
    tracing::info!(data = %config.cluster().display(), "{message}");
    Ok(postgres)
}

/// The router of the public address: the API, then the console. Its open streams end after `stop`.
pub fn router(engine: &Engine, config: &Config, stop: CancellationToken) -> Router {
    let leptos_options = LeptosOptions::builder().output_name(env!("LEPTOS_OUTPUT_NAME")).site_addr(config.listen).build();
    let provider = config.sso.provider();
    let console_config = ConsoleConfig { provider, ..ConsoleConfig::new(&config.public_url, config.secure_cookies()) };
    let trust = Trust { hosts: config.allowed_hosts.clone(), proxies: config.trusted_proxies.clone() };
    let transfers = Arc::new(Transfers::new(config.transfer_stall));
    let streams = Arc::new(Streams::new(engine, stop.clone()));
    let mcp = Arc::new(Mcp::new(engine, config, stop));
    let (requests, unknown_keys) = (config.requests_per_minute, config.unknown_keys_per_minute);
    let api = Api::new(engine.clone(), requests, unknown_keys, Arc::clone(&transfers), mcp, Arc::clone(&streams));
    let challenge = middleware::from_fn_with_state(Arc::<str>::from(config.public_url.as_str()), oauth::challenge);
    Router::new()
        .merge(api::router(api).layer(challenge))
        .merge(oauth::router(engine.clone(), &config.public_url))
        .fallback_service(console::router(
            engine.clone(),
            transfers,
            streams,
            &console_config,
            leptos_options,
            Site::of(config.site_root.as_deref()),
        ))
        .layer(middleware::from_fn_with_state(Arc::new(trust), hosts::check))
        .layer(CatchPanicLayer::custom(api::error::panicked))
        .layer(middleware::from_fn(api::error::render))
        .layer(middleware::from_fn_with_state(config.public_url.starts_with("https://"), add_transport_headers))
        .layer(TraceLayer::new_for_http().make_span_with(span).on_response(note_status).on_failure(()))
        .layer(middleware::from_fn_with_state(engine.clone(), api::assign_request_id))
}

/// Middleware that keeps browsers from guessing content types and, if the public URL is `https`, makes them return over `https`.
async fn add_transport_headers(State(https): State<bool>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if https {
        response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    response
}

/// The span of a request: its path without the query, which may hold private words, and no header.
fn span(request: &Request) -> tracing::Span {
    let id = request.extensions().get::<wire::RequestId>().map(ToString::to_string).unwrap_or_default();
    let (method, path) = (request.method(), request.uri().path());
    let span = tracing::info_span!("request", %method, path, request_id = id, trace_id = Empty, status = Empty);
    if let Some(trace) = traces::join(&span, request.headers()) {
        span.record("trace_id", trace);
    }
    span
}

fn note_status(response: &Response, latency: Duration, span: &tracing::Span) {
    span.record("status", response.status().as_u16());
    DefaultOnResponse::default().on_response(response, latency, span);
}

/// Serves until a signal arrives or, where that is wanted, standard input ends; then finishes running requests within the deadline.
///
/// # Errors
/// A sentence, when the start fails.
pub async fn serve(config: Config, demo_credentials: Option<&Path>, until_input_ends: bool) -> Result<(), Failure> {
    let recorder = metrics::install()?;
    // An address that is in use is reported before minutes are spent on other work.
    let listener = bind("LISTEN_ADDR", config.listen).await?;
    let metrics_listener = bind("METRICS_ADDR", config.metrics).await?;
    if let Site::Folder(folder) = Site::of(config.site_root.as_deref())
        && !folder.join("pkg").is_dir()
    {
        tracing::warn!(
            "LEPTOS_SITE_ROOT is «{}», which has no folder pkg: the console has no style and no scripts; run scripts/frontend.sh",
            folder.display()
        );
    }
    let (urls, postgres) = databases(&config, IfAbsent::Create).await?;
    let (engine, embedder) = open_at(&config, urls).await?;
    if let Some(credentials) = demo_credentials {
        let data_dir = config.databases.is_none().then_some(config.data_dir.as_path());
        let server = Server { public_url: &config.public_url, is_on_loopback: config.listen.ip().is_loopback(), data_dir, credentials };
        demo::load(&engine, embedder, &server).await?;
    }
    let workers = Workers::start(&engine);

    let stop = CancellationToken::new();
    let schedule = config.knowledge().map(|schedule| tokio::spawn(ingestion::ingest_at_intervals(engine.clone(), schedule, stop.clone())));
    let followed = tokio::spawn(expectations::follow(engine.clone(), stop.clone()));
    let server = listener::serve(listener, router(&engine, &config, stop.clone()), config.limits(), stop.clone());
    let metrics_router = metrics::router(recorder, engine.clone(), config.allowed_hosts.clone());
    let metrics_server = listener::serve(metrics_listener, metrics_router, config.limits(), stop.clone());
    let served = tokio::spawn(async move { tokio::join!(server, metrics_server) });
    tracing::info!(address = %config.public_url, metrics = %config.metrics, "serving");

    tokio::select! {
        signalled = wait_for_signal() => signalled?,
        () = supervise(postgres.as_ref(), &engine) => {}
        () = input_end(), if until_input_ends => {}
    }
    tracing::info!(seconds = config.shutdown.as_secs(), "stopping: running requests may finish");
    stop.cancel();
    let finishing = async {
        // A listener waits for a client for as long as the client keeps taking bytes.
        ended("some requests", config.shutdown, served).await;
        let rest = async {
            if let Some(schedule) = schedule {
                schedule.await.ok();
            }
            followed.await.ok();
            workers.stop().await;
            engine.finish_deferred().await;
        };
        ended("some background work, which the next start resumes,", config.shutdown.max(REST), rest).await;
        engine.db().close().await;
        if let Some(postgres) = postgres {
            postgres.stop().await?;
            tracing::info!("stopped the embedded Postgres");
        }
        Ok(())
    };
    tokio::select! {
        finished = finishing => finished,
        again = wait_for_signal() => {
            tracing::warn!("a second signal: the server ends at once");
            again
        }
    }
}

/// How long background work may take to stop, at least.
const REST: Duration = Duration::from_secs(5);

/// Waits for a part of the shutdown, but not for ever: a database that never answers would keep the process.
async fn ended<T>(what: &str, limit: Duration, part: impl Future<Output = T>) {
    if tokio::time::timeout(limit, part).await.is_err() {
        tracing::warn!("{what} did not end within {} s and is given up", limit.as_secs());
    }
}

async fn bind(variable: &str, address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| {
        let reason = plain(error).to_lowercase();
        format!("{variable} {address} cannot be used ({reason}): end the program that uses it, or set {variable} to another address").into()
    })
}

/// Keeps the embedded Postgres running, if there is one. Never returns.
pub(crate) async fn supervise(postgres: Option<&Embedded>, engine: &Engine) {
    match postgres {
        Some(postgres) => postgres.supervise(|illness| engine.db().note(illness)).await,
        None => std::future::pending().await,
    }
}

/// Waits until standard input ends.
async fn input_end() {
    // What cannot be read has ended.
    let _ = tokio::io::copy(&mut tokio::io::stdin(), &mut tokio::io::sink()).await;
}

/// Waits for SIGINT or SIGTERM.
pub(crate) async fn wait_for_signal() -> Result<(), Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}

//! Configuration from the environment: every variable has a default that works on a laptop, and a wrong value stops the start.

mod sso;
mod values;

use crate::installed::Installed;
use crate::listener::Limits;
use clap::builder::Resettable;
use clap::{ArgAction, Args, Command, FromArgMatches};
use db::{DatabaseUrls, Logins, Replicas};
use models::ApiKey;
pub use sso::{GroupRole, Sso};
use std::env::VarError;
use std::ffi::OsStr;
use std::net::{IpAddr, SocketAddr};
use std::num::{NonZeroU8, NonZeroU32};
use std::path::PathBuf;
use std::time::Duration;
use values::*;
use words::guard::added::AddedWords;

/// Of the connections, one in so many is kept from each address: a client with many calls at once is served, and others are, too.
const KEPT_FROM_AN_ADDRESS: usize = 4;
/// What is logged unless `RUST_LOG` says otherwise. `rmcp` warns of every client that breaks the protocol, and quotes it; the pool repeats
/// every refusal of a connection, which is logged once.
const FILTER: &str = "warn,rmcp=off,sqlx_core::pool::inner=off,remembrancer=info,server=info,app=info";

/// The provider of embeddings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    Local,
    OpenAi,
}

/// The configuration of the process. A field with `env` is a variable, an option of `serve` that has the variable's name, and a row of
/// docs/configuration.md; its comment describes all three. A heading holds until the next one. No `Debug`, because URLs of databases
/// hold passwords.
#[derive(Args, Clone)]
#[command(mut_args = describe())]
pub struct Config {
    /// Base URL of the databases, which are BASE_agent_memory, BASE_shared_kb and BASE_internal_shared; without it, the server starts its
    /// own Postgres in DATA_DIR
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, help_heading = "Databases")]
    database_url: Option<String>,
    /// URL of the database of memories, if it is not BASE_agent_memory; equal URLs are refused
    #[arg(long, env = "AGENT_MEMORY_DATABASE_URL", hide_env_values = true)]
    agent_memory_database_url: Option<String>,
    /// URL of the database of shared knowledge, if it is not BASE_shared_kb
    #[arg(long, env = "SHARED_KB_DATABASE_URL", hide_env_values = true)]
    shared_kb_database_url: Option<String>,
    /// URL of the database of organisations, operators and the audit log, if it is not BASE_internal_shared
    #[arg(long, env = "INTERNAL_SHARED_DATABASE_URL", hide_env_values = true)]
    internal_shared_database_url: Option<String>,
    /// Base URL with which the server logs in as a member of rmb_app; without it, it logs in as the owner
    #[arg(long, env = "APP_DATABASE_URL", hide_env_values = true)]
    app_database_url: Option<String>,
    /// Base URL with which the server logs in as a member of rmb_system; without it, it logs in as the owner
    #[arg(long, env = "SYSTEM_DATABASE_URL", hide_env_values = true)]
    system_database_url: Option<String>,
    /// Base URL of a streaming replica of the databases, from which lists of the console are read, with the login of a member of rmb_app;
    /// without it, the databases themselves are read
    #[arg(long, env = "READ_DATABASE_URL", hide_env_values = true)]
    read_database_url: Option<String>,
    /// URL of a replica of the database of memories, if it is not BASE_agent_memory of READ_DATABASE_URL
    #[arg(long, env = "READ_AGENT_MEMORY_DATABASE_URL", hide_env_values = true)]
    read_agent_memory_database_url: Option<String>,
    /// URL of a replica of the database of shared knowledge, if it is not BASE_shared_kb of READ_DATABASE_URL
    #[arg(long, env = "READ_SHARED_KB_DATABASE_URL", hide_env_values = true)]
    read_shared_kb_database_url: Option<String>,
    /// URL of a replica of the database of organisations, operators and the audit log, if it is not BASE_internal_shared of READ_DATABASE_URL
    #[arg(long, env = "READ_INTERNAL_SHARED_DATABASE_URL", hide_env_values = true)]
    read_internal_shared_database_url: Option<String>,
    /// Absent: the embedded Postgres is used.
    #[arg(skip)]
    pub databases: Option<DatabaseUrls>,
    /// What was installed with the program.
    #[arg(skip)]
    pub(crate) installed: Installed,
    /// Where the roles of the server log in, if not as the owner.
    #[arg(skip)]
    pub logins: Logins,
    /// Folder of the embedded Postgres
    #[arg(long, env = "DATA_DIR", default_value = ".local")]
    pub data_dir: PathBuf,
    /// Seconds that one statement may take before the request is answered 503; exports and imports are exempt while Postgres takes other
    /// connections
    #[arg(long, env = "STATEMENT_TIMEOUT_SECONDS", default_value = "15", value_parser = seconds)]
    pub statement_timeout: Duration,

    /// Address and port of the API and the console
    #[arg(long, env = "LISTEN_ADDR", default_value = "127.0.0.1:3000", value_parser = address, help_heading = "Network")]
    pub listen: SocketAddr,
    /// URL at which people and agents reach the server; cookies are Secure unless it is http on loopback
    #[arg(long, env = "PUBLIC_URL", default_value = "http://$LISTEN_ADDR", value_parser = public_url)]
    pub public_url: String,
    /// Host names that requests may name besides that of PUBLIC_URL, separated by commas
    #[arg(long, env = "ALLOWED_HOSTS", default_value = "localhost,127.0.0.1,[::1]", value_parser = host_names)]
    pub allowed_hosts: List<String>,
    /// IP addresses of proxies whose X-Forwarded-For is trusted, separated by commas
    #[arg(long, env = "TRUSTED_PROXIES", default_value = "", hide_default_value = true, value_parser = addresses)]
    pub trusted_proxies: List<IpAddr>,
    /// Address and port of /metrics (Prometheus), which also answers /healthz and /readyz; requests name it by an IP address, localhost or
    /// one of ALLOWED_HOSTS
    #[arg(long, env = "METRICS_ADDR", default_value = "127.0.0.1:9464", value_parser = address)]
    pub metrics: SocketAddr,
    /// Whether the server fetches the documents of OAuth clients from private and loopback addresses, and calls webhooks there, too, and
    /// over http: for tests and closed networks only
    #[arg(long, env = "ALLOW_PRIVATE_ADDRESSES", default_value = "false", action = ArgAction::Set, value_parser = truth)]
    pub allow_private_addresses: bool,

    /// Provider of embeddings: local runs a model in the process, openai calls any compatible /embeddings, which then receives the text of
    /// every organisation
    #[arg(long, env = "EMBEDDING_PROVIDER", default_value = "local", value_parser = provider, help_heading = "Models")]
    pub provider: Provider,
    /// Embedding model of new databases; later, remembrancer model changes it. Of the local provider: multilingual-e5-small, the default, or
    /// all-MiniLM-L6-v2; of the openai provider: one of the model registry, by default text-embedding-3-small
    #[arg(long, env = "EMBEDDING_MODEL")]
    pub model: Option<String>,
    /// Milliseconds that a write waits for its vector before it is stored without one
    #[arg(long, env = "EMBEDDING_BUDGET_MS", default_value = "250", value_parser = milliseconds)]
    pub write_embedding_budget: Duration,
    /// Threads that run the local model; without it, one for each core, up to 4
    #[arg(long, env = "EMBEDDING_THREADS", value_parser = threads)]
    pub embedding_threads: Option<NonZeroU8>,
    /// URL of the openai provider and of the chat model
    #[arg(long, env = "OPENAI_BASE_URL", hide_env_values = true, default_value = "https://api.openai.com/v1")]
    pub openai_base_url: String,
    /// API key of the openai provider and of the chat model
    #[arg(long, env = "OPENAI_API_KEY", hide_env_values = true, value_parser = api_key)]
    pub openai_api_key: Option<ApiKey>,
    /// Chat model with JSON schema output, which extracts and condenses for organisations whose policy allows models outside; without it,
    /// people are quoted
    #[arg(long, env = "LLM_MODEL")]
    pub llm_model: Option<String>,
    /// Seconds that one answer of the chat model may take
    #[arg(long, env = "LLM_TIMEOUT_SECONDS", default_value = "60", value_parser = seconds)]
    pub llm_timeout: Duration,

    /// Days that a recall stays in the log and can be replayed
    #[arg(long, env = "RETRIEVAL_LOG_DAYS", default_value = "90", value_parser = log_days, help_heading = "Memory and knowledge")]
    pub retrieval_log_days: LogDays,
    /// Days that the text of an assembled prompt stays in the context log
    #[arg(long, env = "CONTEXT_TEXT_DAYS", default_value = "14", value_parser = text_days)]
    pub context_text_days: u32,
    /// MiB of memory for the recall cache, which speeds up searches among 1,000 memories or more of an agent,
    /// and among 1,000 chunks or more of documents
    #[arg(long, env = "RECALL_CACHE_MB", default_value = "128", value_parser = cache_mib)]
    pub recall_cache_bytes: usize,
    /// File of words that the guard and the rules for sensitive matters know besides their own
    #[arg(long, env = "GUARD_WORDS", value_parser = guard_words)]
    pub guard_words: Option<AddedWords>,
    /// Folder of SKILL.md documents, which become part of assembled prompts
    #[arg(long, env = "SKILLS_DIR", value_parser = folder)]
    pub skills_dir: Option<PathBuf>,
    /// Folder of Markdown that the server ingests at intervals
    #[arg(long, env = "KB_DIR", value_parser = folder)]
    kb_dir: Option<PathBuf>,
    /// Slug of the tenant for which KB_DIR is ingested; KB_DIR needs it
    #[arg(long, env = "KB_TENANT")]
    kb_tenant: Option<String>,
    /// Minutes between two ingestions of KB_DIR
    #[arg(long, env = "KB_EVERY_MINUTES", default_value = "60", value_parser = minutes)]
    kb_every: Duration,

    /// Requests per API key and minute
    #[arg(long, env = "RATE_LIMIT_PER_MINUTE", default_value = "600", value_parser = above_0, help_heading = "Limits")]
    pub requests_per_minute: NonZeroU32,
    /// Unknown API keys and bot secrets per address and minute; known ones are not limited by this
    #[arg(long, env = "UNKNOWN_KEYS_PER_MINUTE", default_value = "300", value_parser = above_0)]
    pub unknown_keys_per_minute: NonZeroU32,
    /// MiB that an API key may send in a day (UTC) to be captured
    #[arg(long, env = "SOURCE_MIB_PER_DAY", default_value = "256", value_parser = mib)]
    pub source_bytes_per_day: u64,
    /// Open connections; more wait until one closes. Three quarters of them may have the same address, unless it is one of TRUSTED_PROXIES
    #[arg(long, env = "MAX_CONNECTIONS", default_value = "512", value_parser = above_0)]
    max_connections: NonZeroU32,
    /// Seconds that a connection may take to send the headers of its next request; a proxy should close idle connections sooner
    #[arg(long, env = "HEADER_TIMEOUT_SECONDS", default_value = "20", value_parser = seconds)]
    header_timeout: Duration,
    /// Seconds that a client may stall while it sends a body or receives an answer; a client that moves at least 1 KiB a second does not
    /// stall
    #[arg(long, env = "BODY_TIMEOUT_SECONDS", default_value = "20", value_parser = seconds)]
    body_timeout: Duration,
    /// Days after which an operator must sign in to the console again; after 12 hours without a request at the latest
    #[arg(long, env = "SESSION_DAYS", default_value = "7", value_parser = days)]
    pub session_age: Duration,
    /// Seconds that the client of an export or import over HTTP may take or send no byte before the server drops it
    #[arg(long, env = "TRANSFER_STALL_SECONDS", default_value = "30", value_parser = seconds_or_0)]
    pub transfer_stall: Duration,
    /// Seconds that running requests, and then background work, may take to finish at shutdown
    #[arg(long, env = "SHUTDOWN_SECONDS", default_value = "10", value_parser = seconds_or_0)]
    pub shutdown: Duration,

    #[command(flatten)]
    pub sso: Sso,

    /// Log filter, such as info or remembrancer=debug,warn
    #[arg(long, env = "RUST_LOG", default_value = FILTER, value_parser = filter, help_heading = "Log and files")]
    pub log_filter: String,
    /// Format of the log
    #[arg(long, env = "LOG_FORMAT", default_value = "text", action = ArgAction::Set, value_parser = is_json)]
    pub json_log: bool,
    /// URL of an OpenTelemetry collector, to which traces are sent in OTLP over HTTP (to URL/v1/traces); without it, none are made
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_parser = collector)]
    pub collector: Option<String>,
    /// Folder of the local models, each in a folder of its own; the scripts set this and the next three
    #[arg(long, env = "REMEMBRANCER_MODEL_DIR", default_value = "~/.cache/remembrancer/models", value_parser = path)]
    pub model_dir: PathBuf,
    /// Library of ONNX Runtime, which runs the local model; by default that of the installed packages, or else of remembrancer setup
    #[arg(long, env = "REMEMBRANCER_ONNXRUNTIME", default_value = ONNXRUNTIME, hide_default_value = true, value_parser = path)]
    pub onnxruntime: PathBuf,
    /// Program that starts the embedded Postgres; by default that of the installed packages, or else of remembrancer setup
    #[arg(long, env = "REMEMBRANCER_PG0", default_value = PG0, value_parser = path)]
    pub pg0: PathBuf,
    /// Folder of the console's files; by default those in the program, or target/site if it was built without them
    #[arg(long, env = "LEPTOS_SITE_ROOT")]
    pub site_root: Option<PathBuf>,
}

/// A directory of knowledge that the server ingests at intervals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pub dir: PathBuf,
    /// The tenant's slug.
    pub tenant: String,
    pub every: Duration,
}

/// A variable whose value is not valid.
#[derive(Debug, thiserror::Error)]
#[error("{name} is «{value}»; it {expected}")]
pub struct InvalidVariable {
    name: String,
    value: String,
    expected: String,
}

impl InvalidVariable {
    fn new(name: &str, value: &str, expected: impl Into<String>) -> Self {
        Self { name: name.to_owned(), value: value.to_owned(), expected: expected.into() }
    }
}

type Lookup<'a> = &'a dyn Fn(&str) -> Result<String, VarError>;

/// The three databases of a base URL, which no message repeats: it holds a password.
fn derive(name: &str, url: &str) -> Result<DatabaseUrls, InvalidVariable> {
    let expected = |error| format!("must be postgres://user:password@host:port/base ({error})");
    DatabaseUrls::derive(url).map_err(|error| InvalidVariable::new(name, "…", expected(error)))
}

/// The URL of one database, if there is one.
fn readable(name: &str, url: Option<&str>) -> Result<Option<String>, InvalidVariable> {
    let expected = |error| format!("must be postgres://user:password@host:port/database ({error})");
    url.map(|url| DatabaseUrls::readable(url).map_err(|error| InvalidVariable::new(name, "…", expected(error)))).transpose()
}

impl Config {
    /// Reads the process's environment.
    ///
    /// # Errors
    /// The first variable that is not valid, and what it may be.
    pub fn from_env() -> Result<Self, InvalidVariable> {
        Self::read(&|name| std::env::var(name))
    }

    /// Reads the variables that `lookup` knows.
    ///
    /// # Errors
    /// The first variable that is not valid, and what it may be.
    pub fn read(lookup: Lookup<'_>) -> Result<Self, InvalidVariable> {
        let command = Self::augment_args(Command::new("remembrancer").no_binary_name(true));
        let mut options = Vec::new();
        for arg in command.get_arguments() {
            let (Some(name), Some(option)) = (arg.get_env().and_then(OsStr::to_str), arg.get_long()) else { continue };
            let wrong = |value: &str, expected| {
                let shown = if arg.is_hide_env_values_set() { "…" } else { value };
                Err(InvalidVariable::new(name, shown, expected))
            };
            match lookup(name) {
                Ok(value) if value.is_empty() => {}
                Ok(value) => match refusal(arg, &value) {
                    Some(expected) => return wrong(&value, expected),
                    None => options.push(format!("--{option}={value}")),
                },
                Err(VarError::NotPresent) => {}
                Err(VarError::NotUnicode(value)) => return wrong(&value.to_string_lossy(), "must be text in UTF-8".to_owned()),
            }
        }
        let matches = command.mut_args(|arg| arg.env(Resettable::Reset)).try_get_matches_from(options);
        // Every parser has taken its value.
        matches.and_then(|matches| Self::from_arg_matches(&matches)).unwrap_or_else(|error| error.exit()).check()
    }

    /// Checks what one value alone does not show. Messages of clap repeat a value, so URLs of databases are checked here, too.
    ///
    /// # Errors
    /// The first variable that is not valid, and what it may be.
    pub(crate) fn check(mut self) -> Result<Self, InvalidVariable> {
        self.databases = self.databases()?;
        self.sso = self.sso.check()?;
        self.logins = Logins {
            app: self.login("APP_DATABASE_URL", self.app_database_url.as_deref())?,
            system: self.login("SYSTEM_DATABASE_URL", self.system_database_url.as_deref())?,
            replicas: self.replicas()?,
        };
        self.public_url = as_named(&self.public_url.replace("$LISTEN_ADDR", &self.listen.to_string()));
        self.allowed_hosts.extend(host_of(&self.public_url));
        self.installed = Installed::find();
        self.pg0 = or_installed(self.pg0, PG0, self.installed.pg0());
        self.onnxruntime = or_installed(self.onnxruntime, ONNXRUNTIME, self.installed.onnxruntime());
        if self.kb_dir.is_some() && self.kb_tenant.is_none() {
            return Err(InvalidVariable::new("KB_TENANT", "", "must be a tenant's slug, because KB_DIR is set"));
        }
        Ok(self)
    }

    fn databases(&self) -> Result<Option<DatabaseUrls>, InvalidVariable> {
        let base = self.database_url.as_deref().map(|url| derive("DATABASE_URL", url)).transpose()?;
        let url = |name, own: &Option<String>, derived: fn(&DatabaseUrls) -> &String| {
            let own = readable(name, own.as_deref())?;
            Ok::<_, InvalidVariable>(own.or_else(|| base.as_ref().map(derived).cloned()).ok_or(name))
        };
        match (
            url("AGENT_MEMORY_DATABASE_URL", &self.agent_memory_database_url, |urls| &urls.agent_memory)?,
            url("SHARED_KB_DATABASE_URL", &self.shared_kb_database_url, |urls| &urls.shared_kb)?,
            url("INTERNAL_SHARED_DATABASE_URL", &self.internal_shared_database_url, |urls| &urls.internal_shared)?,
        ) {
            (Err(_), Err(_), Err(_)) => Ok(None),
            (Ok(agent_memory), Ok(shared_kb), Ok(internal_shared)) => {
                let expected = |error| format!("must be different from the other two ({error})");
                let urls = DatabaseUrls { agent_memory, shared_kb, internal_shared }.check();
                urls.map(Some).map_err(|error| InvalidVariable::new("AGENT_MEMORY_DATABASE_URL", "…", expected(error)))
            }
            (Err(name), ..) | (_, Err(name), _) | (.., Err(name)) => {
                Err(InvalidVariable::new(name, "", "must be set, as the others are, or DATABASE_URL instead"))
            }
        }
    }

    fn login(&self, name: &str, url: Option<&str>) -> Result<Option<DatabaseUrls>, InvalidVariable> {
        match (url, &self.databases) {
            (Some(_), None) => Err(InvalidVariable::new(name, "…", "must be unset, because DATABASE_URL is not set")),
            (url, _) => url.map(|url| derive(name, url)).transpose(),
        }
    }

    /// The replicas, each optional: those of a base URL, and others in their places.
    fn replicas(&self) -> Result<Replicas, InvalidVariable> {
        let base = self.login("READ_DATABASE_URL", self.read_database_url.as_deref())?.map(Replicas::from).unwrap_or_default();
        let url = |name, own: &Option<String>, derived| match (own, &self.databases) {
            (Some(_), None) => Err(InvalidVariable::new(name, "…", "must be unset, because DATABASE_URL is not set")),
            (own, _) => Ok::<_, InvalidVariable>(readable(name, own.as_deref())?.or(derived)),
        };
        Ok(Replicas {
            agent_memory: url("READ_AGENT_MEMORY_DATABASE_URL", &self.read_agent_memory_database_url, base.agent_memory)?,
            shared_kb: url("READ_SHARED_KB_DATABASE_URL", &self.read_shared_kb_database_url, base.shared_kb)?,
            internal_shared: url("READ_INTERNAL_SHARED_DATABASE_URL", &self.read_internal_shared_database_url, base.internal_shared)?,
        })
    }

    /// The limits of the listeners.
    pub fn limits(&self) -> Limits {
        let connections = self.max_connections.get() as usize;
        Limits {
            connections,
            of_an_address: connections - connections / KEPT_FROM_AN_ADDRESS,
            proxies: self.trusted_proxies.clone(),
            headers: self.header_timeout,
            patience: self.body_timeout,
        }
    }

    /// The directory that is ingested at intervals, if there is one.
    pub fn knowledge(&self) -> Option<Schedule> {
        Some(Schedule { dir: self.kb_dir.clone()?, tenant: self.kb_tenant.clone()?, every: self.kb_every })
    }

    /// The folder of the embedded Postgres.
    pub fn cluster(&self) -> PathBuf {
        self.data_dir.join("postgres")
    }

    /// Whether people reach the server at another address than the one on which it listens.
    pub fn has_public_url(&self) -> bool {
        self.public_url != as_named(&format!("http://{}", self.listen))
    }

    /// Whether cookies must be `Secure`: always, unless the public URL is plain HTTP on loopback.
    pub fn secure_cookies(&self) -> bool {
        let loopback = host_of(&self.public_url).is_some_and(|host| matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]"));
        !(self.public_url.starts_with("http://") && loopback)
    }
}

/// The host of an http(s) URL or the host of a `Host` header, without its port.
pub fn host_of(url: &str) -> Option<String> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    host_of_authority(authority)
}

/// The host of `host:port`, lower case; IPv6 keeps its brackets.
pub fn host_of_authority(authority: &str) -> Option<String> {
    let host = if authority.starts_with('[') { authority.split_inclusive(']').next() } else { authority.split(':').next() }?;
    (!host.is_empty() && !host.contains('@')).then(|| host.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn read(pairs: &[(&'static str, &'static str)]) -> Result<Config, InvalidVariable> {
        let map: HashMap<&str, &str> = pairs.iter().copied().collect();
        Config::read(&|name| map.get(name).map(|value| (*value).to_owned()).ok_or(VarError::NotPresent))
    }

    fn wrong(pairs: &[(&'static str, &'static str)]) -> String {
        read(pairs).err().unwrap().to_string()
    }

    #[test]
    fn nothing_set_works_on_a_laptop() {
        let config = read(&[]).unwrap();
        assert!(config.databases.is_none());
        assert_eq!(config.public_url, "http://127.0.0.1:3000");
        assert!(!config.secure_cookies());
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        let config = read(&[("PUBLIC_URL", ""), ("MAX_CONNECTIONS", ""), ("SKILLS_DIR", ""), ("DATABASE_URL", "")]).unwrap();
        assert_eq!((config.public_url.as_str(), config.limits().connections), ("http://127.0.0.1:3000", 512));
        assert!(config.skills_dir.is_none() && config.databases.is_none());
    }

    #[test]
    fn a_wrong_value_is_named_with_what_it_may_be() {
        for (name, value) in [
            ("LISTEN_ADDR", "localhost"),
            ("PUBLIC_URL", "memory.example.org"),
            ("EMBEDDING_PROVIDER", "magic"),
            ("METRICS_ADDR", "9464"),
            ("ALLOW_PRIVATE_ADDRESSES", "perhaps"),
            ("LLM_TIMEOUT_SECONDS", "0"),
            ("RATE_LIMIT_PER_MINUTE", "0"),
            ("UNKNOWN_KEYS_PER_MINUTE", "many"),
            ("SOURCE_MIB_PER_DAY", "0"),
            ("RECALL_CACHE_MB", "65536"),
            ("STATEMENT_TIMEOUT_SECONDS", "0"),
            ("SESSION_DAYS", "forever"),
            ("MAX_CONNECTIONS", "0"),
            ("HEADER_TIMEOUT_SECONDS", "0"),
            ("BODY_TIMEOUT_SECONDS", "soon"),
            ("TRUSTED_PROXIES", "10.0.0.1,proxy"),
            ("SHUTDOWN_SECONDS", "soon"),
            ("TRANSFER_STALL_SECONDS", "-1"),
            ("DATABASE_URL", "mysql://localhost/acme"),
            ("LOG_FORMAT", "xml"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"),
            ("KB_EVERY_MINUTES", "0"),
            ("OIDC_ISSUER", "login.example.org"),
            ("OIDC_ONLY", "true"),
            ("OIDC_ROLES", "staff=queen"),
            ("RETRIEVAL_LOG_DAYS", "0"),
            ("CONTEXT_TEXT_DAYS", "forever"),
            ("SKILLS_DIR", "no/such/folder"),
            ("GUARD_WORDS", "src/config.rs"),
            ("KB_DIR", "no/such/folder"),
            ("AGENT_MEMORY_DATABASE_URL", "postgres://localhost/one"),
        ] {
            let wrong = wrong(&[(name, value)]);
            assert!(wrong.contains("must be"), "{wrong}");
            assert!(wrong.starts_with(name) || name == "AGENT_MEMORY_DATABASE_URL", "{wrong}");
        }
    }

    #[test]
    fn a_provider_that_could_let_nobody_in_is_refused() {
        let usual = [("OIDC_ISSUER", "https://login.example"), ("OIDC_CLIENT_ID", "memory"), ("OIDC_ROLES", "staff=acme:viewer")];
        assert!(read(&usual).is_ok());
        let changes = [("OIDC_ISSUER", "http://login.example"), ("OIDC_SCOPES", "profile email"), ("OIDC_CLIENT_SECRET", " ")];
        for (name, value) in changes {
            let wrong = wrong(&[&usual[..], &[(name, value)]].concat());
            assert!(wrong.starts_with(name) && wrong.contains("must"), "{wrong}");
        }
    }

    #[test]
    fn the_public_url_has_no_path() {
        for url in ["https://example.org/memory", "https://example.org/memory/", "https://example.org?a", "https://example.org/#top"] {
            let refused = wrong(&[("PUBLIC_URL", url)]);
            assert!(
                refused.starts_with(&format!("PUBLIC_URL is «{url}»")) && refused.contains("host name or a port of its own"),
                "{refused}"
            );
        }
        for (url, expected) in [
            ("https://example.org:8443/", "https://example.org:8443"),
            ("https://Memory.Example.org:443/", "https://memory.example.org"),
            ("http://LOCALHOST:80", "http://localhost"),
            ("http://localhost:443", "http://localhost:443"),
            ("http://[::1]:80", "http://[::1]"),
        ] {
            assert_eq!(read(&[("PUBLIC_URL", url)]).unwrap().public_url, expected);
        }
    }

    #[test]
    fn a_directory_to_ingest_needs_a_tenant() {
        assert!(wrong(&[("KB_DIR", "src")]).starts_with("KB_TENANT"));
        let schedule = read(&[("KB_DIR", "src"), ("KB_TENANT", "acme"), ("KB_EVERY_MINUTES", "5")]).unwrap().knowledge().unwrap();
        assert_eq!((schedule.tenant.as_str(), schedule.every), ("acme", Duration::from_secs(300)));
    }

    #[test]
    fn passwords_in_urls_are_not_repeated() {
        let good = ("DATABASE_URL", "postgres://localhost/acme");
        for pairs in [
            &[("DATABASE_URL", "postgres://vera:hunter2@localhost")][..],
            &[("APP_DATABASE_URL", "postgres://vera:hunter2@localhost/acme")],
            &[good, ("SYSTEM_DATABASE_URL", "postgres://vera:hunter2@localhost")],
            &[good, ("READ_DATABASE_URL", "postgres://vera:hunter2@localhost")],
            &[("READ_SHARED_KB_DATABASE_URL", "postgres://vera:hunter2@localhost/acme")],
            &[good, ("SHARED_KB_DATABASE_URL", "postgres://vera:hunter2/@localhost/kb")],
        ] {
            let wrong = wrong(pairs);
            assert!(!wrong.contains("hunter2") && wrong.starts_with(pairs[pairs.len() - 1].0), "{wrong}");
        }
        let config = read(&[good, ("APP_DATABASE_URL", "postgres://app:hunter2@localhost/acme")]).unwrap();
        assert!(config.logins.app.unwrap().shared_kb.ends_with("app:hunter2@localhost/acme_shared_kb") && config.logins.system.is_none());
    }

    #[test]
    fn a_replica_has_a_base_url_or_one_for_each_database() {
        let good = ("DATABASE_URL", "postgres://localhost/acme");
        assert_eq!(read(&[good]).unwrap().logins.replicas, Replicas::default());
        let own = ("READ_AGENT_MEMORY_DATABASE_URL", "postgres://standby-2/acme_agent_memory");
        let replicas = read(&[good, own]).unwrap().logins.replicas;
        assert_eq!((replicas.agent_memory.as_deref(), replicas.shared_kb), (Some(own.1), None));
        let replicas = read(&[good, own, ("READ_DATABASE_URL", "postgres://standby/acme")]).unwrap().logins.replicas;
        assert_eq!(replicas.agent_memory.as_deref(), Some(own.1));
        assert_eq!(replicas.internal_shared.as_deref(), Some("postgres://standby/acme_internal_shared"));
    }

    #[test]
    fn cookies_are_secure_unless_http_on_loopback() {
        assert!(read(&[("PUBLIC_URL", "https://memory.example.org")]).unwrap().secure_cookies());
        assert!(read(&[("PUBLIC_URL", "http://memory.example.org")]).unwrap().secure_cookies());
        assert!(!read(&[("PUBLIC_URL", "http://localhost:3000/")]).unwrap().secure_cookies());
    }

    #[test]
    fn hosts_lose_their_port_and_keep_their_brackets() {
        assert_eq!(host_of("http://[::1]:3000/x").as_deref(), Some("[::1]"));
        assert_eq!(host_of("https://Memory.Example.org").as_deref(), Some("memory.example.org"));
        assert_eq!(host_of("https://user@evil"), None);
    }
}

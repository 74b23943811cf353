//! Configuration from the environment: every variable has a default that works on a laptop, and a wrong value stops the start.

use crate::listener::Limits;
use remembrancer::db::{DatabaseUrls, Logins};
use std::env::VarError;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// Of the connections, one in so many is kept from each address: a client with many calls at once is served, and others are, too.
const KEPT_FROM_AN_ADDRESS: usize = 4;

/// The provider of embeddings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    Local,
    OpenAi,
}

impl FromStr for Provider {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "local" => Ok(Self::Local),
            "openai" => Ok(Self::OpenAi),
            _ => Err("local or openai".into()),
        }
    }
}

/// The configuration of the process.
#[derive(Clone, Debug)]
pub struct Config {
    /// Absent: the embedded Postgres is used.
    pub databases: Option<DatabaseUrls>,
    /// Where the roles of the server log in, if not as the owner.
    pub logins: Logins,
    /// Where the embedded Postgres keeps its data.
    pub data_dir: PathBuf,
    pub pg0: PathBuf,
    pub provider: Provider,
    pub model: String,
    pub model_dir: PathBuf,
    /// The library of ONNX Runtime, which runs the local model; without it candle does.
    pub onnxruntime: Option<PathBuf>,
    pub openai_base_url: String,
    pub openai_api_key: Option<models::ApiKey>,
    /// The chat model that extracts for organisations that allow it; without one, people are quoted.
    pub llm_model: Option<String>,
    /// How long one answer of the chat model may take.
    pub llm_timeout: Duration,
    pub listen: SocketAddr,
    pub public_url: String,
    /// Host names that requests may name.
    pub allowed_hosts: Vec<String>,
    /// Peers whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<IpAddr>,
    pub metrics: SocketAddr,
    pub requests_per_minute: NonZeroU32,
    /// Unknown credentials per address.
    pub unknown_keys_per_minute: NonZeroU32,
    /// Bytes that one API key may send in a day to be captured.
    pub source_bytes_per_day: u64,
    /// The limits of the listeners.
    pub limits: Limits,
    pub shutdown: Duration,
    /// How long the client of an export or import may take or send no byte.
    pub transfer_stall: Duration,
    pub write_embedding_budget: Duration,
    /// How long a statement of a request or worker may take.
    pub statement_timeout: Duration,
    /// How long after sign-in a session ends.
    pub session_age: Duration,
    /// How many days the retrieval log is kept; for ever if absent.
    pub retrieval_log_days: Option<NonZeroU32>,
    /// How many days the texts of assembled contexts are kept; none if 0.
    pub context_text_days: u32,
    /// The folder of SKILL.md documents.
    pub skills_dir: Option<PathBuf>,
    pub site_root: PathBuf,
    pub json_log: bool,
    /// A directory that is ingested at intervals.
    pub knowledge: Option<Schedule>,
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
#[error("{name} is «{value}»; it must be {expected}")]
pub struct InvalidVariable {
    name: &'static str,
    value: String,
    expected: String,
}

type Lookup<'a> = &'a dyn Fn(&str) -> Result<String, VarError>;

fn text(lookup: Lookup<'_>, name: &'static str) -> Result<Option<String>, InvalidVariable> {
    match lookup(name) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(value)) => {
            Err(InvalidVariable { name, value: value.to_string_lossy().into_owned(), expected: "text in UTF-8".into() })
        }
    }
}

fn parsed<T: FromStr>(lookup: Lookup<'_>, name: &'static str, default: T, expected: &str) -> Result<T, InvalidVariable> {
    match text(lookup, name)? {
        None => Ok(default),
        Some(value) => value.parse().map_err(|_| InvalidVariable { name, value, expected: expected.into() }),
    }
}

fn list<T: FromStr>(lookup: Lookup<'_>, name: &'static str, expected: &str) -> Result<Vec<T>, InvalidVariable> {
    let value = text(lookup, name)?.unwrap_or_default();
    value
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().map_err(|_| InvalidVariable { name, value: part.to_owned(), expected: expected.into() }))
        .collect()
}

fn databases(lookup: Lookup<'_>) -> Result<Option<DatabaseUrls>, InvalidVariable> {
    const NAMES: [&str; 3] = ["AGENT_MEMORY_DATABASE_URL", "SHARED_KB_DATABASE_URL", "INTERNAL_SHARED_DATABASE_URL"];
    // The URL of a database holds a password, so the message does not repeat it.
    let wrong = |name, expected: String| InvalidVariable { name, value: "…".into(), expected };
    let derived = match text(lookup, "DATABASE_URL")? {
        Some(url) => Some(
            DatabaseUrls::derive(&url)
                .map_err(|error| wrong("DATABASE_URL", format!("postgres://user:password@host:port/base ({error})")))?,
        ),
        None => None,
    };
    let own = [text(lookup, NAMES[0])?, text(lookup, NAMES[1])?, text(lookup, NAMES[2])?];
    let urls = match (own, derived) {
        ([None, None, None], None) => return Ok(None),
        ([Some(agent_memory), Some(shared_kb), Some(internal_shared)], _) => DatabaseUrls { agent_memory, shared_kb, internal_shared },
        ([memory, kb, control], Some(derived)) => DatabaseUrls {
            agent_memory: memory.unwrap_or(derived.agent_memory),
            shared_kb: kb.unwrap_or(derived.shared_kb),
            internal_shared: control.unwrap_or(derived.internal_shared),
        },
        (own, None) => {
            let missing = NAMES.into_iter().zip(own).find(|(_, url)| url.is_none()).map_or(NAMES[0], |(name, _)| name);
            return Err(InvalidVariable {
                name: missing,
                value: String::new(),
                expected: "set, as the others are, or DATABASE_URL instead".into(),
            });
        }
    };
    urls.check().map(Some).map_err(|error| wrong(NAMES[0], format!("different from the other two ({error})")))
}

fn logins(lookup: Lookup<'_>, databases: Option<&DatabaseUrls>) -> Result<Logins, InvalidVariable> {
    let login = |name| {
        let Some(url) = text(lookup, name)? else { return Ok(None) };
        let wrong = |expected: String| InvalidVariable { name, value: "…".into(), expected };
        if databases.is_none() {
            return Err(wrong("unset, because DATABASE_URL is not set".into()));
        }
        let urls = DatabaseUrls::derive(&url).map_err(|error| wrong(format!("postgres://user:password@host:port/base ({error})")))?;
        Ok(Some(urls))
    };
    Ok(Logins { app: login("APP_DATABASE_URL")?, system: login("SYSTEM_DATABASE_URL")? })
}

fn skills_dir(lookup: Lookup<'_>) -> Result<Option<PathBuf>, InvalidVariable> {
    match text(lookup, "SKILLS_DIR")? {
        Some(path) if !Path::new(&path).is_dir() => {
            Err(InvalidVariable { name: "SKILLS_DIR", value: path, expected: "the path of a folder that exists".into() })
        }
        path => Ok(path.map(PathBuf::from)),
    }
}

fn schedule(lookup: Lookup<'_>) -> Result<Option<Schedule>, InvalidVariable> {
    let minutes = parsed(lookup, "KB_EVERY_MINUTES", NonZeroU32::new(60).unwrap_or(NonZeroU32::MIN), "a whole number above 0")?;
    match (text(lookup, "KB_DIR")?, text(lookup, "KB_TENANT")?) {
        (None, _) => Ok(None),
        (Some(dir), _) if !Path::new(&dir).is_dir() => {
            Err(InvalidVariable { name: "KB_DIR", value: dir, expected: "the path of a folder that exists".into() })
        }
        (Some(dir), Some(tenant)) => {
            Ok(Some(Schedule { dir: dir.into(), tenant, every: Duration::from_secs(u64::from(minutes.get()) * 60) }))
        }
        (Some(_), None) => {
            Err(InvalidVariable { name: "KB_TENANT", value: String::new(), expected: "a tenant's slug, because KB_DIR is set".into() })
        }
    }
}

/// Where scripts/fetch.sh puts the library of ONNX Runtime, if it is there.
fn fetched_onnxruntime() -> Option<PathBuf> {
    let name = if cfg!(target_os = "macos") { "libonnxruntime.dylib" } else { "libonnxruntime.so" };
    Some(home_cache().join("tools/onnxruntime").join(name)).filter(|library| library.is_file())
}

fn home_cache() -> PathBuf {
    std::env::var_os("HOME").map_or_else(|| PathBuf::from("."), PathBuf::from).join(".cache/remembrancer")
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
        let address = "an address and port, as in 127.0.0.1:3000";
        let listen: SocketAddr = parsed(lookup, "LISTEN_ADDR", SocketAddr::from(([127, 0, 0, 1], 3000)), address)?;
        let public_url = text(lookup, "PUBLIC_URL")?.unwrap_or_else(|| format!("http://{listen}"));
        let host = host_of(&public_url).ok_or_else(|| InvalidVariable {
            name: "PUBLIC_URL",
            value: public_url.clone(),
            expected: "http:// or https:// with a host, as in https://memory.example.org".into(),
        })?;
        let mut allowed_hosts: Vec<String> = list(lookup, "ALLOWED_HOSTS", "host names, separated by commas")?;
        if allowed_hosts.is_empty() {
            allowed_hosts = vec!["localhost".into(), "127.0.0.1".into(), "[::1]".into()];
        }
        allowed_hosts.push(host);
        let provider = parsed(lookup, "EMBEDDING_PROVIDER", Provider::Local, "local or openai")?;
        let default_model = if provider == Provider::Local { "all-MiniLM-L6-v2" } else { "text-embedding-3-small" };
        let seconds = |name, default| parsed(lookup, name, default, "a whole number of seconds").map(Duration::from_secs);
        let positive = |name, default| parsed(lookup, name, NonZeroU32::new(default).unwrap_or(NonZeroU32::MIN), "a whole number above 0");
        let path = |name, default: PathBuf| text(lookup, name).map(|path| path.map_or(default, PathBuf::from));
        let databases = databases(lookup)?;
        let trusted_proxies: Vec<IpAddr> = list(lookup, "TRUSTED_PROXIES", "IP addresses, separated by commas")?;
        let connections = positive("MAX_CONNECTIONS", 512)?.get() as usize;
        Ok(Self {
            logins: logins(lookup, databases.as_ref())?,
            databases,
            data_dir: path("DATA_DIR", PathBuf::from(".local"))?,
            pg0: path("REMEMBRANCER_PG0", home_cache().join("tools/pg0"))?,
            provider,
            model: text(lookup, "EMBEDDING_MODEL")?.unwrap_or_else(|| default_model.to_owned()),
            model_dir: path("REMEMBRANCER_MODEL_DIR", home_cache().join("models/all-minilm-l6-v2"))?,
            onnxruntime: text(lookup, "REMEMBRANCER_ONNXRUNTIME")?.map(PathBuf::from).or_else(fetched_onnxruntime),
            openai_base_url: text(lookup, "OPENAI_BASE_URL")?.unwrap_or_else(|| "https://api.openai.com/v1".into()),
            openai_api_key: text(lookup, "OPENAI_API_KEY")?.map(models::ApiKey::new),
            llm_model: text(lookup, "LLM_MODEL")?,
            llm_timeout: Duration::from_secs(positive("LLM_TIMEOUT_SECONDS", 60)?.get().into()),
            public_url: public_url.trim_end_matches('/').to_owned(),
            allowed_hosts,
            metrics: parsed(lookup, "METRICS_ADDR", SocketAddr::from(([127, 0, 0, 1], 9464)), address)?,
            requests_per_minute: positive("RATE_LIMIT_PER_MINUTE", 600)?,
            unknown_keys_per_minute: positive("UNKNOWN_KEYS_PER_MINUTE", 300)?,
            source_bytes_per_day: u64::from(positive("SOURCE_MIB_PER_DAY", 256)?.get()) * 1024 * 1024,
            limits: Limits {
                connections,
                of_an_address: connections - connections / KEPT_FROM_AN_ADDRESS,
                proxies: trusted_proxies.clone(),
                headers: Duration::from_secs(positive("HEADER_TIMEOUT_SECONDS", 20)?.get().into()),
                patience: Duration::from_secs(positive("BODY_TIMEOUT_SECONDS", 20)?.get().into()),
            },
            shutdown: seconds("SHUTDOWN_SECONDS", 10)?,
            transfer_stall: seconds("TRANSFER_STALL_SECONDS", 30)?,
            write_embedding_budget: Duration::from_millis(parsed(lookup, "EMBEDDING_BUDGET_MS", 250, "a whole number of milliseconds")?),
            statement_timeout: Duration::from_secs(positive("STATEMENT_TIMEOUT_SECONDS", 15)?.get().into()),
            session_age: Duration::from_secs(u64::from(positive("SESSION_DAYS", 7)?.get()) * 24 * 60 * 60),
            retrieval_log_days: match text(lookup, "RETRIEVAL_LOG_DAYS")? {
                Some(text) if text == "forever" => None,
                _ => Some(parsed(
                    lookup,
                    "RETRIEVAL_LOG_DAYS",
                    NonZeroU32::new(90).unwrap_or(NonZeroU32::MIN),
                    "a whole number above 0, or forever",
                )?),
            },
            context_text_days: parsed(lookup, "CONTEXT_TEXT_DAYS", 14, "a whole number of days, or 0 to keep no text")?,
            skills_dir: skills_dir(lookup)?,
            site_root: path("LEPTOS_SITE_ROOT", PathBuf::from("target/site"))?,
            json_log: parsed(lookup, "LOG_FORMAT", LogFormat::Text, "text or json")? == LogFormat::Json,
            knowledge: schedule(lookup)?,
            trusted_proxies,
            listen,
        })
    }

    /// The folder of the embedded Postgres.
    pub fn cluster(&self) -> PathBuf {
        self.data_dir.join("postgres")
    }

    /// Whether cookies must be `Secure`: always, unless the public URL is plain HTTP on loopback.
    pub fn secure_cookies(&self) -> bool {
        let loopback = host_of(&self.public_url).is_some_and(|host| matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]"));
        !(self.public_url.starts_with("http://") && loopback)
    }
}

#[derive(PartialEq)]
enum LogFormat {
    Text,
    Json,
}

impl FromStr for LogFormat {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(()),
        }
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

    #[test]
    fn nothing_set_works_on_a_laptop() {
        let config = read(&[]).unwrap();
        assert!(config.databases.is_none());
        assert_eq!(config.public_url, "http://127.0.0.1:3000");
        assert!(!config.secure_cookies());
    }

    #[test]
    fn a_wrong_value_is_named_with_what_it_may_be() {
        for (name, value) in [
            ("LISTEN_ADDR", "localhost"),
            ("PUBLIC_URL", "memory.example.org"),
            ("EMBEDDING_PROVIDER", "magic"),
            ("METRICS_ADDR", "9464"),
            ("LLM_TIMEOUT_SECONDS", "0"),
            ("RATE_LIMIT_PER_MINUTE", "0"),
            ("UNKNOWN_KEYS_PER_MINUTE", "many"),
            ("SOURCE_MIB_PER_DAY", "0"),
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
            ("KB_EVERY_MINUTES", "0"),
            ("RETRIEVAL_LOG_DAYS", "0"),
            ("CONTEXT_TEXT_DAYS", "forever"),
            ("SKILLS_DIR", "no/such/folder"),
            ("KB_DIR", "no/such/folder"),
            ("AGENT_MEMORY_DATABASE_URL", "postgres://localhost/one"),
        ] {
            let wrong = read(&[(name, value)]).unwrap_err().to_string();
            assert!(wrong.contains("must be"), "{wrong}");
            assert!(wrong.starts_with(name) || name == "AGENT_MEMORY_DATABASE_URL", "{wrong}");
        }
    }

    #[test]
    fn a_directory_to_ingest_needs_a_tenant() {
        assert!(read(&[("KB_DIR", "src")]).unwrap_err().to_string().starts_with("KB_TENANT"));
        let schedule = read(&[("KB_DIR", "src"), ("KB_TENANT", "acme"), ("KB_EVERY_MINUTES", "5")]).unwrap().knowledge.unwrap();
        assert_eq!((schedule.tenant.as_str(), schedule.every), ("acme", Duration::from_secs(300)));
    }

    #[test]
    fn passwords_in_urls_are_not_repeated() {
        let good = ("DATABASE_URL", "postgres://localhost/acme");
        for pairs in [
            &[("DATABASE_URL", "postgres://vera:hunter2@localhost")][..],
            &[("APP_DATABASE_URL", "postgres://vera:hunter2@localhost/acme")],
            &[good, ("SYSTEM_DATABASE_URL", "postgres://vera:hunter2@localhost")],
        ] {
            let wrong = read(pairs).unwrap_err().to_string();
            assert!(!wrong.contains("hunter2") && wrong.starts_with(pairs[pairs.len() - 1].0), "{wrong}");
        }
        let config = read(&[good, ("APP_DATABASE_URL", "postgres://app:hunter2@localhost/acme")]).unwrap();
        assert!(!format!("{config:?}").contains("hunter2"));
        assert!(config.logins.app.unwrap().shared_kb.ends_with("app:hunter2@localhost/acme_shared_kb") && config.logins.system.is_none());
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

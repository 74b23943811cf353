//! How the value of a setting is read, and what it must be: each parser says that in its error, which the help shows, too.

use super::{Provider, host_of};
use clap::builder::Resettable;
use clap::{Arg, Command};
use models::ApiKey;
use std::convert::Infallible;
use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::num::{NonZeroU8, NonZeroU32};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use tracing_subscriber::EnvFilter;
use words::guard::added::AddedWords;

/// One value that has several parts. For clap, a `Vec` is several values.
pub type List<T> = Vec<T>;
/// Absent: for ever. For clap, an `Option` is a value that may be missing.
pub type LogDays = Option<NonZeroU32>;

/// Where scripts/fetch.sh puts the library of ONNX Runtime.
pub const ONNXRUNTIME: &str = if cfg!(target_os = "macos") {
    "~/.cache/remembrancer/tools/onnxruntime/libonnxruntime.dylib"
} else {
    "~/.cache/remembrancer/tools/onnxruntime/libonnxruntime.so"
};

/// Where scripts/fetch.sh puts the program that starts the embedded Postgres.
pub const PG0: &str = "~/.cache/remembrancer/tools/pg0";

/// Names the option of each setting after its variable, and adds to its help what the value must be. An empty variable counts as unset;
/// clap alone would take it for a value.
pub fn describe() -> impl FnMut(Arg) -> Arg {
    let mut heading = String::new();
    move |arg| {
        let Some(name) = arg.get_env().map(|name| name.to_string_lossy().into_owned()) else { return arg };
        heading = arg.get_help_heading().unwrap_or(&heading).to_owned();
        let option = name.to_lowercase().replace('_', "-");
        let arg = arg.long(option).value_name("VALUE").help_heading(heading.clone()).next_line_help(true);
        let limit = refusal(&arg, "").map_or_else(String::new, |limit| format!(" ({limit})"));
        let help = format!("{}{limit}", arg.get_help().cloned().unwrap_or_default());
        match std::env::var_os(&name) {
            Some(value) if value.is_empty() => arg.help(format!("{help} [env: {name}=]")).env(Resettable::Reset),
            _ => arg.help(help),
        }
    }
}

/// What the parser of a setting says of a value that it refuses.
pub fn refusal(arg: &Arg, value: &str) -> Option<String> {
    let option = format!("--{}={value}", arg.get_long()?);
    let error = Command::new("").no_binary_name(true).arg(arg.clone()).try_get_matches_from([option]).err()?;
    error.source().map(ToString::to_string)
}

fn must_be<T: FromStr>(what: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("must be {what}"))
}

pub fn above_0(text: &str) -> Result<NonZeroU32, String> {
    must_be("a whole number above 0", text)
}

pub fn threads(text: &str) -> Result<NonZeroU8, String> {
    must_be("a whole number from 1 to 255", text)
}

pub fn mib(text: &str) -> Result<u64, String> {
    above_0(text).map(|mib| u64::from(mib.get()) * 1024 * 1024)
}

/// At most what fits 16 bits.
pub fn cache_mib(text: &str) -> Result<usize, String> {
    must_be("a whole number of MiB up to 65535, or 0 to turn it off", text).map(|mib: u16| usize::from(mib) * 1024 * 1024)
}

pub fn seconds(text: &str) -> Result<Duration, String> {
    above_0(text).map(|seconds| Duration::from_secs(seconds.get().into()))
}

pub fn minutes(text: &str) -> Result<Duration, String> {
    seconds(text).map(|seconds| seconds * 60)
}

pub fn days(text: &str) -> Result<Duration, String> {
    minutes(text).map(|minutes| minutes * 60 * 24)
}

pub fn seconds_or_0(text: &str) -> Result<Duration, String> {
    must_be("a whole number of seconds", text).map(Duration::from_secs)
}

pub fn milliseconds(text: &str) -> Result<Duration, String> {
    must_be("a whole number of milliseconds", text).map(Duration::from_millis)
}

pub fn text_days(text: &str) -> Result<u32, String> {
    must_be("a whole number of days, or 0 to keep no text", text)
}

pub fn log_days(text: &str) -> Result<LogDays, String> {
    if text == "forever" { Ok(None) } else { must_be("a whole number above 0, or forever", text).map(Some) }
}

pub fn address(text: &str) -> Result<SocketAddr, String> {
    must_be("an address and port, as in 127.0.0.1:3000", text)
}

pub fn addresses(text: &str) -> Result<List<IpAddr>, String> {
    parts(text).map(|part| must_be("IP addresses, separated by commas", part)).collect()
}

pub fn host_names(text: &str) -> Result<List<String>, &'static str> {
    let names: List<String> = parts(text).map(str::to_owned).collect();
    if names.is_empty() { Err("must name at least one host") } else { Ok(names) }
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}

pub fn public_url(text: &str) -> Result<String, &'static str> {
    host_of(text).ok_or("must be http:// or https:// with a host, as in https://memory.example.org")?;
    let (_, address) = text.split_once("://").unwrap_or_default();
    match address.trim_end_matches('/').contains(['/', '?', '#']) {
        // Links, cookies and the addresses of agents begin at the root.
        true => Err("must have no path: give the server a host name or a port of its own"),
        false => Ok(text.to_owned()),
    }
}

/// A public URL as browsers and clients name it, byte by byte: in lower case, without the usual port and a slash at its end.
pub fn as_named(url: &str) -> String {
    let url = url.trim_end_matches('/').to_ascii_lowercase();
    let usual_port = if url.starts_with("https://") { ":443" } else { ":80" };
    url.strip_suffix(usual_port).unwrap_or(&url).to_owned()
}

pub fn collector(text: &str) -> Result<String, &'static str> {
    let url = host_of(text).map(|_| text.to_owned());
    url.ok_or("must be http:// or https:// with a host, as in http://127.0.0.1:4318")
}

pub fn provider(text: &str) -> Result<Provider, &'static str> {
    match text {
        "local" => Ok(Provider::Local),
        "openai" => Ok(Provider::OpenAi),
        _ => Err("must be local or openai"),
    }
}

pub fn api_key(text: &str) -> Result<ApiKey, Infallible> {
    Ok(ApiKey::new(text))
}

pub fn folder(text: &str) -> Result<PathBuf, &'static str> {
    Some(PathBuf::from(text)).filter(|path| path.is_dir()).ok_or("must be the path of a folder that exists")
}

/// The words of a file that the guard knows besides its own.
pub fn guard_words(path: &str) -> Result<AddedWords, String> {
    const MUST: &str = "must be the path of a file of words, whose form docs/security.md describes";
    let file = std::fs::read_to_string(path).map_err(|error| error.to_string());
    file.and_then(|file| AddedWords::parse(&file)).map_err(|reason| {
        // The help has no file.
        if path.is_empty() { MUST.to_owned() } else { format!("{MUST}: {reason}") }
    })
}

/// A path, which may begin with `~/`.
pub fn path(text: &str) -> Result<PathBuf, Infallible> {
    let home = || std::env::var_os("HOME").map_or_else(|| PathBuf::from("."), PathBuf::from);
    Ok(text.strip_prefix("~/").map_or_else(|| PathBuf::from(text), |rest| home().join(rest)))
}

/// The path of a setting, or what was installed with the program if the path is the default.
pub fn or_installed(configured: PathBuf, default: &str, installed: Option<PathBuf>) -> PathBuf {
    match installed {
        Some(installed) if path(default).is_ok_and(|default| default == configured) => installed,
        _ => configured,
    }
}

pub fn filter(text: &str) -> Result<String, &'static str> {
    EnvFilter::try_new(text).map(|_| text.to_owned()).map_err(|_| "must be a filter such as info or remembrancer=debug,warn")
}

pub fn truth(text: &str) -> Result<bool, String> {
    must_be("true or false", text)
}

pub fn is_json(text: &str) -> Result<bool, &'static str> {
    match text {
        "text" => Ok(false),
        "json" => Ok(true),
        _ => Err("must be text or json"),
    }
}

//! Where the memory of this user is: the user's file first, then the environment, which a host may load from a file of the repository.

use super::place::Place;
use super::state::State;
use super::{Failure, Host, local};
use crate::config::Config;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::env::VarError;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use wire::UserRef;
use words::guard::added::{self, AddedWords};

/// Tokens of a context at the start of a session.
const BUDGET: u32 = 1_500;
/// The variable that names the file of the installation's words.
const GUARD_WORDS: &str = "GUARD_WORDS";
/// What people call the address of the server.
pub const ADDRESS: &str = "the server's address (REMEMBRANCER_URL, or url in hook.toml)";
/// What is wrong with a server without a key.
const WITHOUT_KEY: &str = "a server is set without a key: set REMEMBRANCER_KEY, or url and key in hook.toml";

/// Where the memory of this user is, for hooks and for tools alike. No `Debug`, because it holds a key.
pub enum Memory {
    /// On a server.
    Server { url: String, key: String, user: Option<UserRef> },
    /// In a folder of this user.
    Own { data_dir: PathBuf, user: Option<UserRef> },
}

impl Memory {
    /// The memory that the user's file or the environment names, or else that of the user alone. On a server it is that of the agent that the
    /// repository of this process names.
    ///
    /// # Errors
    /// When the file or the repository's rules cannot be read, or there is no key of the agent.
    pub fn of_this_user() -> Result<Self, Failure> {
        let settings = Settings::of_this_user()?;
        let wrong = |error: String| format!("REMEMBRANCER_USER, or user in hook.toml, {error}");
        let user = settings.user.as_ref().map(|user| user.parse::<UserRef>()).transpose().map_err(wrong)?;
        if settings.url.is_empty() {
            return Ok(Self::Own { data_dir: data_dir()?, user });
        }
        let rules = Place::of(&std::env::current_dir()?)?.rules;
        let key = settings.key_of(rules.agent.as_deref())?.to_owned();
        if key.is_empty() { Err(WITHOUT_KEY.into()) } else { Ok(Self::Server { url: settings.url, key, user }) }
    }

    /// The configuration of a process that serves this memory. Of the environment it has only [`local::VARIABLES`]: the rest may be meant for
    /// the program that the person works on.
    ///
    /// # Errors
    /// When one of these variables is wrong.
    pub fn configuration(&self) -> Result<Config, Failure> {
        words_file()?;
        let data_dir = match self {
            Self::Own { data_dir, .. } => data_dir.clone().into_os_string(),
            Self::Server { .. } => OsString::new(),
        };
        Ok(Config::read(&|name| match name {
            "DATA_DIR" => data_dir.clone().into_string().map_err(VarError::NotUnicode),
            name if local::VARIABLES.contains(&name) => std::env::var(name),
            _ => Err(VarError::NotPresent),
        })?)
    }
}

/// The user's file, `remembrancer/hook.toml` in the folder of configurations. No `Debug`, because it holds keys.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The server's address. Without one, this user gets a server of their own.
    pub url: String,
    /// Whether the environment may not name a server.
    pub own: bool,
    /// The API key, unless the repository names an agent.
    pub key: String,
    /// The user of every call: an id, or a reference of your own.
    pub user: Option<String>,
    /// Keys by agent, for repositories that name one.
    pub agents: BTreeMap<String, String>,
    /// Whether prompts are answered with memories.
    pub prompt: Option<bool>,
    /// Tokens of a context at the start of a session.
    pub budget: Option<u32>,
    /// Whether the server is that of this user alone, which has one agent.
    #[serde(skip)]
    pub is_local: bool,
}

impl Settings {
    /// The settings; `None` if hooks are turned off.
    ///
    /// # Errors
    /// When the user's file cannot be read, or there is no server yet.
    pub fn read(host: Host, state: &State) -> Result<Option<Self>, Failure> {
        if is_off() {
            return Ok(None);
        }
        let mut settings = Self::of_this_user()?;
        if settings.url.is_empty() {
            let local = local::find(host, state)?;
            (settings.url, settings.key, settings.is_local) = (local.url, local.key, true);
        }
        Ok(Some(settings))
    }

    /// The user's file; where it names no server, with what the environment says of one.
    fn of_this_user() -> Result<Self, Failure> {
        let text = file().map_or(Ok(String::new()), |path| match fs::read_to_string(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
            read => read.map_err(|error| format!("hook.toml cannot be read: {error}")),
        })?;
        Self::of(&text, &variable)
    }

    /// The same of a text and a reader of variables.
    fn of(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, Failure> {
        let mut settings: Self = toml::from_str(text).map_err(|error| format!("hook.toml cannot be read: {}", error.message()))?;
        if settings.url.is_empty() {
            // Keys of the file must not reach a server that it does not name.
            (settings.key, settings.agents) = (String::new(), BTreeMap::new());
        }
        if settings.url.is_empty() && !settings.own {
            settings.url = variable("REMEMBRANCER_URL").unwrap_or_default();
            settings.key = variable("REMEMBRANCER_KEY").unwrap_or_default();
            settings.user = variable("REMEMBRANCER_USER").or(settings.user);
        }
        if !settings.url.is_empty() && settings.key.is_empty() && settings.agents.is_empty() {
            return Err(WITHOUT_KEY.into());
        }
        Ok(settings)
    }

    /// The key of an agent, or the usual one.
    pub fn key_of(&self, agent: Option<&str>) -> Result<&str, Failure> {
        match agent {
            Some(agent) if !self.is_local => self
                .agents
                .get(agent)
                .map(String::as_str)
                .ok_or_else(|| format!("hook.toml has no server with a key of the agent {agent}").into()),
            _ => Ok(&self.key),
        }
    }

    /// Tokens of a context.
    pub fn budget(&self) -> u32 {
        self.budget.unwrap_or(BUDGET).clamp(100, 32_000)
    }
}

/// The user's file, which may be a link to a file elsewhere.
pub fn file() -> Option<PathBuf> {
    folder("XDG_CONFIG_HOME", ".config")?.join("hook.toml").canonicalize().ok()
}

/// The folder of the memory of this user alone. `DATA_DIR` may be that of a program that the person works on.
///
/// # Errors
/// When there is no home folder.
pub fn data_dir() -> Result<PathBuf, Failure> {
    Ok(folder("XDG_DATA_HOME", ".local/share").ok_or("HOME is not set, so there is no folder for the data of this user")?)
}

/// A folder of this program, in the one that a variable names, or in its usual place below the home folder. A relative value counts as unset,
/// as the specification of these variables has it: hosts work in the folders of repositories.
pub(super) fn folder(name: &str, usual: &str) -> Option<PathBuf> {
    let named = variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    Some(named.or_else(|| Some(Path::new(&variable("HOME")?).join(usual)))?.join("remembrancer"))
}

/// Has the guard know the words of this installation, before it reads a text.
///
/// # Errors
/// When they cannot be read.
pub fn guard_words() -> Result<(), Failure> {
    let Some(path) = words_file()? else { return Ok(()) };
    let text = fs::read_to_string(path).map_err(|error| error.to_string());
    let words = text.and_then(|text| AddedWords::parse(&text)).map_err(|error| format!("{GUARD_WORDS} cannot be read: {error}"))?;
    if added::install(words) { Ok(()) } else { Err("GUARD_WORDS must be read before any text".into()) }
}

/// The file of these words, which must be the same in every folder.
fn words_file() -> Result<Option<PathBuf>, Failure> {
    match variable(GUARD_WORDS).map(PathBuf::from) {
        Some(path) if path.is_relative() => Err("GUARD_WORDS must be an absolute path, because hosts work in many folders".into()),
        path => Ok(path),
    }
}

/// Whether hooks are turned off.
pub fn is_off() -> bool {
    variable("REMEMBRANCER_HOOK").as_deref() == Some("off")
}

/// A variable that is set and not empty.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::Settings;

    const ENVIRONMENT: [(&str, &str); 3] =
        [("REMEMBRANCER_URL", "https://elsewhere.example.org"), ("REMEMBRANCER_KEY", "rmb_e"), ("REMEMBRANCER_USER", "mina")];

    /// Address, key and user of a file, with the environment of a host that read a file of the repository.
    fn read(text: &str) -> (String, String, Option<String>, usize) {
        let variable = |name: &str| ENVIRONMENT.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let settings = Settings::of(text, &variable).unwrap();
        (settings.url, settings.key, settings.user, settings.agents.len())
    }

    #[test]
    fn the_environment_names_a_server_only_where_the_file_names_none() {
        let from_environment = ("https://elsewhere.example.org".to_owned(), "rmb_e".to_owned(), Some("mina".to_owned()), 0);
        assert_eq!(read(""), from_environment);
        // Its keys do not go to a server that it does not name.
        assert_eq!(read("key = \"rmb_v\"\nuser = \"vera\"\nprompt = false\n[agents]\nbinky = \"rmb_b\"\n"), from_environment);
        let named = "url = \"https://memory.example.org\"\nkey = \"rmb_v\"\n[agents]\nbinky = \"rmb_b\"\n";
        assert_eq!(read(named), ("https://memory.example.org".to_owned(), "rmb_v".to_owned(), None, 1));
        assert_eq!(read("own = true\nuser = \"vera\"\n"), (String::new(), String::new(), Some("vera".to_owned()), 0));
    }

    #[test]
    fn a_server_needs_a_key() {
        let refused = Settings::of("url = \"https://memory.example.org\"\n", &|_| None).err().unwrap().to_string();
        assert!(refused.contains("without a key"), "{refused}");
    }
}

//! Where the server is and what may be sent: the environment first, then the user's file. A repository cannot say where its words go.

use super::state::State;
use super::{Failure, Host, git, local};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Tokens of a context at the start of a session.
const BUDGET: u32 = 1_500;

/// The user's file, `remembrancer/hook.toml` in the folder of configurations. No `Debug`, because it holds keys.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The server's address. Without one, this user gets a server of their own.
    pub url: String,
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
    is_local: bool,
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
        let mut settings: Self = match file().and_then(|path| git::small(&path)) {
            Some(text) => toml::from_str(&text).map_err(|error| format!("hook.toml cannot be read: {}", error.message()))?,
            None => Self::default(),
        };
        settings.url = variable("REMEMBRANCER_URL").unwrap_or(settings.url);
        settings.key = variable("REMEMBRANCER_KEY").unwrap_or(settings.key);
        settings.user = variable("REMEMBRANCER_USER").or(settings.user);
        if settings.url.is_empty() {
            let local = local::find(host, state)?;
            (settings.url, settings.key, settings.is_local) = (local.url, local.key, true);
        } else if settings.key.is_empty() && settings.agents.is_empty() {
            return Err("a server is set without a key: set REMEMBRANCER_KEY, or key in hook.toml".into());
        }
        Ok(Some(settings))
    }

    /// The key of an agent, or the usual one.
    pub fn key_of(&self, agent: Option<&str>) -> Result<&str, Failure> {
        match agent {
            Some(agent) if !self.is_local => {
                self.agents.get(agent).map(String::as_str).ok_or_else(|| format!("hook.toml has no key of the agent {agent}").into())
            }
            _ => Ok(&self.key),
        }
    }

    /// Tokens of a context.
    pub fn budget(&self) -> u32 {
        self.budget.unwrap_or(BUDGET).clamp(100, 32_000)
    }
}

fn file() -> Option<PathBuf> {
    let folder = variable("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| Some(PathBuf::from(variable("HOME")?).join(".config")))?;
    Some(folder.join("remembrancer/hook.toml"))
}

/// Whether hooks are turned off.
pub fn is_off() -> bool {
    variable("REMEMBRANCER_HOOK").as_deref() == Some("off")
}

/// A variable that is set and not empty.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

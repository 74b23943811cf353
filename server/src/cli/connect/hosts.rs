//! The hosts of coding agents: where each keeps its configuration, and what this command adds.

use super::json::{Entry, Json};
use super::tables::Section;
use crate::Failure;
use clap::ValueEnum;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The name of this program, and of the MCP server in every configuration.
const NAME: &str = "remembrancer";
/// The plugin of OpenCode, which has no commands as hooks.
const SCRIPT: &str = include_str!("../../../../plugins/opencode/remembrancer.js");
/// The line of the plugin that names this program.
const PROGRAM: &str = "const program = \"remembrancer\"";
/// How the plugin begins.
const MARK: &str = "// Remembrancer";
/// The variables that move a folder.
const VARIABLES: [&str; 6] = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "DATA_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"];

/// A program in which coding agents run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Host {
    /// Claude Code
    ClaudeCode,
    /// Codex CLI
    Codex,
    /// Cursor
    Cursor,
    /// Gemini CLI
    Gemini,
    /// OpenCode
    Opencode,
    /// GitHub Copilot CLI
    Copilot,
}

/// Where the files of a user are, and what the hosts start.
pub struct Places {
    home: PathBuf,
    /// The folders that variables name.
    folders: BTreeMap<&'static str, PathBuf>,
    /// This program, as hosts start it.
    program: String,
}

/// A configuration file of a host.
pub struct File {
    pub path: PathBuf,
    pub content: Content,
}

/// What a file gets.
pub enum Content {
    Json {
        host: Host,
        empty: &'static str,
        entries: Vec<Entry>,
    },
    Toml(Section),
    /// The whole of it.
    Script(String),
}

impl Places {
    /// The places of whoever runs this process.
    ///
    /// # Errors
    /// A sentence, if there is no home folder.
    pub fn of_this_user() -> Result<Self, Failure> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = variable("HOME").ok_or("HOME is not set, so the configuration of hosts cannot be found")?;
        let folders = VARIABLES.into_iter().filter_map(|name| Some((name, std::path::absolute(variable(name)?).ok()?)));
        let program = std::env::current_exe().ok().filter(|path| path.ends_with(NAME));
        let program = program.as_deref().and_then(Path::to_str).unwrap_or(NAME).to_owned();
        Ok(Self { home, folders: folders.collect(), program })
    }

    /// The folder that a variable names, or its usual place below the home folder.
    fn folder(&self, variable: &str, usual: &str) -> PathBuf {
        self.folders.get(variable).cloned().unwrap_or_else(|| self.home.join(usual))
    }

    /// The one memory of this user: hosts start programs in the folder of a project, so that a relative DATA_DIR would be one for each.
    fn data_dir(&self) -> String {
        let usual = || self.folder("XDG_DATA_HOME", ".local/share").join(NAME);
        self.folders.get("DATA_DIR").cloned().unwrap_or_else(usual).display().to_string()
    }

    /// Whether hooks know a server.
    pub fn has_server(&self) -> bool {
        let file = self.folder("XDG_CONFIG_HOME", ".config").join(NAME).join("hook.toml");
        std::env::var_os("REMEMBRANCER_URL").is_some_and(|url| !url.is_empty()) || file.is_file()
    }

    /// This program, as a shell reads it.
    fn quoted_program(&self) -> String {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
        if self.program.chars().all(is_plain) { self.program.clone() } else { format!("'{}'", self.program.replace('\'', r"'\''")) }
    }
}

impl Host {
    /// What `remembrancer hook --host` calls it.
    pub fn id(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Copilot => "copilot",
        }
    }

    /// What its makers call it.
    pub fn label(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::Gemini => "Gemini CLI",
            Self::Opencode => "OpenCode",
            Self::Copilot => "Copilot CLI",
        }
    }

    /// Whether the user has it: its folder is there.
    pub fn is_installed(self, places: &Places) -> bool {
        self.folder(places).is_dir()
    }

    /// Where it keeps its configuration, and its sessions.
    pub fn folder(self, places: &Places) -> PathBuf {
        match self {
            Self::ClaudeCode => places.folder("CLAUDE_CONFIG_DIR", ".claude"),
            Self::Codex => places.folder("CODEX_HOME", ".codex"),
            Self::Cursor => places.home.join(".cursor"),
            Self::Gemini => places.home.join(".gemini"),
            Self::Opencode => places.folder("XDG_CONFIG_HOME", ".config").join("opencode"),
            Self::Copilot => places.folder("COPILOT_HOME", ".copilot"),
        }
    }

    /// Its configuration files.
    pub fn files(self, places: &Places) -> Vec<File> {
        let folder = self.folder(places);
        let json = |path, entries| File { path, content: Content::Json { host: self, empty: "{}\n", entries } };
        match self {
            Self::ClaudeCode => {
                // Beside the folder, unless the variable moves both.
                let path = places.folders.get("CLAUDE_CONFIG_DIR").unwrap_or(&places.home).join(".claude.json");
                vec![json(folder.join("settings.json"), self.hooks(places)), json(path, vec![self.server(places)])]
            }
            Self::Codex => {
                let server = File { path: folder.join("config.toml"), content: Content::Toml(section(places)) };
                vec![json(folder.join("hooks.json"), self.hooks(places)), server]
            }
            Self::Cursor => {
                vec![self.own_hooks(folder.join("hooks.json"), places), json(folder.join("mcp.json"), vec![self.server(places)])]
            }
            Self::Gemini => {
                let entries = self.hooks(places).into_iter().chain([self.server(places)]).collect();
                vec![json(folder.join("settings.json"), entries)]
            }
            Self::Opencode => {
                let other = Some(folder.join("opencode.jsonc")).filter(|path| path.exists() && !folder.join("opencode.json").exists());
                let script = File { path: folder.join("plugins/remembrancer.js"), content: Content::Script(script(places)) };
                vec![json(other.unwrap_or_else(|| folder.join("opencode.json")), vec![self.server(places)]), script]
            }
            Self::Copilot => {
                let server = json(folder.join("mcp-config.json"), vec![self.server(places)]);
                vec![self.own_hooks(folder.join("hooks/remembrancer.json"), places), server]
            }
        }
    }

    /// A file of hooks alone, which needs its version.
    fn own_hooks(self, path: PathBuf, places: &Places) -> File {
        let entries = self.hooks(places);
        File { path, content: Content::Json { host: self, empty: "{\n  \"version\": 1\n}\n", entries } }
    }

    /// The events of the host, and what each is to `remembrancer hook`.
    fn events(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::ClaudeCode => &[
                ("SessionStart", "session-start"),
                ("UserPromptSubmit", "prompt"),
                ("PreCompact", "pre-compact"),
                ("Stop", "stop"),
                ("SessionEnd", "session-end"),
            ],
            // It has no end of a session in every version; each turn ends with a stop.
            Self::Codex => {
                &[("SessionStart", "session-start"), ("UserPromptSubmit", "prompt"), ("PreCompact", "pre-compact"), ("Stop", "stop")]
            }
            Self::Cursor => &[("sessionStart", "session-start"), ("stop", "stop"), ("sessionEnd", "session-end")],
            Self::Gemini => {
                &[("SessionStart", "session-start"), ("BeforeAgent", "prompt"), ("AfterAgent", "stop"), ("SessionEnd", "session-end")]
            }
            Self::Copilot => &[("sessionStart", "session-start"), ("agentStop", "stop"), ("sessionEnd", "session-end")],
            Self::Opencode => &[],
        }
    }

    fn hooks(self, places: &Places) -> Vec<Entry> {
        let hook = |(name, event): &(&'static str, &str)| {
            let command = json!(format!("{} hook {event} --host {}", places.quoted_program(), self.id()));
            let value = match self {
                Self::Cursor => format!(r#"{{"command": {command}, "timeout": 10}}"#),
                Self::Copilot => format!(r#"{{"type": "command", "bash": {command}, "timeoutSec": 10}}"#),
                // In milliseconds.
                Self::Gemini => {
                    format!(r#"{{"hooks": [{{"name": "remembrancer", "type": "command", "command": {command}, "timeout": 10000}}]}}"#)
                }
                Self::ClaudeCode | Self::Codex | Self::Opencode => {
                    format!(r#"{{"hooks": [{{"type": "command", "command": {command}, "timeout": 10}}]}}"#)
                }
            };
            Entry { path: vec!["hooks", *name], value, listed: true }
        };
        self.events().iter().map(hook).collect()
    }

    fn server(self, places: &Places) -> Entry {
        let (program, variables) = (json!(places.program), json!({ "DATA_DIR": places.data_dir() }));
        let start = format!(r#""command": {program}, "args": ["mcp"], "env": {variables}"#);
        let (key, value) = match self {
            Self::Opencode => ("mcp", format!(r#"{{"type": "local", "command": [{program}, "mcp"], "environment": {variables}}}"#)),
            Self::ClaudeCode => ("mcpServers", format!(r#"{{"type": "stdio", {start}}}"#)),
            Self::Copilot => ("mcpServers", format!(r#"{{"type": "local", {start}, "tools": ["*"]}}"#)),
            Self::Codex | Self::Cursor | Self::Gemini => ("mcpServers", format!("{{{start}}}")),
        };
        Entry { path: vec![key, NAME], value, listed: false }
    }

    /// Whether a value of a JSON file is one that this command wrote: of this version, or of another one.
    fn owns(self, value: &Value) -> bool {
        let is_hook = |key: &&str| value.get(*key).and_then(Value::as_str).is_some_and(|command| self.is_hook(command));
        ["command", "bash"].iter().any(is_hook) || is_server(value)
    }

    fn is_hook(self, command: &str) -> bool {
        let Some((program, rest)) = command.rsplit_once(" hook ") else { return false };
        program.trim_matches('\'').ends_with(NAME) && rest.ends_with(&format!(" --host {}", self.id()))
    }
}

/// Whether a value is an MCP server as this command writes it. One with another address, a key or further variables is a person's.
fn is_server(value: &Value) -> bool {
    let words = [&value["command"], &value["args"]].into_iter().flat_map(|part| match part {
        Value::String(word) => vec![word.as_str()],
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    });
    let words: Vec<&str> = words.collect();
    let variables = ["env", "environment"].iter().find_map(|key| value.get(*key)?.as_object());
    matches!(words.as_slice(), [program, "mcp"] if Path::new(program).ends_with(NAME))
        && variables.is_some_and(|variables| variables.len() == 1 && variables.contains_key("DATA_DIR"))
}

/// The same of a TOML file.
fn is_table_of_server(value: &toml::Value) -> bool {
    serde_json::to_value(value).is_ok_and(|value| is_server(&value))
}

/// The MCP server of Codex. It passes on only the variables that are named.
fn section(places: &Places) -> Section {
    let keys = vec![
        ("command", json!(places.program).to_string()),
        ("args", r#"["mcp"]"#.to_owned()),
        ("env", format!("{{ DATA_DIR = {} }}", json!(places.data_dir()))),
        ("env_vars", r#"["REMEMBRANCER_URL", "REMEMBRANCER_KEY", "REMEMBRANCER_USER"]"#.to_owned()),
    ];
    Section { path: ["mcp_servers", NAME], keys }
}

fn script(places: &Places) -> String {
    SCRIPT.replace(PROGRAM, &format!("const program = {}", json!(places.program)))
}

impl Content {
    /// A text with what this command adds; none is a file that does not exist.
    ///
    /// # Errors
    /// A sentence, if the text is not what the host reads, or has something else at that place.
    pub fn connected(&self, text: Option<&str>) -> Result<String, Failure> {
        let text = text.unwrap_or_default();
        match self {
            Self::Json { empty, entries, .. } => {
                let text = if text.trim().is_empty() { *empty } else { text };
                let json = Json::read(text)?;
                if entries.iter().all(|entry| entry.is_in(&json.value)) {
                    return Ok(text.to_owned());
                }
                entries.iter().try_fold(self.without(text)?, |text, entry| Json::read(&text)?.with(entry))
            }
            Self::Toml(section) => section.with(text, &is_table_of_server),
            Self::Script(script) if text.is_empty() || text.starts_with(MARK) => Ok(script.clone()),
            Self::Script(_) => Err("another plugin has this name".into()),
        }
    }

    /// A text without what this command wrote into it.
    ///
    /// # Errors
    /// A sentence, if the text is not what the host reads, or was changed so that the two cannot be told apart.
    pub fn without(&self, text: &str) -> Result<String, Failure> {
        match self {
            Self::Json { host, entries, .. } if !text.trim().is_empty() => {
                let keys: BTreeSet<&str> = entries.iter().filter_map(|entry| entry.path.first().copied()).collect();
                keys.into_iter().try_fold(text.to_owned(), |text, key| without_key(text, key, *host))
            }
            Self::Json { .. } => Ok(text.to_owned()),
            Self::Toml(section) => Ok(section.without(text, &is_table_of_server)?.unwrap_or_else(|| text.to_owned())),
            Self::Script(_) => Ok(if text.starts_with(MARK) { String::new() } else { text.to_owned() }),
        }
    }

    /// Whether a text says nothing: a file that this command made is deleted then.
    pub fn is_empty(&self, text: &str) -> bool {
        let value = |text: &str| serde_json::from_str::<Value>(text).ok();
        text.trim().is_empty() || matches!(self, Self::Json { empty, .. } if value(text) == value(empty))
    }
}

fn without_key(mut text: String, key: &str, host: Host) -> Result<String, Failure> {
    loop {
        let less = Json::read(&text)?.without(key, &|value: &Value| host.owns(value));
        let Some(less) = less else { return Ok(text) };
        text = less;
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The places of a user whose home is a folder.
    pub fn places(home: &Path) -> Places {
        Places { home: home.to_owned(), folders: BTreeMap::new(), program: "/opt/it's here/remembrancer".to_owned() }
    }

    #[test]
    fn every_file_is_connected_once_and_disconnected_byte_for_byte() {
        let places = places(Path::new("/home/vera"));
        for host in Host::value_variants() {
            for File { path, content } in host.files(&places) {
                let foreign = match &content {
                    Content::Json { .. } => "{\n    \"hooks\": {\"Stop\": [{\"command\": \"mine\"}]},\n    \"theme\": \"dark\"\n}\n",
                    Content::Toml(_) => "# mine\nmodel = \"o4\"\n",
                    Content::Script(_) => "",
                };
                let connected = content.connected(Some(foreign)).unwrap();
                assert_ne!(connected, foreign, "{}", path.display());
                assert_eq!(content.connected(Some(&connected)).unwrap(), connected, "twice is once");
                assert_eq!(content.without(&connected).unwrap(), foreign, "{}", path.display());
                let made = content.connected(None).unwrap();
                assert!(content.is_empty(&content.without(&made).unwrap()), "{made}");
            }
        }
    }

    #[test]
    fn an_earlier_program_is_replaced_and_a_server_of_a_person_stays() {
        let places = places(Path::new("/home/vera"));
        let content = &Host::Gemini.files(&places)[0].content;
        let connected = content.connected(None).unwrap();
        let earlier = connected.replace("/opt/it's here/", "/usr/bin/").replace("/opt/it'\\\\''s here/", "/usr/bin/");
        assert_ne!(earlier, connected);
        assert_eq!(content.connected(Some(&earlier)).unwrap(), connected);

        let own = r#"{"mcpServers": {"remembrancer": {"command": "remembrancer", "args": ["mcp"], "env": {"REMEMBRANCER_KEY": "rmb_x"}}}}"#;
        let connected = content.connected(Some(own)).unwrap();
        assert!(connected.contains("REMEMBRANCER_KEY") && connected.contains("hook session-start --host gemini"), "{connected}");
        assert_eq!(content.without(&connected).unwrap(), own);
    }

    #[test]
    fn a_hook_of_another_host_is_not_touched() {
        assert!(Host::Cursor.is_hook("'/opt/it'\\''s here/remembrancer' hook stop --host cursor"));
        assert!(!Host::Cursor.is_hook("remembrancer hook stop --host codex"));
        assert!(!Host::Cursor.is_hook("/usr/bin/hook stop --host cursor"));
    }

    #[test]
    fn the_plugin_of_opencode_starts_this_program() {
        assert!(SCRIPT.starts_with(MARK) && SCRIPT.contains(PROGRAM));
        assert!(script(&places(Path::new("/home/vera"))).contains("const program = \"/opt/it's here/remembrancer\""));
    }
}

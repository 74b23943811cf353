//! The hosts of coding agents: where each keeps its configuration, and what this command adds.

use super::json::{Entry, Json};
use super::tables::Section;
use crate::Failure;
use crate::cli::host::Host;
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
const VARIABLES: [&str; 4] = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME"];
/// The variables that Codex, which passes on few, has to pass on to `mcp --mine`.
const PASSED_ON: [&str; 9] = [
    "REMEMBRANCER_URL",
    "REMEMBRANCER_KEY",
    "REMEMBRANCER_USER",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "GUARD_WORDS",
    "REMEMBRANCER_PG0",
    "REMEMBRANCER_MODEL_DIR",
    "REMEMBRANCER_ONNXRUNTIME",
];

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

    /// This program, as a shell reads it.
    fn quoted_program(&self) -> String {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
        if self.program.chars().all(is_plain) { self.program.clone() } else { format!("'{}'", self.program.replace('\'', r"'\''")) }
    }
}

impl Host {
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
            Self::OpenCode => places.folder("XDG_CONFIG_HOME", ".config").join("opencode"),
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
            Self::OpenCode => {
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
            Self::Cursor => {
                &[("sessionStart", "session-start"), ("preCompact", "pre-compact"), ("stop", "stop"), ("sessionEnd", "session-end")]
            }
            Self::Gemini => {
                &[("SessionStart", "session-start"), ("BeforeAgent", "prompt"), ("AfterAgent", "stop"), ("SessionEnd", "session-end")]
            }
            Self::Copilot => &[("sessionStart", "session-start"), ("agentStop", "stop"), ("sessionEnd", "session-end")],
            Self::OpenCode => &[],
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
                Self::ClaudeCode | Self::Codex | Self::OpenCode => {
                    format!(r#"{{"hooks": [{{"type": "command", "command": {command}, "timeout": 10}}]}}"#)
                }
            };
            Entry { path: vec!["hooks", *name], value, listed: true }
        };
        self.events().iter().map(hook).collect()
    }

    fn server(self, places: &Places) -> Entry {
        let program = json!(places.program);
        let start = format!(r#""command": {program}, "args": ["mcp", "--mine"]"#);
        let (key, value) = match self {
            Self::OpenCode => ("mcp", format!(r#"{{"type": "local", "command": [{program}, "mcp", "--mine"]}}"#)),
            Self::ClaudeCode => ("mcpServers", format!(r#"{{"type": "stdio", {start}}}"#)),
            Self::Copilot => ("mcpServers", format!(r#"{{"type": "local", {start}, "tools": ["*"]}}"#)),
            Self::Codex | Self::Cursor | Self::Gemini => ("mcpServers", format!("{{{start}}}")),
        };
        Entry { path: vec![key, NAME], value, listed: false }
    }

    /// Whether a value of a JSON file is a hook that this command wrote, with this program or another one.
    fn owns(self, value: &Value) -> bool {
        let is_hook = |key: &&str| value.get(*key).and_then(Value::as_str).is_some_and(|command| self.is_hook(command));
        ["command", "bash"].iter().any(is_hook)
    }

    fn is_hook(self, command: &str) -> bool {
        let Some((program, rest)) = command.rsplit_once(" hook ") else { return false };
        let event = rest.strip_suffix(&format!(" --host {}", self.id()));
        event.is_some_and(|event| !event.contains(char::is_whitespace)) && is_this_program(program)
    }
}

/// Whether the words before a hook are the name of this program and nothing else, such as a variable.
fn is_this_program(word: &str) -> bool {
    let inside = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
    let is_one = match (inside('\''), inside('"')) {
        (Some(inside), _) => !inside.replace(r"'\''", "").contains('\''),
        (None, Some(inside)) => !inside.contains('"'),
        (None, None) => !word.contains(char::is_whitespace),
    };
    is_one && Path::new(word.trim_matches(['\'', '"'])).ends_with(NAME)
}

/// Whether a value is an MCP server as this command writes it. One with variables or other arguments is a person's.
fn is_server(value: &Value) -> bool {
    let words = [&value["command"], &value["args"]].into_iter().flat_map(|part| match part {
        Value::String(word) => vec![word.as_str()],
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    });
    let words: Vec<&str> = words.collect();
    let has_variables = ["env", "environment"].iter().any(|key| value.get(*key).is_some_and(|variables| *variables != json!({})));
    matches!(words.as_slice(), [program, "mcp", "--mine"] if Path::new(program).ends_with(NAME)) && !has_variables
}

/// The same of a TOML file.
fn is_table_of_server(value: &toml::Value) -> bool {
    serde_json::to_value(value).is_ok_and(|value| is_server(&value))
}

/// The MCP server of Codex. It passes on only the variables that are named.
fn section(places: &Places) -> Section {
    let keys = vec![
        ("command", json!(places.program).to_string()),
        ("args", r#"["mcp", "--mine"]"#.to_owned()),
        ("env_vars", json!(PASSED_ON).to_string()),
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
                let places: BTreeSet<&[&str]> = entries.iter().map(Entry::place).collect();
                places.into_iter().try_fold(text.to_owned(), |text, place| without_entries(text, place, *host))
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

/// A text without the hooks below the key of all hooks, or without the MCP server of this name.
fn without_entries(mut text: String, place: &[&str], host: Host) -> Result<String, Failure> {
    loop {
        let is_ours = |value: &Value| if place.ends_with(&[NAME]) { is_server(value) } else { host.owns(value) };
        let less = Json::read(&text)?.without(place, &is_ours);
        let Some(less) = less else { return Ok(text) };
        text = less;
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use clap::ValueEnum;

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

        let own = r#""command": "remembrancer", "args": ["mcp""#;
        for (name, rest) in [
            ("remembrancer", r#"], "env": {"DATA_DIR": "/srv/memory"}"#),
            ("remembrancer", r#", "--mine"], "env": {"XDG_DATA_HOME": "/srv/memory"}"#),
            ("memory-work", r#", "--mine"]"#),
        ] {
            let own = format!(r#"{{"mcpServers": {{"{name}": {{{own}{rest}}}}}}}"#);
            let connected = content.connected(Some(&own)).unwrap();
            assert!(connected.contains(rest) && connected.contains("hook session-start --host gemini"), "{connected}");
            assert_eq!(content.without(&connected).unwrap(), own);
        }
    }

    #[test]
    fn a_hook_of_another_host_or_of_a_person_is_not_touched() {
        assert!(Host::Cursor.is_hook("'/opt/it'\\''s here/remembrancer' hook stop --host cursor"));
        assert!(!Host::Cursor.is_hook("remembrancer hook stop --host codex"));
        for command in [
            "/usr/bin/hook stop --host cursor",
            "REMEMBRANCER_URL=https://memory.example.org remembrancer hook stop --host cursor",
            "'nice' 'remembrancer' hook stop --host cursor",
            "my-remembrancer hook stop --host cursor",
            "remembrancer hook stop; echo --host cursor",
        ] {
            assert!(!Host::Cursor.is_hook(command), "{command}");
        }
    }

    #[test]
    fn the_plugin_of_opencode_starts_this_program() {
        assert!(SCRIPT.starts_with(MARK) && SCRIPT.contains(PROGRAM));
        assert!(script(&places(Path::new("/home/vera"))).contains("const program = \"/opt/it's here/remembrancer\""));
    }
}

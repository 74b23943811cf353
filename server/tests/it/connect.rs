//! `remembrancer connect` as a person runs it, and the plugins that do the same.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::{TempDir, tempdir};

/// What a person had in the files of each host before.
const FOREIGN: [(&str, &str); 7] = [
    (".claude/settings.json", "{\n    \"model\" : \"opus\",\n    \"hooks\": { \"Stop\": [ { \"hooks\": [] } ] }\n}"),
    (".claude.json", "{\"numStartups\":1.0e1,\"mcpServers\":{}}"),
    (".codex/config.toml", "model = 'o4' # mine\n\n[mcp_servers.other]\ncommand = \"x\""),
    (".cursor/mcp.json", "{\r\n\t\"mcpServers\": {\r\n\t\t\"other\": {\"url\": \"http://localhost/ü\"}\r\n\t}\r\n}\r\n"),
    (".gemini/settings.json", ""),
    (".config/opencode/opencode.json", "{ }\n"),
    (".copilot/mcp-config.json", "{\"mcpServers\": { \"a\": {}, \"a\": {} }}"),
];

fn remembrancer(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_remembrancer"));
    for variable in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "DATA_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
        command.env_remove(variable);
    }
    command.args(arguments).env("HOME", home).stdin(Stdio::null()).output().unwrap()
}

fn home() -> TempDir {
    let home = tempdir().unwrap();
    for (name, text) in FOREIGN {
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    home
}

/// The files below a folder, with their content.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.insert(path.clone(), fs::read_to_string(path).unwrap());
        }
    }
    files
}

#[test]
fn undo_leaves_the_files_of_every_host_as_they_were() {
    let home = home();
    let before = files(home.path());
    let done = remembrancer(home.path(), &["connect", "--all", "--yes"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let connected = files(home.path());
    for (path, text) in &before {
        assert_ne!(&connected[path], text, "{}", path.display());
    }
    let made = [".codex/hooks.json", ".cursor/hooks.json", ".copilot/hooks/remembrancer.json", ".config/opencode/plugins/remembrancer.js"];
    for name in made {
        assert!(connected[&home.path().join(name)].contains("remembrancer"), "{name}");
    }
    let again = remembrancer(home.path(), &["connect", "--all", "--yes"]);
    assert_eq!(String::from_utf8_lossy(&again.stdout), "nothing to change\n");
    assert_eq!(files(home.path()), connected);

    let undone = remembrancer(home.path(), &["connect", "--all", "--undo", "--yes"]);
    assert!(undone.status.success(), "{}", String::from_utf8_lossy(&undone.stderr));
    assert_eq!(files(home.path()), before);
}

#[test]
fn nothing_is_written_without_a_yes_and_the_difference_is_shown() {
    let home = home();
    let before = files(home.path());
    for arguments in [vec!["connect", "claude-code"], vec!["connect", "claude-code", "--dry-run"]] {
        let shown = String::from_utf8(remembrancer(home.path(), &arguments).stdout).unwrap();
        assert!(shown.contains("\n+") && shown.contains("hook session-start --host claude-code"), "{shown}");
        assert!(shown.ends_with("nothing was written\n"), "{shown}");
        assert_eq!(files(home.path()), before);
    }
}

#[test]
fn a_host_whose_file_cannot_be_edited_does_not_hold_up_the_others() {
    let home = home();
    let broken = home.path().join(".gemini/settings.json");
    fs::write(&broken, "{\n  // mine\n}\n").unwrap();
    let done = remembrancer(home.path(), &["connect", "--all", "--yes"]);
    let refused = String::from_utf8_lossy(&done.stderr);
    assert!(!done.status.success() && refused.contains("Gemini CLI") && refused.contains("line 2"), "{refused}");
    assert_eq!(fs::read_to_string(&broken).unwrap(), "{\n  // mine\n}\n");
    assert!(fs::read_to_string(home.path().join(".claude.json")).unwrap().contains("remembrancer"));
}

#[test]
fn without_a_host_the_names_of_all_are_said() {
    let home = tempdir().unwrap();
    let refused = remembrancer(home.path(), &["connect", "--all"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("claude-code, codex, cursor, gemini, opencode, copilot"));
}

fn plugins() -> BTreeMap<PathBuf, String> {
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins"))
}

/// The strings below a key, wherever it is.
fn below<'v>(value: &'v Value, key: &str) -> Vec<&'v str> {
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, value)| value.as_str().filter(|_| name == key).map_or_else(|| below(value, key), |text| vec![text]))
            .collect(),
        Value::Array(values) => values.iter().flat_map(|value| below(value, key)).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn the_files_of_plugins_are_json_and_name_commands_that_exist() {
    let help = String::from_utf8(remembrancer(Path::new("/"), &["--help"]).stdout).unwrap();
    let exists = |command: &str| help.lines().any(|line| line.split_whitespace().next() == Some(command));
    let (mut hooks, mut servers) = (0, 0);
    for (path, text) in plugins().iter().filter(|(path, _)| path.extension().is_some_and(|kind| kind == "json")) {
        let file: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for command in below(&file["hooks"], "command") {
            let words: Vec<&str> = command.split(' ').collect();
            let ["remembrancer", "hook", event, "--host", host] = words.as_slice() else { panic!("{command}") };
            assert!(["session-start", "prompt", "pre-compact", "stop", "session-end"].contains(event), "{command}");
            assert!(path.components().any(|part| part.as_os_str() == *host), "{command}");
            hooks += 1;
        }
        servers += file.get("mcpServers").filter(|servers| servers["remembrancer"].is_object()).iter().count();
    }
    assert_eq!((hooks, servers), (12, 3));
    assert!(exists("hook") && exists("mcp") && exists("connect"), "{help}");
}

#[test]
fn the_skill_is_the_same_everywhere_and_names_tools_that_exist() {
    let skills: Vec<String> = plugins().into_iter().filter(|(path, _)| path.ends_with("SKILL.md")).map(|(_, text)| text).collect();
    assert_eq!(skills.len(), 3);
    assert!(skills.iter().all(|skill| *skill == skills[0]));
    let names: Vec<&str> = skills[0].split('`').skip(1).step_by(2).filter(|name| name.contains('_') || *name == "explain").collect();
    assert!(names.len() > 4);
    for name in names {
        assert!(remembrancer::tools::find(name).is_some(), "{name}");
    }
}

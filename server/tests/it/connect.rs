//! `remembrancer connect` as a person runs it, and the plugins that do the same.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
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
    command(home, arguments).output().unwrap()
}

fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_remembrancer"));
    for variable in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
        command.env_remove(variable);
    }
    for variable in
        ["REMEMBRANCER_URL", "REMEMBRANCER_KEY", "REMEMBRANCER_USER", "REMEMBRANCER_HOOK", "REMEMBRANCER_STATE_DIR", "GUARD_WORDS"]
    {
        command.env_remove(variable);
    }
    // That of the program that the person works on.
    command.env("DATABASE_URL", "mysql://localhost/shop").env("DATA_DIR", home.join("shop"));
    command.args(arguments).env("HOME", home).stdin(Stdio::null());
    command
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
fn a_host_stays_as_it_was_if_one_of_its_files_cannot_be_written() {
    let home = home();
    // No copy can lie beside a file with so long a name.
    let (link, long) = (home.path().join(".claude.json"), home.path().join("x".repeat(240)));
    fs::rename(&link, &long).unwrap();
    symlink(&long, &link).unwrap();
    let before = files(&home.path().join(".claude"));
    let done = remembrancer(home.path(), &["connect", "--all", "--yes"]);
    let refused = String::from_utf8_lossy(&done.stderr);
    assert!(!done.status.success() && refused.contains("Claude Code: ") && refused.contains("cannot be written"), "{refused}");
    assert_eq!(files(&home.path().join(".claude")), before);
    assert!(fs::read_to_string(home.path().join(".codex/hooks.json")).unwrap().contains("remembrancer"));
    let said = String::from_utf8_lossy(&done.stdout);
    let own = home.path().join(".local/share/remembrancer");
    assert!(said.contains(&format!("hooks start one for you, with its data in {}", own.display())), "{said}");
}

#[test]
fn earlier_sessions_wait_to_be_captured_after_a_yes() {
    let home = tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    // Nobody listens there, so the session waits.
    write(".config/remembrancer/hook.toml", "url = \"http://127.0.0.1:9\"\nkey = \"rmb_x\"\n");
    let line = json!({ "sessionId": "c1", "cwd": home.path(), "type": "user", "message": { "role": "user", "content": "Vera tests." } });
    write(".claude/projects/-home/c1.jsonl", &format!("{line}\n"));
    let jobs = || fs::read_dir(home.path().join(".local/state/remembrancer/jobs")).map_or(0, Iterator::count);
    let shown = remembrancer(home.path(), &["import-sessions"]);
    assert!(shown.status.success() && String::from_utf8_lossy(&shown.stdout).ends_with("nothing is captured\n"), "{shown:?}");
    assert_eq!(jobs(), 0);
    let done = remembrancer(home.path(), &["import-sessions", "--yes"]);
    assert!(done.status.success() && String::from_utf8_lossy(&done.stdout).contains("1 sessions wait"), "{done:?}");
    assert_eq!(jobs(), 1);
    let off = command(home.path(), &["import-sessions", "--yes"]).env("REMEMBRANCER_HOOK", "off").output().unwrap();
    assert!(!off.status.success() && String::from_utf8_lossy(&off.stderr).contains("REMEMBRANCER_HOOK"), "{off:?}");
}

#[test]
fn without_a_host_the_names_of_all_are_said() {
    let home = tempdir().unwrap();
    let refused = remembrancer(home.path(), &["connect", "--all"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("claude-code, codex, cursor, gemini, opencode, copilot"));
}

#[test]
fn tools_use_the_server_of_the_users_file_whatever_the_host_has_in_its_environment() {
    let home = tempdir().unwrap();
    let file = home.path().join(".config/remembrancer/hook.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    // Nobody listens there, and a client that leaves at once asks nothing.
    fs::write(&file, "url = \"http://127.0.0.1:9\"\nkey = \"rmb_x\"\n").unwrap();
    let served = remembrancer(home.path(), &["mcp", "--mine"]);
    assert!(served.status.success(), "{}", String::from_utf8_lossy(&served.stderr));
    fs::remove_file(&file).unwrap();
    // A host may withhold the key and not the address.
    let keyless = command(home.path(), &["mcp", "--mine"]).env("REMEMBRANCER_URL", "http://127.0.0.1:9").output().unwrap();
    assert!(String::from_utf8_lossy(&keyless.stderr).contains("hook.toml"), "{keyless:?}");
    assert!(!home.path().join("shop").exists() && !home.path().join(".local/share").exists());
}

#[test]
fn hooks_do_nothing_without_the_words_that_the_guard_must_know() {
    let home = tempdir().unwrap();
    for path in ["words.txt", "/no/such/file"] {
        let hook = command(home.path(), &["hook", "session-start", "--host", "codex"]).env("GUARD_WORDS", path).output().unwrap();
        assert!(hook.status.success() && hook.stdout.is_empty(), "{hook:?}");
    }
    let log = fs::read_to_string(home.path().join(".local/state/remembrancer/hook.log")).unwrap();
    assert_eq!(log.lines().filter(|line| line.contains("GUARD_WORDS")).count(), 2, "{log}");
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
        if let Some(server) = file.get("mcpServers").filter(|servers| servers.is_object()).map(|servers| &servers["remembrancer"]) {
            // A folder or an address there would be another memory than that of the hooks.
            assert_eq!(
                (&server["command"], &server["args"], &server["env"]),
                (&json!("remembrancer"), &json!(["mcp", "--mine"]), &Value::Null)
            );
            servers += 1;
        }
    }
    assert_eq!((hooks, servers), (13, 3));
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

//! The hooks of coding agents, called as their hosts call them.

use crate::process::{Process, until};
use db::clock::SystemClock;
use foundation::testing::{TestDatabases, World};
use foundation::{identity, sessions};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;
use wire::{CapturePolicy, Promotion};

const SESSION: &str = include_str!("../../../tests/fixtures/hosts/claude-code/session.jsonl");
const CONFIG: &str = "[remote \"origin\"]\n\turl = https://vera:swordfish@example.org/vera/harbour.git\n";

/// A machine with a repository and a host.
struct Desk {
    folder: TempDir,
    url: String,
    key: String,
    /// How long an answer may take.
    milliseconds: &'static str,
}

impl Desk {
    fn new(url: &str, key: &str) -> Self {
        // Where the tests are root, Postgres is another user.
        let folder = tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o755)).tempdir().unwrap();
        let git = folder.path().join("harbour/.git");
        fs::create_dir_all(&git).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/quay\n").unwrap();
        fs::write(git.join("config"), CONFIG).unwrap();
        fs::write(folder.path().join("session.jsonl"), SESSION).unwrap();
        Self { folder, url: url.to_owned(), key: key.to_owned(), milliseconds: "60000" }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What a hook answers. It never fails.
    fn calls(&self, arguments: &[&str], input: &[u8]) -> String {
        let mut child = Command::new(env!("CARGO_BIN_EXE_remembrancer"))
            .arg("hook")
            .args(arguments)
            .env_remove("REMEMBRANCER_USER")
            .env_remove("GUARD_WORDS")
            .env_remove("REMEMBRANCER_HOOK")
            .env("REMEMBRANCER_URL", &self.url)
            .env("REMEMBRANCER_KEY", &self.key)
            .env("REMEMBRANCER_HOOK_MILLISECONDS", self.milliseconds)
            .env("REMEMBRANCER_STATE_DIR", self.path("state"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_DATA_HOME", self.path("data"))
            .env("REMEMBRANCER_HOOK_IDLE_SECONDS", "3")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A hook that takes no input may end before it is written.
        let _ = child.stdin.take().unwrap().write_all(input);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The context that a hook of Claude Code adds; empty if it adds none.
    fn hook(&self, event: &str, session: &str, more: &Value) -> String {
        let mut input = json!({ "session_id": session, "cwd": self.path("harbour"), "transcript_path": self.path("session.jsonl") });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = self.calls(&[event, "--host", "claude-code"], input.to_string().as_bytes());
        if answer.is_empty() {
            return answer;
        }
        let answer: Value = serde_json::from_str(&answer).unwrap();
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.path("state/hook.log")).unwrap_or_default()
    }

    /// How many files of a kind the state has.
    fn count(&self, kind: &str) -> usize {
        fs::read_dir(self.path("state").join(kind)).map_or(0, Iterator::count)
    }
}

#[tokio::test]
async fn a_session_is_captured_and_the_next_one_begins_with_it() {
    let world = World::on(TestDatabases::fresh(&SystemClock).await).await;
    let policy = CapturePolicy {
        profile: Promotion::Automatic,
        decisions: Promotion::Automatic,
        others: Promotion::Automatic,
        confidence_min: 0.0,
        ..CapturePolicy::default()
    };
    identity::set_policy(&world.engine, &world.vera, policy).await.unwrap();
    let process = Process::start(&world).await;
    let desk = Desk::new(&format!("http://{}", process.address), &world.atlas_key);
    let start = json!({ "hook_event_name": "SessionStart", "source": "startup" });
    let question = json!({ "hook_event_name": "UserPromptSubmit", "prompt": "Which port does the staging database use?" });

    assert_eq!(desk.hook("session-start", "one", &start), "", "{}", desk.log());
    assert_eq!(desk.hook("stop", "one", &json!({ "hook_event_name": "Stop" })), "");
    until("the delivery", || desk.count("sent") == 1 && desk.count("jobs") == 0).await;
    assert_eq!(desk.log(), "");
    let bearer = format!("Authorization: Bearer {}", world.atlas_key);
    assert!(process.curl("/api/projects", &["-H", &bearer]).unwrap().contains("\"slug\":\"vera-harbour\""));

    // A session of its own each time: what was given once is not given again.
    let mut number = 0;
    until("the fact at the start of a session", || {
        number += 1;
        desk.hook("session-start", &format!("later-{number}"), &start).contains("test every release")
    })
    .await;
    until("the fact for a prompt", || desk.hook("prompt", "two", &question).contains("5544")).await;
    assert!(!desk.hook("prompt", "two", &question).contains("5544"), "a memory is given once in a session");
    assert!(desk.hook("prompt", "three", &question).contains("5544"));

    // Another repository, which the server does not know yet, gets nothing of this one.
    fs::create_dir_all(desk.path("orchard/.git")).unwrap();
    fs::write(desk.path("orchard/.git/config"), CONFIG.replace("harbour", "orchard")).unwrap();
    let orchard = |more: &Value| {
        let mut more = more.clone();
        more["cwd"] = json!(desk.path("orchard"));
        more
    };
    assert!(!desk.hook("session-start", "four", &orchard(&start)).contains("5544"));
    let other = json!({ "hook_event_name": "UserPromptSubmit", "prompt": "Which port does the orchard database use?" });
    assert!(!desk.hook("prompt", "four", &orchard(&other)).contains("5544"));
    assert!(desk.hook("prompt", "five", &other).contains("5544"), "in its own repository it is found");

    // A session that is resumed is given the same again only where its host did not save it.
    let resumed = json!({ "session_id": "six", "cwd": desk.path("harbour"), "source": "resume" }).to_string();
    for (host, is_saved) in [("claude-code", true), ("codex", true), ("copilot", false)] {
        let given = [(); 2].map(|()| desk.calls(&["session-start", "--host", host], resumed.as_bytes()).contains("test every release"));
        assert_eq!(given, [true, !is_saved], "{host}");
    }
    // Gemini CLI saves what a prompt was given: the first one gets the context.
    let prompted =
        json!({ "session_id": "six", "cwd": desk.path("harbour"), "prompt": "When do we test a release of the harbour service?" });
    let prompted = prompted.to_string();
    let given = [("session-start", &resumed), ("prompt", &prompted), ("session-start", &resumed), ("prompt", &prompted)]
        .map(|(event, input)| desk.calls(&[event, "--host", "gemini"], input.as_bytes()).contains("test every release"));
    assert_eq!(given, [false, true, false, false]);
    assert_eq!(desk.log(), "");

    // An answer needs no state: a file is where its folder would be.
    let full = Desk::new(&desk.url, &world.atlas_key);
    fs::write(full.path("state"), "").unwrap();
    assert!(full.hook("prompt", "two", &question).contains("5544"));

    // The same session again has nothing new, and its end is no other session.
    assert_eq!(desk.hook("session-end", "one", &json!({ "reason": "clear" })), "");
    until("the second delivery", || desk.count("jobs") == 0).await;
    let all = sessions::list(&world.engine, &world.vera, &Default::default()).await.unwrap().rows;
    let one = all.iter().find(|session| session.messages > 0).unwrap();
    assert_eq!((one.host.as_deref(), one.project.as_deref()), (Some("claude-code"), Some("vera-harbour")));
    assert!(one.memories > 0, "{one:?}");
    assert!(desk.count("tokens") >= 3, "a later session, the second and the third were given something");
    let fooled = Desk::new(&desk.url, "rmb_no-such-key");
    assert_eq!(fooled.hook("session-start", "one", &start), "");
    assert!(fooled.log().contains("401"), "{}", fooled.log());
}

#[test]
fn whatever_is_wrong_the_host_goes_on() {
    // Nobody listens there.
    let desk = Desk::new("http://127.0.0.1:9", "rmb_a-key");
    let valid =
        json!({ "session_id": "one", "cwd": desk.path("harbour"), "prompt": "Which port does the staging database use?" }).to_string();
    let huge = format!("{{\"session_id\": \"{}\"}}", "x".repeat(20_000_000));
    let cases: [(&[&str], &[u8], &str); 8] = [
        (&["session-start", "--host", "claude-code"], valid.as_bytes(), "cannot be reached"),
        (&["prompt", "--host", "codex"], valid.as_bytes(), "cannot be reached"),
        (&["stop", "--host", "cursor"], valid.as_bytes(), "names no file"),
        (&["session-start", "--host", "gemini"], b"{\"session_id\": \"on", "cannot be read"),
        (&["session-start", "--host", "gemini"], b"", "cannot be read"),
        (&["session-start", "--host", "codex"], huge.as_bytes(), "longer than"),
        (&["of-a-later-version", "--host", "codex"], valid.as_bytes(), "of-a-later-version"),
        (&["stop", "--host", "of-a-later-version"], valid.as_bytes(), "of-a-later-version"),
    ];
    for (number, (arguments, input, problem)) in cases.into_iter().enumerate() {
        assert_eq!(desk.calls(arguments, input), "", "{arguments:?}");
        let log = desk.log();
        assert_eq!(log.lines().count(), number + 1, "{arguments:?}: {log}");
        assert!(log.lines().next_back().unwrap().contains(problem), "{arguments:?}: {log}");
    }
    let keyless = Desk::new("http://127.0.0.1:9", "");
    assert_eq!(keyless.calls(&["session-start", "--host", "claude-code"], valid.as_bytes()), "");
    assert!(keyless.log().contains("REMEMBRANCER_KEY"), "{}", keyless.log());
}

#[test]
fn a_disk_that_hangs_holds_up_no_host() {
    let desk = Desk { milliseconds: "100", ..Desk::new("", "") };
    fs::create_dir_all(desk.path("state/local")).unwrap();
    // Whoever reads it waits for a writer.
    assert!(Command::new("mkfifo").arg(desk.path("state/local/server.json")).status().unwrap().success());
    assert_eq!(desk.hook("session-start", "one", &json!({})), "");
}

#[tokio::test]
async fn without_a_server_the_first_hook_starts_one_that_stops_when_it_is_idle() {
    let desk = Desk::new("", "");
    // The data of an earlier server were removed, and its key is still there.
    fs::create_dir_all(desk.path("state/local")).unwrap();
    fs::write(desk.path("state/local/server.json"), json!({ "url": "", "key": "rmb_of-before", "failed": false }).to_string()).unwrap();
    let start = json!({ "hook_event_name": "SessionStart", "source": "startup" });
    assert_eq!(desk.hook("session-start", "one", &start), "");
    assert_eq!(desk.hook("stop", "one", &json!({ "hook_event_name": "Stop" })), "");
    until("the delivery to a server of this user", || {
        // Hooks go on meanwhile, so the server is not idle.
        desk.hook("session-start", "two", &start);
        desk.count("sent") == 1 && desk.count("jobs") == 0
    })
    .await;
    // Nobody reviews there: what the person said is known to the next session. Each asks once.
    let mut number = 0;
    until("the fact at the start of a session", || {
        number += 1;
        desk.hook("session-start", &format!("later-{number}"), &start).contains("test every release")
    })
    .await;
    let postmaster = desk.path("data/remembrancer/postgres/data/postmaster.pid");
    assert!(postmaster.exists(), "{}", desk.log());
    // Tools have the same memory, not the databases that the host's environment names, and their list is short.
    let asked = ["initialize", "tools/list"].map(|method| {
        let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "host", "version": "1" } });
        json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": client }).to_string() + "\n"
    });
    fs::write(desk.path("asked.txt"), asked.concat()).unwrap();
    let tools = Command::new(env!("CARGO_BIN_EXE_remembrancer"))
        .args(["mcp", "--mine"])
        .env_remove("REMEMBRANCER_URL")
        .env_remove("REMEMBRANCER_USER")
        .env_remove("GUARD_WORDS")
        .env("XDG_CONFIG_HOME", desk.path("config"))
        .env("XDG_DATA_HOME", desk.path("data"))
        .env("DATABASE_URL", "mysql://localhost/shop")
        .env("DATA_DIR", desk.path("shop"))
        .stdin(fs::File::open(desk.path("asked.txt")).unwrap())
        .output()
        .unwrap();
    assert!(tools.status.success() && !desk.path("shop").exists(), "{tools:?}");
    let listed = String::from_utf8(tools.stdout).unwrap();
    assert!(listed.contains("\"find_tools\"") && !listed.contains("\"capture_text\""), "{listed}");
    until("the end of its Postgres", || !postmaster.exists()).await;
    let url = || {
        let local: Value = serde_json::from_slice(&fs::read(desk.path("state/local/server.json")).unwrap()).unwrap();
        local["url"].as_str().unwrap().to_owned()
    };
    until("the note that it ended", || url().is_empty()).await;
}

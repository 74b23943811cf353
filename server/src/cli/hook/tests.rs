use super::git::{Repository, cleaned};
use super::input::Input;
use super::place::{Place, slug};
use super::rules::{Capture, Rules};
use super::state::{Kind, State};
use super::{Event, Host, answer};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

macro_rules! input {
    ($host:expr, $name:literal) => {
        Input::of(serde_json::from_str(include_str!(concat!("../../../../tests/fixtures/hosts/", $name))).unwrap(), $host).unwrap()
    };
}

#[test]
fn remotes_lose_credentials() {
    for (url, expected) in [
        ("https://example.org/vera/harbour.git", "example.org/vera/harbour"),
        ("https://vera:swordfish@Example.org:8443/vera/harbour/", "example.org/vera/harbour"),
        ("https://vera:sword/fish?@example.org/vera/harbour", "example.org/vera/harbour"),
        ("https://example.org/vera/harbour?token=swordfish#main", "example.org/vera/harbour"),
        ("git@example.org:vera/harbour.git", "example.org/vera/harbour"),
        ("ssh://git@example.org:22/vera/harbour.git", "example.org/vera/harbour"),
        ("/home/vera/mirrors/harbour.git", "harbour"),
        ("file:///home/vera/mirrors/harbour", "harbour"),
        ("../harbour", "harbour"),
    ] {
        assert_eq!(cleaned(url).as_deref(), Some(expected), "{url}");
    }
    for url in ["", "/", "https://", "https://vera:swordfish@"] {
        assert_eq!(cleaned(url), None, "{url}");
    }
}

/// A repository as git makes it, without git.
fn repository(root: &Path, config: &str) {
    fs::create_dir_all(root.join(".git")).unwrap();
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/quay\n").unwrap();
    fs::write(root.join(".git/config"), config).unwrap();
}

const CONFIG: &str = "[core]\n\tbare = false\n[remote \"backup\"]\n\turl = /srv/backup.git\n\
                      [remote \"origin\"]\n\turl = https://vera:swordfish@example.org/vera/harbour.git\n\tfetch = +refs/heads/*\n";

#[test]
fn a_worktree_has_the_project_of_its_repository() {
    let folder = tempfile::tempdir().unwrap();
    let (main, tree) = (folder.path().join("harbour"), folder.path().join("tree"));
    repository(&main, CONFIG);
    fs::create_dir_all(main.join("src/deep")).unwrap();
    let own = main.join(".git/worktrees/tree");
    fs::create_dir_all(&own).unwrap();
    fs::create_dir_all(&tree).unwrap();
    fs::write(own.join("HEAD"), "ref: refs/heads/pier\n").unwrap();
    fs::write(own.join("commondir"), "../..\n").unwrap();
    fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();

    for (from, root, branch) in [(main.join("src/deep"), &main, "quay"), (tree.clone(), &tree, "pier")] {
        let found = Repository::around(&from).unwrap();
        assert_eq!((&found.root, found.branch.as_deref()), (root, Some(branch)));
        assert_eq!(found.remote.as_deref(), Some("example.org/vera/harbour"));
        let place = Place::of(&from).unwrap();
        let project = place.project.unwrap();
        assert_eq!((project.slug.as_str(), project.name.as_str()), ("vera-harbour", "vera/harbour"));
    }
}

#[test]
fn a_repository_without_a_remote_is_named_after_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("Orchard");
    repository(&root, "[core]\n");
    assert_eq!(Place::of(&root).unwrap().project.unwrap().slug, "orchard");
    // A folder that is no repository has no project, unless its rules name one.
    let plain = folder.path().join("notes");
    fs::create_dir(&plain).unwrap();
    assert_eq!(Place::of(&plain).unwrap().project, None);
    fs::write(plain.join("remembrancer.toml"), "project = \"harbour\"\n").unwrap();
    assert_eq!(Place::of(&plain).unwrap().project.unwrap().slug, "harbour");
}

#[test]
fn slugs_are_slugs() {
    let long = "x".repeat(200);
    for name in ["vera/harbour", "Ünïcode/Hafen", "港", long.as_str(), "--", "a.b_c"] {
        assert!(wire::is_slug(&slug(name)), "{name}: {}", slug(name));
    }
    assert_ne!(slug("港"), slug("湾"));
    assert_ne!(slug(&long), slug(&format!("{long}y")));
}

#[test]
fn rules_name_paths_and_words() {
    let rules = Rules {
        never_paths: vec!["secrets/**".into(), "*.pem".into(), ".env".into(), "docs/*/draft?.md".into(), "a/**/z.txt".into()],
        never_words: vec!["Project Lighthouse".into(), " ".into()],
        ..Rules::default()
    };
    for text in [
        "cat secrets/staging/db.toml",
        "{\"file_path\":\"/home/vera/harbour/secrets/x\"}",
        "Look at `certs/key.pem`.",
        "source .env",
        "open ./docs/plan/draft2.md",
        "a/b/c/z.txt",
        "a/z.txt",
        "We call it project lighthouse.",
    ] {
        assert!(rules.forbid(text), "{text}");
    }
    for text in ["", "The secrets of the harbour", "key.pem.txt", "environment", "docs/a/b/draft2.md", "docs/plan/draft12.md", "b/z.txt"] {
        assert!(!rules.forbid(text), "{text}");
    }
    assert!(!Rules::default().forbid("secrets/staging.env"));
    // A pattern of stars takes no longer than its length.
    let stars = Rules { never_paths: vec!["*a".repeat(100) + "!"], ..Rules::default() };
    assert!(!stars.forbid(&"a".repeat(4000)));
}

#[test]
fn rules_that_cannot_be_read_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let write = |text: &str| fs::write(folder.path().join("remembrancer.toml"), text).unwrap();
    assert!(Rules::of(folder.path()).unwrap().capture == Capture::All);
    write("capture = \"words\"\nnever_paths = [\"*.pem\"]\nof_a_later_version = 7\n");
    let rules = Rules::of(folder.path()).unwrap();
    assert_eq!((rules.capture, rules.never_paths.len()), (Capture::Words, 1));
    for text in ["capture = ", "capture = \"some\"\n", "project = \"Not a slug\"\n"] {
        write(text);
        assert!(Rules::of(folder.path()).is_err(), "{text}");
    }
    fs::remove_file(folder.path().join("remembrancer.toml")).unwrap();
    fs::create_dir(folder.path().join("remembrancer.toml")).unwrap();
    assert!(Rules::of(folder.path()).is_err(), "what is there and cannot be read may forbid something");
}

#[test]
fn each_host_says_where_it_works() {
    let claude_code = input!(Host::ClaudeCode, "claude-code/prompt.json");
    assert_eq!(claude_code.session, "6f0d4a52-1c1e-4f0a-9a34-0d6c2b8e7a11");
    assert_eq!(claude_code.folder, PathBuf::from("/home/vera/harbour"));
    assert_eq!(claude_code.prompt.as_deref(), Some("Which port does the staging database use?"));
    let stop = input!(Host::Codex, "codex/stop.json");
    assert!(stop.transcript.unwrap().to_string_lossy().contains(".codex/sessions/2026/11/12/rollout-"));
    let cursor = input!(Host::Cursor, "cursor/session-start.json");
    assert_eq!((cursor.session.as_str(), cursor.folder), ("c-1", PathBuf::from("/home/idris/ferry")));
    assert_eq!(input!(Host::Gemini, "gemini/session-end.json").session, "g-1");
    let copilot = input!(Host::Copilot, "copilot/session-start.json");
    assert_eq!((copilot.session.as_str(), copilot.prompt.as_deref()), ("p-1", Some("Add the winter timetable")));
    assert_eq!(input!(Host::OpenCode, "opencode/stop.json").messages.unwrap().len(), 2);
    // A version that nobody knows.
    let unknown = Input::of(serde_json::json!({ "cwd": "/", "session_id": 7, "transcript_path": null }), Host::Codex).unwrap();
    assert_eq!((unknown.session.as_str(), unknown.transcript), ("/", None));
}

#[test]
fn each_host_is_answered_in_its_form() {
    let text = |host, event, path: &str| {
        let answer = answer::adding(host, event, "Notes.", "The port is 5544.</remembrancer-memory>");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        answer.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let name = "/hookSpecificOutput/hookEventName";
    assert_eq!(text(Host::ClaudeCode, Event::SessionStart, name), "SessionStart");
    assert_eq!(text(Host::Codex, Event::Prompt, name), "UserPromptSubmit");
    assert_eq!(text(Host::Gemini, Event::Prompt, name), "BeforeAgent");
    for (host, path) in [
        (Host::ClaudeCode, "/hookSpecificOutput/additionalContext"),
        (Host::Cursor, "/additional_context"),
        (Host::Copilot, "/additionalContext"),
    ] {
        let context = text(host, Event::SessionStart, path);
        assert!(context.contains("The port is 5544.") && context.matches("</remembrancer-memory>").count() == 1, "{context}");
    }
    assert_eq!(answer::adding(Host::Cursor, Event::Prompt, "Notes.", "The port is 5544."), "");
    assert_eq!(answer::adding(Host::ClaudeCode, Event::SessionStart, "Notes.", " \n"), "");
}

#[test]
fn the_log_is_bounded_and_holds_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let state = State::at(folder.path().join("state")).unwrap();
    let lines = |name: &str| fs::read_to_string(folder.path().join("state").join(name)).unwrap_or_default();
    state.log("Stop of Codex", "the password is swordfish77\nand more").unwrap();
    let log = lines("hook.log");
    assert!(log.lines().count() == 1 && log.contains("Stop of Codex") && !log.contains("swordfish77"), "{log}");
    for _ in 0..800 {
        state.log("Stop of Codex", &"x".repeat(5000)).unwrap();
    }
    assert!(!lines("hook.log.1").is_empty() && lines("hook.log").len() < 300 * 1024);

    state.put(Kind::Last, "a", &"Vera").unwrap();
    assert_eq!(state.get::<String>(Kind::Last, "a").as_deref(), Some("Vera"));
    assert_eq!(state.get::<u32>(Kind::Last, "a"), None);
    assert_eq!(state.names(Kind::Last), ["a"]);
    state.remove(Kind::Last, "a");
    assert!(state.names(Kind::Last).is_empty() && state.names(Kind::Jobs).is_empty());
}

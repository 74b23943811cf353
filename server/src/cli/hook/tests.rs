use super::client::Server;
use super::git::{Repository, cleaned};
use super::input::Input;
use super::place::{Place, slug};
use super::project;
use super::rules::{Capture, Rules};
use super::settings::Settings;
use super::spool;
use super::state::{Kind, State};
use super::{Event, Host, answer};
use clap::ValueEnum;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

macro_rules! input {
    ($host:expr, $name:literal) => {
        Input::of(serde_json::from_str(include_str!(concat!("../../../../tests/fixtures/hosts/", $name))).unwrap(), $host).unwrap()
    };
}

#[test]
fn every_hook_of_each_host_names_its_session_and_folder() {
    let hosts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/hosts");
    let mut read = 0;
    for host in Host::value_variants() {
        let files = fs::read_dir(hosts.join(host.id())).unwrap().map(|entry| entry.unwrap().path());
        for file in files.filter(|file| file.extension().is_some_and(|end| end == "json") && !file.ends_with("session.json")) {
            let input = Input::of(serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap(), *host).unwrap();
            assert!(input.folder.is_absolute() && input.session != input.folder.display().to_string(), "{}", file.display());
            read += 1;
        }
    }
    assert_eq!(read, 18);
}

#[test]
fn remotes_lose_credentials() {
    for (url, expected) in [
        ("https://example.org/vera/harbour.git", "example.org/vera/harbour"),
        ("https://vera:swordfish@Example.org:8443/vera/harbour/", "example.org/vera/harbour"),
        ("https://vera:sword/fish?@example.org/vera/harbour", "example.org/vera/harbour"),
        ("https://example.org/vera/harbour?token=swordfish#main", "example.org/vera/harbour"),
        ("https://example.org/@alice/notes", "example.org/@alice/notes"),
        ("https://vera:swordfish@example.org:8443/@bob/notes", "example.org/@bob/notes"),
        ("git@example.org:@bob/notes.git", "example.org/@bob/notes"),
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
    fs::write(own.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
    fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();

    for (from, root, branch) in [(main.join("src/deep"), &main, "quay"), (tree.clone(), &tree, "pier")] {
        let found = Repository::around(&from).unwrap();
        assert_eq!((&found.root, found.branch.as_deref()), (root, Some(branch)));
        assert_eq!(found.remote.as_deref(), Some("example.org/vera/harbour"));
        let place = Place::of(&from).unwrap();
        let project = place.project.unwrap();
        assert_eq!((project.slug.as_str(), project.name.as_str()), ("vera-harbour", "vera/harbour"));
    }

    // A submodule, whose configuration names its checkout.
    let (buoys, own) = (main.join("buoys"), main.join(".git/modules/buoys"));
    fs::create_dir_all(&own).unwrap();
    fs::create_dir_all(&buoys).unwrap();
    fs::write(buoys.join(".git"), "gitdir: ../.git/modules/buoys\n").unwrap();
    let config = "[core]\n\tworktree = ../../../buoys\n[remote \"origin\"]\n\turl = ../buoys.git\n";
    fs::write(own.join("config"), config).unwrap();
    assert_eq!(Repository::around(&buoys).unwrap().remote.as_deref(), Some("buoys"));
}

#[test]
fn a_folder_cannot_pass_for_a_checkout_of_another_repository() {
    let folder = tempfile::tempdir().unwrap();
    let (main, tree, evil) = (folder.path().join("harbour"), folder.path().join("tree"), folder.path().join("evil"));
    repository(&main, CONFIG);
    let own = main.join(".git/worktrees/tree");
    for folder in [&own, &tree, &evil.join("own")] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::write(own.join("commondir"), "../..\n").unwrap();
    fs::write(own.join("gitdir"), tree.join(".git").display().to_string()).unwrap();
    fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
    let dot = evil.join(".git");
    let is_alone = |how: &str| {
        let found = Repository::around(&evil).unwrap();
        assert_eq!((found.main, found.remote, found.branch), (evil.canonicalize().unwrap(), None, None), "{how}");
        assert_eq!(Place::of(&evil).unwrap().project.unwrap().slug, "evil", "{how}");
    };
    for to in [main.join(".git"), own] {
        fs::write(&dot, format!("gitdir: {}\n", to.display())).unwrap();
        is_alone("a file that leads there");
    }
    fs::write(&dot, "gitdir: own\n").unwrap();
    fs::write(evil.join("own/gitdir"), "../.git\n").unwrap();
    fs::write(evil.join("own/commondir"), main.join(".git").display().to_string()).unwrap();
    is_alone("a worktree of its own that names the repository");
    fs::remove_file(&dot).unwrap();
    std::os::unix::fs::symlink(main.join(".git"), &dot).unwrap();
    is_alone("a link");
    fs::remove_file(&dot).unwrap();
    fs::create_dir(&dot).unwrap();
    fs::write(dot.join("commondir"), main.join(".git").display().to_string()).unwrap();
    is_alone("a folder that names the repository");
}

#[test]
fn a_remote_with_a_secret_in_its_path_is_named_by_a_digest() {
    let folder = tempfile::tempdir().unwrap();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    repository(folder.path(), &format!("[remote \"origin\"]\n\turl = https://example.org/{token}/harbour\n"));
    let project = Place::of(folder.path()).unwrap().project.unwrap();
    assert!(project.name.starts_with("repository ") && project.slug.starts_with("repository-"), "{project:?}");
}

#[test]
fn a_repository_chooses_its_project_and_agent_only_where_it_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let (root, deep) = (folder.path().join("harbour"), folder.path().join("harbour/src"));
    repository(&root, CONFIG);
    fs::create_dir(&deep).unwrap();
    fs::write(root.join("remembrancer.toml"), "project = \"payroll\"\nagent = \"binky\"\ncapture = \"words\"\n").unwrap();
    for (trusted, slug, agent) in [
        (vec![], "vera-harbour", None),
        (vec![deep.clone(), PathBuf::from("harbour"), folder.path().join("gone")], "vera-harbour", None),
        (vec![root.join("src/..")], "payroll", Some("binky")),
    ] {
        let place = Place::trusting(&deep, || Ok(trusted.clone())).unwrap();
        assert_eq!((place.project.unwrap().slug.as_str(), place.rules.agent.as_deref()), (slug, agent), "{trusted:?}");
        assert_eq!(place.rules.capture, Capture::Words, "a rule that withholds needs no trust");
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
    assert_eq!(Place::trusting(&plain, || Ok(vec![plain.clone()])).unwrap().project.unwrap().slug, "harbour");
}

#[test]
fn a_server_of_this_user_keeps_its_projects_at_another_port() {
    let folder = tempfile::tempdir().unwrap();
    repository(folder.path(), CONFIG);
    let named = Place::of(folder.path()).unwrap().project.unwrap();
    let file = |port: u16, is_local: bool| {
        let settings = Settings { url: format!("http://127.0.0.1:{port}"), is_local, ..Settings::default() };
        project::file(&Server::new(&settings, None, Duration::from_secs(1)).unwrap(), &named)
    };
    assert_eq!(file(5001, true), file(5002, true));
    assert_ne!(file(5001, false), file(5002, false));
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
    assert!(!stars.forbid(&"a".repeat(500)) && !stars.forbid(&"a/".repeat(250)));
}

#[test]
fn rules_are_added_to_rules() {
    let mut rules = Rules { capture: Capture::Words, never_paths: vec!["*.pem".into()], ..Rules::default() };
    rules.tighten(Rules { never_paths: vec!["*.pem".into(), ".env".into()], never_words: vec!["pier".into()], ..Rules::default() });
    let expected = Rules {
        capture: Capture::Words,
        never_paths: vec!["*.pem".into(), ".env".into()],
        never_words: vec!["pier".into()],
        ..Rules::default()
    };
    assert_eq!(rules, expected);
    rules.tighten(Rules { capture: Capture::Nothing, ..Rules::default() });
    assert_eq!(rules.capture, Capture::Nothing);
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
    // A link may lead to a terminal, or to nothing.
    let file = folder.path().join("rules.toml");
    fs::write(&file, "").unwrap();
    for to in [file.as_path(), Path::new("/nowhere/at/all")] {
        let linked = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(to, linked.path().join("remembrancer.toml")).unwrap();
        assert!(Rules::of(linked.path()).is_err(), "{}", to.display());
    }
}

#[test]
fn rules_have_a_bound() {
    let folder = tempfile::tempdir().unwrap();
    let of = |name: &str, entries: Vec<String>| {
        fs::write(folder.path().join("remembrancer.toml"), format!("{name} = {entries:?}\n")).unwrap();
        Rules::of(folder.path()).is_ok()
    };
    for name in ["never_paths", "never_words"] {
        assert!(of(name, vec!["x".repeat(256); 100]));
        assert!(!of(name, vec!["x".repeat(257)]) && !of(name, vec!["x".into(); 101]), "{name}");
    }
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
    // The host puts the answer to the session start before the prompt.
    assert_eq!(input!(Host::Gemini, "gemini/prompt.json").prompt.as_deref(), Some("When does the ferry to Lindau leave?"));
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
fn what_waits_of_a_session_is_one_file_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let rules = |text: &str| fs::write(folder.path().join("remembrancer.toml"), text).unwrap();
    let state = State::at(folder.path().join("state")).unwrap();
    let message =
        |id: &str, text: &str| serde_json::json!({ "info": { "id": id, "role": "user" }, "parts": [{ "type": "text", "text": text }] });
    let secret = || message("m1", "The password is swordfish77.");
    let left = |messages: Vec<Value>| {
        let input = serde_json::json!({ "sessionID": "o-1", "directory": folder.path(), "messages": messages });
        spool::leave(Host::OpenCode, &Input::of(input, Host::OpenCode).unwrap(), &state).unwrap();
        let names = state.names(Kind::Messages);
        assert_eq!((names.len(), &names), (1, &state.names(Kind::Jobs)));
        fs::read_to_string(state.path(Kind::Messages, &names[0])).unwrap()
    };
    rules("never_words = [\"Lighthouse\"]\n");
    assert!(left(vec![secret()]).contains("m1"));
    let text = left(vec![secret(), message("m2", "The lighthouse is red."), message("m3", "The ferry is late.")]);
    assert!(text.contains("m1") && text.contains("The ferry is late."), "{text}");
    assert!(!text.contains("swordfish77") && !text.contains("m2"), "{text}");
    rules("capture = \"nothing\"\n");
    let text = left(vec![secret()]);
    assert!(text.contains("m1") && text.contains("\"text\":\"\""), "{text}");
    rules("capture = \n");
    let input = serde_json::json!({ "sessionID": "o-2", "directory": folder.path(), "messages": [secret()] });
    assert!(spool::leave(Host::OpenCode, &Input::of(input, Host::OpenCode).unwrap(), &state).is_err());
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

//! The command line of the real process: what it makes, what it refuses, and what it says.

use crate::process::databases;
use db::clock::{Clock, SystemClock};
use db::drop_databases;
use foundation::identity;
use foundation::testing::{FakeClock, TestDatabases, World};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection, PgConnection};
use std::fs;
use std::io::{self, Read};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};
use std::str::FromStr;
use wire::{AgentId, CapturePolicy, Promotion, RequestId, SensitiveMatters};

/// Runs a command of the program in a folder, with these settings alone.
fn command(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_remembrancer"));
    command
        .args(arguments)
        .current_dir(folder)
        .env_remove("DATABASE_URL")
        .env_remove("DATA_DIR")
        .env_remove("PUBLIC_URL")
        .env_remove("RUST_LOG");
    command.envs(variables.iter().copied()).output().unwrap()
}

/// The sentence of a command that fails.
fn refusal(output: &Output) -> String {
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{message}");
    message.lines().last().unwrap_or_default().to_owned()
}

/// Commands that need databases and must not make any.
const NO_MAKERS: [&[&str]; 7] = [
    &["tenant", "create", "zephyr", "--name", "Zephyr"],
    &["agent", "create", "atlas", "--tenant", "zephyr", "--name", "Atlas"],
    &["operator", "reset-password", "vera@zephyr.example"],
    &["export", "--tenant", "zephyr"],
    &["audit", "verify", "--tenant", "zephyr"],
    &["worker"],
    &["backup", "monday"],
];

#[test]
fn a_command_in_a_folder_without_data_says_where_it_looked_and_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let here = fs::canonicalize(folder.path()).unwrap();
    let questions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/retrieval/updates.jsonl");
    let eval: &[&str] = &["eval", "retrieval", questions.to_str().unwrap()];
    for arguments in NO_MAKERS.iter().copied().chain([eval]) {
        for (variables, setting, place) in [
            (&[][..], "DATA_DIR is «.local»", ".local/postgres"),
            (&[("DATA_DIR", "no/data")][..], "DATA_DIR is «no/data»", "no/data/postgres"),
        ] {
            let sentence = refusal(&command(&here, variables, arguments));
            let place = here.join(place).display().to_string();
            for words in ["there is no database in", &place, setting, "DATABASE_URL", "remembrancer migrate"] {
                assert!(sentence.contains(words), "{arguments:?}: {sentence}");
            }
            assert_eq!(fs::read_dir(&here).unwrap().count(), 0, "{arguments:?} left something behind");
        }
    }
}

#[tokio::test]
async fn a_command_never_makes_the_databases_of_a_url_but_migrate_does() {
    let folder = tempfile::tempdir().unwrap();
    let there = TestDatabases::fresh(&SystemClock).await;
    let absent = format!("{}_absent", PgConnectOptions::from_str(&there.agent_memory).unwrap().get_database().unwrap());
    let urls = TestDatabases::urls(&absent);
    let variables = [
        ("AGENT_MEMORY_DATABASE_URL", urls.agent_memory.as_str()),
        ("SHARED_KB_DATABASE_URL", urls.shared_kb.as_str()),
        ("INTERNAL_SHARED_DATABASE_URL", urls.internal_shared.as_str()),
    ];
    for arguments in NO_MAKERS {
        let sentence = refusal(&command(folder.path(), &variables, arguments));
        let named = format!("has no database {absent}_agent_memory");
        for words in [named.as_str(), "correct DATABASE_URL or AGENT_MEMORY_DATABASE_URL", "remembrancer migrate"] {
            assert!(sentence.contains(words), "{arguments:?}: {sentence}");
        }
        assert!(PgConnection::connect(&urls.agent_memory).await.is_err(), "{arguments:?} made a database");
    }
    assert!(command(folder.path(), &variables, &["migrate"]).status.success());
    let made = command(folder.path(), &variables, NO_MAKERS[0]);
    drop_databases(&urls).await.unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

#[tokio::test]
async fn the_command_line_changes_what_it_names_of_the_capture_policy() {
    let (world, folder) = (World::new().await, tempfile::tempdir().unwrap());
    let urls = databases(&world);
    let variables: Vec<(&str, &str)> = urls.iter().map(|(name, url)| (*name, url.as_str())).collect();
    let run =
        |options: &[&str]| command(folder.path(), &variables, &[&["tenant", "capture", world.tenant_slug.as_str()], options].concat());
    let policy = async || identity::policy(&world.engine, &world.system).await.unwrap();
    let shown = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();

    let before = run(&[]);
    assert!(shown(&before).contains("--episodes automatic --profile review") && shown(&before).contains("--health 0"), "{before:?}");
    assert_eq!(policy().await, CapturePolicy::default());
    let changed =
        run(&["--decisions", "automatic", "--confidence-min", "0.75", "--faith", "30", "--money", "forever", "--shared-profiles", "true"]);
    assert!(changed.status.success() && shown(&changed).contains("--health 0 --faith 30 --politics 0 --money forever"), "{changed:?}");
    let expected = CapturePolicy {
        decisions: Promotion::Automatic,
        confidence_min: 0.75,
        sensitive: SensitiveMatters { faith: Some(30), money: None, ..SensitiveMatters::default() },
        shared_profiles: true,
        ..CapturePolicy::default()
    };
    assert_eq!(policy().await, expected);
    for (options, words) in
        [(["--confidence-min", "7"], "from 0 to 1"), (["--episodes", "never"], "automatic, review"), (["--health", "soon"], "forever")]
    {
        let refused = run(&options);
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && message.contains(words), "{message}");
    }
    assert_eq!(policy().await, expected);
}

#[tokio::test]
async fn the_command_line_makes_an_agent_with_the_id_that_it_has_elsewhere() {
    let (world, folder) = (World::new().await, tempfile::tempdir().unwrap());
    let urls = databases(&world);
    // It needs no model, so it reads none.
    let model = ("REMEMBRANCER_MODEL_DIR", "/no/such/folder");
    let variables: Vec<(&str, &str)> = urls.iter().map(|(name, url)| (*name, url.as_str())).chain([model]).collect();
    let id = AgentId(world.clock.id());
    let text = id.to_string();
    let create = |slug| {
        let tenant = world.tenant_slug.as_str();
        command(folder.path(), &variables, &["agent", "create", slug, "--tenant", tenant, "--name", "Zephyr", "--id", &text])
    };
    let made = create("zephyr");
    assert!(made.status.success(), "{made:?}");
    assert_eq!(String::from_utf8_lossy(&made.stdout), format!("agent zephyr {id}\n"));
    assert_eq!(identity::agent_by_slug(&world.engine, &world.system, "zephyr").await.unwrap().id, id);
    assert!(refusal(&create("breeze")).ends_with(&format!("the id {id} belongs to the agent zephyr already")));
}

#[tokio::test]
async fn the_command_line_replaces_a_key_invites_an_operator_and_keeps_the_last_admin() {
    let (world, folder) = (World::new().await, tempfile::tempdir().unwrap());
    let urls = databases(&world);
    let model = ("REMEMBRANCER_MODEL_DIR", "/no/such/folder");
    let variables: Vec<(&str, &str)> = urls.iter().map(|(name, url)| (*name, url.as_str())).chain([model]).collect();
    let run = |arguments: &[&str]| command(folder.path(), &variables, &[arguments, &["--tenant", world.tenant_slug.as_str()]].concat());
    let said = |arguments: &[&str]| {
        let output = run(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let made = said(&["key", "create", "atlas", "--name", "laptop", "--preset", "reader"]);
    let (id, first) = made.strip_prefix("key ").and_then(|rest| rest.trim_end().split_once('\n')).unwrap();
    let second = said(&["key", "rotate", id, "--overlap", "0"]);
    let second = second.lines().nth(1).unwrap();
    let authenticate = async |key: &str| identity::authenticate(&world.engine, key, RequestId(world.clock.id())).await;
    assert!(authenticate(first).await.is_err() && authenticate(second).await.is_ok());
    let keys = said(&["key", "list", "--agent", "atlas"]);
    let line = keys.lines().find(|line| line.contains(id)).unwrap();
    assert!(line.contains("revoked") && line.contains("never used") && line.contains("memory:read, context:read, kb:read"), "{line}");
    assert!(!keys.contains(first) && !keys.contains(second), "no secret is listed");

    let login = format!("mina@{}", world.tenant_slug);
    let invited = said(&["operator", "invite", &login, "--name", "Mina"]);
    let link = "\nhttp://127.0.0.1:3000/invitation?token=rmi_";
    assert!(invited.contains(link) && invited.contains("PUBLIC_URL is not set"), "{invited}");
    let named = [&variables[..], &[("PUBLIC_URL", "https://memory.example.org/")]].concat();
    let again = ["operator", "reset-link", world.login.as_str(), "--tenant", world.tenant_slug.as_str()];
    let again = String::from_utf8_lossy(&command(folder.path(), &named, &again).stdout).into_owned();
    assert!(again.contains("\nhttps://memory.example.org/invitation?token=rmi_") && !again.contains("PUBLIC_URL"), "{again}");
    assert!(said(&["operator", "invitations"]).contains(&login));
    let operators = said(&["operator", "list"]);
    assert!(operators.contains(&world.login) && !operators.contains(&login), "{operators}");
    let refused = refusal(&run(&["operator", "disable", &world.login]));
    assert!(refused.contains("is the last admin"), "{refused}");
    said(&["agent", "retire", "binky", "--reason", "replaced"]);
    assert!(said(&["agent", "list"]).lines().any(|line| line.contains("binky") && line.contains("retired since")));
}

#[tokio::test]
async fn the_command_line_lists_the_embedding_models_and_refuses_a_change_that_cannot_be() {
    let clock = FakeClock::default();
    let (world, folder) = (World::on(TestDatabases::fresh(&clock).await).await, tempfile::tempdir().unwrap());
    let urls = databases(&world);
    let nowhere = ("REMEMBRANCER_MODEL_DIR", "/no/such/folder");
    let variables: Vec<(&str, &str)> = urls.iter().map(|(name, url)| (*name, url.as_str())).chain([nowhere]).collect();
    let run = |arguments: &[&str]| command(folder.path(), &variables, &[&["model"], arguments].concat());

    let list = || String::from_utf8_lossy(&run(&["list"]).stdout).into_owned();
    let before = list();
    let of = |name: &str| before.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert!(of("multilingual-e5-small").contains("in use") && of("multilingual-e5-small").contains("memories 0 of 0"), "{before}");
    assert!(of("all-MiniLM-L6-v2").contains("available"), "{before}");
    let refused: [(&[&str], &str); 6] = [
        (&["add", "all-maxilm"], "which the registry does not have"),
        (&["add", "all-MiniLM-L6-v2"], "REMEMBRANCER_MODEL_DIR must be a folder"),
        (&["switch", "all-MiniLM-L6-v2"], "run 'remembrancer model add all-MiniLM-L6-v2' first"),
        (&["compare", "all-MiniLM-L6-v2"], "run 'remembrancer model add all-MiniLM-L6-v2' first"),
        (&["rollback"], "there is nothing to go back to"),
        (&["drop", "multilingual-e5-small"], "is the current model"),
    ];
    for (arguments, words) in refused {
        let message = refusal(&run(arguments));
        assert!(message.contains(words), "{arguments:?}: {message}");
    }
    assert_eq!(list(), before);
}

/// The folder of the model that new databases begin with.
const MULTILINGUAL: &str = "multilingual-e5-small";

/// A folder of models whose tokenizer is that of a model, and whose weights are cut after so many bytes.
fn models(tokenizer: &str, weights: u64) -> tempfile::TempDir {
    let (there, models) = (std::env::var_os("REMEMBRANCER_MODEL_DIR").unwrap(), tempfile::tempdir().unwrap());
    let (there, folder) = (Path::new(&there), models.path().join(MULTILINGUAL));
    fs::create_dir(&folder).unwrap();
    fs::copy(there.join(tokenizer).join("tokenizer.json"), folder.join("tokenizer.json")).unwrap();
    let mut cut = fs::File::open(there.join(MULTILINGUAL).join("e5-small-q4.bin")).unwrap().take(weights);
    io::copy(&mut cut, &mut fs::File::create(folder.join("e5-small-q4.bin")).unwrap()).unwrap();
    models
}

/// Variables, and the words of the sentence about them.
type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str]);

/// What a start prints that fails for its settings.
fn refused_start(variables: &[(&str, &str)]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_remembrancer"))
        .arg("serve")
        .env_remove("DATABASE_URL")
        .env_remove("RUST_LOG")
        .envs([("LISTEN_ADDR", "127.0.0.1:0"), ("METRICS_ADDR", "127.0.0.1:0")])
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    assert!(!output.status.success(), "{variables:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test]
async fn a_wrong_setting_stops_the_start_with_a_sentence_that_names_it_and_says_what_to_do() {
    let urls = TestDatabases::fresh(&SystemClock).await;
    let good = urls.agent_memory.replace("_agent_memory", "");
    let good = good.as_str();
    let as_user =
        |user: &str| PgConnectOptions::from_str(good).unwrap().username(user).password("no-such-password").to_url_lossy().to_string();
    let (wrong_password, stranger) = (as_user("postgres"), as_user("no_such_user"));
    let empty = tempfile::tempdir().unwrap();
    let empty = empty.path().to_str().unwrap();
    let text = tempfile::NamedTempFile::new().unwrap();
    fs::write(text.path(), "this is no library").unwrap();
    let text = text.path().to_str().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let (cut, other) = (models(MULTILINGUAL, 5_000_000), models("all-minilm-l6-v2", 0));
    let (cut, other) = (cut.path().to_str().unwrap(), other.path().to_str().unwrap());
    let cases: &[Case<'_>] = &[
        (&[("LISTEN_ADDR", "somewhere")], &["LISTEN_ADDR is «somewhere»", "127.0.0.1:3000"]),
        (&[("RUST_LOG", "a=b=c")], &["RUST_LOG", "must be a filter"]),
        (&[("KB_DIR", "no/such/folder"), ("KB_TENANT", "acme")], &["KB_DIR is «no/such/folder»", "a folder that exists"]),
        (&[("KB_DIR", empty)], &["KB_TENANT", "because KB_DIR is set"]),
        (&[("SKILLS_DIR", "no/such/folder")], &["SKILLS_DIR", "a folder that exists"]),
        (&[("APP_DATABASE_URL", "postgres://a@b/c")], &["APP_DATABASE_URL", "DATABASE_URL is not set"]),
        (&[("DATABASE_URL", "postgres://localhost")], &["DATABASE_URL", "postgres://user:password@host:port/base"]),
        (
            &[("DATABASE_URL", "postgres://vera@127.0.0.1:1/acme")],
            &["Postgres at 127.0.0.1:1 cannot be reached", "DATABASE_URL", "start it"],
        ),
        (&[("DATABASE_URL", &wrong_password)], &["refuses the user postgres", "correct user and password in DATABASE_URL"]),
        (&[("DATABASE_URL", good), ("SYSTEM_DATABASE_URL", &stranger)], &["(SYSTEM_DATABASE_URL) is refused", "correct user and password"]),
        (&[("DATABASE_URL", good), ("REMEMBRANCER_MODEL_DIR", empty)], &["REMEMBRANCER_MODEL_DIR", "scripts/fetch.sh"]),
        (
            &[("DATABASE_URL", good), ("EMBEDDING_MODEL", "text-embedding-3-small")],
            &["EMBEDDING_MODEL is «text-embedding-3-small»", "multilingual-e5-small and all-MiniLM-L6-v2"],
        ),
        (
            &[("DATABASE_URL", good), ("REMEMBRANCER_ONNXRUNTIME", "/no/such/library.so")],
            &["/no/such/library.so", "REMEMBRANCER_ONNXRUNTIME", "scripts/fetch.sh"],
        ),
        (&[("DATABASE_URL", good), ("REMEMBRANCER_ONNXRUNTIME", text)], &[text, "REMEMBRANCER_ONNXRUNTIME", "scripts/fetch.sh"]),
        (&[("LISTEN_ADDR", &taken)], &["address already in use", "set LISTEN_ADDR to another address"]),
        (&[("METRICS_ADDR", &taken)], &["address already in use", "set METRICS_ADDR to another address"]),
        (&[("DATA_DIR", text)], &[text, "cannot be used", "set DATA_DIR to a folder"]),
        (&[("DATABASE_URL", good), ("REMEMBRANCER_MODEL_DIR", cut)], &["e5-small-q4.bin: the file is cut short", "REMEMBRANCER_MODEL_DIR"]),
        (&[("DATABASE_URL", good), ("REMEMBRANCER_MODEL_DIR", other)], &["it is that of another model", "REMEMBRANCER_MODEL_DIR"]),
        (&[("DATA_DIR", empty), ("REMEMBRANCER_PG0", "/no/such/pg0")], &["pg0 at /no/such/pg0", "scripts/fetch.sh", "DATABASE_URL"]),
    ];
    for (variables, words) in cases {
        let message = refused_start(variables);
        let last = message.lines().last().unwrap_or_default();
        for words in *words {
            assert!(last.contains(words), "{variables:?}: {message}");
        }
        for internal in ["sqlx", "src/", "os error", "error returned from database", "no-such-password", "panicked"] {
            assert!(!last.contains(internal), "{variables:?}: {message}");
        }
    }
}

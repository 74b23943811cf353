use super::super::place::Named;
use super::super::rules::Rules;
use super::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const SESSION: &str = include_str!("../../../../../tests/fixtures/hosts/claude-code/session.jsonl");

fn courier(folder: &Path) -> Courier {
    let state = State::at(folder.join("state")).unwrap();
    Courier { settings: Settings::default(), state, known: HashSet::new(), told: BTreeSet::new(), seen: BTreeSet::new() }
}

fn job(folder: &Path, text: &str) -> Job {
    let path = folder.join("session.jsonl");
    fs::write(&path, text).unwrap();
    let transcript = Transcript::File(path);
    Job { host: Host::ClaudeCode, session: "s".into(), folder: folder.to_owned(), place: None, transcript, failures: 0 }
}

fn contents(batch: &Batch) -> Vec<(String, String)> {
    let messages: Vec<Value> = serde_json::from_str(&batch.body).unwrap();
    let text = |message: &Value, field: &str| message[field].as_str().unwrap().to_owned();
    messages.iter().map(|message| (text(message, "role"), text(message, "content"))).collect()
}

#[test]
fn a_batch_has_no_secret_and_calls_evidence_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let text = SESSION.replace("port = 5432", "password = swordfish77");
    fs::write(folder.path().join("remembrancer.toml"), "never_paths = [\"secrets/**\"]\n").unwrap();
    let (courier, job) = (courier(folder.path()), job(folder.path(), &text));
    let (batch, ended) = courier.next(&job, &Place::of(folder.path()).unwrap()).unwrap();
    let found = contents(&batch);
    assert_eq!(found.iter().map(|(role, _)| role.as_str()).collect::<Vec<_>>(), ["user", "assistant", "tool", "user"]);
    assert!(ended && !batch.body.contains("swordfish77") && !batch.body.contains("MODE"), "{found:?}");

    fs::write(folder.path().join("remembrancer.toml"), "capture = \"words\"\n").unwrap();
    let (batch, _) = courier.next(&job, &Place::of(folder.path()).unwrap()).unwrap();
    assert!(contents(&batch).iter().all(|(role, _)| role != "tool"), "{batch:?}");
}

#[test]
fn what_was_sent_is_not_sent_again() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::of(folder.path()).unwrap();
    let (mut courier, mut job) = (courier(folder.path()), job(folder.path(), SESSION));
    let (batch, _) = courier.next(&job, &place).unwrap();
    assert_eq!(batch.ids.len(), 5);
    // Nothing counts as sent before the server has it: the same is read again.
    assert_eq!(courier.next(&job, &place).unwrap().0, batch);

    append(&courier.state.ledger(), &batch.ids).unwrap();
    courier.known = ledger(&courier.state);
    courier.state.put(Kind::Sent, &job.name(), &batch.then).unwrap();
    assert!(courier.next(&job, &place).unwrap().0.ids.is_empty());
    // A fork of the session is another one with copies of the messages, and one more.
    let line = r#"{"type":"user","uuid":"new","sessionId":"t","message":{"role":"user","content":"Mina is on call."}}"#;
    let (whole, _) = SESSION.rsplit_once('\n').unwrap();
    fs::write(folder.path().join("session.jsonl"), format!("{whole}\n{line}\n")).unwrap();
    job.session = "t".into();
    assert_eq!(contents(&courier.next(&job, &place).unwrap().0), [("user".to_owned(), "Mina is on call.".to_owned())]);
}

#[tokio::test]
async fn rules_hold_when_the_folder_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("tree");
    fs::create_dir(&tree).unwrap();
    let rules = tree.join("remembrancer.toml");
    fs::write(&rules, "capture = \"nothing\"\n").unwrap();
    let (mut courier, job) = (courier(folder.path()), Job { folder: tree.clone(), ..job(folder.path(), SESSION) });
    let known = Job { place: Some(Place::of(&tree).unwrap()), ..job.clone() };
    // A branch without the file, and then no folder. There is no server either, so nothing can have been sent.
    fs::remove_file(rules).unwrap();
    courier.session(&known).await.unwrap();
    fs::remove_dir(tree).unwrap();
    courier.session(&known).await.unwrap();
    assert!(courier.session(&job).await.unwrap_err().to_string().contains("is gone"));
    // What was said under these rules is not sent under others.
    let place = Place::of(folder.path()).unwrap();
    assert!(courier.next(&job, &place).unwrap().0.ids.is_empty());
    courier.state.remove(Kind::Sent, &job.name());
    assert!(courier.next(&job, &place).unwrap().0.ids.is_empty());
}

#[tokio::test]
async fn a_job_that_comes_while_others_are_done_is_done_by_the_same_process() {
    let folder = tempfile::tempdir().unwrap();
    let mut courier = courier(folder.path());
    let gone = Job { transcript: Transcript::File("/gone".into()), ..job(folder.path(), "") };
    let leave = |state: &State, name: &str| state.put(Kind::Jobs, name, &Job { session: name.into(), ..gone.clone() }).unwrap();
    courier.settings.url = "http://127.0.0.1:9".into();
    leave(&courier.state, "one");
    // Another process holds the lock: it does them.
    let other = courier.state.try_lock("lock").unwrap().unwrap();
    courier.alone().await.unwrap();
    assert_eq!(courier.waiting(), ["one"]);
    drop(other);
    courier.seen.insert("one".into());
    leave(&courier.state, "two");
    courier.alone().await.unwrap();
    assert_eq!(courier.state.names(Kind::Jobs), ["one"]);
    assert!(courier.state.try_lock("lock").unwrap().is_some());
}

/// A server that answers every call with a status and nothing else.
async fn answering(status: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _request = stream.read(&mut [0; 4096]).await.unwrap();
            let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    url
}

#[tokio::test]
async fn one_repository_does_not_block_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let mut courier = courier(folder.path());
    let repository = |name: &str, rules: Rules| {
        // With a project, the first call has no body.
        let named = Named { slug: name.into(), repo: name.into(), name: name.into() };
        let place = Place { project: Some(named), branch: None, rules };
        let transcript = Transcript::File(folder.path().join(name));
        let job = Job { session: name.into(), folder: "/gone".into(), place: Some(place), transcript, ..job(folder.path(), "") };
        courier.state.put(Kind::Jobs, name, &job).unwrap();
    };
    repository("ferry", Rules { agent: Some("binky".into()), ..Rules::default() });
    repository("harbour", Rules::default());
    repository("orchard", Rules::default());
    fs::write(folder.path().join("harbour"), SESSION).unwrap();
    let log = || fs::read_to_string(folder.path().join("state/hook.log")).unwrap();

    courier.settings.url = answering("500 Internal Server Error").await;
    courier.all().await.unwrap();
    assert!(log().contains("hook.toml") && log().contains("500"), "{}", log());
    assert_eq!(courier.state.names(Kind::Jobs), ["ferry", "harbour"]);
    courier.settings.url = answering("401 Unauthorized").await;
    courier.seen.clear();
    courier.all().await.unwrap();
    assert!(log().contains("401") && log().lines().count() == 3, "{}", log());
    assert_eq!(courier.state.names(Kind::Jobs).len(), 2);
    // Nobody listens there.
    courier.settings.url = "http://127.0.0.1:9".into();
    courier.seen.clear();
    assert!(courier.all().await.unwrap_err().to_string().contains("cannot be reached"));
    courier.settings.url = "no address".into();
    courier.seen.clear();
    assert!(courier.all().await.unwrap_err().to_string().contains("is not an address"));
}

#[test]
fn messages_without_an_id_are_known_by_their_time_or_their_number() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::of(folder.path()).unwrap();
    let mut courier = courier(folder.path());
    let line = |text: &str| format!("{{\"role\":\"user\",\"message\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}}}}\n");
    let said = line("Continue.").repeat(2) + &line("Stop.");
    let cursor = Job { host: Host::Cursor, ..job(folder.path(), &said) };
    let (batch, _) = courier.next(&cursor, &place).unwrap();
    assert_eq!(batch.ids.len(), 3, "a person may say the same twice");
    courier.count(&cursor, &batch).unwrap();
    let more = job(folder.path(), &(said + &line("Continue.")));
    let cursor = Job { host: Host::Cursor, ..more };
    assert_eq!(courier.next(&cursor, &place).unwrap().0.ids.len(), 1);
    // From the beginning again, each is known by its number.
    courier.state.remove(Kind::Sent, &cursor.name());
    assert_eq!(courier.next(&cursor, &place).unwrap().0.ids.len(), 1);

    let codex = Job { host: Host::Codex, ..job(folder.path(), include_str!("../../../../../tests/fixtures/hosts/codex/session.jsonl")) };
    let (batch, _) = courier.next(&codex, &place).unwrap();
    assert!(!batch.ids.is_empty());
    courier.count(&codex, &batch).unwrap();
    let fork = Job { session: "fork".into(), ..codex };
    assert!(courier.next(&fork, &place).unwrap().0.ids.is_empty(), "copies are known in any session");
}

#[test]
fn each_file_is_read_from_its_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::of(folder.path()).unwrap();
    let (courier, job) = (courier(folder.path()), job(folder.path(), SESSION));
    let (batch, _) = courier.next(&job, &place).unwrap();
    courier.state.put(Kind::Sent, &job.name(), &batch.then).unwrap();
    // A fork that names the session it came from.
    let fork = folder.path().join("fork.jsonl");
    fs::write(&fork, SESSION).unwrap();
    let fork = Job { transcript: Transcript::File(fork), ..job };
    assert_eq!(courier.next(&fork, &place).unwrap().0.ids, batch.ids);
    // What cannot be read is said.
    fs::write(folder.path().join("fork.jsonl"), "no JSON\n").unwrap();
    assert!(courier.next(&fork, &place).unwrap().0.ids.is_empty());
    assert!(fs::read_to_string(folder.path().join("state/hook.log")).unwrap().contains("skipped: 1"));
}

#[test]
fn a_session_that_was_replaced_or_is_gone_breaks_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::of(folder.path()).unwrap();
    let (courier, job) = (courier(folder.path()), job(folder.path(), SESSION));
    let (batch, _) = courier.next(&job, &place).unwrap();
    assert!(batch.ids.len() == 5 && batch.then.bytes < SESSION.len() as u64);
    courier.state.put(Kind::Sent, &job.name(), &batch.then).unwrap();
    assert!(courier.next(&job, &place).unwrap().0.ids.is_empty());
    // Shorter, and longer.
    let line = r#"{"type":"user","uuid":"new","sessionId":"s","message":{"role":"user","content":"Mina is on call."}}"#;
    for text in [format!("{line}\n"), format!("{line}\n{SESSION}")] {
        fs::write(folder.path().join("session.jsonl"), text).unwrap();
        let (replaced, _) = courier.next(&job, &place).unwrap();
        assert_eq!(contents(&replaced)[0].1, "Mina is on call.");
    }
    fs::remove_file(folder.path().join("session.jsonl")).unwrap();
    let (batch, ended) = courier.next(&job, &place).unwrap();
    assert!(batch.ids.is_empty() && ended);
}

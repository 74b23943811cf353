//! Sends what hooks left to the server: reads what is new of each session, takes secrets out of it, and has it captured.
//!
//! At least once, and each message once: a batch is written down before it is sent, with a key under which the server takes it once. Only
//! when the server has it, its messages count as sent. What cannot be sent stays where the host keeps it.

use super::client::{Fault, Server};
use super::place::Place;
use super::project::Project;
use super::recall::cut;
use super::rules::Capture;
use super::settings::Settings;
use super::spool::{Job, Transcript};
use super::state::{Kind, State, digest, open};
use super::{Failure, Host, note};
use extract::Role;
use extract::transcript::session::{self, Filter, Said, Window};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{BufReader, ErrorKind, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;
use uuid::Uuid;
use words::guard;

/// How long the server may take for one call.
const CALL: Duration = Duration::from_secs(30);
/// Most messages that are known to have been sent. The older half is forgotten when there are more.
const LEDGER_MAX: usize = 200_000;
/// How often a session may fail for a reason other than the server, such as a file that is being written.
const FAILURES_MAX: u32 = 5;
/// Characters that are kept of what a person asked last.
const LAST_MAX: usize = 500;

/// How far a session was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Sent {
    /// Bytes of the file.
    bytes: u64,
    /// Calls of tools whose answers are withheld.
    calls: BTreeSet<String>,
}

/// A part of a session on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Batch {
    title: String,
    /// The messages as JSON, without secrets.
    body: String,
    /// The messages by their digests.
    ids: Vec<String>,
    /// How far the session is sent when the server has the batch.
    then: Sent,
}

/// Does all jobs, one after another. Another process that sends is waited for.
///
/// # Errors
/// When there is no server, or it cannot take anything now.
pub async fn run(host: Host) -> Result<(), Failure> {
    let state = State::open()?;
    let Some(settings) = Settings::read(host, &state)? else { return Ok(()) };
    let _alone = state.lock()?;
    let mut courier = Courier { known: ledger(&state), settings, state };
    let done = courier.all().await;
    for kind in [Kind::Given, Kind::Messages, Kind::Sent, Kind::Refused, Kind::Last, Kind::Projects] {
        courier.state.prune(kind);
    }
    done
}

/// Carries sessions to the server.
struct Courier {
    settings: Settings,
    state: State,
    /// The messages that were sent, by their digests.
    known: HashSet<String>,
}

impl Courier {
    async fn all(&mut self) -> Result<(), Failure> {
        let mut sessions = BTreeSet::new();
        // The newest job of a session does what the others left.
        for name in self.state.names(Kind::Jobs).into_iter().rev() {
            let Some(job) = self.state.get::<Job>(Kind::Jobs, &name) else {
                self.state.remove(Kind::Jobs, &name);
                continue;
            };
            if sessions.insert(job.name()) {
                match self.session(&job).await {
                    // The server is away: the job stays.
                    Err(problem) if problem.is::<Fault>() => return Err(problem),
                    Err(problem) if job.failures < FAILURES_MAX => {
                        note("Deliver", &problem.to_string());
                        self.state.put(Kind::Jobs, &name, &Job { failures: job.failures + 1, ..job })?;
                        continue;
                    }
                    Err(problem) => note("Deliver", &format!("a session was given up: {problem}")),
                    Ok(()) => {}
                }
            }
            if let Transcript::Messages(name) = &job.transcript {
                self.state.remove(Kind::Messages, name);
            }
            self.state.remove(Kind::Jobs, &name);
        }
        Ok(())
    }

    async fn session(&mut self, job: &Job) -> Result<(), Failure> {
        let place = Place::of(&job.folder)?;
        if place.rules.capture == Capture::Nothing {
            return Ok(());
        }
        let server = Server::new(&self.settings, place.rules.agent.as_deref(), CALL)?;
        let name = job.name();
        if let Some(batch) = self.state.get::<Batch>(Kind::Batches, &name) {
            self.send(&server, &place, job, &batch).await?;
        }
        loop {
            let (batch, ended) = self.next(job, &place)?;
            if !batch.ids.is_empty() {
                self.state.put(Kind::Batches, &name, &batch)?;
                self.send(&server, &place, job, &batch).await?;
            }
            self.state.put(Kind::Sent, &name, &batch.then)?;
            if ended {
                return Ok(());
            }
        }
    }

    /// The next part of a session, and whether it is the last for now.
    fn next(&self, job: &Job, place: &Place) -> Result<(Batch, bool), Failure> {
        let Sent { bytes, calls } = self.state.get(Kind::Sent, &job.name()).unwrap_or_default();
        let names = |text: &str| place.rules.forbid(text);
        let mut filter = Filter { names: &names, calls };
        let (begin, window) = self.read(job, bytes, &mut filter)?;
        let mut body: Vec<Value> = Vec::new();
        let mut ids: Vec<String> = Vec::new();
        for one in window.said {
            let id = identity(job, &one);
            if (place.rules.capture == Capture::Words && one.role == Role::Machine) || self.known.contains(&id) || ids.contains(&id) {
                continue;
            }
            let text = guard::without_secrets(one.text);
            if let (Role::Person, Some(project)) = (one.role, &place.project) {
                self.state.put(Kind::Last, &digest(&project.slug), &text.chars().take(LAST_MAX).collect::<String>())?;
            }
            body.push(json!({ "role": role(one.role), "content": text, "at": one.at }));
            ids.push(id);
        }
        let project = place.project.as_ref().map_or("a folder", |project| project.name.as_str());
        let title = format!("{:?} in {}", job.host, cut(project, 200));
        let then = Sent { bytes: begin + window.bytes, calls: filter.calls };
        Ok((Batch { title, body: Value::Array(body).to_string(), ids, then }, window.ended))
    }

    /// Reads a part of a session, and says where it began.
    fn read(&self, job: &Job, bytes: u64, filter: &mut Filter<'_>) -> Result<(u64, Window), Failure> {
        let path = match &job.transcript {
            Transcript::Messages(name) => {
                let entries: Vec<Value> = self.state.get(Kind::Messages, name).unwrap_or_default();
                return Ok((0, Window { said: session::messages(entries, filter), ended: true, ..Window::default() }));
            }
            Transcript::File(path) => path,
        };
        let mut file = match File::open(path) {
            // A session that the host removed, or never wrote.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok((bytes, Window { ended: true, ..Window::default() })),
            opened => opened?,
        };
        if !file.metadata()?.is_file() {
            return Err("the session is no file".into());
        }
        if path.extension().is_some_and(|ending| ending == "json") {
            return Ok((0, session::document(&mut file, filter)?));
        }
        // A file that is shorter than what was sent of it was written anew.
        let begin = if file.metadata()?.len() < bytes { 0 } else { bytes };
        file.seek(SeekFrom::Start(begin))?;
        Ok((begin, session::lines(&mut BufReader::new(file), filter)?))
    }

    /// Sends a batch, and notes that it was sent. One that the server refuses is put aside: it would be refused again.
    async fn send(&mut self, server: &Server, place: &Place, job: &Job, batch: &Batch) -> Result<(), Failure> {
        let name = job.name();
        match self.captured(server, place, job, batch).await {
            Ok(()) => {}
            Err(Fault::Refused(why)) => {
                note("Deliver", &format!("a part of a session was refused and put aside: {why}"));
                self.state.put(Kind::Refused, &digest(&batch.body), batch)?;
            }
            Err(fault) => return Err(fault.into()),
        }
        append(&self.state.ledger(), &batch.ids)?;
        self.known.extend(batch.ids.iter().cloned());
        self.state.put(Kind::Sent, &name, &batch.then)?;
        self.state.remove(Kind::Batches, &name);
        Ok(())
    }

    async fn captured(&self, server: &Server, place: &Place, job: &Job, batch: &Batch) -> Result<(), Fault> {
        let project = Project::of(server, &self.state, place).await?;
        let session = job.session.parse::<Uuid>().ok().map(|id| id.to_string());
        let mut parameters = vec![("form", "transcript"), ("title", batch.title.as_str())];
        parameters.extend(session.as_deref().map(|id| ("session_id", id)));
        let key = digest(&format!("{} {}", job.name(), batch.body));
        let source = server.post("sources", &parameters, batch.body.clone(), Some(&format!("source-{key}"))).await?;
        let request = json!({
            "source_ref": source.get("source_id"),
            "project_id": project.as_ref().map(|project| project.id),
            "repo_id": project.as_ref().and_then(|project| project.repo),
        });
        // The project may be known only the second time, which makes it another request.
        let key = digest(&format!("{key} {request}"));
        server.post("tools/capture_session", &[], request.to_string(), Some(&format!("capture-{key}"))).await?;
        Ok(())
    }
}

/// The digest of a message: of the host's id, or else of who said what in which minute, because a host may write a message twice.
fn identity(job: &Job, said: &Said) -> String {
    let at = said.at.map(|at| at.format("%Y-%m-%dT%H:%M").to_string()).unwrap_or_default();
    let who = match &said.id {
        Some(id) => format!("{:?} {id}", job.host),
        None => format!("{:?} {} {:?} {at} {}", job.host, job.session, said.role, said.text),
    };
    digest(&who)
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Person => "user",
        Role::Assistant => "assistant",
        Role::Machine => "tool",
    }
}

/// The messages that were sent.
fn ledger(state: &State) -> HashSet<String> {
    let path = state.ledger();
    let text = fs::read_to_string(&path).unwrap_or_default();
    let mut ids: Vec<&str> = text.lines().collect();
    if ids.len() > LEDGER_MAX {
        ids.drain(..ids.len() / 2);
        // Where it cannot be made shorter, it is read as it is.
        let _ = fs::write(&path, ids.join("\n") + "\n");
    }
    ids.into_iter().map(str::to_owned).collect()
}

fn append(path: &Path, ids: &[String]) -> std::io::Result<()> {
    open(path)?.write_all((ids.join("\n") + "\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str = include_str!("../../../../tests/fixtures/hosts/claude-code/session.jsonl");

    fn courier(folder: &Path) -> Courier {
        Courier { settings: Settings::default(), state: State::at(folder.join("state")).unwrap(), known: HashSet::new() }
    }

    fn job(folder: &Path, text: &str) -> Job {
        let path = folder.join("session.jsonl");
        fs::write(&path, text).unwrap();
        let transcript = Transcript::File(path);
        Job { host: Host::ClaudeCode, session: "s".into(), folder: folder.to_owned(), transcript, failures: 0 }
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

    #[test]
    fn a_session_that_was_written_anew_or_is_gone_breaks_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::of(folder.path()).unwrap();
        let (courier, job) = (courier(folder.path()), job(folder.path(), SESSION));
        courier.state.put(Kind::Sent, &job.name(), &Sent { bytes: 1 << 40, calls: BTreeSet::new() }).unwrap();
        let (batch, _) = courier.next(&job, &place).unwrap();
        assert!(batch.ids.len() == 5 && batch.then.bytes < SESSION.len() as u64);
        fs::remove_file(folder.path().join("session.jsonl")).unwrap();
        let (batch, ended) = courier.next(&job, &place).unwrap();
        assert!(batch.ids.is_empty() && ended);
    }
}

//! Sends what hooks left to the server: reads what is new of each session, takes secrets out of it, and has it captured.
//!
//! At least once, and each message once: a batch is written down before it is sent, with a key under which the server takes it once. Only
//! when the server has it, its messages count as sent. What cannot be sent stays where the host keeps it.

#[cfg(test)]
mod tests;

use super::client::{Fault, Server};
use super::place::Place;
use super::project::Project;
use super::recall::cut;
use super::rules::Capture;
use super::session::reference;
use super::settings::Settings;
use super::spool::{Job, Transcript};
use super::state::{Kind, State, digest, open};
use super::{Failure, Host, spool};
use extract::Role;
use extract::transcript::session::{self, Filter, Said, Window};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
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
/// Bytes of a file before the place up to which it was sent, by which it is recognised.
const TAIL: u64 = 1024;
/// Characters that are kept of what a person asked last.
const LAST_MAX: usize = 500;

/// How far a session was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Sent {
    /// Bytes of the file.
    bytes: u64,
    /// The digest of the last of them. It differs if the file was replaced.
    tail: String,
    /// Calls of tools whose answers are withheld.
    calls: BTreeSet<String>,
    /// How often a message was said, of those without an id and a time, by its digest.
    times: BTreeMap<String, u32>,
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

/// Does all jobs, one after another, unless another process does them.
///
/// # Errors
/// When there is no server, or it cannot take anything now.
pub async fn run(host: Host) -> Result<(), Failure> {
    let state = State::open()?;
    for kind in [Kind::Given, Kind::Tokens, Kind::Messages, Kind::Sent, Kind::Refused, Kind::Last, Kind::Projects] {
        let pruned = state.prune(kind);
        if kind == Kind::Messages && pruned > 0 {
            state.log("Deliver", &format!("sessions that waited too long were dropped: {pruned}"))?;
        }
    }
    let Some(settings) = Settings::read(host, &state)? else { return Ok(()) };
    let mut courier = Courier { known: HashSet::new(), told: BTreeSet::new(), seen: BTreeSet::new(), settings, state };
    courier.alone().await
}

/// Carries sessions to the server.
struct Courier {
    settings: Settings,
    state: State,
    /// The messages that were sent, by their digests.
    known: HashSet<String>,
    /// What the log says already.
    told: BTreeSet<String>,
    /// The jobs that were done or tried.
    seen: BTreeSet<String>,
}

impl Courier {
    /// Does all jobs while it holds the lock, and looks again after it let go: the process of a job that came meanwhile found it held.
    async fn alone(&mut self) -> Result<(), Failure> {
        while !self.waiting().is_empty() {
            let Some(_lock) = self.state.try_lock("lock")? else { return Ok(()) };
            self.known = ledger(&self.state);
            self.all().await?;
        }
        Ok(())
    }

    /// The jobs that were not tried yet, the newest first.
    fn waiting(&self) -> Vec<String> {
        self.state.names(Kind::Jobs).into_iter().rev().filter(|name| !self.seen.contains(name)).collect()
    }

    async fn all(&mut self) -> Result<(), Failure> {
        for name in self.waiting() {
            self.seen.insert(name.clone());
            let Some(job) = self.state.get::<Job>(Kind::Jobs, &name) else {
                self.state.remove(Kind::Jobs, &name);
                continue;
            };
            let Err(problem) = self.session(&job).await else {
                spool::done(&name, &self.state);
                continue;
            };
            match problem.downcast_ref::<Fault>() {
                Some(Fault::Away(_)) => return Err(problem),
                // Another repository may have another key, and another session other words: the job stays, and the rest goes on.
                Some(_) => self.tell(&problem.to_string())?,
                None if job.failures < FAILURES_MAX => {
                    self.tell(&problem.to_string())?;
                    self.state.put(Kind::Jobs, &name, &Job { failures: job.failures + 1, ..job })?;
                }
                None => {
                    self.tell(&format!("a session was given up: {problem}"))?;
                    self.state.remove(Kind::Batches, &job.name());
                    spool::done(&name, &self.state);
                }
            }
        }
        Ok(())
    }

    /// Writes a line to the log, once of many that are the same.
    fn tell(&mut self, problem: &str) -> Result<(), Failure> {
        if self.told.insert(problem.to_owned()) { self.state.log("Deliver", problem) } else { Ok(()) }
    }

    async fn session(&mut self, job: &Job) -> Result<(), Failure> {
        let place = job.place()?;
        if place.rules.capture == Capture::Nothing {
            return self.pass_over(job, &place);
        }
        let server = Server::new(&self.settings, place.rules.agent.as_deref(), CALL)?;
        let name = job.name();
        if let Some(batch) = self.state.get::<Batch>(Kind::Batches, &name) {
            self.send(&server, &place, job, &batch).await?;
        }
        loop {
            let (batch, ended) = self.next(job, &place)?;
            if batch.ids.is_empty() {
                self.state.put(Kind::Sent, &name, &batch.then)?;
            } else {
                self.state.put(Kind::Batches, &name, &batch)?;
                self.send(&server, &place, job, &batch).await?;
            }
            if ended {
                return Ok(());
            }
        }
    }

    /// Counts what is new as sent: nothing of it is captured when the rules are others one day.
    fn pass_over(&mut self, job: &Job, place: &Place) -> Result<(), Failure> {
        loop {
            let (batch, ended) = self.next(job, place)?;
            self.count(job, &batch)?;
            if ended {
                return Ok(());
            }
        }
    }

    /// The next part of a session, and whether it is the last for now.
    fn next(&self, job: &Job, place: &Place) -> Result<(Batch, bool), Failure> {
        let mut sent: Sent = self.state.get(Kind::Sent, &job.name()).unwrap_or_default();
        let names = |text: &str| place.rules.forbid(text);
        let mut filter = Filter { names: &names, calls: std::mem::take(&mut sent.calls) };
        let window = self.read(job, &mut sent, &mut filter)?;
        if window.skipped > 0 {
            self.state.log("Deliver", &format!("lines of a session that are too long or no JSON were skipped: {}", window.skipped))?;
        }
        let mut body: Vec<Value> = Vec::new();
        let mut ids: Vec<String> = Vec::new();
        for one in window.said {
            let id = identity(job, &one, &mut sent.times);
            if (place.rules.capture == Capture::Words && one.role == Role::Machine) || self.known.contains(&id) || ids.contains(&id) {
                continue;
            }
            let text = guard::without_secrets(one.text);
            if let (Role::Person, Some(project)) = (one.role, &place.project)
                && place.rules.capture != Capture::Nothing
            {
                self.state.put(Kind::Last, &digest(&project.slug), &text.chars().take(LAST_MAX).collect::<String>())?;
            }
            body.push(json!({ "role": role(one.role), "content": text, "at": one.at }));
            ids.push(id);
        }
        let project = place.project.as_ref().map_or("a folder", |project| project.name.as_str());
        let title = format!("{} in {}", job.host.label(), cut(project, 200));
        let then = Sent { calls: filter.calls, ..sent };
        Ok((Batch { title, body: Value::Array(body).to_string(), ids, then }, window.ended))
    }

    /// Reads the part of a session after what was sent, and notes where it ends.
    fn read(&self, job: &Job, sent: &mut Sent, filter: &mut Filter<'_>) -> Result<Window, Failure> {
        let path = match &job.transcript {
            Transcript::Messages(name) => {
                *sent = Sent::default();
                let mut said: Vec<Said> = self.state.get(Kind::Messages, name).unwrap_or_default();
                said.retain(|one| !(filter.names)(&one.text));
                return Ok(Window { said, ended: true, ..Window::default() });
            }
            Transcript::File(path) => path,
        };
        let mut file = match File::open(path) {
            // A session that the host removed, or never wrote.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Window { ended: true, ..Window::default() }),
            opened => opened?,
        };
        if !file.metadata()?.is_file() {
            return Err("the session is no file".into());
        }
        if path.extension().is_some_and(|ending| ending == "json") {
            *sent = Sent::default();
            return Ok(session::document(&mut file, filter)?);
        }
        if tail(&file, sent.bytes)? != sent.tail {
            *sent = Sent::default();
        }
        file.seek(SeekFrom::Start(sent.bytes))?;
        let window = session::lines(&mut BufReader::new(&file), filter)?;
        sent.bytes += window.bytes;
        sent.tail = tail(&file, sent.bytes)?;
        Ok(window)
    }

    /// Sends a batch, and notes that it was sent. One that the server refuses is put aside: it would be refused again.
    async fn send(&mut self, server: &Server, place: &Place, job: &Job, batch: &Batch) -> Result<(), Failure> {
        match self.captured(server, place, job, batch).await {
            Ok(()) => {}
            Err(Fault::Refused(why)) => {
                self.tell(&format!("a part of a session was refused and put aside: {why}"))?;
                self.state.put(Kind::Refused, &digest(&batch.body), batch)?;
            }
            Err(fault) => return Err(fault.into()),
        }
        self.count(job, batch)
    }

    /// Counts the messages of a batch as sent.
    fn count(&mut self, job: &Job, batch: &Batch) -> Result<(), Failure> {
        if !batch.ids.is_empty() {
            append(&self.state.ledger(), &batch.ids)?;
        }
        self.known.extend(batch.ids.iter().cloned());
        self.state.put(Kind::Sent, &job.name(), &batch.then)?;
        self.state.remove(Kind::Batches, &job.name());
        Ok(())
    }

    async fn captured(&self, server: &Server, place: &Place, job: &Job, batch: &Batch) -> Result<(), Fault> {
        let project = Project::of(server, &self.state, place).await?;
        let server = &server.within(&reference(job.host, &job.session, project.as_ref(), &self.state));
        let session = job.session.parse::<Uuid>().ok().map(|id| id.to_string());
        let mut parameters = vec![("form", "transcript"), ("title", batch.title.as_str())];
        parameters.extend(session.as_deref().map(|id| ("session_id", id)));
        // Of another user it is another request, which the server refuses under the same key.
        let key = digest(&format!("{} {} {}", server.whose(), job.name(), batch.body));
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

/// The digest of what stands before a place of a file.
fn tail(mut file: &File, end: u64) -> std::io::Result<String> {
    let (begin, mut bytes) = (end.saturating_sub(TAIL), Vec::new());
    file.seek(SeekFrom::Start(begin))?;
    file.take(end - begin).read_to_end(&mut bytes)?;
    Ok(digest(&String::from_utf8_lossy(&bytes)))
}

/// The digest of a message, the same in every copy of it: of the host's id, or else of who said what and when, or else of how often it was
/// said in the session.
fn identity(job: &Job, Said { id, role, at, text }: &Said, times: &mut BTreeMap<String, u32>) -> String {
    let host = job.host.id();
    let who = match (id, at) {
        (Some(id), _) => format!("{host} {id}"),
        (None, Some(at)) => format!("{host} {role:?} {} {text}", at.to_rfc3339()),
        (None, None) => {
            let said = digest(&format!("{role:?} {text}"));
            let number = times.entry(said.clone()).and_modify(|number| *number += 1).or_default();
            format!("{host} {} {said} {number}", job.session)
        }
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

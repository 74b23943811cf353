//! Callers: a client of the server, or one of what the server is compared with. Each repeats one task on one connection that it keeps.

use super::Target;
use super::http::{Access, Answer, Http, refused};
use super::peer::Peer;
use super::rounds::Slice;
use super::store::{Asked, Reach, Sql};
use super::texts::{self, mix};
use crate::Failure;
use models::local::{Bare, Ready};
use models::{Embedder, Role};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use wire::{ContextRequest, KnowledgeRequest, MessagesRequest, NewMessage, RecallRequest, Role as Speaker};

/// Memories in one batch of [`Operation::Batch`].
pub const BATCH: usize = 50;
/// Messages in one request of [`Operation::Messages`].
pub const MESSAGES: usize = 2;
/// Sessions that messages are added to.
const SESSIONS: u64 = 20;
/// Texts in one call of the model, as the server makes them.
pub const CALL: usize = 32;
/// The number of the first text that is made while something is measured: loading never comes so far.
const FIRST_TEXT: u64 = 1 << 40;
/// Questions that ONNX Runtime alone reads again and again.
const READY: u64 = 32;

/// What a client asks of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// One memory.
    Remember,
    /// 50 memories.
    Batch,
    /// Ten hits.
    Recall,
    /// `context_for` a task.
    Context,
    /// Two messages of a session.
    Messages,
    /// Ten hits of the organisation's documents.
    Knowledge,
    /// A page of the console, by its path.
    Page(&'static str),
}

impl Operation {
    /// Whether it stores something.
    pub fn writes(self) -> bool {
        matches!(self, Self::Remember | Self::Batch | Self::Messages)
    }

    /// What it is compared with: what must happen in any case. With embedding, that of the same texts comes first. Nothing for a page and for
    /// documents.
    pub fn basis(self, embedding: bool) -> Vec<Reference> {
        let (embedded, last) = match self {
            Self::Remember => (Reference::Memories(1), Reference::Commit),
            Self::Batch => (Reference::Memories(BATCH), Reference::Commit),
            Self::Messages => (Reference::Memories(MESSAGES), Reference::Commit),
            Self::Recall | Self::Context => (Reference::Question, Reference::Rows),
            Self::Knowledge | Self::Page(_) => return vec![],
        };
        if embedding { vec![embedded, last] } else { vec![last] }
    }

    /// Its name in reports.
    pub fn name(self) -> String {
        match self {
            Self::Remember => "remember".into(),
            Self::Batch => "batch of 50".into(),
            Self::Recall => "recall".into(),
            Self::Context => "context".into(),
            Self::Messages => "2 messages".into(),
            Self::Knowledge => "search of documents".into(),
            Self::Page(path) => format!("page {path}"),
        }
    }
}

/// What the server is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// `select 1`.
    One,
    /// A durable transaction of one row.
    Commit,
    /// The embedding of a question, by the model alone.
    Question,
    /// That of so many memories.
    Memories(usize),
    /// The rows of the hits, by their ids.
    Rows,
    /// The search of a recall, as one prepared statement.
    Search,
}

/// What one side of a comparison repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// A request to the server, and whether it has to embed for it.
    Ask(Operation, bool),
    Reference(Reference),
    /// ONNX Runtime alone, with questions that are tokens already.
    Runtime,
    /// The search of LangGraph's PostgresStore.
    Peer,
}

impl Task {
    /// Its name in reports.
    pub fn name(self) -> String {
        match self {
            Self::Ask(operation, false) => operation.name(),
            Self::Ask(operation, true) => format!("{}, embedding", operation.name()),
            Self::Reference(Reference::One) => "select 1".into(),
            Self::Reference(Reference::Commit) => "one durable commit".into(),
            Self::Reference(Reference::Question) => "embedding of a question".into(),
            Self::Reference(Reference::Memories(1)) => "embedding of a memory".into(),
            Self::Reference(Reference::Memories(many)) => format!("embedding of {many} memories"),
            Self::Reference(Reference::Rows) => "rows by id".into(),
            Self::Reference(Reference::Search) => "search statement".into(),
            Self::Runtime => "ONNX Runtime alone".into(),
            Self::Peer => "LangGraph PostgresStore".into(),
        }
    }
}

/// An agent that is measured, with the questions whose vectors the server knows already.
pub struct Measured {
    /// Its memories when it was loaded.
    pub size: usize,
    pub key: String,
    pub reach: Reach,
    pub asked: Vec<Asked>,
}

/// How long a slice lasts, and how many operations of one caller it has at most.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub length: Duration,
    pub most: usize,
}

/// One who repeats a task.
pub enum Caller {
    Ours { http: Http, operation: Operation, embedding: bool, of: Arc<Measured>, numbers: Arc<AtomicU64> },
    Reference { sql: Sql, embedder: Arc<dyn Embedder>, reference: Reference, of: Arc<Measured>, numbers: Arc<AtomicU64> },
    Runtime { bare: Box<Bare>, ready: Vec<Ready>, next: usize },
    Peer(Box<Peer>),
}

impl Caller {
    /// One caller of a task, connected. What asks without embedding asks what the server embedded before, or writes to the server whose vectors
    /// are made.
    ///
    /// # Errors
    /// When a connection is refused, or the target lacks what the task needs.
    pub async fn new(target: &Target, of: &Arc<Measured>, task: Task) -> Result<Self, Failure> {
        let (numbers, of) = (Arc::clone(&target.numbers), Arc::clone(of));
        match task {
            Task::Ask(operation, embedding) => {
                let address = if operation.writes() && !embedding { target.made_address } else { target.address };
                let access = match operation {
                    Operation::Page(_) => Access::Session(&target.session),
                    Operation::Knowledge => Access::Key(&target.reader),
                    _ => Access::Key(&of.key),
                };
                let http = Http::connect(address, access).await?;
                Ok(Self::Ours { http, operation, embedding, of, numbers })
            }
            Task::Reference(reference) => {
                let (sql, embedder) = (Sql::connect(&target.urls).await?, Arc::clone(&target.embedder));
                Ok(Self::Reference { sql, embedder, reference, of, numbers })
            }
            Task::Runtime => {
                let options = target.runtime.clone().ok_or("the model does not run in this process")?;
                let bare = tokio::task::spawn_blocking(move || Bare::load(&options)).await??;
                let ready = (0..READY).map(|number| bare.ready(&[texts::question(number)], Role::Query)).collect::<Result<_, _>>()?;
                Ok(Self::Runtime { bare: Box::new(bare), ready, next: 0 })
            }
            Task::Peer => {
                let (python, mut sql) = (target.peer.as_ref().ok_or("no Python was named")?, Sql::connect(&target.urls).await?);
                Ok(Self::Peer(Box::new(Peer::start(python, &target.urls.agent_memory, &of, &mut sql).await?)))
            }
        }
    }

    /// Repeats the task until the slice is over, once at least.
    async fn repeat(&mut self, limit: Limit) -> Result<Slice, Failure> {
        if let Self::Peer(peer) = self {
            return peer.repeat(limit).await;
        }
        let (begin, mut slice) = (Instant::now(), Slice::default());
        while slice.times.is_empty() || (slice.times.len() < limit.most && begin.elapsed() < limit.length) {
            let start = Instant::now();
            let done = self.once().await?;
            slice.times.push(start.elapsed().as_secs_f64() * 1000.0);
            slice.failed += usize::from(!done);
        }
        Ok(slice)
    }

    /// Does it once; whether the server did not refuse it.
    async fn once(&mut self) -> Result<bool, Failure> {
        match self {
            Self::Ours { http, operation, embedding, of, numbers } => {
                let number = numbers.fetch_add(1, Ordering::Relaxed);
                let answer = ask(http, *operation, *embedding, of, number).await?;
                // A batch answers with success if items fail.
                let all_stored = || *operation != Operation::Batch || String::from_utf8_lossy(&answer.body).contains("\"failed\":0");
                Ok(answer.status.is_success() && all_stored())
            }
            Self::Reference { sql, embedder, reference, of, numbers } => {
                let number = numbers.fetch_add(1, Ordering::Relaxed);
                refer(sql, &**embedder, *reference, of, number).await?;
                Ok(true)
            }
            Self::Runtime { bare, ready, next } => {
                *next = (*next + 1) % ready.len();
                Ok(!bare.run(&ready[*next])?.is_empty())
            }
            Self::Peer(peer) => Ok(peer.repeat(Limit { length: Duration::ZERO, most: 1 }).await?.failed == 0),
        }
    }
}

/// Numbers that no text has yet.
pub fn numbers() -> Arc<AtomicU64> {
    Arc::new(AtomicU64::new(FIRST_TEXT))
}

/// Sends the request of a number.
async fn ask(http: &mut Http, operation: Operation, embedding: bool, of: &Measured, number: u64) -> Result<Answer, Failure> {
    let question = || if embedding { texts::question(number) } else { known(of, number).text.clone() };
    match operation {
        Operation::Remember => http.post("/api/tools/agent_memory_remember", &texts::memory(number)).await,
        Operation::Batch => {
            let items: Vec<_> = (0..BATCH as u64).map(|place| texts::memory(mix(number) ^ place)).collect();
            http.post("/api/memories/batch", &json!({ "items": items })).await
        }
        Operation::Recall => recall(http, &question()).await,
        Operation::Context => http.post("/api/tools/context_for", &ContextRequest::new(&question())).await,
        Operation::Messages => {
            let message = |place: usize| NewMessage {
                role: if place.is_multiple_of(2) { Speaker::User } else { Speaker::Assistant },
                content: texts::memory(mix(number) ^ place as u64).content,
                message_id: None,
                observed_at: None,
                importance: None,
                retention: None,
            };
            let request = MessagesRequest { messages: (0..MESSAGES).map(message).collect(), topic: None, platform: None, user_id: None };
            http.post(&format!("/api/sessions/bench-{}/messages", number % SESSIONS), &request).await
        }
        Operation::Knowledge => {
            http.post("/api/tools/shared_kb_search", &KnowledgeRequest { query: question(), k: 10, kinds: vec![] }).await
        }
        Operation::Page(path) => http.get(path).await,
    }
}

/// Recalls ten hits.
///
/// # Errors
/// When the connection breaks, or there is no answer in time.
pub async fn recall(http: &mut Http, question: &str) -> Result<Answer, Failure> {
    http.post("/api/tools/agent_memory_recall", &RecallRequest::new(question)).await
}

/// The ids of the memories in the answer to a recall.
///
/// # Errors
/// When it is no such answer; the error quotes it.
pub fn hits(answer: &Answer) -> Result<Vec<uuid::Uuid>, Failure> {
    if !answer.status.is_success() {
        return Err(refused("a recall", answer));
    }
    let answer: Value = serde_json::from_slice(&answer.body)?;
    let hits = answer["hits"].as_array().ok_or("the answer to a recall has no hits")?;
    Ok(hits.iter().filter_map(|hit| hit["memory_id"].as_str()?.parse().ok()).collect())
}

/// Does what a reference does.
async fn refer(sql: &mut Sql, embedder: &dyn Embedder, reference: Reference, of: &Measured, number: u64) -> Result<(), Failure> {
    match reference {
        Reference::One => sql.one().await,
        Reference::Commit => sql.commit(i64::try_from(number)?).await,
        Reference::Question => {
            embedder.embed(vec![texts::question(number)], Role::Query).await?;
            Ok(())
        }
        Reference::Memories(many) => {
            let text = |place: usize| {
                let memory = texts::memory(mix(number) ^ place as u64);
                format!("{}\n{}", memory.topic_raw, memory.content)
            };
            let all: Vec<String> = (0..many).map(text).collect();
            for call in all.chunks(CALL) {
                embedder.embed(call.to_vec(), Role::Passage).await?;
            }
            Ok(())
        }
        Reference::Rows => sql.rows(&of.reach, &known(of, number).ids).await,
        Reference::Search => sql.search(&of.reach, known(of, number)).await,
    }
}

/// One of the questions that were asked before.
fn known(of: &Measured, number: u64) -> &Asked {
    &of.asked[(number % of.asked.len() as u64) as usize]
}

/// Lets callers work side by side for a slice, and gives them back.
///
/// # Errors
/// When a connection breaks.
pub async fn slice(callers: Vec<Caller>, limit: Limit) -> Result<(Vec<Caller>, Slice), Failure> {
    let (begin, mut tasks) = (Instant::now(), JoinSet::new());
    for mut caller in callers {
        tasks.spawn(async move { caller.repeat(limit).await.map(|part| (caller, part)) });
    }
    let (mut back, mut all) = (Vec::new(), Slice::default());
    while let Some(done) = tasks.join_next().await {
        let (caller, part) = done??;
        back.push(caller);
        all.add(part);
    }
    all.seconds = begin.elapsed().as_secs_f64();
    Ok((back, all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::StatusCode;

    #[test]
    fn an_operation_is_compared_with_what_must_happen_in_any_case() {
        assert_eq!(Operation::Recall.basis(true), [Reference::Question, Reference::Rows]);
        assert_eq!(Operation::Context.basis(false), [Reference::Rows]);
        assert_eq!(Operation::Batch.basis(true), [Reference::Memories(BATCH), Reference::Commit]);
        assert_eq!(Operation::Remember.basis(false), [Reference::Commit]);
        assert_eq!(Operation::Knowledge.basis(true), []);
    }

    #[test]
    fn hits_are_the_memories_of_an_answer() {
        let id = "0198a8a0-0000-7000-8000-000000000001";
        let body = json!({ "hits": [{ "memory_id": id }, { "document_id": "d", "source_tag": "canonical" }] }).to_string();
        assert_eq!(hits(&Answer { status: StatusCode::OK, body: body.into() }).unwrap(), [id.parse::<uuid::Uuid>().unwrap()]);
        let refused = Answer { status: StatusCode::TOO_MANY_REQUESTS, body: "slow down".into() };
        let refused = hits(&refused).unwrap_err().to_string();
        assert!(refused.contains("429") && refused.contains("slow down"), "{refused}");
    }
}

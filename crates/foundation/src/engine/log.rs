//! The retrieval log and the access counters: they are written through a bounded queue, so that no recall waits for a commit.

use crate::registry::Floors;
use chrono::{DateTime, Utc};
use db::Tenancy;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;
use wire::{AgentId, ChunkId, DocumentId, MatchedBy, MemoryId, NothingReason, Part, Ranking, RetrievalId, SessionRef, UserId};

/// Entries that may wait; beyond that they are dropped and counted.
const QUEUE: usize = 4096;

/// One recall as the log keeps it.
#[derive(Clone, Debug)]
pub struct Entry {
    pub tenancy: Tenancy,
    pub agent_id: AgentId,
    pub id: RetrievalId,
    pub at: DateTime<Utc>,
    pub user_id: Option<UserId>,
    /// The session of a coding agent that it was made in.
    pub session: Option<(Uuid, Arc<SessionRef>)>,
    /// Whether it is the search behind a context before a task.
    pub for_context: bool,
    /// How many memories and passages the context gave; absent for a recall.
    pub given: Option<i32>,
    pub query: String,
    pub query_canonical: Option<String>,
    pub k: u32,
    pub expected: bool,
    /// Whether memories far below the best were dropped.
    pub fewer: bool,
    pub ranking: Ranking,
    pub filters: serde_json::Value,
    pub model: String,
    pub floors: Floors,
    pub vocabulary_version: i64,
    pub statistics: serde_json::Value,
    /// Best first, returned or not.
    pub candidates: Vec<LoggedMemory>,
    pub knowledge: Vec<LoggedChunk>,
    pub zero_hit: bool,
    pub reason: Option<NothingReason>,
    /// How many memories were scored.
    pub considered: i64,
    /// The query's vector, if nothing was found: the near misses are determined when the entry is written.
    pub vector: Option<Arc<[f32]>>,
    pub degraded: Vec<String>,
    pub took_ms: f64,
}

/// A candidate memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedMemory {
    pub memory_id: MemoryId,
    pub agent_id: AgentId,
    pub version: i32,
    pub similarity: f64,
    pub recency: f64,
    pub score: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    pub matched_by: MatchedBy,
    pub passed: bool,
    /// Its place in the answer, from 1, if it was returned.
    pub rank: Option<u32>,
}

/// A candidate chunk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedChunk {
    pub document_id: DocumentId,
    pub chunk_id: ChunkId,
    pub similarity: f64,
    /// Absent in entries from before scores were logged; its similarity is used instead.
    pub score: Option<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    pub matched_by: MatchedBy,
    pub passed: bool,
    /// Its place in the answer, from 1, if it was returned.
    pub rank: Option<u32>,
}

/// How often a memory was returned, and when last.
pub struct Access {
    pub agent_id: AgentId,
    pub memory_id: MemoryId,
    pub count: i64,
    pub last: DateTime<Utc>,
}

/// A message of the queue to the writer.
pub enum Message {
    Entry(Box<Entry>),
    /// Memories that were returned by something that the log does not list.
    Accesses(Tenancy, Vec<Access>),
    /// Answered when every earlier message is written.
    Flush(oneshot::Sender<()>),
}

/// The queue of the retrieval log. Recalls put entries in; one writer takes them out.
pub struct RetrievalLog {
    sender: mpsc::Sender<Message>,
    receiver: Mutex<Option<mpsc::Receiver<Message>>>,
}

impl Default for RetrievalLog {
    fn default() -> Self {
        let (sender, receiver) = mpsc::channel(QUEUE);
        Self { sender, receiver: Mutex::new(Some(receiver)) }
    }
}

impl RetrievalLog {
    /// Queues an entry. When the queue is full the entry is dropped and counted: an answer is worth more than its log.
    pub fn write(&self, entry: Entry) {
        if self.sender.try_send(Message::Entry(Box::new(entry))).is_err() {
            metrics::counter!("remembrancer_retrieval_log_dropped_total").increment(1);
        }
    }

    /// Queues accesses of memories. When the queue is full they are dropped: a lost count is no wrong answer.
    pub fn count(&self, tenancy: Tenancy, accesses: Vec<Access>) {
        if self.sender.try_send(Message::Accesses(tenancy, accesses)).is_err() {
            metrics::counter!("remembrancer_retrieval_log_dropped_total").increment(1);
        }
    }

    /// Waits until everything queued so far is written. For shutdown and tests.
    pub async fn flush(&self) {
        let (done, written) = oneshot::channel();
        if self.sender.send(Message::Flush(done)).await.is_ok() {
            // An error means that the writer has stopped: there is nothing to wait for.
            let _ = written.await;
        }
    }

    /// The receiver of the queue; only the first caller gets it.
    pub fn take_receiver(&self) -> Option<mpsc::Receiver<Message>> {
        self.receiver.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

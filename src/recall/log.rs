//! The retrieval log and the access counters: they leave through a bounded queue, so that no recall waits on a commit.

use super::ranking::Floors;
use super::silence::{self, Near, Silent};
use super::store;
use crate::api::{AgentId, ChunkId, DocumentId, MatchedBy, MemoryId, NothingReason, Part, Ranking, RetrievalId, UserId, ZeroHitCause};
use crate::db::{DbError, Tx};
use crate::engine::Engine;
use crate::op::Tenancy;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Entries that may wait; beyond that they are dropped and counted.
const QUEUE: usize = 4096;
/// Entries per transaction.
const BATCH: usize = 256;
/// How long entries gather before they are written.
const GATHER: Duration = Duration::from_millis(200);

/// One recall as the log keeps it.
#[derive(Clone, Debug)]
pub struct Entry {
    pub tenancy: Tenancy,
    pub agent_id: AgentId,
    pub id: RetrievalId,
    pub at: DateTime<Utc>,
    pub user_id: Option<UserId>,
    pub query: String,
    pub query_canonical: Option<String>,
    pub k: u32,
    pub expected: bool,
    /// Whether the memories ended where their scores fall off.
    pub fewer: bool,
    pub ranking: Ranking,
    pub filters: serde_json::Value,
    pub model: String,
    pub floors: Floors,
    pub vocabulary_version: i64,
    pub statistics: serde_json::Value,
    /// Best first, returned or not.
    pub candidates: Vec<Candidate>,
    pub knowledge: Vec<Chunk>,
    pub zero_hit: bool,
    pub reason: Option<NothingReason>,
    /// How many memories were looked at.
    pub considered: i64,
    /// The query's vector, where nothing was found: what was closest is looked up when the entry is written.
    pub vector: Option<Arc<[f32]>>,
    pub degraded: Vec<String>,
    pub took_ms: f64,
}

/// A memory that was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
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

/// A piece of knowledge that was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    pub document_id: DocumentId,
    pub chunk_id: ChunkId,
    pub similarity: f64,
    /// Its similarity, where lines were written before scores were kept.
    #[serde(default)]
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

enum Message {
    Entry(Box<Entry>),
    Flush(oneshot::Sender<()>),
}

/// The queue's two ends; the worker takes the receiving one.
pub struct LogWriter {
    sender: mpsc::Sender<Message>,
    receiver: Mutex<Option<mpsc::Receiver<Message>>>,
}

impl LogWriter {
    pub(crate) fn new() -> Self {
        let (sender, receiver) = mpsc::channel(QUEUE);
        Self { sender, receiver: Mutex::new(Some(receiver)) }
    }

    /// Hands an entry over. A full queue loses it, and says so in a metric: an answer is worth more than its log.
    pub fn write(&self, entry: Entry) {
        if self.sender.try_send(Message::Entry(Box::new(entry))).is_err() {
            metrics::counter!("remembrancer_retrieval_log_dropped_total").increment(1);
        }
    }

    /// Waits until everything handed over so far is written. For shutdown and tests.
    pub async fn flush(&self) {
        let (done, written) = oneshot::channel();
        if self.sender.send(Message::Flush(done)).await.is_ok() {
            // The worker is gone: there is nothing to wait for.
            let _ = written.await;
        }
    }
}

/// Writes batches until told to stop, then what is left.
pub async fn run(engine: Engine, stop: CancellationToken) {
    let Some(mut receiver) = engine.log().receiver.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        let stopping = tokio::select! {
            () = stop.cancelled() => true,
            count = receiver.recv_many(&mut batch, BATCH) => count == 0,
        };
        if stopping {
            while let Ok(message) = receiver.try_recv() {
                batch.push(message);
            }
        } else {
            gather(&mut receiver, &mut batch, &stop).await;
        }
        write(&engine, std::mem::take(&mut batch)).await;
        if stopping {
            return;
        }
    }
}

/// Adds what comes in a moment, unless somebody waits for what there is.
async fn gather(receiver: &mut mpsc::Receiver<Message>, batch: &mut Vec<Message>, stop: &CancellationToken) {
    let moment = tokio::time::sleep(GATHER);
    tokio::pin!(moment);
    while batch.len() < BATCH && !batch.iter().any(|message| matches!(message, Message::Flush(_))) {
        let room = BATCH - batch.len();
        tokio::select! {
            () = &mut moment => return,
            () = stop.cancelled() => return,
            _ = receiver.recv_many(batch, room) => {}
        }
    }
}

async fn write(engine: &Engine, messages: Vec<Message>) {
    let mut tenants: BTreeMap<_, (Tenancy, Vec<Entry>)> = BTreeMap::new();
    let mut waiting = Vec::new();
    for message in messages {
        match message {
            Message::Flush(done) => waiting.push(done),
            Message::Entry(entry) => {
                let tenancy = Tenancy { agent: crate::op::EVERY_AGENT, ..entry.tenancy };
                tenants.entry(tenancy.tenant).or_insert_with(|| (tenancy, Vec::new())).1.push(*entry);
            }
        }
    }
    for (tenancy, entries) in tenants.into_values() {
        let lost = entries.len() as u64;
        if let Err(error) = write_tenant(engine, tenancy, &entries).await {
            metrics::counter!("remembrancer_retrieval_log_dropped_total").increment(lost);
            tracing::warn!(%error, lost, "recalls were answered and could not be logged");
        }
    }
    for done in waiting {
        // Whoever waited may have given up.
        let _ = done.send(());
    }
}

async fn write_tenant(engine: &Engine, tenancy: Tenancy, entries: &[Entry]) -> Result<(), DbError> {
    let mut accesses: BTreeMap<(AgentId, MemoryId), Access> = BTreeMap::new();
    for entry in entries {
        for (agent_id, memory_id) in entry.candidates.iter().filter(|one| one.rank.is_some()).map(|one| (one.agent_id, one.memory_id)) {
            let new = || Access { agent_id, memory_id, count: 0, last: entry.at };
            let access = accesses.entry((agent_id, memory_id)).or_insert_with(new);
            access.count += 1;
            access.last = access.last.max(entry.at);
        }
    }
    let accesses: Vec<Access> = accesses.into_values().collect();
    let mut tx = engine.db().memory.begin(tenancy).await?;
    for entry in entries {
        let (cause, near) = match entry.zero_hit {
            true => silent(&mut tx, entry).await?,
            false => (None, Vec::new()),
        };
        store::insert_log(&mut tx, entry, cause, &near).await?;
    }
    if !accesses.is_empty() {
        store::count_accesses(&mut tx, tenancy.tenant, &accesses).await?;
    }
    tx.commit().await.map_err(Into::into)
}

async fn silent(tx: &mut Tx, entry: &Entry) -> Result<(Option<ZeroHitCause>, Vec<Near>), DbError> {
    let silent = Silent {
        tenant: entry.tenancy.tenant,
        agents: &[entry.agent_id, entry.tenancy.commons],
        user_id: entry.user_id,
        at: entry.at,
        model: &entry.model,
        floor: entry.floors.vector,
        reason: entry.reason,
        considered: entry.considered,
        vector: entry.vector.as_deref(),
    };
    let (cause, near) = silence::diagnose(tx, &silent).await?;
    let labels = [("cause", cause.as_str()), ("expected", if entry.expected { "true" } else { "false" })];
    metrics::counter!("agent_memory_recall_silences_total", &labels).increment(1);
    Ok((Some(cause), near))
}

//! The log writer: writes the retrieval log and the access counters in batches, and diagnoses recalls that found nothing.

use crate::recall::log::{Access, Entry, Message};
use crate::recall::near::{EmptyRecall, Near};
use crate::recall::store;
use crate::recall::zero_hit;
use db::{DbError, EVERY_AGENT, Tenancy, Users};
use foundation::{Engine, audit, sessions};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use wire::{AgentId, MemoryId, NoticeKind, RetrievalId, ZeroHitCause};

/// Entries per transaction.
const BATCH: usize = 256;
/// Most zero hits of one tenant and batch whose near misses are determined: each search reads all that the agent ever had. The others are
/// logged without near misses.
const DIAGNOSED: usize = 16;
/// How long entries are collected before they are written.
const GATHER: Duration = Duration::from_millis(200);

/// Writes batches until it is stopped, then the remaining entries.
pub async fn run(engine: Engine, stop: CancellationToken) {
    let Some(mut receiver) = engine.log().take_receiver() else { return };
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

/// Collects more entries for a moment, unless a caller waits for those in the batch.
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
    let mut tenants: BTreeMap<_, (Tenancy, Vec<Entry>, Vec<Access>)> = BTreeMap::new();
    let everyone = |tenancy: Tenancy| Tenancy { agent: EVERY_AGENT, users: Users::Every, ..tenancy };
    let mut waiting = Vec::new();
    for message in messages {
        match message {
            Message::Flush(done) => waiting.push(done),
            Message::Entry(entry) => {
                let tenancy = everyone(entry.tenancy);
                tenants.entry(tenancy.tenant).or_insert_with(|| (tenancy, Vec::new(), Vec::new())).1.push(*entry);
            }
            Message::Accesses(tenancy, accesses) => {
                let tenancy = everyone(tenancy);
                tenants.entry(tenancy.tenant).or_insert_with(|| (tenancy, Vec::new(), Vec::new())).2.extend(accesses);
            }
        }
    }
    for (tenancy, entries, accesses) in tenants.into_values() {
        let lost = entries.len() as u64;
        if let Err(error) = write_tenant(engine, tenancy, &entries, accesses).await {
            metrics::counter!("remembrancer_retrieval_log_dropped_total").increment(lost);
            tracing::warn!(%error, lost, "recalls were answered and could not be logged");
        }
    }
    for done in waiting {
        // The caller may have given up.
        let _ = done.send(());
    }
}

async fn write_tenant(engine: &Engine, tenancy: Tenancy, entries: &[Entry], others: Vec<Access>) -> Result<(), DbError> {
    let returned = entries.iter().flat_map(|entry| {
        let hits = entry.candidates.iter().filter(|one| one.rank.is_some());
        hits.map(|one| Access { agent_id: one.agent_id, memory_id: one.memory_id, count: 1, last: entry.at })
    });
    let mut accesses: BTreeMap<(AgentId, MemoryId), Access> = BTreeMap::new();
    for Access { agent_id, memory_id, count, last } in returned.chain(others) {
        let access = accesses.entry((agent_id, memory_id)).or_insert_with(|| Access { agent_id, memory_id, count: 0, last });
        access.count += count;
        access.last = access.last.max(last);
    }
    let accesses: Vec<Access> = accesses.into_values().collect();
    let mut diagnoses = diagnose_all(engine, tenancy, entries).await;
    let mut tx = engine.db().memory.begin(tenancy).await?;
    for entry in entries {
        let (cause, near) = diagnoses.remove(&entry.id).unwrap_or_default();
        store::insert_log(&mut tx, entry, cause, &near).await?;
        if entry.zero_hit && entry.expected {
            audit::announce(engine, &mut tx, tenancy.tenant, entry.agent_id, NoticeKind::ZeroHitExpected, entry.id).await?;
        }
    }
    sessions::add_recalls(&mut tx, tenancy.tenant, entries).await?;
    if !accesses.is_empty() {
        store::count_accesses(&mut tx, tenancy.tenant, &accesses).await?;
    }
    tx.commit().await.map_err(Into::into)
}

type Diagnosis = (Option<ZeroHitCause>, Vec<Near>);

/// The causes of recalls that found nothing, and the near misses of the first [`DIAGNOSED`] of them. It has a transaction of its own: a
/// diagnosis that takes too long costs no entry of the log.
async fn diagnose_all(engine: &Engine, tenancy: Tenancy, entries: &[Entry]) -> HashMap<RetrievalId, Diagnosis> {
    let zero_hits: Vec<&Entry> = entries.iter().filter(|entry| entry.zero_hit).collect();
    let skipped = zero_hits.len().saturating_sub(DIAGNOSED) as u64;
    if skipped > 0 {
        metrics::counter!("remembrancer_near_misses_skipped_total").increment(skipped);
    }
    let mut diagnoses = match near_misses(engine, tenancy, &zero_hits).await {
        Ok(diagnoses) => diagnoses,
        Err(error) => {
            tracing::warn!(%error, "recalls that found nothing are logged without near misses");
            HashMap::new()
        }
    };
    for entry in zero_hits {
        let (cause, _) =
            diagnoses.entry(entry.id).or_insert_with(|| (Some(zero_hit::cause(entry.reason, entry.considered == 0, &[])), Vec::new()));
        let cause = cause.map_or("unknown", ZeroHitCause::as_str);
        let labels = [("cause", cause), ("expected", if entry.expected { "true" } else { "false" })];
        metrics::counter!("agent_memory_recall_silences_total", &labels).increment(1);
    }
    diagnoses
}

async fn near_misses(engine: &Engine, tenancy: Tenancy, zero_hits: &[&Entry]) -> Result<HashMap<RetrievalId, Diagnosis>, DbError> {
    let mut diagnoses = HashMap::new();
    if zero_hits.is_empty() {
        return Ok(diagnoses);
    }
    let mut tx = engine.db().memory.begin(tenancy).await?;
    for (place, entry) in zero_hits.iter().enumerate() {
        let empty = EmptyRecall {
            tenant: entry.tenancy.tenant,
            agent: entry.agent_id,
            commons: entry.tenancy.commons,
            user_id: entry.user_id,
            at: entry.at,
            model: &entry.model,
            floor: entry.floors.vector,
            reason: entry.reason,
            considered: entry.considered,
            vector: entry.vector.as_deref().filter(|_| place < DIAGNOSED),
        };
        let (cause, near) = zero_hit::diagnose(&mut tx, &empty).await?;
        diagnoses.insert(entry.id, (Some(cause), near));
    }
    tx.commit().await?;
    Ok(diagnoses)
}

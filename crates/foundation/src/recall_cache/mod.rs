//! The recall cache: memories and chunks of documents that this process keeps packed, so that a search finds them without reading rows. The
//! database is the truth: it says in the search's own snapshot what changed since, and a cell that it does not confirm is dropped.

pub mod chunks;
mod masked;
pub mod store;

pub use masked::{Masked, search};

use crate::heavy::{free_off_thread, off_thread, off_thread_if};
use crate::index::Vectors;
use crate::{Engine, Error};
use async_recursion::async_recursion as boxed;
use db::{Database, DbError, Tenancy, Tx, lift_statement_timeout};
use packed::{Cell, Key, Row};
use std::sync::Arc;
use store::{Embeddings, Owner, Version, Which};
use tracing::Instrument;
use uuid::Uuid;
use wire::{AgentId, UserId};

/// Memories or chunks that are read at a time to fill the cache.
const BATCH: usize = 4_096;
/// A cell of so few memories is read when a search needs it: that of a user who asks for the first time.
const SMALL: i64 = 500;
/// Work on more memories than this takes milliseconds: it gets a thread of its own.
const LARGE: i64 = 10_000;
/// Packing a memory takes about as long as searching so many.
const PACKING: i64 = 20;
/// About what a memory takes besides its vector and its words.
const BYTES_OF_MEMORY: usize = 100;
/// About what a term of a memory takes.
const BYTES_OF_TERM: usize = 6;

/// About how many bytes some memories take that have so many terms together.
fn bytes(dimension: usize, memories: i64, terms: i64) -> usize {
    let count = |number: i64| usize::try_from(number).unwrap_or_default();
    count(memories) * (2 * dimension + BYTES_OF_MEMORY) + count(terms) * BYTES_OF_TERM
}

/// What an agent's memories would take in the cache, those of all its users.
pub struct Demand {
    pub agent: AgentId,
    pub memories: i64,
    pub bytes: usize,
}

/// What the memories of agents would take. Agents that never had a memory are left out.
#[boxed]
pub async fn demands(engine: &Engine, tenancy: Tenancy, agents: &[AgentId]) -> Result<Vec<Demand>, Error> {
    let mut tx = engine.db().memory.begin(tenancy).await?;
    let sizes = store::sizes(&mut tx, tenancy, agents).await?;
    tx.commit().await?;
    let dimension = engine.model().dimension;
    let demand = |(agent, memories, terms)| Demand { agent, memories, bytes: bytes(dimension, memories, terms) };
    Ok(sizes.into_iter().map(demand).collect())
}

/// The cells of a search.
pub struct Cached {
    keys: Vec<Key>,
    /// Absent: to be read if it is small.
    cells: Vec<Option<Arc<Cell>>>,
    vectors: Vectors,
}

/// What a search reads.
#[derive(Clone, Copy)]
pub enum Searched<'a> {
    /// The memories of some agents.
    Memories(&'a [AgentId]),
    /// The chunks of the organisation's documents in force.
    Knowledge,
}

impl Searched<'_> {
    /// Counts a search that the cache could answer, by who answered it.
    pub fn count(self, engine: &Engine, outcome: &'static str) {
        match self {
            _ if engine.settings().backfill => {}
            Self::Memories(_) => metrics::counter!("agent_memory_recall_cache_total", "outcome" => outcome).increment(1),
            Self::Knowledge => metrics::counter!("shared_kb_recall_cache_total", "outcome" => outcome).increment(1),
        }
    }
}

/// The keys of what a search reads. Of memories: those of each agent without a user and, if there is one, of the user.
fn keys(engine: &Engine, tenancy: Tenancy, searched: Searched<'_>) -> Vec<Key> {
    let (tenant, model) = (tenancy.tenant.0, Arc::<str>::from(engine.model().name.as_str()));
    let Searched::Memories(agents) = searched else { return vec![Key { tenant, agent: None, user: None, model }] };
    let users = [None].into_iter().chain(tenancy.users.id().map(|user| Some(user.0)));
    let mut keys: Vec<Key> = Vec::new();
    for user in users {
        for AgentId(agent) in agents {
            let key = Key { tenant, agent: Some(*agent), user, model: Arc::clone(&model) };
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    keys
}

/// Whose memories a key names; nothing if it names chunks.
fn owner(key: &Key) -> Option<Owner> {
    key.agent.map(|agent| Owner { agent: AgentId(agent), user: key.user.map(UserId) })
}

/// Where the rows of the keys of a search are.
fn database<'a>(engine: &'a Engine, keys: &[Key]) -> &'a Database {
    if keys.iter().any(|key| key.agent.is_none()) { &engine.db().kb } else { &engine.db().memory }
}

/// What each key's owner has, and what was written of it since its mark, in their order.
async fn versions(tx: &mut Tx, tenancy: Tenancy, keys: &[Key], marks: &[i64]) -> Result<Vec<Version>, DbError> {
    match (keys, marks) {
        ([Key { agent: None, .. }], [mark]) => Ok(vec![chunks::version_of_chunks(tx, tenancy.tenant, *mark).await?]),
        _ => {
            let owners: Vec<(Owner, i64)> = keys.iter().filter_map(owner).zip(marks.iter().copied()).collect();
            store::versions(tx, tenancy, &owners).await
        }
    }
}

/// The rows of a key's owner.
async fn rows(tx: &mut Tx, tenancy: Tenancy, key: &Key, embeddings: Embeddings<'_>, which: Which<'_>) -> Result<Vec<Row>, DbError> {
    match owner(key) {
        Some(owner) => store::live_rows(tx, tenancy, owner, embeddings, which).await,
        None => chunks::chunks_in_force(tx, tenancy.tenant, embeddings, which).await,
    }
}

/// Whether a cell has what the database counts. It does not count chunks without a term.
fn agrees(key: &Key, cell: &Cell, version: &Version) -> bool {
    let counts = if key.agent.is_some() { cell.counts() } else { cell.worded() };
    counts == (version.documents, version.terms)
}

/// The model of an engine with its table of some vectors.
fn embeddings(engine: &Engine, vectors: Vectors) -> Result<Embeddings<'_>, DbError> {
    let model = engine.model();
    Ok(Embeddings { model: &model.name, vectors: vectors.of(model.dimension)? })
}

/// Whether searches always read the database. On a cluster each node numbers its own transactions, so no number says what was written since.
pub fn is_off(engine: &Engine) -> bool {
    let db = engine.db();
    engine.recall_cache().is_off() || db.memory.system().is_distributed() || db.kb.system().is_distributed()
}

/// The cells of a search, as far as the cache has them. To be called before the search's transaction begins: then its snapshot is later than
/// those of the cells.
pub fn look_up(engine: &Engine, tenancy: Tenancy, searched: Searched<'_>, vectors: Vectors) -> Option<Cached> {
    if is_off(engine) {
        return None;
    }
    let keys = keys(engine, tenancy, searched);
    let cells = engine.recall_cache().get(&keys)?;
    Some(Cached { keys, cells, vectors })
}

impl Cached {
    /// The cells as the transaction, which is a snapshot, sees the rows; nothing if one is missing and not small, lags too far behind, or does
    /// not have what the database counts because rows were erased. The last two are dropped.
    #[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant))]
    pub async fn catch_up(self, tx: &mut Tx, engine: &Engine, tenancy: Tenancy) -> Result<Option<Vec<Arc<Cell>>>, DbError> {
        let marks: Vec<i64> = self.cells.iter().map(mark).collect();
        let versions = versions(tx, tenancy, &self.keys, &marks).await?;
        let embeddings = embeddings(engine, self.vectors)?;
        let mut current = Vec::with_capacity(self.cells.len());
        for ((key, cell), version) in self.keys.into_iter().zip(self.cells).zip(&versions) {
            let now = match &cell {
                Some(cell) => of_version(tx, tenancy, &key, embeddings, cell, version).await?,
                None => small(tx, tenancy, &key, embeddings, engine.model().dimension, version).await?,
            };
            let Some(now) = now else {
                match &cell {
                    // Packed again now, it would have the same mark and lag as far behind.
                    Some(cell) if version.is_cut() && version.horizon == cell.mark() => engine.recall_cache().refuse(key),
                    Some(_) => engine.recall_cache().remove(&key),
                    None => {}
                }
                free(cell);
                return Ok(None);
            };
            if cell.as_ref().is_none_or(|cell| !Arc::ptr_eq(cell, &now)) {
                engine.recall_cache().put(key, Arc::clone(&now));
                free(cell);
            }
            current.push(now);
        }
        Ok(Some(current))
    }
}

/// Gives back a cell that the cache dropped: this may be the last of it.
fn free(cell: Option<Arc<Cell>>) {
    if let Some(cell) = cell.filter(|cell| cell.counts().0 > LARGE) {
        free_off_thread(cell);
    }
}

/// No transaction has this number, so nothing was written since.
const NEVER: i64 = i64::MAX;

fn mark(cell: &Option<Arc<Cell>>) -> i64 {
    cell.as_ref().map_or(NEVER, |cell| cell.mark())
}

/// A cell of few memories, read in the transaction of a search.
async fn small(
    tx: &mut Tx,
    tenancy: Tenancy,
    key: &Key,
    embeddings: Embeddings<'_>,
    dimension: usize,
    version: &Version,
) -> Result<Option<Arc<Cell>>, DbError> {
    if version.documents > SMALL {
        return Ok(None);
    }
    let rows = match version.documents {
        0 => vec![],
        documents => rows(tx, tenancy, key, embeddings, Which::After(Uuid::nil(), documents + 1)).await?,
    };
    let cell = Cell::new(dimension, version.horizon).with(version.horizon, &[], rows);
    Ok(agrees(key, &cell, version).then(|| Arc::new(cell)))
}

/// A cell with what changed since.
async fn of_version(
    tx: &mut Tx,
    tenancy: Tenancy,
    key: &Key,
    embeddings: Embeddings<'_>,
    cell: &Arc<Cell>,
    version: &Version,
) -> Result<Option<Arc<Cell>>, DbError> {
    // Numbers of transactions only fall if the database was replaced.
    if version.is_cut() || version.horizon < cell.mark() {
        return Ok(None);
    }
    let changed = cell.unknown(version.written());
    let now = if changed.is_empty() && version.horizon == cell.mark() {
        Arc::clone(cell)
    } else {
        let ids: Vec<Uuid> = changed.iter().map(|(id, _)| *id).collect();
        let rows = if ids.is_empty() { vec![] } else { rows(tx, tenancy, key, embeddings, Which::Ids(&ids)).await? };
        let (old, mark) = (Arc::clone(cell), version.horizon);
        let is_large = cell.counts().0 + PACKING * rows.len() as i64 > LARGE;
        // What cannot be packed is left to the database.
        let Ok(now) = off_thread_if(is_large, move || old.with(mark, &changed, rows)).await else { return Ok(None) };
        Arc::new(now)
    };
    Ok(agrees(key, &now, version).then_some(now))
}

/// Fills the cache after a search among `documents` that the database answered, if that is worth it: with what the search could have used.
pub fn fill_later(engine: &Engine, tenancy: Tenancy, searched: Searched<'_>, vectors: Vectors, documents: i64) {
    if is_off(engine) || documents < engine.settings().recall_cache_from {
        return;
    }
    searched.count(engine, "miss");
    let missing = engine.recall_cache().missing(keys(engine, tenancy, searched));
    if missing.is_empty() {
        return;
    }
    let Ok(turn) = Arc::clone(engine.cache_fills()).try_acquire_owned() else { return };
    let filler = engine.clone();
    let filling = async move {
        let _turn = turn;
        if let Err(error) = fill(&filler, tenancy, missing, vectors).await {
            tracing::warn!(error = %error.chain(), "the recall cache could not be filled");
        }
    };
    engine.defer(filling.instrument(tracing::debug_span!("fill_recall_cache", tenant = %tenancy.tenant)));
}

/// Packs memories or chunks as one snapshot has them, for whoever may read them.
async fn fill(engine: &Engine, tenancy: Tenancy, keys: Vec<Key>, vectors: Vectors) -> Result<(), Error> {
    let (cache, dimension, embeddings) = (engine.recall_cache(), engine.model().dimension, embeddings(engine, vectors)?);
    let mut tx = database(engine, &keys).begin_snapshot(tenancy).await?;
    lift_statement_timeout(&mut tx).await?;
    let versions = versions(&mut tx, tenancy, &keys, &vec![NEVER; keys.len()]).await?;
    if !cache.has_room(versions.iter().map(|one| bytes(dimension, one.documents, one.terms)).sum()) {
        keys.into_iter().for_each(|key| cache.refuse(key));
        return Ok(());
    }
    for (key, version) in keys.into_iter().zip(versions) {
        let (mut cell, mut after) = (Cell::new(dimension, version.horizon), Uuid::nil());
        loop {
            let rows = rows(&mut tx, tenancy, &key, embeddings, Which::After(after, BATCH as i64)).await?;
            let Some(last) = rows.last() else { break };
            after = last.id;
            cell = off_thread(move || cell.with(version.horizon, &[], rows)).await?;
        }
        if agrees(&key, &cell, &version) {
            // Idle cells that make room are freed.
            let keeper = engine.clone();
            off_thread(move || keeper.recall_cache().put(key, Arc::new(cell))).await?;
        } else {
            tracing::warn!(agent = ?key.agent, "the counts of words differ from the memories or chunks: searches read the database");
            cache.refuse(key);
        }
    }
    tx.commit().await?;
    Ok(())
}

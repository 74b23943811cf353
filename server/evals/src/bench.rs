//! `remembrancer bench`: how fast a server is, beside what Postgres and the model alone take for the same, in one run.
//!
//! Agents get memories whose vectors are made, because a model would take hours for them. What is measured embeds with the model. The server
//! and each reference take turns in short slices, and the ratio of each round counts: a machine that is busy meanwhile slows both.

mod caller;
mod chart;
mod http;
mod load;
mod machine;
mod made;
mod peer;
mod report;
mod rounds;
mod store;
mod texts;

pub use load::load;
pub use made::Made;
pub use peer::peer_version;
pub use report::{Process, Report};

use crate::{Failure, bar};
use caller::{Caller, Limit, Measured, Operation, Reference, hits, recall, slice};
use db::DatabaseUrls;
use foundation::OpContext;
use http::Http;
use load::Loaded;
use machine::Machine;
use models::{Embedder, Role};
use report::{Compared, Compares, Counted, Row};
use rounds::{Slice, Summary, ratio, spread};
use serde::Serialize;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};
use store::{Asked, Reach, Sql};
use words::stems;

/// Questions that are asked again and again: the server knows their vectors.
const KNOWN: u64 = 32;
/// Operations of one caller in a slice, at most: what was stored must stay small beside what was loaded.
const READS_MAX: usize = 5_000;
const WRITES_MAX: usize = 25;
const BATCHES_MAX: usize = 2;
/// Connections of a reference, at most: more than there are cores do not make Postgres faster.
const CONNECTIONS_MAX: usize = 8;
/// How long a server may take to become ready.
const READY: Duration = Duration::from_secs(120);
/// How often a server is asked whether it is ready.
const POLL: Duration = Duration::from_millis(5);

/// What is measured.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// Memories of each agent that is measured.
    pub sizes: Vec<usize>,
    /// Other agents, with ten memories each.
    pub agents: usize,
    /// Numbers of clients that work side by side.
    pub clients: Vec<usize>,
    /// How long each row measures the server, in all rounds together; each of its references takes as long.
    pub seconds: u64,
    /// Rounds of a row.
    pub rounds: u32,
    /// Operations of a client in a round, at most.
    pub most: usize,
    /// The version of LangGraph's PostgresStore whose searches are measured, too.
    pub peer: Option<String>,
}

/// The servers that are measured, and what is beside them.
pub struct Target {
    pub urls: DatabaseUrls,
    /// The model of the server.
    pub embedder: Arc<dyn Embedder>,
    /// Where the server with the model listens.
    pub address: SocketAddr,
    /// Where one listens whose vectors are made: writes without embedding go there.
    pub made_address: SocketAddr,
    /// A Python that has LangGraph's PostgresStore.
    pub peer: Option<PathBuf>,
    numbers: Arc<AtomicU64>,
}

impl Target {
    /// Servers on this machine, without a peer.
    pub fn new(urls: DatabaseUrls, embedder: Arc<dyn Embedder>, address: SocketAddr, made_address: SocketAddr) -> Self {
        Self { urls, embedder, address, made_address, peer: None, numbers: caller::numbers() }
    }
}

/// An agent that is measured.
pub struct Subject {
    pub ctx: OpContext,
    /// Its API key.
    pub key: String,
    /// The memories that were written.
    pub size: usize,
}

/// Waits until the server at an address is ready, and asks it some questions as each agent. How long the first took, since `start`.
///
/// # Errors
/// When it does not become ready in two minutes, or refuses a question.
pub async fn warm_up(address: SocketAddr, subjects: &[Subject], start: Instant) -> Result<Duration, Failure> {
    while !is_ready(address).await {
        if start.elapsed() > READY {
            return Err(format!("the server did not become ready within {} s", READY.as_secs()).into());
        }
        tokio::time::sleep(POLL).await;
    }
    let ready = start.elapsed();
    for subject in subjects {
        let mut http = Http::connect(address, &subject.key).await?;
        for number in 0..KNOWN {
            hits(&recall(&mut http, &texts::question(number)).await?)?;
        }
    }
    Ok(ready)
}

async fn is_ready(address: SocketAddr) -> bool {
    let Ok(mut http) = Http::connect(address, "").await else { return false };
    http.get("/readyz").await.is_ok_and(|answer| answer.is_success())
}

/// Bytes of memory that a process holds; none where the system does not say it.
pub fn resident(process: u32) -> Option<u64> {
    machine::resident(process)
}

/// Measures every operation as each agent: what reads first, then what writes.
///
/// # Errors
/// When a connection breaks, or the server refuses a question.
pub async fn measure(target: &Target, plan: &Plan, subjects: &[Subject], loaded: Loaded) -> Result<Report, Failure> {
    let mut sql = Sql::connect(&target.urls).await?;
    let machine = Machine::of(&mut sql).await?;
    let (mut agents, mut rows) = (Vec::new(), Vec::new());
    let bar = bar(subjects.iter().map(|subject| rows_of(plan, subject.size).len()).sum(), "rows")?;
    for subject in subjects {
        let (measured, counted) = prepare(target, subject, &mut sql).await?;
        agents.push(counted);
        for (operation, embedding, beside) in rows_of(plan, subject.size) {
            rows.push(row(target, plan, &measured, (subject.size, operation, embedding, beside)).await?);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let (database_bytes, postgres_bytes) = (store::size(&target.urls).await?, machine::postgres(&mut sql).await?);
    let model = target.embedder.model().to_owned();
    Ok(Report { machine, model, plan: plan.clone(), loaded, agents, rows, database_bytes, postgres_bytes, process: None })
}

/// What a row is measured beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    /// One client, beside what must happen in any case.
    Basis,
    /// So many clients, beside as many connections that do without the server.
    Clients(usize),
    /// One client, beside the peer.
    Peer,
}

/// The rows of an agent with so many memories: each operation with and without embedding by one client, then recalls and writes by several at
/// once.
fn rows_of(plan: &Plan, memories: usize) -> Vec<(Operation, bool, Beside)> {
    let (reads, writes) = ([Operation::Recall, Operation::Context], [Operation::Messages, Operation::Remember, Operation::Batch]);
    let both = |operation: Operation| [(operation, false), (operation, true)];
    let alone = |operations: Vec<Operation>| {
        operations.into_iter().flat_map(both).map(|(operation, embedding)| (operation, embedding, Beside::Basis))
    };
    let together =
        |operation: Operation, embedding: bool| plan.clients.iter().map(move |clients| (operation, embedding, Beside::Clients(*clients)));
    let read = alone(reads.to_vec()).chain(together(Operation::Recall, false)).chain(together(Operation::Recall, true));
    let has_peer = plan.peer.is_some() && memories <= peer::MEMORIES_MAX;
    let read = read.chain(has_peer.then_some((Operation::Recall, false, Beside::Peer)));
    read.chain(alone(writes.to_vec())).chain(together(Operation::Remember, true)).collect()
}

/// Asks the known questions once, so that the server knows their vectors and we know their hits.
async fn prepare(target: &Target, subject: &Subject, sql: &mut Sql) -> Result<(Arc<Measured>, Counted), Failure> {
    let (tenant, agent) = (subject.ctx.tenant_id.0, subject.ctx.agent_id()?.0);
    let mut http = Http::connect(target.address, &subject.key).await?;
    let mut asked = Vec::new();
    for number in 0..KNOWN {
        let text = texts::question(number);
        let ids = hits(&recall(&mut http, &text).await?)?;
        let vector = target.embedder.embed(vec![text.clone()], Role::Query).await?.pop().ok_or("the model gave no vector")?;
        asked.push(Asked { terms: stems::terms(&text).into_keys().collect(), vector, ids, text });
    }
    let hits = asked.iter().map(|asked| asked.ids.len()).sum::<usize>() as f64 / asked.len() as f64;
    let counted = Counted { written: subject.size, memories: sql.live(tenant, agent).await?, hits };
    let reach = Reach { tenant, agents: vec![agent, subject.ctx.commons_id.0], model: target.embedder.model().to_owned() };
    Ok((Arc::new(Measured { key: subject.key.clone(), reach, asked }), counted))
}

/// Measures one row: in each round, each reference and then the server. Latencies are compared with the sum of the references, throughput
/// with one reference and as many connections.
async fn row(
    target: &Target,
    plan: &Plan,
    of: &Arc<Measured>,
    (memories, operation, embedding, beside): (usize, Operation, bool, Beside),
) -> Result<Row, Failure> {
    let (number, compares, basis) = match beside {
        Beside::Basis => (1, Compares::Latency, operation.basis(embedding)),
        Beside::Peer => (1, Compares::Peer, vec![Reference::Peer]),
        Beside::Clients(clients) if operation.writes() => (clients, Compares::Throughput, vec![Reference::Commit]),
        Beside::Clients(clients) => (clients, Compares::Throughput, vec![Reference::Search]),
    };
    let mut ours = Side::ours(target, plan, of, (operation, embedding, number)).await?;
    let mut floor = Side::reference(target, plan, of, (Reference::One, 1)).await?;
    let mut references = Vec::new();
    for reference in basis {
        references.push((reference, Side::reference(target, plan, of, (reference, number)).await?));
    }
    for _ in 0..plan.rounds {
        floor.turn().await?;
        for (_, reference) in &mut references {
            reference.turn().await?;
        }
        ours.turn().await?;
    }
    let value: fn(&Slice) -> f64 = if compares == Compares::Throughput { Slice::rate } else { Slice::p50 };
    let rounds: Vec<Vec<f64>> = references.iter().map(|(_, side)| side.values(value)).collect();
    // A refusal is fast: nothing is compared with it.
    let refused = ours.slices.iter().any(|slice| slice.failed > 0);
    let ratio = ratio(&ours.values(value), &rounds).filter(|_| !refused);
    let compared = |((reference, side), rounds): (&(Reference, Side), &Vec<f64>)| Compared {
        name: reference.name(),
        summary: Summary::of(&side.slices),
        spread: Some(spread(rounds)).filter(|spread| spread.is_finite()),
    };
    Ok(Row {
        operation,
        embedding,
        memories,
        clients: number,
        compares,
        summary: Summary::of(&ours.slices),
        select_1: Summary::of(&floor.slices),
        references: references.iter().zip(&rounds).map(compared).collect(),
        discarded: ratio.is_none(),
        ratio,
    })
}

/// One side of a comparison, and what it did so far.
struct Side {
    callers: Vec<Caller>,
    slices: Vec<Slice>,
    limit: Limit,
}

impl Side {
    /// Clients of the server.
    async fn ours(
        target: &Target,
        plan: &Plan,
        of: &Arc<Measured>,
        (operation, embedding, clients): (Operation, bool, usize),
    ) -> Result<Self, Failure> {
        let mut side = Self::new(plan, most(operation, clients));
        for _ in 0..clients {
            side.callers.push(Caller::ours(target, of, operation, embedding).await?);
        }
        Ok(side)
    }

    /// Connections that do without the server.
    async fn reference(target: &Target, plan: &Plan, of: &Arc<Measured>, (what, clients): (Reference, usize)) -> Result<Self, Failure> {
        let mut side = Self::new(plan, READS_MAX);
        for _ in 0..clients.min(CONNECTIONS_MAX) {
            side.callers.push(Caller::reference(target, of, what).await?);
        }
        Ok(side)
    }

    fn new(plan: &Plan, most: usize) -> Self {
        let length = Duration::from_secs(plan.seconds) / plan.rounds.max(1);
        Self { callers: Vec::new(), slices: Vec::new(), limit: Limit { length, most: plan.most.min(most) } }
    }

    /// Works for a slice.
    async fn turn(&mut self) -> Result<(), Failure> {
        let (callers, done) = slice(std::mem::take(&mut self.callers), self.limit).await?;
        self.callers = callers;
        self.slices.push(done);
        Ok(())
    }

    fn values(&self, value: fn(&Slice) -> f64) -> Vec<f64> {
        self.slices.iter().map(value).collect()
    }
}

/// Operations of one of several clients in a slice, at most.
fn most(operation: Operation, clients: usize) -> usize {
    match operation {
        Operation::Recall | Operation::Context => READS_MAX,
        Operation::Batch => BATCHES_MAX,
        Operation::Remember | Operation::Messages => (WRITES_MAX / clients.max(1)).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_writes_comes_last_and_stores_little() {
        let plan = Plan { sizes: vec![100], agents: 0, clients: vec![1, 64], seconds: 4, rounds: 8, most: usize::MAX, peer: None };
        let rows = rows_of(&plan, 100);
        assert_eq!(rows.len(), 2 * 5 + 3 * 2);
        let first_write = rows.iter().position(|(operation, ..)| operation.writes()).unwrap();
        assert!(rows[first_write..].iter().all(|(operation, ..)| operation.writes()));
        assert!(rows[..first_write].contains(&(Operation::Recall, true, Beside::Clients(64))));
        let with_peer = Plan { peer: Some("3.2.0".into()), ..plan };
        let peers = |memories| rows_of(&with_peer, memories).iter().filter(|(.., beside)| *beside == Beside::Peer).count();
        assert_eq!((peers(10_000), peers(100_000)), (1, 0));
        assert_eq!([1, 4, 64].map(|clients| most(Operation::Remember, clients)), [25, 6, 1]);
    }
}

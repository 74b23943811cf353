//! `remembrancer bench`: how fast a server is, beside what Postgres and the model alone take for the same, in one run.
//!
//! Agents get memories whose vectors are made, because a model would take hours for them. What is measured embeds with the model. The server
//! and each reference take turns in short slices, and the ratio of each round counts: a machine that is busy meanwhile slows both.

mod bars;
mod caller;
mod chart;
mod http;
mod labelled;
mod load;
mod machine;
mod made;
mod peer;
mod plan;
mod report;
mod rounds;
mod side;
mod store;
mod texts;
mod work;

pub use http::sign_in;
pub use load::{Stock, load};
pub use made::Made;
pub use peer::peer_version;
pub use plan::Plan;
pub use report::{Labelled, Process, Program, Report};

use crate::retrieval::Line;
use crate::{Failure, bar};
use caller::{Measured, hits, recall};
use db::DatabaseUrls;
use db::clock::{Clock, SystemClock};
use foundation::{Engine, OpContext, identity};
use http::{Access, Http};
use load::FEW;
use machine::Machine;
use models::local::LocalOptions;
use models::{Embedder, Role};
use plan::{Compares, Spec};
use report::{Compared, Counted, Row};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};
use store::{Asked, Reach, Sql};
use wire::OperatorRole;
use words::stems;

/// Questions that are asked again and again: the server knows their vectors.
const KNOWN: u64 = 32;
/// How long a server may take to become ready.
const READY: Duration = Duration::from_secs(120);
/// How often a server is asked whether it is ready.
const POLL: Duration = Duration::from_millis(5);
/// Who reads the pages of the console.
const LOGIN: &str = "bench";

/// The servers that are measured, and what is beside them.
#[derive(Clone)]
pub struct Target {
    pub urls: DatabaseUrls,
    /// An engine on the databases.
    pub engine: Engine,
    /// The model of the server.
    pub embedder: Arc<dyn Embedder>,
    /// Where the server with the model listens.
    pub address: SocketAddr,
    /// Where one listens whose vectors are made: writes without embedding go there.
    pub made_address: SocketAddr,
    /// A Python that has LangGraph's PostgresStore.
    pub peer: Option<PathBuf>,
    /// The model, if it runs in this process: ONNX Runtime alone is measured beside it.
    pub runtime: Option<LocalOptions>,
    /// Everything may be done in its name.
    admin: OpContext,
    /// The key that searches documents.
    reader: String,
    /// The cookie of an operator.
    session: String,
    numbers: Arc<AtomicU64>,
}

impl Target {
    /// Servers on this machine that share an engine's databases, without a peer and without ONNX Runtime. Signs in to the console.
    ///
    /// # Errors
    /// When the server refuses, or a database is out of reach.
    pub async fn new(
        engine: &Engine,
        stock: &Stock,
        embedder: Arc<dyn Embedder>,
        (address, made_address): (SocketAddr, SocketAddr),
    ) -> Result<Self, Failure> {
        let (engine, admin, reader) = (engine.clone(), stock.admin.clone(), stock.reader.clone());
        let password = SystemClock.secret(24);
        identity::create_operator(&engine, &admin, LOGIN, "Benchmark", &password, OperatorRole::ALL).await?;
        let session = sign_in(address, LOGIN, &password).await?;
        let (urls, numbers) = (engine.urls().clone(), caller::numbers());
        Ok(Self { urls, engine, embedder, address, made_address, peer: None, runtime: None, admin, reader, session, numbers })
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
        let mut http = Http::connect(address, Access::Key(&subject.key)).await?;
        for number in 0..KNOWN {
            hits(&recall(&mut http, &texts::question(number)).await?)?;
        }
    }
    Ok(ready)
}

async fn is_ready(address: SocketAddr) -> bool {
    let Ok(mut http) = Http::connect(address, Access::Nobody).await else { return false };
    http.get("/readyz").await.is_ok_and(|answer| answer.status.is_success())
}

/// Bytes of memory that a process holds; none where the system does not say it.
pub fn resident(process: u32) -> Option<u64> {
    machine::resident(process)
}

/// Measures a recall among few agents, adds the others, and then measures every row of the plan; at the end, what is found of questions with
/// known answers.
///
/// # Errors
/// When a connection breaks, or the server refuses a question.
pub async fn measure(target: &Target, plan: &Plan, stock: &mut Stock, (program, questions): (Program, &[Line])) -> Result<Report, Failure> {
    let mut sql = Sql::connect(&target.urls).await?;
    let machine = Machine::of(&mut sql).await?;
    let (mut agents, mut counts) = (Vec::new(), Vec::new());
    for subject in &stock.subjects {
        let (measured, counted) = prepare(target, subject, &mut sql).await?;
        agents.push(measured);
        counts.push(counted);
    }
    let mut rows = Vec::new();
    if plan.agents > FEW {
        let recall = Spec::recall(plan.usual());
        let few = side::row(target, plan, &agents, &recall).await?;
        stock.fill(plan).await?;
        rows.push(among(few, side::row(target, plan, &agents, &recall).await?));
    }
    let specs = plan.specs().into_iter().filter(|spec| spec.compares != Compares::Runtime || target.runtime.is_some());
    let specs: Vec<Spec> = specs.collect();
    let bar = bar(specs.len(), "rows")?;
    for spec in &specs {
        rows.push(side::row(target, plan, &agents, spec).await?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let labelled = if questions.is_empty() { None } else { Some(labelled::labelled(target, questions).await?) };
    let (database_bytes, postgres_bytes) = (store::size(&target.urls).await?, machine::postgres(&mut sql).await?);
    let (model, plan, loaded) = (target.embedder.model().to_owned(), plan.clone(), stock.loaded.clone());
    Ok(Report { program, machine, model, plan, loaded, agents: counts, rows, labelled, database_bytes, postgres_bytes, process: None })
}

/// What a recall takes among many agents, compared with one among few. There is only one number of agents at a time, so each is a multiple of
/// its rows by id.
fn among(few: Row, many: Row) -> Row {
    let ratio = |few: Option<f64>, many: Option<f64>| Some(many? / few?);
    let spread = few.references.iter().filter_map(|reference| reference.spread).reduce(f64::max);
    let compared = Compared { name: format!("among {FEW} other agents"), summary: few.summary, spread };
    let (ratio, ratio_p95) = (ratio(few.ratio, many.ratio), ratio(few.ratio_p95, many.ratio_p95));
    let discarded = ratio.is_none();
    Row { compares: Compares::Agents, references: vec![compared], ratio, ratio_p95, rest_ms: None, above: None, discarded, ..many }
}

/// Asks the known questions once, so that the server knows their vectors and we know their hits.
async fn prepare(target: &Target, subject: &Subject, sql: &mut Sql) -> Result<(Arc<Measured>, Counted), Failure> {
    let (tenant, agent) = (subject.ctx.tenant_id.0, subject.ctx.agent_id()?.0);
    let mut http = Http::connect(target.address, Access::Key(&subject.key)).await?;
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
    Ok((Arc::new(Measured { size: subject.size, key: subject.key.clone(), reach, asked }), counted))
}

//! `remembrancer bench`: measures how fast a server is, in databases that are dropped afterwards.

use super::Failure;
use super::scratch::in_own_databases;
use crate::config::Config;
use crate::listener::{self, Limits};
use crate::{embedding, serve, version};
use clap::{Args, value_parser};
use db::DatabaseUrls;
use db::clock::{Clock, SystemClock};
use evals::bench::{self, Made, Plan, Process, Program, Report, Subject, Target};
use evals::retrieval::{self, Line};
use foundation::Engine;
use models::local;
use remembrancer::Workers;
use std::fs::OpenOptions;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// Different sizes, and different numbers of clients, at most.
const NUMBERS_MAX: usize = 8;
/// How long the loader waits for a connection.
const LOOKUP: Duration = Duration::from_secs(10);
/// How long a connection may rest while references have their turn.
const REST: Duration = Duration::from_secs(600);
/// Requests of a key in a minute: more than can be measured.
const REQUESTS: &str = "6000000";
/// Settings that lead elsewhere than to the databases and the address of a measured server.
const ELSEWHERE: [&str; 12] = [
    "DATABASE_URL",
    "APP_DATABASE_URL",
    "SYSTEM_DATABASE_URL",
    "READ_DATABASE_URL",
    "READ_AGENT_MEMORY_DATABASE_URL",
    "READ_SHARED_KB_DATABASE_URL",
    "READ_INTERNAL_SHARED_DATABASE_URL",
    "PUBLIC_URL",
    "ALLOWED_HOSTS",
    "KB_DIR",
    "KB_TENANT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
];

/// What a run measures where the options do not say.
struct Preset {
    sizes: &'static [u32],
    clients: &'static [u16],
    agents: u32,
    chunks: u32,
    seconds: u64,
    rounds: u32,
}

/// Up to 100,000 memories: meant to take less than 25 minutes on two cores, with optimisation.
const FULL: Preset =
    Preset { sizes: &[100, 1_000, 10_000, 100_000], clients: &[1, 4, 16, 64], agents: 5_000, chunks: 20_000, seconds: 4, rounds: 8 };
/// Meant to take less than four.
const QUICK: Preset = Preset { sizes: &[100, 1_000, 10_000], clients: &[4, 16], agents: 200, chunks: 2_000, seconds: 1, rounds: 4 };

#[derive(Args)]
pub struct Bench {
    /// Measure less, and each row for a shorter time
    #[arg(long)]
    quick: bool,
    /// Memories of each agent that is measured, 20 to 1000000, separated by commas [default: 100,1000,10000,100000; quick: without 100000]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = value_parser!(u32).range(20..=1_000_000))]
    sizes: Vec<u32>,
    /// Clients that work side by side, 1 to 64, separated by commas [default: 1,4,16,64; quick: 4,16]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = value_parser!(u16).range(1..=64))]
    clients: Vec<u16>,
    /// Seconds that each row measures the server, 1 to 60; each of its references takes as long [default: 4; quick: 1]
    #[arg(long, value_parser = value_parser!(u64).range(1..=60))]
    seconds: Option<u64>,
    /// Other agents, up to 10000, with ten memories each [default: 5000; quick: 200]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(0..=10_000))]
    agents: Option<u32>,
    /// Parts of the organisation's documents, up to 200000; 0 measures no search of documents [default: 20000; quick: 2000]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(0..=200_000))]
    chunks: Option<u32>,
    /// A Python that has langgraph-checkpoint-postgres and psycopg: searches of its store are measured beside recalls, up to 10000 memories
    #[arg(long, value_name = "PYTHON")]
    peers: Option<PathBuf>,
    /// A file of 'remembrancer eval retrieval': how many of its answers are found, also by the peer
    #[arg(long, value_name = "FILE")]
    questions: Option<PathBuf>,
    /// Write everything that was measured to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a chart of the latencies to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the outcome of each bar and all tables to this file, for docs/performance.md
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

impl Bench {
    /// What is measured.
    ///
    /// # Errors
    /// When there are too many numbers, or the Python of `--peers` lacks what it needs.
    async fn plan(&self) -> Result<Plan, Failure> {
        if self.sizes.len().max(self.clients.len()) > NUMBERS_MAX {
            return Err(format!("--sizes and --clients take at most {NUMBERS_MAX} numbers each").into());
        }
        let preset = if self.quick { QUICK } else { FULL };
        let or = |given: &[u32], usual: &[u32]| if given.is_empty() { usual.to_vec() } else { given.to_vec() };
        let mut sizes: Vec<usize> = or(&self.sizes, preset.sizes).into_iter().map(|size| size as usize).collect();
        // Each is compared with the next smaller one.
        sizes.sort_unstable();
        sizes.dedup();
        let clients = if self.clients.is_empty() { preset.clients } else { &self.clients };
        let peer = match &self.peers {
            Some(python) => Some(bench::peer_version(python).await?),
            None => None,
        };
        Ok(Plan {
            sizes,
            agents: self.agents.unwrap_or(preset.agents) as usize,
            clients: clients.iter().map(|clients| usize::from(*clients)).collect(),
            chunks: self.chunks.unwrap_or(preset.chunks) as usize,
            seconds: self.seconds.unwrap_or(preset.seconds),
            rounds: preset.rounds,
            quick: self.quick,
            most: usize::MAX,
            peer,
        })
    }

    /// The files that are written at the end.
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.json, &self.svg, &self.markdown].into_iter().flatten()
    }
}

/// Which program measures a plan, and how to repeat it. `REMEMBRANCER_COMMIT` names the commit of a build that does not know it.
fn program(plan: &Plan, questions: bool) -> Program {
    let commit = version::COMMIT.map(str::to_owned).or_else(|| std::env::var("REMEMBRANCER_COMMIT").ok());
    let list = |numbers: &[usize]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let Plan { sizes, agents, clients, chunks, seconds, .. } = plan;
    let mut command = format!(
        "remembrancer bench{} --sizes {} --agents {agents} --clients {} --chunks {chunks} --seconds {seconds}",
        if plan.quick { " --quick" } else { "" },
        list(sizes),
        list(clients)
    );
    // Without the places of files on this machine.
    for (used, option) in [(plan.peer.is_some(), " --peers PYTHON"), (questions, " --questions FILE")] {
        command.push_str(if used { option } else { "" });
    }
    Program { version: version::VERSION.into(), commit, date: SystemClock.now().date_naive(), command }
}

/// Runs the benchmark, prints its tables and writes its files.
///
/// # Errors
/// When a file cannot be written, a database is out of reach, or the server refuses what it should not.
pub async fn run(config: Config, options: Bench) -> Result<(), Failure> {
    let plan = options.plan().await?;
    let questions = match &options.questions {
        Some(file) => retrieval::read(file).await?,
        None => vec![],
    };
    for file in options.files() {
        // Said before minutes are spent on measuring.
        OpenOptions::new().create(true).append(true).open(file).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    if cfg!(debug_assertions) {
        eprintln!("this program was built without optimisation: its figures say nothing about a release");
    }
    let peer = options.peers.clone();
    let report = in_own_databases(config, "bench", |config, urls| measured(config, urls, plan, (peer, questions))).await?;
    print!("{report}");
    if let Some(file) = &options.json {
        write(file, report.json()? + "\n")?;
    }
    if let Some(file) = &options.svg {
        write(file, report.chart())?;
    }
    if let Some(file) = &options.markdown {
        write(file, report.markdown())?;
    }
    Ok(())
}

fn write(file: &Path, text: String) -> Result<(), Failure> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()).into())
}

/// Loads the databases, and measures a server of this process and then one that is started for itself.
async fn measured(
    config: Config,
    urls: DatabaseUrls,
    plan: Plan,
    (peer, questions): (Option<PathBuf>, Vec<Line>),
) -> Result<Report, Failure> {
    let (engine, embedder) = serve::open_at(&config, urls.clone()).await?;
    let made = Arc::new(Made::like(embedder.as_ref()).await?);
    let made = serve::engine(&config, urls.clone(), made, LOOKUP).await?;
    // On a worker thread, like requests: on this one every wake-up would cross threads.
    let (loader, places, plan_of_load) = (made.clone(), urls.clone(), plan.clone());
    let loading = tokio::spawn(async move { bench::load(&loader, &places, &plan_of_load).await });
    let mut stock = AbortOnDropHandle::new(loading).await??;

    let stop = CancellationToken::new();
    let ((address, server), (made_address, made_server)) = (listen(&config, &engine, &stop).await?, listen(&config, &made, &stop).await?);
    let workers = Workers::start(&engine);
    let runtime = local::known(embedder.model()).map(|known| embedding::local_options(&config, known));
    let served = engine.clone();
    let measuring = tokio::spawn(async move {
        let mut target = Target::new(&served, &stock, embedder, (address, made_address)).await?;
        (target.peer, target.runtime) = (peer, runtime);
        let report = bench::measure(&target, &plan, &mut stock, (program(&plan, !questions.is_empty()), &questions)).await?;
        Ok::<_, Failure>((report, stock.subjects))
    });
    let done = AbortOnDropHandle::new(measuring).await;
    stop.cancel();
    let (_, _) = tokio::join!(server, made_server);
    workers.stop().await;
    for engine in [&engine, &made] {
        engine.finish_deferred().await;
        engine.db().close().await;
    }
    let (report, subjects) = done??;
    Ok(Report { process: Some(alone(&urls, &subjects).await?), ..report })
}

/// Serves on an address of this machine until `stop`.
async fn listen(config: &Config, engine: &Engine, stop: &CancellationToken) -> Result<(SocketAddr, JoinHandle<()>), Failure> {
    let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = socket.local_addr()?;
    let mut config = config.clone();
    config.listen = address;
    config.public_url = format!("http://{address}");
    config.allowed_hosts.push(address.ip().to_string());
    config.requests_per_minute = REQUESTS.parse::<NonZeroU32>()?;
    let limits = Limits { headers: REST, patience: REST, ..config.limits() };
    let router = serve::router(engine, &config, stop.clone());
    Ok((address, tokio::spawn(listener::serve(socket, router, limits, stop.clone()))))
}

/// Starts a server as its own process on the loaded databases: how long it takes to become ready, and the memory that it holds after some recalls.
async fn alone(urls: &DatabaseUrls, subjects: &[Subject]) -> Result<Process, Failure> {
    let (one, other) = (TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?, TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?);
    let (address, metrics) = (one.local_addr()?, other.local_addr()?);
    drop((one, other));
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("serve").kill_on_drop(true).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    for setting in ELSEWHERE {
        command.env_remove(setting);
    }
    command
        .env("AGENT_MEMORY_DATABASE_URL", &urls.agent_memory)
        .env("SHARED_KB_DATABASE_URL", &urls.shared_kb)
        .env("INTERNAL_SHARED_DATABASE_URL", &urls.internal_shared)
        .env("LISTEN_ADDR", address.to_string())
        .env("METRICS_ADDR", metrics.to_string())
        .env("RATE_LIMIT_PER_MINUTE", REQUESTS);
    let start = Instant::now();
    let mut server = command.spawn()?;
    let ready = tokio::select! {
        ready = bench::warm_up(address, subjects, start) => ready?,
        ended = server.wait() => return Err(format!("a server that was started for itself ended: {}", ended?).into()),
    };
    let resident_bytes = server.id().and_then(bench::resident);
    server.kill().await?;
    Ok(Process { ready_ms: ready.as_secs_f64() * 1000.0, resident_bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        bench: Bench,
    }

    async fn plan(options: &[&str]) -> Result<Plan, Failure> {
        Line::try_parse_from([&["bench"][..], options].concat())?.bench.plan().await
    }

    #[tokio::test]
    async fn every_number_is_bounded() {
        let usual = plan(&[]).await.unwrap();
        assert_eq!((usual.sizes, usual.clients, usual.seconds), (vec![100, 1_000, 10_000, 100_000], vec![1, 4, 16, 64], 4));
        let quick = plan(&["--quick", "--sizes", "500,50,500"]).await.unwrap();
        assert_eq!((quick.sizes, quick.clients, quick.seconds), (vec![50, 500], vec![4, 16], 1), "an option wins over --quick");
        let largest = plan(&["--sizes", "20,1000000", "--clients", "64", "--seconds", "60", "--agents", "10000"]).await.unwrap();
        assert_eq!((largest.sizes, largest.clients, largest.agents), (vec![20, 1_000_000], vec![64], 10_000));
        assert_eq!(plan(&["--chunks", "0"]).await.unwrap().chunks, 0);
        for wrong in [
            ["--sizes", "19"],
            ["--sizes", "20,1000001"],
            ["--clients", "65"],
            ["--seconds", "61"],
            ["--agents", "10001"],
            ["--chunks", "200001"],
        ] {
            assert!(plan(&wrong).await.is_err(), "{wrong:?}");
        }
        let nine = ["30"; NUMBERS_MAX + 1].join(",");
        assert!(plan(&["--sizes", &nine]).await.unwrap_err().to_string().contains("at most 8"));
    }

    #[tokio::test]
    async fn a_report_names_the_command_without_the_places_of_files() {
        let plan = plan(&["--quick", "--sizes", "50", "--json", "/home/vera/bench.json"]).await.unwrap();
        let command = "remembrancer bench --quick --sizes 50 --agents 200 --clients 4,16 --chunks 2000 --seconds 1 --questions FILE";
        assert_eq!(program(&plan, true).command, command);
    }

    #[tokio::test]
    async fn a_python_that_is_not_there_is_reported_before_anything_is_loaded() {
        assert!(plan(&["--peers", "/no/such/python"]).await.unwrap_err().to_string().starts_with("/no/such/python: "));
    }
}

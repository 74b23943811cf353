//! `remembrancer bench`: measures how fast a server is, in databases that are dropped afterwards.

use super::Failure;
use super::scratch::in_own_databases;
use crate::config::Config;
use crate::listener::{self, Limits};
use crate::serve;
use clap::{Args, value_parser};
use db::DatabaseUrls;
use evals::bench::{self, Made, Plan, Process, Report, Subject, Target};
use foundation::Engine;
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
/// Rounds of a row. In each, the server and its references take turns.
const ROUNDS: u32 = 8;
/// How long the loader waits for a connection.
const LOOKUP: Duration = Duration::from_secs(10);
/// How long a connection may rest while references have their turn.
const REST: Duration = Duration::from_secs(600);
/// Requests of a key in a minute: more than can be measured.
const REQUESTS: &str = "6000000";
/// Settings that lead elsewhere than to the databases and the address of a measured server.
const ELSEWHERE: [&str; 8] = [
    "DATABASE_URL",
    "APP_DATABASE_URL",
    "SYSTEM_DATABASE_URL",
    "PUBLIC_URL",
    "ALLOWED_HOSTS",
    "KB_DIR",
    "KB_TENANT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
];

#[derive(Args)]
pub struct Bench {
    /// Memories of each agent that is measured, 20 to 1000000, separated by commas; large ones take long to load
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_values_t = [100_u32, 1_000, 10_000], value_parser = value_parser!(u32).range(20..=1_000_000))]
    sizes: Vec<u32>,
    /// Clients that work side by side, 1 to 64, separated by commas
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_values_t = [1_u16, 4, 16, 64], value_parser = value_parser!(u16).range(1..=64))]
    clients: Vec<u16>,
    /// Seconds that each row measures the server, 1 to 60; each of its references takes as long
    #[arg(long, default_value_t = 4, value_parser = value_parser!(u64).range(1..=60))]
    seconds: u64,
    /// Other agents, up to 10000, with ten memories each
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000, value_parser = value_parser!(u32).range(0..=10_000))]
    agents: u32,
    /// A Python that has langgraph-checkpoint-postgres and psycopg: searches of its store are measured beside recalls, up to 10000 memories
    #[arg(long, value_name = "PYTHON")]
    peers: Option<PathBuf>,
    /// Write everything that was measured to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a chart of the latencies to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
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
        let sizes = self.sizes.iter().map(|size| *size as usize).collect();
        let clients = self.clients.iter().map(|clients| usize::from(*clients)).collect();
        let peer = match &self.peers {
            Some(python) => Some(bench::peer_version(python).await?),
            None => None,
        };
        Ok(Plan { sizes, agents: self.agents as usize, clients, seconds: self.seconds, rounds: ROUNDS, most: usize::MAX, peer })
    }
}

/// Runs the benchmark, prints its tables and writes its files.
///
/// # Errors
/// When a file cannot be written, a database is out of reach, or the server refuses what it should not.
pub async fn run(config: Config, options: Bench) -> Result<(), Failure> {
    let plan = options.plan().await?;
    for file in [&options.json, &options.svg].into_iter().flatten() {
        // Said before minutes are spent on measuring.
        OpenOptions::new().create(true).append(true).open(file).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    if cfg!(debug_assertions) {
        eprintln!("this program was built without optimisation: its figures say nothing about a release");
    }
    let report = in_own_databases(config, "bench", |config, urls| measured(config, urls, plan, options.peers.clone())).await?;
    print!("{report}");
    if let Some(file) = &options.json {
        write(file, serde_json::to_string_pretty(&report)? + "\n")?;
    }
    if let Some(file) = &options.svg {
        write(file, report.chart())?;
    }
    Ok(())
}

fn write(file: &Path, text: String) -> Result<(), Failure> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()).into())
}

/// Loads the databases, and measures a server of this process and then one that is started for itself.
async fn measured(config: Config, urls: DatabaseUrls, plan: Plan, peer: Option<PathBuf>) -> Result<Report, Failure> {
    let (engine, embedder) = serve::open_at(&config, urls.clone()).await?;
    let made = Arc::new(Made::like(embedder.as_ref()).await?);
    let made = serve::engine(&config, urls.clone(), made, LOOKUP).await?;
    // On a worker thread, like requests: on this one every wake-up would cross threads.
    let (loader, places, plan_of_load) = (made.clone(), urls.clone(), plan.clone());
    let loading = tokio::spawn(async move { bench::load(&loader, &places, &plan_of_load).await });
    let (subjects, loaded) = AbortOnDropHandle::new(loading).await??;

    let stop = CancellationToken::new();
    let ((address, server), (made_address, made_server)) = (listen(&config, &engine, &stop).await?, listen(&config, &made, &stop).await?);
    let workers = Workers::start(&engine);
    let mut target = Target::new(urls.clone(), embedder, address, made_address);
    target.peer = peer;
    let measuring = tokio::spawn(async move {
        let report = bench::measure(&target, &plan, &subjects, loaded).await?;
        Ok::<_, Failure>((report, subjects))
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
        assert_eq!((usual.sizes, usual.clients, usual.seconds), (vec![100, 1_000, 10_000], vec![1, 4, 16, 64], 4));
        let largest = plan(&["--sizes", "20,1000000", "--clients", "64", "--seconds", "60", "--agents", "10000"]).await.unwrap();
        assert_eq!((largest.sizes, largest.clients, largest.agents), (vec![20, 1_000_000], vec![64], 10_000));
        for wrong in [["--sizes", "19"], ["--sizes", "20,1000001"], ["--clients", "65"], ["--seconds", "61"], ["--agents", "10001"]] {
            assert!(plan(&wrong).await.is_err(), "{wrong:?}");
        }
        let nine = ["30"; NUMBERS_MAX + 1].join(",");
        assert!(plan(&["--sizes", &nine]).await.unwrap_err().to_string().contains("at most 8"));
    }

    #[tokio::test]
    async fn a_python_that_is_not_there_is_reported_before_anything_is_loaded() {
        assert!(plan(&["--peers", "/no/such/python"]).await.unwrap_err().to_string().starts_with("/no/such/python: "));
    }
}

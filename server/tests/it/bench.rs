//! The benchmark at its smallest: what it reports, never how long that took.

use db::clock::Clock;
use evals::bench::{self, Made, Plan, Program, Target};
use evals::retrieval::Line;
use foundation::testing::{FakeClock, TestDatabases, World};
use foundation::{Engine, Settings};
use remembrancer::Workers;
use serde_json::{Value, json};
use server::config::Config;
use server::listener::{Limits, serve};
use std::env::VarError;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

const REST: Duration = Duration::from_secs(600);

/// Serves an engine on an address of this machine.
async fn listen(engine: &Engine, stop: &CancellationToken) -> SocketAddr {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let many = |name: &str| if name == "RATE_LIMIT_PER_MINUTE" { Ok("1000000".to_owned()) } else { Err(VarError::NotPresent) };
    let config = Config::read(&many).unwrap();
    let router = server::router(engine, &config, stop.clone());
    // A connection may rest while its references have their turn, however long a busy machine takes.
    let limits = Limits { headers: REST, patience: REST, ..config.limits() };
    tokio::spawn(serve(socket, router, limits, stop.clone()));
    address
}

#[tokio::test]
async fn a_tiny_run_reports_every_row_beside_its_references() {
    let world = World::on(TestDatabases::fresh(&FakeClock::default()).await).await;
    let (urls, stop) = (world.engine.urls().clone(), CancellationToken::new());
    let made = Arc::new(Made::like(&world.embedder).await.unwrap());
    let made = Engine::open(urls.clone(), made, Arc::<FakeClock>::clone(&world.clock), Settings::default()).await.unwrap();
    let plan =
        Plan { sizes: vec![20, 30], agents: 12, clients: vec![2], chunks: 3, seconds: 1, rounds: 1, quick: false, most: 1, peer: None };
    let mut stock = bench::load(&made, &urls, &plan).await.unwrap();
    let addresses = (listen(&world.engine, &stop).await, listen(&made, &stop).await);
    bench::warm_up(addresses.0, &stock.subjects, Instant::now()).await.unwrap();
    let workers = Workers::start(&world.engine);
    let target = Target::new(&world.engine, &stock, Arc::new(world.embedder.clone()), addresses).await.unwrap();
    let (date, command) = (world.clock.now().date_naive(), "remembrancer bench".to_owned());
    let program = Program { version: "0.1.0".into(), commit: None, date, command };
    let report = bench::measure(&target, &plan, &mut stock, (program, &questions())).await.unwrap();
    workers.stop().await;
    stop.cancel();

    let json: Value = serde_json::from_str(&report.json().unwrap()).unwrap();
    assert_eq!((&json["loaded"]["memories"], &json["agents"][0]["written"]), (&170.into(), &20.into()));
    assert_eq!((&json["loaded"]["chunks"], &json["labelled"]["questions"], &json["labelled"]["ours"]), (&3.into(), &1.into(), &1.0.into()));
    assert!(json["agents"][0]["hits"].as_f64().unwrap() > 0.0 && json["database_bytes"].as_i64().unwrap() > 0, "{json}");
    let rows = json["rows"].as_array().unwrap();
    let kinds: Vec<(&str, &str, u64)> = rows.iter().map(kind).collect();
    for operation in ["recall", "context", "2 messages", "remember", "batch of 50"] {
        let embedding = format!("{operation}, embedding");
        assert!(kinds.contains(&(operation, "latency", 1)) && kinds.contains(&(&embedding, "latency", 1)), "{kinds:?}");
    }
    for several in [("recall", "throughput", 2), ("recall, embedding", "throughput", 2), ("remember, embedding", "throughput", 2)] {
        assert!(kinds.contains(&several), "{kinds:?}");
    }
    for compared in [("recall", "growth", 1), ("recall", "agents", 1), ("recall", "work", 1), ("embedding of 32 memories", "texts", 1)] {
        assert!(kinds.contains(&compared), "{kinds:?}");
    }
    for plain in ["page /", "page /search?q=harbour+tram", "search of documents", "search of documents, embedding"] {
        assert!(kinds.contains(&(plain, "nothing", 1)), "{kinds:?}");
    }
    for row in rows {
        let clients = row["clients"].as_u64().unwrap();
        assert_eq!((&row["failed"], &row["operations"]), (&0.into(), &clients.into()), "{row}");
        let references = row["references"].as_array().unwrap();
        assert_eq!(references.is_empty(), row["compares"] == "nothing", "{row}");
        assert_eq!(row["discarded"].as_bool(), Some(row["ratio"].is_null() && !references.is_empty()), "{row}");
        assert!(references.iter().all(|reference| reference["operations"] == clients), "{row}");
    }
    let recall = rows.iter().find(|row| kind(row) == ("recall, embedding", "latency", 1)).unwrap();
    assert_eq!(
        (&recall["references"][0]["name"], &recall["references"][1]["name"]),
        (&"embedding of a question".into(), &"rows by id".into())
    );
    let tables = report.to_string();
    assert!(tables.contains("\nrecall, embedding ") && tables.contains("\nbatch of 50 "), "{tables}");
    assert!(tables.contains("No peer was measured"), "{tables}");
    assert!(report.chart().contains("2 messages, embedding"), "{}", report.chart());
}

/// The task of a row, what it compares, and its clients.
fn kind(row: &Value) -> (&str, &str, u64) {
    (row["name"].as_str().unwrap(), row["compares"].as_str().unwrap(), row["clients"].as_u64().unwrap())
}

/// A file of known answers, as it is read.
fn questions() -> Vec<Line> {
    let memory = json!({ "type": "memory", "scope": "harbour", "key": "m1", "text": "The blue crane is red today." });
    let question = json!({ "type": "question", "scope": "harbour", "query": "What is red?", "evidence": ["m1"] });
    [memory, question].map(|line| serde_json::from_value(line).unwrap()).into()
}

//! The benchmark at its smallest: what it reports, never how long that took.

use evals::bench::{self, Made, Plan, Target};
use foundation::testing::{FakeClock, TestDatabases, World};
use foundation::{Engine, Settings};
use serde_json::Value;
use server::config::Config;
use server::listener::serve;
use std::env::VarError;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Serves an engine on an address of this machine.
async fn listen(engine: &Engine, stop: &CancellationToken) -> SocketAddr {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let many = |name: &str| if name == "RATE_LIMIT_PER_MINUTE" { Ok("1000000".to_owned()) } else { Err(VarError::NotPresent) };
    let config = Config::read(&many).unwrap();
    let router = server::router(engine, &config, stop.clone());
    tokio::spawn(serve(socket, router, config.limits(), stop.clone()));
    address
}

#[tokio::test]
async fn a_tiny_run_reports_every_row_beside_its_references() {
    let world = World::on(TestDatabases::fresh(&FakeClock::default()).await).await;
    let (urls, stop) = (world.engine.urls().clone(), CancellationToken::new());
    let made = Arc::new(Made::like(&world.embedder).await.unwrap());
    let made = Engine::open(urls.clone(), made, Arc::<FakeClock>::clone(&world.clock), Settings::default()).await.unwrap();
    let plan = Plan { sizes: vec![20], agents: 1, clients: vec![2], seconds: 1, rounds: 2, most: 1, peer: None };
    let (subjects, loaded) = bench::load(&made, &urls, &plan).await.unwrap();
    let (address, made_address) = (listen(&world.engine, &stop).await, listen(&made, &stop).await);
    bench::warm_up(address, &subjects, Instant::now()).await.unwrap();
    let target = Target::new(urls, Arc::new(world.embedder.clone()), address, made_address);
    let report = bench::measure(&target, &plan, &subjects, loaded).await.unwrap();
    stop.cancel();

    let json = serde_json::to_value(&report).unwrap();
    assert_eq!((&json["loaded"]["memories"], &json["agents"][0]["written"]), (&30.into(), &20.into()));
    assert!(json["agents"][0]["hits"].as_f64().unwrap() > 0.0 && json["database_bytes"].as_i64().unwrap() > 0, "{json}");
    let rows = json["rows"].as_array().unwrap();
    let kinds: Vec<(&str, bool, u64)> = rows.iter().map(kind).collect();
    for operation in ["recall", "context", "messages", "remember", "batch"] {
        assert!(kinds.contains(&(operation, false, 1)) && kinds.contains(&(operation, true, 1)), "{kinds:?}");
    }
    assert!([("recall", false, 2), ("recall", true, 2), ("remember", true, 2)].iter().all(|several| kinds.contains(several)), "{kinds:?}");
    for row in rows {
        let rounds = 2 * row["clients"].as_u64().unwrap();
        assert_eq!((&row["failed"], &row["operations"], &row["memories"]), (&0.into(), &rounds.into(), &20.into()), "{row}");
        assert_eq!(row["discarded"].as_bool(), Some(row["ratio"].is_null()), "{row}");
        let references = row["references"].as_array().unwrap();
        assert!(!references.is_empty() && references.iter().all(|reference| reference["operations"] == rounds), "{row}");
    }
    let recall = rows.iter().find(|row| kind(row) == ("recall", true, 1)).unwrap();
    assert_eq!(
        (&recall["references"][0]["name"], &recall["references"][1]["name"]),
        (&"embedding of a question".into(), &"rows by id".into())
    );
    let tables = report.to_string();
    assert!(tables.contains("\nrecall, embedding ") && tables.contains("\nbatch of 50 "), "{tables}");
    assert!(tables.contains("No peer was measured"), "{tables}");
    assert!(report.chart().contains("2 messages, embedding"), "{}", report.chart());
}

/// The operation of a row, whether it embeds, and its clients.
fn kind(row: &Value) -> (&str, bool, u64) {
    (row["operation"].as_str().unwrap(), row["embedding"].as_bool().unwrap(), row["clients"].as_u64().unwrap())
}

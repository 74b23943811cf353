//! Traces, as an OpenTelemetry collector gets them.

use crate::harness::{Log, Site, subscribed};
use crate::process::until;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{Request, header};
use axum::routing::post;
use serde_json::json;
use server::traces::Traces;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, Registry, fmt};

/// The trace and the span of a caller.
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER: &str = "b7ad6b7169203331";

type Received = Arc<Mutex<Vec<u8>>>;

async fn take(State(received): State<Received>, body: Bytes) {
    received.lock().unwrap().extend_from_slice(&body);
}

/// The URL of a collector, and what it has received.
async fn collector() -> (String, Received) {
    let received = Received::default();
    let router = Router::new().route("/v1/traces", post(take)).with_state(Arc::clone(&received));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, received)
}

#[tokio::test]
async fn a_request_continues_the_trace_of_its_caller_down_to_statements_and_models() {
    let site = Site::new().await;
    let (url, received) = collector().await;
    let (traces, log) = (Traces::to(&url).unwrap(), Log::default());
    let writer = log.clone();
    let lines = fmt::layer().with_ansi(false).with_writer(move || writer.clone()).with_filter(LevelFilter::DEBUG);
    let subscriber = Registry::default().with(traces.layer()).with(lines);
    let fact = json!({ "topic_raw": "kettle", "content": "The kettle is in the left cupboard.", "source": { "platform": "slack" } });
    let request = Request::post("/api/tools/agent_memory_remember")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::AUTHORIZATION, format!("Bearer {}", site.world.atlas_key))
        .header("traceparent", format!("00-{TRACE}-{CALLER}-01"))
        .body(fact.to_string().into())
        .unwrap();
    let answer = subscribed(site.send(request), subscriber).await;
    assert!(answer.status.is_success(), "{}", answer.text);
    // The delivery needs this runtime, and whoever drops the traces waits for it.
    tokio::task::spawn_blocking(move || drop(traces)).await.unwrap();

    let holds = |bytes: &[u8]| received.lock().unwrap().windows(bytes.len()).any(|window| window == bytes);
    until("a delivery", || !received.lock().unwrap().is_empty()).await;
    for id in [TRACE, CALLER] {
        assert!(holds(&hex::decode(id).unwrap()), "{id}");
    }
    for word in ["request", "remember", "sql", "insert into agent_memories", "embedding"] {
        assert!(holds(word.as_bytes()), "{word}");
    }
    assert!(!holds(b"left cupboard"), "a trace holds no content");
    let lines = log.lines();
    assert!(lines.iter().any(|line| line.contains(TRACE)), "{lines:?}");
}

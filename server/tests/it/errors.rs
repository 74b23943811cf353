//! Every error: its status, code and field, the id of its request, and that it leaves no row behind.

use crate::harness::{Site, with_errors};
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use db::clock::SystemClock;
use foundation::op::Actor;
use foundation::testing::{Fake, TestDatabases, World, key};
use foundation::{Settings, identity};
use models::{EmbedError, Embedder, Role};
use serde_json::{Value, json};
use std::pin::Pin;
use std::sync::Arc;
use wire::KeyScope;

fn whole() -> Value {
    json!({ "topic_raw": "t", "content": "c", "source": { "platform": "slack" } })
}

fn with(field: &str, value: Value) -> Value {
    let mut input = whole();
    match field.split_once('.') {
        Some((outer, inner)) => input[outer][inner] = value,
        None => input[field] = value,
    }
    input
}

#[tokio::test]
async fn no_key_and_a_wrong_key_are_refused() {
    let site = Site::new().await;
    let good = site.world.atlas_key.clone();
    let wrong = format!("{}{}", &good[..good.len() - 1], if good.ends_with('a') { 'b' } else { 'a' });
    for key in [None, Some(""), Some("rmb_"), Some("secret"), Some(wrong.as_str())] {
        let answer = site.post(key, "agent_memory_recall", r#"{"query":"q"}"#).await;
        assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::UNAUTHORIZED, "unauthenticated"), "{key:?}");
        assert_eq!(answer.header(header::WWW_AUTHENTICATE), "Bearer");
        assert!(!answer.text.contains(&good));
    }
    let basic = Request::post("/api/tools/agent_memory_recall").header(header::AUTHORIZATION, format!("Basic {good}"));
    assert_eq!(site.send(basic.body(Body::from("{}")).unwrap()).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_revoked_and_an_expired_key_are_refused() {
    let site = Site::new().await;
    let world = &site.world;
    let Actor::Agent { id, key_id, .. } = &world.atlas.actor else { panic!("atlas is an agent") };
    let end = world.engine.clock().now() + chrono::Duration::hours(1);
    let (_, expiring) =
        identity::create_key(&world.engine, &world.system, *id, "short", &[KeyScope::MemoryRead], None, Some(end)).await.unwrap();
    assert_eq!(site.post(Some(&expiring), "agent_memory_recall", r#"{"query":"q"}"#).await.status, StatusCode::OK);
    world.clock.advance(chrono::Duration::hours(2));
    assert_eq!(site.post(Some(&expiring), "agent_memory_recall", r#"{"query":"q"}"#).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(site.atlas("agent_memory_recall", json!({ "query": "q" })).await.status, StatusCode::OK);
    identity::revoke_key(&world.engine, &world.system, *key_id).await.unwrap();
    assert_eq!(site.atlas("agent_memory_recall", json!({ "query": "q" })).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_missing_scope_is_403_before_the_input_is_looked_at() {
    let site = Site::new().await;
    let world = &site.world;
    let agent = world.atlas.agent_id().unwrap();
    for tool in remembrancer::tools::all() {
        let others: Vec<KeyScope> = KeyScope::ALL.iter().copied().filter(|scope| *scope != tool.scope).collect();
        let (_, key) = key(&world.engine, &world.system, agent, &others).await;
        let answer = site.post(Some(&key), tool.name, "not even JSON").await;
        assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::FORBIDDEN, "forbidden"), "{}", tool.name);
        assert!(answer.text.contains(tool.scope.as_str()), "the scope is named: {}", answer.text);
    }
    let (_, writer) = key(&world.engine, &world.system, agent, &[KeyScope::MemoryWrite]).await;
    let mut shared = with("scope", json!("global"));
    shared["commons"] = json!(true);
    assert_eq!(site.post(Some(&writer), "agent_memory_remember", shared.to_string()).await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn bad_input_is_400_names_its_field_and_leaves_no_row() {
    // Its own databases: it delivers what waits in the outboxes, and other tests count their rows.
    let site = Site::on(World::on(TestDatabases::fresh(&SystemClock).await).await, &[]);
    let before = site.rows().await;
    let remember = "agent_memory_remember";
    let recall = "agent_memory_recall";
    let forget = "agent_memory_forget";
    let cases = [
        (remember, with("topic_raw", json!("")), "topic_raw"),
        (remember, with("topic_raw", json!("   ")), "topic_raw"),
        (remember, with("topic_raw", json!("é".repeat(257))), "topic_raw"),
        (remember, with("topic_raw", json!("a\0b")), "topic_raw"),
        (remember, with("topic_raw", json!(7)), "topic_raw"),
        (remember, with("content", json!("")), "content"),
        (remember, with("content", json!("x".repeat(16 * 1024 + 1))), "content"),
        (remember, with("content", json!("a\0b")), "content"),
        (remember, with("content", Value::Null), "content"),
        (remember, with("source", json!("slack")), "source"),
        (remember, with("source", json!({})), "source.platform"),
        (remember, with("source.platform", json!("")), "source.platform"),
        (remember, with("source.thread_id", json!("a\0")), "source.thread_id"),
        (remember, with("source.observed_at", json!("yesterday")), "source.observed_at"),
        (remember, with("source.mood", json!("good")), "source.mood"),
        (remember, with("user_id", json!("v".repeat(257))), "user_id"),
        (remember, with("kind", json!("hunch")), "kind"),
        (remember, with("confidence", json!(1.5)), "confidence"),
        (remember, with("scope", json!("project")), "project_id"),
        (remember, with("commons", json!(true)), "scope"),
        (remember, with("agent_id", json!("01900000-0000-7000-8000-000000000000")), "agent_id"),
        (remember, json!({ "topic_raw": "t" }), "content"),
        (remember, json!([]), "body"),
        (recall, json!({}), "query"),
        (recall, json!({ "query": "" }), "query"),
        (recall, json!({ "query": "q".repeat(4097) }), "query"),
        (recall, json!({ "query": "a\0b" }), "query"),
        (recall, json!({ "query": "q", "k": 0 }), "k"),
        (recall, json!({ "query": "q", "k": 101 }), "k"),
        (recall, json!({ "query": "q", "k": -1 }), "k"),
        (recall, json!({ "query": "q", "k": 1.5 }), "k"),
        (recall, json!({ "query": "q", "filters": { "kinds": ["hunch"] } }), "filters.kinds[0]"),
        (recall, json!({ "query": "q", "ranking": "best" }), "ranking"),
        (forget, json!({ "memory_id": "7" }), "memory_id"),
        (forget, json!({}), "memory_id"),
    ];
    for (tool, input, field) in cases {
        let answer = site.atlas(tool, input.clone()).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{input} {}", answer.text);
        assert_eq!(answer.error(), ("invalid".to_owned(), Some(field.to_owned())), "{input} {}", answer.text);
        assert_eq!(answer.json()["error"]["request_id"].as_str().unwrap(), answer.headers["x-request-id"].to_str().unwrap());
    }
    for body in ["", "{", "{\"topic_raw\":", "\u{feff}{}", "nonsense"] {
        let answer = site.post(Some(&site.world.atlas_key), remember, body).await;
        assert_eq!((answer.status, answer.error().1.as_deref()), (StatusCode::BAD_REQUEST, Some("body")), "{body}");
    }
    remembrancer::workers::drain(&site.world.engine).await.unwrap();
    assert_eq!(site.rows().await, before, "a failed request leaves no row behind");
}

#[tokio::test]
async fn the_largest_content_and_topic_pass() {
    let site = Site::new().await;
    // Every character is an escape of six bytes: the limit of the body must not be the reason for the refusal.
    let mut body = with("topic_raw", json!("é".repeat(256))).to_string();
    body = body.replace("\"c\"", &format!("\"{}\"", "\\u0078".repeat(16 * 1024)));
    let answer = site.post(Some(&site.world.atlas_key), "agent_memory_remember", body).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
}

#[tokio::test]
async fn a_body_over_the_limit_is_413_and_a_foreign_type_415() {
    let site = Site::new().await;
    let answer = site.atlas("agent_memory_remember", with("content", json!("x".repeat(server::api::BODY_MAX)))).await;
    assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::PAYLOAD_TOO_LARGE, "too_large"));
    let request = Request::post("/api/tools/agent_memory_recall")
        .header(header::AUTHORIZATION, format!("Bearer {}", site.world.atlas_key))
        .header(header::CONTENT_TYPE, "text/plain")
        .body(Body::from(r#"{"query":"q"}"#))
        .unwrap();
    let answer = site.send(request).await;
    assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type"));
}

#[tokio::test]
async fn unknown_addresses_and_methods_need_no_key_and_have_the_shape_of_unknown_tools() {
    let site = Site::new().await;
    assert_eq!(site.atlas("agent_memory_dream", json!({})).await.error().0, "not_found");
    let answer = site.get("/api/tools/agent_memory_recall", &[]).await;
    assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"));
    for path in ["/api", "/api/", "/api/nothing", "/api/nothing/at/all"] {
        let answer = site.get(path, &[]).await;
        assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::NOT_FOUND, "not_found"), "{path}");
    }
    for path in ["/api/memory", "/api/memories/x", "/api/retrievals", "/api/kb/index", "/healthz"] {
        let answer = site.send(Request::patch(path).body(Body::empty()).unwrap()).await;
        assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"), "{path}");
        assert!(answer.header(header::ALLOW).contains("GET"), "{path}");
    }
}

#[tokio::test]
async fn a_query_and_a_segment_that_cannot_be_read_have_the_same_shape() {
    let site = Site::new().await;
    let key = format!("Bearer {}", site.world.atlas_key);
    let get = async |path: &str| site.get(path, &[(header::AUTHORIZATION, &key)]).await;
    for path in ["/api/retrievals?expected=perhaps", "/api/kb/index?path=a&path=b"] {
        let answer = get(path).await;
        assert_eq!((answer.status, answer.error()), (StatusCode::BAD_REQUEST, ("invalid".into(), Some("query".into()))), "{path}");
    }
    for path in ["/api/retrievals/7", "/api/retrievals/%ff", "/api/memories/%ff", "/api/memory/%ff"] {
        let answer = get(path).await;
        assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::NOT_FOUND, "not_found"), "{path}");
    }
}

#[tokio::test]
async fn a_body_is_not_read_for_a_caller_without_the_scope() {
    let site = Site::new().await;
    let world = &site.world;
    let (_, none) = key(&world.engine, &world.system, world.atlas.agent_id().unwrap(), &[KeyScope::ContextRead]).await;
    for (method, path) in [
        ("POST", "/api/tools/agent_memory_remember"),
        ("POST", "/api/memory"),
        ("PUT", "/api/memory/aaaaaaaa"),
        ("POST", "/api/commands/memory"),
        ("POST", "/api/projects"),
        ("POST", "/api/projects/zephyr/repos"),
        ("POST", "/api/projects/zephyr/links"),
        ("POST", "/api/kb/documents"),
        ("POST", "/api/import"),
    ] {
        // Its type, size and content do not matter, and the server does not wait for its end.
        let unending = Body::from_stream(futures_util::stream::pending::<Result<Vec<u8>, std::io::Error>>());
        let request = Request::builder().method(method).uri(path).header(header::AUTHORIZATION, format!("Bearer {none}"));
        let answer = site.send(request.header(header::CONTENT_TYPE, "text/plain").body(unending).unwrap()).await;
        assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::FORBIDDEN, "forbidden"), "{method} {path}");
    }
}

/// A model with a bug.
struct Panicking;

impl Embedder for Panicking {
    fn model(&self) -> &str {
        "all-MiniLM-L6-v2"
    }

    fn dimension(&self) -> usize {
        384
    }

    fn embed(&self, _: Vec<String>, _: Role) -> Pin<Box<dyn Future<Output = Result<Vec<Vec<f32>>, EmbedError>> + Send + '_>> {
        panic!("the secret is 4711")
    }
}

#[tokio::test]
async fn a_panic_answers_500_with_the_id_of_its_request_and_no_detail() {
    let world = World::with(TestDatabases::shared().await, Arc::new(Panicking), Fake::new(), Settings::default()).await;
    let site = Site::on(world, &[]);
    let (answer, logged) = with_errors(site.atlas("agent_memory_remember", whole())).await;
    assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::INTERNAL_SERVER_ERROR, "internal"));
    assert!(!answer.text.contains("4711"), "{}", answer.text);
    let id = answer.headers["x-request-id"].to_str().unwrap();
    assert!(matches!(logged.as_slice(), [line] if line.contains("a handler panicked") && line.contains(id)), "logged once: {logged:?}");
}

#[tokio::test]
async fn each_key_has_a_limit_of_its_own_and_a_retry_after() {
    let site = Site::with(&[("RATE_LIMIT_PER_MINUTE", "3")]).await;
    for _ in 0..3 {
        assert_eq!(site.atlas("agent_memory_recall", json!({ "query": "q" })).await.status, StatusCode::OK);
    }
    let answer = site.atlas("agent_memory_recall", json!({ "query": "q" })).await;
    assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::TOO_MANY_REQUESTS, "rate_limited"));
    let wait: u64 = answer.header(header::RETRY_AFTER).parse().unwrap();
    assert!((1..=20).contains(&wait), "{wait}");
    assert_eq!(site.binky("agent_memory_recall", json!({ "query": "q" })).await.status, StatusCode::OK);
}

#[tokio::test]
async fn every_response_keeps_browsers_from_guessing_and_from_plain_http() {
    let world = Site::new().await.world;
    for (url, transport) in [("https://memory.example.org", "max-age=31536000"), ("http://127.0.0.1:3000", "")] {
        let site = Site::on(World::on(world.engine.urls().clone()).await, &[("PUBLIC_URL", url)]);
        for path in ["/healthz", "/readyz", "/api/tools", "/api/nowhere", "/sign-in", "/favicon.svg", "/agents"] {
            let answer = site.get(path, &[]).await;
            assert_eq!(answer.header(header::X_CONTENT_TYPE_OPTIONS), "nosniff", "{path}");
            assert_eq!(answer.header(header::STRICT_TRANSPORT_SECURITY), transport, "{path}");
        }
        assert_eq!(site.post(None, "agent_memory_recall", "{}").await.header(header::X_CONTENT_TYPE_OPTIONS), "nosniff");
    }
}

#[tokio::test]
async fn a_foreign_host_name_is_refused() {
    let site = Site::new().await;
    assert_eq!(site.get("/healthz", &[(header::HOST, "127.0.0.1:3000")]).await.status, StatusCode::OK);
    let evil = Request::get("/healthz").header(header::HOST, "evil.example").body(Body::empty()).unwrap();
    let nameless = Request::get("/healthz").body(Body::empty()).unwrap();
    let blank = Request::get("/healthz").header(header::HOST, "").body(Body::empty()).unwrap();
    for request in [evil, nameless, blank] {
        let answer = site.send_as_it_is(request).await;
        assert_eq!((answer.status, answer.error()), (StatusCode::BAD_REQUEST, ("invalid".to_owned(), Some("Host".to_owned()))));
    }
}

#[tokio::test]
async fn a_model_that_is_away_stops_neither_writing_nor_reading() {
    let site = Site::new().await;
    site.world.embedder.fail();
    let stored = site.atlas("agent_memory_remember", with("content", json!("the vault code changes monthly"))).await;
    assert_eq!(stored.status, StatusCode::OK, "{}", stored.text);
    let recalled = site.atlas("agent_memory_recall", json!({ "query": "vault code", "explain": true })).await.json();
    assert_eq!(recalled["degraded"], json!(["embedding"]));
    assert_eq!(recalled["hits"][0]["matched_by"], "lexical");
}

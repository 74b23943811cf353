//! Refusals by limits cost no statement: they work while every connection for lookups is taken.

use crate::harness::{Answer, Site};
use crate::mcp::without_session;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode, header};
use db::Tx;
use foundation::testing::{TestDatabases, World};
use foundation::{Engine, identity};
use remembrancer::overview;
use serde_json::json;
use sqlx::{Connection, PgConnection};
use std::net::SocketAddr;
use std::sync::Arc;
use wire::KeyScope;

const STRANGER: &str = "203.0.113.9:4711";
const NEIGHBOUR: &str = "198.51.100.7:4711";

/// Takes every connection to the control database that looks up keys and sessions.
async fn exhaust(engine: &Engine) -> Vec<Tx> {
    let mut held = Vec::new();
    for _ in 0..5 {
        held.push(engine.db().control.begin_system().await.unwrap());
    }
    held
}

fn unknown_key(site: &Site) -> String {
    let clock = site.world.engine.clock();
    format!("rmb_{}_{}", clock.secret(12), clock.secret(43))
}

async fn list_tools(site: &Site, key: &str, address: &str) -> Answer {
    let mut request = Request::get("/api/tools").header(header::AUTHORIZATION, format!("Bearer {key}")).body(Body::empty()).unwrap();
    request.extensions_mut().insert(ConnectInfo(address.parse::<SocketAddr>().unwrap()));
    site.send(request).await
}

#[tokio::test]
async fn a_request_over_the_limit_costs_no_connection() {
    let site = Site::with(&[("RATE_LIMIT_PER_MINUTE", "2")]).await;
    for _ in 0..2 {
        assert_eq!(list_tools(&site, &site.world.atlas_key, STRANGER).await.status, StatusCode::OK);
    }
    let held = exhaust(&site.world.engine).await;
    let answer = list_tools(&site, &site.world.atlas_key, STRANGER).await;
    assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::TOO_MANY_REQUESTS, "rate_limited"));
    assert_eq!(list_tools(&site, &site.world.binky_key, STRANGER).await.status, StatusCode::SERVICE_UNAVAILABLE, "others need one");
    drop(held);
}

#[tokio::test]
async fn a_bad_key_is_looked_up_once() {
    let site = Site::with(&[]).await;
    let key = unknown_key(&site);
    let first = list_tools(&site, &key, STRANGER).await;
    assert_eq!(first.status, StatusCode::UNAUTHORIZED);
    let _held = exhaust(&site.world.engine).await;
    let again = list_tools(&site, &key, NEIGHBOUR).await;
    assert_eq!(again.status, StatusCode::UNAUTHORIZED);
    assert_eq!(again.json()["error"]["message"], first.json()["error"]["message"]);
}

#[tokio::test]
async fn unknown_keys_are_limited_by_address_and_known_ones_are_not() {
    let site = Site::with(&[("UNKNOWN_KEYS_PER_MINUTE", "3")]).await;
    assert_eq!(list_tools(&site, &site.world.atlas_key, STRANGER).await.status, StatusCode::OK);
    for _ in 0..2 {
        assert_eq!(list_tools(&site, &unknown_key(&site), STRANGER).await.status, StatusCode::UNAUTHORIZED);
    }
    let held = exhaust(&site.world.engine).await;
    let answer = list_tools(&site, &unknown_key(&site), STRANGER).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS, "{}", answer.text);
    assert!(answer.header(header::RETRY_AFTER).parse::<u64>().unwrap() > 0);
    drop(held);
    assert_eq!(list_tools(&site, &site.world.atlas_key, STRANGER).await.status, StatusCode::OK, "atlas was here before");
    assert_eq!(list_tools(&site, &unknown_key(&site), NEIGHBOUR).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn guessing_leaves_connections_to_sessions() {
    let site = Arc::new(Site::on(World::on(TestDatabases::fresh(&db::clock::SystemClock).await).await, &[]));
    // Two connections: within a transaction the activity of others does not change.
    let connect = async || PgConnection::connect(&site.world.engine.urls().internal_shared).await.unwrap();
    let (mut owner, mut observer) = (connect().await, connect().await);
    let mut locked = owner.begin().await.unwrap();
    sqlx::query("lock table api_keys in access exclusive mode").execute(&mut *locked).await.unwrap();
    let guesses: Vec<_> = (0..10)
        .map(|_| {
            let site = Arc::clone(&site);
            tokio::spawn(async move { list_tools(&site, &unknown_key(&site), STRANGER).await.status })
        })
        .collect();
    let waiting = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut observer).await.unwrap() < 2 {
        tokio::task::yield_now().await;
    }
    for _ in 0..20 {
        assert_eq!(identity::session_load(&site.world.engine, "nobody's").await.unwrap(), None);
    }
    locked.rollback().await.unwrap();
    for guess in guesses {
        let status = guess.await.unwrap();
        assert!([StatusCode::UNAUTHORIZED, StatusCode::SERVICE_UNAVAILABLE].contains(&status), "{status}");
    }
}

/// The counts of the keys of atlas, as its page shows them once they are written: requests, refused, and the last address.
async fn counts(site: &Site, key: &str) -> (i64, i64, Option<String>) {
    let world = &site.world;
    identity::flush_uses(&world.engine).await.unwrap();
    let page = overview::agent(&world.engine, &world.vera, world.atlas.agent_id().unwrap()).await.unwrap();
    let listed = page.keys.into_iter().find(|listed| key.starts_with(listed.hint.trim_end_matches('…'))).unwrap();
    (listed.requests, listed.refused, listed.last_used_from)
}

#[tokio::test]
async fn requests_and_refusals_are_counted_for_their_key() {
    let site = Site::with(&[("RATE_LIMIT_PER_MINUTE", "6")]).await;
    let world = &site.world;
    let atlas = world.atlas.agent_id().unwrap();
    let key = identity::create_key(&world.engine, &world.system, atlas, "reader", &[KeyScope::MemoryRead], None, None).await.unwrap();
    let (id, key) = (key.0, key.1.as_str());
    assert_eq!(counts(&site, key).await, (0, 0, None));
    for address in [NEIGHBOUR, STRANGER] {
        assert_eq!(list_tools(&site, key, address).await.status, StatusCode::OK);
    }
    assert_eq!(counts(&site, key).await, (2, 0, Some("203.0.113.9".into())));
    let remember = json!({ "topic_raw": "tea", "content": "Vera likes tea", "source": { "platform": "slack" } });
    assert_eq!(site.post(Some(key), "agent_memory_remember", remember.to_string()).await.status, StatusCode::FORBIDDEN);
    let (requests, refusals, _) = counts(&site, key).await;
    assert_eq!((requests, refusals), (3, 1));
    // Over the Model Context Protocol a refusal is an answer 200.
    let call = json!({ "name": "agent_memory_remember", "arguments": remember });
    let answer = site.send(without_session(key, "tools/call", call)).await;
    assert!(answer.status == StatusCode::OK && answer.text.contains("forbidden"), "{answer:?}");
    let (requests, refusals, _) = counts(&site, key).await;
    assert_eq!((requests, refusals), (4, 2));
    // Over the limit, after its end, and once more, when it is known to have ended.
    for _ in 0..3 {
        list_tools(&site, key, STRANGER).await;
    }
    let (requests, refusals, _) = counts(&site, key).await;
    assert_eq!((requests, refusals), (7, 3));
    let fresh = Site::on(site.world, &[]);
    identity::revoke_key(&fresh.world.engine, &fresh.world.system, id).await.unwrap();
    for _ in 0..2 {
        assert_eq!(list_tools(&fresh, key, STRANGER).await.status, StatusCode::UNAUTHORIZED);
    }
    let (requests, refusals, from) = counts(&fresh, key).await;
    assert_eq!((requests, refusals, from.as_deref()), (9, 5, Some("203.0.113.9")));
    // A wrong secret says nothing about the key.
    let forged = format!("{}{}", &key[..key.len() - 1], if key.ends_with('a') { 'b' } else { 'a' });
    list_tools(&fresh, &forged, STRANGER).await;
    assert_eq!(counts(&fresh, key).await.0, 9);
}

//! Refusals by limits cost no statement: they work while every connection for lookups is taken.

use crate::harness::{Answer, Site};
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode, header};
use remembrancer::db::Tx;
use remembrancer::testing::{TestDatabases, World};
use remembrancer::{Engine, identity};
use sqlx::{Connection, PgConnection};
use std::net::SocketAddr;
use std::sync::Arc;

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
    let site = Arc::new(Site::on(World::on(TestDatabases::fresh(&remembrancer::clock::SystemClock).await).await, &[]));
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

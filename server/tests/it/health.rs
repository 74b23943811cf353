//! `/readyz`: many requests cost one probe, and its answer is at most a second old.

use crate::harness::{Site, with_errors};
use axum::http::{StatusCode, header};
use chrono::{DateTime, Duration, Utc};
use db::DatabaseUrls;
use db::clock::{Clock, SystemClock};
use foundation::testing::{TestDatabases, World, workers};
use serde_json::json;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::str::FromStr;
use std::sync::{Arc, Mutex};

/// A clock that moves only when a test moves it.
#[derive(Default)]
struct Stopped(Mutex<DateTime<Utc>>);

impl Clock for Stopped {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }
}

impl Stopped {
    fn advance(&self, by: Duration) {
        *self.0.lock().unwrap() += by;
    }
}

/// A site with databases of its own and a stopped clock.
async fn stopped() -> (Site, Arc<Stopped>) {
    let (mut world, clock) = (World::on(TestDatabases::fresh(&SystemClock).await).await, Arc::<Stopped>::default());
    world.engine = world.engine.with_clock(Arc::<Stopped>::clone(&clock));
    (Site::on(world, &[]), clock)
}

/// Forbids connections to the databases, even to their owner, or allows them again.
async fn connectable(urls: &DatabaseUrls, allowed: bool) {
    let mut owner =
        PgConnection::connect_with(&PgConnectOptions::from_str(&urls.agent_memory).unwrap().database("postgres")).await.unwrap();
    for url in [&urls.agent_memory, &urls.shared_kb, &urls.internal_shared] {
        let options = PgConnectOptions::from_str(url).unwrap();
        let sql = format!("alter database \"{}\" allow_connections {allowed}", options.get_database().unwrap());
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut owner).await.unwrap();
    }
}

#[tokio::test]
async fn readiness_is_probed_with_the_connections_that_are_there() {
    let (site, clock) = stopped().await;
    assert_eq!(site.get("/readyz", &[]).await.status, StatusCode::OK);
    let urls = site.world.engine.urls();
    connectable(urls, false).await;
    clock.advance(Duration::seconds(5));
    let answer = site.get("/readyz", &[]).await;
    connectable(urls, true).await;
    assert_eq!(answer.json()["migrations"], "ok", "{}", answer.text);
}

#[tokio::test]
async fn a_probe_serves_everybody_for_a_second() {
    let (site, clock) = stopped().await;
    assert_eq!(site.get("/readyz", &[]).await.json()["status"], "ready");
    let mut held = Vec::new();
    for _ in 0..5 {
        held.push(site.world.engine.db().kb.begin_system().await.unwrap());
    }
    assert_eq!(site.get("/readyz", &[]).await.json()["status"], "ready", "the database was not asked again");
    clock.advance(Duration::seconds(1));
    let answer = site.get("/readyz", &[]).await;
    assert_eq!((answer.status, &answer.json()["databases"]), (StatusCode::SERVICE_UNAVAILABLE, &"shared_kb does not answer".into()));
    assert_eq!(answer.header(header::RETRY_AFTER), "5", "every answer 503 says when to come back");
    drop(held);
    assert_eq!(site.get("/readyz", &[]).await.status, StatusCode::SERVICE_UNAVAILABLE, "nor after a failure");
    clock.advance(Duration::seconds(1));
    assert_eq!(site.get("/readyz", &[]).await.json()["status"], "ready");
}

#[tokio::test]
async fn a_full_disk_is_said_to_be_one_and_is_not_ready() {
    let (site, clock) = stopped().await;
    assert_eq!(site.get("/readyz", &[]).await.status, StatusCode::OK);
    let mut owner = PgConnection::connect(&site.world.engine.urls().agent_memory).await.unwrap();
    let full = "create function full_disk() returns trigger language plpgsql as $$ begin \
                    raise exception 'could not extend file' using errcode = '53100'; end $$";
    sqlx::raw_sql(full).execute(&mut owner).await.unwrap();
    // A distributed table has no triggers, and its parts on the nodes are tables like any other.
    let trigger = if workers().is_empty() {
        "create trigger full_disk before insert on agent_memories for each statement execute function full_disk()"
    } else {
        "select run_command_on_shards('agent_memories', \
                'create trigger full_disk before insert on %s for each statement execute function full_disk()')"
    };
    sqlx::raw_sql(trigger).execute(&mut owner).await.unwrap();
    let fact = json!({ "topic_raw": "tea", "content": "Vera likes tea", "source": { "platform": "slack" } });
    let (answer, logged) = with_errors(site.atlas("agent_memory_remember", fact)).await;
    assert_eq!((answer.status, answer.header(header::RETRY_AFTER)), (StatusCode::SERVICE_UNAVAILABLE, "30"), "{}", answer.text);
    assert!(matches!(logged.as_slice(), [line] if line.contains("request failed")), "logged once: {logged:?}");
    assert!(answer.text.contains("the disk of the database is full") && !answer.text.contains("extend"), "{}", answer.text);
    clock.advance(Duration::seconds(1));
    let ready = site.get("/readyz", &[]).await;
    let reason = (ready.status, &ready.json()["databases"]);
    assert_eq!(reason, (StatusCode::SERVICE_UNAVAILABLE, &"agent_memory: the disk of the database is full".into()));
}

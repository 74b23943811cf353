//! `remembrancer doctor` on a healthy installation, and on one that is broken in several ways at once.

use crate::process::databases;
use db::clock::{Clock, SystemClock};
use foundation::testing::{TestDatabases, World};
use serde_json::Value;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::process::Command;
use std::str::FromStr;

/// The exit status, and the worst level of each check.
fn doctor(variables: &[(&str, String)]) -> (Option<i32>, BTreeMap<String, String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_remembrancer"))
        .args(["doctor", "--json"])
        .current_dir(folder.path())
        .env_remove("DATABASE_URL")
        .env_remove("DATA_DIR")
        .env_remove("PUBLIC_URL")
        .env_remove("RUST_LOG")
        .envs([("LISTEN_ADDR", "127.0.0.1:0"), ("METRICS_ADDR", "127.0.0.1:0")])
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .output()
        .unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "it left something behind");
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {text}"));
    let mut worst = BTreeMap::new();
    for finding in report["findings"].as_array().unwrap() {
        let (check, level) = (finding["check"].as_str().unwrap(), finding["level"].as_str().unwrap());
        // In the order of the alphabet, ok lies between error and warning.
        let rank = |level: &str| ["ok", "warning", "error"].iter().position(|known| *known == level).unwrap();
        let entry: &mut String = worst.entry(check.to_owned()).or_insert_with(|| "ok".to_owned());
        if rank(level) > rank(entry.as_str()) {
            level.clone_into(entry);
        }
    }
    (output.status.code(), worst, text)
}

/// Checks that are not well.
fn bad(worst: &BTreeMap<String, String>) -> Vec<(&str, &str)> {
    worst.iter().filter(|(_, level)| *level != "ok").map(|(check, level)| (check.as_str(), level.as_str())).collect()
}

#[tokio::test]
async fn a_healthy_installation_is_told_from_one_with_broken_parts() {
    let world = World::on(TestDatabases::fresh(&SystemClock).await).await;
    let mut variables = databases(&world);
    let urls = world.engine.urls();
    let options = PgConnectOptions::from_str(&urls.agent_memory).unwrap();
    let mut superuser = options.connect().await.unwrap();
    let mut run = async |sql: &str| sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut superuser).await.unwrap();

    // The roles have logins of their own, as the documentation says.
    let [app, system] = ["app", "system"].map(|role| format!("rmb_login_{role}_{}", SystemClock.secret(8).to_lowercase()));
    let base = options.get_database().unwrap().strip_suffix("_agent_memory").unwrap();
    let login = |user: &str| options.clone().username(user).password("p/w").database(base).to_url_lossy().to_string();
    run(&format!("create role {app} login password 'p/w' in role rmb_app; create role {system} login password 'p/w' in role rmb_system"))
        .await;
    variables.extend([("APP_DATABASE_URL", login(&app)), ("SYSTEM_DATABASE_URL", login(&system))]);
    let (status, worst, text) = doctor(&variables);
    assert_eq!((status, bad(&worst)), (Some(0), vec![]), "{text}");
    assert!(
        ["audit", "cache", "connections", "database", "model", "tables", "vectors"].iter().all(|check| worst.contains_key(*check)),
        "{text}"
    );

    run("alter table agent_memories disable row level security").await;
    run("update pg_index set indisvalid = false where indexrelid = 'sources_pkey'::regclass").await;
    let mut control = PgConnection::connect(&urls.internal_shared).await.unwrap();
    let changed = "set session_replication_role = replica; update audit_log set action = 'x' where seq = 1; \
                   update models set dedup_threshold = 0.1 where is_current";
    sqlx::raw_sql(changed).execute(&mut control).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || listener.incoming().for_each(drop));
    variables.extend([("LISTEN_ADDR", address), ("REMEMBRANCER_MODEL_DIR", "/no/such/folder".to_owned())]);
    let (status, worst, text) = doctor(&variables);
    let expected = vec![
        ("audit", "error"),
        ("indexes", "warning"),
        ("model", "error"),
        ("ports", "error"),
        ("tables", "error"),
        ("thresholds", "error"),
    ];
    assert_eq!((status, bad(&worst)), (Some(2), expected), "{text}");
    assert!(!text.contains("p/w") && !text.contains("p%2Fw"), "{text}");

    world.engine.db().close().await;
    run(&format!("drop role {app}; drop role {system}")).await;
}

#[test]
fn what_cannot_be_reached_is_an_error_with_a_sentence() {
    for (variables, check, words) in [
        (vec![], "database", "there is no database in"),
        (vec![("DATABASE_URL", "postgres://vera:hunter2@127.0.0.1:1/acme".to_owned())], "database", "cannot be reached"),
        (vec![("DATABASE_URL", "postgres://vera:hunter/2@127.0.0.1:1/acme".to_owned())], "settings", "a raw «/»"),
    ] {
        let (status, worst, text) = doctor(&variables);
        assert_eq!((status, worst.get(check).map(String::as_str)), (Some(2), Some("error")), "{text}");
        assert!(text.contains(words) && !text.contains("hunter"), "{text}");
    }
}

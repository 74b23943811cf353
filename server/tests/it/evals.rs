//! The golden runs of `eval profile` and `eval context`: small invented files give the tables of the snapshots. Rules must not be fitted to them.
//! `UPDATE_SNAPSHOT=1` rewrites the snapshots; read the difference before you commit it.

use evals::{context, profile, retrieval};
use foundation::testing::{FakeClock, TestDatabases, World};
use serde::de::DeserializeOwned;
use std::path::PathBuf;

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden").join(name)
}

async fn lines<T: DeserializeOwned>(name: &str) -> Vec<T> {
    evals::read(&golden(name)).await.unwrap()
}

fn compare(name: &str, report: &str) {
    if std::env::var_os("UPDATE_SNAPSHOT").is_some() {
        std::fs::write(golden(name), report).unwrap();
    }
    assert_eq!(report, std::fs::read_to_string(golden(name)).unwrap());
}

/// Databases of its own: the evaluation does all work that waits.
async fn world() -> World {
    World::on(TestDatabases::fresh(&FakeClock::default()).await).await
}

#[tokio::test]
async fn observations_of_three_people_give_the_profiles_of_the_snapshot() {
    compare("profile.txt", &profile::evaluate(&world().await.engine, &lines("profile.jsonl").await).await.unwrap().to_string());
}

#[tokio::test]
async fn tasks_of_three_people_give_the_contexts_of_the_snapshot() {
    let report = context::evaluate(&world().await.engine, &lines("context.jsonl").await).await.unwrap();
    // Without the tokens: among equally good memories the ids decide, and ids are random.
    let scores: Vec<String> = report.to_string().lines().map(|line| line.chars().take(63).collect()).collect();
    compare("context.txt", &(scores.join("\n") + "\n"));
}

#[tokio::test]
async fn questions_that_nothing_answers_are_asked_with_the_floors() {
    let world = world().await;
    let lines = [
        r#"{"type": "memory", "scope": "home", "key": "tea", "text": "Vera drinks green tea in the morning."}"#,
        r#"{"type": "memory", "scope": "home", "key": "cat", "text": "The cat of Mina sleeps on the oven."}"#,
        r#"{"type": "question", "scope": "home", "query": "Which tea does Vera drink?", "evidence": ["tea"]}"#,
        r#"{"type": "off_topic", "scope": "home", "query": "How far away is Jupiter?"}"#,
        r#"{"type": "off_topic", "scope": "home", "query": "Does the cat of Mina snore?"}"#,
    ];
    let lines: Vec<retrieval::Line> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let reports = retrieval::evaluate(&world.engine, world.engine.urls(), &lines, None, true).await.unwrap();
    let floors = &serde_json::to_value(&reports).unwrap()[0]["floors"];
    assert_eq!(floors.as_object().unwrap().len(), 3);
    for ranking in ["decay", "hybrid", "hybrid_decay"] {
        let expected = serde_json::json!({ "off_topic": 2, "off_topic_with_hits": 1, "answered": 1, "lost": 0 });
        assert_eq!(floors[ranking], expected, "{ranking}: {reports}");
    }
}

#[tokio::test]
async fn a_task_that_wants_what_nobody_said_is_an_error() {
    let world = world().await;
    let task = r#"{"type": "task", "person": "vera", "query": "Tea?", "wanted": ["tea"]}"#;
    let refused = context::evaluate(&world.engine, &[serde_json::from_str(task).unwrap()]).await.err().unwrap();
    assert_eq!(refused.to_string(), "a task of vera wants tea, which is not a key of that person");
}

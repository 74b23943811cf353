//! Upgrades: databases of every earlier state, with data in them, open in the newest one. `upgrades/` has the rows that programs stored.

use crate::support::{Told, owner, patient, row_counts};
use db::clock::Clock;
use db::{DatabaseUrls, create_databases, drop_databases, migrate, migrate_to, versions};
use foundation::testing::{Fake, FakeClock, TestDatabases, fact, nowhere, question};
use foundation::{Engine, audit, identity};
use remembrancer::{knowledge, memories, recall, vocabulary, workers};
use sqlx::{AssertSqlSafe, Connection};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use wire::{KnowledgeRequest, LookupRequest, RequestId};

fn parts(urls: &DatabaseUrls) -> [(&'static str, &str); 3] {
    [("agent_memory", &urls.agent_memory), ("shared_kb", &urls.shared_kb), ("internal_shared", &urls.internal_shared)]
}

fn base() -> String {
    format!("rmb_test_{}", FakeClock::default().secret(8).to_lowercase())
}

/// The key of atlas, whose hash is among the rows.
fn key() -> String {
    format!("rmb_{}_{}", "a".repeat(12), "b".repeat(43))
}

/// What programs stored that knew a migration, by its version and the database: `upgrades/<version>_<database>.sql`.
fn stored() -> BTreeMap<(i64, String), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/upgrades");
    let read = |path: &Path| {
        let (version, database) = path.file_stem().unwrap().to_str().unwrap().split_once('_').unwrap();
        ((version.parse().unwrap(), database.to_owned()), fs::read_to_string(path).unwrap())
    };
    fs::read_dir(folder).unwrap().map(|entry| read(&entry.unwrap().path())).collect()
}

/// Runs statements as the owner of a database, and leaves no connection behind: the database will be copied.
async fn run(url: &str, statements: String) {
    let mut owner = owner(url).await;
    sqlx::raw_sql(AssertSqlSafe(statements)).execute(&mut owner).await.unwrap();
    owner.close().await.unwrap();
}

async fn copy(from: &str) -> DatabaseUrls {
    let (to, elsewhere) = (base(), TestDatabases::shared().await.internal_shared);
    for part in ["agent_memory", "shared_kb", "internal_shared"] {
        run(&elsewhere, format!("create database {to}_{part} template {from}_{part} strategy file_copy")).await;
    }
    TestDatabases::urls(&to)
}

/// The number of rows of each table.
async fn counts(urls: &DatabaseUrls) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    for (database, url) in parts(urls) {
        counts.extend(row_counts(url).await.into_iter().map(|(table, rows)| (format!("{database}.{table}"), rows)));
    }
    counts
}

/// Upgrades the databases as a start does, and finds there what was stored.
async fn upgrade(version: i64, urls: &DatabaseUrls) {
    let before = counts(urls).await;
    migrate(urls).await.unwrap_or_else(|error| panic!("{version}: {error}"));
    let after = counts(urls).await;
    let lost: Vec<_> = before.iter().filter(|(table, rows)| after.get(*table).is_none_or(|now| now < *rows)).collect();
    assert!(lost.is_empty(), "{version}: {lost:?}");

    let engine = Engine::open(urls.clone(), Arc::new(Fake::new()), Arc::new(FakeClock::default()), patient()).await.unwrap();
    let atlas = identity::authenticate(&engine, &key(), RequestId(nowhere())).await.unwrap();
    let vera = identity::named_by_caller(&engine, atlas.clone(), &"vera".parse().unwrap()).await.unwrap();
    for (ctx, query, content) in [
        (&atlas, "Where is the kettle?", "The kettle is in the left cupboard."),
        (&atlas, "Where is the ladder?", "The ladder is behind the shed."),
        (&vera, "Which tea does Vera drink?", "Vera drinks green tea in the morning."),
    ] {
        let hits = recall::recall(&engine, ctx, question(query)).await.unwrap().told();
        assert_eq!(hits.first().map(|hit| hit.memory.content.as_str()), Some(content), "{version}");
    }
    let term = vocabulary::lookup(&engine, &atlas, LookupRequest { phrase: "portal crane".into() }).await.unwrap().term;
    assert_eq!(term.map(|term| term.term).as_deref(), Some("harbour crane"), "{version}");
    let request = KnowledgeRequest { query: "gantry of berth nine".into(), k: 5, kinds: vec![] };
    let hits = knowledge::search(&engine, &atlas, request).await.unwrap().hits;
    assert_eq!(hits.first().map(|hit| hit.content.as_str()), Some("The gantry of berth nine is called Quokka."), "{version}");

    let again = memories::remember(&engine, &atlas, fact("kettle", "The kettle is in the left cupboard.")).await.unwrap();
    assert!(again.unchanged, "{version}");
    // An entry for the ladder, which waited since before the upgrade, and one for the kettle.
    workers::drain(&engine).await.unwrap();
    let chain = audit::verify(&engine, &identity::open_tenant(&engine, "acme").await.unwrap(), None).await.unwrap();
    assert_eq!((chain.head.entries, chain.fault), (15, None), "{version}");
    engine.db().close().await;
}

#[tokio::test]
async fn databases_of_every_earlier_state_keep_their_data_in_the_newest() {
    let (grown, mut stored) = (base(), stored());
    let urls = TestDatabases::urls(&grown);
    create_databases(&urls).await.unwrap();
    for version in versions() {
        migrate_to(&urls, version).await.unwrap();
        for (database, url) in parts(&urls) {
            if let Some(statements) = stored.remove(&(version, database.to_owned())) {
                run(url, statements).await;
            }
        }
        let copy = copy(&grown).await;
        upgrade(version, &copy).await;
        drop_databases(&copy).await.unwrap();
    }
    assert!(stored.is_empty(), "no migration has the version of {:?}", stored.keys());
    drop_databases(&urls).await.unwrap();
}

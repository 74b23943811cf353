//! Databases, roles and tables: made once, by the first process, and compared with the model.

use crate::support::{owner, row_counts};
use futures_util::future::BoxFuture;
use remembrancer::api::RememberRequest;
use remembrancer::clock::Clock;
use remembrancer::db::{DatabaseUrls, Databases, Logins, Patience, create_databases, migrate};
use remembrancer::providers::{EmbedError, Embedder};
use remembrancer::testing::{Fake, FakeClock, TestDatabases, World, fact};
use remembrancer::{Engine, Error, Settings, memories};
use std::sync::Arc;
use std::time::Duration;

fn names() -> DatabaseUrls {
    TestDatabases::urls(&format!("rmb_test_{}", FakeClock::default().secret(8).to_lowercase()))
}

/// How many migrations the databases lack, as the server asks.
async fn pending_migrations(urls: &DatabaseUrls) -> usize {
    let second = Duration::from_secs(1);
    let databases = Databases::connect(urls, &Logins::default(), Patience { connection: second, statement: 15 * second }).unwrap();
    let pending = databases.ping().await.into_iter().map(|(_, pending)| pending.unwrap()).sum();
    databases.close().await;
    pending
}

async fn schema(urls: &DatabaseUrls) -> Vec<(String, String, String)> {
    let mut columns = Vec::new();
    for url in [&urls.agent_memory, &urls.shared_kb, &urls.internal_shared] {
        let found: Vec<(String, String, String)> = sqlx::query_as(
            r"select table_name::text, column_name::text, data_type::text from information_schema.columns
               where table_schema = 'public' order by 1, 2",
        )
        .fetch_all(&mut owner(url).await)
        .await
        .unwrap();
        columns.extend(found);
    }
    columns
}

#[tokio::test]
async fn applying_twice_changes_nothing() {
    let world = crate::support::alone().await;
    crate::support::remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    let urls = world.engine.urls();
    let (columns, rows) = (schema(urls).await, row_counts(&urls.agent_memory).await);
    create_databases(urls).await.unwrap();
    migrate(urls).await.unwrap();
    assert_eq!(pending_migrations(urls).await, 0);
    assert_eq!((schema(urls).await, row_counts(&urls.agent_memory).await), (columns, rows));
}

/// A version gets its missing values only if nothing was written since.
#[tokio::test]
async fn versions_of_the_last_write_are_completed_and_older_ones_are_not() {
    let world = crate::support::alone().await;
    let first = RememberRequest { title: Some("Tea".into()), confidence: Some(0.5), ..fact("tea", "Vera likes tea") };
    let id = crate::support::remember(&world, &world.atlas, first).await.memory_id;
    world.clock.advance(chrono::Duration::seconds(1));
    memories::revise(&world.engine, &world.atlas, crate::records::revision(id, "Vera likes cocoa")).await.unwrap();
    world.clock.advance(chrono::Duration::seconds(1));
    memories::delete(&world.engine, &world.vera, &[id], "she asked for it").await.unwrap();
    let mut owner = owner(&world.engine.urls().agent_memory).await;
    let migration = include_str!("../../migrations/agent_memory/20261123140100_versions_in_full.sql");
    let completes = migration.split_inclusive(';').find(|statement| statement.contains("update agent_memory_versions")).unwrap();
    for statement in ["update agent_memory_versions set title = null, confidence = null", completes] {
        sqlx::raw_sql(statement).execute(&mut owner).await.unwrap();
    }
    let rows: Vec<(i32, Option<String>, Option<f32>)> =
        sqlx::query_as("select version, title, confidence from agent_memory_versions order by version")
            .fetch_all(&mut owner)
            .await
            .unwrap();
    let known = |version| (version, Some("Tea".to_owned()), Some(0.5));
    assert_eq!(rows, [(1, None, None), known(2), known(3)]);
}

#[tokio::test]
async fn servers_that_start_at_once_make_one_set_of_databases() {
    let urls = names();
    let start = || async {
        create_databases(&urls).await.unwrap();
        migrate(&urls).await.unwrap();
    };
    tokio::join!(start(), start(), start(), start());
    assert_eq!(pending_migrations(&urls).await, 0);
    assert_eq!(schema(&urls).await, schema(&TestDatabases::shared().await).await);
}

#[tokio::test]
async fn what_is_not_applied_is_counted() {
    let urls = names();
    create_databases(&urls).await.unwrap();
    assert!(pending_migrations(&urls).await >= 3, "an empty database lacks them all");
    migrate(&urls).await.unwrap();
    sqlx::query("delete from _sqlx_migrations").execute(&mut owner(&urls.shared_kb).await).await.unwrap();
    assert!(pending_migrations(&urls).await >= 1);
}

#[tokio::test]
async fn a_migration_that_was_changed_since_stops_the_start() {
    let urls = names();
    create_databases(&urls).await.unwrap();
    migrate(&urls).await.unwrap();
    sqlx::query("update _sqlx_migrations set checksum = '\\x00'").execute(&mut owner(&urls.shared_kb).await).await.unwrap();
    let error = migrate(&urls).await.unwrap_err().to_string();
    assert!(error.contains("shared_kb") && error.contains("modified"), "{error}");
}

struct Odd(&'static str, usize);

impl Embedder for Odd {
    fn model(&self) -> &str {
        self.0
    }
    fn dimension(&self) -> usize {
        self.1
    }
    fn embed(&self, _: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async { Err(EmbedError::Unavailable("never asked".into())) })
    }
}

#[tokio::test]
async fn a_model_that_is_not_the_registered_one_stops_the_start_with_advice() {
    let open = |embedder: Arc<dyn Embedder>| async move {
        let urls = TestDatabases::shared().await;
        Engine::open(urls, embedder, Arc::new(FakeClock::default()), Settings::default()).await.map(|engine| engine.model().clone())
    };
    let Err(Error::Unavailable(unknown)) = open(Arc::new(Odd("all-maxilm", 384))).await else { panic!("an unknown model was taken") };
    for word in ["all-maxilm", "EMBEDDING_MODEL", "models"] {
        assert!(unknown.contains(word), "{unknown}");
    }
    let Err(Error::Unavailable(other)) = open(Arc::new(Odd("all-MiniLM-L6-v2", 768))).await else { panic!("768 is not 384") };
    for word in ["all-MiniLM-L6-v2", "768", "384", "EMBEDDING_MODEL"] {
        assert!(other.contains(word), "{other}");
    }
    assert_eq!(open(Arc::new(Fake::new())).await.unwrap().dimension, 384);
    assert_eq!(open(Arc::new(Fake::with_dimension(1536))).await.unwrap().name, "text-embedding-3-small");
}

#[tokio::test]
async fn three_names_for_fewer_databases_are_refused() {
    let urls = World::new().await.engine.urls().clone();
    assert!(urls.clone().check().is_ok());
    let sentence = DatabaseUrls { shared_kb: urls.agent_memory.clone(), ..urls }.check().unwrap_err();
    assert!(sentence.contains("three"), "{sentence}");
}

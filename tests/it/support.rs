//! What the tests of this binary share.

use db::DatabaseUrls;
use foundation::testing::{Fake, FakeClock, TestDatabases, World, question, workers as nodes};
use foundation::{Engine, OpContext, Settings};
use remembrancer::knowledge::{self, Extent, Ingestion};
use remembrancer::{memories, recall, workers};
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::{Query, QueryAs, QueryScalar};
use sqlx::{AssertSqlSafe, Connection, FromRow, PgConnection, Postgres};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use wire::{
    AgentId, Hit, IngestReport, MemoryId, ObservationCategory, ObservationRequest, RecallResponse, RememberRequest, RememberResponse,
};

/// A world with databases of its own, for tests that claim jobs or count rows of all tenants.
pub async fn alone() -> World {
    alone_with(Settings::default()).await
}

/// The same, with settings.
pub async fn alone_with(settings: Settings) -> World {
    let fake = Fake::new();
    World::with(TestDatabases::fresh(&FakeClock::default()).await, Arc::new(fake.clone()), fake, settings).await
}

/// Settings under which a model that hangs costs a test next to nothing.
pub fn impatient() -> Settings {
    let short = Duration::from_millis(20);
    Settings { write_embedding_budget: short, query_embedding_budget: short, job_embedding_budget: short, ..Settings::default() }
}

/// Settings under which a slow machine does not change what is stored.
pub fn patient() -> Settings {
    let long = Duration::from_secs(60);
    Settings {
        write_embedding_budget: long,
        query_embedding_budget: long,
        job_embedding_budget: long,
        connection_budget: long,
        ..Settings::default()
    }
}

pub async fn remember(world: &World, ctx: &OpContext, request: RememberRequest) -> RememberResponse {
    memories::remember(&world.engine, ctx, request).await.unwrap()
}

pub async fn ask(world: &World, ctx: &OpContext, query: &str) -> RecallResponse {
    recall::recall(&world.engine, ctx, question(query)).await.unwrap()
}

/// The contents of a recall's hits, best first.
pub async fn contents(world: &World, ctx: &OpContext, query: &str) -> Vec<String> {
    ask(world, ctx, query).await.told().into_iter().map(|hit| hit.memory.content).collect()
}

/// A private observation about nobody in particular.
pub fn observation(category: ObservationCategory, content: impl Into<String>) -> ObservationRequest {
    let content = content.into();
    ObservationRequest { role: None, content, category, session_id: None, connection_id: None, user_id: None, commons: false }
}

/// All files of a collection.
pub fn ingestion(collection: &str, files: Vec<(String, Vec<u8>)>) -> Ingestion {
    Ingestion { collection: collection.into(), files, extent: Extent::Whole, revision: None, dry_run: false, failures: vec![] }
}

/// Replaces the documents of a collection.
pub async fn ingest(world: &World, collection: &str, files: Vec<(String, Vec<u8>)>) -> IngestReport {
    knowledge::ingest(&world.engine, &world.system, ingestion(collection, files), &|_, _| {}).await.unwrap()
}

/// The id of the agent that acts.
pub fn agent(ctx: &OpContext) -> AgentId {
    ctx.agent_id().unwrap()
}

/// Delivers what waits in the outboxes and works until no event is due.
pub async fn work(world: &World) {
    while workers::drain(&world.engine).await.unwrap() > 0 {}
    while workers::work(&world.engine, &CancellationToken::new()).await.unwrap() > 0 {}
}

/// Delivers until nothing of this tenant waits. Another test's relay may hold a row of ours, so one drain is not enough.
pub async fn settle(world: &World) {
    let mut owner = owner(&world.engine.urls().agent_memory).await;
    loop {
        workers::drain(&world.engine).await.unwrap();
        let waiting: i64 =
            sqlx::query_scalar("select count(*) from outbox where tenant_id = $1 and delivered_at is null and error is null")
                .bind(world.system.tenant_id)
                .fetch_one(&mut owner)
                .await
                .unwrap();
        if waiting == 0 {
            return;
        }
        tokio::task::yield_now().await;
    }
}

/// Keeps a copy of the outbox of memories, for [`undo_delivery`].
pub async fn keep_outbox(world: &World) {
    sqlx::query("create table kept_outbox as select id, payload from outbox").run(&world.engine).await;
}

/// Restores the rows that [`keep_outbox`] copied, as if the relay had died between delivering and marking them; how many.
pub async fn undo_delivery(world: &World) -> u64 {
    let undo = "update outbox o set delivered_at = null, payload = k.payload from kept_outbox k where k.id = o.id";
    sqlx::query(undo).run(&world.engine).await
}

/// The owner of a database, who is bound by no policy. On a cluster, statements of tests may join tables in ways that no statement of the
/// program does: by columns other than the tenant.
pub async fn owner(url: &str) -> PgConnection {
    let mut owner = PgConnection::connect(url).await.unwrap();
    if !nodes().is_empty() {
        sqlx::query("set citus.enable_repartition_joins = on").execute(&mut owner).await.unwrap();
    }
    owner
}

/// The owner of the database of memories.
pub async fn memory_owner(engine: &Engine) -> PgConnection {
    owner(&engine.urls().agent_memory).await
}

/// A database whose owner runs a statement: an engine's memories, or the one at a URL.
pub trait Place {
    fn url(&self) -> &str;
}

impl Place for Engine {
    fn url(&self) -> &str {
        &self.urls().agent_memory
    }
}

impl Place for String {
    fn url(&self) -> &str {
        self
    }
}

/// A statement that returns rows, run by the owner of a database.
pub trait Fetch: Sized {
    type Row;

    async fn one(self, place: &impl Place) -> Self::Row;

    async fn all(self, place: &impl Place) -> Vec<Self::Row>;
}

impl<T> Fetch for QueryAs<'_, Postgres, T, PgArguments>
where
    T: Send + Unpin + for<'r> FromRow<'r, PgRow>,
{
    type Row = T;

    async fn one(self, place: &impl Place) -> T {
        self.fetch_one(&mut owner(place.url()).await).await.unwrap()
    }

    async fn all(self, place: &impl Place) -> Vec<T> {
        self.fetch_all(&mut owner(place.url()).await).await.unwrap()
    }
}

impl<T> Fetch for QueryScalar<'_, Postgres, T, PgArguments>
where
    T: Send + Unpin,
    (T,): for<'r> FromRow<'r, PgRow>,
{
    type Row = T;

    async fn one(self, place: &impl Place) -> T {
        self.fetch_one(&mut owner(place.url()).await).await.unwrap()
    }

    async fn all(self, place: &impl Place) -> Vec<T> {
        self.fetch_all(&mut owner(place.url()).await).await.unwrap()
    }
}

/// A statement that changes rows, run by the owner of a database.
pub trait Run: Sized {
    /// How many rows it changed.
    async fn run(self, place: &impl Place) -> u64;
}

impl Run for Query<'_, Postgres, PgArguments> {
    async fn run(self, place: &impl Place) -> u64 {
        self.execute(&mut owner(place.url()).await).await.unwrap().rows_affected()
    }
}

/// How many connections to the observer's database wait for a lock that another one holds; on a cluster, also on its nodes.
pub async fn waiting_for_locks(observer: &mut PgConnection) -> i64 {
    let waiting = if nodes().is_empty() {
        "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    } else {
        "select count(distinct global_pid) from citus_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    };
    sqlx::query_scalar(waiting).fetch_one(observer).await.unwrap()
}

/// One number from the owner's view, for one memory.
pub async fn number(world: &World, sql: &'static str, id: MemoryId) -> i64 {
    sqlx::query_scalar(sql).bind(id).one(&world.engine).await
}

/// Every table of a database with its number of rows.
pub async fn row_counts(url: &str) -> Vec<(String, i64)> {
    let mut owner = owner(url).await;
    let tables: Vec<String> =
        sqlx::query_scalar("select table_name::text from information_schema.tables where table_schema = 'public' order by 1")
            .fetch_all(&mut owner)
            .await
            .unwrap();
    assert!(!tables.is_empty());
    let mut counts = Vec::new();
    for table in tables {
        let sql = AssertSqlSafe(format!("select count(*) from {table}"));
        counts.push((table, sqlx::query_scalar(sql).fetch_one(&mut owner).await.unwrap()));
    }
    counts
}

/// The same over the three databases.
pub async fn all_row_counts(urls: &DatabaseUrls) -> Vec<(String, i64)> {
    let mut counts = row_counts(&urls.agent_memory).await;
    counts.extend(row_counts(&urls.shared_kb).await);
    counts.extend(row_counts(&urls.internal_shared).await);
    counts
}

/// The memories of an answer, without its knowledge.
pub trait Told {
    fn told(self) -> Vec<Hit>;
}

impl Told for RecallResponse {
    fn told(self) -> Vec<Hit> {
        self.memories().into_iter().cloned().collect()
    }
}

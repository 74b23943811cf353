//! Real databases for tests: one migrated set that tests share, because each makes a tenant of its own.

use super::{Fake, FakeClock};
use crate::engine::{Engine, Settings};
use crate::identity;
use crate::op::OpContext;
use db::clock::Clock;
use db::distributed::{self, Node};
use db::{DatabaseUrls, create_databases, migrate};
use models::Embedder;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions};
use std::cell::RefCell;
use std::str::FromStr;
use std::sync::Arc;
use tokio::sync::OnceCell;
use uuid::Uuid;
use wire::{AgentId, KeyId, KeyScope, OperatorId, OperatorRole, RememberRequest, RequestId, Source};

/// Names of databases that tests may create and drop.
pub struct TestDatabases;

impl TestDatabases {
    /// The server's URL, from `TEST_DATABASE_URL`, with a database `base`.
    ///
    /// # Panics
    /// Without the variable: tests need a real Postgres (`make test` starts one).
    #[expect(clippy::expect_used, reason = "a test without its database cannot go on")]
    pub fn urls(base: &str) -> DatabaseUrls {
        let server = std::env::var("TEST_DATABASE_URL").expect("TEST_DATABASE_URL names a Postgres for tests; `make test` sets it");
        let (front, query) = server.split_once('?').map_or((server.as_str(), String::new()), |(front, query)| (front, format!("?{query}")));
        let at_slash = front.rfind('/').filter(|slash| *slash > front.find("//").map_or(0, |scheme| scheme + 1));
        let host = at_slash.map_or(front, |slash| &front[..slash]);
        DatabaseUrls::derive(&format!("{host}/{base}{query}")).expect("TEST_DATABASE_URL is a Postgres URL")
    }

    /// The set that tests share, created and migrated once per process.
    pub async fn shared() -> DatabaseUrls {
        static SHARED: OnceCell<DatabaseUrls> = OnceCell::const_new();
        SHARED.get_or_init(|| Self::migrated("rmb_test".into())).await.clone()
    }

    /// A set for one test that looks across tenants or breaks things: a copy of a set that was migrated and never used. It is dropped when the
    /// thread ends that asked for it, which is that of the test: hundreds of them would fill a small disk.
    ///
    /// # Panics
    /// When it cannot be made.
    #[expect(clippy::expect_used, reason = "a test without its database cannot go on")]
    pub async fn fresh(clock: &dyn Clock) -> DatabaseUrls {
        static TEMPLATE: OnceCell<(String, DatabaseUrls)> = OnceCell::const_new();
        let name = || format!("rmb_test_{}", clock.secret(8).to_lowercase());
        let make = || async {
            let base = name();
            let urls = Self::migrated(base.clone()).await;
            freeze(&urls, &base).await;
            (base, urls)
        };
        let (template, template_urls) = TEMPLATE.get_or_init(make).await;
        let base = name();
        for (node, parts) in nodes(template_urls) {
            let mut owner = node.connect().await.expect("the server answers");
            COPIES.with(|copies| copies.0.borrow_mut().push((node, base.clone())));
            for part in parts {
                let copy = format!("create database {base}_{part} template {template}_{part} strategy file_copy");
                sqlx::raw_sql(AssertSqlSafe(copy)).execute(&mut owner).await.expect("the test databases can be copied");
            }
        }
        Self::urls(&base)
    }

    /// A set that several tests share, under a name of their own.
    pub async fn named(base: &str) -> DatabaseUrls {
        Self::migrated(format!("rmb_test_{base}")).await
    }

    #[expect(clippy::expect_used, reason = "a test without its database cannot go on")]
    async fn migrated(base: String) -> DatabaseUrls {
        let urls = Self::urls(&base);
        create_databases(&urls).await.expect("the test databases can be created");
        let workers = workers();
        if workers.is_empty() {
            migrate(&urls).await.expect("the test databases can be migrated");
            return urls;
        }
        distributed::join(&urls, &workers).await.expect("the workers can be added");
        migrate(&urls).await.expect("the test databases can be migrated");
        distributed::distribute(&urls, SHARDS, &|_: &str| {}).await.expect("the test databases can be distributed");
        urls
    }
}

static PARTS: [&str; 3] = ["agent_memory", "shared_kb", "internal_shared"];
/// Those of them that a worker has, too.
static DISTRIBUTED: [&str; 2] = ["agent_memory", "shared_kb"];
/// Few, because each part of each table is a table on a worker.
const SHARDS: u16 = 4;

/// The workers of the cluster on which tests run, from `TEST_WORKERS`, separated by commas; none if they run on one Postgres.
#[expect(clippy::expect_used, reason = "a test without its cluster cannot go on")]
pub fn workers() -> Vec<Node> {
    let workers = std::env::var("TEST_WORKERS").unwrap_or_default();
    let named = workers.split(',').filter(|worker| !worker.is_empty());
    named.map(|worker| worker.parse().expect("TEST_WORKERS names workers as host:port")).collect()
}

/// The maintenance databases of all nodes, each with the databases that the node has.
#[expect(clippy::expect_used, reason = "a test without its database cannot go on")]
fn nodes(urls: &DatabaseUrls) -> Vec<(PgConnectOptions, &'static [&'static str])> {
    let coordinator = PgConnectOptions::from_str(&urls.agent_memory).expect("the URL was good before").database("postgres");
    let of_worker = |node: &Node| (coordinator.clone().host(&node.host).port(node.port), &DISTRIBUTED[..]);
    let mut nodes: Vec<_> = workers().iter().map(of_worker).collect();
    nodes.push((coordinator, &PARTS[..]));
    nodes
}

/// Lets nobody into the databases of a set that are copied: Citus keeps a connection of its own to each, and what somebody is in cannot be
/// copied.
#[expect(clippy::expect_used, reason = "a test without its database cannot go on")]
async fn freeze(urls: &DatabaseUrls, base: &str) {
    if workers().is_empty() {
        return;
    }
    for (node, _) in nodes(urls) {
        let mut owner = node.connect().await.expect("the server answers");
        for part in DISTRIBUTED {
            let close = format!("alter database {base}_{part} allow_connections false");
            sqlx::raw_sql(AssertSqlSafe(close)).execute(&mut owner).await.expect("a database can be closed");
            sqlx::query("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1")
                .bind(format!("{base}_{part}"))
                .execute(&mut owner)
                .await
                .expect("connections can be ended");
        }
    }
}

thread_local! {
    static COPIES: Copies = const { Copies(RefCell::new(Vec::new())) };
}

/// The sets that a thread asked for, and where they are.
struct Copies(RefCell<Vec<(PgConnectOptions, String)>>);

impl Drop for Copies {
    fn drop(&mut self) {
        let copies = self.0.take();
        if copies.is_empty() {
            return;
        }
        // On a thread of its own: what a runtime needs of this one may be gone. What cannot be dropped stays until the server is removed.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
            runtime.block_on(async {
                for (options, base) in copies {
                    let mut owner = options.connect().await.ok()?;
                    for part in PARTS {
                        let drop = format!("drop database if exists {base}_{part} with (force)");
                        sqlx::raw_sql(AssertSqlSafe(drop)).execute(&mut owner).await.ok()?;
                    }
                }
                Some(())
            })
        });
        dropping.join().ok();
    }
}

/// One tenant in one engine: agents `atlas` and `binky`, operator Vera.
#[derive(Clone)]
pub struct World {
    pub engine: Engine,
    pub clock: Arc<FakeClock>,
    pub embedder: Fake,
    /// The command line.
    pub system: OpContext,
    pub atlas: OpContext,
    pub binky: OpContext,
    pub vera: OpContext,
    pub atlas_key: String,
    pub binky_key: String,
    pub tenant_slug: String,
    pub login: String,
}

/// Vera's password.
pub const PASSWORD: &str = "a long enough password";

impl World {
    /// A new tenant in the shared databases, with the fake embedder.
    pub async fn new() -> Self {
        Self::on(TestDatabases::shared().await).await
    }

    /// A new tenant in the given databases, with the fake embedder.
    pub async fn on(urls: DatabaseUrls) -> Self {
        let fake = Fake::new();
        Self::with(urls, Arc::new(fake.clone()), fake, Settings::default()).await
    }

    /// A new tenant with any embedder; the world keeps `fake` as its fake.
    #[expect(clippy::expect_used, reason = "a test without its world cannot go on")]
    pub async fn with(urls: DatabaseUrls, embedder: Arc<dyn Embedder>, fake: Fake, settings: Settings) -> Self {
        let clock = Arc::new(FakeClock::default());
        let engine = Engine::open(urls, embedder, Arc::<FakeClock>::clone(&clock), settings).await.expect("the engine opens");
        let tenant_slug = format!("t{}", clock.secret(16).to_lowercase());
        let system = identity::create_tenant(&engine, &tenant_slug, "Acme").await.expect("a tenant can be made");
        let (atlas, atlas_key) = agent(&engine, &system, "atlas").await;
        let (binky, binky_key) = agent(&engine, &system, "binky").await;
        let login = format!("vera@{tenant_slug}");
        let id = identity::create_operator(&engine, &system, &login, "Vera", PASSWORD, OperatorRole::ALL)
            .await
            .expect("an operator can be made");
        let vera = operator(&engine, id).await;
        Self { engine, clock, embedder: fake, system, atlas, binky, vera, atlas_key, binky_key, tenant_slug, login }
    }
}

#[expect(clippy::expect_used, reason = "a test without its agent cannot go on")]
async fn agent(engine: &Engine, system: &OpContext, slug: &str) -> (OpContext, String) {
    let agent = identity::create_agent(engine, system, slug, slug, false).await.expect("an agent can be made");
    key(engine, system, agent.id, KeyScope::ALL).await
}

/// A key with the given scopes, and the context it gives.
#[expect(clippy::expect_used, reason = "a test without its key cannot go on")]
pub async fn key(engine: &Engine, system: &OpContext, agent: AgentId, scopes: &[KeyScope]) -> (OpContext, String) {
    let (_, key): (KeyId, String) =
        identity::create_key(engine, system, agent, "test", scopes, None, None).await.expect("a key can be made");
    let ctx = identity::authenticate(engine, &key, RequestId(engine.clock().id())).await.expect("a new key is good");
    (ctx, key)
}

#[expect(clippy::expect_used, reason = "a test without its operator cannot go on")]
async fn operator(engine: &Engine, id: OperatorId) -> OpContext {
    identity::operator(engine, id, RequestId(engine.clock().id())).await.expect("the operator is there").0
}

/// A request to remember `content` under `topic`, said on Slack.
pub fn fact(topic: &str, content: &str) -> RememberRequest {
    RememberRequest {
        topic_raw: topic.into(),
        content: content.into(),
        source: Source { platform: "slack".into(), channel_id: Some("C1".into()), ..Source::default() },
        ..RememberRequest::default()
    }
}

/// A request to recall `query`, ten hits at most.
pub fn question(query: &str) -> wire::RecallRequest {
    wire::RecallRequest::new(query)
}

/// An id that no row has.
pub fn nowhere() -> Uuid {
    Uuid::from_u128(0xdead_beef)
}

/// How many rows of one tenant each table of the three databases holds.
#[expect(clippy::expect_used, reason = "a test without its database cannot go on")]
pub async fn rows_of(engine: &Engine, tenant: wire::TenantId) -> Vec<(String, i64)> {
    use sqlx::{AssertSqlSafe, Connection, PgConnection};
    let mut rows = Vec::new();
    let urls = engine.urls();
    for url in [&urls.agent_memory, &urls.shared_kb, &urls.internal_shared] {
        let mut connection = PgConnection::connect(url).await.expect("the owner can connect");
        let tables: Vec<String> = sqlx::query_scalar(
            "select table_name::text from information_schema.columns where column_name = 'tenant_id' and table_schema = 'public' order by 1",
        )
        .fetch_all(&mut connection)
        .await
        .expect("the catalogue can be read");
        for table in tables {
            let sql = format!("select count(*) from {table} where tenant_id = $1");
            let count =
                sqlx::query_scalar(AssertSqlSafe(sql)).bind(tenant).fetch_one(&mut connection).await.expect("a table can be counted");
            rows.push((table, count));
        }
        connection.close().await.expect("the owner can leave");
    }
    rows
}

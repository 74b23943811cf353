//! A database that goes away, and comes back.

use crate::portability::{exported, import};
use crate::support::{Told, ask, memory_owner, owner, remember};
use remembrancer::api::{ErrorCode, RequestId};
use remembrancer::clock::Clock;
use remembrancer::db::{DatabaseUrls, DbError};
use remembrancer::portability::Selection;
use remembrancer::testing::{Fake, FakeClock, TestDatabases, World, fact, question};
use remembrancer::{Engine, Error, Settings, identity, memories, recall};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

/// A proxy between the engine and Postgres that a test can cut.
pub struct Wire {
    address: std::net::SocketAddr,
    postgres: String,
    accepting: Option<tokio::task::JoinHandle<Vec<AbortHandle>>>,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
}

impl Wire {
    pub async fn new(url: &str) -> Self {
        let options = PgConnectOptions::from_str(url).unwrap();
        let postgres = format!("{}:{}", options.get_host(), options.get_port());
        let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let mut wire = Self { address, postgres, accepting: None, stop: None };
        wire.plug().await;
        wire
    }

    async fn plug(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        let (stop, mut stopped) = tokio::sync::oneshot::channel();
        let postgres = self.postgres.clone();
        self.stop = Some(stop);
        self.accepting = Some(tokio::spawn(async move {
            let mut open = Vec::new();
            loop {
                let mut client = tokio::select! {
                    _ = &mut stopped => return open,
                    accepted = listener.accept() => accepted.unwrap().0,
                };
                let mut server = TcpStream::connect(&postgres).await.unwrap();
                let copying = tokio::spawn(async move { tokio::io::copy_bidirectional(&mut client, &mut server).await });
                open.push(copying.abort_handle());
            }
        }));
    }

    /// Cuts every connection and accepts no new one.
    pub async fn pull(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        let open = self.accepting.take().unwrap().await.unwrap();
        assert!(!open.is_empty());
        open.iter().for_each(AbortHandle::abort);
    }

    pub fn through(&self, url: &str) -> String {
        let options = PgConnectOptions::from_str(url).unwrap().host("127.0.0.1").port(self.address.port());
        options.to_url_lossy().to_string()
    }
}

/// Settings under which a request waits as long as necessary for a connection in use, but not for one that cannot be opened.
fn steadfast() -> Settings {
    Settings { connection_budget: Duration::from_secs(3600), ..crate::support::patient() }
}

/// Fails a test that would otherwise hang.
async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), work).await.unwrap()
}

#[tokio::test]
async fn without_a_database_the_engine_does_not_open() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let free = taken.local_addr().unwrap();
    drop(taken);
    let urls = DatabaseUrls::derive(&format!("postgres://postgres@{free}/rmb")).unwrap();
    let open = Engine::open(urls, Arc::new(Fake::new()), Arc::new(FakeClock::default()), steadfast());
    let error = within(open).await.map(|_| ()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Unavailable, "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_database_is_away_every_verb_says_so_and_then_works_again() {
    let urls = TestDatabases::shared().await;
    let mut wire = Wire::new(&urls.agent_memory).await;
    let through = DatabaseUrls {
        agent_memory: wire.through(&urls.agent_memory),
        shared_kb: wire.through(&urls.shared_kb),
        internal_shared: wire.through(&urls.internal_shared),
    };
    let fake = Fake::new();
    let world = World::with(through, Arc::new(fake.clone()), fake, steadfast()).await;
    let kept = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    assert!(world.engine.ready().await.is_ok());
    wire.pull().await;
    let remembered = within(memories::remember(&world.engine, &world.atlas, fact("tea", "Vera likes coffee now"))).await;
    let recalled = within(recall::recall(&world.engine, &world.atlas, question("tea"))).await;
    let authenticated = within(identity::authenticate(&world.engine, &world.atlas_key, RequestId(world.clock.id()))).await;
    let deleted = within(memories::delete(&world.engine, &world.vera, &[kept.memory_id], "why")).await;
    for error in [remembered.unwrap_err(), recalled.unwrap_err(), authenticated.unwrap_err(), deleted.unwrap_err()] {
        assert_eq!(error.code(), ErrorCode::Unavailable, "{error:?}");
        assert!(!error.message().contains("127.0.0.1"), "the answer to an agent names no host: {}", error.message());
    }
    assert_eq!(world.engine.ready().await.unwrap_err().0, "agent_memory");
    wire.plug().await;
    assert!(remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.unchanged, "the next call works");
    assert_eq!(ask(&world, &world.atlas, "tea").await.told().len(), 1);
}

/// The pool of the system gives up after a second; by then the other pool has checked whether the server is there.
#[tokio::test]
async fn a_connection_that_others_use_is_waited_for() {
    let fake = Fake::new();
    let world = World::with(TestDatabases::shared().await, Arc::new(fake.clone()), fake, steadfast()).await;
    let (memory, tenancy) = (world.engine.db().memory.clone(), world.system.tenancy());
    let mut held = Vec::new();
    for _ in 0..16 {
        held.push(within(memory.begin(tenancy)).await.unwrap());
    }
    let mut lookups = Vec::new();
    for _ in 0..5 {
        lookups.push(within(memory.begin_system()).await.unwrap());
    }
    let waiting = tokio::spawn(async move { memory.begin(tenancy).await.map(drop) });
    tokio::task::yield_now().await;
    assert!(matches!(world.engine.db().memory.begin_system().await, Err(DbError::Exhausted)));
    assert!(!waiting.is_finished());
    drop(held);
    within(waiting).await.unwrap().unwrap();
}

async fn cancelled(world: &World) -> Result<(), DbError> {
    let mut tx = world.engine.db().memory.begin(world.system.tenancy()).await?;
    sqlx::query("select pg_sleep(3600)").execute(&mut *tx).await?;
    Ok(())
}

#[tokio::test]
async fn a_statement_ends_in_time_and_those_of_exports_imports_and_sweeps_as_they_need() {
    let settings = Settings { statement_budget: Duration::from_millis(300), ..crate::support::patient() };
    let world = crate::support::alone_with(settings).await;
    remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    let error = Error::from(within(cancelled(&world)).await.unwrap_err());
    assert_eq!((error.code(), error.to_string().contains("too long")), (ErrorCode::Unavailable, true), "{error}");
    let text = exported(&world.engine, &world.vera, &Selection::All).await;

    // Two connections: within a transaction the activity of others does not change.
    let (mut owner, mut observer) = (memory_owner(&world.engine).await, memory_owner(&world.engine).await);
    let mut locked = owner.begin().await.unwrap();
    sqlx::query("lock table agent_memories, retrievals in access exclusive mode").execute(&mut *locked).await.unwrap();
    let (engine, vera, now) = (world.engine.clone(), world.vera.clone(), world.clock.now());
    let export = tokio::spawn(async move { exported(&engine, &vera, &Selection::All).await });
    let (engine, vera, again) = (world.engine.clone(), world.vera.clone(), text.clone());
    let import = tokio::spawn(async move { import(&engine, &vera, &again).await });
    let engine = world.engine.clone();
    let sweep = tokio::spawn(async move { recall::sweep(&engine, now).await });
    let waiting = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    within(async {
        while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut observer).await.unwrap() < 3 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    // Statements that the budget ends have ended before this.
    assert!(cancelled(&world).await.is_err());
    locked.rollback().await.unwrap();
    assert_eq!(within(export).await.unwrap().lines().count(), text.lines().count());
    assert!(within(import).await.unwrap().is_ok() && within(sweep).await.unwrap().is_ok());
}

#[tokio::test]
async fn connections_that_died_in_the_pool_are_replaced() {
    let world = crate::support::alone().await;
    remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    world.engine.ready().await.unwrap();
    for url in [&world.engine.urls().agent_memory, &world.engine.urls().shared_kb, &world.engine.urls().internal_shared] {
        let ended: Vec<bool> = sqlx::query_scalar(
            "select pg_terminate_backend(pid, 5000) from pg_stat_activity
              where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()",
        )
        .fetch_all(&mut owner(url).await)
        .await
        .unwrap();
        // A connection that closes by itself at this moment answers false.
        assert!(ended.contains(&true), "{url} has no connection: {ended:?}");
    }
    assert_eq!(ask(&world, &world.atlas, "tea").await.told().len(), 1);
    assert!(remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.unchanged);
    assert!(world.engine.ready().await.is_ok());
}

/// A request that takes too long is dropped at any point, also between BEGIN and the answer to it.
#[tokio::test]
async fn a_transaction_that_is_dropped_while_it_begins_is_not_left_open() {
    let world = World::on(TestDatabases::fresh(&FakeClock::default()).await).await;
    let memory = &world.engine.db().memory;
    for polls in 0..400 {
        let pause = async {
            for _ in 0..polls % 8 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            biased;
            _ = memory.begin(world.system.tenancy()) => {}
            () = pause => {}
        }
        // Postgres refuses this isolation level to a transaction that is open already.
        memory.begin_snapshot(world.system.tenancy()).await.unwrap().commit().await.unwrap();
    }
}

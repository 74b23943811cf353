//! A database that goes away, and comes back.

use crate::portability::{exported, import};
use crate::support::{Fetch, Told, ask, memory_owner, remember, waiting_for_locks, work};
use db::clock::Clock;
use db::{DatabaseUrls, DbError, migrate};
use foundation::testing::{Fake, FakeClock, TestDatabases, World, fact, question, workers as nodes};
use foundation::{Engine, Error, Settings, identity};
use portability::Selection;
use remembrancer::{memories, recall};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use wire::{ErrorCode, RequestId};

/// A proxy between the engine and Postgres that a test can cut or freeze.
pub struct Wire {
    address: std::net::SocketAddr,
    /// The number of connections, counted from the first, that pass nothing on and stay open.
    frozen: watch::Sender<usize>,
    opened: Arc<AtomicUsize>,
    postgres: String,
    accepting: Option<tokio::task::JoinHandle<Vec<AbortHandle>>>,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
}

impl Wire {
    pub async fn new(url: &str) -> Self {
        let options = PgConnectOptions::from_str(url).unwrap();
        let postgres = format!("{}:{}", options.get_host(), options.get_port());
        let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let mut wire = Self { address, frozen: watch::Sender::new(0), opened: Arc::default(), postgres, accepting: None, stop: None };
        wire.plug().await;
        wire
    }

    async fn plug(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        let (stop, mut stopped) = tokio::sync::oneshot::channel();
        let (postgres, frozen, opened) = (self.postgres.clone(), self.frozen.subscribe(), Arc::clone(&self.opened));
        self.stop = Some(stop);
        self.accepting = Some(tokio::spawn(async move {
            let mut open = Vec::new();
            loop {
                let client = tokio::select! {
                    _ = &mut stopped => return open,
                    accepted = listener.accept() => accepted.unwrap().0,
                };
                let server = TcpStream::connect(&postgres).await.unwrap();
                let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
                let (number, frozen) = (opened.fetch_add(1, Ordering::SeqCst) + 1, frozen.clone());
                let copying = tokio::spawn(async move {
                    tokio::select! {
                        () = pass(from_client, to_server, number, frozen.clone()) => {}
                        () = pass(from_server, to_client, number, frozen) => {}
                    }
                });
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

    /// Lets the connections that are open stay open and pass nothing on; with `later`, those that are opened later, too.
    fn freeze(&self, later: bool) {
        let open = if later { usize::MAX } else { self.opened.load(Ordering::SeqCst) };
        self.frozen.send_replace(open);
    }

    fn thaw(&self) {
        self.frozen.send_replace(0);
    }

    pub fn through(&self, url: &str) -> String {
        PgConnectOptions::from_str(url).unwrap().host("127.0.0.1").port(self.address.port()).to_url_lossy().to_string()
    }
}

/// Passes bytes on, unless the connection is frozen.
async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, number: usize, mut frozen: watch::Receiver<usize>) {
    let mut bytes = vec![0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        if frozen.wait_for(|frozen| *frozen < number).await.is_err() || to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}

/// A world whose databases are all behind one wire.
async fn behind(settings: Settings) -> (Wire, World) {
    let urls = TestDatabases::fresh(&FakeClock::default()).await;
    let wire = Wire::new(&urls.agent_memory).await;
    let through = DatabaseUrls {
        agent_memory: wire.through(&urls.agent_memory),
        shared_kb: wire.through(&urls.shared_kb),
        internal_shared: wire.through(&urls.internal_shared),
    };
    let fake = Fake::new();
    (wire, World::with(through, Arc::new(fake.clone()), fake, settings).await)
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
    let world = crate::support::alone_with(Settings { statement_budget: Duration::from_millis(300), ..crate::support::patient() }).await;
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
    within(async {
        while waiting_for_locks(&mut observer).await < 3 {
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
        .all(url)
        .await;
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

/// Settings under which a statement that gets no answer ends soon.
fn brisk() -> Settings {
    Settings { statement_budget: Duration::from_millis(300), ..steadfast() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_takes_connections_and_never_answers_ends_every_wait() {
    let (wire, world) = behind(brisk()).await;
    remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    let (memory, tenancy) = (world.engine.db().memory.clone(), world.system.tenancy());
    let mut asking = memory.begin(tenancy).await.unwrap();
    let committing = memory.begin(tenancy).await.unwrap();
    let mut lifted = memory.begin(tenancy).await.unwrap();
    db::lift_statement_timeout(&mut lifted).await.unwrap();
    wire.freeze(true);
    let silent = DbError::from(within(sqlx::query("select 1").execute(&mut *asking)).await.unwrap_err());
    assert!(matches!(silent, DbError::Unavailable(_)) && silent.to_string().contains("has not answered"), "{silent}");
    let again = DbError::from(within(sqlx::query("select 1").execute(&mut *asking)).await.unwrap_err());
    assert!(matches!(again, DbError::Unavailable(_)), "{again}");
    assert!(within(committing.commit()).await.is_err());
    assert!(within(sqlx::query("select 1").execute(&mut *lifted)).await.is_err(), "even without a limit, if nobody is answered");
    assert!(within(sqlx::query("select 1").execute(memory.system())).await.is_err());
    for error in [
        within(recall::recall(&world.engine, &world.atlas, question("tea"))).await.unwrap_err(),
        within(identity::authenticate(&world.engine, &world.atlas_key, RequestId(world.clock.id()))).await.unwrap_err(),
    ] {
        assert_eq!(error.code(), ErrorCode::Unavailable, "{error:?}");
    }
    assert!(within(world.engine.ready()).await.is_err());
    let start = within(migrate(world.engine.urls())).await.unwrap_err().to_string();
    assert!(start.contains("takes connections and does not answer") && start.contains("DATABASE_URL"), "{start}");
    wire.thaw();
    assert_eq!(within(world.engine.ready()).await.unwrap(), 0);
    assert_eq!(ask(&world, &world.atlas, "tea").await.told().len(), 1);
}

#[tokio::test]
async fn a_connection_that_no_longer_answers_leaves_the_pool() {
    let (wire, world) = behind(brisk()).await;
    let (memory, tenancy) = (&world.engine.db().memory, world.system.tenancy());
    let all = || futures_util::future::join_all((0..16).map(|_| memory.begin(tenancy)));
    let mut held: Vec<_> = within(all()).await.into_iter().map(Result::unwrap).collect();
    wire.freeze(false);
    // Some are given up while they are asked, some when they are given back.
    let asked = held.split_off(8);
    let asked = asked.into_iter().map(|mut tx| async move { sqlx::query("select 1").execute(&mut *tx).await.is_err() });
    assert!(within(futures_util::future::join_all(asked)).await.into_iter().all(|failed| failed));
    drop(held);
    let again = within(all()).await;
    assert!(again.iter().all(Result::is_ok), "{again:?}");
}

#[tokio::test]
async fn a_transaction_that_waits_for_nothing_is_ended_by_postgres() {
    let world = crate::support::alone().await;
    let mut tx = world.engine.db().memory.begin(world.system.tenancy()).await.unwrap();
    let limit: String =
        sqlx::query_scalar("select current_setting('idle_in_transaction_session_timeout')").fetch_one(&mut *tx).await.unwrap();
    assert_eq!(limit, "1min");
    sqlx::query("set local idle_in_transaction_session_timeout = 1").execute(&mut *tx).await.unwrap();
    let pids = "select count(*) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'";
    let mut observer = memory_owner(&world.engine).await;
    within(async { while sqlx::query_scalar::<_, i64>(pids).fetch_one(&mut observer).await.unwrap() > 0 {} }).await;
    let ended = DbError::from(sqlx::query("select 1").execute(&mut *tx).await.unwrap_err());
    assert!(ended.is_away(), "{ended}");
}

/// Lets every insertion into a table fail as it does on a full disk, or with another SQLSTATE.
async fn fall_ill(world: &World, table: &str, sqlstate: &str) {
    let mut owner = memory_owner(&world.engine).await;
    let function = format!(
        "create function fall_ill() returns trigger language plpgsql as $$ begin \
            raise exception 'could not extend file' using errcode = '{sqlstate}'; end $$"
    );
    sqlx::raw_sql(AssertSqlSafe(function)).execute(&mut owner).await.unwrap();
    let trigger = |table: &str| format!("create trigger fall_ill before insert on {table} for each statement execute function fall_ill()");
    if nodes().is_empty() {
        sqlx::raw_sql(AssertSqlSafe(trigger(table))).execute(&mut owner).await.unwrap();
        return;
    }
    // A distributed table has no triggers, and its parts on the nodes are tables like any other.
    let on_shards = "select bool_and(success) from run_command_on_shards($1::text::regclass, $2)";
    let done: bool = sqlx::query_scalar(on_shards).bind(table).bind(trigger("%s")).fetch_one(&mut owner).await.unwrap();
    assert!(done);
}

async fn recover(world: &World) {
    sqlx::raw_sql("drop function fall_ill cascade").execute(&mut memory_owner(&world.engine).await).await.unwrap();
}

#[tokio::test]
async fn a_database_that_is_ill_is_said_to_be_and_is_not_ready() {
    for (sqlstate, words) in [("53100", "disk of the database is full"), ("53200", "out of memory"), ("25006", "read-only")] {
        let world = crate::support::alone().await;
        assert_eq!(world.engine.ready().await.unwrap(), 0);
        fall_ill(&world, "agent_memories", sqlstate).await;
        let error = memories::remember(&world.engine, &world.atlas, fact("tea", "Vera likes tea")).await.unwrap_err();
        assert_eq!((error.code(), error.retry_after()), (ErrorCode::Unavailable, Some(Duration::from_secs(30))), "{error}");
        assert!(error.message().contains(words) && !error.message().contains("extend"), "{}", error.message());
        assert!(error.to_string().contains("could not extend file"), "the log has the words of Postgres: {error}");
        let (database, error) = world.engine.ready().await.unwrap_err();
        assert!(database == "agent_memory" && error.to_string().contains(words), "{error}");
        recover(&world).await;
        remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    }
}

#[tokio::test]
async fn no_job_pays_for_a_database_that_is_ill() {
    let world = crate::support::alone().await;
    world.embedder.fail();
    remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    world.embedder.work();
    fall_ill(&world, "embeddings_384", "53100").await;
    let state = async || -> (String, i32) {
        sqlx::query_as("select state, attempt - attempts_before from events where task = 'embed'").one(&world.engine).await
    };
    for _ in 0..10 {
        work(&world).await;
        assert_eq!(state().await, ("failed".into(), 0));
        world.clock.advance(chrono::Duration::seconds(31));
    }
    recover(&world).await;
    work(&world).await;
    assert_eq!(state().await.0, "done");
}

#[tokio::test]
async fn a_deadlock_is_an_error_that_passes() {
    let mut owner = memory_owner(&crate::support::alone().await.engine).await;
    let raised = sqlx::query("do $$ begin raise sqlstate '40P01'; end $$").execute(&mut owner).await.unwrap_err();
    assert_eq!(foundation::Error::from(raised).code(), ErrorCode::Unavailable);
}

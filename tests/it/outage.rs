//! A database that goes away, and comes back.

use crate::support::{Told, ask, owner, remember};
use remembrancer::api::{ErrorCode, RequestId};
use remembrancer::clock::Clock;
use remembrancer::db::DatabaseUrls;
use remembrancer::testing::{Fake, FakeClock, TestDatabases, World, fact, question};
use remembrancer::{Engine, Settings, identity, memories, recall};
use sqlx::ConnectOptions;
use sqlx::postgres::PgConnectOptions;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

/// Stands between the engine and Postgres, and can be pulled out.
struct Wire {
    address: std::net::SocketAddr,
    postgres: String,
    accepting: Option<tokio::task::JoinHandle<Vec<AbortHandle>>>,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
}

impl Wire {
    async fn new(url: &str) -> Self {
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

    /// Cuts every connection and takes no new one.
    async fn pull(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        let open = self.accepting.take().unwrap().await.unwrap();
        assert!(!open.is_empty());
        open.iter().for_each(AbortHandle::abort);
    }

    fn through(&self, url: &str) -> String {
        let options = PgConnectOptions::from_str(url).unwrap().host("127.0.0.1").port(self.address.port());
        options.to_url_lossy().to_string()
    }
}

fn hasty() -> Settings {
    Settings { connection_budget: Duration::from_millis(300), ..crate::support::patient() }
}

#[tokio::test]
async fn without_a_database_the_engine_does_not_open() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let free = taken.local_addr().unwrap();
    drop(taken);
    let urls = DatabaseUrls::derive(&format!("postgres://postgres@{free}/rmb")).unwrap();
    let error = Engine::open(urls, Arc::new(Fake::new()), Arc::new(FakeClock::default()), hasty()).await.map(|_| ()).unwrap_err();
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
    let world = World::with(through, Arc::new(fake.clone()), fake, hasty()).await;
    let kept = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    assert!(world.engine.ready().await.is_ok());
    wire.pull().await;
    let remembered = memories::remember(&world.engine, &world.atlas, fact("tea", "Vera likes coffee now")).await;
    let recalled = recall::recall(&world.engine, &world.atlas, question("tea")).await;
    let authenticated = identity::authenticate(&world.engine, &world.atlas_key, RequestId(world.clock.id())).await;
    let deleted = memories::delete(&world.engine, &world.vera, &[kept.memory_id], "why").await;
    for error in [remembered.unwrap_err(), recalled.unwrap_err(), authenticated.unwrap_err(), deleted.unwrap_err()] {
        assert_eq!(error.code(), ErrorCode::Unavailable, "{error:?}");
        assert!(!error.message().contains("127.0.0.1"), "what an agent is told names no host: {}", error.message());
    }
    assert_eq!(world.engine.ready().await.unwrap_err().0, "agent_memory");
    wire.plug().await;
    assert!(remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.unchanged, "the next call works");
    assert_eq!(ask(&world, &world.atlas, "tea").await.told().len(), 1);
}

#[tokio::test]
async fn connections_that_died_in_the_pool_are_replaced() {
    let world = crate::support::alone().await;
    remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    for url in [&world.engine.urls().agent_memory, &world.engine.urls().shared_kb, &world.engine.urls().internal_shared] {
        let ended: Vec<bool> = sqlx::query_scalar(
            "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
        )
        .fetch_all(&mut owner(url).await)
        .await
        .unwrap();
        assert!(!ended.is_empty() && ended.iter().all(|ended| *ended));
    }
    assert_eq!(ask(&world, &world.atlas, "tea").await.told().len(), 1);
    assert!(remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.unchanged);
    assert!(world.engine.ready().await.is_ok());
}

/// A request that takes too long is dropped wherever it waits, also between BEGIN and the answer to it.
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

//! Poolers between the server and Postgres: they ignore start-up options, forget settings between transactions, or change statements.
//! Whatever they do, no transaction works as the owner.

use crate::support::{Run, Told, ask, remember, settle};
use db::{Database, DatabaseUrls, DbError, Tx};
use foundation::testing::{Fake, FakeClock, TestDatabases, World, fact, question};
use foundation::{Error, Settings};
use remembrancer::recall;
use sqlx::ConnectOptions;
use sqlx::postgres::PgConnectOptions;
use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::OwnedReadHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use wire::ErrorCode;

/// A pooler that ignores `options`.
struct Pooler {
    address: SocketAddr,
    habits: Habits,
}

/// What a pooler does to its clients.
#[derive(Clone)]
struct Habits {
    /// It forgets what was set outside a transaction.
    forgets: Arc<AtomicBool>,
    /// It gives the wrong role.
    meddles: Arc<AtomicBool>,
}

impl Pooler {
    async fn before(url: &str) -> Self {
        let options = PgConnectOptions::from_str(url).unwrap();
        let postgres = format!("{}:{}", options.get_host(), options.get_port());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let habits = Habits { forgets: Arc::new(AtomicBool::new(true)), meddles: Arc::default() };
        let pooler = Self { address: listener.local_addr().unwrap(), habits: habits.clone() };
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(relay(client, TcpStream::connect(&postgres).await.unwrap(), habits.clone()));
            }
        });
        pooler
    }

    fn urls(&self, urls: &DatabaseUrls) -> DatabaseUrls {
        through(urls, self.address.port())
    }

    async fn world(&self, urls: &DatabaseUrls) -> World {
        let fake = Fake::new();
        World::with(self.urls(urls), Arc::new(fake.clone()), fake, Settings::default()).await
    }
}

/// The same databases through what listens at a port of this machine.
pub fn through(urls: &DatabaseUrls, port: u16) -> DatabaseUrls {
    let through = |url: &str| PgConnectOptions::from_str(url).unwrap().host("127.0.0.1").port(port).to_url_lossy().to_string();
    DatabaseUrls {
        agent_memory: through(&urls.agent_memory),
        shared_kb: through(&urls.shared_kb),
        internal_shared: through(&urls.internal_shared),
    }
}

async fn frame(from: &mut OwnedReadHalf) -> Option<Vec<u8>> {
    let kind = from.read_u8().await.ok()?;
    let length = from.read_u32().await.ok()?;
    let mut frame = [&[kind][..], &length.to_be_bytes()].concat();
    frame.resize(length as usize + 1, 0);
    from.read_exact(&mut frame[5..]).await.ok()?;
    Some(frame)
}

fn frames(mut from: OwnedReadHalf) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel(64);
    tokio::spawn(async move {
        while let Some(frame) = frame(&mut from).await {
            if sender.send(frame).await.is_err() {
                return;
            }
        }
    });
    receiver
}

/// The first message, without `options`.
async fn start_up(client: &mut TcpStream) -> Option<Vec<u8>> {
    loop {
        let length = client.read_u32().await.ok()?;
        let mut body = vec![0; length as usize - 4];
        client.read_exact(&mut body).await.ok()?;
        // The question whether TLS is spoken here.
        if body == 80_877_103_u32.to_be_bytes() {
            client.write_all(b"N").await.ok()?;
            continue;
        }
        let text: Vec<&[u8]> = body[4..].split(|byte| *byte == 0).collect();
        let mut kept = body[..4].to_vec();
        for pair in text.chunks(2).filter(|pair| pair.len() == 2 && !pair[0].is_empty() && pair[0] != b"options") {
            kept.extend(pair.iter().flat_map(|part| [part, &b"\0"[..]].concat()));
        }
        kept.push(0);
        return Some([&(kept.len() as u32 + 4).to_be_bytes()[..], &kept].concat());
    }
}

fn question_of(sql: &str) -> Vec<u8> {
    [&b"Q"[..], &(sql.len() as u32 + 5).to_be_bytes(), sql.as_bytes(), b"\0"].concat()
}

/// Gives a statement another role of the same length.
fn meddle(mut frame: Vec<u8>) -> Vec<u8> {
    let (right, wrong) = (b"set local role rmb_app", b"set local role none   ");
    // Its length comes first, which need not be text.
    while let Some(at) = frame.windows(right.len()).position(|bytes| bytes == right) {
        frame[at..at + right.len()].copy_from_slice(wrong);
    }
    frame
}

async fn relay(mut client: TcpStream, server: TcpStream, Habits { forgets, meddles }: Habits) -> Option<()> {
    let start = start_up(&mut client).await?;
    let ((from_client, mut client), (from_server, mut server)) = (client.into_split(), server.into_split());
    server.write_all(&start).await.ok()?;
    let (mut asked, mut answered) = (frames(from_client), frames(from_server));
    // Whether a transaction ended: the next one finds no setting of this client.
    let mut ended = false;
    loop {
        tokio::select! {
            frame = asked.recv() => {
                let frame = frame?;
                if ended {
                    server.write_all(&question_of("reset role; reset all")).await.ok()?;
                    while answered.recv().await?[0] != b'Z' {}
                    ended = false;
                }
                let frame = if meddles.load(Ordering::SeqCst) { meddle(frame) } else { frame };
                server.write_all(&frame).await.ok()?;
            }
            frame = answered.recv() => {
                let frame = frame?;
                ended = frame[0] == b'Z' && frame[5] == b'I' && forgets.load(Ordering::SeqCst);
                client.write_all(&frame).await.ok()?;
            }
        }
    }
}

/// The role of a transaction, whether it has limits, and its time zone.
const SELF: &str = "select current_user::text, current_setting('statement_timeout') <> '0', current_setting('TimeZone')";

async fn of(mut tx: Tx) -> (String, bool, String) {
    sqlx::query_as(SELF).fetch_one(&mut *tx).await.unwrap()
}

fn limited(role: &str) -> (String, bool, String) {
    (role.into(), true, "UTC".into())
}

#[tokio::test]
async fn behind_a_pooler_that_ignores_options_and_forgets_settings_no_transaction_works_as_the_owner() {
    // Its own databases: it delivers all that waits, and others wait with thousands of rows.
    let urls = TestDatabases::fresh(&FakeClock::default()).await;
    let world = Pooler::before(&urls.agent_memory).await.world(&urls).await;
    remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    settle(&world).await;
    assert_eq!(ask(&world, &world.atlas, "tea").await.told().len(), 1);
    let db = world.engine.db();
    for (database, operator) in [(&db.memory, "rmb_operator"), (&db.kb, "rmb_app"), (&db.control, "rmb_app")] {
        let database: &Database = database;
        for _ in 0..2 {
            assert_eq!(of(database.begin(world.atlas.tenancy()).await.unwrap()).await, limited("rmb_app"));
            assert_eq!(of(database.begin_snapshot(world.system.tenancy()).await.unwrap()).await, limited(operator));
            assert_eq!(of(database.begin_system().await.unwrap()).await, limited("rmb_system"));
            let statement: (String, bool, String) = sqlx::query_as(SELF).fetch_one(database.system()).await.unwrap();
            assert_eq!(statement, limited("rmb_system"), "a single statement");
            assert_eq!(of(database.begin_erasure(world.system.tenant_id).await.unwrap()).await, ("rmb_eraser".into(), false, "UTC".into()));
        }
    }
    assert_eq!(world.engine.ready().await.unwrap(), 0);
}

#[tokio::test]
async fn a_connection_that_works_in_another_role_is_refused_with_a_sentence_until_it_does_not() {
    let urls = TestDatabases::shared().await;
    let pooler = Pooler::before(&urls.agent_memory).await;
    pooler.habits.meddles.store(true, Ordering::SeqCst);
    let world = World::on(urls.clone()).await;
    let fake = world.embedder.clone();
    let through = foundation::Engine::open(pooler.urls(&urls), Arc::new(fake), Arc::<FakeClock>::clone(&world.clock), Settings::default());
    let engine = through.await.unwrap();
    let refused = engine.db().prove().await.unwrap_err().to_string();
    for words in ["_agent_memory at 127.0.0.1:", "(DATABASE_URL)", "instead of rmb_app", "pooler"] {
        assert!(refused.contains(words), "{refused}");
    }
    let (database, error) = engine.ready().await.unwrap_err();
    assert!(database == "agent_memory" && matches!(error, DbError::Refused(_)), "{error}");
    let recalled = recall::recall(&engine, &world.atlas, question("tea")).await.unwrap_err();
    assert_eq!(recalled.code(), ErrorCode::Unavailable, "{recalled}");
    assert!(!recalled.message().contains("127.0.0.1"), "{}", recalled.message());
    pooler.habits.meddles.store(false, Ordering::SeqCst);
    // A connection that was being opened meanwhile may still be refused, and then so is whoever waits for one.
    let works = async {
        loop {
            let (recalled, ready) = (recall::recall(&engine, &world.atlas, question("tea")).await, engine.ready().await);
            if recalled.is_ok() && matches!(ready, Ok(0)) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), works).await.expect("it works again");
}

#[tokio::test]
async fn migrations_run_through_a_pooler_that_keeps_sessions_and_are_refused_through_another_one() {
    let urls = TestDatabases::shared().await;
    let pooler = Pooler::before(&urls.agent_memory).await;
    let refused = db::migrate(&pooler.urls(&urls)).await.unwrap_err().to_string();
    for words in ["Postgres at 127.0.0.1:", "DATABASE_URL", "pool_mode = transaction", "pool_mode = session", "nothing was changed"] {
        assert!(refused.contains(words), "{refused}");
    }
    pooler.habits.forgets.store(false, Ordering::SeqCst);
    db::migrate(&pooler.urls(&urls)).await.unwrap();
}

#[tokio::test]
async fn a_role_that_row_level_security_does_not_bind_is_refused() {
    let urls = TestDatabases::fresh(&FakeClock::default()).await;
    sqlx::query("alter table memory_links owner to rmb_app").run(&urls.agent_memory).await;
    let world = World::on(urls).await;
    let refused = Error::from(world.engine.db().memory.begin(world.atlas.tenancy()).await.unwrap_err());
    assert!(refused.to_string().contains("row-level security does not bind rmb_app"), "{refused}");
    assert!(matches!(world.engine.ready().await.unwrap_err(), ("agent_memory", DbError::Refused(_))));
}

//! The three databases: pools, tenancy of a transaction, error classes, cursors, migrations.

pub mod columns;
pub mod cursor;
mod deadline;
pub mod embedded;
mod error;
pub mod like;
mod migrate;
mod reach;
mod rewrite;
mod statement;
mod tenancy;

pub(crate) use deadline::by_deadline;
pub use error::DbError;
pub use migrate::{create_databases, drop_databases, migrate, vacuum};
pub use rewrite::rewrite;
pub(crate) use statement::{COUNTED, count_rows, insert, statement};
pub use tenancy::{EVERY_AGENT, Tenancy, Users};
pub(crate) use tenancy::{not_held, of_user, same_user};

use crate::api::TenantId;
use migrate::MIGRATORS;
use reach::Reach;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool, Postgres, Transaction};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinError;

/// A transaction whose rows are those of one [`Tenancy`].
pub type Tx = Transaction<'static, Postgres>;

/// Connections of the pool that serves requests.
const APP_CONNECTIONS: u32 = 16;
/// Connections of the pool for what happens before or across tenants.
const SYSTEM_CONNECTIONS: u32 = 5;

/// How long a server may take to accept a connection before it counts as out of reach.
const CONNECT: Duration = Duration::from_secs(1);

/// How long an idle connection counts as alive without being asked.
const TRUSTED: Duration = Duration::from_millis(100);

/// Where the three databases are.
#[derive(Clone)]
pub struct DatabaseUrls {
    pub agent_memory: String,
    pub shared_kb: String,
    pub internal_shared: String,
}

// URLs hold passwords.
impl std::fmt::Debug for DatabaseUrls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DatabaseUrls(…)")
    }
}

impl DatabaseUrls {
    /// Derives the three from one: `…/base` becomes `…/base_agent_memory`, `…/base_shared_kb`, `…/base_internal_shared`.
    ///
    /// # Errors
    /// A sentence, when `url` is not a Postgres URL with a database.
    pub fn derive(url: &str) -> Result<Self, String> {
        // sqlx takes any scheme for Postgres.
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err("it does not begin with postgres://".into());
        }
        PgConnectOptions::from_str(url).map_err(|error| error.to_string())?;
        let (front, query) = url.split_once('?').map_or((url, String::new()), |(front, query)| (front, format!("?{query}")));
        let (server, base) = front.rsplit_once('/').ok_or("it names no database")?;
        if base.is_empty() || server.ends_with('/') {
            return Err("it names no database; it must be postgres://user:password@host:port/base".into());
        }
        let with = |suffix: &str| format!("{server}/{base}_{suffix}{query}");
        Ok(Self { agent_memory: with("agent_memory"), shared_kb: with("shared_kb"), internal_shared: with("internal_shared") })
    }

    /// Three databases of the same names and `suffix`, on the same servers.
    ///
    /// # Errors
    /// A sentence, when a URL cannot be read.
    pub fn beside(urls: &Self, suffix: &str) -> Result<Self, String> {
        let other = |url: &str| {
            let (address, query) = url.split_once('?').map_or((url, String::new()), |(address, query)| (address, format!("?{query}")));
            PgConnectOptions::from_str(url).map_err(|error| error.to_string())?;
            Ok::<_, String>(format!("{address}{suffix}{query}"))
        };
        Ok(Self {
            agent_memory: other(&urls.agent_memory)?,
            shared_kb: other(&urls.shared_kb)?,
            internal_shared: other(&urls.internal_shared)?,
        })
    }

    /// Refuses two URLs of one database: the three hold data of different sensitivity.
    ///
    /// # Errors
    /// A sentence.
    pub fn check(self) -> Result<Self, String> {
        let place = |url: &str| {
            let options = PgConnectOptions::from_str(url).map_err(|error| error.to_string())?;
            Ok::<_, String>((options.get_host().to_owned(), options.get_port(), options.get_database().map(str::to_owned)))
        };
        let (memory, kb, control) = (place(&self.agent_memory)?, place(&self.shared_kb)?, place(&self.internal_shared)?);
        let distinct = memory != kb && kb != control && memory != control;
        if distinct { Ok(self) } else { Err("the three database URLs must name different databases: two of them name the same one".into()) }
    }
}

/// Where the two roles of the server log in, if not as the owner.
#[derive(Clone, Debug, Default)]
pub struct Logins {
    /// Of a member of `rmb_app`.
    pub app: Option<DatabaseUrls>,
    /// Of a member of `rmb_system`.
    pub system: Option<DatabaseUrls>,
}

/// How long callers wait for the pools.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For a connection while all are in use. Opening a new one is given up after a second, and lookups of the system wait no longer than
    /// that.
    pub connection: Duration,
    /// For one statement; [`lift_statement_timeout`] makes an exception.
    pub statement: Duration,
}

/// One database, reached as the two roles of the server.
#[derive(Clone, Debug)]
pub struct Database {
    app: PgPool,
    system: PgPool,
    /// Whether its rows belong to agents. Only then is there a role that sees those of every agent.
    of_agents: bool,
    /// For one statement, unless its caller has a deadline.
    statement: Duration,
    reach: Arc<Reach>,
}

impl Database {
    fn connect(app: &str, system: &str, patience: Patience, of_agents: bool) -> Result<Self, DbError> {
        let statement = patience.statement.as_millis().to_string();
        let login = |url: &str, role: &str| {
            let options = PgConnectOptions::from_str(url)?.application_name("remembrancer");
            Ok::<_, DbError>(options.options([("role", role), ("timezone", "UTC"), ("statement_timeout", &statement)]))
        };
        let (app, system) = (login(app, "rmb_app")?, login(system, "rmb_system")?);
        let pool = |options: PgConnectOptions, size: u32, wait: Duration| {
            PgPoolOptions::new()
                .max_connections(size)
                .acquire_timeout(wait)
                .test_before_acquire(false)
                .before_acquire(|connection, state| Box::pin(still_there(connection, state.idle_for)))
                .connect_lazy_with(options)
        };
        Ok(Self {
            of_agents,
            statement: patience.statement,
            reach: Arc::new(Reach::new(app.clone(), CONNECT)),
            app: pool(app, APP_CONNECTIONS, patience.connection),
            system: pool(system, SYSTEM_CONNECTIONS, patience.connection.min(CONNECT)),
        })
    }

    /// Opens a transaction that sees one tenancy. BEGIN and its settings travel in one message.
    ///
    /// # Errors
    /// When the database is out of reach or no connection becomes free.
    pub async fn begin(&self, tenancy: Tenancy) -> Result<Tx, DbError> {
        self.begin_as("begin", tenancy).await
    }

    /// Opens a transaction that reads one snapshot of one tenancy: later writes do not show in it.
    ///
    /// # Errors
    /// As [`Database::begin`].
    pub async fn begin_snapshot(&self, tenancy: Tenancy) -> Result<Tx, DbError> {
        self.begin_as("begin isolation level repeatable read read only", tenancy).await
    }

    /// Opens a transaction that reads one snapshot and whose statements are planned for their values: for lists that are filtered by a
    /// text. A plan for any text expects many rows soon, and for a rare text it would read every row in the order of the list.
    ///
    /// # Errors
    /// As [`Database::begin`].
    pub async fn begin_planned_anew(&self, tenancy: Tenancy) -> Result<Tx, DbError> {
        self.begin_as("begin isolation level repeatable read read only; set local plan_cache_mode = force_custom_plan", tenancy).await
    }

    /// Opens a transaction that reads one snapshot and whose statements are planned once instead of for each call: for searches and sums,
    /// whose plans depend only on their shape.
    ///
    /// # Errors
    /// As [`Database::begin`].
    pub async fn begin_planned_once(&self, tenancy: Tenancy) -> Result<Tx, DbError> {
        self.begin_as("begin isolation level repeatable read read only; set local plan_cache_mode = force_generic_plan", tenancy).await
    }

    async fn begin_as(&self, begin: &str, tenancy: Tenancy) -> Result<Tx, DbError> {
        let role = if self.of_agents && tenancy.agent == EVERY_AGENT { "; set local role rmb_operator" } else { "" };
        // Typed UUIDs: nothing here can be anything but hexadecimal digits and dashes.
        let begin = format!(
            "{begin}{role}; select set_config('rmb.tenant', '{}', true), set_config('rmb.agent', '{}', true), \
             set_config('rmb.commons', '{}', true), set_config('rmb.user', '{}', true){}",
            tenancy.tenant,
            tenancy.agent,
            tenancy.commons,
            tenancy.users.setting(),
            deadline::setting(self.statement)
        );
        let pool = self.app.clone();
        let mut begun = tokio::spawn(async move { pool.begin_with(AssertSqlSafe(begin)).await });
        loop {
            tokio::select! {
                begun = &mut begun => return ended(begun),
                // The connection may be busy elsewhere, which is worth waiting for, or the server may be gone, which is not.
                () = tokio::time::sleep(CONNECT) => if !self.reach.answers().await {
                    return Err(DbError::Unavailable(sqlx::Error::PoolTimedOut));
                }
            }
        }
    }

    /// Opens a transaction for what happens before or across tenants.
    ///
    /// # Errors
    /// As [`Database::begin`].
    pub async fn begin_system(&self) -> Result<Tx, DbError> {
        begin(&self.system).await
    }

    /// Opens a transaction that may remove rows of one tenant, in the role that only erasure takes. Its statements may take as long as they
    /// need.
    ///
    /// # Errors
    /// As [`Database::begin`].
    pub async fn begin_erasure(&self, tenant: TenantId) -> Result<Tx, DbError> {
        let begin =
            format!("begin; set local role rmb_eraser; set local statement_timeout = 0; select set_config('rmb.tenant', '{tenant}', true)");
        let pool = self.system.clone();
        ended(tokio::spawn(async move { pool.begin_with(AssertSqlSafe(begin)).await }).await)
    }

    /// What happens before or across tenants: key and session lookup, relay, claims.
    pub fn system(&self) -> &PgPool {
        &self.system
    }

    /// Asks for a sign of life; how many migrations of this program are missing.
    async fn pending_migrations(&self, migrator: &Migrator) -> Result<usize, DbError> {
        migrate::pending(&self.system, migrator).await
    }

    async fn close(&self) {
        self.app.close().await;
        self.system.close().await;
    }
}

/// Private memory, shared knowledge, control data.
#[derive(Clone, Debug)]
pub struct Databases {
    pub memory: Database,
    pub kb: Database,
    pub control: Database,
}

impl Databases {
    /// Prepares the pools; the first connection is made when it is needed.
    ///
    /// # Errors
    /// When a URL cannot be read.
    pub fn connect(owner: &DatabaseUrls, logins: &Logins, patience: Patience) -> Result<Self, DbError> {
        let (app, system) = (logins.app.as_ref().unwrap_or(owner), logins.system.as_ref().unwrap_or(owner));
        Ok(Self {
            memory: Database::connect(&app.agent_memory, &system.agent_memory, patience, true)?,
            kb: Database::connect(&app.shared_kb, &system.shared_kb, patience, false)?,
            control: Database::connect(&app.internal_shared, &system.internal_shared, patience, false)?,
        })
    }

    /// Asks all databases at once for a sign of life: by name, how many migrations of this program each lacks, or why it does not answer.
    pub async fn ping(&self) -> [(&'static str, Result<usize, DbError>); 3] {
        let [(memory, memory_migrator), (kb, kb_migrator), (control, control_migrator)] = MIGRATORS;
        let answers = tokio::join!(
            self.memory.pending_migrations(memory_migrator),
            self.kb.pending_migrations(kb_migrator),
            self.control.pending_migrations(control_migrator),
        );
        [(memory, answers.0), (kb, answers.1), (control, answers.2)]
    }

    /// Closes every connection, waiting for those in use.
    pub async fn close(&self) {
        self.memory.close().await;
        self.kb.close().await;
        self.control.close().await;
    }
}

/// Whether an idle connection still answers. It was checked when it was given back, so one that was idle only briefly is not checked again;
/// this saves each request a round trip.
async fn still_there(connection: &mut PgConnection, idle: Duration) -> Result<bool, sqlx::Error> {
    if idle > TRUSTED {
        connection.ping().await?;
    }
    Ok(true)
}

/// Opens a transaction on one pool.
///
/// # Errors
/// As [`Database::begin`].
pub async fn begin(pool: &PgPool) -> Result<Tx, DbError> {
    let pool = pool.clone();
    ended(tokio::spawn(async move { pool.begin().await }).await)
}

/// The result of opening a transaction in a task of its own. If that future were dropped between BEGIN and the answer, as happens when a
/// request takes too long, sqlx would give the connection back with an open transaction, and the next caller would work inside it.
fn ended(begun: Result<Result<Tx, sqlx::Error>, JoinError>) -> Result<Tx, DbError> {
    match begun {
        Ok(begun) => Ok(begun?),
        Err(failure) => match failure.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(DbError::Unavailable(sqlx::Error::PoolClosed)),
        },
    }
}

/// Lets the statements of a transaction take as long as they need: for exports, imports and sweeps, which have limits of their own.
///
/// # Errors
/// When the connection is lost.
pub async fn lift_statement_timeout(tx: &mut Tx) -> Result<(), DbError> {
    sqlx::query("set local statement_timeout = 0").execute(&mut **tx).await?;
    Ok(())
}

/// A key for `pg_advisory_xact_lock`: the first eight bytes of a SHA-256 over the parts.
pub fn lock_key(parts: &[&[u8]]) -> i64 {
    use sha2::{Digest, Sha256};
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let digest = hasher.finalize();
    digest.iter().take(8).fold(0_i64, |key, byte| (key << 8) | i64::from(*byte))
}

/// Lets the rest of a transaction see the rows of other users than it began with: for what concerns an agent as a whole.
///
/// # Errors
/// When the connection is lost.
pub async fn see_users_of(tx: &mut Tx, tenancy: Tenancy) -> Result<(), DbError> {
    sqlx::query("select set_config('rmb.user', $1, true)").bind(tenancy.users.setting()).execute(&mut **tx).await?;
    Ok(())
}

/// Takes a lock until the transaction ends. A statement of its own: under READ COMMITTED the next one sees what the last holder wrote.
///
/// # Errors
/// When the connection is lost.
pub async fn lock(tx: &mut Tx, key: i64) -> Result<(), DbError> {
    sqlx::query("select pg_advisory_xact_lock($1)").bind(key).execute(&mut **tx).await?;
    Ok(())
}

/// Takes several advisory locks in one order, whoever takes them, so that two callers never wait for one another.
///
/// # Errors
/// When the connection is lost.
pub async fn lock_all(tx: &mut Tx, keys: impl IntoIterator<Item = i64>) -> Result<(), DbError> {
    let mut keys: Vec<i64> = keys.into_iter().collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        lock(tx, key).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_urls_derive_from_one() {
        let urls = DatabaseUrls::derive("postgres://vera:secret@localhost:5432/acme?sslmode=disable").unwrap();
        assert_eq!(urls.agent_memory, "postgres://vera:secret@localhost:5432/acme_agent_memory?sslmode=disable");
        assert_eq!(urls.internal_shared, "postgres://vera:secret@localhost:5432/acme_internal_shared?sslmode=disable");
        assert!(DatabaseUrls::derive("postgres://localhost").is_err());
        assert!(DatabaseUrls::derive("mysql://localhost/acme").is_err());
        assert!(!format!("{urls:?}").contains("secret"));
    }

    #[test]
    fn equal_urls_are_refused() {
        let url = || "postgres://localhost/one".to_owned();
        assert!(
            DatabaseUrls { agent_memory: url(), shared_kb: url(), internal_shared: "postgres://localhost/two".into() }.check().is_err()
        );
        let same = |other: &str| {
            let internal_shared = "postgres://localhost/three".into();
            DatabaseUrls { agent_memory: url(), shared_kb: other.into(), internal_shared }.check()
        };
        assert!(same("postgres://vera@localhost:5432/one?sslmode=disable").is_err());
        assert!(same("postgres://localhost:5433/one").is_ok());
    }

    #[test]
    fn lock_keys_tell_parts_apart() {
        assert_ne!(lock_key(&[b"ab", b"c"]), lock_key(&[b"a", b"bc"]));
    }
}

//! The three databases: pools, tenancy of a transaction, statements, error classes, cursors, migrations, backups, and the embedded
//! Postgres. It also makes times, ids and secrets.

pub mod backup;
pub mod clock;
pub mod columns;
pub mod cursor;
mod deadline;
pub mod distributed;
pub mod embedded;
mod error;
mod illness;
mod inspect;
pub mod like;
mod link;
mod migrate;
pub mod of_user;
mod opening;
mod owner;
mod proof;
mod reach;
mod reasons;
mod replica;
mod rewrite;
mod statement;
mod system;
mod tenancy;
mod urls;

pub use deadline::by_deadline;
pub use error::DbError;
pub use illness::Illness;
pub use inspect::{Contents, Events, Facts, Identity, Inspected, Outbox, RoleFacts, inspect};
pub use link::{Link, Tx};
pub use migrate::{MigrateError, create_databases, drop_databases, migrate, require_absent, require_databases, vacuum};
#[cfg(feature = "testing")]
pub use migrate::{migrate_to, versions};
pub use opening::Planned;
pub use replica::ReplicaFacts;
pub use rewrite::rewrite;
pub use statement::{COUNTED, count_rows, has_parameters};
pub use system::SystemPool;
pub use tenancy::{EVERY_AGENT, Tenancy, Users};
pub use urls::{DatabaseUrls, Logins, Replicas};

use illness::Health;
use link::{ANSWER, Waits};
use migrate::MIGRATORS;
use opening::{Opening, Spread};
use proof::Proof;
use reach::Reach;
use replica::Replica;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinError;
use wire::{AgentId, TenantId, UserId};

/// Connections of the pool that serves requests.
const APP_CONNECTIONS: u32 = 16;
/// Connections of the pool for what happens before or across tenants.
const SYSTEM_CONNECTIONS: u32 = 5;

/// How long a server may take to accept a connection before it counts as out of reach.
const CONNECT: Duration = Duration::from_secs(1);

/// Begins a transaction that reads one snapshot.
const SNAPSHOT: &str = "begin isolation level repeatable read read only";

/// How long an idle connection counts as alive without being asked.
const TRUSTED: Duration = Duration::from_millis(100);

/// How long callers wait for the pools.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For a connection of a request, while all are in use.
    pub connection: Duration,
    /// For a connection of what happens before or across tenants, as the lookup of a key, and for a replica. Every request waits for these,
    /// so a server that is out of reach must show soon.
    pub lookup: Duration,
    /// For one statement; [`lift_statement_timeout`] makes an exception.
    pub statement: Duration,
    /// How old what is read from a replica may be.
    pub replica: Duration,
}

/// One database, reached as the two roles of the server.
#[derive(Clone, Debug)]
pub struct Database {
    app: PgPool,
    system: SystemPool,
    /// Whether its rows belong to agents. Only then is there a role that sees those of every agent.
    of_agents: bool,
    /// For one statement, unless its caller has a deadline.
    statement: Duration,
    /// What the connections of `app` prove.
    proof: Arc<Proof>,
    reach: Arc<Reach>,
    health: Arc<Health>,
    replica: Option<Arc<Replica>>,
}

/// The URLs of one database, each with the variable that names it.
struct Places {
    app: (String, &'static str),
    system: (String, &'static str),
}

impl Database {
    fn connect(places: &Places, patience: Patience, of_agents: bool) -> Result<Self, DbError> {
        let login = |url: &str| Ok::<_, DbError>(PgConnectOptions::from_str(url)?.application_name("remembrancer"));
        let (app, system) = (login(&places.app.0)?, login(&places.system.0)?);
        let statement = patience.statement;
        let app_roles = ("rmb_app", if of_agents { "rmb_operator" } else { "rmb_app" });
        let (health, spread) = (Arc::<Health>::default(), Arc::<Spread>::default());
        let app_proof = Arc::new(Proof::new(&app, places.app.1, app_roles, statement, Arc::clone(&spread)));
        let system_roles = ("rmb_system", "rmb_eraser");
        let system_proof = Arc::new(Proof::new(&system, places.system.1, system_roles, statement, Arc::clone(&spread)));
        let reach = Arc::new(Reach::new(app.clone(), CONNECT, Arc::clone(&health)));
        let waits = Waits::new(statement, Arc::clone(&reach), Arc::clone(&health), spread);
        let system_pool = pool(system, SYSTEM_CONNECTIONS, patience.lookup, &system_proof);
        Ok(Self {
            app: pool(app, APP_CONNECTIONS, patience.connection, &app_proof),
            system: SystemPool { pool: system_pool, waits, proof: system_proof },
            of_agents,
            statement,
            proof: app_proof,
            reach,
            health,
            replica: None,
        })
    }

    /// The same database with its replica, if it has one.
    fn with_replica(self, name: &'static str, replica: Option<&String>, patience: Patience) -> Result<Self, DbError> {
        let Some(url) = replica else { return Ok(self) };
        let place = (url.clone(), "READ_DATABASE_URL");
        let database = Self::connect(&Places { app: place.clone(), system: place }, patience, self.of_agents)?;
        Ok(Self { replica: Some(Arc::new(Replica::new(database, name, patience))), ..self })
    }

    /// Opens a transaction that sees one tenancy. BEGIN and its settings travel in one message.
    ///
    /// # Errors
    /// When the database is out of reach or no connection becomes free.
    pub async fn begin(&self, tenancy: Tenancy) -> Result<Tx, DbError> {
        self.begin_as("begin", Planned::ByPostgres, tenancy).await
    }

    /// Opens a transaction that reads one snapshot of one tenancy: later writes do not show in it.
    ///
    /// # Errors
    /// As [`Database::begin`].
    pub async fn begin_snapshot(&self, tenancy: Tenancy) -> Result<Tx, DbError> {
        let mut tx = self.begin_as(SNAPSHOT, Planned::ByPostgres, tenancy).await?;
        if self.system.is_distributed() {
            // The tenant's node takes a snapshot of its own, with the first statement that comes there.
            let [memory, kb] = &distributed::PARTS;
            let table = if self.of_agents { memory.anchor } else { kb.anchor };
            tx.run(statement!(format!("select 1 from {table} where tenant_id = $1 limit 1"), tenancy.tenant)).await?;
        }
        Ok(tx)
    }

    /// Opens a transaction that reads one snapshot of one tenancy, with statements that are planned in one way.
    ///
    /// # Errors
    /// As [`Database::begin`].
    pub async fn begin_planned(&self, tenancy: Tenancy, planned: Planned) -> Result<Tx, DbError> {
        self.begin_as(SNAPSHOT, planned, tenancy).await
    }

    /// Opens a transaction that reads one snapshot and whose statements are planned once instead of for each call: for searches and sums,
    /// whose plans depend only on their shape.
    ///
    /// # Errors
    /// As [`Database::begin`].
    pub async fn begin_planned_once(&self, tenancy: Tenancy) -> Result<Tx, DbError> {
        self.begin_as(SNAPSHOT, Planned::Once, tenancy).await
    }

    async fn begin_as(&self, begin: &'static str, planned: Planned, tenancy: Tenancy) -> Result<Tx, DbError> {
        self.open(self.opening(begin, planned, tenancy)).await
    }

    fn opening(&self, begin: &'static str, planned: Planned, tenancy: Tenancy) -> Opening {
        let role = if self.of_agents && tenancy.agent == EVERY_AGENT { "rmb_operator" } else { "rmb_app" };
        Opening::in_role(role, Some(deadline::within(self.statement))).with(begin, planned).of(tenancy)
    }

    async fn open(&self, opening: Opening) -> Result<Tx, DbError> {
        let refused = self.proof.refused();
        let mut begun = tokio::spawn(Tx::begin(self.app.clone(), opening, self.system.waits.clone()));
        tokio::pin!(refused);
        loop {
            tokio::select! {
                biased;
                begun = &mut begun => return Ok(ended(begun).map_err(|error| self.proof.explain(error, &self.health))?),
                refusal = &mut refused => return Err(refusal.into()),
                // The connection may be busy elsewhere, which is worth waiting for, or the server may be gone, which is not.
                () = tokio::time::sleep(CONNECT) => if !self.reach.answers().await {
                    return Err(self.health.illness().map_or(DbError::Unavailable(sqlx::Error::PoolTimedOut), DbError::ill));
                }
            }
        }
    }

    /// Opens a transaction for what happens before or across tenants.
    ///
    /// # Errors
    /// As [`Database::begin`].
    pub async fn begin_system(&self) -> Result<Tx, DbError> {
        self.system.begin().await
    }

    /// Opens a transaction that may remove rows of one tenant, in the role that only erasure takes. Its statements may take as long as they
    /// need.
    ///
    /// # Errors
    /// As [`Database::begin`].
    pub async fn begin_erasure(&self, tenant: TenantId) -> Result<Tx, DbError> {
        let mut tx = self.system.open(Opening::in_role("rmb_eraser", None).of_tenant(tenant)).await?;
        tx.lift();
        Ok(tx)
    }

    /// What happens before or across tenants: key and session lookup, relay, claims.
    pub fn system(&self) -> &SystemPool {
        &self.system
    }

    /// Asks for a sign of life; how many migrations of this program are missing.
    async fn pending_migrations(&self, migrator: &Migrator) -> Result<usize, DbError> {
        let asked = async {
            self.prove().await?;
            migrate::pending(&self.system, migrator).await
        };
        match (asked.await, self.health.illness()) {
            (Err(refused @ DbError::Refused(_)), _) => Err(refused),
            (_, Some(illness)) => Err(DbError::ill(illness)),
            (answer, None) => answer,
        }
    }

    /// Whether the connections of both pools work as they must; opens one where there is none.
    async fn prove(&self) -> Result<(), DbError> {
        if self.app.size() == 0 {
            self.begin(Tenancy::nobody()).await?.rollback().await?;
        }
        if self.system.pool.size() == 0 {
            self.begin_system().await?.rollback().await?;
        }
        let refusal = self.proof.refusal().or_else(|| self.system.proof.refusal());
        refusal.map_or(Ok(()), |refusal| Err(DbError::Refused(refusal)))
    }

    async fn close(&self) {
        self.app.close().await;
        self.system.pool.close().await;
        if let Some(replica) = &self.replica {
            replica.close().await;
        }
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
        let one = |urls: fn(&DatabaseUrls) -> &String, of_agents| {
            let at = |login: &'_ Option<DatabaseUrls>, variable| match login {
                Some(login) => (urls(login).clone(), variable),
                None => (urls(owner).clone(), proof::OWNER),
            };
            let places = Places { app: at(&logins.app, "APP_DATABASE_URL"), system: at(&logins.system, "SYSTEM_DATABASE_URL") };
            Database::connect(&places, patience, of_agents)
        };
        let Replicas { agent_memory, shared_kb, internal_shared } = &logins.replicas;
        let (memory, kb) = (one(|urls| &urls.agent_memory, true)?, one(|urls| &urls.shared_kb, false)?);
        Ok(Self {
            memory: memory.with_replica("agent_memory", agent_memory.as_ref(), patience)?,
            kb: kb.with_replica("shared_kb", shared_kb.as_ref(), patience)?,
            control: one(|urls| &urls.internal_shared, false)?.with_replica("internal_shared", internal_shared.as_ref(), patience)?,
        })
    }

    /// Lets a connection of each pool prove itself. A database that is out of reach is passed over: it is asked when it is back.
    ///
    /// # Errors
    /// The first refusal.
    pub async fn prove(&self) -> Result<(), DbError> {
        let proofs = tokio::join!(self.memory.prove(), self.kb.prove(), self.control.prove());
        for proof in [proofs.0, proofs.1, proofs.2] {
            if let Err(refused @ DbError::Refused(_)) = proof {
                return Err(refused);
            }
        }
        Ok(())
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

    /// Whether any of them has a replica.
    pub fn has_replica(&self) -> bool {
        [&self.memory, &self.kb, &self.control].into_iter().any(|database| database.replica.is_some())
    }

    /// Notes what is wrong with the Postgres of all three, which does not run and so cannot say it.
    pub fn note(&self, illness: Illness) {
        for database in [&self.memory, &self.kb, &self.control] {
            database.health.set(illness);
        }
    }

    /// Closes every connection, waiting for those in use: not for ever, because one may hang.
    pub async fn close(&self) {
        let closed = async { tokio::join!(self.memory.close(), self.kb.close(), self.control.close()) };
        if tokio::time::timeout(ANSWER, closed).await.is_err() {
            tracing::warn!("some connections to the databases did not end in time and are given up");
        }
    }
}

/// Whether an idle connection still answers. It was checked when it was given back, so one that was idle only briefly is not checked again;
/// this saves each request a round trip.
async fn still_there(connection: &mut PgConnection, idle: Duration) -> Result<bool, sqlx::Error> {
    if idle > TRUSTED {
        tokio::time::timeout(CONNECT, connection.ping()).await.map_err(|_| sqlx::Error::PoolTimedOut)??;
    }
    Ok(true)
}

/// A pool whose connections prove themselves.
fn pool(options: PgConnectOptions, size: u32, wait: Duration, proof: &Arc<Proof>) -> PgPool {
    let proof = Arc::clone(proof);
    PgPoolOptions::new()
        .max_connections(size)
        .acquire_timeout(wait)
        .test_before_acquire(false)
        .before_acquire(|connection, state| Box::pin(still_there(connection, state.idle_for)))
        .after_connect(move |connection, _| {
            let proof = Arc::clone(&proof);
            Box::pin(async move { proof.check(connection).await })
        })
        .connect_lazy_with(options)
}

/// Opens a transaction on the pool for what happens before or across tenants.
///
/// # Errors
/// As [`Database::begin`].
pub async fn begin(pool: &SystemPool) -> Result<Tx, DbError> {
    pool.begin().await
}

/// The result of opening a transaction in a task of its own. A caller that goes away, as when a request takes too long, then costs no
/// connection: the task gives it back.
fn ended(begun: Result<Result<Tx, sqlx::Error>, JoinError>) -> Result<Tx, sqlx::Error> {
    match begun {
        Ok(begun) => begun,
        Err(failure) => match failure.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(sqlx::Error::PoolClosed),
        },
    }
}

/// Lets the statements of a transaction take as long as they need: for exports, imports and sweeps, which have limits of their own.
///
/// # Errors
/// When the connection is lost.
pub async fn lift_statement_timeout(tx: &mut Tx) -> Result<(), DbError> {
    tx.lift();
    let lift = "select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)";
    sqlx::query(lift).execute(&mut **tx).await?;
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
    // A typed UUID or nothing. Where tables are distributed, what a function sets does not reach the node of the tenant.
    let set = format!("set local rmb.\"user\" = '{}'", tenancy.users.setting());
    sqlx::query(AssertSqlSafe(set)).persistent(false).execute(&mut **tx).await?;
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

/// Lets nobody else place candidates of an agent and a user until the transaction ends.
///
/// # Errors
/// When the connection is lost.
pub async fn lock_owner(tx: &mut Tx, agent: AgentId, user: Option<UserId>) -> Result<(), DbError> {
    let user = user.map_or([0; 16], |user| user.0.into_bytes());
    lock(tx, lock_key(&[b"consolidate", agent.0.as_bytes(), &user])).await
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
    fn lock_keys_tell_parts_apart() {
        assert_ne!(lock_key(&[b"ab", b"c"]), lock_key(&[b"a", b"bc"]));
    }
}

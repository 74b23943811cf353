//! Connections in use. Every wait for Postgres ends: a connection that no longer answers leaves the pool.

use super::illness::Health;
use super::opening::{Opening, Spread};
use super::reach::Reach;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{AssertSqlSafe, Describe, Either, Execute, Executor, PgConnection, PgPool, Postgres, SqlStr};
use std::io;
use std::ops::{Deref, DerefMut};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::timeout;

/// How long a server may take for what costs it nothing: opening a connection or a transaction, giving one back.
pub(super) const ANSWER: Duration = Duration::from_secs(10);

/// How much longer than its statement may take a connection may be silent, at least and at most: Postgres cancels the statement first.
const GRACE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));

/// How a statement waits for its answer.
#[derive(Clone, Debug)]
pub(super) struct Waits {
    /// How long Postgres may send nothing.
    silence: Duration,
    /// Whether a longer silence is fine while the server takes other connections.
    lifted: bool,
    /// The connection was given up.
    lost: bool,
    reach: Arc<Reach>,
    pub(super) health: Arc<Health>,
    pub(super) spread: Arc<Spread>,
}

impl Waits {
    /// For statements that Postgres cancels after `statement`.
    pub fn new(statement: Duration, reach: Arc<Reach>, health: Arc<Health>, spread: Arc<Spread>) -> Self {
        Self { silence: statement + statement.clamp(GRACE.0, GRACE.1), lifted: false, lost: false, reach, health, spread }
    }

    /// Waits for Postgres, unless it is silent for too long.
    async fn on<T>(&mut self, work: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, sqlx::Error> {
        if self.lost {
            return Err(silent(self.silence));
        }
        let mut work = pin!(work);
        loop {
            match timeout(self.silence, &mut work).await {
                Ok(done) => return done.inspect_err(|error| self.health.note(error)),
                Err(_) if self.lifted && self.reach.answers().await => {}
                Err(_) => {
                    self.lost = true;
                    return Err(silent(self.silence));
                }
            }
        }
    }
}

fn silent(silence: Duration) -> sqlx::Error {
    let sentence = format!("Postgres has not answered for {} s, so the connection was given up", silence.as_secs());
    sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, sentence))
}

/// A connection that runs statements, each with a limit of its own.
#[derive(Debug)]
pub struct Link {
    /// Absent only while it is dropped.
    connection: Option<PoolConnection<Postgres>>,
    waits: Waits,
    /// Whether a transaction is open.
    open: bool,
}

impl Link {
    async fn acquire(pool: &PgPool, waits: Waits) -> Result<Self, sqlx::Error> {
        let mut connection = pool.acquire().await?;
        // Only `return_to_pool` gives it back, which ends in time.
        connection.close_on_drop();
        Ok(Self { connection: Some(connection), waits, open: false })
    }

    fn parts(&mut self) -> Result<(&mut PgConnection, &mut Waits), sqlx::Error> {
        match &mut self.connection {
            Some(connection) if !self.waits.lost => Ok((&mut **connection, &mut self.waits)),
            _ => Err(silent(self.waits.silence)),
        }
    }

    /// Runs a text of several statements.
    async fn run(&mut self, statements: String) -> Result<(), sqlx::Error> {
        let (connection, waits) = self.parts()?;
        waits.on(sqlx::raw_sql(AssertSqlSafe(statements)).execute(connection)).await.map(drop)
    }
}

/// Ends what is open and gives the connection back, or closes it if that takes too long.
impl Drop for Link {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        let Ok(runtime) = Handle::try_current() else { return drop(connection.detach()) };
        if self.waits.lost {
            return;
        }
        let open = self.open;
        let returning = async move {
            if open && sqlx::raw_sql("rollback").execute(&mut *connection).await.is_err() {
                return;
            }
            connection.return_to_pool().await;
        };
        // A statement that was dropped half-way ends first.
        let limit = self.waits.silence;
        runtime.spawn(async move { timeout(limit, returning).await.is_ok() });
    }
}

impl<'c> Executor<'c> for &'c mut Link {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, sqlx::Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let (connection, waits) = match Link::parts(self) {
            Ok(parts) => parts,
            Err(error) => return stream::once(async { Err(error) }).boxed(),
        };
        let rows = connection.fetch_many(query);
        stream::unfold(Some((rows, waits)), next_row).boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, sqlx::Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        Box::pin(async move {
            let (connection, waits) = Link::parts(self)?;
            waits.on(connection.fetch_optional(query)).await
        })
    }

    fn prepare_with<'e>(self, sql: SqlStr, parameters: &'e [PgTypeInfo]) -> BoxFuture<'e, Result<PgStatement, sqlx::Error>>
    where
        'c: 'e,
    {
        Box::pin(async move {
            let (connection, waits) = Link::parts(self)?;
            waits.on(connection.prepare_with(sql, parameters)).await
        })
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Postgres>, sqlx::Error>>
    where
        'c: 'e,
    {
        Box::pin(async move {
            let (connection, waits) = Link::parts(self)?;
            waits.on(connection.describe(sql)).await
        })
    }
}

type Rows<'e, T> = (BoxStream<'e, Result<T, sqlx::Error>>, &'e mut Waits);

/// The next row of a statement; after an error there is none.
async fn next_row<T>(rows: Option<Rows<'_, T>>) -> Option<(Result<T, sqlx::Error>, Option<Rows<'_, T>>)> {
    let (mut rows, waits) = rows?;
    match waits.on(rows.try_next()).await {
        Ok(row) => Some((Ok(row?), Some((rows, waits)))),
        Err(error) => Some((Err(error), None)),
    }
}

/// A transaction whose rows are those of one [`super::Tenancy`]. Dropping it rolls it back.
#[derive(Debug)]
pub struct Tx(Link);

impl Tx {
    /// Opens a transaction.
    pub(super) async fn begin(pool: PgPool, opening: Opening, waits: Waits) -> Result<Self, sqlx::Error> {
        let mut link = Link::acquire(&pool, waits).await?;
        // Now, because the first connection of a pool has just found it out.
        let begin = opening.text(link.waits.spread.is_distributed());
        // Whoever drops this future half-way leaves no open transaction behind: the connection is closed.
        link.waits.lost = true;
        let connection = link.connection.as_deref_mut().ok_or(sqlx::Error::PoolClosed)?;
        let message = sqlx::raw_sql(AssertSqlSafe(begin));
        let rows = if opening.is_conditional() {
            let opened = timeout(ANSWER, message.fetch_all(connection)).await;
            opened.map_err(|_| silent(ANSWER))?.inspect_err(|error| link.waits.health.note(error))?
        } else {
            let opened = timeout(ANSWER, message.execute(connection)).await;
            opened.map_err(|_| silent(ANSWER))?.inspect_err(|error| link.waits.health.note(error))?;
            Vec::new()
        };
        (link.waits.lost, link.open) = (false, true);
        opening.check(rows.first())?;
        Ok(Self(link))
    }

    /// Keeps what was done.
    ///
    /// # Errors
    /// When the connection is lost, or a deferred constraint refuses. After a lost connection nobody knows whether it was kept.
    pub async fn commit(mut self) -> Result<(), sqlx::Error> {
        self.0.run("commit".into()).await?;
        self.0.open = false;
        Ok(())
    }

    /// Undoes what was done, and waits for it.
    ///
    /// # Errors
    /// When the connection is lost.
    pub async fn rollback(mut self) -> Result<(), sqlx::Error> {
        self.0.run("rollback".into()).await?;
        self.0.open = false;
        Ok(())
    }

    /// Whether its tables are distributed over several nodes: no statement then locks rows of two tenants.
    pub fn is_distributed(&self) -> bool {
        self.0.waits.spread.is_distributed()
    }

    /// Lets its statements take as long as they need, while the server takes other connections.
    pub(super) fn lift(&mut self) {
        self.0.waits.lifted = true;
    }
}

impl Deref for Tx {
    type Target = Link;

    fn deref(&self) -> &Link {
        &self.0
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut Link {
        &mut self.0
    }
}

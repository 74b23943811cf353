//! The pool for what happens before or across tenants.

use super::link::{Tx, Waits};
use super::opening::Opening;
use super::proof::Proof;
use super::{DbError, ended};
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt, stream};
use sqlx::postgres::{PgListener, PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{Describe, Either, Execute, Executor, PgPool, Postgres, SqlStr};
use std::sync::Arc;

/// Key and session lookup, relay, claims. Each statement is a transaction of its own, because its role and its limits travel with BEGIN: a
/// pooler may give every transaction another connection, and forgets what was set before.
#[derive(Clone, Debug)]
pub struct SystemPool {
    pub(super) pool: PgPool,
    pub(super) waits: Waits,
    pub(super) proof: Arc<Proof>,
}

impl SystemPool {
    /// Opens a transaction.
    ///
    /// # Errors
    /// When the database is out of reach, refuses the connection, or no connection becomes free.
    pub async fn begin(&self) -> Result<Tx, DbError> {
        Ok(self.open(self.proof.begin()).await?)
    }

    /// Whether its tables are distributed over several nodes, as far as a connection found it out.
    pub fn is_distributed(&self) -> bool {
        self.waits.spread.is_distributed()
    }

    /// Whether its tables are distributed over several nodes: no statement then locks rows of two tenants. If no connection found it out yet,
    /// it opens one: whoever chooses a statement by it must not be wrong.
    ///
    /// # Errors
    /// As [`SystemPool::begin`].
    pub async fn finds_distributed(&self) -> Result<bool, DbError> {
        if !self.waits.spread.is_known() {
            self.begin().await?.rollback().await?;
        }
        Ok(self.is_distributed())
    }

    pub(super) async fn open(&self, opening: Opening) -> Result<Tx, sqlx::Error> {
        let mut begun = tokio::spawn(Tx::begin(self.pool.clone(), opening, self.waits.clone()));
        let refused = self.proof.refused();
        tokio::select! {
            biased;
            begun = &mut begun => ended(begun).map_err(|error| self.proof.explain(error, &self.waits.health)),
            refusal = refused => Err(refusal),
        }
    }

    /// A listener for announcements, on a connection of its own. It reads no table.
    ///
    /// # Errors
    /// When the database is out of reach.
    pub async fn listener(&self) -> Result<PgListener, sqlx::Error> {
        PgListener::connect_with(&self.pool).await
    }
}

#[cfg(feature = "testing")]
impl SystemPool {
    /// One connection in any role, for tests that ask what happens when a wall is missing.
    ///
    /// # Errors
    /// When the URL cannot be read.
    pub fn in_role(url: &str, role: &'static str) -> Result<Self, DbError> {
        use super::distributed::{DONE, state};
        use super::{CONNECT, Health, PgConnectOptions, Reach, Spread};
        let (options, statement) = (url.parse::<PgConnectOptions>()?, super::link::ANSWER);
        let (health, spread) = (Arc::<Health>::default(), Arc::<Spread>::default());
        let proof = Proof::new(&options, "TEST_DATABASE_URL", (role, role), statement, Arc::clone(&spread));
        let finding = Arc::clone(&spread);
        let waits = Waits::new(statement, Arc::new(Reach::new(options.clone(), CONNECT, Arc::clone(&health))), health, spread);
        let pool = sqlx::postgres::PgPoolOptions::new()
            .max_connections(1)
            .after_connect(move |connection, _| {
                let spread = Arc::clone(&finding);
                Box::pin(async move {
                    spread.note(state(connection).await? == DONE);
                    Ok(())
                })
            })
            .connect_lazy_with(options);
        Ok(Self { pool, waits, proof: Arc::new(proof) })
    }
}

impl<'p> Executor<'p> for &SystemPool {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, sqlx::Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let pool = self.clone();
        let all = async move {
            let mut tx = pool.open(pool.proof.begin()).await?;
            let rows: Vec<_> = tx.fetch_many(query).try_collect().await?;
            tx.commit().await?;
            Ok::<_, sqlx::Error>(stream::iter(rows.into_iter().map(Ok)))
        };
        stream::once(all).try_flatten().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, sqlx::Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let pool = self.clone();
        Box::pin(async move {
            let mut tx = pool.open(pool.proof.begin()).await?;
            let row = tx.fetch_optional(query).await?;
            tx.commit().await?;
            Ok(row)
        })
    }

    fn prepare_with<'e>(self, sql: SqlStr, parameters: &'e [PgTypeInfo]) -> BoxFuture<'e, Result<PgStatement, sqlx::Error>>
    where
        'p: 'e,
    {
        let pool = self.clone();
        Box::pin(async move { pool.open(pool.proof.begin()).await?.prepare_with(sql, parameters).await })
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Postgres>, sqlx::Error>>
    where
        'p: 'e,
    {
        let pool = self.clone();
        Box::pin(async move { pool.open(pool.proof.begin()).await?.describe(sql).await })
    }
}

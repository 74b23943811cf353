//! All SQL of the benchmark: what Postgres alone takes for the rows of a recall, and how large it is.

use crate::Failure;
use chrono::{DateTime, Utc};
use db::DatabaseUrls;
use foundation::index::{VectorTable, Vectors};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use uuid::Uuid;

/// Where the engine keeps vectors of memories, and the column that a recall compares.
const VECTORS: Vectors = Vectors {
    of_384: VectorTable { table: "embeddings_384", column: "half" },
    of_1536: VectorTable { table: "embeddings_1536", column: "embedding" },
};
/// The nearest memories that the statement returns.
const NEAREST: i64 = 50;

/// A question as the search of a recall asks it.
pub struct Asked {
    pub text: String,
    /// The terms of its words.
    pub terms: Vec<String>,
    pub vector: Vec<f32>,
    /// The memories that a recall returned for it.
    pub ids: Vec<Uuid>,
}

/// The memories of an agent, and of the commons, which its recalls search, too.
#[derive(Clone)]
pub struct Reach {
    pub tenant: Uuid,
    pub agents: Vec<Uuid>,
    /// The name of the embedding model.
    pub model: String,
}

/// A connection to the database of memories as its owner: no row-level security, no server.
pub struct Sql(PgConnection);

impl Sql {
    /// Connects, and makes the table of [`Sql::commit`].
    ///
    /// # Errors
    /// When the database is out of reach.
    pub async fn connect(urls: &DatabaseUrls) -> Result<Self, Failure> {
        let mut connection = PgConnection::connect(&urls.agent_memory).await?;
        sqlx::query("create table if not exists bench_commits (number bigint not null)").execute(&mut connection).await?;
        Ok(Self(connection))
    }

    /// The shortest statement.
    pub async fn one(&mut self) -> Result<(), Failure> {
        sqlx::query("select 1").execute(&mut self.0).await?;
        Ok(())
    }

    /// A transaction of one row, as durable as those of the server.
    pub async fn commit(&mut self, number: i64) -> Result<(), Failure> {
        sqlx::query("insert into bench_commits (number) values ($1)").bind(number).execute(&mut self.0).await?;
        Ok(())
    }

    /// The rows of memories by their ids, with what a hit shows.
    pub async fn rows(&mut self, reach: &Reach, ids: &[Uuid]) -> Result<(), Failure> {
        sqlx::query(
            r"select m.id, m.short_id, m.agent_id, m.kind, m.scope, m.status, m.topic, m.topic_raw, m.title, m.content, m.summary, m.source,
                     m.confidence, m.importance, m.created_at, m.updated_at, m.expires_at
                from agent_memories m where m.tenant_id = $1 and m.agent_id = any($2) and m.id = any($3)",
        )
        .bind(reach.tenant)
        .bind(&reach.agents)
        .bind(ids)
        .fetch_all(&mut self.0)
        .await?;
        Ok(())
    }

    /// The search of a recall as one prepared statement: the nearest memories by the covering index, and every posting of the question's words
    /// as arrays.
    pub async fn search(&mut self, reach: &Reach, asked: &Asked) -> Result<(), Failure> {
        let vectors = VECTORS.of(asked.vector.len())?;
        let VectorTable { table, column } = vectors;
        let search = format!(
            r"with nearest as materialized (
                  select s.* from (select e.memory_id, -(e.{column} <#> $5) as similarity from {table} e
                                    where e.agent_id = any($2) and e.tenant_id = $1 and e.model = $4 and e.live
                                      and (e.expires_at is null or e.expires_at > now()) and e.user_id is null offset 0) s
                   order by s.similarity desc, s.memory_id desc limit $6)
              select array_agg(array_position($3, t.term)) as places, array_agg(t.memory_id) as ids, array_agg(t.tf) as counts,
                     array_agg(t.length) as lengths, array(select memory_id from nearest) as nearest,
                     array(select similarity from nearest) as similar
                from memory_terms t
               where t.tenant_id = $1 and t.agent_id = any($2) and t.term = any($3) and t.user_id is null"
        );
        sqlx::query(AssertSqlSafe(search))
            .bind(reach.tenant)
            .bind(&reach.agents)
            .bind(&asked.terms)
            .bind(&reach.model)
            .bind(vectors.operand(&asked.vector))
            .bind(NEAREST)
            .fetch_one(&mut self.0)
            .await?;
        Ok(())
    }

    /// A page of the memories of an agent after an id, with their texts and vectors.
    pub async fn vectors(
        &mut self,
        reach: &Reach,
        dimension: usize,
        after: Uuid,
        most: i64,
    ) -> Result<Vec<(Uuid, String, Vec<f32>)>, Failure> {
        let VectorTable { table, .. } = VECTORS.of(dimension)?;
        let page = format!(
            r"select m.id, m.content, e.embedding::real[]
                from agent_memories m
                join {table} e on e.tenant_id = m.tenant_id and e.agent_id = m.agent_id and e.memory_id = m.id
               where m.tenant_id = $1 and m.agent_id = any($2) and e.model = $3 and m.live and m.id > $4
               order by m.id limit $5"
        );
        let page = sqlx::query_as(AssertSqlSafe(page))
            .bind(reach.tenant)
            .bind(&reach.agents)
            .bind(&reach.model)
            .bind(after)
            .bind(most)
            .fetch_all(&mut self.0)
            .await?;
        Ok(page)
    }

    /// How many memories of an agent are in reach.
    pub async fn live(&mut self, tenant: Uuid, agent: Uuid) -> Result<i64, Failure> {
        let count = "select count(*) from agent_memories where tenant_id = $1 and agent_id = $2 and live";
        Ok(sqlx::query_scalar(count).bind(tenant).bind(agent).fetch_one(&mut self.0).await?)
    }

    /// Whether an event of memories is due or being worked on.
    pub async fn is_busy(&mut self, now: DateTime<Utc>) -> Result<bool, Failure> {
        let busy = "select exists (select 1 from events
                                    where state = 'running' or state in ('pending', 'failed') and kind <> 'observation' and run_after <= $1)";
        Ok(sqlx::query_scalar(busy).bind(now).fetch_one(&mut self.0).await?)
    }

    /// A setting of Postgres.
    pub async fn setting(&mut self, name: &str) -> Result<String, Failure> {
        Ok(sqlx::query_scalar("select current_setting($1)").bind(name).fetch_one(&mut self.0).await?)
    }

    /// The process that serves this connection.
    pub async fn process(&mut self) -> Result<i32, Failure> {
        Ok(sqlx::query_scalar("select pg_backend_pid()").fetch_one(&mut self.0).await?)
    }
}

/// How many parts of documents are in force.
///
/// # Errors
/// When the database is out of reach.
pub async fn chunks(urls: &DatabaseUrls) -> Result<i64, Failure> {
    let mut connection = PgConnection::connect(&urls.shared_kb).await?;
    let count = sqlx::query_scalar("select count(*) from chunks").fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(count)
}

/// Bytes of the three databases on disk.
///
/// # Errors
/// When one is out of reach.
pub async fn size(urls: &DatabaseUrls) -> Result<i64, Failure> {
    let mut bytes = 0;
    for url in [&urls.agent_memory, &urls.shared_kb, &urls.internal_shared] {
        let mut connection = PgConnection::connect(url).await?;
        let size: i64 = sqlx::query_scalar("select pg_database_size(current_database())").fetch_one(&mut connection).await?;
        bytes += size;
        connection.close().await?;
    }
    Ok(bytes)
}

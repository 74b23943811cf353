//! SQL of the recall cache: what changed since a snapshot, and the memories that it packs.

use crate::index::VectorTable;
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, same_user, sql, statement};
use packed::{Place, Row};
use pgvector::Vector;
use sqlx::FromRow;
use std::collections::HashMap;
use uuid::Uuid;
use wire::{AgentId, UserId};

/// Whose memories are packed together: an agent's of one user, or of nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    pub agent: AgentId,
    pub user: Option<UserId>,
}

/// Changed memories or chunks of an owner that are read at once; with more, all are packed again.
pub const CHANGES_MAX: usize = 5_000;

/// The memories or chunks of an owner in the snapshot of the transaction.
#[derive(Debug, FromRow)]
pub struct Version {
    /// Every transaction before this one has ended.
    pub horizon: i64,
    /// How many are live, and the terms that they have together.
    pub documents: i64,
    pub terms: i64,
    /// Those that were written since the mark, in any state: at most [`CHANGES_MAX`] and one more.
    ids: Vec<Uuid>,
    written: Vec<i64>,
}

impl Version {
    /// Those that were written since the mark, with the transactions that wrote them.
    pub fn written(&self) -> impl Iterator<Item = (Uuid, i64)> {
        self.ids.iter().copied().zip(self.written.iter().copied())
    }

    /// Whether there are more of them than are read at once.
    pub fn is_cut(&self) -> bool {
        self.ids.len() > CHANGES_MAX
    }
}

/// What the owners have, and what was written of theirs by transactions from a mark on, in their order.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, owners = owners.len()))]
pub async fn versions(tx: &mut Tx, tenancy: Tenancy, owners: &[(Owner, i64)]) -> Result<Vec<Version>, DbError> {
    let agents: Vec<Uuid> = owners.iter().map(|(owner, _)| owner.agent.0).collect();
    let users: Vec<Option<Uuid>> = owners.iter().map(|(owner, _)| owner.user.map(|user| user.0)).collect();
    let marks: Vec<i64> = owners.iter().map(|(_, mark)| *mark).collect();
    // A row of the future was written in the cluster from which this database was restored: its number says nothing here.
    tx.rows(sql!(
        [tenancy.tenant, agents, users, marks, tenancy.users, CHANGES_MAX as i64 + 1],
        r"select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon, counted.documents, counted.terms, changed.ids, changed.written
            from unnest($2::uuid[], $3::uuid[], $4::bigint[]) with ordinality as o (agent_id, user_id, mark, place)
           cross join lateral (
                 select coalesce(sum(c.documents), 0)::bigint as documents, coalesce(sum(c.terms), 0)::bigint as terms
                   from memory_term_counts c where c.tenant_id = $1 and c.agent_id = o.agent_id and ",
        same_user!("c", "o.user_id"),
        " and ",
        of_user!("c", "$5"),
        r") counted
           cross join lateral (
                 select coalesce(array_agg(w.id), '{}') as ids, coalesce(array_agg(w.written), '{}') as written
                   from (select m.id, m.written::text::bigint as written from agent_memories m
                          where m.tenant_id = $1 and m.agent_id = o.agent_id and m.written >= o.mark::text::xid8
                            and m.written < pg_snapshot_xmax(pg_current_snapshot()) and ",
        same_user!("m", "o.user_id"),
        " and ",
        of_user!("m", "$5"),
        r" limit $6) w) changed
           order by o.place"
    ))
    .await
}

/// Live memories of agents and the terms that these have, of all users in reach.
pub async fn sizes(tx: &mut Tx, tenancy: Tenancy, agents: &[AgentId]) -> Result<Vec<(AgentId, i64, i64)>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, agents, tenancy.users],
        r"select c.agent_id, sum(c.documents)::bigint as documents, sum(c.terms)::bigint as terms from memory_term_counts c
           where c.tenant_id = $1 and c.agent_id = any($2) and ",
        of_user!("c", "$3"),
        " group by c.agent_id"
    ))
    .await
}

/// Which memories or chunks of an owner are read.
#[derive(Clone, Copy)]
pub enum Which<'a> {
    /// So many in the order of their ids, after one.
    After(Uuid, i64),
    Ids(&'a [Uuid]),
}

#[derive(FromRow)]
struct Packed {
    id: Uuid,
    written: i64,
    kind: String,
    scope: String,
    status: String,
    retention: String,
    platform: Option<String>,
    project_id: Option<Uuid>,
    repo_id: Option<Uuid>,
    said_at: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
    length: i32,
    weight: Option<f64>,
    vector: Option<Vector>,
}

/// A model, and where its vectors are kept.
#[derive(Clone, Copy)]
pub struct Embeddings<'a> {
    pub model: &'a str,
    pub vectors: VectorTable,
}

/// The live memories of an owner, with their words and their vectors by a model.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, agent = %owner.agent))]
pub async fn live_rows(
    tx: &mut Tx,
    tenancy: Tenancy,
    owner: Owner,
    embeddings: Embeddings<'_>,
    which: Which<'_>,
) -> Result<Vec<Row>, DbError> {
    let Embeddings { model, vectors: VectorTable { table, column } } = embeddings;
    let (after, most, ids) = match which {
        Which::After(id, most) => (Some(id), Some(most), &[][..]),
        Which::Ids(ids) => (None, None, ids),
    };
    // `coalesce` keeps the vectors in the index of their keys.
    let text = format!(
        r"select m.id, m.written::text::bigint as written, m.kind, m.scope, m.status, m.retention, m.platform, m.project_id, m.repo_id,
                 m.said_at, m.expires_at, coalesce(m.term_count, 0) as length, v.weight, v.vector
            from agent_memories m
            left join lateral (select e.weight, e.{column}::vector as vector from {table} e
                                where e.tenant_id = $1 and e.agent_id = $2 and e.memory_id = m.id and e.model = $4
                                  and coalesce(e.live, false) offset 0) v on true
           where m.tenant_id = $1 and m.agent_id = $2 and m.live and {} and {} and {}
           order by m.id limit $7",
        if after.is_some() { "m.id > $6" } else { "m.id = any($8)" },
        same_user!("m", "$3"),
        of_user!("m", "$5")
    );
    let query = statement!(text, tenancy.tenant, owner.agent, owner.user, model, tenancy.users, after, most, ids);
    let rows: Vec<Packed> = tx.rows(query).await?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let words: Vec<(Uuid, Vec<String>, Vec<f32>)> = tx
        .rows(sql!(
            [tenancy.tenant, owner.agent, ids, tenancy.users],
            r"select t.memory_id, array_agg(t.term) as terms, array_agg(t.tf) as counts from memory_terms t
               where t.tenant_id = $1 and t.agent_id = $2 and t.memory_id = any($3) and ",
            of_user!("t", "$4"),
            " group by t.memory_id"
        ))
        .await?;
    let mut words: HashMap<Uuid, Vec<(String, f32)>> =
        words.into_iter().map(|(id, terms, counts)| (id, terms.into_iter().zip(counts).collect())).collect();
    let row = |row: Packed| Row {
        terms: words.remove(&row.id).unwrap_or_default(),
        id: row.id,
        written: row.written,
        place: Place {
            kind: row.kind,
            scope: row.scope,
            status: row.status,
            retention: row.retention,
            platform: row.platform,
            project: row.project_id,
            repo: row.repo_id,
            ..Place::default()
        },
        said_at: row.said_at.timestamp_micros(),
        expires_at: row.expires_at.map(|at| at.timestamp_micros()),
        length: row.length,
        vector: row.vector.map(Vec::from).zip(row.weight),
    };
    Ok(rows.into_iter().map(row).collect())
}

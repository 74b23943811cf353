//! All SQL of the memory block.

use crate::memories::model::{Draft, Memory};
use crate::memories::store::{COLUMNS, VECTORS, columns};
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, statement};
use foundation::registry::EmbeddingModel;
use pgvector::Vector;
use sqlx::FromRow;
use wire::AgentId;
use words::normal;

/// Which memories a list has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EntryFilter {
    Categorised,
    /// Those without a category, too, but no messages of sessions.
    All,
}

/// The live memories of some agents within a user's reach: by category, then creation, then id. Those without a category come last.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, agents = agents.len()))]
pub async fn entries(
    tx: &mut Tx,
    tenancy: Tenancy,
    agents: &[AgentId],
    filter: EntryFilter,
    now: DateTime<Utc>,
) -> Result<Vec<Memory>, DbError> {
    macro_rules! entries {
        ($filter:literal) => {
            concat!(
                "select ",
                columns!(),
                " from agent_memories m where ",
                of_user!("m", "$3"),
                " and m.tenant_id = $1 and m.agent_id = any($2) and m.live and ",
                $filter,
                r#" and (m.expires_at is null or m.expires_at > $4)
                   order by m.category collate "C", m.created_at, m.id"#
            )
        };
    }
    tx.rows(statement!(
        match filter {
            EntryFilter::Categorised => entries!("m.category is not null"),
            EntryFilter::All => entries!("(m.category is not null or m.role is null)"),
        },
        tenancy.tenant,
        agents,
        tenancy.users,
        now
    ))
    .await
}

/// How a new entry is compared with the existing ones.
pub struct Likeness<'a> {
    pub agents: &'a [AgentId],
    pub vector: Option<&'a [f32]>,
    pub model: &'a EmbeddingModel,
    /// Whether entries of the same category and subject are listed, however far their texts are.
    pub with_subject: bool,
    pub now: DateTime<Utc>,
}

/// An entry that resembles a new one.
#[derive(FromRow)]
pub struct Alike {
    #[sqlx(flatten)]
    pub memory: Memory,
    /// The cosine of both vectors; 1 for equal texts.
    pub similarity: f64,
    /// Whether it is about the same subject, in the same category.
    pub same_subject: bool,
}

/// Most entries that are compared by their words.
const MOST: i64 = 50;

/// The entries that a new one may repeat or contradict: near ones and, if it has a subject, those about the same; nearest first.
pub async fn alike(tx: &mut Tx, tenancy: Tenancy, draft: &Draft, likeness: &Likeness<'_>) -> Result<Vec<Alike>, DbError> {
    let table = VECTORS.of(likeness.model.dimension)?.table;
    let of_user = of_user!("m", "$3");
    let sql = format!(
        r"with entries as (
              select m.id, case when m.content_hash = $5 then 1.0 else coalesce(1 - (e.embedding <=> $6), 0.0) end as similarity,
                     $7 and m.subject is not null and m.category = $11 and (m.topic_key = $8 or m.topic_normal = $9) as same_subject
                from agent_memories m
                left join {table} e on e.tenant_id = m.tenant_id and e.agent_id = m.agent_id and e.memory_id = m.id and e.model = $10
               where m.tenant_id = $1 and m.agent_id = any($2) and m.live and m.category is not null
                 and (m.expires_at is null or m.expires_at > $4) and {of_user})
          select {COLUMNS}, entries.similarity, entries.same_subject
            from entries join agent_memories m on m.tenant_id = $1 and m.id = entries.id
           where similarity > $12 or same_subject
           order by similarity desc, m.updated_at desc, m.id limit $13"
    );
    // The table follows from the dimension.
    tx.rows(statement!(
        sql,
        tenancy.tenant,
        likeness.agents,
        tenancy.users,
        likeness.now,
        &draft.content_hash,
        likeness.vector.map(|vector| Vector::from(vector.to_vec())),
        likeness.with_subject,
        draft.key.topic_key(),
        normal(&draft.topic_raw),
        &likeness.model.name,
        draft.details.category,
        likeness.model.suggestion_threshold,
        MOST
    ))
    .await
}

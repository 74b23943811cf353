//! Words of live memories, for BM25.

use crate::memories::model::{embedded_text, searched_text};
use db::{DbError, Tenancy, Tx, of_user, sql};
use foundation::index::{SLOTS, slot};
use sqlx::FromRow;
use wire::{AgentId, MemoryId, Role, TenantId, UserId};
use words::stems;

/// The row of the counts from which archiving and erasure subtract, after those of the writers, so that no writer waits for it.
pub(crate) const SWEEP_SLOT: i16 = SLOTS;

/// Adds to what BM25 counts for an agent and a user.
pub(crate) async fn add_counts(
    tx: &mut Tx,
    tenant: TenantId,
    agent: AgentId,
    user: Option<UserId>,
    slot: i16,
    documents: i64,
    terms: i64,
) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, agent, user, slot, documents, terms],
        r"insert into memory_term_counts (tenant_id, agent_id, user_id, slot, documents, terms) values ($1, $2, $3, $4, $5, $6)
          on conflict (tenant_id, agent_id, user_id, slot) do update
             set documents = memory_term_counts.documents + excluded.documents, terms = memory_term_counts.terms + excluded.terms
           where memory_term_counts.tenant_id = excluded.tenant_id"
    ))
    .await
}

/// A memory as BM25 counts it: one document.
#[derive(FromRow)]
struct Counted {
    user_id: Option<UserId>,
    term_count: i32,
}

/// What was removed of a memory's words.
#[derive(FromRow)]
struct Cleared {
    user_id: Option<UserId>,
    /// Absent: it had none.
    term_count: Option<i32>,
    /// Further topics of the memory.
    topics: Vec<String>,
    role: Option<Role>,
}

/// Locks the counts of agents in one order, so that two callers who change many memories never deadlock; returns the number of rows.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, agents = agents.len()))]
pub async fn lock_counts(tx: &mut Tx, tenancy: Tenancy, agents: &[AgentId]) -> Result<u64, DbError> {
    tx.changed(sql!(
        [tenancy.tenant, agents, tenancy.users],
        "select 1 from memory_term_counts c where c.tenant_id = $1 and c.agent_id = any($2) and ",
        of_user!("c", "$3"),
        " order by c.agent_id, c.user_id, c.slot for update"
    ))
    .await
}

/// Makes a live memory's words findable, instead of its former ones. Topics and content count alike, but a message has only its content; a memory
/// with only stop words is a document without terms.
pub async fn put_words(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId, topic: &str, content: &str) -> Result<(), DbError> {
    let Cleared { topics, role, .. } = clear_words(tx, tenancy, agent, id).await?;
    add_words(tx, tenancy, agent, id, &searched_text(role, &embedded_text(topic, &topics.join("\n")), content)).await
}

/// Makes the words of a memory findable that has none, because it is new: `text` is its [`searched_text`].
pub async fn add_words(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId, text: &str) -> Result<(), DbError> {
    let terms = stems::terms(text);
    let length: u32 = terms.values().sum();
    let (names, counts): (Vec<String>, Vec<f32>) = terms.into_iter().map(|(term, count)| (term, count as f32)).unzip();
    let counted: Option<Counted> = tx
        .row_if_any(sql!(
            [tenancy.tenant, agent, id, i32::try_from(length).unwrap_or(i32::MAX), tenancy.users, stems::RULES],
            r"update agent_memories m set term_count = $4, word_rules = $6, written = pg_current_xact_id()
               where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and m.live and ",
            of_user!("m", "$5"),
            " returning m.user_id, m.term_count"
        ))
        .await?;
    let Some(Counted { user_id, term_count }) = counted else { return Ok(()) };
    // A statement of its own, which reads the memory: Citus runs one that inserts what another one returned in three steps.
    tx.run(sql!(
        [tenancy.tenant, agent, id, names, counts],
        r"insert into memory_terms (tenant_id, agent_id, term, memory_id, user_id, tf, length)
          select m.tenant_id, m.agent_id, t.term, m.id, m.user_id, t.tf, m.term_count
            from agent_memories m cross join unnest($4::text[], $5::real[]) as t (term, tf)
           where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3"
    ))
    .await?;
    add_counts(tx, tenancy.tenant, agent, user_id, slot(id.0), 1, term_count.into()).await
}

/// Removes a memory's words from the search.
pub async fn drop_words(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId) -> Result<(), DbError> {
    clear_words(tx, tenancy, agent, id).await.map(drop)
}

/// Removes a memory's words from the search.
async fn clear_words(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId) -> Result<Cleared, DbError> {
    let cleared: Cleared = tx
        .row(sql!(
            [tenancy.tenant, agent, id, tenancy.users],
            r"with counted as materialized (
              select m.id, m.user_id, m.term_count from agent_memories m
               where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and m.term_count is not null and ",
            of_user!("m", "$4"),
            r" for update),
          cleared as (update agent_memories m set term_count = null, written = pg_current_xact_id() from counted c
               where m.tenant_id = $1 and m.agent_id = $2 and m.id = c.id),
          gone as (delete from memory_terms t using counted c where t.tenant_id = $1 and t.agent_id = $2 and t.memory_id = c.id)
          select c.user_id, c.term_count,
                 array(select t.topic::text from memory_topics t
                        where t.tenant_id = $1 and t.agent_id = $2 and t.memory_id = $3 and ",
            of_user!("t", "$4"),
            r" order by t.created_at, t.topic_normal) as topics,
                 (select m.role from agent_memories m where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
            of_user!("m", "$4"),
            r") as role
            from (select 1) one left join counted c on true"
        ))
        .await?;
    if let Some(term_count) = cleared.term_count {
        add_counts(tx, tenancy.tenant, agent, cleared.user_id, slot(id.0), -1, -i64::from(term_count)).await?;
    }
    Ok(cleared)
}

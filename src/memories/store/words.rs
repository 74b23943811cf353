//! Words of live memories, for BM25.

use crate::api::{AgentId, MemoryId, TenantId};
use crate::db::{DbError, Tx};
use crate::memories::model::embedded_text;
use crate::text::words;
use uuid::Uuid;

/// How many rows share an agent's counts of documents and terms.
const COUNT_SLOTS: u128 = 16;

fn slot(id: MemoryId) -> i16 {
    // The last bits of a version 7 UUID are random.
    i16::try_from(id.0.as_u128() % COUNT_SLOTS).unwrap_or_default()
}

async fn count_terms(tx: &mut Tx, tenant: TenantId, agent: AgentId, id: MemoryId, documents: i64, terms: i64) -> Result<(), DbError> {
    sqlx::query(
        r"insert into memory_term_counts (tenant_id, agent_id, slot, documents, terms) values ($1, $2, $3, $4, $5)
          on conflict (agent_id, slot) do update
             set documents = memory_term_counts.documents + excluded.documents, terms = memory_term_counts.terms + excluded.terms
           where memory_term_counts.tenant_id = excluded.tenant_id",
    )
    .bind(tenant)
    .bind(agent)
    .bind(slot(id))
    .bind(documents)
    .bind(terms)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Locks the counts of agents in one order, so that two who change many memories never wait for each other in a circle; how many rows.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, agents = agents.len()))]
pub async fn lock_counts(tx: &mut Tx, tenant: TenantId, agents: &[AgentId]) -> Result<u64, DbError> {
    let agents: Vec<Uuid> = agents.iter().map(|agent| agent.0).collect();
    let locked =
        sqlx::query("select 1 from memory_term_counts where tenant_id = $1 and agent_id = any($2) order by agent_id, slot for update")
            .bind(tenant)
            .bind(agents)
            .execute(&mut **tx)
            .await?;
    Ok(locked.rows_affected())
}

/// Makes a live memory's words findable, in place of those it had. Topic and content count alike; a memory of nothing but stop words
/// is no document.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %agent))]
pub async fn put_words(tx: &mut Tx, tenant: TenantId, agent: AgentId, id: MemoryId, topic: &str, content: &str) -> Result<(), DbError> {
    drop_words(tx, tenant, agent, id).await?;
    let terms = words::terms(&embedded_text(topic, content));
    let length: u32 = terms.values().sum();
    if length == 0 {
        return Ok(());
    }
    let (names, counts): (Vec<String>, Vec<f32>) = terms.into_iter().map(|(term, count)| (term, count as f32)).unzip();
    sqlx::query(
        r"insert into memory_terms (tenant_id, agent_id, term, memory_id, tf, length)
          select $1, $2, t.term, $3, t.tf, $6 from unnest($4::text[], $5::real[]) as t (term, tf)",
    )
    .bind(tenant)
    .bind(agent)
    .bind(id)
    .bind(names)
    .bind(counts)
    .bind(i32::try_from(length).unwrap_or(i32::MAX))
    .execute(&mut **tx)
    .await?;
    count_terms(tx, tenant, agent, id, 1, i64::from(length)).await
}

/// Takes a memory's words out of reach.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %agent))]
pub async fn drop_words(tx: &mut Tx, tenant: TenantId, agent: AgentId, id: MemoryId) -> Result<(), DbError> {
    let length: Option<i32> = sqlx::query_scalar(
        r"with gone as (delete from memory_terms where tenant_id = $1 and agent_id = $2 and memory_id = $3 returning length)
          select max(length) from gone",
    )
    .bind(tenant)
    .bind(agent)
    .bind(id)
    .fetch_one(&mut **tx)
    .await?;
    match length {
        Some(length) => count_terms(tx, tenant, agent, id, -1, -i64::from(length)).await,
        None => Ok(()),
    }
}

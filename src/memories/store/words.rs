//! Words of live memories, for BM25.

use crate::api::{AgentId, MemoryId};
use crate::db::{DbError, Tenancy, Tx, of_user};
use crate::memories::model::embedded_text;
use crate::text::words;
use uuid::Uuid;

/// How many rows share an agent's counts of documents and terms.
const COUNT_SLOTS: u128 = 16;

fn slot(id: MemoryId) -> i16 {
    // The last bits of a version 7 UUID are random.
    i16::try_from(id.0.as_u128() % COUNT_SLOTS).unwrap_or_default()
}

async fn count_terms(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId, documents: i64, terms: i64) -> Result<(), DbError> {
    sqlx::query(
        r"insert into memory_term_counts (tenant_id, agent_id, slot, documents, terms) values ($1, $2, $3, $4, $5)
          on conflict (agent_id, slot) do update
             set documents = memory_term_counts.documents + excluded.documents, terms = memory_term_counts.terms + excluded.terms
           where memory_term_counts.tenant_id = excluded.tenant_id",
    )
    .bind(tenancy.tenant)
    .bind(agent)
    .bind(slot(id))
    .bind(documents)
    .bind(terms)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Locks the counts of agents in one order, so that two who change many memories never wait for each other in a circle; how many rows.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, agents = agents.len()))]
pub async fn lock_counts(tx: &mut Tx, tenancy: Tenancy, agents: &[AgentId]) -> Result<u64, DbError> {
    let agents: Vec<Uuid> = agents.iter().map(|agent| agent.0).collect();
    let locked =
        sqlx::query("select 1 from memory_term_counts where tenant_id = $1 and agent_id = any($2) order by agent_id, slot for update")
            .bind(tenancy.tenant)
            .bind(agents)
            .execute(&mut **tx)
            .await?;
    Ok(locked.rows_affected())
}

/// Makes a live memory's words findable, in place of those it had. Topic and content count alike; a memory of nothing but stop words
/// is no document.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, %agent))]
pub async fn put_words(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId, topic: &str, content: &str) -> Result<(), DbError> {
    drop_words(tx, tenancy, agent, id).await?;
    let terms = words::terms(&embedded_text(topic, content));
    let length: u32 = terms.values().sum();
    if length == 0 {
        return Ok(());
    }
    let (names, counts): (Vec<String>, Vec<f32>) = terms.into_iter().map(|(term, count)| (term, count as f32)).unzip();
    let put = sqlx::query(concat!(
        r"insert into memory_terms (tenant_id, agent_id, term, memory_id, user_id, tf, length)
              select m.tenant_id, m.agent_id, t.term, m.id, m.user_id, t.tf, $6
                from agent_memories m cross join unnest($4::text[], $5::real[]) as t (term, tf)
               where m.tenant_id = $1 and m.agent_id = $2 and m.id = $3 and ",
        of_user!("m", "$7")
    ))
    .bind(tenancy.tenant)
    .bind(agent)
    .bind(id)
    .bind(names)
    .bind(counts)
    .bind(i32::try_from(length).unwrap_or(i32::MAX))
    .bind(tenancy.users)
    .execute(&mut **tx)
    .await?;
    if put.rows_affected() == 0 {
        return Ok(());
    }
    count_terms(tx, tenancy, agent, id, 1, i64::from(length)).await
}

/// Takes a memory's words out of reach.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, %agent))]
pub async fn drop_words(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: MemoryId) -> Result<(), DbError> {
    let length: Option<i32> = sqlx::query_scalar(concat!(
        "with gone as (delete from memory_terms t where t.tenant_id = $1 and t.agent_id = $2 and t.memory_id = $3 and ",
        of_user!("t", "$4"),
        " returning t.length) select max(length) from gone"
    ))
    .bind(tenancy.tenant)
    .bind(agent)
    .bind(id)
    .bind(tenancy.users)
    .fetch_one(&mut **tx)
    .await?;
    match length {
        Some(length) => count_terms(tx, tenancy, agent, id, -1, -i64::from(length)).await,
        None => Ok(()),
    }
}

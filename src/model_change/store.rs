//! SQL of a change of the embedding model: what lacks a vector of a model, how much has one, and the end of a model's vectors.
//!
//! Background work of an organisation: it reads the rows of all its agents and users.

use crate::knowledge::store::{self as knowledge, Unembedded};
use crate::memories::model::Memory;
use crate::memories::store::{self as memories, COLUMNS};
use crate::profile::documents::{Details, store as documents};
use db::{DbError, Tx, lift_statement_timeout, sql, statement};
use foundation::index::{VectorTable, Vectors};
use foundation::registry::EmbeddingModel;
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;
use wire::{AgentId, ChunkId, MemoryId, TenantId, TermId, UserId};

/// Memories and candidates that may have vectors, as `m` of the tenant `$1`.
const MEMORIES: &str = "agent_memories m where m.tenant_id = $1 and (m.live or m.status = 'inbox' and m.deleted_at is null)";
/// Sections of documents in force, as `c` of the tenant `$1`. Those of drafts and of what was superseded have no words, because nobody finds
/// them; they get no vector, either.
const SECTIONS: &str = r"chunks c join documents d on d.tenant_id = c.tenant_id and d.id = c.document_id and d.valid_to is null
    where c.tenant_id = $1 and exists (select from chunk_terms w where w.tenant_id = $1 and w.chunk_id = c.id)";
/// Documents of profiles that some model has a vector of, as `d` of the tenant `$1`. What nobody may see gets no first vector.
const PROFILES: &str = r"profile_documents d where d.tenant_id = $1 and (
    exists (select from profile_embeddings_384 o where o.tenant_id = $1 and o.agent_id = d.agent_id and o.document_id = d.id)
    or exists (select from profile_embeddings_1536 o where o.tenant_id = $1 and o.agent_id = d.agent_id and o.document_id = d.id))";
/// Terms in force, as `t` of the tenant `$1`.
const TERMS: &str = "canonical_terms t where t.tenant_id = $1 and t.valid_to is null";

/// How many texts there are, and how many of them have a vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct Filled {
    pub total: i64,
    pub filled: i64,
}

/// A document of a profile that lacks a vector.
#[derive(Clone, Debug, FromRow)]
pub struct Document {
    pub agent_id: AgentId,
    pub user_id: Option<UserId>,
    pub id: Uuid,
    pub content: String,
    pub metadata: Json<Details>,
}

fn table(vectors: Vectors, model: &EmbeddingModel) -> Result<&'static str, DbError> {
    vectors.of(model.dimension).map(|VectorTable { table, .. }| table)
}

/// Whether `m` has a vector of the model `$2`.
fn of_memory(model: &EmbeddingModel) -> Result<String, DbError> {
    let table = table(memories::VECTORS, model)?;
    Ok(format!("exists (select from {table} e where e.tenant_id = $1 and e.agent_id = m.agent_id and e.memory_id = m.id and e.model = $2)"))
}

/// Whether `c` has a vector of the model `$2`.
fn of_section(model: &EmbeddingModel) -> Result<String, DbError> {
    let table = table(knowledge::VECTORS, model)?;
    Ok(format!("exists (select from {table} e where e.tenant_id = $1 and e.chunk_id = c.id and e.model = $2)"))
}

/// Whether `d` has a vector of the model `$2`.
fn of_document(model: &EmbeddingModel) -> Result<String, DbError> {
    let table = table(documents::VECTORS, model)?;
    Ok(format!(
        "exists (select from {table} e where e.tenant_id = $1 and e.agent_id = d.agent_id and e.document_id = d.id and e.model = $2)"
    ))
}

/// Whether `t` has a vector of the model `$2`.
const OF_TERM: &str =
    "exists (select from term_embeddings e where e.tenant_id = $1 and e.term_id = t.lineage and e.model = $2 and e.term = t.term)";

/// Memories that lack a vector of a model, in the order of their keys.
pub async fn memories_without(
    tx: &mut Tx,
    tenant: TenantId,
    model: &EmbeddingModel,
    after: (AgentId, MemoryId),
    most: i64,
) -> Result<Vec<Memory>, DbError> {
    let text = format!(
        "select {COLUMNS} from {MEMORIES} and (m.agent_id, m.id) > ($3, $4) and not {} order by m.agent_id, m.id limit $5",
        of_memory(model)?
    );
    tx.rows(statement!(text, tenant, &model.name, after.0, after.1, most)).await
}

/// Sections that lack a vector of a model, in the order of their ids.
pub async fn sections_without(
    tx: &mut Tx,
    tenant: TenantId,
    model: &EmbeddingModel,
    after: ChunkId,
    most: i64,
) -> Result<Vec<Unembedded>, DbError> {
    let text = format!(
        r"select c.id, c.ordinal, d.title, d.reference, c.heading_path, c.content
            from {SECTIONS} and c.id > $3 and not {} order by c.id limit $4",
        of_section(model)?
    );
    tx.rows(statement!(text, tenant, &model.name, after, most)).await
}

/// Documents of profiles that lack a vector of a model and have one of another, in the order of their keys.
pub async fn documents_without(
    tx: &mut Tx,
    tenant: TenantId,
    model: &EmbeddingModel,
    after: (AgentId, Uuid),
    most: i64,
) -> Result<Vec<Document>, DbError> {
    let text = format!(
        r"select d.agent_id, d.user_id, d.id, d.content, d.metadata
            from {PROFILES} and (d.agent_id, d.id) > ($3, $4) and not {} order by d.agent_id, d.id limit $5",
        of_document(model)?
    );
    tx.rows(statement!(text, tenant, &model.name, after.0, after.1, most)).await
}

/// Terms that lack a vector of a model, in the order of their ids.
pub async fn terms_without(
    tx: &mut Tx,
    tenant: TenantId,
    model: &EmbeddingModel,
    after: TermId,
    most: i64,
) -> Result<Vec<(TermId, String)>, DbError> {
    let text = format!("select t.lineage, t.term from {TERMS} and t.lineage > $3 and not {OF_TERM} order by t.lineage limit $4");
    tx.rows(statement!(text, tenant, &model.name, after, most)).await
}

/// How many memories have a vector of a model.
pub async fn count_memories(tx: &mut Tx, tenant: TenantId, model: &EmbeddingModel) -> Result<Filled, DbError> {
    count(tx, tenant, model, MEMORIES, &of_memory(model)?).await
}

/// How many sections have a vector of a model.
pub async fn count_sections(tx: &mut Tx, tenant: TenantId, model: &EmbeddingModel) -> Result<Filled, DbError> {
    count(tx, tenant, model, SECTIONS, &of_section(model)?).await
}

/// How many documents of profiles have a vector of a model.
pub async fn count_documents(tx: &mut Tx, tenant: TenantId, model: &EmbeddingModel) -> Result<Filled, DbError> {
    count(tx, tenant, model, PROFILES, &of_document(model)?).await
}

/// How many terms have a vector of a model.
pub async fn count_terms(tx: &mut Tx, tenant: TenantId, model: &EmbeddingModel) -> Result<Filled, DbError> {
    count(tx, tenant, model, TERMS, OF_TERM).await
}

async fn count(tx: &mut Tx, tenant: TenantId, model: &EmbeddingModel, texts: &str, has: &str) -> Result<Filled, DbError> {
    lift_statement_timeout(tx).await?;
    tx.row(statement!(format!("select count(*) as total, count(*) filter (where {has}) as filled from {texts}"), tenant, &model.name)).await
}

/// Marks the memories that wait for a vector of the current model, and only them; how many marks were wrong.
pub async fn mark_awaiting_memories(tx: &mut Tx, tenant: TenantId, model: &EmbeddingModel) -> Result<u64, DbError> {
    lift_statement_timeout(tx).await?;
    let has = of_memory(model)?;
    let text = format!(
        r"update agent_memories m set awaiting_vector = not m.awaiting_vector
           where m.tenant_id = $1 and (m.live or m.status = 'inbox' and m.deleted_at is null) and m.awaiting_vector = {has}"
    );
    tx.changed(statement!(text, tenant, &model.name)).await
}

/// Marks the sections that wait for a vector of the current model, and only them; how many marks were wrong.
pub async fn mark_awaiting_sections(tx: &mut Tx, tenant: TenantId, model: &EmbeddingModel) -> Result<u64, DbError> {
    lift_statement_timeout(tx).await?;
    let has = of_section(model)?;
    let text = format!(
        r"update chunks c set awaiting_vector = not c.awaiting_vector from documents d
           where d.tenant_id = c.tenant_id and d.id = c.document_id and d.valid_to is null and c.tenant_id = $1 and c.awaiting_vector = {has}
             and exists (select from chunk_terms w where w.tenant_id = $1 and w.chunk_id = c.id)"
    );
    tx.changed(statement!(text, tenant, &model.name)).await
}

/// Deletes some vectors of a model: of memories and of documents of profiles; how many.
pub async fn drop_memory_vectors(tx: &mut Tx, tenant: TenantId, model: &EmbeddingModel, most: i64) -> Result<u64, DbError> {
    let of_memories = drop_from(tx, tenant, model, table(memories::VECTORS, model)?, most).await?;
    Ok(of_memories + drop_from(tx, tenant, model, table(documents::VECTORS, model)?, most).await?)
}

/// Deletes some vectors of a model: of sections and of terms; how many.
pub async fn drop_knowledge_vectors(tx: &mut Tx, tenant: TenantId, model: &EmbeddingModel, most: i64) -> Result<u64, DbError> {
    let of_terms = tx.changed(sql!([tenant, &model.name], "delete from term_embeddings where tenant_id = $1 and model = $2")).await?;
    Ok(of_terms + drop_from(tx, tenant, model, table(knowledge::VECTORS, model)?, most).await?)
}

async fn drop_from(tx: &mut Tx, tenant: TenantId, model: &EmbeddingModel, table: &str, most: i64) -> Result<u64, DbError> {
    let text = format!(
        r"delete from {table} e where e.tenant_id = $1 and e.ctid in (
              select o.ctid from {table} o where o.tenant_id = $1 and o.model = $2 limit $3)"
    );
    tx.changed(statement!(text, tenant, &model.name, most)).await
}

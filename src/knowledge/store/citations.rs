//! SQL of citations: the recalls that returned a document.

use crate::api::{AgentId, DocumentId, RetrievalId, TenantId};
use crate::db::{DbError, Tx};
use chrono::{DateTime, Utc};
use sqlx::FromRow;
use uuid::Uuid;

/// A recall that cited a document.
#[derive(Clone, Debug, FromRow)]
pub struct Cited {
    pub retrieval_id: RetrievalId,
    pub agent_id: AgentId,
    pub query: String,
    pub at: DateTime<Utc>,
    pub rank: i32,
}

/// The newest recalls that cited a document, each with its best rank.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn citations_of(tx: &mut Tx, tenant: TenantId, document: DocumentId, most: i64) -> Result<Vec<Cited>, DbError> {
    Ok(sqlx::query_as(
        r"select c.retrieval_id, c.agent_id, r.query, c.at, min(c.rank) as rank
            from citations c join retrievals r on r.agent_id = c.agent_id and r.id = c.retrieval_id
           where c.tenant_id = $1 and c.document_id = $2
           group by c.retrieval_id, c.agent_id, r.query, c.at order by c.at desc, c.retrieval_id desc limit $3",
    )
    .bind(tenant)
    .bind(document)
    .bind(most)
    .fetch_all(&mut **tx)
    .await?)
}

/// In how many recalls since a moment each document was cited.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn citation_counts(
    tx: &mut Tx,
    tenant: TenantId,
    ids: &[DocumentId],
    since: DateTime<Utc>,
) -> Result<Vec<(DocumentId, i64)>, DbError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    Ok(sqlx::query_as(
        r"select document_id, count(distinct retrieval_id) from citations
           where tenant_id = $1 and document_id = any($2) and at >= $3 group by document_id",
    )
    .bind(tenant)
    .bind(ids)
    .bind(since)
    .fetch_all(&mut **tx)
    .await?)
}

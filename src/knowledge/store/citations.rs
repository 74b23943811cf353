//! SQL of citations: the recalls that returned a document.

use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, sql};
use wire::{Citation, DocumentId};

/// The newest recalls that cited a document, each with its best rank.
pub async fn citations_of(tx: &mut Tx, tenancy: Tenancy, document: DocumentId, most: i64) -> Result<Vec<Citation>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, document, most, tenancy.users],
        r"select c.retrieval_id, c.agent_id, r.query, c.at, min(c.rank) as rank
            from citations c join retrievals r on r.tenant_id = c.tenant_id and r.agent_id = c.agent_id and r.id = c.retrieval_id
           where c.tenant_id = $1 and c.document_id = $2 and ",
        of_user!("c", "$4"),
        " group by c.retrieval_id, c.agent_id, r.query, c.at order by c.at desc, c.retrieval_id desc limit $3"
    ))
    .await
}

/// In how many recalls since a moment each document was cited.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, ids = ids.len()))]
pub async fn citation_counts(
    tx: &mut Tx,
    tenancy: Tenancy,
    ids: &[DocumentId],
    since: DateTime<Utc>,
) -> Result<Vec<(DocumentId, i64)>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, ids, since, tenancy.users],
        r"select c.document_id, count(distinct c.retrieval_id) from citations c
               where c.tenant_id = $1 and c.document_id = any($2) and c.at >= $3 and ",
        of_user!("c", "$4"),
        " group by c.document_id"
    ))
    .await
}

//! What stays of erased sources: the request that erased them.

use db::{DbError, Tx, sql};
use uuid::Uuid;
use wire::{ErasureId, TenantId};

/// Which request last erased a source, turns of it, or what a memory quoted, by the ids of sources and memories.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn erased_by(tx: &mut Tx, tenant: TenantId, ids: &[Uuid]) -> Result<Vec<(Uuid, ErasureId)>, DbError> {
    tx.rows(sql!(
        [tenant, ids],
        r"select distinct on (x.id) x.id, e.request_id
            from unnest($2::uuid[]) x (id) join erased_sources e on e.tenant_id = $1 and (e.memory_id = x.id or e.source_id = x.id)
           order by x.id, e.erased_at desc"
    ))
    .await
}

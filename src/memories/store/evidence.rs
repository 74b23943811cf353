//! The places in sources that say what a memory says.

use crate::api::{MemoryEvidence, MemoryId, SourceId};
use crate::db::{DbError, Tenancy, Tx, of_user};
use chrono::{DateTime, Utc};
use sqlx::FromRow;
use uuid::Uuid;

#[derive(FromRow)]
struct Row {
    memory_id: MemoryId,
    source_id: SourceId,
    source_title: String,
    speaker: Option<String>,
    observed_at: Option<DateTime<Utc>>,
    starts: i32,
    ends: i32,
    quote: String,
}

/// The places of some memories, newest first, at most `most` of each.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, ids = ids.len()))]
pub async fn evidence_of(tx: &mut Tx, tenancy: Tenancy, ids: &[MemoryId], most: i64) -> Result<Vec<(MemoryId, MemoryEvidence)>, DbError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let rows: Vec<Row> = sqlx::query_as(concat!(
        r"select memory_id, source_id, source_title, speaker, observed_at, starts, ends, quote
            from (select v.memory_id, v.source_id, coalesce(s.title, s.reference, '') as source_title, v.speaker, v.observed_at, v.starts,
                         v.ends, v.quote, v.created_at, v.id,
                         row_number() over (partition by v.memory_id order by v.observed_at desc nulls last, v.created_at desc, v.id) as place
                    from evidence v left join sources s on s.tenant_id = v.tenant_id and s.agent_id = v.agent_id and s.id = v.source_id
                   where v.tenant_id = $1 and v.memory_id = any($2) and ",
        of_user!("v", "$3"),
        r") v where place <= $4 order by memory_id, place"
    ))
    .bind(tenancy.tenant)
    .bind(ids)
    .bind(tenancy.users)
    .bind(most)
    .fetch_all(&mut **tx)
    .await?;
    let evidence = |row: Row| {
        let Row { memory_id, source_id, source_title, speaker, observed_at, starts, ends, quote } = row;
        (memory_id, MemoryEvidence { source_id, source_title, speaker, observed_at, starts, ends, quote })
    };
    Ok(rows.into_iter().map(evidence).collect())
}

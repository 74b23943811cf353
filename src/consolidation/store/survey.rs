//! What a survey of active memories reads.

use crate::consolidation::SurveyPayload;
use crate::memories::model::Memory;
use crate::memories::store::{COLUMNS, VECTORS};
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, sql, statement};
use pgvector::Vector;
use sqlx::FromRow;
use wire::{MemoryId, TenantId};

/// An active memory and its vector.
#[derive(FromRow)]
pub struct Surveyed {
    #[sqlx(flatten)]
    pub memory: Memory,
    pub vector: Vector,
}

/// When the last survey began.
pub async fn last_survey(tx: &mut Tx, tenant: TenantId) -> Result<Option<DateTime<Utc>>, DbError> {
    tx.value(sql!([tenant], "select max(created_at) from events where tenant_id = $1 and task = 'survey' and payload->>'after' is null"))
        .await
}

/// The next active memories that a survey compares: those with a vector of the model, by id.
pub async fn to_survey(
    tx: &mut Tx,
    tenancy: Tenancy,
    model: &str,
    dimension: usize,
    which: &SurveyPayload,
    most: i64,
) -> Result<Vec<Surveyed>, DbError> {
    let table = VECTORS.of(dimension)?.table;
    let of_user = of_user!("m", "$4");
    let sql = format!(
        r"select {COLUMNS}, e.embedding as vector
            from agent_memories m
            join {table} e on e.tenant_id = m.tenant_id and e.agent_id = m.agent_id and e.memory_id = m.id and e.model = $2
           where m.tenant_id = $1 and m.live and m.status = 'active' and m.kind <> 'episode' and {of_user}
             and m.updated_at >= coalesce($3, '-infinity'::timestamptz) and m.id > $5
             and ($6::uuid is null or m.agent_id = $6)
           order by m.id limit $7"
    );
    // The table follows from the dimension.
    tx.rows(statement!(
        sql,
        tenancy.tenant,
        model,
        which.since,
        tenancy.users,
        which.after.map_or(uuid::Uuid::nil(), |id| id.0),
        which.agent_id,
        most
    ))
    .await
}

/// Whether a link connects two memories.
pub async fn is_linked(tx: &mut Tx, tenancy: Tenancy, one: MemoryId, other: MemoryId) -> Result<bool, DbError> {
    tx.value(sql!(
        [tenancy.tenant, one, other, tenancy.users],
        r"select exists (select from memory_links l
                          where l.tenant_id = $1 and ((l.from_id = $2 and l.to_id = $3) or (l.from_id = $3 and l.to_id = $2)) and ",
        of_user!("l", "$4"),
        ")"
    ))
    .await
}

//! SQL of the memories that agents had at a past moment.

use super::Reach;
use crate::memories::model::Memory;
use crate::memories::store::{COLUMNS, VECTORS};
use chrono::{DateTime, Utc};
use db::{DbError, Tx, of_user, sql, statement};
use foundation::index::VectorTable;
use pgvector::Vector;
use sqlx::FromRow;

/// A memory as it was.
#[derive(FromRow)]
pub struct Past {
    #[sqlx(flatten)]
    pub memory: Memory,
    /// Whether the question's filters and time let it through.
    pub in_reach: bool,
    /// Whether the caller may still read it; one that it may not read still counts as a document.
    pub readable: bool,
    /// Whether this text had its vector by then.
    pub embedded: bool,
    /// Whether its version records title, summary, category, subject, confidence and the day on which it was said; otherwise these are
    /// today's.
    pub recorded: bool,
    /// The vector, if the text is still the current one.
    pub vector: Option<Vector>,
}

/// A vector as rounded by the index, so that a replay computes the same numbers.
pub fn as_stored(vector: &[f32]) -> Result<Vec<f32>, DbError> {
    Ok(VECTORS.of(vector.len())?.as_stored(vector))
}

/// The memories that the agents `$2` of a tenant `$1` had at the moment `$3`: rows `m` with the columns of a memory from its version of
/// that time, or today's values for columns that the version does not record. The user of a memory never changes, and its expiry moves only
/// before it is reached.
macro_rules! had {
    () => {
        r"
            from (select a.tenant_id, a.id, a.short_id, a.agent_id, a.created_by, a.user_id, coalesce(v.kind, a.kind) as kind, a.retention,
                         coalesce(v.scope, a.scope) as scope, case when v.scope is null then a.project_id else v.project_id end as project_id,
                         a.repo_id, a.session_id, a.connection_id, a.vocabulary_version, a.source_kind, a.evidence_ref, a.importance, a.pinned,
                         sha256(convert_to(v.content, 'UTF8')) as content_hash, a.live, a.role, a.trust, a.retention_rule, a.importance_factors, a.archived_at,
                         a.archive_reason, a.filename, a.attachment_id, a.access_count, a.recalled_count, a.remembered_count, a.last_accessed_at, a.created_at, a.expires_at, a.deleted_at, a.deleted_by, a.delete_reason,
                         v.version, v.topic, v.topic_raw, v.is_canonical, v.content, v.status,
                         coalesce(v.provenance, v.source) as source, coalesce(v.provenance, v.source)->>'platform' as platform,
                         v.confidence is not null as recorded,
                         case when v.alternatives is null then a.rationale else v.rationale end as rationale,
                         case when v.alternatives is null then a.alternatives else nullif(v.alternatives, '{}') end as alternatives,
                         case when v.confidence is null then a.title else v.title end as title,
                         case when v.confidence is null then a.summary else v.summary end as summary,
                         case when v.confidence is null then a.category else v.category end as category,
                         case when v.confidence is null then a.subject else v.subject end as subject,
                         coalesce(v.confidence, a.confidence) as confidence,
                         case when v.confidence is null then a.observed_at else v.observed_at end as observed_at,
                         coalesce(case when v.confidence is null then a.observed_at else v.observed_at end, a.created_at) as said_at,
                         greatest(v.updated_at, (select max(r.at) from memory_moments r
                                                  where r.tenant_id = $1 and r.agent_id = a.agent_id and r.memory_id = a.id
                                                    and r.what = 'repeated' and r.at <= $3)) as updated_at,
                         greatest(coalesce(v.stated_at, least(case when v.confidence is null then a.observed_at else v.observed_at end, v.updated_at)),
                                  (select max(r.stated_at) from memory_moments r
                                    where r.tenant_id = $1 and r.agent_id = a.agent_id and r.memory_id = a.id
                                      and r.what = 'repeated' and r.at >= v.valid_from and r.at <= $3)) as stated_at,
                         v.topic = a.topic and v.content = a.content as is_current_text
                    from agent_memories a
                    join lateral (select * from agent_memory_versions w
                                   where w.tenant_id = $1 and w.agent_id = a.agent_id and w.memory_id = a.id and w.valid_from <= $3
                                   order by w.version desc limit 1) v
                      on not v.deleted and v.status in ('active', 'contradicted')
                   where a.tenant_id = $1 and a.agent_id = any($2) and a.created_at <= $3) m
           where m.tenant_id = $1"
    };
}

/// How many memories of the agents were live at a moment, and the bytes of their texts.
pub async fn count_past(tx: &mut Tx, reach: &Reach<'_>) -> Result<(i64, i64), DbError> {
    tx.row(sql!(
        [reach.tenant(), reach.agents, reach.now, reach.tenancy.users],
        "select count(*), coalesce(sum(octet_length(m.content)), 0)::bigint",
        had!(),
        " and ",
        of_user!("m", "$4")
    ))
    .await
}

/// Every memory of the agents that was live at `reach.now`, as it was then. Memories that are deleted or expired `now` are readable only
/// `with_deleted`.
pub async fn past(
    tx: &mut Tx,
    reach: &Reach<'_>,
    model: &str,
    dimension: usize,
    with_deleted: bool,
    now: DateTime<Utc>,
) -> Result<Vec<Past>, DbError> {
    let VectorTable { table, column } = VECTORS.of(dimension)?;
    let mut query = statement!(
        format!(
            r"select {COLUMNS}, m.recorded,
                     exists (select 1 from memory_moments t
                              where t.tenant_id = $1 and t.agent_id = m.agent_id and t.memory_id = m.id and t.what = 'embedded'
                                and t.model = $4 and t.at <= $3
                                and t.text_hash = sha256(convert_to(m.topic || E'\n' || m.content, 'UTF8'))) as embedded,
                     (select e.{column}::vector from {table} e
                       where e.tenant_id = $1 and e.agent_id = m.agent_id and e.memory_id = m.id and m.is_current_text
                         and e.model = $4) as vector,
                     ($6 or (m.deleted_at is null and (m.expires_at is null or m.expires_at > $7))) as readable,
                     coalesce((m.expires_at is null or m.expires_at > $3)"
        ),
        reach.tenant(),
        reach.agents,
        reach.now,
        model,
        reach.tenancy.users,
        with_deleted,
        now,
    );
    reach.push_filters(&mut query);
    query.push(concat!(", false) as in_reach", had!(), " and ", of_user!("m", "$5"), " order by m.agent_id, m.id"));
    tx.rows(query).await
}

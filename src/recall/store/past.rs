//! SQL of what the agents had at a moment that is over.

use super::Reach;
use crate::api::MemoryStatus;
use crate::db::{DbError, Tx, of_user, statement};
use crate::memories::model::Memory;
use crate::memories::store::{COLUMNS, VectorTable};
use chrono::{DateTime, Utc};
use pgvector::{HalfVector, Vector};
use sqlx::FromRow;

#[derive(FromRow)]
struct PastRow {
    #[sqlx(flatten)]
    memory: Memory,
    past_version: i32,
    past_topic: String,
    past_topic_raw: String,
    past_is_canonical: bool,
    past_content: String,
    past_status: MemoryStatus,
    past_updated_at: DateTime<Utc>,
    in_reach: bool,
    readable: bool,
    embedded: bool,
    half: Option<HalfVector>,
    full: Option<Vector>,
}

/// A memory as it stood.
pub struct Past {
    pub memory: Memory,
    /// Whether the question's filters and time let it through.
    pub in_reach: bool,
    /// Whether it may still be read; what may not still counted as a document.
    pub readable: bool,
    /// Whether this text had its vector by then.
    pub embedded: bool,
    /// The vector, where the text is still the memory's own.
    pub vector: Option<Vec<f32>>,
}

impl From<PastRow> for Past {
    fn from(row: PastRow) -> Self {
        let memory = Memory {
            version: row.past_version,
            topic: row.past_topic,
            topic_raw: row.past_topic_raw,
            is_canonical: row.past_is_canonical,
            content: row.past_content,
            status: row.past_status,
            updated_at: row.past_updated_at,
            ..row.memory
        };
        let half = row.half.map(|half| half.to_vec().into_iter().map(f32::from).collect());
        Self { memory, in_reach: row.in_reach, readable: row.readable, embedded: row.embedded, vector: half.or(row.full.map(Into::into)) }
    }
}

/// A vector as the index keeps it, so that the same numbers come out as they did.
pub fn as_stored(vector: &[f32]) -> Result<Vec<f32>, DbError> {
    Ok(if VectorTable::of(vector.len())?.is_half() {
        HalfVector::from_f32_slice(vector).to_vec().into_iter().map(f32::from).collect()
    } else {
        vector.to_vec()
    })
}

/// What the agents `$2` of a tenant `$1` had at the moment `$3`: memories `m`, each with its version `v` of then.
macro_rules! had {
    () => {
        r"
            from agent_memories m
            join lateral (select * from agent_memory_versions w
                           where w.agent_id = m.agent_id and w.memory_id = m.id and w.valid_from <= $3
                           order by w.version desc limit 1) v
              on not v.deleted and v.status in ('active', 'contradicted')
           where m.tenant_id = $1 and m.agent_id = any($2) and m.created_at <= $3"
    };
}

/// How many memories of the agents were live at a moment, and the bytes of their texts.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %reach.tenancy.tenant))]
pub async fn count_past(tx: &mut Tx, reach: &Reach<'_>) -> Result<(i64, i64), DbError> {
    let query =
        sqlx::query_as(concat!("select count(*), coalesce(sum(octet_length(v.content)), 0)::bigint", had!(), " and ", of_user!("m", "$4")));
    Ok(query.bind(reach.tenant()).bind(reach.agent_ids()).bind(reach.now).bind(reach.tenancy.users).fetch_one(&mut **tx).await?)
}

/// Every memory of the agents that was live at `reach.now`, as it stood then. What is deleted or expired `now` may be read only
/// `with_deleted`.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %reach.tenancy.tenant))]
pub async fn past(
    tx: &mut Tx,
    reach: &Reach<'_>,
    model: &str,
    dimension: usize,
    with_deleted: bool,
    now: DateTime<Utc>,
) -> Result<Vec<Past>, DbError> {
    let vectors = VectorTable::of(dimension)?;
    let (half, full) = if vectors.is_half() { ("e.half", "null::vector") } else { ("null::halfvec", "e.embedding") };
    let table = vectors.table;
    let mut query = statement!(
        format!(
            r"select {COLUMNS}, v.version as past_version, v.topic as past_topic, v.topic_raw as past_topic_raw,
                     v.is_canonical as past_is_canonical, v.content as past_content, v.status as past_status,
                     greatest(v.updated_at, (select max(r.at) from memory_moments r
                                              where r.agent_id = m.agent_id and r.memory_id = m.id
                                                and r.what = 'repeated' and r.at <= $3)) as past_updated_at,
                     exists (select 1 from memory_moments t
                              where t.agent_id = m.agent_id and t.memory_id = m.id and t.what = 'embedded' and t.model = $4 and t.at <= $3
                                and t.text_hash = sha256(convert_to(v.topic || E'\n' || v.content, 'UTF8'))) as embedded,
                     (select {half} from {table} e
                       where e.agent_id = m.agent_id and e.memory_id = m.id and v.topic = m.topic and v.content = m.content
                         and e.model = $4) as half,
                     (select {full} from {table} e
                       where e.agent_id = m.agent_id and e.memory_id = m.id and v.topic = m.topic and v.content = m.content
                         and e.model = $4) as full,
                     ($6 or (m.deleted_at is null and (m.expires_at is null or m.expires_at > $7))) as readable,
                     ((m.expires_at is null or m.expires_at > $3)"
        ),
        reach.tenant(),
        reach.agent_ids(),
        reach.now,
        model,
        reach.tenancy.users,
        with_deleted,
        now,
    );
    reach.push_filters(&mut query);
    query.push(concat!(") as in_reach", had!(), " and ", of_user!("m", "$5"), " order by m.agent_id, m.id"));
    let rows: Vec<PastRow> = query.build_query_as().fetch_all(&mut **tx).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

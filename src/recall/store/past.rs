//! SQL of what the agents had at a moment that is over.

use super::Reach;
use crate::db::{DbError, Tx};
use crate::memories::model::Memory;
use crate::memories::store::{COLUMNS, Row, vector_table};
use chrono::{DateTime, Utc};
use pgvector::{HalfVector, Vector};
use sqlx::{FromRow, QueryBuilder};

use crate::api::MemoryStatus;

#[derive(FromRow)]
struct Stood {
    #[sqlx(flatten)]
    row: Row,
    past_version: i32,
    past_topic: String,
    past_topic_raw: String,
    past_is_canonical: bool,
    past_content: String,
    past_status: MemoryStatus,
    past_updated_at: DateTime<Utc>,
    in_reach: bool,
    embedded: bool,
    half: Option<HalfVector>,
    full: Option<Vector>,
}

/// A memory as it stood.
pub struct Past {
    pub memory: Memory,
    /// Whether the question's user, filters and time let it through; what is not in reach still counted as a document.
    pub in_reach: bool,
    /// Whether this text had its vector by then.
    pub embedded: bool,
    /// The vector, where the text is still the memory's own.
    pub vector: Option<Vec<f32>>,
}

impl From<Stood> for Past {
    fn from(stood: Stood) -> Self {
        let mut memory: Memory = stood.row.into();
        memory.version = stood.past_version;
        memory.topic = stood.past_topic;
        memory.topic_raw = stood.past_topic_raw;
        memory.is_canonical = stood.past_is_canonical;
        memory.content = stood.past_content;
        memory.status = stood.past_status;
        memory.updated_at = stood.past_updated_at;
        let half = stood.half.map(|half| half.to_vec().into_iter().map(f32::from).collect());
        Self { memory, in_reach: stood.in_reach, embedded: stood.embedded, vector: half.or(stood.full.map(Into::into)) }
    }
}

/// A vector as the index keeps it, so that the same numbers come out as they did.
pub fn as_stored(vector: &[f32]) -> Result<Vec<f32>, DbError> {
    Ok(match vector_table(vector.len())? {
        "embeddings_384" => HalfVector::from_f32_slice(vector).to_vec().into_iter().map(f32::from).collect(),
        _ => vector.to_vec(),
    })
}

/// How many memories of the agents were live at a moment.
pub async fn count_past(tx: &mut Tx, reach: &Reach<'_>) -> Result<i64, DbError> {
    let mut query = QueryBuilder::new("select count(*)");
    push_past(&mut query, reach);
    Ok(query.build_query_scalar().fetch_one(&mut **tx).await?)
}

/// Every memory of the agents that was live at `reach.now`, as it stood then.
pub async fn past(tx: &mut Tx, reach: &Reach<'_>, model: &str, dimension: usize) -> Result<Vec<Past>, DbError> {
    let table = vector_table(dimension)?;
    let (half, full) = if table == "embeddings_384" { ("e.half", "null::vector") } else { ("null::halfvec", "e.embedding") };
    let mut query = QueryBuilder::new(format!(
        "select {COLUMNS}, v.version as past_version, v.topic as past_topic, v.topic_raw as past_topic_raw,
                v.is_canonical as past_is_canonical, v.content as past_content, v.status as past_status,
                greatest(v.updated_at, (select max(r.at) from memory_moments r where r.agent_id = m.agent_id and r.memory_id = m.id
                                           and r.what = 'repeated' and r.at <= "
    ));
    query
        .push_bind(reach.now)
        .push(")) as past_updated_at, (true and (m.expires_at is null or m.expires_at > ")
        .push_bind(reach.now)
        .push(")");
    reach.push_user(&mut query, "m.user_id");
    reach.push_filters(&mut query);
    query.push(
        ") as in_reach, exists (select 1 from memory_moments t where t.agent_id = m.agent_id and t.memory_id = m.id and t.what = 'embedded' \
         and t.model = ",
    );
    query.push_bind(model.to_owned()).push(" and t.at <= ").push_bind(reach.now);
    query.push(" and t.text_hash = sha256(convert_to(v.topic || E'\\n' || v.content, 'UTF8'))) as embedded, ");
    query.push(format!(
        "(select {half} from {table} e where e.agent_id = m.agent_id and e.memory_id = m.id and v.topic = m.topic and v.content = m.content \
         and e.model = "
    ));
    query.push_bind(model.to_owned()).push(format!(
        ") as half, (select {full} from {table} e where e.agent_id = m.agent_id and e.memory_id = m.id and v.topic = m.topic \
         and v.content = m.content and e.model = "
    ));
    query.push_bind(model.to_owned()).push(") as \"full\"");
    push_past(&mut query, reach);
    query.push(" order by m.agent_id, m.id");
    let stood: Vec<Stood> = query.build_query_as().fetch_all(&mut **tx).await?;
    Ok(stood.into_iter().map(Into::into).collect())
}

fn push_past(query: &mut QueryBuilder<sqlx::Postgres>, reach: &Reach<'_>) {
    query.push(
        " from agent_memories m join lateral (select * from agent_memory_versions w where w.agent_id = m.agent_id and w.memory_id = m.id \
         and w.valid_from <= ",
    );
    query
        .push_bind(reach.now)
        .push(" order by w.version desc limit 1) v on not v.deleted and v.status in ('active', 'contradicted') where m.tenant_id = ");
    query.push_bind(reach.tenant).push(" and m.agent_id = any(").push_bind(reach.agent_ids());
    query.push(") and m.created_at <= ").push_bind(reach.now);
}

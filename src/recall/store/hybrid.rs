//! SQL of the ranking `hybrid`: narrow reads, each from an index, and the few whole rows at the end.

use super::{Reach, Statistics};
use crate::api::{MemoryId, MemoryScope};
use crate::db::{DbError, Tx};
use crate::memories::store::vector_table;
use crate::recall::hybrid::{AROUND, Place, Posting};
use chrono::{DateTime, Utc};
use pgvector::{HalfVector, Vector};
use sqlx::{FromRow, Postgres, QueryBuilder};
use std::collections::HashMap;
use uuid::Uuid;

/// Where the words of a question stand among the agents' live memories, any user's; and how many memories and words there are.
pub async fn postings(tx: &mut Tx, reach: &Reach<'_>, terms: &[String]) -> Result<(Vec<Posting>, Statistics), DbError> {
    // Four arrays instead of a row for each word of each memory: there are hundreds, and a row costs more than what it holds.
    type Arrays = (Vec<i32>, Vec<MemoryId>, Vec<f32>, Vec<i32>, i64, i64);
    let (places, memories, counts, lengths, documents, words): Arrays = sqlx::query_as(
        r"select coalesce(array_agg(array_position($3, t.term) - 1), '{}'), coalesce(array_agg(t.memory_id), '{}'), coalesce(array_agg(t.tf), '{}'),
                 coalesce(array_agg(t.length), '{}'),
                 (select coalesce(sum(c.documents), 0)::bigint from memory_term_counts c where c.tenant_id = $1 and c.agent_id = any($2)),
                 (select coalesce(sum(c.terms), 0)::bigint from memory_term_counts c where c.tenant_id = $1 and c.agent_id = any($2))
            from memory_terms t where t.tenant_id = $1 and t.agent_id = any($2) and t.term = any($3)",
    )
    .bind(reach.tenant)
    .bind(reach.agent_ids())
    .bind(terms.to_vec())
    .fetch_one(&mut **tx)
    .await?;
    let rows = places.into_iter().zip(memories).zip(counts.into_iter().zip(lengths));
    let postings = rows.map(|((term, memory_id), (tf, length))| Posting { term, memory_id, tf, length }).collect();
    Ok((postings, Statistics { documents, terms: words }))
}

/// The nearest memories in reach by cosine, from the covering index; by decayed cosine with those above a floor first, if one is given.
pub async fn nearest_in_reach(
    tx: &mut Tx,
    reach: &Reach<'_>,
    model: &str,
    vector: &[f32],
    decayed_above: Option<f64>,
    most: usize,
) -> Result<Vec<MemoryId>, DbError> {
    let table = vector_table(vector.len())?;
    let mut query = QueryBuilder::new("select s.memory_id from (select e.memory_id, e.weight, -(");
    push_distance(&mut query, table, vector);
    // `offset 0` keeps the distance from being computed twice.
    query.push(format!(") as similarity from {table} e where e.agent_id = any(")).push_bind(reach.agent_ids());
    query.push(") and e.tenant_id = ").push_bind(reach.tenant).push(" and e.model = ").push_bind(model.to_owned());
    query.push(" and e.live and (e.expires_at is null or e.expires_at > ").push_bind(reach.now).push(")");
    reach.push_user(&mut query, "e.user_id");
    if reach.filtered() {
        query.push(" and exists (select 1 from agent_memories m where m.agent_id = e.agent_id and m.id = e.memory_id");
        reach.push_filters(&mut query);
        query.push(")");
    }
    query.push(" offset 0) s order by ");
    if let Some(floor) = decayed_above {
        query.push("(s.similarity >= ").push_bind(floor).push(") desc, case when s.similarity >= ").push_bind(floor);
        query.push(" then s.similarity * s.weight else s.similarity end desc");
    } else {
        query.push("s.similarity desc");
    }
    query.push(", s.memory_id desc limit ").push_bind(i64::try_from(most).unwrap_or(i64::MAX));
    Ok(query.build_query_scalar().fetch_all(&mut **tx).await?)
}

fn push_distance(query: &mut QueryBuilder<Postgres>, table: &str, vector: &[f32]) {
    if table == "embeddings_384" {
        query.push("e.half <#> ").push_bind(HalfVector::from_f32_slice(vector));
    } else {
        query.push("e.embedding <#> ").push_bind(Vector::from(vector.to_vec()));
    }
}

/// What is known of a memory that is scored.
#[derive(Clone, Debug, FromRow)]
pub struct Feature {
    pub id: MemoryId,
    pub said_at: DateTime<Utc>,
    pub speaker: Option<String>,
    pub characters: i32,
    pub scope: MemoryScope,
    pub project_id: Option<Uuid>,
    pub repo_id: Option<Uuid>,
    pub updated_at: DateTime<Utc>,
    pub confidence: f32,
    pub semantic: Option<f64>,
    /// Its text ends as a question does.
    pub asks: bool,
    /// Its text, where it was asked for.
    pub text: Option<String>,
}

#[derive(FromRow)]
struct Turn {
    #[sqlx(flatten)]
    feature: Feature,
    before: Option<Vec<MemoryId>>,
    after: Option<Vec<MemoryId>>,
}

/// Anchors and the turns beside them, as far as they are in reach, with their cosine where a vector is there and with their texts if those
/// are to be read; and the turns around each anchor. One statement: it is a third of what a search takes.
pub async fn turns(
    tx: &mut Tx,
    reach: &Reach<'_>,
    model: &str,
    vector: Option<&[f32]>,
    texts: bool,
    anchors: &[MemoryId],
) -> Result<(Vec<Feature>, HashMap<MemoryId, Place>), DbError> {
    let mut query = QueryBuilder::new("with anchor as materialized (select m.id, ");
    push_side(&mut query, reach, "<", "desc");
    query.push(" as before, ");
    push_side(&mut query, reach, ">", "asc");
    query
        .push(" as after from agent_memories m where m.id = any(")
        .push_bind(anchors.iter().map(|id| id.0).collect::<Vec<Uuid>>())
        .push(")");
    push_reached(&mut query, reach);
    query.push(
        "), turn as (select id from anchor union select before[1] from anchor union select after[1] from anchor) \
         select m.id, m.said_at, m.speaker, char_length(m.content) as characters, m.scope, m.project_id, m.repo_id, m.updated_at, \
         m.confidence, right(rtrim(m.content, E' \\t\\r\\n'), 1) = '?' as asks, case when ",
    );
    query.push_bind(texts).push(" then m.content end as text, a.before, a.after, ");
    let from = " from turn t join agent_memories m on m.id = t.id left join anchor a on a.id = m.id";
    match vector {
        None => {
            query.push("null::float8 as semantic").push(from);
        }
        Some(vector) => {
            let table = vector_table(vector.len())?;
            query.push("greatest(0, -(");
            push_distance(&mut query, table, vector);
            query
                .push(format!(")) as semantic{from} left join {table} e on e.agent_id = m.agent_id and e.memory_id = m.id and e.model = "));
            query.push_bind(model.to_owned());
        }
    }
    query.push(" where true");
    push_reached(&mut query, reach);
    let turns: Vec<Turn> = query.build_query_as().fetch_all(&mut **tx).await?;
    let mut places = HashMap::new();
    let features = turns.into_iter().map(|turn| {
        if let (Some(before), Some(after)) = (turn.before, turn.after) {
            places.insert(turn.feature.id, Place { before, after });
        }
        turn.feature
    });
    Ok((features.collect(), places))
}

fn push_side(query: &mut QueryBuilder<Postgres>, reach: &Reach<'_>, side: &str, order: &str) {
    query.push(format!(
        "array(select p.id from agent_memories p where p.agent_id = m.agent_id and p.conversation = m.conversation and p.live \
         and (p.said_at, p.id) {side} (m.said_at, m.id) and (p.expires_at is null or p.expires_at > "
    ));
    query.push_bind(reach.now).push(")");
    reach.push_user(query, "p.user_id");
    query.push(format!(" order by p.said_at {order}, p.id {order} limit {AROUND})"));
}

fn push_reached(query: &mut QueryBuilder<Postgres>, reach: &Reach<'_>) {
    query.push(" and m.tenant_id = ").push_bind(reach.tenant);
    query.push(" and m.agent_id = any(").push_bind(reach.agent_ids());
    query.push(") and m.live and (m.expires_at is null or m.expires_at > ").push_bind(reach.now).push(")");
    reach.push_user(query, "m.user_id");
    reach.push_filters(query);
}

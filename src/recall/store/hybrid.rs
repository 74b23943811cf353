//! SQL of the ranking `hybrid`: narrow reads, each from an index, and the few whole rows at the end.

use super::{Reach, Statistics};
use crate::api::{MemoryId, MemoryScope};
use crate::db::{DbError, Tx};
use crate::memories::store::vector_table;
use crate::ranking::hybrid::{AROUND, Place, Posting};
use chrono::{DateTime, Utc};
use pgvector::{HalfVector, Vector};
use sqlx::{FromRow, Postgres, QueryBuilder};
use std::collections::HashMap;
use uuid::Uuid;

/// What to look for by meaning.
pub struct Meaning<'a> {
    pub model: &'a str,
    pub vector: &'a [f32],
    /// Present: by decayed cosine, those at or above this floor first; by cosine otherwise.
    pub decayed_above: Option<f64>,
    pub most: usize,
}

/// What the two sides of a search found, before it is scored.
pub struct Sides {
    /// Where the words of the question stand among the agents' live memories, any user's.
    pub postings: Vec<Posting>,
    pub statistics: Statistics,
    /// The nearest memories in reach, best first.
    pub nearest: Vec<MemoryId>,
}

/// Looks by words and, if it is told how, by meaning. One statement, and arrays instead of a row for each word of each memory: there are
/// hundreds, and a row or a round trip costs more than what it holds.
pub async fn sides(tx: &mut Tx, reach: &Reach<'_>, terms: &[String], meaning: Option<&Meaning<'_>>) -> Result<Sides, DbError> {
    type Arrays = (Vec<i32>, Vec<MemoryId>, Vec<f32>, Vec<i32>, i64, i64, Vec<MemoryId>);
    let mut query = QueryBuilder::new("select coalesce(array_agg(array_position(");
    query.push_bind(terms.to_vec()).push(
        ", t.term) - 1), '{}'), coalesce(array_agg(t.memory_id), '{}'), coalesce(array_agg(t.tf), '{}'), coalesce(array_agg(t.length), '{}')",
    );
    for column in ["documents", "terms"] {
        query.push(format!(", (select coalesce(sum(c.{column}), 0)::bigint from memory_term_counts c where c.tenant_id = "));
        query.push_bind(reach.tenant).push(" and c.agent_id = any(").push_bind(reach.agent_ids()).push("))");
    }
    query.push(", array(");
    match meaning {
        None => {
            query.push("select null::uuid where false");
        }
        Some(meaning) => push_nearest(&mut query, reach, meaning)?,
    }
    query.push(") from memory_terms t where t.tenant_id = ").push_bind(reach.tenant);
    query.push(" and t.agent_id = any(").push_bind(reach.agent_ids()).push(") and t.term = any(").push_bind(terms.to_vec()).push(")");
    let (places, memories, counts, lengths, documents, words, nearest): Arrays = query.build_query_as().fetch_one(&mut **tx).await?;
    let rows = places.into_iter().zip(memories).zip(counts.into_iter().zip(lengths));
    let postings = rows.map(|((term, memory_id), (tf, length))| Posting { term, memory_id, tf, length }).collect();
    Ok(Sides { postings, statistics: Statistics { documents, terms: words }, nearest })
}

/// Ids from the covering index.
fn push_nearest(query: &mut QueryBuilder<Postgres>, reach: &Reach<'_>, meaning: &Meaning<'_>) -> Result<(), DbError> {
    let table = vector_table(meaning.vector.len())?;
    query.push("select s.memory_id from (select e.memory_id, e.weight, -(");
    push_distance(query, table, meaning.vector);
    // `offset 0` keeps the distance from being computed twice.
    query.push(format!(") as similarity from {table} e where e.agent_id = any(")).push_bind(reach.agent_ids());
    query.push(") and e.tenant_id = ").push_bind(reach.tenant).push(" and e.model = ").push_bind(meaning.model.to_owned());
    query.push(" and e.live and (e.expires_at is null or e.expires_at > ").push_bind(reach.now).push(")");
    reach.push_user(query, "e.user_id");
    if reach.filtered() {
        query.push(" and exists (select 1 from agent_memories m where m.agent_id = e.agent_id and m.id = e.memory_id");
        reach.push_filters(query);
        query.push(")");
    }
    query.push(" offset 0) s order by ");
    if let Some(floor) = meaning.decayed_above {
        query.push("(s.similarity >= ").push_bind(floor).push(") desc, case when s.similarity >= ").push_bind(floor);
        query.push(" then s.similarity * s.weight else s.similarity end desc");
    } else {
        query.push("s.similarity desc");
    }
    query.push(", s.memory_id desc limit ").push_bind(i64::try_from(meaning.most).unwrap_or(i64::MAX));
    Ok(())
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
    // Each table is entered once with all ids, which is half of what a join costs that enters it anew for each.
    query.push(
        "), turn as materialized (select array(select id from anchor union select before[1] from anchor union select after[1] from anchor) as ids) \
         select m.id, m.said_at, m.speaker, char_length(m.content) as characters, m.scope, m.project_id, m.repo_id, m.updated_at, \
         m.confidence, right(rtrim(m.content, E' \\t\\r\\n'), 1) = '?' as asks, case when ",
    );
    query.push_bind(texts).push(" then m.content end as text, a.before, a.after, ");
    let from = "from agent_memories m left join anchor a on a.id = m.id";
    match vector {
        None => {
            query.push("null::float8 as semantic ").push(from);
        }
        Some(vector) => {
            let table = vector_table(vector.len())?;
            query.push("v.semantic ").push(from).push(" left join (select e.agent_id, e.memory_id, greatest(0, -(");
            push_distance(&mut query, table, vector);
            query.push(format!(")) as semantic from {table} e where e.agent_id = any(")).push_bind(reach.agent_ids());
            query.push(") and e.memory_id = any((select ids from turn)::uuid[]) and e.model = ").push_bind(model.to_owned());
            // `offset 0` keeps the planner from joining first.
            query.push(" offset 0) v on v.agent_id = m.agent_id and v.memory_id = m.id");
        }
    }
    query.push(" where m.id = any((select ids from turn)::uuid[])");
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

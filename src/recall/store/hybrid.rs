//! SQL of the ranking `hybrid`: narrow reads, each from an index, and the few whole rows at the end.

use super::{Reach, Statistics};
use crate::api::{MemoryId, MemoryScope};
use crate::db::{DbError, Tx, statement};
use crate::memories::store::VectorTable;
use crate::ranking::hybrid::{AROUND, Place, Posting};
use chrono::{DateTime, Utc};
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
    /// Where the words of the question stand among the agents' live memories.
    pub postings: Vec<Posting>,
    pub statistics: Statistics,
    /// The nearest memories in reach, best first.
    pub nearest: Vec<MemoryId>,
}

/// Looks by words and, where a meaning is given, by meaning. One statement, and arrays instead of a row for each word of each memory: there
/// are hundreds, and a row or a round trip costs more than what it holds.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %reach.tenancy.tenant, terms = terms.len()))]
pub async fn sides(tx: &mut Tx, reach: &Reach<'_>, terms: &[String], meaning: Option<&Meaning<'_>>) -> Result<Sides, DbError> {
    type Arrays = (Vec<i32>, Vec<MemoryId>, Vec<f32>, Vec<i32>, i64, i64, Vec<MemoryId>);
    let vectors = meaning.map(|meaning| VectorTable::of(meaning.vector.len())).transpose()?;
    let mut query = statement!(
        r"select coalesce(array_agg(array_position($1, t.term) - 1), '{}'), coalesce(array_agg(t.memory_id), '{}'),
                 coalesce(array_agg(t.tf), '{}'), coalesce(array_agg(t.length), '{}'),
                 (select coalesce(sum(c.documents), 0)::bigint from memory_term_counts c where c.tenant_id = $2 and c.agent_id = any($3)),
                 (select coalesce(sum(c.terms), 0)::bigint from memory_term_counts c where c.tenant_id = $2 and c.agent_id = any($3)),
                 array(",
        terms,
        reach.tenant(),
        reach.agent_ids(),
        reach.now,
        reach.user_id(),
        meaning.map(|meaning| meaning.model),
        vectors.zip(meaning).map(|(vectors, meaning)| vectors.operand(meaning.vector)),
        meaning.and_then(|meaning| meaning.decayed_above),
        meaning.map(|meaning| i64::try_from(meaning.most).unwrap_or(i64::MAX)),
    );
    match vectors {
        None => {
            query.push("select null::uuid where false");
        }
        Some(vectors) => push_nearest(&mut query, reach, vectors, meaning.is_some_and(|meaning| meaning.decayed_above.is_some())),
    }
    query.push(
        r")
            from memory_terms t where t.tenant_id = $2 and t.agent_id = any($3) and t.term = any($1)",
    );
    query.push(reach.of_user("t", "$5"));
    let (places, memories, counts, lengths, documents, words, nearest): Arrays = query.build_query_as().fetch_one(&mut **tx).await?;
    let rows = places.into_iter().zip(memories).zip(counts.into_iter().zip(lengths));
    let postings = rows.map(|((term, memory_id), (tf, length))| Posting { term, memory_id, tf, length }).collect();
    Ok(Sides { postings, statistics: Statistics { documents, terms: words }, nearest })
}

/// Ids from the covering index, as a part of [`sides`], whose parameters it uses. `offset 0` keeps the distance from being computed twice.
fn push_nearest(query: &mut QueryBuilder<Postgres>, reach: &Reach<'_>, vectors: VectorTable, decayed: bool) {
    let (VectorTable { table, column }, of_user) = (vectors, reach.of_user("e", "$5"));
    query.push(format!(
        r"
                     select s.memory_id
                       from (select e.memory_id, e.weight, -(e.{column} <#> $7) as similarity
                               from {table} e
                              where e.agent_id = any($3) and e.tenant_id = $2 and e.model = $6
                                and e.live and (e.expires_at is null or e.expires_at > $4){of_user}"
    ));
    reach.push_matching(query);
    query.push(" offset 0) s");
    query.push(if decayed {
        r"
                      order by (s.similarity >= $8) desc, case when s.similarity >= $8 then s.similarity * s.weight else s.similarity end desc,
                               s.memory_id desc
                      limit $9"
    } else {
        r"
                      order by s.similarity desc, s.memory_id desc
                      limit $9"
    });
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
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %reach.tenancy.tenant))]
pub async fn turns(
    tx: &mut Tx,
    reach: &Reach<'_>,
    model: &str,
    vector: Option<&[f32]>,
    texts: bool,
    anchors: &[MemoryId],
) -> Result<(Vec<Feature>, HashMap<MemoryId, Place>), DbError> {
    let vectors = vector.map(|vector| VectorTable::of(vector.len())).transpose()?;
    let (of_user, beside_of_user) = (reach.of_user("m", "$4"), reach.of_user("p", "$4"));
    let mut query = statement!(
        format!(
            r"with anchor as materialized (
                  select m.id,
                         array(select p.id from agent_memories p
                                where p.agent_id = m.agent_id and p.conversation = m.conversation and p.live
                                  and (p.said_at, p.id) < (m.said_at, m.id) and (p.expires_at is null or p.expires_at > $3){beside_of_user}
                                order by p.said_at desc, p.id desc limit {AROUND}) as before,
                         array(select p.id from agent_memories p
                                where p.agent_id = m.agent_id and p.conversation = m.conversation and p.live
                                  and (p.said_at, p.id) > (m.said_at, m.id) and (p.expires_at is null or p.expires_at > $3){beside_of_user}
                                order by p.said_at asc, p.id asc limit {AROUND}) as after
                    from agent_memories m
                   where m.id = any($5) and m.tenant_id = $1 and m.agent_id = any($2)
                     and m.live and (m.expires_at is null or m.expires_at > $3){of_user}"
        ),
        reach.tenant(),
        reach.agent_ids(),
        reach.now,
        reach.user_id(),
        anchors.iter().map(|id| id.0).collect::<Vec<Uuid>>(),
        texts,
        model,
        vectors.zip(vector).map(|(vectors, vector)| vectors.operand(vector)),
    );
    reach.push_filters(&mut query);
    let (semantic, joined) = match vectors {
        None => ("null::float8", String::new()),
        // `offset 0` keeps the planner from joining first.
        Some(VectorTable { table, column }) => (
            "v.semantic",
            format!(
                r"left join (select e.agent_id, e.memory_id, greatest(0, -(e.{column} <#> $8)) as semantic
                               from {table} e
                              where e.agent_id = any($2) and e.memory_id = any((select ids from turn)::uuid[]) and e.model = $7
                             offset 0) v on v.agent_id = m.agent_id and v.memory_id = m.id"
            ),
        ),
    };
    // Each table is read once with all ids. A join that looks up each id costs twice as much.
    query.push(format!(
        r"),
              turn as materialized (
                  select array(select id from anchor union select before[1] from anchor union select after[1] from anchor) as ids)
              select m.id, m.said_at, m.speaker, char_length(m.content) as characters, m.scope, m.project_id, m.repo_id, m.updated_at,
                     m.confidence, right(rtrim(m.content, E' \t\r\n'), 1) = '?' as asks, case when $6 then m.content end as text,
                     a.before, a.after, {semantic} as semantic
                from agent_memories m
                left join anchor a on a.id = m.id
                {joined}
               where m.id = any((select ids from turn)::uuid[]) and m.tenant_id = $1 and m.agent_id = any($2)
                 and m.live and (m.expires_at is null or m.expires_at > $3){of_user}"
    ));
    reach.push_filters(&mut query);
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

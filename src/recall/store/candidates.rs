//! SQL of the candidates of a search: narrow reads, each from an index. Whole rows are read at the end, only for the hits.

use super::Reach;
use crate::memories::store::VECTORS;
use chrono::{DateTime, Utc};
use db::{DbError, Tx, of_user, sql, statement};
use foundation::index::{self, VectorTable, WordMatches};
use pgvector::Vector;
use sqlx::{FromRow, Postgres, QueryBuilder};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;
use wire::{AgentId, MemoryId, MemoryScope};
use words::hybrid::{self, AROUND, Place};
use words::identifiers::NamedIds;

/// The search by meaning.
pub struct Meaning<'a> {
    pub model: &'a str,
    pub vector: &'a [f32],
    /// Present: by decayed cosine, those at or above this floor first; by cosine otherwise.
    pub decayed_above: Option<f64>,
    pub most: usize,
}

impl Meaning<'_> {
    /// What the nearest are ordered by, of `s.similarity` and `s.weight`, where `$8` is the floor. One number, so that each memory is compared
    /// once: those below the floor are at most -1, the others at least 0.
    pub(super) fn rank_in_sql(&self) -> &'static str {
        if self.decayed_above.is_some() {
            "case when s.similarity >= $8 then s.similarity * s.weight else s.similarity - 2 end"
        } else {
            "s.similarity"
        }
    }
}

/// What the nearest are ordered by, of a cosine and a weight: the same as `rank_in_sql`.
pub fn rank(decayed_above: Option<f64>, cosine: f64, weight: f64) -> f64 {
    match decayed_above {
        Some(floor) if cosine >= floor => cosine * weight,
        Some(_) => cosine - 2.0,
        None => cosine,
    }
}

/// A memory that is near in meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    pub id: MemoryId,
    /// Its cosine.
    pub similarity: f64,
    /// What the nearest are ordered by: the higher, the nearer.
    pub(super) rank: f64,
}

/// What the two sides of a search found, not yet scored.
pub struct Sides {
    /// The words of the question in the memories that may be found; those that belong to another project than the search are apart.
    pub words: WordMatches<MemoryId>,
    /// The nearest memories that may be found, best first; after them the memories of other projects that are near enough to be shown.
    pub nearest: Vec<Nearest>,
}

impl Sides {
    /// Adds what a search without a project found among other agents. Of the nearest of both, the best `most` are left.
    pub fn add(&mut self, others: Self, most: usize) {
        self.words.add(others.words);
        self.nearest.extend(others.nearest);
        self.nearest.sort_by(|a, b| b.rank.total_cmp(&a.rank).then(b.id.cmp(&a.id)));
        self.nearest.truncate(most);
    }
}

/// Searches by words and, if `meaning` is given, by meaning. One statement, with arrays instead of a row for each word of each memory:
/// there are hundreds, and each row or round trip would cost more than its data.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %reach.tenancy.tenant, terms = terms.len()))]
pub async fn sides(tx: &mut Tx, reach: &Reach<'_>, terms: &[String], meaning: Option<&Meaning<'_>>) -> Result<Sides, DbError> {
    #[derive(FromRow)]
    struct Row {
        #[sqlx(flatten)]
        words: WordMatches<MemoryId>,
        nearest: Vec<MemoryId>,
        similar: Vec<f64>,
        ranks: Vec<f64>,
    }
    let vectors = meaning.map(|meaning| VECTORS.of(meaning.vector.len())).transpose()?;
    let mut query = statement!(
        "",
        reach.tenant(),
        reach.agents,
        reach.now,
        reach.user_id(),
        terms,
        meaning.map(|meaning| meaning.model),
        vectors.zip(meaning).map(|(vectors, meaning)| vectors.operand(meaning.vector)),
        meaning.and_then(|meaning| meaning.decayed_above),
        meaning.map(|meaning| i64::try_from(meaning.most).unwrap_or(i64::MAX)),
        reach.scoping.strong,
    );
    reach.push_candidates(&mut query);
    query.push(", nearest as materialized (");
    match meaning.zip(vectors) {
        None => {
            query.push("select null::uuid as memory_id, null::float8 as similarity, null::float8 as rank where false");
        }
        Some((meaning, vectors)) => push_nearest(&mut query, reach, vectors, meaning),
    }
    let foreign = if reach.scoping.narrow { "t.memory_id in (select id from reach where not fits)" } else { "false" };
    query.push(format!(
        r")
              select {}, {}, array(select memory_id from nearest) as nearest, array(select similarity from nearest) as similar,
                     array(select rank from nearest) as ranks
                from memory_terms t where t.tenant_id = $1 and t.agent_id = any($2) and t.term = any($5){}{}",
        index::match_columns(["array_position($5, t.term) - 1", "t.memory_id", "t.tf", "t.length", foreign]),
        reach.statistics(),
        reach.of_user("t", "$4"),
        reach.may_find("t"),
    ));
    let Row { words, nearest, similar, ranks } = tx.row(query).await?;
    let nearest = nearest.into_iter().zip(similar).zip(ranks).map(|((id, similarity), rank)| Nearest { id, similarity, rank }).collect();
    Ok(Sides { words, nearest })
}

/// The nearest memories from the covering index, as a part of [`sides`], whose parameters it uses.
fn push_nearest(query: &mut QueryBuilder<Postgres>, reach: &Reach<'_>, vectors: VectorTable, meaning: &Meaning<'_>) {
    let (rank, cosines) = (meaning.rank_in_sql(), cosines(reach, vectors, "$6", "$7"));
    let scored = format!("select s.memory_id, s.similarity, {rank} as rank from ({cosines}) s");
    let best = "order by s.rank desc, s.memory_id desc limit $9";
    if !reach.scoping.narrow {
        query.push(format!("select s.* from ({scored}) s {best}"));
        return;
    }
    query.push(format!(
        r"with scored as materialized ({scored}),
               own as (select s.* from scored s where s.memory_id in (select id from reach where fits) {best}),
               strong as (select s.* from scored s where s.memory_id in (select id from reach where not fits) and s.similarity >= $10 {best})
          select * from own union all select * from strong"
    ));
}

/// How many memories each of the agents has that a search may find, most first; without those that have none.
pub async fn sizes(tx: &mut Tx, reach: &Reach<'_>) -> Result<Vec<(AgentId, i64)>, DbError> {
    tx.rows(statement!(
        format!(
            r"select c.agent_id, sum(c.documents)::bigint from memory_term_counts c where c.tenant_id = $1 and c.agent_id = any($2){}
               group by 1 having sum(c.documents) > 0 order by 2 desc, 1",
            reach.of_user("c", "$3")
        ),
        reach.tenant(),
        reach.agents,
        reach.user_id(),
    ))
    .await
}

/// Every memory that may be found and has a vector, with its cosine. Cosine of unit vectors is the negative of pgvector's `<#>`; `offset 0`
/// keeps it from being computed twice.
fn cosines(reach: &Reach<'_>, VectorTable { table, column }: VectorTable, model: &str, vector: &str) -> String {
    let of_user = reach.of_user("e", "$4");
    let may_find = if reach.narrowed() { reach.may_find("e") } else { String::new() };
    format!(
        r"select e.memory_id, e.weight, -(e.{column} <#> {vector}) as similarity
            from {table} e
           where e.agent_id = any($2) and e.tenant_id = $1 and e.model = {model}
             and e.live and (e.expires_at is null or e.expires_at > $3){of_user}{may_find} offset 0"
    )
}

/// The memories that may be found and still wait for their vector.
pub async fn awaiting(tx: &mut Tx, reach: &Reach<'_>) -> Result<HashSet<MemoryId>, DbError> {
    let mut query = statement!(
        format!(
            r"select m.id from agent_memories m
               where m.tenant_id = $1 and m.agent_id = any($2) and m.live and m.awaiting_vector
                 and (m.expires_at is null or m.expires_at > $3){}",
            reach.of_user("m", "$4")
        ),
        reach.tenant(),
        reach.agents,
        reach.now,
        reach.user_id(),
    );
    reach.push_filters(&mut query);
    let ids: Vec<MemoryId> = tx.values(query).await?;
    Ok(ids.into_iter().collect())
}

/// The memories that may be found and have one of these ids.
pub async fn named(tx: &mut Tx, reach: &Reach<'_>, names: &NamedIds) -> Result<HashSet<MemoryId>, DbError> {
    let mut query = statement!(
        format!(
            r"select m.id from agent_memories m
               where m.tenant_id = $1 and m.agent_id = any($2) and m.live and (m.expires_at is null or m.expires_at > $3)
                 and (m.id = any($5) or m.short_id = any($6)){}",
            reach.of_user("m", "$4")
        ),
        reach.tenant(),
        reach.agents,
        reach.now,
        reach.user_id(),
        names.ids(),
        names.short_ids(),
    );
    reach.push_filters(&mut query);
    let ids: Vec<MemoryId> = tx.values(query).await?;
    Ok(ids.into_iter().collect())
}

/// When memories were last written.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %reach.tenancy.tenant, ids = ids.len()))]
pub async fn updated_at(tx: &mut Tx, reach: &Reach<'_>, ids: &[MemoryId]) -> Result<HashMap<MemoryId, DateTime<Utc>>, DbError> {
    let rows: Vec<(MemoryId, DateTime<Utc>)> = tx
        .rows(sql!(
            [reach.tenant(), reach.agents, ids, reach.tenancy.users],
            "select m.id, m.updated_at from agent_memories m where m.tenant_id = $1 and m.agent_id = any($2) and m.id = any($3) and ",
            of_user!("m", "$4")
        ))
        .await?;
    Ok(rows.into_iter().collect())
}

/// The columns of a memory that the score depends on.
#[derive(Clone, Debug, FromRow)]
pub struct Feature {
    pub id: MemoryId,
    pub said_at: DateTime<Utc>,
    pub speaker: Option<String>,
    pub characters: i32,
    pub scope: MemoryScope,
    pub project_id: Option<Uuid>,
    pub repo_id: Option<Uuid>,
    pub stated_at: DateTime<Utc>,
    pub content_hash: Vec<u8>,
    pub confidence: f32,
    pub semantic: Option<f64>,
    /// Its vector, if the question has one, too.
    pub vector: Option<Vector>,
    /// Its source says when it was said.
    pub is_timed: bool,
    /// Its text ends as a question.
    pub asks: bool,
    /// How many terms it has, topics included.
    pub terms: i32,
    /// How many characters of its text are ASCII punctuation.
    pub punctuation: i32,
    /// Its topic, if it may name an identifier.
    pub topic: Option<String>,
    /// Its text, if requested, or if it may name an identifier.
    pub text: Option<String>,
}

#[derive(FromRow)]
struct Turn {
    #[sqlx(flatten)]
    feature: Feature,
    before: Option<Vec<MemoryId>>,
    after: Option<Vec<MemoryId>>,
}

/// The memories that a search looks at closely.
pub struct Anchors {
    /// The best of each side.
    pub all: HashSet<MemoryId>,
    /// Those whose neighbours are looked at, too.
    pub wide: HashSet<MemoryId>,
    /// Those that have all words of a rare identifier of the question.
    pub holders: HashSet<MemoryId>,
    /// Those whose ids the question names.
    pub named: HashSet<MemoryId>,
}

fn ids(memories: &HashSet<MemoryId>) -> Vec<Uuid> {
    memories.iter().map(|id| id.0).collect()
}

/// Anchors and the turns beside the wide ones that may be found, with their vector and its cosine if they have one, and with their texts if
/// `texts`; and the turns around each anchor. One statement, because it takes a third of a search.
pub async fn turns(
    tx: &mut Tx,
    reach: &Reach<'_>,
    model: &str,
    vector: Option<&[f32]>,
    texts: bool,
    anchors: &Anchors,
) -> Result<(Vec<Feature>, HashMap<MemoryId, Place>), DbError> {
    let vectors = vector.map(|vector| VECTORS.of(vector.len())).transpose()?;
    let of_user = reach.of_user("m", "$4");
    let mut query = statement!(
        "with anchor as materialized (select a.id, ",
        reach.tenant(),
        reach.agents,
        reach.now,
        reach.user_id(),
        ids(&anchors.all),
        texts,
        model,
        vectors.zip(vector).map(|(vectors, vector)| vectors.operand(vector)),
        ids(&anchors.wide),
        ids(&anchors.holders),
    );
    let hours = hybrid::APART_MAX.num_hours();
    // One limit of time beside the comparison: with both, Postgres begins to read at the far one.
    for (beside, within, order, name) in [("<", ">= a.said_at -", "desc", "before, "), (">", "<= a.said_at +", "asc", "after ")] {
        query.push(format!(
            r"array(select m.id from agent_memories m
                     where m.tenant_id = $1 and m.agent_id = a.agent_id and m.conversation = a.conversation and m.live
                       and (m.said_at, m.id) {beside} (a.said_at, a.id)
                       and m.said_at {within} interval '{hours} hours' and (m.expires_at is null or m.expires_at > $3){of_user}"
        ));
        reach.push_filters(&mut query);
        if reach.scoping.narrow {
            // A memory of another project is judged by its own words: without it, the turns beside it would not be candidates.
            for table in ["m", "a"] {
                query.push(" and ");
                reach.push_fits(&mut query, table);
            }
        }
        query.push(format!(" order by m.said_at {order}, m.id {order} limit {AROUND}) as {name}"));
    }
    // A subquery for each turn, which `offset 0` keeps from becoming a join with all vectors: the planner expects one row and would compare
    // every turn with every vector.
    let compared = vectors.map_or_else(
        || "select null::float8 as semantic, null::vector as vector".to_owned(),
        |VectorTable { table, column }| {
            format!(
                r"select greatest(0, -(e.{column} <#> $8)) as semantic, e.{column}::vector as vector from {table} e
                   where e.tenant_id = $1 and e.agent_id = m.agent_id and e.memory_id = m.id and e.model = $7 offset 0"
            )
        },
    );
    query.push(format!(
        r"from agent_memories a
               where a.id = any($5) and a.tenant_id = $1 and a.agent_id = any($2)
                 and a.live and (a.expires_at is null or a.expires_at > $3){}),
              turn as materialized (
                  select array(select id from anchor union select before[1] from anchor where id = any($9)
                               union select after[1] from anchor where id = any($9)) as ids)
              select m.id, m.said_at, m.speaker, m.characters, m.scope, m.project_id, m.repo_id, m.stated_at,
                     m.content_hash, m.confidence, m.observed_at is not null as is_timed, m.asks, coalesce(m.term_count, 0) as terms, m.punctuation,
                     case when m.id = any($10) then m.topic end as topic,
                     case when $6 or m.id = any($10) then m.content end as text,
                     a.before, a.after, v.semantic, v.vector
                from agent_memories m
                left join anchor a on a.id = m.id
                left join lateral ({compared}) v on true
               where m.id = any((select ids from turn)::uuid[]) and m.tenant_id = $1 and m.agent_id = any($2)
                 and m.live and (m.expires_at is null or m.expires_at > $3){of_user}",
        reach.of_user("a", "$4")
    ));
    let turns: Vec<Turn> = tx.rows(query).await?;
    let mut places = HashMap::new();
    let features = turns.into_iter().map(|turn| {
        if let (Some(before), Some(after)) = (turn.before, turn.after) {
            places.insert(turn.feature.id, Place { before, after });
        }
        turn.feature
    });
    Ok((features.collect(), places))
}

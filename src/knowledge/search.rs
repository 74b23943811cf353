//! Search in knowledge, for its own tool and for every recall.

use super::store;
use crate::api::{
    ChunkId, DocumentKind, K_MAX, KnowledgeHit, KnowledgeRequest, KnowledgeResponse, MatchedBy, Part, QUERY_MAX, Ranking, Scope, SourceTag,
};
use crate::db::DbError;
use crate::db::Tenancy;
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::models::Floors;
use crate::op::OpContext;
use crate::ranking::{explain, hybrid};
use crate::text::words;
use async_recursion::async_recursion as boxed;
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tracing::instrument;

/// A question, ready to be searched for.
#[derive(Clone, Debug)]
pub struct PreparedQuery {
    /// What was embedded.
    pub text: String,
    /// Its terms, and those of the question as it was asked.
    pub terms: BTreeMap<String, u32>,
    /// The terms of each wording.
    pub wordings: Vec<BTreeMap<String, u32>>,
    /// Absent when the model did not answer in time.
    pub vector: Option<Arc<[f32]>>,
}

impl PreparedQuery {
    /// Embeds a text, or does without.
    pub async fn new(engine: &Engine, text: String) -> Self {
        Self { vector: engine.embed_query(&text).await, ..Self::words(text) }
    }

    /// Asks by words alone.
    pub fn words(text: String) -> Self {
        let terms = words::terms(&text);
        Self { wordings: vec![terms.clone()], terms, vector: None, text }
    }

    /// Its words, as they are weighed.
    pub fn question_words(&self) -> hybrid::Words {
        hybrid::Words::new(&self.terms, &self.wordings)
    }

    /// Asks by the words of another wording, too.
    pub fn or_by_words_of(mut self, wording: &str) -> Self {
        let terms = words::terms(wording);
        if !terms.is_empty() && !self.wordings.contains(&terms) {
            self.terms.extend(terms.clone());
            self.wordings.push(terms);
        }
        self
    }
}

/// A chunk that was looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedChunk {
    pub found: store::CitedChunk,
    /// Relevance, 0 to 1; knowledge does not decay.
    pub similarity: f64,
    pub matched_by: MatchedBy,
    pub floor: f64,
    /// What it is ordered by among memories: its relevance, unless the ranking adds up parts.
    pub score: f64,
    pub parts: Vec<Part>,
}

impl RankedChunk {
    /// Scores it as the ranking would score a memory that says the same. The text alone tells which of the question's words it holds, so that
    /// the past gives the same score as the present.
    pub fn weigh(&mut self, ranking: Ranking, asked: &BTreeMap<String, u32>) {
        let held = words::terms(&self.found.embedded_text());
        let covered = asked.keys().filter(|term| held.contains_key(*term)).count() as f64 / (asked.len() as f64).max(1.0);
        let (semantic, covered) = match self.matched_by {
            MatchedBy::Lexical => (None, self.similarity),
            MatchedBy::Vector | MatchedBy::Both => (Some(self.similarity), covered),
        };
        let characters = i32::try_from(self.found.content.chars().count()).unwrap_or(i32::MAX);
        self.parts = hybrid::decided(ranking, semantic, covered, characters);
        self.score = hybrid::sum(&self.parts);
    }

    /// Whether it is relevant enough.
    pub fn passed(&self) -> bool {
        self.similarity >= self.floor
    }
}

/// Searches knowledge alone.
///
/// # Errors
/// `Forbidden` without `kb:read`; `Invalid` for an empty or over-long query or a `k` outside 1..=100; `Unavailable` when the database is out
/// of reach.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn search(engine: &Engine, ctx: &OpContext, request: KnowledgeRequest) -> Result<KnowledgeResponse, Error> {
    ctx.require(Scope::KbRead)?;
    Checks::default()
        .bytes("query", &request.query, QUERY_MAX)
        .that((1..=K_MAX).contains(&request.k), "k", format!("is {}; it may be 1 to {K_MAX}", request.k))
        .done()?;
    let prepared = PreparedQuery::new(engine, request.query).await;
    let found = candidates(engine, ctx.tenancy(), &prepared, &request.kinds, i64::from(request.k)).await?;
    let hits = found.into_iter().filter(RankedChunk::passed).map(|candidate| hit(candidate, &prepared.terms)).collect();
    let degraded = if prepared.vector.is_none() { vec!["embedding".to_owned()] } else { vec![] };
    metrics::counter!("shared_kb_search_total").increment(1);
    Ok(KnowledgeResponse { hits, degraded })
}

/// The best chunks, above the floor or not, best first.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
#[tracing::instrument(skip_all, fields(tenant = %tenancy.tenant))]
pub async fn candidates(
    engine: &Engine,
    tenancy: Tenancy,
    prepared: &PreparedQuery,
    kinds: &[DocumentKind],
    most: i64,
) -> Result<Vec<RankedChunk>, DbError> {
    let (tenant, model) = (tenancy.tenant, engine.model());
    let floors = model.floors;
    let terms: Vec<String> = prepared.terms.keys().cloned().collect();
    let mut tx = engine.db().kb.begin(tenancy).await?;
    let near = match &prepared.vector {
        Some(vector) => store::by_vector(&mut tx, tenant, &model.name, vector, kinds, most).await?,
        None => Vec::new(),
    };
    let statistics = store::statistics(&mut tx, tenant).await?;
    let named = store::by_words(&mut tx, tenant, &terms, statistics, kinds, prepared.vector.is_some(), most).await?;
    let near = near.into_iter().map(|(id, similarity)| (id, similarity, MatchedBy::Vector, floors.vector));
    let named = named.into_iter().map(|(id, similarity)| (id, similarity, MatchedBy::Lexical, floors.lexical));
    let scored: Vec<_> = near.chain(named).collect();
    let ids: Vec<_> = scored.iter().map(|(id, ..)| *id).collect();
    let found = store::chunks_by_id(&mut tx, tenant, &ids, None).await?;
    tx.commit().await?;
    Ok(best(scored, found, most))
}

/// The best chunks of what was in force at a moment, by meaning. Words of texts that are no longer in force are not kept.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
#[tracing::instrument(skip_all, fields(tenant = %tenancy.tenant))]
pub async fn candidates_at(
    engine: &Engine,
    tenancy: Tenancy,
    prepared: &PreparedQuery,
    at: DateTime<Utc>,
    floors: Floors,
    most: i64,
) -> Result<Vec<RankedChunk>, DbError> {
    let Some(vector) = &prepared.vector else { return Ok(Vec::new()) };
    let mut tx = engine.db().kb.begin(tenancy).await?;
    let near = store::by_vector_at(&mut tx, tenancy.tenant, &engine.model().name, vector, at, most).await?;
    let ids: Vec<_> = near.iter().map(|(id, _)| *id).collect();
    let found = store::chunks_by_id(&mut tx, tenancy.tenant, &ids, Some(at)).await?;
    tx.commit().await?;
    Ok(best(near.into_iter().map(|(id, similarity)| (id, similarity, MatchedBy::Vector, floors.vector)).collect(), found, most))
}

fn best(scored: Vec<(ChunkId, f64, MatchedBy, f64)>, found: Vec<store::CitedChunk>, most: i64) -> Vec<RankedChunk> {
    let mut found: HashMap<_, _> = found.into_iter().map(|chunk| (chunk.chunk_id, chunk)).collect();
    let mut candidates: Vec<RankedChunk> = scored
        .into_iter()
        .filter_map(|(id, similarity, matched_by, floor)| {
            let similarity = similarity.clamp(0.0, 1.0);
            Some(RankedChunk { found: found.remove(&id)?, similarity, matched_by, floor, score: similarity, parts: vec![] })
        })
        .collect();
    candidates.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then_with(|| b.found.chunk_id.cmp(&a.found.chunk_id)));
    candidates.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    candidates
}

/// Chunks that the log names, in force or not.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn passages(engine: &Engine, ctx: &OpContext, ids: &[ChunkId]) -> Result<HashMap<ChunkId, store::Passage>, DbError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let found = store::passages(&mut tx, ctx.tenant_id, ids).await?;
    tx.commit().await?;
    Ok(found.into_iter().map(|passage| (passage.chunk_id, passage)).collect())
}

/// Turns a candidate into a hit that cites where it stands and explains itself.
pub fn hit(candidate: RankedChunk, asked: &BTreeMap<String, u32>) -> KnowledgeHit {
    let RankedChunk { found, similarity, matched_by, floor, score, parts } = candidate;
    let name = found.reference.clone().unwrap_or_else(|| found.title.clone());
    // The document's own title as first heading says nothing that the name does not.
    let heading = found.heading_path.last().filter(|heading| **heading != found.title && !heading.starts_with(&name));
    let citation = heading.map_or_else(|| name.clone(), |heading| format!("{name}, {heading}"));
    let matched_words = words::matched_words(&found.embedded_text(), asked);
    KnowledgeHit {
        chunk_id: found.chunk_id,
        document_id: found.document_id,
        kind: found.kind,
        spec_id: found.reference.clone().filter(|_| found.kind == DocumentKind::Spec),
        adr_id: found.reference.clone().filter(|_| found.kind == DocumentKind::Adr),
        attribution: format!("Per {name}: {}", found.content),
        explanation: explain(matched_by, similarity, &matched_words, &parts, score),
        title: found.title,
        heading_path: found.heading_path,
        path: found.path,
        content: found.content,
        source_tag: SourceTag::Canonical,
        similarity,
        recency_score: 1.0,
        score,
        parts,
        floor,
        matched_by,
        matched_words,
        citation,
    }
}

/// Why a piece of knowledge is in an answer, as a sentence.
pub(crate) fn explain(matched_by: MatchedBy, similarity: f64, matched_words: &[String], parts: &[Part], score: f64) -> String {
    let sum = if parts.is_empty() { String::new() } else { format!(" {}, which makes {score:.2}.", explain::sum_of(parts)) };
    format!("{}; decided knowledge does not fade.{sum}", explain::how_found(matched_by, similarity, matched_words))
}

/// What is embedded: a chunk means little without what it stands under.
pub(super) fn embedded_text(reference: Option<&str>, title: &str, heading_path: &[String], content: &str) -> String {
    let headings = heading_path.iter().map(String::as_str).filter(|heading| *heading != title);
    let above: Vec<&str> = reference.into_iter().chain([title]).chain(headings).collect();
    format!("{}\n{content}", above.join(" › "))
}

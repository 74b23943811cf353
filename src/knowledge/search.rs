//! Search in knowledge, for its own tool and for recalls.

use super::{cached, past, store};
use crate::ranking::{self, explain};
use async_recursion::async_recursion as boxed;
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy};
use foundation::engine::Missing;
use foundation::index::WordMatches;
use foundation::registry::Floors;
use foundation::usage::Payer;
use foundation::{Checks, Engine, Error, OpContext};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use verb::verb;
use wire::{
    ChunkId, DegradedPart, DocumentKind, K_MAX, KnowledgeHit, KnowledgeRequest, KnowledgeResponse, MatchedBy, Part, QUERY_MAX, Ranking,
    SourceTag,
};
use words::bm25::{Postings, Words};
use words::hybrid;
use words::identifiers::Identifiers;
use words::quote::inline;
use words::stems;

/// A question, prepared for a search.
#[derive(Clone, Debug)]
pub struct PreparedQuery {
    /// The text that was embedded.
    pub text: String,
    /// Its terms, and those of the question as it was asked.
    pub terms: BTreeMap<String, u32>,
    /// The terms of each wording.
    pub wordings: Vec<BTreeMap<String, u32>>,
    /// Absent when the model did not answer in time, or nothing is left to pay for it.
    pub vector: Option<Arc<[f32]>>,
    /// Why there is no vector.
    lack: Missing,
}

impl PreparedQuery {
    /// Embeds a text; without the model or a balance there is no vector.
    pub async fn new(engine: &Engine, payer: Payer, text: String) -> Self {
        match engine.embed_query(payer, &text).await {
            Ok(vector) => Self { vector: Some(vector), ..Self::words(text) },
            Err(lack) => Self { lack, ..Self::words(text) },
        }
    }

    /// A query by words alone.
    pub fn words(text: String) -> Self {
        let terms = stems::terms(&text);
        Self { wordings: vec![terms.clone()], terms, vector: None, lack: Missing::Embedding, text }
    }

    /// The part that could not run.
    pub fn missing(&self) -> Option<DegradedPart> {
        self.vector.is_none().then(|| self.lack.part())
    }

    /// The words of the question, as rankings weigh them.
    pub fn question_words(&self) -> Words {
        Words::new(&self.terms, &self.wordings)
    }

    /// Adds another wording to the search by words.
    pub fn or_by_words_of(mut self, wording: &str) -> Self {
        let terms = stems::terms(wording);
        if !terms.is_empty() && !self.wordings.contains(&terms) {
            self.terms.extend(terms.clone());
            self.wordings.push(terms);
        }
        self
    }
}

/// The ranking of a search in knowledge alone: the same as that of a recall that names none.
const RANKING: Ranking = Ranking::HybridDecay;
/// Least number of candidates of each side.
const BEST: usize = 20;

/// A search for candidates: the query, what it searches, and how it scores.
#[derive(Clone, Copy, Debug)]
pub struct CandidateQuery<'a> {
    pub prepared: &'a PreparedQuery,
    /// Of these kinds of documents; of all kinds if empty.
    pub kinds: &'a [DocumentKind],
    /// Of these categories, each a kind or the name of a collection; of all if empty. Only for searches of the present.
    pub categories: &'a [String],
    pub ranking: Ranking,
    pub floors: Floors,
    /// Most candidates.
    pub most: usize,
    /// Present: searches the documents in force at that moment.
    pub at: Option<DateTime<Utc>>,
}

/// A chunk with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedChunk {
    pub found: store::CitedChunk,
    /// The value that is compared with the floor, 0 to 1: its cosine, or its normalised BM25 if only that reaches its floor.
    pub similarity: f64,
    pub matched_by: MatchedBy,
    pub floor: f64,
    /// The value that orders it, also among memories. Knowledge does not decay.
    pub score: f64,
    pub parts: Vec<Part>,
}

impl RankedChunk {
    /// Scores a chunk as the ranking scores a new memory with the same text. The formula is the same for all chunks, with or without a
    /// vector. A chunk that is `named` in the query gets as much as all the words of the query in addition, however long the chunk or the
    /// query is.
    fn new(found: store::FoundChunk, bm25: Option<f64>, named: bool, query: &CandidateQuery<'_>) -> Self {
        let CandidateQuery { ranking, floors, .. } = *query;
        let store::FoundChunk { cited, semantic } = found;
        let semantic = semantic.map(|cosine| cosine.clamp(0.0, 1.0));
        let lexical = bm25.map(|bm25| bm25 + f64::from(u8::from(named)));
        let (similarity, floor, matched_by) = ranking::relevance(semantic, lexical, floors);
        let (parts, score) = match ranking {
            Ranking::Decay => (vec![], ranking::undecayed(semantic, bm25, named)),
            Ranking::Hybrid | Ranking::HybridDecay => {
                let characters = i32::try_from(cited.content.chars().count()).unwrap_or(i32::MAX);
                let parts = hybrid::decided(ranking, semantic, bm25, named, characters);
                let score = hybrid::sum(&parts);
                (parts, score)
            }
        };
        Self { found: cited, similarity: similarity.min(1.0), matched_by, floor, score, parts }
    }

    /// Whether it is relevant enough.
    pub fn passed(&self) -> bool {
        self.similarity >= self.floor
    }
}

/// Searches knowledge alone.
///
/// # Errors
/// `Forbidden` without `kb:read`; `Invalid` for an empty or over-long query or a `k` outside 1..=100; `Unavailable` when the database is
/// out of reach.
#[verb(scope = KbRead)]
pub async fn search(engine: &Engine, ctx: &OpContext, request: KnowledgeRequest) -> Result<KnowledgeResponse, Error> {
    Checks::default()
        .bytes("query", &request.query, QUERY_MAX)
        .that((1..=K_MAX).contains(&request.k), "k", format!("is {}; it may be 1 to {K_MAX}", request.k))
        .done()?;
    let prepared = PreparedQuery::new(engine, ctx.into(), request.query).await;
    let query = CandidateQuery {
        prepared: &prepared,
        kinds: &request.kinds,
        categories: &[],
        ranking: RANKING,
        floors: engine.model().floors,
        most: usize::try_from(request.k).unwrap_or(usize::MAX),
        at: None,
    };
    let found = candidates(engine, ctx.tenancy(), &query).await?;
    let hits = found.into_iter().filter(RankedChunk::passed).map(|candidate| hit(candidate, &prepared.terms)).collect();
    let degraded = prepared.missing().iter().map(ToString::to_string).collect();
    metrics::counter!("shared_kb_search_total").increment(1);
    Ok(KnowledgeResponse { hits, degraded })
}

/// The best chunks, those above the floor first, best first: the best by words and the best by meaning, each scored by both.
///
/// # Errors
/// `Unavailable` when the database is out of reach; about the past, `Invalid` when too much was retired since.
#[boxed]
#[tracing::instrument(skip_all, fields(tenant = %tenancy.tenant))]
pub async fn candidates(engine: &Engine, tenancy: Tenancy, query: &CandidateQuery<'_>) -> Result<Vec<RankedChunk>, Error> {
    let CandidateQuery { prepared, kinds, categories, most, at, .. } = *query;
    let model = &engine.model().name;
    let lookup = store::Lookup { tenant: tenancy.tenant, model, vector: prepared.vector.as_deref(), kinds, categories, at };
    let words = prepared.question_words();
    let then = match at {
        Some(at) => Some(past::difference(engine, tenancy, &words, kinds, at).await?),
        None => None,
    };
    let best = most.max(BEST);
    let (mut tx, store::Sides { words: mut found, nearest }) = cached::begin(engine, tenancy, &lookup, &words.terms, best).await?;
    if let Some(then) = then {
        found.add(then);
    }
    let WordMatches { postings, apart: others, statistics } = found;
    // Chunks of every kind count for how rare a word is.
    let postings = Postings::new(&words, statistics, &postings, |_| true);
    let identifiers = Identifiers::in_documents(&prepared.text, &words.terms);
    let may_name = identifiers.candidates(statistics, &postings);
    let by_words = postings.best(best, |id, _| !others.contains(&id));
    let by_name = postings.best(best, |id, _| may_name.contains(&id) && !others.contains(&id));
    let ids: HashSet<ChunkId> = by_words.into_iter().chain(by_name).chain(nearest).collect();
    let found = store::chunks_by_id(&mut tx, &lookup, &ids.into_iter().collect::<Vec<_>>()).await?;
    tx.commit().await?;
    let rank = |chunk: store::FoundChunk| {
        let id = chunk.cited.chunk_id;
        let named = may_name.contains(&id) && identifiers.are_named_in(&chunk.cited.searched_text());
        RankedChunk::new(chunk, postings.relevance(id), named, query)
    };
    let mut candidates: Vec<RankedChunk> = found.into_iter().map(rank).collect();
    candidates.sort_by(|a, b| {
        let order = b.passed().cmp(&a.passed()).then_with(|| b.score.total_cmp(&a.score));
        order.then_with(|| b.found.chunk_id.cmp(&a.found.chunk_id))
    });
    candidates.truncate(most);
    Ok(candidates)
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

/// Turns a candidate into a hit with citation and explanation.
pub fn hit(candidate: RankedChunk, asked: &BTreeMap<String, u32>) -> KnowledgeHit {
    let RankedChunk { found, similarity, matched_by, floor, score, parts } = candidate;
    let name = found.reference.as_deref().unwrap_or(&found.title);
    // A first heading that repeats the document's title adds nothing to the citation.
    let heading = found.heading_path.last().filter(|heading| **heading != found.title && !heading.starts_with(name));
    let name = match found.is_elsewhere {
        true => format!("{name} ({})", found.collection),
        false => name.to_owned(),
    };
    let citation = heading.map_or_else(|| name.clone(), |heading| format!("{name}, {heading}"));
    let matched_words = stems::matched_words(&found.searched_text(), asked);
    KnowledgeHit {
        chunk_id: found.chunk_id,
        document_id: found.document_id,
        kind: found.kind,
        spec_id: found.reference.clone().filter(|_| found.kind == DocumentKind::Spec),
        adr_id: found.reference.clone().filter(|_| found.kind == DocumentKind::Adr),
        attribution: format!("Per {}:", inline(&name)),
        explanation: explain((matched_by, similarity >= floor), similarity, &matched_words, &parts, score),
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

/// Why a chunk is in an answer or, if it does not reach the floor, why not, as a sentence.
pub(crate) fn explain(
    (matched_by, relevant): (MatchedBy, bool),
    similarity: f64,
    matched_words: &[String],
    parts: &[Part],
    score: f64,
) -> String {
    let sum = match parts {
        [] if (score - similarity).abs() < 0.005 => String::new(),
        // Under `decay`, words count for part of what a cosine counts.
        [] => format!(" Its score is {score:.2}."),
        parts => format!(" Score: {}, which makes {score:.2}.", explain::sum_of(parts)),
    };
    format!("{}; decided knowledge does not fade.{sum}", explain::how_found(matched_by, similarity, relevant, matched_words))
}

//! A search in what was: versions, deletions and vectors as they stood at a moment, scored here instead of in the database.

use super::find::Memory;
use super::ranking::Candidate;
use super::store::{self, Past, Reach, Statistics};
use super::words::{self, B, K1, PRIOR_DOCUMENTS};
use crate::engine::Engine;
use crate::error::Error;
use crate::knowledge::Asked;
use crate::memories::model::embedded_text;
use crate::op::Tenancy;
use std::collections::BTreeMap;

/// Memories that a question about the past can look through: they are all read.
pub const PAST_MAX: i64 = 20_000;
/// Texts that are no memory's own any more and get their vector anew, at most.
const EMBEDDED_ANEW: usize = 200;

/// What the agents in reach had at `reach.now`. What could not be compared by meaning any more is told in `lost`.
///
/// # Errors
/// `Invalid` when there were more than [`PAST_MAX`] memories; `Unavailable` when the database is out of reach.
pub async fn memory(engine: &Engine, tenancy: Tenancy, reach: &Reach<'_>, asked: &Asked, lost: &mut Vec<String>) -> Result<Memory, Error> {
    let model = engine.model();
    let mut tx = engine.db().memory.begin(tenancy).await?;
    let count = store::count_past(&mut tx, reach).await?;
    if count > PAST_MAX {
        return Err(Error::invalid("as_of", format!("would look through {count} memories; it may look through {PAST_MAX}")));
    }
    let past = store::past(&mut tx, reach, &model.name, model.dimension).await?;
    tx.commit().await?;
    let documents: Vec<BTreeMap<String, u32>> =
        past.iter().map(|one| words::terms(&embedded_text(&one.memory.topic, &one.memory.wording()))).collect();
    let lexical = bm25(&asked.terms, &documents);
    let semantic = match &asked.vector {
        Some(vector) => cosines(engine, &store::as_stored(vector)?, &past, lost).await?,
        None => vec![None; past.len()],
    };
    let statistics = Statistics {
        documents: count_of(documents.iter().filter(|terms| !terms.is_empty()).count()),
        terms: documents.iter().flat_map(BTreeMap::values).map(|count| i64::from(*count)).sum(),
    };
    let candidates = past.into_iter().zip(lexical).zip(semantic).filter(|((past, _), _)| past.in_reach);
    let candidates: Vec<Candidate> = candidates
        .map(|((past, lexical), semantic)| Candidate { memory: past.memory, semantic, lexical })
        .filter(|candidate| candidate.semantic.is_some() || candidate.lexical.is_some())
        .collect();
    Ok(Memory { candidates, statistics, counts: None })
}

fn count_of(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The normalised BM25 of `store::by_words`, over documents in memory; nothing for those that share no term.
pub fn bm25(asked: &BTreeMap<String, u32>, documents: &[BTreeMap<String, u32>]) -> Vec<Option<f64>> {
    let lengths: Vec<f64> = documents.iter().map(|terms| f64::from(terms.values().sum::<u32>())).collect();
    let count = documents.iter().filter(|terms| !terms.is_empty()).count() as f64;
    let mean = (lengths.iter().sum::<f64>() / count.max(1.0)).max(1.0);
    let idf = |term: &String| {
        let df = documents.iter().filter(|terms| terms.contains_key(term)).count() as f64;
        (1.0 + (count + PRIOR_DOCUMENTS - df + 0.5) / (df + 0.5)).ln()
    };
    let weights: Vec<(&String, f64)> = asked.keys().map(|term| (term, idf(term))).collect();
    let all: f64 = weights.iter().map(|(_, idf)| idf).sum();
    let score = |(terms, length): (&BTreeMap<String, u32>, &f64)| {
        let shared = weights.iter().filter_map(|(term, idf)| Some((idf, f64::from(*terms.get(*term)?))));
        let parts: Vec<f64> = shared.map(|(idf, tf)| idf * tf * (K1 + 1.0) / (tf + K1 * (1.0 - B + B * length / mean))).collect();
        (!parts.is_empty()).then(|| parts.iter().sum::<f64>() / all)
    };
    documents.iter().zip(&lengths).map(score).collect()
}

/// Cosine with each text that had its vector then. Texts that were rewritten since are embedded anew.
async fn cosines(engine: &Engine, query: &[f32], past: &[Past], lost: &mut Vec<String>) -> Result<Vec<Option<f64>>, Error> {
    let anew: Vec<usize> = (0..past.len()).filter(|place| past[*place].embedded && past[*place].vector.is_none()).collect();
    let texts = anew.iter().take(EMBEDDED_ANEW).map(|place| embedded_text(&past[*place].memory.topic, &past[*place].memory.content));
    let texts: Vec<String> = texts.collect();
    let vectors = if texts.is_empty() { Ok(Vec::new()) } else { engine.embed_batch_for_job(texts).await };
    let vectors = vectors.unwrap_or_else(|error| {
        tracing::warn!(%error, "texts of the past get no vector");
        Vec::new()
    });
    if vectors.len() < anew.len() {
        lost.push(format!("{} texts have been rewritten since and could not be compared by meaning", anew.len() - vectors.len()));
    }
    let vectors: Vec<Vec<f32>> = vectors.iter().map(|vector| store::as_stored(vector)).collect::<Result<_, _>>()?;
    let anew: BTreeMap<usize, Vec<f32>> = anew.into_iter().zip(vectors).collect();
    let stored = past.iter().enumerate().map(|(place, one)| one.vector.as_ref().filter(|_| one.embedded).or_else(|| anew.get(&place)));
    Ok(stored.map(|vector| Some(cosine(query, vector?))).collect())
}

/// Of unit vectors, 0 to 1.
fn cosine(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>().clamp(0.0, 1.0)
}

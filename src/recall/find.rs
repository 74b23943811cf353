//! One search: the vocabulary, the vector, then memory and knowledge side by side.

use super::ranking::{self, Floors, Order};
use super::store::{self, Reach, Statistics};
use crate::api::{NothingReason, Ranking};
use crate::db::DbError;
use crate::engine::Engine;
use crate::error::Error;
use crate::knowledge::{self, Asked, Candidate};
use crate::memories::model::embedded_text;
use crate::op::Tenancy;
use chrono::{DateTime, Utc};
use tokio::time::Instant;

/// What is to be searched for, and where.
pub struct Question<'a> {
    pub query: &'a str,
    pub ranking: Ranking,
    pub reach: Reach<'a>,
    /// Candidates of each side at most.
    pub most: i64,
    /// Whether shared knowledge is asked, too.
    pub knowledge: bool,
}

/// What a search came to, before it is cut and told.
pub struct Finding {
    pub order: Order,
    /// Best first, below the floor or not.
    pub knowledge: Vec<Candidate>,
    pub ranking: Ranking,
    pub floors: Floors,
    /// The term that the whole query stands for.
    pub query_canonical: Option<String>,
    /// Otherwise the terms inside it.
    pub inside: Vec<String>,
    pub vocabulary_version: i64,
    pub asked: Asked,
    pub statistics: Statistics,
    /// What could not run: `vocabulary`, `embedding`, `memory`, `knowledge`.
    pub degraded: Vec<String>,
    pub passed: i64,
    pub considered: i64,
    pub now: DateTime<Utc>,
    /// Step and milliseconds, in the order in which they ended.
    pub timings: Vec<(&'static str, f64)>,
}

impl Finding {
    /// Why no memory was found, as far as an agent is told. A silent knowledge base is not the memory's fault.
    pub fn reason(&self) -> NothingReason {
        match (self.degraded.iter().any(|part| part != "knowledge"), self.considered) {
            (true, _) => NothingReason::Degraded,
            (false, 0) => NothingReason::NothingFound,
            (false, _) => NothingReason::BelowFloor,
        }
    }
}

struct Memory {
    by_vector: store::Leg,
    by_words: store::Leg,
    statistics: Statistics,
}

/// Looks the query up in the vocabulary, embeds it, gathers candidates and ranks them. It counts nothing and logs nothing. Where one side is
/// down the other answers, and the finding says so.
///
/// # Errors
/// When memory is out of reach and there is no knowledge to answer instead.
pub async fn find(engine: &Engine, tenancy: Tenancy, question: Question<'_>) -> Result<Finding, Error> {
    let (mut degraded, mut timings) = (Vec::new(), Vec::new());
    let start = Instant::now();
    let (query_canonical, inside, vocabulary_version) = match engine.vocabulary().snapshot(&engine.db().kb, tenancy).await {
        Ok(snapshot) => {
            let resolved = snapshot.resolve(question.query);
            let inside = if resolved.is_canonical { vec![] } else { snapshot.inside(question.query) };
            (resolved.is_canonical.then_some(resolved.topic), inside, snapshot.version)
        }
        Err(error) => {
            tracing::warn!(%error, "recalling without the vocabulary");
            degraded.push("vocabulary".to_owned());
            (None, vec![], 0)
        }
    };
    timings.push(("vocabulary", since(start)));
    let text = match (&query_canonical, inside.as_slice()) {
        (Some(term), _) => term.clone(),
        (None, []) => question.query.to_owned(),
        (None, terms) => embedded_text(&terms.join(", "), question.query),
    };
    let start = Instant::now();
    let asked = Asked::new(engine, text).await;
    if asked.vector.is_none() {
        degraded.push("embedding".to_owned());
    }
    timings.push(("embedding", since(start)));

    let model = engine.model();
    let floors = Floors { vector: model.vector_floor, lexical: model.lexical_floor };
    let start = Instant::now();
    let own = async { (in_memory(engine, tenancy, &question, &asked, floors).await, since(start)) };
    let shared = async {
        match question.knowledge {
            true => Some((knowledge::candidates(engine, tenancy, &asked, &[], question.most).await, since(start))),
            false => None,
        }
    };
    let ((memory, memory_ms), knowledge) = tokio::join!(own, shared);
    timings.push(("memory", memory_ms));
    let knowledge = match knowledge {
        None => None,
        Some((Ok(candidates), ms)) => {
            timings.push(("knowledge", ms));
            Some(candidates)
        }
        Some((Err(error), _)) => {
            tracing::warn!(%error, "recalling without knowledge");
            degraded.push("knowledge".to_owned());
            None
        }
    };
    let memory = match (memory, &knowledge) {
        (Ok(memory), _) => memory,
        (Err(error @ (DbError::Exhausted | DbError::Unavailable(_))), Some(_)) => {
            tracing::warn!(%error, "answering from knowledge alone");
            degraded.push("memory".to_owned());
            Memory { by_vector: store::Leg::default(), by_words: store::Leg::default(), statistics: Statistics::default() }
        }
        (Err(error), _) => return Err(error.into()),
    };
    let start = Instant::now();
    let (passed, considered) = (memory.by_vector.passed + memory.by_words.passed, memory.by_vector.considered + memory.by_words.considered);
    let candidates = memory.by_vector.candidates.into_iter().chain(memory.by_words.candidates).collect();
    let order = ranking::rank(question.ranking, candidates, floors, question.reach.now);
    timings.push(("ranking", since(start)));
    Ok(Finding {
        order,
        knowledge: knowledge.unwrap_or_default(),
        ranking: question.ranking,
        floors,
        query_canonical,
        inside,
        vocabulary_version,
        asked,
        statistics: memory.statistics,
        degraded,
        passed,
        considered,
        now: question.reach.now,
        timings,
    })
}

async fn in_memory(engine: &Engine, tenancy: Tenancy, question: &Question<'_>, asked: &Asked, floors: Floors) -> Result<Memory, DbError> {
    let (reach, most) = (&question.reach, question.most);
    let mut tx = engine.db().memory.begin(tenancy).await?;
    let by_vector = match &asked.vector {
        Some(vector) => store::by_vector(&mut tx, reach, &engine.model().name, vector, floors, most).await?,
        None => store::Leg::default(),
    };
    let statistics = store::statistics(&mut tx, reach).await?;
    let terms: Vec<String> = asked.terms.keys().cloned().collect();
    let by_words = store::by_words(&mut tx, reach, &terms, &statistics, floors, asked.vector.is_some(), most).await?;
    tx.commit().await?;
    Ok(Memory { by_vector, by_words, statistics })
}

fn since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}

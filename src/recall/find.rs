//! One search: the vocabulary, the vector, then memory and knowledge side by side.

use super::question::{Lost, MemorySide, Question, Totals};
use super::{cached, gather, past};
use crate::knowledge::{self, PreparedQuery};
use crate::memories::model::embedded_text;
use crate::ranking::Order;
use crate::vocabulary::Snapshot;
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy};
use foundation::registry::Floors;
use foundation::{Engine, Error};
use std::sync::Arc;
use tokio::time::Instant;
use wire::{DegradedPart, MemoryId, NothingReason, Ranking};
use words::bm25::{Postings, Statistics};
use words::stems;

/// The result of a search, before it is cut to the hits.
pub struct Finding {
    pub order: Order,
    /// Best first, below the floor or not.
    pub knowledge: Vec<knowledge::RankedChunk>,
    pub ranking: Ranking,
    pub floors: Floors,
    /// The term that the whole query resolves to.
    pub query_canonical: Option<String>,
    /// The terms inside it, if it resolves to none.
    pub inside: Vec<String>,
    pub vocabulary_version: i64,
    pub prepared: PreparedQuery,
    pub statistics: Statistics,
    /// What the words of the question are worth among the searched memories.
    pub postings: Postings<MemoryId>,
    /// Parts that could not run.
    pub degraded: Vec<DegradedPart>,
    /// How many memories were scored, and how many of them were not relevant enough.
    pub scored: i64,
    pub below_floor: i64,
    /// Present if the question asked for them.
    pub totals: Option<Totals>,
    pub now: DateTime<Utc>,
    /// What could not be rebuilt of the past.
    pub lost: Lost,
    /// Step and milliseconds, in the order in which they ended.
    pub timings: Vec<(&'static str, f64)>,
}

impl Finding {
    /// The names of the parts that could not run.
    pub fn missing(&self) -> Vec<String> {
        self.degraded.iter().map(ToString::to_string).collect()
    }

    /// Why no memory was found, as an agent sees it. Knowledge that is down is not a reason: it says nothing about memory.
    pub fn reason(&self) -> NothingReason {
        match (self.degraded.iter().any(|part| *part != DegradedPart::Knowledge), self.scored) {
            (true, _) => NothingReason::Degraded,
            (false, 0) => NothingReason::NothingFound,
            (false, _) => NothingReason::BelowFloor,
        }
    }
}

/// Looks the query up in the vocabulary, embeds it, gathers candidates and ranks them. It counts nothing and logs nothing. If one side is
/// down, the other answers, and the finding says so.
///
/// # Errors
/// When memory is out of reach and there is no knowledge for an answer.
#[tracing::instrument(skip_all, fields(tenant = %question.reach.tenancy.tenant))]
pub async fn find(engine: &Engine, question: Question<'_>) -> Result<Finding, Error> {
    let tenancy = question.reach.tenancy;
    let (mut degraded, mut lost, mut timings) = (Vec::new(), Lost::default(), Vec::new());
    let start = Instant::now();
    let (query_canonical, inside, vocabulary_version) = match snapshot(engine, tenancy, &question).await {
        Ok(snapshot) => {
            let (canonical, inside) = names(&snapshot, question.query);
            (canonical, inside, snapshot.version)
        }
        Err(error) => {
            tracing::warn!(%error, "the vocabulary could not be read; a recall goes on without it");
            degraded.push(DegradedPart::Vocabulary);
            (None, vec![], 0)
        }
    };
    timings.push(("vocabulary", since(start)));
    let text = searched(question.query, query_canonical.as_deref(), &inside);
    let start = Instant::now();
    let prepared = if question.runs(DegradedPart::Embedding) {
        PreparedQuery::new(engine, tenancy.into(), text).await
    } else {
        PreparedQuery::words(text)
    };
    // Memories that use the words of the question are found, too: an alias is a wording of its own.
    let prepared = prepared.or_by_words_of(question.query);
    degraded.extend(prepared.missing());
    timings.push(("embedding", since(start)));

    let model = engine.model();
    let floors = floors_of(&prepared, question.floors.unwrap_or(model.floors));
    // Documents are not about the person who asks.
    let floors_of_knowledge = if floors.vector > 0.0 { floors } else { model.floors };
    let start = Instant::now();
    let own = async { (in_memory(engine, tenancy, &question, &prepared, floors, &mut lost).await, since(start)) };
    let shared = async {
        match question.knowledge && question.runs(DegradedPart::Knowledge) {
            true => Some((in_knowledge(engine, tenancy, &question, &prepared, floors_of_knowledge).await, since(start))),
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
            tracing::warn!(%error, "knowledge could not be searched; a recall goes on without it");
            degraded.push(DegradedPart::Knowledge);
            None
        }
    };
    let memory = match (memory, &knowledge) {
        (Ok(memory), _) => memory,
        (Err(Error::Db(error)), Some(_)) if error.is_away() => {
            tracing::warn!(%error, "memory could not be searched; a recall returns knowledge only");
            degraded.push(DegradedPart::Memory);
            MemorySide::default()
        }
        (Err(error), _) => return Err(error),
    };
    Ok(Finding {
        order: memory.order,
        knowledge: knowledge.unwrap_or_default(),
        ranking: question.ranking,
        floors,
        query_canonical,
        inside,
        vocabulary_version,
        prepared,
        statistics: memory.statistics,
        postings: memory.postings,
        degraded,
        scored: memory.scored,
        below_floor: memory.below_floor,
        totals: memory.totals,
        now: question.reach.now,
        lost,
        timings,
    })
}

/// The floors of a question. "Who am I?" has no word of content that a memory could share: then what is nearest in meaning is the answer,
/// however far it is.
pub(super) fn floors_of(prepared: &PreparedQuery, floors: Floors) -> Floors {
    if stems::has_only_function_words(&prepared.text) { Floors { vector: 0.0, ..floors } } else { floors }
}

/// The term that a whole question resolves to; if there is none, the terms inside it.
pub(super) fn names(snapshot: &Snapshot, query: &str) -> (Option<String>, Vec<String>) {
    let resolved = snapshot.resolve(query);
    let inside = if resolved.is_canonical { vec![] } else { snapshot.inside(query) };
    (resolved.is_canonical.then_some(resolved.topic), inside)
}

/// The text that is embedded for a question: its canonical form, or the question with the terms inside it.
pub(super) fn searched(query: &str, canonical: Option<&str>, inside: &[String]) -> String {
    match (canonical, inside) {
        (Some(term), _) => term.to_owned(),
        (None, []) => query.to_owned(),
        (None, terms) => embedded_text(&terms.join(", "), query),
    }
}

async fn snapshot(engine: &Engine, tenancy: Tenancy, question: &Question<'_>) -> Result<Arc<Snapshot>, DbError> {
    match &question.past {
        _ if !question.runs(DegradedPart::Vocabulary) => Ok(Arc::new(Snapshot::default())),
        None => engine.vocabulary().snapshot(&engine.db().kb, tenancy).await,
        Some(past) => engine.vocabulary().as_of(&engine.db().kb, tenancy, past.vocabulary).await.map(Arc::new),
    }
}

/// The memories of a prepared question, by its ranking.
///
/// # Errors
/// When the database is out of reach.
pub(super) async fn in_memory(
    engine: &Engine,
    tenancy: Tenancy,
    question: &Question<'_>,
    prepared: &PreparedQuery,
    floors: Floors,
    lost: &mut Lost,
) -> Result<MemorySide, Error> {
    if !question.runs(DegradedPart::Memory) {
        return Ok(MemorySide::default());
    }
    if question.past.is_some() {
        return past::memory(engine, tenancy, question, prepared, floors, lost).await;
    }
    // The snapshot of the transaction is later than that of every cell.
    let cached = cached::look_up(engine, &question.reach);
    let mut tx = engine.db().memory.begin_planned_once(tenancy).await?;
    // Nothing is written: the transaction ends when it is dropped, and the answer does not wait for that.
    Ok(match question.ranking {
        Ranking::Decay => gather::by_decay(&mut tx, engine, question, prepared, floors, cached).await?,
        Ranking::Hybrid | Ranking::HybridDecay => gather::by_hybrid(&mut tx, engine, question, prepared, floors, cached).await?,
    })
}

async fn in_knowledge(
    engine: &Engine,
    tenancy: Tenancy,
    question: &Question<'_>,
    prepared: &PreparedQuery,
    floors: Floors,
) -> Result<Vec<knowledge::RankedChunk>, Error> {
    let query = knowledge::CandidateQuery {
        prepared,
        kinds: &[],
        categories: &[],
        ranking: question.ranking,
        floors,
        most: usize::try_from(question.most).unwrap_or_default(),
        at: question.past.as_ref().map(|_| question.reach.now),
    };
    knowledge::candidates(engine, tenancy, &query).await
}

fn since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}

//! explain: where a memory comes from, or why a recall gave its answer.

use super::{retrieval, retrievals};
use crate::memories;
use crate::ranking::explain::evidence_of;
use foundation::{Engine, Error, OpContext};
use verb::verb;
use wire::{ExplainRequest, Explanation, MemoryRecord, MemoryRef, Relation, RetrievalDetail, RetrievalFilter, RetrievalId, UserRef};
use words::shorten;

/// Most recalls that an explanation lists.
const RECALLS: usize = 10;
/// Longest quote in the sentence, in characters. The answer has it whole.
const QUOTE: usize = 200;

/// Explains a memory (where it comes from, what happened to it, which recalls returned it) or a recall (why each hit was in it, and the
/// near misses). Of a memory of its own that was forgotten an agent learns only when.
///
/// # Errors
/// `Invalid` unless exactly one of both is named; else as [`crate::memories::record`] and [`super::retrieval`].
#[verb]
pub async fn explain(engine: &Engine, ctx: &OpContext, request: ExplainRequest) -> Result<Explanation, Error> {
    match (request.memory_id, request.retrieval_id) {
        (Some(name), None) => memory(engine, ctx, &name, request.user_id.as_ref()).await,
        (None, Some(id)) => recall(engine, ctx, id, request.user_id.as_ref()).await,
        (Some(_), Some(_)) => Err(Error::invalid("retrieval_id", "cannot be combined with memory_id: name one of them")),
        (None, None) => Err(Error::invalid("memory_id", "is missing, and so is retrieval_id: name one of them")),
    }
}

async fn memory(engine: &Engine, ctx: &OpContext, name: &MemoryRef, user: Option<&UserRef>) -> Result<Explanation, Error> {
    let record = match memories::record(engine, ctx, name, user).await {
        Ok(record) => record,
        Err(Error::NotFound(what)) => {
            let at = memories::forgotten_at(engine, ctx, name, user).await?.ok_or(Error::NotFound(what))?;
            let sentence = format!("This memory was forgotten on {}. No agent can read it any more.", at.format("%-d %B %Y"));
            return Ok(Explanation { sentence, memory: None, recalled_by: vec![], retrieval: None });
        }
        Err(error) => return Err(error),
    };
    let filter = RetrievalFilter { memory_id: Some(record.memory_id), user_id: user.cloned(), ..RetrievalFilter::default() };
    let recalls = retrievals(engine, ctx, &filter).await?;
    let sentence = of_memory(&record, recalls.total);
    let recalled_by = recalls.rows.into_iter().take(RECALLS).collect();
    Ok(Explanation { sentence, memory: Some(Box::new(record)), recalled_by, retrieval: None })
}

async fn recall(engine: &Engine, ctx: &OpContext, id: RetrievalId, user: Option<&UserRef>) -> Result<Explanation, Error> {
    let detail = retrieval(engine, ctx, id, user).await?;
    Ok(Explanation { sentence: of_recall(&detail), memory: None, recalled_by: vec![], retrieval: Some(Box::new(detail)) })
}

fn of_memory(record: &MemoryRecord, recalls: i64) -> String {
    // Later versions may come from somewhere else.
    let source = record.versions.last().map_or(&record.source, |first| &first.source);
    let place = match record.quotes.first() {
        Some(quote) => format!(", from “{}”: “{}”", quote.source_title, shorten(&quote.quote, QUOTE)),
        None => evidence_of(record.evidence_ref.as_deref(), source).map_or_else(String::new, |place| format!(", from {place}")),
    };
    let said = source.observed_at.map_or_else(String::new, |at| format!(", said on {}", at.format("%-d %B %Y")));
    let mut told = vec![format!("Remembered on {}{place}{said}", record.created_at.format("%-d %B %Y"))];
    if let Some(newest) = record.versions.first().filter(|newest| newest.version > 1) {
        let who = &newest.actor_name;
        told.push(format!("{} on {} by {who}; it is at version {}", newest.change, newest.valid_from.format("%-d %B %Y"), newest.version));
    }
    let count = |relation: Relation| record.links.iter().filter(|link| link.relation == relation).count();
    match count(Relation::Contradicts) {
        0 => {}
        1 => told.push("one memory says otherwise".into()),
        n => told.push(format!("{n} memories say otherwise")),
    }
    told.push(match recalls {
        0 => "no recall in the log returned it".into(),
        1 => "one recall in the log returned it".into(),
        n => format!("{n} recalls in the log returned it"),
    });
    format!("{}.", told.join("; "))
}

fn of_recall(detail: &RetrievalDetail) -> String {
    let asked = &detail.retrieval;
    let returned = asked.hits + asked.knowledge_hits;
    let below = detail.considered.iter().filter(|one| !one.passed).count();
    let canonical = asked.query_canonical.as_deref().map_or_else(String::new, |term| format!(", which stands for {term}"));
    let mut told = format!(
        "Asked on {} for “{}”{canonical}, ranked by {}: {returned} of at most {} hits returned",
        asked.at.format("%-d %B %Y"),
        asked.query,
        asked.ranking,
        asked.k
    );
    match below {
        0 => {}
        1 => told.push_str("; the nearest one below the floor is shown, too"),
        n => told.push_str(&format!("; the {n} nearest ones below the floor are shown, too")),
    }
    if !asked.degraded.is_empty() {
        told.push_str(&format!("; these parts could not run: {}", asked.degraded.join(", ")));
    }
    format!("{told}.")
}

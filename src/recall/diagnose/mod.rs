//! Why an agent does not get a memory: the memory walks through every gate of a real recall. For operators only.

mod facts;
mod order;
mod record;
mod relevance;

use super::agent_recall::AgentRecall;
use crate::memories::{self, model::Memory};
use facts::Facts;
use foundation::{Engine, Error, OpContext};
use verb::verb;
use wire::{DiagnoseRequest, DiagnosedMemory, Diagnosis, Gate, GateOutcome, GateResult, MemoryRef, Mend, OperatorRole, Relevance};

/// Runs a recall as the agent's keys would, and follows one memory through it: which gates let it through, the first that stops it, and
/// what would mend that; or its place in the answer. Nothing is counted or logged.
///
/// A memory of another organisation is answered like one that does not exist.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `NotFound` for another tenant's agent; `Invalid` for a question about the past, for a user that
/// is missing or unknown, and as [`super::recall`]; `Unavailable` when memory cannot be searched.
#[verb]
pub async fn diagnose(engine: &Engine, ctx: &OpContext, request: &DiagnoseRequest) -> Result<Diagnosis, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    let DiagnoseRequest { agent_id, memory, recall } = request;
    if recall.as_of.is_some() {
        return Err(Error::invalid("as_of", "is not allowed here: a diagnosis is about now; replay a recall to see the past"));
    }
    let agent_recall = AgentRecall::new(engine, ctx, *agent_id, recall).await?;
    let Some(memory) = named(engine, ctx, &agent_recall, memory).await? else { return Ok(unknown(&agent_recall)) };
    let facts = Facts::gather(engine, ctx, &agent_recall, memory).await?;
    let mut gates = record::gates(&facts);
    gates.extend(relevance::gates(&facts));
    let in_reach = gates.iter().take_while(|result| result.gate != Gate::Vector).all(|result| result.outcome != GateOutcome::Stopped);
    gates.extend(order::gates(&facts, in_reach));
    Ok(answer(facts, gates))
}

/// The memory that a name means: the agent's own before a shared one, and these before other agents' memories.
async fn named(engine: &Engine, ctx: &OpContext, agent_recall: &AgentRecall<'_>, name: &MemoryRef) -> Result<Option<Memory>, Error> {
    let (tenancy, mut tx) = (ctx.tenancy(), engine.db().memory.begin(ctx.tenancy()).await?);
    let mut found = match name {
        MemoryRef::Id(id) => memories::store::by_ids(&mut tx, tenancy, None, &[*id], false).await?,
        MemoryRef::Short(short) => memories::store::by_short(&mut tx, tenancy, &agent_recall.agents, short, false).await?,
    };
    if let (MemoryRef::Short(short), true) = (name, found.is_empty()) {
        found = memories::store::by_short(&mut tx, tenancy, &[], short, false).await?;
    }
    tx.commit().await?;
    Ok(found.into_iter().next())
}

/// The answer for a memory that the organisation does not have.
fn unknown(agent_recall: &AgentRecall<'_>) -> Diagnosis {
    let detail = "No memory of this organisation has this id.";
    let tenant = stopped(Gate::Tenant, detail, Mend::new("Check the id. A deleted memory would still be found."));
    let others = Gate::ALL.iter().filter(|gate| **gate != Gate::Tenant).map(|gate| open(*gate, "There is no memory to check."));
    Diagnosis {
        agent_slug: agent_recall.agent.slug.clone(),
        memory: None,
        verdict: detail.into(),
        stopped_by: Some(Gate::Tenant),
        rank: None,
        gates: std::iter::once(tenant).chain(others).collect(),
        relevance: None,
        searched: String::new(),
        degraded: vec![],
    }
}

fn answer(facts: Facts<'_>, gates: Vec<GateResult>) -> Diagnosis {
    let slug = &facts.agent_recall.agent.slug;
    let stop = gates.iter().find(|result| result.outcome == GateOutcome::Stopped);
    let verdict = match (stop, facts.place.rank) {
        (Some(stop), _) => format!("{slug} does not get this memory: {}", as_clause(&stop.detail)),
        (None, Some(rank)) => format!("{slug} gets this memory at rank {rank} of {}.", facts.place.hits),
        (None, None) => format!("{slug} does not get this memory, although no gate stops it. It may have changed a moment ago: try again."),
    };
    let relevance = Relevance {
        similarity: facts.semantic,
        similarity_floor: facts.found.floors.vector,
        words: facts.lexical,
        words_floor: facts.found.floors.lexical,
        matched_words: facts.matched_words(),
        score: facts.ranked().map(|ranked| ranked.score),
        last_hit: facts.place.last_hit,
        explanation: facts.explanation(),
    };
    Diagnosis {
        agent_slug: slug.clone(),
        verdict,
        stopped_by: stop.map(|stop| stop.gate),
        rank: facts.place.rank,
        gates,
        relevance: Some(relevance),
        degraded: facts.found.missing(),
        searched: facts.found.prepared.text,
        memory: Some(DiagnosedMemory {
            id: facts.memory.id,
            short_id: facts.memory.short_id,
            agent_slug: facts.owner,
            topic: facts.memory.topic,
            restorable: facts.memory.deleted_at.is_some() || facts.memory.archived_at.is_some(),
            deleted_by: facts.memory.deleted_by,
            delete_reason: facts.memory.delete_reason,
            content: facts.memory.content,
        }),
    }
}

/// A sentence as the end of another one: “It expired.” becomes “it expired.”
fn as_clause(sentence: &str) -> String {
    let mut characters = sentence.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

fn passed(gate: Gate, detail: impl Into<String>) -> GateResult {
    GateResult { gate, outcome: GateOutcome::Passed, detail: detail.into(), mend: None }
}

fn open(gate: Gate, detail: impl Into<String>) -> GateResult {
    GateResult { gate, outcome: GateOutcome::Open, detail: detail.into(), mend: None }
}

fn short(gate: Gate, detail: impl Into<String>, mend: Mend) -> GateResult {
    GateResult { gate, outcome: GateOutcome::Short, detail: detail.into(), mend: Some(mend) }
}

fn stopped(gate: Gate, detail: impl Into<String>, mend: Mend) -> GateResult {
    GateResult { gate, outcome: GateOutcome::Stopped, detail: detail.into(), mend: Some(mend) }
}

//! A run: every question of a set again, as its agent and its user see memory now. Nothing of it is logged or counted as a recall.

use crate::score::{Measured, Scores};
use crate::state::State;
use crate::store::{self, NewRun, StoredExpectation, Successor};
use foundation::engine::{Evaluating, Evaluator};
use foundation::{Engine, Error, OpContext};
use remembrancer::recall;
use serde_json::{Value, json};
use std::collections::HashMap;
use verb::verb;
use wire::{
    CandidateLink, DegradedPart, DiagnoseRequest, ExpectationRun, ExpectationRunId, ExpectationSetId, Gate, MemoryId, MemoryRef,
    PlaygroundCandidate, PlaygroundRequest, RecallRequest, RunCause, UserRef,
};

/// Runs sets for the workers of the engine.
pub struct Runner;

impl Evaluator for Runner {
    fn evaluate<'a>(&'a self, engine: &'a Engine, ctx: &'a OpContext, set: ExpectationSetId, cause: RunCause) -> Evaluating<'a> {
        Box::pin(run(engine, ctx, set, cause))
    }
}

/// Runs the set of a job. The run has the id of the job, so that a job which is done again stores it once.
async fn run(engine: &Engine, ctx: &OpContext, set: ExpectationSetId, cause: RunCause) -> Result<Value, Error> {
    match evaluate(engine, ctx, set, cause, ExpectationRunId(ctx.request_id.0)).await {
        Ok(run) => Ok(json!({ "counted": run.counted, "met": run.met })),
        Err(Error::NotFound(_)) => Ok(json!({ "result": "the set was deleted" })),
        Err(error) => Err(error),
    }
}

/// Runs a set now and stores the run under an id.
///
/// # Errors
/// `NotFound` for a set that the organisation does not have; `Unavailable` when a part of the search cannot run, because the numbers would
/// say nothing about the memories.
#[verb]
pub async fn evaluate(
    engine: &Engine,
    ctx: &OpContext,
    set: ExpectationSetId,
    cause: RunCause,
    id: ExpectationRunId,
) -> Result<ExpectationRun, Error> {
    let state = State::now(engine, ctx).await?;
    let mut tx = engine.db().memory.begin_snapshot(ctx.tenancy()).await?;
    if store::sets(&mut tx, ctx.tenant_id, Some(set)).await?.is_empty() {
        return Err(Error::NotFound("set of expectations"));
    }
    let expectations = store::expectations(&mut tx, ctx.tenancy(), set).await?;
    let named: Vec<MemoryId> = expectations.iter().flat_map(|one| one.memory_ids.iter().copied()).collect();
    let successors = store::successors(&mut tx, ctx.tenancy(), &named).await?;
    tx.commit().await?;
    let successors: HashMap<MemoryId, Successor> = successors.into_iter().map(|one| (one.named, one)).collect();
    let mut results = Vec::with_capacity(expectations.len());
    for one in expectations {
        let measured = measure(engine, ctx, &one, &left(&one, &successors)).await?;
        results.push((one, measured));
    }
    let scores = Scores::of(results.iter().map(|(_, measured)| measured));
    let k = RecallRequest::new("").k;
    let run = NewRun { id, set, at: engine.clock().now(), cause, state: &state, k, expectations: results.len(), scores };
    store_run(engine, ctx, &run, &results).await
}

/// Runs of a set that are kept, and those of them whose results are kept, too.
const RUNS_KEPT: i64 = 200;
const RESULTS_KEPT: i64 = 10;

/// Stores a run, unless it is stored already.
async fn store_run(
    engine: &Engine,
    ctx: &OpContext,
    run: &NewRun<'_>,
    results: &[(StoredExpectation, Measured)],
) -> Result<ExpectationRun, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    // Whoever deletes the set meanwhile waits, or has deleted it.
    store::lock_sets(&mut tx, ctx.tenant_id).await?;
    if store::sets(&mut tx, ctx.tenant_id, Some(run.set)).await?.is_empty() {
        return Err(Error::NotFound("set of expectations"));
    }
    if store::insert_run(&mut tx, ctx.tenant_id, run).await? {
        store::insert_results(&mut tx, ctx.tenant_id, run.id, results).await?;
        store::note_request(&mut tx, ctx.tenant_id, run.set, &run.state.to_string()).await?;
        store::forget_old_runs(&mut tx, ctx.tenant_id, run.set, RESULTS_KEPT, RUNS_KEPT).await?;
    }
    let stored = store::runs(&mut tx, ctx.tenant_id, Some(run.set), RUNS_KEPT).await?.into_iter().find(|one| one.run.id == run.id);
    tx.commit().await?;
    stored.map(|one| one.run).ok_or_else(|| Error::internal("a run of expectations was stored and cannot be read"))
}

/// The memories of an expectation that are neither deleted nor erased, as they are now.
fn left(one: &StoredExpectation, successors: &HashMap<MemoryId, Successor>) -> Vec<MemoryId> {
    let mut left: Vec<MemoryId> =
        one.memory_ids.iter().filter_map(|id| successors.get(id)).filter(|now| !now.is_deleted).map(|now| now.id).collect();
    left.sort();
    left.dedup();
    left
}

/// Runs the recall of an expectation once, and looks for its memories in the answer. Only if one is missing, a diagnosis says why.
async fn measure(engine: &Engine, ctx: &OpContext, one: &StoredExpectation, left: &[MemoryId]) -> Result<Measured, Error> {
    let expected = i32::try_from(left.len()).unwrap_or(i32::MAX);
    let unmet = Measured { expected, ..Measured::default() };
    if left.is_empty() {
        return Ok(unmet);
    }
    let recall = RecallRequest { user_id: one.user_id.map(UserRef::Id), ..RecallRequest::new(&one.query) };
    let request = PlaygroundRequest { agent_id: one.agent_id, recall };
    let answer = match recall::playground(engine, ctx, &request).await {
        Ok(answer) => answer,
        // The rules of the agent's keys changed: such a recall finds nothing.
        Err(Error::Invalid(_) | Error::NotFound(_)) => return Ok(unmet),
        Err(error) => return Err(error),
    };
    check_complete(&answer.degraded)?;
    let ranks = ranks(&answer.candidates);
    let (found, missing): (Vec<MemoryId>, Vec<MemoryId>) = left.iter().copied().partition(|id| ranks.contains_key(id));
    Ok(Measured {
        found: i32::try_from(found.len()).unwrap_or(i32::MAX),
        rank: found.iter().filter_map(|id| ranks.get(id).copied()).min(),
        stopped_by: first_stop(engine, ctx, &request, &missing).await?,
        ..unmet
    })
}

/// The ranks of the memories in an answer.
fn ranks(candidates: &[PlaygroundCandidate]) -> HashMap<MemoryId, i32> {
    let ranked = candidates.iter().filter_map(|candidate| match candidate.link {
        CandidateLink::Memory(id) => Some((id, i32::try_from(candidate.rank?).ok()?)),
        CandidateLink::Document(_) => None,
    });
    ranked.collect()
}

/// The gate that stops the first of some memories that one stops.
async fn first_stop(engine: &Engine, ctx: &OpContext, request: &PlaygroundRequest, missing: &[MemoryId]) -> Result<Option<Gate>, Error> {
    for id in missing {
        let request = DiagnoseRequest { agent_id: request.agent_id, memory: MemoryRef::Id(*id), recall: request.recall.clone() };
        match recall::diagnose(engine, ctx, &request).await {
            Ok(diagnosis) => {
                check_complete(&diagnosis.degraded)?;
                if diagnosis.stopped_by.is_some() {
                    return Ok(diagnosis.stopped_by);
                }
            }
            // It was erased meanwhile, or the rules of the agent's keys changed.
            Err(Error::Invalid(_) | Error::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Refuses to measure by an answer from which a part of the search is missing.
fn check_complete(degraded: &[String]) -> Result<(), Error> {
    use DegradedPart::{Balance, Embedding, Knowledge, Memory, Vocabulary};
    let needed = [Embedding, Balance, Vocabulary, Knowledge, Memory];
    match needed.into_iter().find(|part| degraded.iter().any(|name| name == part.as_str())) {
        Some(part) => Err(Error::Unavailable(format!("a part of the search cannot run at the moment: {part}"))),
        None => Ok(()),
    }
}

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
    DegradedPart, DiagnoseRequest, Diagnosis, ExpectationRun, ExpectationRunId, ExpectationSetId, MemoryId, MemoryRef, RecallRequest,
    RunCause, UserRef,
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

/// Asks the question of an expectation, and looks for each of its memories in the answer.
async fn measure(engine: &Engine, ctx: &OpContext, one: &StoredExpectation, left: &[MemoryId]) -> Result<Measured, Error> {
    let mut measured = Measured { expected: i32::try_from(left.len()).unwrap_or(i32::MAX), ..Measured::default() };
    for id in left {
        let recall = RecallRequest { user_id: one.user_id.map(UserRef::Id), ..RecallRequest::new(&one.query) };
        let request = DiagnoseRequest { agent_id: one.agent_id, memory: MemoryRef::Id(*id), recall };
        match recall::diagnose(engine, ctx, &request).await {
            Ok(diagnosis) => add(&mut measured, &diagnosis)?,
            // The rules of the agent's keys changed: such a recall finds nothing.
            Err(Error::Invalid(_) | Error::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(measured)
}

/// Adds what became of one memory.
fn add(measured: &mut Measured, diagnosis: &Diagnosis) -> Result<(), Error> {
    let lacks = |part: DegradedPart| diagnosis.degraded.iter().any(|name| name == part.as_str());
    let needed = [DegradedPart::Embedding, DegradedPart::Balance, DegradedPart::Vocabulary, DegradedPart::Knowledge];
    if let Some(part) = needed.into_iter().find(|part| lacks(*part)) {
        return Err(Error::Unavailable(format!("a part of the search cannot run at the moment: {part}")));
    }
    match diagnosis.rank.and_then(|rank| i32::try_from(rank).ok()) {
        Some(rank) => {
            measured.found += 1;
            measured.rank = Some(measured.rank.map_or(rank, |best| best.min(rank)));
        }
        None => measured.stopped_by = measured.stopped_by.or(diagnosis.stopped_by),
    }
    Ok(())
}

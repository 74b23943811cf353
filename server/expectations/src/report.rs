//! What people and agents read about sets.

use crate::store::{self, StoredExpectation, StoredResult, StoredRun, StoredSet, Successor};
use db::{Planned, Tx};
use foundation::{Engine, Error, OpContext, identity};
use std::collections::HashMap;
use verb::verb;
use wire::{
    ExpectationChange, ExpectationId, ExpectationOutcome, ExpectationRow, ExpectationRun, ExpectationRunId, ExpectationSet,
    ExpectationSetDetail, ExpectationSetId, ExpectationSetList, ExpectationSetRow, ExpectedMemory, MemoryId,
};

/// The last run of a set and the one before.
const LAST_TWO: i64 = 2;
/// Runs that the page of a set shows.
const HISTORY: i64 = 30;

/// The outcomes of one run, by expectation.
type Outcomes = HashMap<ExpectationId, ExpectationOutcome>;

/// The sets of an organisation with their last two runs, by name, for a key of an agent. No expectation is among them.
///
/// # Errors
/// `Forbidden` without `memory:read`.
#[verb(scope = MemoryRead)]
pub async fn list(engine: &Engine, ctx: &OpContext) -> Result<ExpectationSetList, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let sets = store::sets(&mut tx, ctx.tenant_id, None).await?;
    let runs = store::runs(&mut tx, ctx.tenant_id, None, LAST_TWO).await?;
    tx.commit().await?;
    Ok(ExpectationSetList { sets: with_runs(sets, &runs) })
}

/// The sets of an organisation with their last two runs and what changed between them, by name.
///
/// # Errors
/// `Forbidden` without the role `viewer`.
#[verb(role = Viewer)]
pub async fn sets(engine: &Engine, ctx: &OpContext) -> Result<Vec<ExpectationSetRow>, Error> {
    let read = |mut tx: Tx| async move {
        let sets = store::sets(&mut tx, ctx.tenant_id, None).await?;
        let runs = store::runs(&mut tx, ctx.tenant_id, None, LAST_TWO).await?;
        let ids: Vec<ExpectationRunId> = runs.iter().map(|one| one.run.id).collect();
        let outcomes = by_run(store::results(&mut tx, ctx.tenant_id, &ids).await?);
        let sizes: HashMap<ExpectationSetId, i64> = store::sizes(&mut tx, ctx.tenant_id).await?.into_iter().collect();
        tx.commit().await?;
        Ok::<_, Error>((sets, runs, outcomes, sizes))
    };
    let (sets, runs, outcomes, sizes) = ctx.read(&engine.db().memory, Planned::ByPostgres, read).await?;
    let row = |set: ExpectationSet| {
        let (won, lost) = changes(&set, &outcomes);
        ExpectationSetRow { expectations: sizes.get(&set.id).copied().unwrap_or_default(), won, lost, set }
    };
    Ok(with_runs(sets, &runs).into_iter().map(row).collect())
}

/// A set with a new run as its last one, and what changed between it and the last run in `row`. Runs between the two do not count.
///
/// # Errors
/// When the database is out of reach.
#[verb]
pub async fn since(engine: &Engine, ctx: &OpContext, row: ExpectationSetRow, run: ExpectationRun) -> Result<ExpectationSetRow, Error> {
    let set = ExpectationSet { before: row.set.last, last: Some(run), ..row.set };
    let ids: Vec<ExpectationRunId> = set.before.iter().chain(&set.last).map(|run| run.id).collect();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let outcomes = by_run(store::results(&mut tx, ctx.tenant_id, &ids).await?);
    tx.commit().await?;
    let (won, lost) = changes(&set, &outcomes);
    Ok(ExpectationSetRow { set, expectations: row.expectations, won, lost })
}

/// A set with its expectations, what the last two runs found for each, and the history of its runs.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `NotFound` for a set that the organisation does not have.
#[verb(role = Viewer)]
pub async fn set(engine: &Engine, ctx: &OpContext, id: ExpectationSetId) -> Result<ExpectationSetDetail, Error> {
    let agents = identity::all_agents(engine, ctx).await?;
    let mut tx = engine.db().memory.begin_snapshot(ctx.tenancy()).await?;
    let sets = store::sets(&mut tx, ctx.tenant_id, Some(id)).await?;
    let runs = store::runs(&mut tx, ctx.tenant_id, Some(id), HISTORY).await?;
    let last: Vec<ExpectationRunId> = runs.iter().take(2).map(|one| one.run.id).collect();
    let outcomes = by_run(store::results(&mut tx, ctx.tenant_id, &last).await?);
    let expectations = store::expectations(&mut tx, ctx.tenancy(), id).await?;
    let named: Vec<MemoryId> = expectations.iter().flat_map(|one| one.memory_ids.iter().copied()).collect();
    let successors = store::successors(&mut tx, ctx.tenancy(), &named).await?;
    tx.commit().await?;
    let set = with_runs(sets, &runs).pop().ok_or(Error::NotFound("set of expectations"))?;
    let successors: HashMap<MemoryId, Successor> = successors.into_iter().map(|one| (one.named, one)).collect();
    let (before, now) = last_two(&set, &outcomes);
    let rows = expectations.into_iter().map(|one| {
        let slug = agents.iter().find(|agent| agent.id == one.agent_id).map(|agent| agent.slug.clone()).unwrap_or_default();
        let (outcome, change) = (now.get(&one.id).copied(), ExpectationOutcome::change(before.get(&one.id), now.get(&one.id)));
        row(one, slug, &successors, outcome, change)
    });
    let rows = rows.collect();
    Ok(ExpectationSetDetail { rows, runs: runs.into_iter().map(|one| one.run).collect(), set })
}

fn row(
    one: StoredExpectation,
    agent_slug: String,
    successors: &HashMap<MemoryId, Successor>,
    outcome: Option<ExpectationOutcome>,
    change: Option<ExpectationChange>,
) -> ExpectationRow {
    let memory = |id: &MemoryId| match successors.get(id) {
        Some(now) => ExpectedMemory { id: now.id, topic: Some(now.topic.clone()), is_gone: now.is_deleted },
        None => ExpectedMemory { id: *id, topic: None, is_gone: true },
    };
    ExpectationRow {
        id: one.id,
        query: one.query,
        agent_id: one.agent_id,
        agent_slug,
        user_id: one.user_id,
        memories: one.memory_ids.iter().map(memory).collect(),
        origin: one.origin,
        note: one.note,
        added_by: one.added_by,
        created_at: one.created_at,
        outcome,
        change,
    }
}

/// Sets with their last two runs. The runs of a set are together, newest first.
fn with_runs(sets: Vec<StoredSet>, runs: &[StoredRun]) -> Vec<ExpectationSet> {
    let whole = |set: StoredSet| {
        let id = set.id;
        let mut own = runs.iter().filter(move |one| one.set_id == id).map(|one| one.run.clone());
        ExpectationSet { id, name: set.name, waiting: set.waiting, last: own.next(), before: own.next() }
    };
    sets.into_iter().map(whole).collect()
}

fn by_run(results: Vec<StoredResult>) -> HashMap<ExpectationRunId, Outcomes> {
    let mut runs: HashMap<ExpectationRunId, Outcomes> = HashMap::new();
    for result in results {
        let outcome = ExpectationOutcome {
            expected: result.expected.into(),
            found: result.found.into(),
            rank: result.rank.map(Into::into),
            stopped_by: result.stopped_by.and_then(|gate| gate.parse().ok()),
        };
        runs.entry(result.run_id).or_default().insert(result.expectation_id, outcome);
    }
    runs
}

/// How many expectations were won and lost between the last two runs of a set.
fn changes(set: &ExpectationSet, outcomes: &HashMap<ExpectationRunId, Outcomes>) -> (i64, i64) {
    let (before, now) = last_two(set, outcomes);
    let changes: Vec<_> = now.keys().filter_map(|id| ExpectationOutcome::change(before.get(id), now.get(id))).collect();
    let count = |change: ExpectationChange| i64::try_from(changes.iter().filter(|one| **one == change).count()).unwrap_or(i64::MAX);
    (count(ExpectationChange::Won), count(ExpectationChange::Lost))
}

/// The outcomes of the run before the last one, and those of the last one.
fn last_two(set: &ExpectationSet, runs: &HashMap<ExpectationRunId, Outcomes>) -> (Outcomes, Outcomes) {
    let of = |run: &Option<ExpectationRun>| run.as_ref().and_then(|run| runs.get(&run.id)).cloned().unwrap_or_default();
    (of(&set.before), of(&set.last))
}

//! The sweep: it archives episodes that faded and memories whose retention ended, deletes old history, and deletes entries of profiles about
//! sensitive matters that ended, agent by agent, in small steps with pauses.

use super::store::{self, Record};
use super::{history, matters};
use crate::memories;
use crate::memories::store::Which;
use crate::vocabulary;
use chrono::TimeDelta;
use db::Tx;
use foundation::audit::{self, NewEntry};
use foundation::jobs::{self, NewEvent, Task, Work};
use foundation::{Engine, Error, OpContext, identity};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use verb::verb;
use wire::{AgentId, ArchiveReason, LifecyclePolicy};

/// Memories of one transaction: what a sweep holds locked at a time, for some milliseconds.
const BATCH: i64 = 100;
/// Transactions of one event: afterwards other work has its turn.
const STEPS: usize = 50;
/// Share of the limit of episodes from which weak ones are archived early.
const PRESSURE: f64 = 0.9;
/// Time from the start of one sweep of a tenant to the next.
const EVERY: TimeDelta = TimeDelta::hours(1);
/// Longest pause after a transaction. A sweep rests as long as it worked, so that it never takes more than half of a connection's time.
const REST_MAX: Duration = Duration::from_millis(500);

/// Where a sweep goes on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct SweepPayload {
    /// All parts of one sweep have the same run.
    pub run: Uuid,
    /// The last agent that was swept, or the nil id if none was; absent at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<AgentId>,
}

/// What one event of a sweep did; its outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Done {
    agents: u32,
    faded: i64,
    expired: i64,
    early: i64,
    limit: i64,
    /// Old records that were deleted.
    history: i64,
    /// Entries of profiles about sensitive matters that ended.
    leaves: i64,
}

impl Done {
    fn count(&mut self, step: Step, rows: i64) {
        let sum = match step {
            Step::Archive(ArchiveReason::Faded) => &mut self.faded,
            Step::Archive(ArchiveReason::Expired) => &mut self.expired,
            Step::Archive(ArchiveReason::Early) => &mut self.early,
            Step::Archive(ArchiveReason::Limit) => &mut self.limit,
            Step::Delete(_) => &mut self.history,
            Step::EndLeaves => &mut self.leaves,
        };
        *sum += rows;
    }
}

/// What a transaction of a sweep does.
#[derive(Clone, Copy)]
enum Step {
    Archive(ArchiveReason),
    Delete(Record),
    /// Entries of profiles about sensitive matters.
    EndLeaves,
}

impl Step {
    /// In the order of a sweep.
    fn all() -> impl Iterator<Item = Self> {
        let archive = [ArchiveReason::Expired, ArchiveReason::Faded, ArchiveReason::Early, ArchiveReason::Limit];
        archive.into_iter().map(Self::Archive).chain(Record::ALL.into_iter().map(Self::Delete)).chain([Self::EndLeaves])
    }
}

/// Requests the sweep of a tenant, unless one began less than an hour ago or waits; whether it did.
#[verb]
pub async fn request_sweep(engine: &Engine, ctx: &OpContext) -> Result<bool, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let last = store::last_sweep(&mut tx, ctx.tenant_id).await?;
    if last.is_some_and(|last| last + EVERY > engine.clock().now()) {
        return Ok(false);
    }
    let requested = insert(engine, ctx, &mut tx, SweepPayload { run: engine.clock().id(), after: None }).await?;
    tx.commit().await?;
    engine.captures().wake();
    Ok(requested)
}

/// Requests a sweep now, for an operator.
#[verb(role = Operator)]
pub async fn sweep_now(engine: &Engine, ctx: &OpContext) -> Result<(), Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    insert(engine, ctx, &mut tx, SweepPayload { run: engine.clock().id(), after: None }).await?;
    let entry = NewEntry::new(engine, ctx, "sweep.requested", "tenant", ctx.tenant_id, "sweep requested");
    audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    tx.commit().await?;
    engine.captures().wake();
    engine.relay().settle().await;
    Ok(())
}

async fn insert(engine: &Engine, ctx: &OpContext, tx: &mut Tx, payload: SweepPayload) -> Result<bool, Error> {
    let payload = serde_json::to_value(payload).map_err(Error::failed("a payload cannot be serialised"))?;
    let event = NewEvent::pending(engine, Task::Sweep, payload);
    Ok(jobs::store::request_once(tx, ctx.tenant_id, ctx.commons_id, &event, event.now).await?)
}

/// Sweeps some agents and requests the sweep of the next ones. A sweep that dies loses nothing: each step is committed, and the next attempt
/// finds what is left.
///
/// # Errors
/// When the database is out of reach: the event is tried again.
#[verb]
pub async fn sweep(engine: &Engine, ctx: &OpContext, payload: &SweepPayload, stop: &CancellationToken) -> Result<Work, Error> {
    let (mut done, mut steps, mut after) = (Done::default(), STEPS, payload.after);
    for agent in agents(engine, ctx).await?.into_iter().filter(|agent| payload.after.is_none_or(|after| *agent > after)) {
        let policy = identity::lifecycle_policy(engine, ctx, agent).await?;
        for step in Step::all() {
            loop {
                if stop.is_cancelled() {
                    return Ok(Work::Stopped);
                }
                if steps == 0 {
                    let after = Some(after.unwrap_or(AgentId(Uuid::nil())));
                    return go_on(engine, ctx, SweepPayload { after, ..*payload }, done).await;
                }
                let start = Instant::now();
                let (rows, most) = perform(engine, ctx, agent, step, &policy).await?;
                done.count(step, rows);
                // What others hold now is left for the next sweep.
                if rows < most || most == 0 {
                    break;
                }
                steps -= 1;
                tokio::time::sleep(start.elapsed().min(REST_MAX)).await;
            }
        }
        report(engine, ctx, agent, &policy).await?;
        done.agents += 1;
        after = Some(agent);
    }
    vocabulary::hide_unused(engine, ctx).await?;
    Ok(Work::Done(json!(done)))
}

/// Does a step for some rows of an agent; how many it changed, and how many it could have changed at most.
async fn perform(engine: &Engine, ctx: &OpContext, agent: AgentId, step: Step, policy: &LifecyclePolicy) -> Result<(i64, i64), Error> {
    match step {
        Step::Archive(reason) => match due(engine, ctx, agent, reason, policy).await? {
            Some((which, most)) => Ok((archive(engine, ctx, agent, which, reason, most).await?, most)),
            None => Ok((0, 0)),
        },
        Step::Delete(record) => Ok((history::delete(engine, ctx, agent, record, policy).await?, history::BATCH)),
        Step::EndLeaves => Ok((matters::delete(engine, ctx, agent).await?, matters::BATCH)),
    }
}

/// Shows how near an agent is to its limit.
async fn report(engine: &Engine, ctx: &OpContext, agent: AgentId, policy: &LifecyclePolicy) -> Result<(), Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let fading = memories::store::fading(&mut tx, ctx.tenancy(), agent, engine.clock().now()).await?;
    tx.commit().await?;
    metrics::gauge!("remembrancer_agent_episodes", "agent_id" => agent.to_string()).set(fading as f64);
    metrics::gauge!("remembrancer_agent_episodes_max", "agent_id" => agent.to_string()).set(f64::from(policy.episodes_max));
    Ok(())
}

async fn go_on(engine: &Engine, ctx: &OpContext, payload: SweepPayload, done: Done) -> Result<Work, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    insert(engine, ctx, &mut tx, payload).await?;
    tx.commit().await?;
    Ok(Work::Done(json!(done)))
}

/// What to archive for a reason, and how many at most; nothing if the agent is far from its limit of episodes.
async fn due(
    engine: &Engine,
    ctx: &OpContext,
    agent: AgentId,
    reason: ArchiveReason,
    policy: &LifecyclePolicy,
) -> Result<Option<(Which, i64)>, Error> {
    let (which, limit) = match reason {
        ArchiveReason::Expired => return Ok(Some((Which::Expired, BATCH))),
        ArchiveReason::Faded => return Ok(Some((Which::Below(policy.archived_below.into()), BATCH))),
        ArchiveReason::Early => (Which::Below(policy.cleaned_up_below.into()), f64::from(policy.episodes_max) * PRESSURE),
        ArchiveReason::Limit => (Which::Weakest, f64::from(policy.episodes_max)),
    };
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let over = memories::store::fading(&mut tx, ctx.tenancy(), agent, engine.clock().now()).await? - limit as i64;
    tx.commit().await?;
    Ok((over > 0).then_some((which, over.min(BATCH))))
}

/// Archives some memories of an agent in one transaction; how many.
async fn archive(engine: &Engine, ctx: &OpContext, agent: AgentId, which: Which, reason: ArchiveReason, most: i64) -> Result<i64, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let archived = memories::archive(engine, ctx, &mut tx, agent, which, reason, most).await?;
    tx.commit().await?;
    engine.relay().wake();
    Ok(archived)
}

/// The agents of a tenant with its commons, in the order of a sweep.
pub(super) async fn agents(engine: &Engine, ctx: &OpContext) -> Result<Vec<AgentId>, Error> {
    let mut control = engine.db().control.begin(ctx.tenancy()).await?;
    let agents = identity::store::agents(&mut control, ctx.tenant_id).await?;
    control.commit().await?;
    let mut ids: Vec<AgentId> = agents.into_iter().map(|agent| agent.id).collect();
    ids.push(ctx.commons_id);
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

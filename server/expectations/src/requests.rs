//! Requests for runs: by people, by keys of agents, and after a change.

use crate::state::State;
use crate::store;
use db::Tx;
use foundation::audit::{self, NewEntry};
use foundation::idempotency::Once;
use foundation::intake::Admitted;
use foundation::jobs::{self, ExpectationsPayload, NewEvent, Task};
use foundation::{Engine, Error, OpContext, identity};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use verb::verb;
use wire::{ExpectationRunRequested, ExpectationSetId, RunCause};

/// How often changes are looked for.
const EVERY: Duration = Duration::from_secs(30);

/// Requests a run of a set; false: one waits already, or is under way.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `NotFound` for a set that the organisation does not have.
#[verb(role = Reviewer)]
pub async fn request_run(engine: &Engine, ctx: &OpContext, id: ExpectationSetId) -> Result<bool, Error> {
    let state = State::now(engine, ctx).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let requested = request(engine, ctx, &mut tx, id, &state).await?;
    tx.commit().await?;
    wake(engine);
    Ok(requested)
}

/// The same for a key of an agent.
///
/// # Errors
/// `Forbidden` without `memory:write`; `NotFound` for a set that the organisation does not have.
#[verb(scope = MemoryWrite)]
pub async fn request_run_by_key(engine: &Engine, ctx: &OpContext, id: ExpectationSetId) -> Result<ExpectationRunRequested, Error> {
    let once = Once::new(engine, ctx, "run_expectations", &Admitted::new(id)?)?;
    let state = State::now(engine, ctx).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let answer = ExpectationRunRequested { set_id: id, requested: request(engine, ctx, &mut tx, id, &state).await? };
    once.commit(tx, &answer, &[]).await?;
    wake(engine);
    Ok(answer)
}

/// Requests a run that somebody asked for, with its audit entry.
async fn request(engine: &Engine, ctx: &OpContext, tx: &mut Tx, id: ExpectationSetId, state: &State) -> Result<bool, Error> {
    if store::sets(tx, ctx.tenant_id, Some(id)).await?.is_empty() {
        return Err(Error::NotFound("set of expectations"));
    }
    let requested = post(engine, ctx, tx, ExpectationsPayload { set_id: id, cause: RunCause::Requested }, state).await?;
    if requested {
        let entry = NewEntry::new(engine, ctx, "expectation.run_requested", "expectation_set", id, "run of expectations requested");
        audit::record(tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    }
    Ok(requested)
}

/// Puts a run on the queue and records the state that it is for. False: a run already waits or is under way.
async fn post(engine: &Engine, ctx: &OpContext, tx: &mut Tx, payload: ExpectationsPayload, state: &State) -> Result<bool, Error> {
    let json = serde_json::to_value(payload).map_err(Error::failed("a payload cannot be serialised"))?;
    let event = NewEvent::pending(engine, Task::RunExpectations, json);
    let requested = jobs::store::request_expectations(tx, ctx.tenant_id, ctx.commons_id, &event).await?;
    if requested {
        store::note_request(tx, ctx.tenant_id, payload.set_id, &state.to_string()).await?;
    }
    Ok(requested)
}

/// The worker of this process, and the relay, which carries the audit entry.
fn wake(engine: &Engine) {
    engine.captures().wake();
    engine.relay().wake();
}

/// Requests a run of each set that was run before the model, its thresholds or the vocabulary changed; how many. While memories wait to be
/// refiled after a decision on the vocabulary, nothing is requested: the run would measure a state that does not last.
#[verb]
pub async fn request_changed(engine: &Engine, ctx: &OpContext) -> Result<usize, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let mut sets = store::sets(&mut tx, ctx.tenant_id, None).await?;
    sets.retain(|set| set.requested_for.is_some());
    if sets.is_empty() || jobs::store::unfiled(&mut tx, ctx.tenant_id).await? > 0 {
        return Ok(0);
    }
    let state = State::now(engine, ctx).await?;
    let text = state.to_string();
    let mut requested = 0;
    for set in sets.into_iter().filter(|set| set.requested_for.as_deref() != Some(text.as_str())) {
        let payload = ExpectationsPayload { set_id: set.id, cause: RunCause::Changed };
        requested += usize::from(post(engine, ctx, &mut tx, payload, &state).await?);
    }
    tx.commit().await?;
    engine.captures().wake();
    Ok(requested)
}

/// Looks for changes again and again until it is stopped.
pub async fn follow(engine: Engine, stop: CancellationToken) {
    loop {
        if let Err(error) = request_everywhere(&engine.current()).await {
            tracing::warn!(%error, "it could not be checked whether expectations must be run again; it will be tried again");
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
    }
}

async fn request_everywhere(engine: &Engine) -> Result<(), Error> {
    for slug in identity::store::tenant_slugs(engine.db().control.system()).await? {
        let ctx = identity::open_tenant(engine, &slug).await?;
        request_changed(engine, &ctx).await?;
    }
    Ok(())
}

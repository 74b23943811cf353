//! Recording: agents report actions and the steps of workflows.

use super::model::{Body, NewReport};
use super::store;
use chrono::{DateTime, Utc};
use foundation::idempotency::Once;
use foundation::identity::acting_for;
use foundation::intake::Admitted;
use foundation::{Checks, Engine, Error, OpContext};
use serde_json::Value;
use uuid::Uuid;
use verb::verb;
use wire::{
    ACTION_MAX, KeyScope, MESSAGE_MAX, META_MAX, OUTCOME_MAX, OUTPUT_MAX, RecordActionRequest, RecordActionResponse, RecordStepsRequest,
    RecordStepsResponse, SESSION_MAX, STEPS_MAX,
};
use words::guard;

/// The importance of a step whose caller names none, 0 to 1.
const STEP_IMPORTANCE: f32 = 0.5;

/// Records what the agent did, decided or learned of an outcome. Secrets are replaced by markers first. A text that may carry instructions
/// for an agent is kept, but no search finds it, because every agent of the organisation would read it.
///
/// # Errors
/// `Forbidden` without `memory:write`; `Invalid` with every field that is empty, too long or out of range.
#[verb]
pub async fn record_action(engine: &Engine, ctx: &OpContext, request: RecordActionRequest) -> Result<RecordActionResponse, Error> {
    may_report(ctx)?;
    let request = Admitted::new(request)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    check_action(&request)?;
    let once = Once::new(engine, ctx, "record_action", &request)?;
    let RecordActionRequest { action, message, kind, outcome, succeeded, meta, importance, session_id, user_id: _ } = request.into_inner();
    let body = Body::Action { kind, action, message, outcome, succeeded, meta: Value::Object(meta) };
    let report = report(engine, body, session_id, importance.unwrap_or_else(|| kind.importance()));
    let answer = RecordActionResponse { action_id: report.id, searchable: report.searchable };
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    store::insert(&mut tx, ctx.tenancy(), ctx.agent_id()?, &[report]).await?;
    once.commit(tx, &answer, &[]).await?;
    Ok(answer)
}

/// Records completed steps of a workflow: all of them or none.
///
/// # Errors
/// As [`record_action`]; `Invalid` also for a time in the future.
#[verb]
pub async fn record_steps(
    engine: &Engine,
    ctx: &OpContext,
    workflow: String,
    request: RecordStepsRequest,
) -> Result<RecordStepsResponse, Error> {
    may_report(ctx)?;
    let request = Admitted::text("workflow", workflow)?.with(Admitted::new(request)?);
    let ctx = &acting_for(engine, ctx, request.1.user_id.as_ref()).await?;
    let now = engine.clock().now();
    check_steps(&request.0, &request.1, now)?;
    let once = Once::new(engine, ctx, "record_steps", &request)?;
    let (workflow, RecordStepsRequest { steps, session_id, user_id: _ }) = request.into_inner();
    let reports = steps.into_iter().map(|step| {
        let body = Body::Step {
            workflow: workflow.clone(),
            step_name: step.step_name,
            output: step.output,
            completed_at: step.completed_at.unwrap_or(now),
        };
        report(engine, body, session_id.clone(), step.importance.unwrap_or(STEP_IMPORTANCE))
    });
    let reports: Vec<NewReport> = reports.collect();
    let ids = |wanted: fn(&&NewReport) -> bool| -> Vec<Uuid> { reports.iter().filter(wanted).map(|report| report.id).collect() };
    let answer = RecordStepsResponse { step_ids: ids(|_| true), not_searchable: ids(|report| !report.searchable) };
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    store::insert(&mut tx, ctx.tenancy(), ctx.agent_id()?, &reports).await?;
    once.commit(tx, &answer, &[]).await?;
    Ok(answer)
}

/// Demands an agent that may report.
fn may_report(ctx: &OpContext) -> Result<(), Error> {
    ctx.agent_id()?;
    ctx.require(KeyScope::MemoryWrite)
}

fn report(engine: &Engine, body: Body, session_id: Option<String>, importance: f32) -> NewReport {
    let searchable = guard::inspect(&body.searched_text()).is_empty();
    NewReport { id: engine.clock().id(), session_id, importance, searchable, created_at: engine.clock().now(), body }
}

fn check_action(request: &RecordActionRequest) -> Result<(), Error> {
    let bytes = serde_json::to_vec(&request.meta).map_err(Error::failed("the details of an action cannot be serialised"))?.len();
    let mut checks = Checks::default();
    checks
        .text("action", &request.action, ACTION_MAX)
        .bytes("message", &request.message, MESSAGE_MAX)
        .optional_text("outcome", request.outcome.as_deref(), OUTCOME_MAX)
        .that(bytes <= META_MAX, "meta", format!("has {bytes} bytes as JSON; at most {META_MAX} are allowed"))
        .optional_text("session_id", request.session_id.as_deref(), SESSION_MAX);
    check_importance(&mut checks, "importance", request.importance).done()
}

fn check_steps(workflow: &str, request: &RecordStepsRequest, now: DateTime<Utc>) -> Result<(), Error> {
    let count = request.steps.len();
    let mut checks = Checks::default();
    checks
        .text("workflow", workflow, ACTION_MAX)
        .that((1..=STEPS_MAX).contains(&count), "steps", format!("has {count} entries; it may have 1 to {STEPS_MAX}"))
        .optional_text("session_id", request.session_id.as_deref(), SESSION_MAX);
    for (step, number) in request.steps.iter().zip(0..) {
        let field = |name: &str| format!("steps[{number}].{name}");
        checks
            .text(&field("step_name"), &step.step_name, ACTION_MAX)
            .bytes(&field("output"), &step.output, OUTPUT_MAX)
            .time(&field("completed_at"), step.completed_at)
            .that(step.completed_at.is_none_or(|at| at <= now), &field("completed_at"), "must not be in the future");
        check_importance(&mut checks, &field("importance"), step.importance);
    }
    checks.done()
}

fn check_importance<'a>(checks: &'a mut Checks, field: &str, importance: Option<f32>) -> &'a mut Checks {
    checks.that(importance.is_none_or(|value| (0.0..=1.0).contains(&value)), field, "must be a number from 0 to 1")
}

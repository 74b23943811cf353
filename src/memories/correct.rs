//! correct: an operator who knows better gives a memory new content.

use super::access::{self, Purpose};
use super::forget::origin;
use super::model::Details;
use super::origin::{CAPTURE, CONSOLE};
use super::revise::{Cause, revise_from};
use super::store;
use foundation::idempotency::Once;
use foundation::intake::{Admitted, Reason};
use foundation::{Checks, Engine, Error, OpContext};
use verb::verb;
use wire::{MemoryId, MemoryStatus, REASON_MAX, ReviseRequest, ReviseResponse, Source};

/// Gives a memory of any agent new content, as its next version. Agents then read it as the words of the operator. Topic, scope, links and
/// ids stay, and the history keeps the old content. If the memory has another version than `version`, which the person saw, nothing
/// changes.
///
/// # Errors
/// `Forbidden` without the role `operator`; `Invalid` without a reason or a content, or if either is too long; `NotFound`; `Conflict` for a
/// memory that is deleted, archived, superseded, a candidate, or has another version.
#[verb(role = Operator)]
pub async fn correct(
    engine: &Engine,
    ctx: &OpContext,
    id: MemoryId,
    version: Option<i32>,
    content: String,
    reason: &str,
) -> Result<ReviseResponse, Error> {
    Checks::default().text("reason", reason, REASON_MAX).done()?;
    let reason = Reason::new(reason);
    let cause = Cause { reason: Some(&reason), version, is_quoted: true, ..Cause::default() };
    let source = origin(ctx).map(|console| Source { speaker: Some(ctx.actor.name().to_owned()), ..console });
    change(engine, ctx, id, ReviseRequest { source, ..revision(id, content) }, cause).await
}

/// Undoes the correction that made a version: the memory gets the content of the version before, as its next version, with the title,
/// summary, rationale and alternatives that it had, and says again who said it, where and when.
///
/// # Errors
/// As [`correct`]; `Conflict` if the memory was changed since.
#[verb(role = Operator)]
pub async fn undo_correction(engine: &Engine, ctx: &OpContext, id: MemoryId, version: i32) -> Result<ReviseResponse, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let memory = access::find(&mut tx, ctx, &id.into(), Purpose::Read, engine.clock().now()).await?;
    let versions = store::versions(&mut tx, ctx.tenancy(), memory.agent_id, id).await?;
    let before = versions.into_iter().find(|one| one.version < version).ok_or(Error::NotFound("version"))?;
    let said = store::source_of_version(&mut tx, ctx.tenancy(), memory.agent_id, id, before.version).await?;
    tx.commit().await?;
    let source = said.map(|said| Source { observed_at: said.observed_at.or(Some(memory.created_at)), ..said });
    let reason = Reason::new("correction undone");
    let cause = Cause {
        origin: origin(ctx),
        reason: Some(&reason),
        version: Some(version),
        is_quoted: source.as_ref().is_some_and(|said| [CAPTURE, CONSOLE].contains(&said.platform.as_str())),
        details: Details {
            title: before.title,
            alternatives: before.alternatives.filter(|alternatives| !alternatives.is_empty()),
            ..Details::default()
        },
        ..Cause::default()
    };
    let (summary, rationale) = (before.summary, before.rationale);
    change(engine, ctx, id, ReviseRequest { source, summary, rationale, ..revision(id, before.content) }, cause).await
}

fn revision(id: MemoryId, content: String) -> ReviseRequest {
    ReviseRequest {
        memory: id.into(),
        content,
        source: None,
        confidence: None,
        summary: None,
        rationale: None,
        evidence_ref: None,
        user_id: None,
    }
}

async fn change(engine: &Engine, ctx: &OpContext, id: MemoryId, request: ReviseRequest, cause: Cause<'_>) -> Result<ReviseResponse, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let memory = access::find(&mut tx, ctx, &id.into(), Purpose::Read, engine.clock().now()).await?;
    tx.commit().await?;
    if memory.status == MemoryStatus::Inbox {
        return Err(Error::Conflict(format!("the memory {} is a candidate: decide about it in the inbox", memory.short_id)));
    }
    let request = Admitted::new(request)?;
    let once = Once::new(engine, ctx, "correct", &request)?;
    let answer = revise_from(engine, ctx, request, cause, &once, |_, revised| revised).await?;
    // The operator looks at the audit trail next.
    engine.relay().settle().await;
    Ok(answer)
}

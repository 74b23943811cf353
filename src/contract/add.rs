//! add: stores one more entry, or suggests the existing one to update.

use super::{by_way_of, check_content, response, store};
use crate::api::{AddMemoryRequest, AddMemoryResponse, MemoryRef, MemorySuggestion, RememberRequest, SUBJECT_MAX, Scope};
use crate::db::{lock, lock_key};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::guard;
use crate::idempotency::Once;
use crate::identity::acting_for;
use crate::memories::access::{self, Purpose};
use crate::memories::model::embedded_text;
use crate::memories::remember;
use crate::memories::writing::{self, Traces};
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use store::Likeness;
use tracing::instrument;

/// Stores an entry, unless an existing one should be updated: one with the same subject that is more similar than the suggestion threshold,
/// or one with any subject that is more similar than the dedup threshold. In that case nothing is stored. The source is the one in the
/// request, or else the platform `via`.
///
/// The topic is the subject, or the category if there is none; only a subject is proposed to the vocabulary. If the vector is late, only
/// equal content is recognised now, and a near-duplicate is found when the vector arrives.
///
/// # Errors
/// `Forbidden` without `memory:write`, `Invalid` with every field that is wrong.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn add(engine: &Engine, ctx: &OpContext, request: AddMemoryRequest, via: &str) -> Result<AddMemoryResponse, Error> {
    let start = tokio::time::Instant::now();
    let request = AddMemoryRequest {
        content: guard::without_secrets(request.content),
        subject: request.subject.map(guard::without_secrets),
        ..request
    };
    let agent = ctx.agent_id()?;
    ctx.require(Scope::MemoryWrite)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    let once = Once::new(engine, ctx, "add", &request)?;
    let subject = request.subject.filter(|subject| !subject.trim().is_empty());
    let mut checks = Checks::default();
    check_content(&mut checks, &request.content).optional_text("subject", subject.as_deref(), SUBJECT_MAX);
    if let Some(source) = &request.source {
        remember::check_source(&mut checks, source);
    }
    checks.done()?;

    let asked = RememberRequest {
        topic_raw: subject.clone().unwrap_or_else(|| request.category.to_string()),
        content: request.content,
        source: request.source.unwrap_or_else(|| by_way_of(via)),
        category: Some(request.category),
        subject: subject.clone(),
        ..RememberRequest::default()
    };
    let resolved = remember::resolve(engine, ctx, &asked.topic_raw).await;
    let lifecycle = remember::lifecycle(engine, ctx, false).await?;
    let draft = remember::draft(ctx, agent, asked, (&resolved, lifecycle));
    let vector = engine.embed_for_write(ctx.into(), &embedded_text(&draft.key.topic, &draft.content)).await.ok();

    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    // Concurrent additions to this list wait here, because entries with different subjects are compared, too.
    lock(&mut tx, lock_key(&[b"contract", agent.0.as_bytes()])).await?;
    lock(&mut tx, draft.key.lock()).await?;
    let mut agents = vec![agent];
    // What the agent may not update is not suggested to it.
    if ctx.require(Scope::CommonsWrite).is_ok() {
        agents.push(ctx.commons_id);
    }
    let likeness = Likeness {
        agents: &agents,
        vector: vector.as_deref(),
        model: engine.model(),
        with_subject: subject.is_some(),
        now: engine.clock().now(),
    };
    if let Some((memory, similarity)) = store::alike(&mut tx, ctx.tenancy(), &draft, &likeness).await? {
        let id = memory.id;
        let suggestion = response(memory).map(|entry| MemorySuggestion {
            id: entry.id,
            category: entry.category,
            subject: entry.subject,
            content: entry.content,
            similarity,
        });
        let answer = AddMemoryResponse { stored: false, memory: None, suggestion };
        once.commit(tx, &answer, &[id]).await?;
        return Ok(answer);
    }
    let outcome = writing::write(engine, ctx, &mut tx, &draft, vector.as_deref()).await?;
    let traces = Traces { proposal: subject.is_some() && !resolved.is_canonical, late: vector.is_none(), reason: None };
    writing::leave_traces(engine, ctx, &mut tx, &draft, &outcome, traces).await?;
    let stored = access::find(&mut tx, ctx, &MemoryRef::Id(outcome.id()), Purpose::Read, engine.clock().now()).await?;
    let answer = AddMemoryResponse { stored: true, memory: response(stored), suggestion: None };
    once.commit(tx, &answer, &[outcome.id()]).await?;
    writing::count(engine, &outcome, vector.is_none(), start.elapsed());
    Ok(answer)
}

//! add: stores one more entry, or suggests the existing one to update.

use super::{by_way_of, check_content, response, store};
use crate::memories::access::{self, Purpose};
use crate::memories::model::{Draft, Memory, embedded_text};
use crate::memories::remember;
use crate::memories::twins::{Verdict, judge};
use crate::memories::writing::{self, Traces};
use db::{lock, lock_all, lock_key};
use foundation::idempotency::Once;
use foundation::identity::{self, acting_for};
use foundation::intake::{self, Admitted};
use foundation::{Checks, Engine, Error, OpContext};
use store::{Alike, Likeness};
use verb::verb;
use wire::{AddMemoryRequest, AddMemoryResponse, KeyScope, MemoryRef, RememberRequest, SUBJECT_MAX, SimilarEntry};

/// Most entries about the same subject that an answer lists.
const LISTED: usize = 10;

/// Stores an entry, unless one says the same (`suggestion`), or entries of its category say something else of its subject (`same_subject`):
/// then nothing is stored, and `force` stores it beside the latter. An entry without a subject is stored beside what resembles it. The source
/// is the one in the request, or else the platform `via`.
///
/// The topic is the subject, or the category if there is none; only a subject is proposed to the vocabulary. If the vector is late, only
/// equal content is recognised now, and a near-duplicate is found when the vector arrives.
///
/// # Errors
/// `Forbidden` without `memory:write`, `Invalid` with every field that is wrong.
#[verb]
pub async fn add(engine: &Engine, ctx: &OpContext, request: AddMemoryRequest, via: &str) -> Result<AddMemoryResponse, Error> {
    let start = tokio::time::Instant::now();
    let agent = ctx.agent_id()?;
    ctx.require(KeyScope::MemoryWrite)?;
    let request = Admitted::new(request)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    let once = Once::new(engine, ctx, "add", &request)?;
    let suspicious = !intake::findings(&request)?.is_empty();
    let request = request.into_inner();
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
    let lifecycle = identity::lifecycle_policy(engine, ctx, agent).await?;
    let draft = Draft { suspicious, ..remember::draft(ctx, agent, asked, &resolved, lifecycle) };
    let vector = engine.embed_for_write(ctx.into(), &embedded_text(&draft.key.topic, &draft.content)).await;
    let late = vector.as_ref().is_err_and(|missing| missing.is_late());
    let vector = vector.ok();

    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    // Concurrent additions to this list wait here, because entries with different subjects are compared, too.
    lock(&mut tx, lock_key(&[b"contract", agent.0.as_bytes()])).await?;
    lock_all(&mut tx, draft.locks()).await?;
    let mut agents = vec![agent];
    // What the agent may not update is not suggested to it.
    if ctx.require(KeyScope::CommonsWrite).is_ok() {
        agents.push(ctx.commons_id);
    }
    let model = engine.model();
    let likeness =
        Likeness { agents: &agents, vector: vector.as_deref(), model, with_subject: subject.is_some(), now: engine.clock().now() };
    let mut alike = store::alike(&mut tx, ctx.tenancy(), &draft, &likeness).await?;
    let says_it = |one: &Alike| {
        one.memory.content_hash == draft.content_hash || judge(model, &draft.content, &one.memory.content, one.similarity) == Verdict::Same
    };
    if let Some(place) = alike.iter().position(says_it) {
        let Alike { memory, similarity, .. } = alike.swap_remove(place);
        let id = memory.id;
        let answer = AddMemoryResponse { stored: false, memory: None, suggestion: similar_entry(memory, similarity), same_subject: vec![] };
        once.commit(tx, &answer, &[id]).await?;
        return Ok(answer);
    }
    alike.retain(|one| one.same_subject);
    alike.truncate(LISTED);
    let ids: Vec<_> = alike.iter().map(|one| one.memory.id).collect();
    let same_subject: Vec<SimilarEntry> = alike.into_iter().filter_map(|one| similar_entry(one.memory, one.similarity)).collect();
    if !same_subject.is_empty() && !request.force {
        let answer = AddMemoryResponse { stored: false, memory: None, suggestion: None, same_subject };
        once.commit(tx, &answer, &ids).await?;
        return Ok(answer);
    }
    let outcome = writing::write(engine, ctx, &mut tx, &draft, vector.as_deref()).await?;
    let traces = Traces { proposal: subject.is_some() && !resolved.is_canonical, late, reason: None };
    writing::leave_traces(engine, ctx, &mut tx, &draft, &outcome, traces).await?;
    let stored = access::find(&mut tx, ctx, &MemoryRef::Id(outcome.id()), Purpose::Read, engine.clock().now()).await?;
    let answer = AddMemoryResponse { stored: true, memory: response(stored), suggestion: None, same_subject };
    once.commit(tx, &answer, &[ids, vec![outcome.id()]].concat()).await?;
    writing::count(engine, &outcome, late, start.elapsed());
    Ok(answer)
}

fn similar_entry(memory: Memory, similarity: f64) -> Option<SimilarEntry> {
    response(memory).map(|entry| SimilarEntry {
        id: entry.id,
        category: entry.category,
        subject: entry.subject,
        content: entry.content,
        similarity,
    })
}

//! Places memories that agents propose (`ingest`): they wait in the inbox like extracted ones.

use super::progress::Progress;
use super::store;
use crate::consolidation::{self, NewCandidate, Owner, Spot};
use foundation::jobs::{self, ExtractPayload, Held};
use foundation::{Engine, Error, OpContext, identity, intake};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use verb::verb;
use wire::{CapturePolicy, EventId, MemoryKind, MemoryScope, Promotion, QuarantineId, SourceId};
use words::guard;

/// A memory that an agent proposes, beside the source that holds its content.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InputPayload {
    pub topic_raw: String,
    pub kind: Option<MemoryKind>,
    pub rationale: Option<String>,
    pub alternatives: Vec<String>,
    pub confidence: Option<f32>,
    pub target: ExtractPayload,
}

/// Places a memory that an agent proposed.
#[verb]
pub async fn place_input(engine: &Engine, ctx: &OpContext, held: Held, payload: &InputPayload) -> Result<Value, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let stored = store::source_of_event(&mut tx, ctx.tenancy(), held).await?.ok_or(Error::NotFound("source"))?;
    tx.commit().await?;
    let owner = Owner { agent_id: held.agent_id, user_id: stored.user_id };
    let mut policy = identity::capture_policy(engine, ctx).await?;
    let content = stored.content.unwrap_or_default();
    let spot = whole(stored.source_id, held.id, &content);
    let reasons = guard::inspect(&content);
    // Topic, rationale and alternatives may carry instructions, too: no rule promotes such a candidate.
    if !intake::findings(&(&content, payload))?.is_empty() {
        policy = reviewed(policy);
    }
    let target = &payload.target;
    let candidate = NewCandidate {
        kind: payload.kind.unwrap_or(MemoryKind::Profile),
        scope: target.scope.unwrap_or(MemoryScope::Agent),
        project_id: target.project_id,
        repo_id: target.repo_id,
        session_id: target.session_id,
        topic: payload.topic_raw.clone(),
        rationale: payload.rationale.clone(),
        alternatives: payload.alternatives.clone(),
        confidence: payload.confidence.unwrap_or(1.0),
        ..NewCandidate::statement(content, spot)
    };
    let ready = consolidation::prepare(engine, ctx, owner, std::slice::from_ref(&candidate)).await?;
    let mut progress = Progress { extractor: "none".into(), ..Progress::default() };
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if !jobs::store::hold(&mut tx, held).await? {
        return Err(Error::Unavailable("the lease was lost".into()));
    }
    if reasons.is_empty() {
        for placed in consolidation::place_all(engine, ctx, &mut tx, owner, &ready, &policy).await? {
            progress.count(placed);
        }
    } else {
        let id = QuarantineId(engine.clock().id());
        store::insert_quarantine(&mut tx, ctx.tenancy(), owner, id, &candidate.spot, &reasons, engine.clock().now()).await?;
        progress.quarantined = 1;
    }
    tx.commit().await?;
    engine.relay().wake();
    engine.jobs().wake();
    Ok(progress.outcome())
}

/// The policy of something that no rule may promote.
pub(crate) fn reviewed(policy: CapturePolicy) -> CapturePolicy {
    let review = Promotion::Review;
    CapturePolicy { episodes: review, profile: review, decisions: review, others: review, own_statements: review, ..policy }
}

/// The whole text of a source as a place.
pub(super) fn whole(source_id: SourceId, event_id: EventId, content: &str) -> Spot {
    Spot { source_id, event_id, starts: 0, ends: content.len(), quote: content.to_owned(), speaker: None }
}

//! The synthesis of observations: those of one agent and user together, into candidates. Its effects, the observations' `processed_at` and
//! the end of the job are one transaction, so two syntheses never use one observation twice and a dead one uses none.

use super::input::whole;
use super::store::{self, StoredObservation};
use crate::api::{MemoryKind, MemoryScope, ObservationCategory, QuarantineId};
use crate::consolidation::{self, NewCandidate, Owner, Placed};
use crate::engine::Engine;
use crate::error::Error;
use crate::guard;
use crate::identity;
use crate::jobs::{self, Held, NewEvent, Task};
use crate::op::OpContext;
use crate::text::words;
use async_recursion::async_recursion as boxed;
use serde_json::json;
use tracing::instrument;

/// Most observations of one transaction; another job reads the rest.
const BATCH: i64 = 100;
/// Words of a topic that is made from an observation.
const TOPIC_WORDS: usize = 4;

/// Turns the waiting observations of the job's agent and user into candidates.
///
/// # Errors
/// When the database is out of reach, or the lease was lost: nothing is changed, and the observations stay.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn synthesise(engine: &Engine, ctx: &OpContext, held: Held) -> Result<(), Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let user_id = store::user_of_event(&mut tx, ctx.tenancy(), held).await?;
    let owner = Owner { agent_id: held.agent_id, user_id };
    let observations = store::observations(&mut tx, ctx.tenancy(), owner, BATCH).await?;
    tx.commit().await?;
    let policy = identity::capture_policy(engine, ctx).await?;

    let (harmless, suspicious): (Vec<_>, Vec<_>) = observations.iter().partition(|one| guard::inspect(&one.content).is_empty());
    let candidates: Vec<NewCandidate> = harmless.into_iter().map(candidate).collect();
    let ready = consolidation::prepare(engine, ctx, owner, &candidates).await?;

    let now = engine.clock().now();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if !jobs::store::hold(&mut tx, held).await? {
        return Err(Error::Unavailable("the lease was lost".into()));
    }
    let placed = consolidation::place_all(engine, ctx, &mut tx, owner, &ready, &policy).await?;
    for one in &suspicious {
        let (id, spot) = (QuarantineId(engine.clock().id()), whole(one.source_id, one.id, &one.content));
        store::insert_quarantine(&mut tx, ctx.tenancy(), owner, id, &spot, &guard::inspect(&one.content), now).await?;
    }
    let ids: Vec<_> = observations.iter().map(|one| one.id).collect();
    store::mark_processed(&mut tx, ctx.tenancy(), held.agent_id, &ids, now).await?;
    let waiting = placed.iter().filter(|one| matches!(one, Placed::Waiting(_))).count();
    let promoted = placed.iter().filter(|one| matches!(one, Placed::Promoted(_))).count();
    let outcome = json!({
        "observations": observations.len(),
        "candidates": waiting,
        "promoted": promoted,
        "merged": placed.iter().filter(|one| matches!(one, Placed::Merged(_))).count(),
        "quarantined": suspicious.len(),
    });
    // Whoever adds an observation locks the job's row first, so none is added unseen between this look and the end.
    let more = store::has_observations(&mut tx, ctx.tenancy(), owner).await?;
    store::end_synthesis(&mut tx, ctx.tenancy(), held, &outcome, now).await?;
    if more {
        let next = NewEvent::pending(engine, Task::Synthesise, json!({}));
        jobs::store::request_synthesis(&mut tx, ctx.tenancy(), (held.agent_id, user_id), &next).await?;
    }
    tx.commit().await?;
    engine.relay().wake();
    engine.jobs().wake();
    if more {
        engine.captures().wake();
    }
    Ok(())
}

/// An observation as a candidate.
fn candidate(one: &StoredObservation) -> NewCandidate {
    let category = one.event_type.as_deref().and_then(|name| name.parse::<ObservationCategory>().ok());
    let kind = match category {
        Some(ObservationCategory::ProjectDetails) => MemoryKind::Project,
        _ => MemoryKind::Profile,
    };
    NewCandidate {
        kind,
        scope: MemoryScope::Agent,
        session_id: None,
        topic: one.topic.clone().unwrap_or_else(|| topic(&one.content)),
        confidence: 0.8,
        importance: 0.7,
        corrects: category == Some(ObservationCategory::Correction),
        observed_at: Some(one.created_at),
        ..NewCandidate::statement(one.content.clone(), whole(one.source_id, one.id, &one.content))
    }
}

/// The first words of a statement that mean something.
fn topic(text: &str) -> String {
    let telling: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !words::terms(word).is_empty())
        .take(TOPIC_WORDS)
        .collect();
    if telling.is_empty() { text.chars().take(60).collect() } else { telling.join(" ") }
}

//! The synthesis of observations: those of one agent and user together, into candidates and into the person's profile. Its effects, the
//! observations' `processed_at` and the end of the job are one transaction, so two syntheses never use one observation twice and a dead one
//! uses none.

use super::extractor::ExtractError;
use super::input::whole;
use super::run::failure;
use super::stand_in;
use super::store::{self, StoredObservation};
use crate::consolidation::{self, NewCandidate, Owner, Placed};
use crate::profile::{self, Drawn, Observation, Subject, View};
use foundation::jobs::{self, Held, NewEvent, Task, Work};
use foundation::usage::Payer;
use foundation::{Engine, Error, OpContext, identity};
use serde_json::json;
use std::collections::{BTreeSet, HashMap};
use verb::verb;
use wire::{CapturePolicy, EventId, MemoryKind, MemoryScope, ObservationCategory, QuarantineId, Role};
use words::guard;
use words::stems;

/// Most observations of one transaction; another job reads the rest.
const BATCH: i64 = 100;
/// Most observations that are looked through for those that a chat model reads again.
const AGAIN_MAX: i64 = 1000;
/// Most bytes of observations that a chat model reads at once.
const MODEL_BYTES: usize = 24 * 1024;
/// Words of a topic that is made from an observation.
const TOPIC_WORDS: usize = 4;

/// Turns the waiting observations of the job's agent and user into candidates and leaves of the profile. The second time that a chat model
/// fails, or if trying again would not help, rules read them in its place; the next time that it answers, it reads them again. `tries` counts
/// the attempts of the job, this one included.
///
/// # Errors
/// When the database is out of reach, or the lease was lost: nothing is changed, and the observations stay.
#[verb]
pub async fn synthesise(engine: &Engine, ctx: &OpContext, held: Held, tries: i32) -> Result<Work, Error> {
    let policy = identity::capture_policy(engine, ctx).await?;
    let by_model = engine.chat().is_some() && policy.outside_models;
    let Batch { owner, observations, mut again, leftover, view } = Batch::read(engine, ctx, held, by_model, &policy).await?;
    let reread: BTreeSet<EventId> = again.iter().map(|one| one.id).collect();

    let statements: HashMap<EventId, String> =
        observations.iter().filter_map(|one| Some((one.id, guard::without_secrets(profile::statement(&observation(one))?)))).collect();
    let (harmless, suspicious): (Vec<_>, Vec<_>) = observations.iter().partition(|one| reasons(one, &statements).is_empty());
    let read: Vec<Observation> = harmless.iter().map(|one| observation(one)).collect();
    let drawn = match by_model {
        true => {
            let sent: Vec<Observation> = again.iter().map(observation).chain(read.iter().cloned()).collect();
            let payer = Payer::of(ctx, owner.agent_id, owner.user_id);
            profile::by_model(engine, payer, &view.without(&reread), &sent, policy.sensitive).await
        }
        false => Ok((profile::by_rules(&read, policy.sensitive), HashMap::new())),
    };
    let (drawn, mut facts, stood_in) = match drawn {
        Ok((drawn, facts)) => (Drawn { reread, ..drawn }, facts, None),
        Err(error) => {
            let Some(reason) = stand_in::reason(&error, tries) else { return Ok(failure(&ExtractError::ChatModel(error))) };
            tracing::warn!(%error, "rules read observations in place of the chat model");
            again.clear();
            (profile::by_rules(&read, policy.sensitive), HashMap::new(), Some(reason))
        }
    };
    // What agents share applies everywhere: no memory of the commons belongs to one agent.
    let scope = if owner.agent_id == ctx.commons_id { MemoryScope::Global } else { MemoryScope::Agent };
    let mut words = |one: &StoredObservation| facts.remove(&one.id).or_else(|| statements.get(&one.id).cloned());
    let candidates: Vec<NewCandidate> = harmless.into_iter().filter_map(|one| Some(candidate(one, scope, words(one)?))).collect();
    let suspicious: Vec<(&StoredObservation, Vec<String>)> = suspicious.into_iter().map(|one| (one, reasons(one, &statements))).collect();
    let ids: Vec<EventId> = observations.iter().chain(&again).map(|one| one.id).collect();
    let more = leftover && !again.is_empty();
    let synthesis = Synthesis { engine, ctx, held, owner, policy, ids, count: observations.len(), suspicious: &suspicious, stood_in, more };
    synthesis.store(&candidates, drawn).await?;
    Ok(Work::Ended)
}

/// What a synthesis reads.
struct Batch {
    owner: Owner,
    observations: Vec<StoredObservation>,
    /// What rules read when the chat model did not answer, as far as the model reads it again now.
    again: Vec<StoredObservation>,
    /// Whether more of that is left.
    leftover: bool,
    view: View,
}

impl Batch {
    async fn read(engine: &Engine, ctx: &OpContext, held: Held, by_model: bool, policy: &CapturePolicy) -> Result<Self, Error> {
        let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
        let user_id = store::user_of_event(&mut tx, ctx.tenancy(), held).await?;
        let owner = Owner { agent_id: held.agent_id, user_id };
        let mut observations = store::observations(&mut tx, ctx.tenancy(), owner, BATCH).await?;
        let view = View::load(&mut tx, ctx.tenancy(), subject(owner), policy, engine.clock().now()).await?;
        let marked = match by_model {
            true => store::read_by_rules(&mut tx, ctx.tenancy(), owner, &view.sources(), AGAIN_MAX).await?,
            false => Vec::new(),
        };
        tx.commit().await?;
        if by_model {
            shorten(&mut observations);
        }
        let size: usize = observations.iter().map(|one| one.content.len()).sum();
        let again = stand_in::fitting(&view, &marked, MODEL_BYTES.saturating_sub(size));
        Ok(Self { owner, observations, leftover: again.len() < marked.len(), again, view })
    }
}

/// A batch on its way into the database.
struct Synthesis<'a> {
    engine: &'a Engine,
    ctx: &'a OpContext,
    held: Held,
    owner: Owner,
    policy: CapturePolicy,
    /// The observations that were read.
    ids: Vec<EventId>,
    /// How many of them are new.
    count: usize,
    /// With the reasons.
    suspicious: &'a [(&'a StoredObservation, Vec<String>)],
    /// Why rules stood in for a chat model.
    stood_in: Option<String>,
    /// Whether the next job reads more again.
    more: bool,
}

impl Synthesis<'_> {
    /// Stores everything in one transaction that checks the lease.
    async fn store(self, candidates: &[NewCandidate], drawn: Drawn) -> Result<(), Error> {
        let Self { engine, ctx, held, owner, policy, ids, count: read, suspicious, stood_in, more } = self;
        let ready = consolidation::prepare(engine, ctx, owner, candidates).await?;
        let now = engine.clock().now();
        let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
        if !jobs::store::hold(&mut tx, held).await? {
            return Err(Error::Unavailable("the lease was lost".into()));
        }
        let placed = consolidation::place_all(engine, ctx, &mut tx, owner, &ready, &policy).await?;
        for (one, reasons) in suspicious {
            let (id, spot) = (QuarantineId(engine.clock().id()), whole(one.source_id, one.id, &one.content));
            store::insert_quarantine(&mut tx, ctx.tenancy(), owner, id, &spot, reasons, now).await?;
        }
        let dropped = drawn.dropped;
        let forgotten = candidates.iter().zip(&placed).filter(|(_, placed)| **placed == Placed::Forgotten);
        let forgotten: BTreeSet<EventId> = forgotten.map(|(candidate, _)| candidate.spot.event_id).collect();
        let applied = profile::apply(engine, ctx, &mut tx, subject(owner), drawn.without(&forgotten)).await?;
        store::mark_processed(&mut tx, ctx.tenancy(), held.agent_id, &ids, stood_in.is_some(), now).await?;
        let count = |wanted: fn(&Placed) -> bool| placed.iter().filter(|one| wanted(one)).count();
        let outcome = json!({
            "observations": read,
            "candidates": count(|one| matches!(one, Placed::Waiting(_))),
            "promoted": count(|one| matches!(one, Placed::Promoted(_))),
            "merged": count(|one| matches!(one, Placed::Merged(_))),
            "quarantined": suspicious.len(),
            "profiled": applied.added,
            "corrected": applied.superseded,
            "replaced": applied.replaced,
            "unsupported": dropped,
            "extractor": stood_in,
        });
        // Whoever adds an observation locks the job's row first, so none is added unseen between this look and the end.
        let more = store::has_observations(&mut tx, ctx.tenancy(), owner).await? || more;
        store::end_synthesis(&mut tx, ctx.tenancy(), held, &outcome, now).await?;
        if more {
            let next = NewEvent::pending(engine, Task::Synthesise, json!({}));
            jobs::store::request_synthesis(&mut tx, ctx.tenancy(), held.agent_id, owner.user_id, &next).await?;
        }
        tx.commit().await?;
        metrics::counter!("agent_memory_profile_leaves_total").increment(applied.added as u64);
        engine.relay().wake();
        engine.jobs().wake();
        if more {
            engine.captures().wake();
        }
        Ok(())
    }
}

fn subject(owner: Owner) -> Subject {
    Subject { agent_id: owner.agent_id, user_id: owner.user_id }
}

/// Leaves the observations that a chat model does not read this time to the next job.
fn shorten(observations: &mut Vec<StoredObservation>) {
    let mut size = 0;
    let fits = observations.iter().take_while(|one| {
        size += one.content.len();
        size <= MODEL_BYTES
    });
    let fits = fits.count().max(1);
    observations.truncate(fits);
}

/// An observation as a profile reads it.
fn observation(one: &StoredObservation) -> Observation {
    Observation {
        event_id: one.id,
        source_id: one.source_id,
        session_id: one.session_id,
        connection_id: one.connection_id,
        event_type: one.event_type.clone().unwrap_or_default(),
        key: one.topic.clone(),
        json: one.json,
        content: one.content.clone(),
        by_agent: one.role.is_some_and(|role| role != Role::User),
        at: one.created_at,
    }
}

/// Why an observation may carry instructions: as it was recorded, or as it is said, because escapes of JSON can hide them.
fn reasons(one: &StoredObservation, statements: &HashMap<EventId, String>) -> Vec<String> {
    let mut reasons = guard::inspect(&one.content);
    if reasons.is_empty() {
        reasons = statements.get(&one.id).map(|text| guard::inspect(text)).unwrap_or_default();
    }
    reasons
}

/// An observation as a candidate, in these words.
fn candidate(one: &StoredObservation, scope: MemoryScope, statement: String) -> NewCandidate {
    let category = one.event_type.as_deref().and_then(|name| name.parse::<ObservationCategory>().ok());
    let kind = match category {
        Some(ObservationCategory::ProjectDetails) => MemoryKind::Project,
        _ => MemoryKind::Profile,
    };
    let mut spot = whole(one.source_id, one.id, &one.content);
    let is_persons = one.role == Some(Role::User) && category.is_some() && !one.json;
    spot.speaker = is_persons.then(|| Role::User.to_string());
    NewCandidate {
        kind,
        scope,
        // In their own words: what a model made of them, nobody said.
        own_statement: is_persons && statement == one.content,
        session_id: None,
        connection_id: one.connection_id,
        topic: one.topic.clone().unwrap_or_else(|| topic(&statement)),
        confidence: 0.8,
        importance: 0.7,
        corrects: category == Some(ObservationCategory::Correction),
        observed_at: Some(one.created_at),
        ..NewCandidate::statement(statement, spot)
    }
}

/// The first words of a statement that mean something.
fn topic(text: &str) -> String {
    let telling: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !stems::terms(word).is_empty())
        .take(TOPIC_WORDS)
        .collect();
    if telling.is_empty() { text.chars().take(60).collect() } else { telling.join(" ") }
}

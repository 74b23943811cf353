//! Where a candidate goes: to a memory that says it already, into the inbox, or straight into the record if a rule allows it.

use super::Owner;
use super::model::{NewCandidate, Place, Placed, Ready, Spot};
use super::promote::make_durable;
use super::{store, suggestions};
use crate::erasure;
use crate::memories::model::{Change, DedupKey, Details, Draft, Memory, content_hash, embedded_text};
use crate::memories::store::{self as memories, Embedded, NewSuggestion};
use crate::memories::twins::{self, Verdict, judge};
use crate::memories::{CAPTURE, lock_episodes, make_room, remember, writing};
use crate::profile;
use crate::vocabulary::Resolved;
use db::{Tx, lock_all, lock_owner};
use foundation::usage::Payer;
use foundation::{Engine, Error, OpContext, audit, identity};
use wire::{
    CapturePolicy, MemoryId, MemoryKind, MemoryScope, MemoryStatus, NoticeKind, Promotion, Source, SourceKind, SuggestionId,
    SuggestionRelation,
};
use words::compare::{Likeness, compare};
use words::restated::restates;

/// Neighbours that are compared with a candidate.
pub(super) const NEIGHBOURS: i64 = 5;

/// Asks the vocabulary and the model about candidates, outside any transaction. Without a model they are placed by their words.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn prepare(engine: &Engine, ctx: &OpContext, owner: Owner, candidates: &[NewCandidate]) -> Result<Vec<Ready>, Error> {
    let lifecycle = identity::lifecycle_policy(engine, ctx, owner.agent_id).await?;
    let key = erasure::Key::find(engine, ctx.tenant_id).await?;
    let mut ready = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let resolved = remember::resolve(engine, ctx, &candidate.topic).await;
        let fingerprint = key.as_ref().map(|key| key.text(owner.agent_id, owner.user_id, &content_hash(&candidate.statement)));
        ready.push(Ready { candidate: candidate.clone(), resolved, lifecycle, vector: None, fingerprint });
    }
    let texts: Vec<String> = ready.iter().map(|one| embedded_text(&one.resolved.topic, &one.candidate.statement)).collect();
    let vectors = engine.embed_batch_for_write(Payer::of(ctx, owner.agent_id, owner.user_id), texts).await;
    for (one, vector) in ready.iter_mut().zip(vectors) {
        one.vector = vector.ok();
    }
    Ok(ready)
}

/// Places candidates of one owner, in their order. The lock makes them one after the other, so that of two equal ones the second is merged.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn place_all(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    owner: Owner,
    ready: &[Ready],
    policy: &CapturePolicy,
) -> Result<Vec<Placed>, Error> {
    lock_owner(tx, owner.agent_id, owner.user_id).await?;
    // In the order of everybody who writes: episodes, keys, rows, then counts. A candidate may become durable below and replace what it
    // corrects or contradicts, and two callers must not cross.
    let promoted: Vec<&Ready> = ready.iter().filter(|one| may_promote(&one.candidate, policy)).collect();
    let fading = promoted.iter().find(|one| one.candidate.kind == MemoryKind::Episode).map(|one| one.lifecycle);
    if fading.is_some() {
        lock_episodes(tx, owner.agent_id).await?;
    }
    let mut locked = Locked::default();
    if !promoted.is_empty() {
        let mut settled = Vec::new();
        for one in promoted.iter().filter(|one| one.candidate.corrects || policy.is_unreviewed()) {
            let near = neighbours(engine, ctx, tx, owner, one).await?;
            let relatives = relatives(engine, policy, &one.candidate, &near);
            let touched = relatives.iter().filter(|other| other.replaced() || other.stands_beside(policy));
            settled.extend(touched.map(|other| other.memory.clone()));
        }
        let locks = |one: &&Ready| key(owner, &one.candidate, &one.resolved).locks(&content_hash(&one.candidate.statement));
        lock_all(tx, promoted.iter().flat_map(locks).chain(settled.iter().flat_map(Memory::locks))).await?;
        let ids: Vec<MemoryId> = settled.iter().map(|memory| memory.id).collect();
        let rows = memories::by_ids(tx, ctx.tenancy(), Some(owner.agent_id), &ids, true).await?;
        locked.ids.extend(rows.iter().map(|row| row.id));
        locked.reviewed = memories::reviewed(tx, ctx.tenancy(), &ids).await?;
        memories::lock_counts(tx, ctx.tenancy(), &[owner.agent_id]).await?;
    }
    let mut placed = Vec::with_capacity(ready.len());
    for one in ready {
        let outcome = place(engine, ctx, tx, owner, one, policy, &locked).await?;
        // What this transaction stored is locked.
        locked.ids.extend(match outcome {
            Placed::Promoted(id) => Some(id),
            _ => None,
        });
        placed.push(outcome);
    }
    if let Some(lifecycle) = fading {
        make_room(engine, ctx, tx, owner.agent_id, &lifecycle).await?;
    }
    Ok(placed)
}

/// The memories that the transaction has locked: it may change them.
#[derive(Default)]
struct Locked {
    ids: Vec<MemoryId>,
    /// Those that a person confirmed: only a person replaces them.
    reviewed: Vec<MemoryId>,
}

impl Locked {
    fn has(&self, memory: &Memory) -> bool {
        self.ids.contains(&memory.id)
    }
}

async fn place(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    owner: Owner,
    ready: &Ready,
    policy: &CapturePolicy,
    locked: &Locked,
) -> Result<Placed, Error> {
    let (candidate, tenancy, now) = (&ready.candidate, ctx.tenancy(), engine.clock().now());
    let hash = content_hash(&candidate.statement);
    if store::memory_at(tx, tenancy, owner, &candidate.spot).await?.is_some() {
        return Ok(Placed::Known);
    }
    if store::is_forgotten(tx, tenancy, owner, &hash).await? {
        return Ok(Placed::Forgotten);
    }
    if !erasure::store::erased(tx, ctx.tenant_id, ready.fingerprint.as_slice()).await?.is_empty() {
        return Ok(Placed::Forgotten);
    }
    if let Some(memory) = store::same_content(tx, tenancy, owner, candidate, &hash, now).await? {
        return add_evidence(engine, ctx, tx, owner, memory, candidate).await;
    }
    let near = neighbours(engine, ctx, tx, owner, ready).await?;
    let says_it =
        |memory: &Memory, similarity: f64| judge(engine.model(), &candidate.statement, &memory.content, similarity) == Verdict::Same;
    if let Some((memory, _)) = near.iter().find(|(memory, similarity)| memory.kind == candidate.kind && says_it(memory, *similarity)) {
        return add_evidence(engine, ctx, tx, owner, memory.id, candidate).await;
    }

    let id = insert(engine, ctx, tx, owner, ready, hash).await?;
    store::insert_evidence(tx, tenancy, owner, id, engine.clock().id(), candidate, now).await?;
    let relatives = relatives(engine, policy, candidate, &near);
    let is_replaced = |other: &Relative| other.replaced() && locked.has(other.memory) && !locked.reviewed.contains(&other.memory.id);
    let stands_beside = |other: &Relative| other.stands_beside(policy) && locked.has(other.memory);
    // A correction of something else than its neighbour waits for nobody; whether it replaces that one, a person decides.
    let disputes = |other: &Relative| match other.relation {
        SuggestionRelation::Duplicates => false,
        // What waits in the inbox keeps nothing else there where nobody reviews.
        SuggestionRelation::Contradicts => !stands_beside(other) && (other.memory.live || !policy.is_unreviewed()),
        SuggestionRelation::Supersedes => {
            let waits = !candidate.corrects && !policy.is_unreviewed();
            !is_replaced(other) && (other.one_matter || waits)
        }
    };
    let promotes = may_promote(candidate, policy) && !relatives.iter().any(disputes);
    let (mut replaced, mut beside) = (Vec::new(), Vec::new());
    for other in &relatives {
        let suggestion_id = engine.clock().id();
        let suggestion =
            NewSuggestion { owner, id: suggestion_id, from: id, to: other.memory.id, relation: other.relation, reason: &other.reason };
        memories::suggest(tx, tenancy, suggestion, now).await?;
        if is_replaced(other) {
            replaced.push(SuggestionId(suggestion_id));
        } else if stands_beside(other) {
            beside.push(SuggestionId(suggestion_id));
        }
    }
    if !promotes {
        audit::announce(engine, tx, ctx.tenant_id, owner.agent_id, NoticeKind::CandidateWaiting, id).await?;
        return Ok(Placed::Waiting(id));
    }
    for suggestion in &replaced {
        suggestions::settle(engine, ctx, tx, *suggestion).await?;
    }
    // The first replacement made it durable.
    if replaced.is_empty() {
        let memory = memories::by_ids(tx, tenancy, Some(owner.agent_id), &[id], true).await?.pop();
        let memory = memory.ok_or_else(|| Error::internal("a candidate that was just stored is not there"))?;
        make_durable(engine, ctx, tx, &memory).await?;
    }
    for suggestion in &beside {
        suggestions::settle(engine, ctx, tx, *suggestion).await?;
    }
    Ok(Placed::Promoted(id))
}

/// The memories that a candidate may have to do with, with their similarity. Without a vector there are none.
async fn neighbours(engine: &Engine, ctx: &OpContext, tx: &mut Tx, owner: Owner, ready: &Ready) -> Result<Vec<(Memory, f64)>, Error> {
    let model = engine.model();
    let Some(vector) = ready.vector.as_deref() else { return Ok(Vec::new()) };
    let embedded = Embedded { model: &model.name, vector };
    let place = Place::of_candidate(&ready.candidate);
    let mut near = store::nearest(tx, ctx.tenancy(), owner, embedded, place, NEIGHBOURS, engine.clock().now()).await?;
    near.retain(|(_, similarity)| *similarity >= model.related_threshold);
    Ok(near)
}

/// A neighbour, and what a candidate is to it.
struct Relative<'a> {
    memory: &'a Memory,
    relation: SuggestionRelation,
    reason: String,
    /// Both give one matter a value.
    one_matter: bool,
    same_speaker: bool,
    /// Both are of one kind and hold for the same, and it was not said after the candidate, whose day is known.
    same_place: bool,
}

impl Relative<'_> {
    /// Whether the candidate replaces it without a review, unless a person confirmed it: its speaker takes back their own words.
    fn replaced(&self) -> bool {
        self.relation == SuggestionRelation::Supersedes && self.one_matter && self.same_speaker && self.same_place && self.memory.live
    }

    /// Whether both are kept, linked as a contradiction, because nobody reviews.
    fn stands_beside(&self, policy: &CapturePolicy) -> bool {
        self.relation == SuggestionRelation::Contradicts && self.memory.live && policy.is_unreviewed()
    }
}

fn relatives<'a>(engine: &Engine, policy: &CapturePolicy, candidate: &NewCandidate, near: &'a [(Memory, f64)]) -> Vec<Relative<'a>> {
    let speaker = candidate.spot.speaker.as_ref();
    let mut relatives = Vec::new();
    for (memory, similarity) in near {
        let same_subject = candidate.subject.is_some() && candidate.subject == memory.subject;
        let likeness = compare(&candidate.statement, &memory.content);
        let same_speaker = speaker.is_some() && memory.source.speaker.as_ref() == speaker;
        let same_place = holds_for_the_same(candidate, memory) && candidate.observed_at.is_some_and(|at| at >= memory.said_at());
        // Where nobody reviews, a person who gives the same matter another number means that it changed.
        let changes = same_speaker
            && same_place
            && memory.live
            && policy.is_unreviewed()
            && restates(candidate.kind, &candidate.statement, &memory.content);
        let corrects = match likeness {
            Likeness::Same => false,
            likeness if likeness.is_conflict() => changes || candidate.corrects && later(candidate, memory),
            Likeness::Differs(_) | Likeness::Other | Likeness::Apart => candidate.corrects && same_subject && relatives.is_empty(),
        };
        let relation = match corrects {
            true => Some(SuggestionRelation::Supersedes),
            false => twins::relation(engine.model(), &candidate.statement, &memory.content, *similarity),
        };
        let Some(relation) = relation else { continue };
        relatives.push(Relative {
            memory,
            relation,
            reason: reason(relation, *similarity),
            one_matter: likeness.is_conflict(),
            same_speaker,
            same_place,
        });
    }
    relatives
}

fn holds_for_the_same(candidate: &NewCandidate, memory: &Memory) -> bool {
    let session = candidate.scope != MemoryScope::Session || candidate.session_id == memory.session_id;
    let place = (candidate.project_id, candidate.repo_id) == (memory.project_id, memory.repo_id);
    session && place && (candidate.kind, candidate.scope) == (memory.kind, memory.scope)
}

/// Why a relation is proposed, in a sentence.
pub(super) fn reason(relation: SuggestionRelation, similarity: f64) -> String {
    match relation {
        SuggestionRelation::Duplicates => format!("Their words agree, and in meaning they are {:.0} % alike.", similarity * 100.0),
        SuggestionRelation::Contradicts => "They differ in a value or a negation.".into(),
        SuggestionRelation::Supersedes => "It may replace what was said before.".into(),
    }
}

fn later(candidate: &NewCandidate, memory: &Memory) -> bool {
    candidate.observed_at.is_none_or(|at| at >= memory.said_at())
}

/// Whether a rule makes a candidate durable. A decision needs its reason; what a person says of themselves must not be sensitive.
fn may_promote(candidate: &NewCandidate, policy: &CapturePolicy) -> bool {
    let reasoned = candidate.kind != MemoryKind::Decision || candidate.rationale.is_some();
    let of_themselves = candidate.own_statement
        && policy.own_statements == Promotion::Automatic
        && candidate.scope == MemoryScope::Agent
        && !profile::is_sensitive(&candidate.statement);
    let allowed = of_themselves || policy.of(candidate.kind) == Promotion::Automatic;
    allowed && candidate.confidence >= policy.confidence_min && reasoned
}

/// A memory that says a candidate's statement gets its place as evidence.
async fn add_evidence(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    owner: Owner,
    memory: MemoryId,
    candidate: &NewCandidate,
) -> Result<Placed, Error> {
    let fresh = store::insert_evidence(tx, ctx.tenancy(), owner, memory, engine.clock().id(), candidate, engine.clock().now()).await?;
    Ok(if fresh { Placed::Merged(memory) } else { Placed::Known })
}

/// Stores a candidate in the inbox.
async fn insert(engine: &Engine, ctx: &OpContext, tx: &mut Tx, owner: Owner, ready: &Ready, hash: Vec<u8>) -> Result<MemoryId, Error> {
    let (now, draft) = (engine.clock().now(), draft(owner, ready, hash));
    let (id, _) = writing::insert(engine, ctx, tx, &draft, MemoryStatus::Inbox, ready.vector.is_none()).await?;
    memories::write_version(tx, ctx, owner.agent_id, id, Change::Proposed, None, now).await?;
    if let Some(vector) = &ready.vector {
        memories::put_vector(tx, ctx.tenancy(), owner.agent_id, id, Embedded { model: &engine.model().name, vector }, now).await?;
    }
    Ok(id)
}

fn key(owner: Owner, candidate: &NewCandidate, resolved: &Resolved) -> DedupKey {
    DedupKey {
        agent_id: owner.agent_id,
        user_id: owner.user_id,
        kind: candidate.kind,
        scope: candidate.scope,
        project_id: candidate.project_id,
        repo_id: candidate.repo_id,
        session_id: candidate.session_id,
        connection_id: candidate.connection_id,
        topic: resolved.topic.clone(),
    }
}

fn draft(owner: Owner, ready: &Ready, content_hash: Vec<u8>) -> Draft {
    let Ready { candidate, resolved, lifecycle, .. } = ready;
    let Spot { source_id, starts, ends, .. } = &candidate.spot;
    Draft {
        review: true,
        suspicious: false,
        key: key(owner, candidate, resolved),
        created_by: owner.agent_id,
        topic_raw: candidate.topic.clone(),
        is_canonical: resolved.is_canonical,
        vocabulary_version: resolved.version,
        content: candidate.statement.clone(),
        content_hash,
        source: Source {
            platform: CAPTURE.into(),
            speaker: candidate.spot.speaker.clone(),
            observed_at: candidate.observed_at,
            ..Source::default()
        },
        origin: None,
        source_kind: SourceKind::Conversation,
        retention: candidate.retention(),
        lifecycle: *lifecycle,
        details: Details {
            category: candidate.category,
            subject: candidate.subject.clone(),
            confidence: Some(candidate.confidence),
            importance: Some(candidate.importance),
            rationale: candidate.rationale.clone(),
            alternatives: (!candidate.alternatives.is_empty()).then(|| candidate.alternatives.clone()),
            evidence_ref: Some(format!("source {source_id}, bytes {starts} to {ends}")),
            source_id: Some(*source_id),
            filename: candidate.filename.clone(),
            attachment_id: candidate.attachment_id.clone(),
            ..Details::default()
        },
    }
}

//! The vocabulary's tools for agents: looking up a phrase, and proposing one.

use super::store;
use crate::memories::access::{self, Purpose};
use foundation::audit::{self, NewEntry};
use foundation::idempotency::Once;
use foundation::intake::Admitted;
use foundation::terms::{Snapshot, State, TermName};
use foundation::{Checks, Engine, Error, OpContext, identity};
use std::collections::BTreeMap;
use verb::verb;
use wire::{KeyScope, KnownTerm, Likeness, LookupRequest, LookupResponse, NearestTerm, ProposeRequest, ProposeResponse, TOPIC_MAX, TermId};
use words::compare::compare;
use words::normal;

/// Most nearest terms.
const NEAREST_TERMS: usize = 5;
/// Least Jaro–Winkler similarity of a nearest term.
const SPELLING_FLOOR: f64 = 0.86;

/// Looks a phrase up: whole, then the longest known terms inside it, then terms that resemble it. No phrase resolves to a term because it
/// resembles one.
///
/// # Errors
/// `Forbidden` without `memory:read`, `Invalid` for an empty or over-long phrase.
#[verb(scope = MemoryRead)]
pub async fn lookup(engine: &Engine, ctx: &OpContext, request: LookupRequest) -> Result<LookupResponse, Error> {
    Checks::default().text("phrase", &request.phrase, TOPIC_MAX).done()?;
    let snapshot = engine.vocabulary().snapshot(&engine.db().kb, ctx.tenancy()).await?;
    if let Some(term) = snapshot.find(&request.phrase) {
        let term = Some(known(&snapshot.state, term));
        return Ok(LookupResponse { found: true, term, inside: vec![], suggestions: vec![] });
    }
    let inside = snapshot.terms_inside(&request.phrase).into_iter().map(|term| known(&snapshot.state, term)).collect();
    let suggestions = nearest_terms(engine, ctx, &request.phrase).await?;
    Ok(LookupResponse { found: false, term: None, inside, suggestions })
}

/// Proposes a phrase for review, with the memory in which it was met.
///
/// # Errors
/// `Forbidden` without `vocabulary:propose`, `Invalid` for an empty or over-long phrase, `NotFound` for a memory that is not the agent's.
#[verb]
pub async fn propose(engine: &Engine, ctx: &OpContext, request: ProposeRequest) -> Result<ProposeResponse, Error> {
    let agent = ctx.agent_id()?;
    ctx.require(KeyScope::VocabularyPropose)?;
    let request = Admitted::new(request)?;
    let ctx = &identity::acting_for(engine, ctx, request.user_id.as_ref()).await?;
    let normal = normal(&request.phrase);
    Checks::default()
        .text("phrase", &request.phrase, TOPIC_MAX)
        .that(!normal.is_empty(), "phrase", "must have letters or digits")
        .done()?;
    let once = Once::new(engine, ctx, "propose", &request)?;
    if let Some(answer) = once.stored_answer(&engine.db().memory).await? {
        return Ok(answer);
    }
    let snapshot = engine.vocabulary().snapshot(&engine.db().kb, ctx.tenancy()).await?;
    if let Some(term) = snapshot.find(&request.phrase) {
        return Ok(ProposeResponse { proposed: false, term: Some(term.term.clone()) });
    }
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    if let Some(id) = request.memory_id {
        let memory = access::find(&mut tx, ctx, &id.into(), Purpose::Read, engine.clock().now()).await?;
        Some(memory).filter(|memory| memory.live).ok_or(Error::NotFound("memory"))?;
    }
    let event = audit::propose(engine, ctx, &mut tx, agent, &request.phrase, request.memory_id).await?;
    // Every agent of the organisation may search this entry, so the phrase is only in the proposal, which reviewers see.
    let entry = NewEntry::new(engine, ctx, "vocabulary.proposed", "phrase", event, "proposed a phrase");
    audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry.agent(agent)).await?;
    let answer = ProposeResponse { proposed: true, term: None };
    once.commit(tx, &answer, request.memory_id.as_slice()).await?;
    engine.relay().wake();
    Ok(answer)
}

/// The terms that resemble a phrase in spelling or meaning, best first.
///
/// # Errors
/// When the database is out of reach. Without the model, only spelling counts.
pub(super) async fn nearest_terms(engine: &Engine, ctx: &OpContext, phrase: &str) -> Result<Vec<NearestTerm>, Error> {
    let snapshot = engine.vocabulary().snapshot(&engine.db().kb, ctx.tenancy()).await?;
    let mut best: BTreeMap<TermId, NearestTerm> = BTreeMap::new();
    let mut offer = |near: NearestTerm| {
        let kept = best.entry(near.term_id).or_insert_with(|| near.clone());
        if near.score > kept.score {
            *kept = near;
        }
    };
    by_spelling(&snapshot, phrase).into_iter().for_each(&mut offer);
    if !snapshot.state.terms.is_empty()
        && let Ok(vector) = engine.embed_query(ctx.into(), phrase).await
    {
        let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
        let most = i64::try_from(NEAREST_TERMS).unwrap_or(i64::MAX);
        let near = store::nearest_terms(&mut tx, ctx.tenant_id, &engine.model().name, &vector, most).await?;
        tx.commit().await?;
        let least = engine.model().term_threshold;
        let near = near.into_iter().filter(|(_, _, cosine)| *cosine >= least);
        near.map(|(term_id, term, cosine)| NearestTerm {
            term_id,
            form: term.clone(),
            term,
            score: cosine.clamp(0.0, 1.0),
            likeness: Likeness::Meaning,
        })
        .for_each(&mut offer);
    }
    // "node 12" resembles "node 21" and is none.
    let mut found: Vec<NearestTerm> = best.into_values().filter(|near| !compare(phrase, &near.form).is_conflict()).collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.term.cmp(&b.term)));
    found.truncate(NEAREST_TERMS);
    Ok(found)
}

/// For each phrase the places of the others that resemble it in spelling.
pub fn near_spellings(phrases: &[&str]) -> Vec<Vec<usize>> {
    let forms: Vec<String> = phrases.iter().map(|phrase| normal(phrase)).collect();
    let alike = |one: usize, other: usize| {
        let near = one != other && strsim::jaro_winkler(&forms[one], &forms[other]) >= SPELLING_FLOOR;
        near && !compare(phrases[one], phrases[other]).is_conflict()
    };
    (0..phrases.len()).map(|one| (0..phrases.len()).filter(|other| alike(one, *other)).collect()).collect()
}

fn by_spelling(snapshot: &Snapshot, phrase: &str) -> Vec<NearestTerm> {
    let form = normal(phrase);
    let near = snapshot.forms.iter().map(|(known, place)| (known, &snapshot.state.terms[*place], strsim::jaro_winkler(&form, known)));
    near.filter(|(_, _, score)| *score >= SPELLING_FLOOR)
        .map(|(known, term, score)| NearestTerm {
            term_id: term.lineage,
            term: term.term.clone(),
            form: known.clone(),
            score,
            likeness: Likeness::Spelling,
        })
        .collect()
}

fn known(state: &State, term: &TermName) -> KnownTerm {
    KnownTerm {
        term_id: term.lineage,
        term: term.term.clone(),
        definition: term.definition.clone(),
        category: term.category.clone(),
        aliases: state.aliases_of(term.lineage).map(|alias| alias.alias.clone()).collect(),
    }
}

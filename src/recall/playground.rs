//! The playground: a recall with everything laid open, and without a trace.

use super::find::{self, Question};
use super::scope::Scoping;
use super::store::{Narrowing, Reach};
use super::trace::{chunk_rank, memory_rank};
use super::{NEAR_MISSES, RANKING, blend, health, silence};
use crate::api::{
    CandidateLink, K_MAX, OperatorRole, Playground, PlaygroundCandidate, PlaygroundRequest, QUERY_MAX, RecallFilters, SourceTag,
};
use crate::db::Tenancy;
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::knowledge;
use crate::memories;
use crate::op::OpContext;
use crate::ranking::Ranked;
use crate::ranking::explain;

/// Asks as an agent would and shows every candidate, what the floor cut, what the vocabulary did, and how long each step took. No counter
/// moves and nothing is logged.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `Invalid` for an empty or over-long query or a `k` outside 1..=100; `NotFound` for another
/// tenant's agent.
pub async fn playground(engine: &Engine, ctx: &OpContext, request: &PlaygroundRequest) -> Result<Playground, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    Checks::default()
        .bytes("query", &request.query, QUERY_MAX)
        .that((1..=K_MAX).contains(&request.k), "k", format!("is {}; it may be 1 to {K_MAX}", request.k))
        .done()?;
    let slugs = memories::slugs(engine, ctx).await?;
    if !slugs.contains_key(&request.agent_id) {
        return Err(Error::NotFound("agent"));
    }
    let filters = RecallFilters::default();
    let agents = [request.agent_id, ctx.commons_id];
    let tenancy = Tenancy { agent: request.agent_id, ..ctx.tenancy() };
    let reach = Reach {
        tenant: ctx.tenant_id,
        agents: &agents,
        user: Some(request.user_id),
        filters: Narrowing::Agent(&filters),
        now: engine.clock().now(),
    };
    let most = i64::from(request.k + NEAR_MISSES);
    let question = Question {
        query: &request.query,
        ranking: RANKING,
        reach,
        most,
        knowledge: true,
        floors: None,
        scoping: Scoping::default(),
        past: None,
    };
    let found = find::find(engine, tenancy, question).await?;
    let list = blend::list(&found, request.k, false);

    let zero_hit = found.order.passed.is_empty();
    let (mut cause, mut near_misses) = (None, Vec::new());
    if zero_hit {
        let asked = silence::Silent {
            tenant: ctx.tenant_id,
            agents: &agents,
            user_id: request.user_id,
            at: found.now,
            model: &engine.model().name,
            floor: found.floors.vector,
            reason: Some(found.reason()),
            considered: found.considered,
            vector: found.asked.vector.as_deref(),
        };
        let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
        let (why, near) = silence::diagnose(&mut tx, &asked).await?;
        near_misses = health::tell(&mut tx, ctx, &slugs, near).await?;
        tx.commit().await?;
        cause = Some(why);
    }
    let memory = |ranked: &Ranked| {
        let words = explain::matched(ranked, &found.asked.terms);
        let shared = ranked.candidate.memory.agent_id == ctx.commons_id;
        PlaygroundCandidate {
            link: CandidateLink::Memory(ranked.candidate.memory.id),
            source_tag: if shared { SourceTag::Shared } else { SourceTag::Private },
            label: ranked.candidate.memory.topic.clone(),
            content: ranked.candidate.memory.content.clone(),
            similarity: ranked.breakdown.similarity,
            recency: ranked.breakdown.recency,
            score: ranked.score,
            floor: ranked.breakdown.floor,
            passed: ranked.passed(),
            rank: memory_rank(&list, ranked).map(i64::from),
            matched_by: ranked.matched_by,
            explanation: explain::sentence(ranked, &words, found.now),
        }
    };
    let chunk = |candidate: &knowledge::Candidate| {
        let hit = knowledge::hit(candidate.clone(), &found.asked.terms);
        PlaygroundCandidate {
            link: CandidateLink::Document(hit.document_id),
            source_tag: SourceTag::Canonical,
            label: hit.citation,
            content: hit.content,
            similarity: hit.similarity,
            recency: 1.0,
            score: hit.score,
            floor: hit.floor,
            passed: candidate.passed(),
            rank: chunk_rank(&list, candidate).map(i64::from),
            matched_by: hit.matched_by,
            explanation: hit.explanation,
        }
    };
    let mut candidates: Vec<PlaygroundCandidate> = found
        .order
        .passed
        .iter()
        .chain(found.order.below.iter().take(NEAR_MISSES as usize))
        .map(memory)
        .chain(found.knowledge.iter().map(chunk))
        .collect();
    candidates.sort_by(|a, b| b.passed.cmp(&a.passed).then_with(|| b.score.total_cmp(&a.score)));
    Ok(Playground {
        candidates,
        query_canonical: found.query_canonical,
        terms_inside: found.inside,
        searched: found.asked.text,
        vocabulary_version: found.vocabulary_version,
        considered: found.considered,
        passed: found.passed,
        zero_hit,
        cause,
        near_misses,
        degraded: found.degraded,
        timings: found.timings.iter().map(|(step, ms)| ((*step).to_owned(), *ms)).collect(),
        hits: list.into_iter().map(|one| one.hit(&found.asked.terms, ctx.commons_id, found.now)).collect(),
    })
}

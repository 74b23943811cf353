//! The four sources: what each finds, with similarity, recency and importance as `docs/four-sources.md` defines them.

use crate::activity::{self, Report, Reports};
use crate::knowledge::{self, CandidateQuery, PreparedQuery};
use crate::memories::model::{Memory, content_hash, recency};
use crate::memories::{self, Whose};
use crate::ranking::Ranked;
use crate::recall::{self, Narrowing, PreparedQuestion};
use crate::search::decision_points::Recipe;
use chrono::{DateTime, Utc};
use foundation::registry::Floors;
use foundation::{Engine, Error, OpContext};
use std::collections::HashMap;
use wire::{AgentId, KnowledgeHit, MatchedBy, MemoryId, Provenance, RecallFilters, SearchSource, Trust};
use words::bm25::Words;
use words::weighted::{Candidate, Components, Scale};

/// Candidates of each source.
pub const CANDIDATES: usize = 50;
/// The importance of decided knowledge, which has none of its own.
const KNOWLEDGE_IMPORTANCE: f64 = 0.5;

/// What a source found.
#[derive(Clone, Debug)]
pub enum Item {
    Memory { ranked: Box<Ranked>, provenance: Provenance, attribution: String },
    Report(Box<Report>),
    Knowledge(Box<KnowledgeHit>),
}

/// The agent's memories and those that all agents share. Similarity is the cosine, or the normalised BM25 if only the words are close enough
/// (see [`comparable`]).
pub(super) async fn memory(
    engine: &Engine,
    ctx: &OpContext,
    question: &PreparedQuestion,
    recipe: &Recipe,
    floors: Floors,
) -> Result<Vec<Candidate<Item>>, Error> {
    let every = RecallFilters::default();
    let filters = if recipe.decisions { Narrowing::Decisions } else { Narrowing::Agent(&every) };
    let agents = [ctx.agent_id()?, ctx.commons_id];
    let found = recall::candidates(engine, ctx, &agents, question, filters, floors, CANDIDATES).await?;
    let ids: Vec<MemoryId> = found.iter().map(|one| one.candidate.memory.id).collect();
    let reviewed = memories::reviewed(engine, ctx, &ids).await?;
    let (now, agent) = (engine.clock().now(), ctx.agent_id().ok());
    let is_others = |memory: &Memory| memories::trust(memory, &reviewed, ctx) == Trust::Unreviewed && agent != Some(memory.created_by);
    let is_named = found.iter().any(|one| is_others(&one.candidate.memory));
    // An author whose name cannot be read is another agent.
    let slugs = if is_named { memories::slugs(engine, ctx).await.unwrap_or_default() } else { HashMap::new() };
    let candidate = |ranked: Ranked| {
        let memory = &ranked.candidate.memory;
        let trust = memories::trust(memory, &reviewed, ctx);
        let provenance = memories::provenance(memory, agent, reviewed.contains(&memory.id));
        let attribution = memories::opening(
            memory,
            match trust {
                Trust::Own | Trust::Captured => Whose::Own,
                _ if is_others(memory) => Whose::Agent(slugs.get(&memory.created_by).map(String::as_str)),
                Trust::Reviewed | Trust::Unreviewed => Whose::Ours,
            },
        );
        let (similarity, importance) = (ranked.breakdown.similarity, f64::from(memory.importance));
        let components = components(SearchSource::Memory, similarity, recency(memory.updated_at, now), importance);
        Candidate {
            source: SearchSource::Memory,
            id: memory.id.0,
            hash: memory.content_hash.clone(),
            trust: Some(trust),
            at: Some(memory.updated_at),
            components,
            item: Item::Memory { provenance, attribution, ranked: Box::new(ranked) },
        }
    };
    Ok(found.into_iter().map(candidate).collect())
}

/// What agents of the organisation reported. Similarity is the normalised BM25; floor and scale come later ([`comparable`]), because these
/// sources do not wait for the settings.
pub(super) async fn reports(
    engine: &Engine,
    ctx: &OpContext,
    of: Reports,
    words: &Words,
    recipe: &Recipe,
) -> Result<Vec<Candidate<Item>>, Error> {
    let (source, kinds) = match of {
        Reports::Actions => (SearchSource::Audit, recipe.actions),
        Reports::Steps => (SearchSource::Workflow, &[][..]),
    };
    let search = activity::ReportSearch { of, words, kinds, most: CANDIDATES };
    let found = activity::find(engine, ctx, &search).await?;
    let (now, reader) = (engine.clock().now(), ctx.agent_id().ok());
    let candidate = |activity::ScoredReport { report, similarity }| {
        let Report { id, at, importance, agent_id, .. } = report;
        Candidate {
            source,
            id,
            hash: content_hash(&report.content()),
            trust: Some(if Some(agent_id) == reader { Trust::Own } else { Trust::Unreviewed }),
            at: Some(at),
            components: components(source, similarity, recency(at, now), f64::from(importance)),
            item: Item::Report(Box::new(report)),
        }
    };
    Ok(found.into_iter().map(candidate).collect())
}

/// The organisation's documents, of the agent's categories. They do not fade.
pub(super) async fn knowledge(
    engine: &Engine,
    ctx: &OpContext,
    prepared: &PreparedQuery,
    categories: &[String],
    floors: Floors,
) -> Result<Vec<Candidate<Item>>, Error> {
    let query = CandidateQuery { prepared, kinds: &[], categories, ranking: recall::RANKING, floors, most: CANDIDATES, at: None };
    let found = knowledge::candidates(engine, ctx.tenancy(), &query).await?;
    let candidate = |chunk: knowledge::RankedChunk| {
        let hit = knowledge::hit(chunk, &prepared.terms);
        Candidate {
            source: SearchSource::Knowledge,
            id: hit.chunk_id.0,
            hash: content_hash(&hit.content),
            trust: None,
            at: None::<DateTime<Utc>>,
            components: components(SearchSource::Knowledge, hit.similarity, 1.0, KNOWLEDGE_IMPORTANCE),
            item: Item::Knowledge(Box::new(hit)),
        }
    };
    Ok(found.into_iter().filter(knowledge::RankedChunk::passed).map(candidate).collect())
}

/// Leaves out reports whose words do not reach their floor, puts what was found by words alone on the scale of cosines, and leaves out what
/// is less similar than the organisation demands.
pub(super) fn comparable(found: &mut Vec<Candidate<Item>>, scale: &Scale, least: Option<f64>) {
    found.retain_mut(|one| {
        let by_words = match &one.item {
            Item::Memory { ranked, .. } => ranked.matched_by == MatchedBy::Lexical,
            Item::Knowledge(hit) => hit.matched_by == MatchedBy::Lexical,
            Item::Report(_) if one.components.similarity < scale.lexical => return false,
            Item::Report(_) => true,
        };
        if by_words {
            one.components.similarity = scale.cosine(one.components.similarity);
        }
        least.is_none_or(|least| one.components.similarity >= least)
    });
}

fn components(source: SearchSource, similarity: f64, recency: f64, importance: f64) -> Components {
    let share = |value: f64| value.clamp(0.0, 1.0);
    Components { similarity: share(similarity), recency: share(recency), importance: share(importance), source_priority: source.priority() }
}

/// The memories among hits, with the agents that own them: a search counts as an access.
pub fn accessed<'a>(items: impl Iterator<Item = &'a Item>) -> Vec<(AgentId, MemoryId)> {
    let memory = |item: &'a Item| match item {
        Item::Memory { ranked, .. } => Some((ranked.candidate.memory.agent_id, ranked.candidate.memory.id)),
        Item::Report(_) | Item::Knowledge(_) => None,
    };
    items.filter_map(memory).collect()
}

//! What the gates look at: the real recall, and the memory compared with its question, whether the recall may find it or not.

use super::super::agent_recall::AgentRecall;
use super::super::blend::{self, Blended};
use super::super::find::Finding;
use super::super::store::{self, Compared};
use super::super::trace::memory_rank;
use crate::knowledge::PreparedQuery;
use crate::memories::{self, model::Memory};
use crate::ranking::{self, Ranked, explain};
use crate::vocabulary::Resolved;
use db::Tx;
use foundation::{Engine, Error, OpContext};
use wire::{DegradedPart, K_MAX, MemoryId, MemoryLink, MemoryStatus, Ranking, RecallFilters, Relation};
use words::stems;

/// A recall and one memory.
pub(super) struct Facts<'a> {
    pub agent_recall: &'a AgentRecall<'a>,
    pub memory: Memory,
    /// The slug of the agent whose memory it is.
    pub owner: String,
    pub found: Finding,
    /// The model that recalls use, and those that have a vector of the memory.
    pub model: String,
    pub models: Vec<String>,
    pub compared: Compared,
    /// Its cosine with the question, 0 to 1, and with the question as it was asked, if the vocabulary changed it.
    pub semantic: Option<f64>,
    pub semantic_as_asked: Option<f64>,
    /// Its normalised BM25.
    pub lexical: Option<f64>,
    /// The memory that supersedes it.
    pub newer: Option<MemoryLink>,
    /// The names of the recall's filters that leave it out.
    pub left_out_by: Vec<&'static str>,
    /// The meaning of its phrase today; absent if the vocabulary could not be read.
    pub means: Option<Resolved>,
    pub place: Place,
}

/// Where a recall puts a memory.
#[derive(Default)]
pub(super) struct Place {
    /// Its place in the answer, from 1.
    pub rank: Option<u32>,
    /// The place that it would have if the answer had no end.
    pub beyond: Option<u32>,
    /// A number of hits for which the same recall returns it, and its rank there, if this recall does not.
    pub with_more_hits: Option<(u32, u32)>,
    /// Hits of the answer.
    pub hits: usize,
    /// The score of the last hit, if there are as many as requested.
    pub last_hit: Option<f64>,
}

impl<'a> Facts<'a> {
    /// Runs the recall and compares the memory with its question.
    pub async fn gather(engine: &Engine, ctx: &OpContext, agent_recall: &'a AgentRecall<'a>, memory: Memory) -> Result<Self, Error> {
        let found = agent_recall.find(engine, agent_recall.recall.k, true).await?;
        if found.degraded.contains(&DegradedPart::Memory) {
            return Err(Error::Unavailable("memory cannot be searched at the moment".into()));
        }
        let changed = found.prepared.vector.is_some() && found.prepared.text != agent_recall.recall.query;
        let as_asked = match changed {
            true => PreparedQuery::new(engine, ctx.into(), agent_recall.recall.query.clone()).await.vector,
            false => None,
        };
        let slugs = memories::slugs(engine, ctx).await?;
        let (tenancy, agent, id, model) = (ctx.tenancy(), memory.agent_id, memory.id, engine.model());
        let mut tx = engine.db().memory.begin(tenancy).await?;
        let gone = Error::NotFound("memory");
        let compared = store::compared(&mut tx, tenancy, agent, id, model, found.prepared.vector.as_deref()).await?.ok_or(gone)?;
        let semantic_as_asked = match &as_asked {
            Some(vector) => store::compared(&mut tx, tenancy, agent, id, model, Some(vector)).await?.and_then(|one| one.similarity),
            None => None,
        };
        let models = memories::store::embedded_by(&mut tx, tenancy, agent, id).await?;
        let newer = if memory.status == MemoryStatus::Superseded { newer(&mut tx, ctx, memory.id).await? } else { None };
        let left_out_by = left_out_by(&mut tx, ctx, &memory, &agent_recall.recall.filters).await?;
        tx.commit().await?;
        let vocabulary = engine.vocabulary().snapshot(&engine.db().kb, tenancy).await;
        let mut facts = Self {
            owner: slugs.get(&memory.agent_id).cloned().unwrap_or_default(),
            lexical: lexical(&found, &memory),
            semantic: compared.similarity.map(|cosine| cosine.clamp(0.0, 1.0)),
            means: vocabulary.ok().map(|snapshot| snapshot.resolve(&memory.topic_raw)),
            model: model.name.clone(),
            place: Place::default(),
            agent_recall,
            memory,
            found,
            models,
            compared,
            semantic_as_asked,
            newer,
            left_out_by,
        };
        facts.place = facts.place(engine).await?;
        Ok(facts)
    }

    async fn place(&self, engine: &Engine) -> Result<Place, Error> {
        let k = self.agent_recall.recall.k;
        let list = blend::list(&self.found, k, false);
        let full = list.len() >= usize::try_from(k).unwrap_or(usize::MAX);
        let place = Place { hits: list.len(), last_hit: list.last().filter(|_| full).map(Blended::score), ..Place::default() };
        let rank = rank_of(&self.memory, &self.found, k);
        let beyond = rank_of(&self.memory, &self.found, u32::MAX);
        let with_more_hits = match beyond {
            _ if rank.is_some() || !self.reaches_floor() => None,
            Some(rank) => self.with_more_hits(engine, rank).await?,
            None if k < K_MAX && self.memory.live => self.with_more_hits(engine, K_MAX).await?,
            None => None,
        };
        Ok(Place { rank, beyond, with_more_hits, ..place })
    }

    /// A number of hits, at least `k`, for which the recall returns the memory, and its rank there. A recall for more hits scores more
    /// candidates, and some of them may be better.
    async fn with_more_hits(&self, engine: &Engine, mut k: u32) -> Result<Option<(u32, u32)>, Error> {
        while k <= K_MAX {
            let wide = self.agent_recall.find(engine, k, true).await?;
            match (rank_of(&self.memory, &wide, k), rank_of(&self.memory, &wide, u32::MAX)) {
                (Some(rank), _) => return Ok(Some((k, rank))),
                (None, Some(rank)) if rank > k => k = rank,
                // It belongs to another project: a fifth of the hits may.
                (None, Some(_)) => k = k.saturating_add(5),
                (None, None) => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The memory as the recall scored it, if it did.
    pub fn ranked(&self) -> Option<&Ranked> {
        let order = &self.found.order;
        order.passed.iter().chain(&order.below).find(|ranked| ranked.candidate.memory.id == self.memory.id)
    }

    /// Whether words count for this memory: under `decay` only if it waits for its vector or the question has none.
    pub fn words_count(&self) -> bool {
        self.agent_recall.ranking() != Ranking::Decay || self.found.prepared.vector.is_none() || self.compared.awaiting_vector
    }

    /// Its relevance by words, if words count.
    pub fn counted_words(&self) -> Option<f64> {
        self.lexical.filter(|_| self.words_count())
    }

    /// Whether it is relevant enough by meaning or by words.
    pub fn reaches_floor(&self) -> bool {
        let (relevance, floor, _) = ranking::relevance(self.semantic, self.counted_words(), self.found.floors);
        relevance >= floor
    }

    /// The words of the question that it has, in its own spelling.
    pub fn matched_words(&self) -> Vec<String> {
        stems::matched_words(&searched_text(&self.memory), &self.found.prepared.terms)
    }

    /// Its score in words, if it was scored.
    pub fn explanation(&self) -> Option<String> {
        self.ranked().map(|ranked| explain::sentence(ranked, &self.matched_words(), self.found.now))
    }
}

/// The place of a memory in the answer of at most `k` hits, from 1.
fn rank_of(memory: &Memory, found: &Finding, k: u32) -> Option<u32> {
    let ranked = found.order.passed.iter().find(|ranked| ranked.candidate.memory.id == memory.id)?;
    memory_rank(&blend::list(found, k, false), ranked)
}

/// The text whose words are searched.
fn searched_text(memory: &Memory) -> String {
    memory.searched_text()
}

/// The relevance of a memory by words. One that the search may not find is weighed like those that it may.
fn lexical(found: &Finding, memory: &Memory) -> Option<f64> {
    let own = || found.prepared.question_words().postings(memory.id, &stems::terms(&searched_text(memory)));
    let scored = found.order.passed.iter().chain(&found.order.below).find(|ranked| ranked.candidate.memory.id == memory.id);
    let counted = scored.and_then(|ranked| ranked.candidate.lexical);
    counted.or_else(|| found.postings.relevance(memory.id)).or_else(|| found.postings.relevance_of(&own()))
}

/// The memory that supersedes another one: the latest that is not deleted.
async fn newer(tx: &mut Tx, ctx: &OpContext, id: MemoryId) -> Result<Option<MemoryLink>, Error> {
    let links = memories::store::links(tx, ctx.tenancy(), id).await?.into_iter().map(|link| link.seen_from(id));
    Ok(links.filter(|link| link.relation == Relation::Supersedes && !link.outgoing).min_by_key(|link| link.other_deleted))
}

/// The names of the filters that leave a memory out.
async fn left_out_by(tx: &mut Tx, ctx: &OpContext, memory: &Memory, filters: &RecallFilters) -> Result<Vec<&'static str>, Error> {
    let (names, each): (Vec<_>, Vec<_>) = one_by_one(filters).into_iter().filter(|(_, filter)| filter.narrows()).unzip();
    if each.is_empty() {
        return Ok(vec![]);
    }
    let passed = store::lets_through(tx, ctx.tenancy(), memory.agent_id, memory.id, &each).await?;
    Ok(names.into_iter().zip(passed).filter(|(_, passed)| !passed).map(|(name, _)| name).collect())
}

/// Each filter alone, by its name.
fn one_by_one(filters: &RecallFilters) -> Vec<(&'static str, RecallFilters)> {
    let none = RecallFilters::default;
    // The project that the recall is for is no filter.
    let RecallFilters { kinds, scopes, platform, project_id, repo_id, statuses, from, until, for_project: _, for_repo: _ } =
        filters.clone();
    vec![
        ("kinds", RecallFilters { kinds, ..none() }),
        ("scopes", RecallFilters { scopes, ..none() }),
        ("platform", RecallFilters { platform, ..none() }),
        ("project_id", RecallFilters { project_id, ..none() }),
        ("repo_id", RecallFilters { repo_id, ..none() }),
        ("statuses", RecallFilters { statuses, ..none() }),
        ("from", RecallFilters { from, ..none() }),
        ("until", RecallFilters { until, ..none() }),
    ]
}

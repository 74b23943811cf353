//! `search_my_memories`: one search over four sources side by side, each with a deadline of its own.

pub mod decision_points;
mod hits;
mod sources;
mod top;

pub(crate) use top::{TopReport, top_reports};

use crate::activity::Reports;
use crate::recall::{self, PreparedQuestion};
use db::{DbError, Users, by_deadline};
use decision_points::{PLAIN, Recipe, recipe};
use foundation::identity::{self, SearchSettings, acting_for};
use foundation::registry::Floors;
use foundation::{Checks, Engine, Error, OpContext};
use sources::Item;
use std::time::Duration;
use tokio::time::{Instant, timeout};
use verb::verb;
use wire::{
    AgentId, DegradedPart, KeyScope, QUERY_MAX, SOURCES_K_MAX, SearchMyMemoriesRequest, SearchMyMemoriesResponse, SearchPolicy,
    SearchSource, SourceHit, SourceReport, SourceState,
};
use words::bm25::Words;
use words::guard;
use words::stems;
use words::weighted::{Candidate, Scale, merge};

/// Searches the agent's memories, what agents of the organisation reported, workflow steps and knowledge, and merges what they found: one
/// content once, ranked by the weights of the organisation or of the decision point. A source that is late or out of reach is left out, and
/// the answer says so. Memories that it returns count as recalled; the retrieval log does not list this search.
///
/// # Errors
/// `Forbidden` without `memory:read`; `Invalid` for an empty or over-long query or a `k` outside 1..=50; `Unavailable` when no source could
/// answer.
#[verb]
pub async fn search_my_memories(
    engine: &Engine,
    ctx: &OpContext,
    request: SearchMyMemoriesRequest,
) -> Result<SearchMyMemoriesResponse, Error> {
    ctx.agent_id()?;
    ctx.require(KeyScope::MemoryRead)?;
    let recipe = request.decision_point.map_or(PLAIN, recipe);
    let k = request.k.unwrap_or(recipe.k);
    Checks::default()
        .bytes("query", &request.query, QUERY_MAX)
        .that((1..=SOURCES_K_MAX).contains(&k), "k", format!("is {k}; it may be 1 to {SOURCES_K_MAX}"))
        .done()?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    let query = guard::without_secrets(request.query);
    let Gathered { legs, settings, mut degraded } = gather(engine, ctx, &query, &recipe, None).await;
    if legs.iter().all(|leg| leg.report.state != SourceState::Answered) {
        return Err(Error::Unavailable("none of the sources could answer".into()));
    }
    degraded.extend(legs.iter().filter(|leg| leg.missed()).map(|leg| leg.report.source.to_string()));
    let weights = recipe.weights.unwrap_or(settings.policy.weights);
    let sources = legs.iter().map(|leg| leg.report).collect();
    let candidates = legs.into_iter().flat_map(|leg| leg.found).collect();
    let merged = merge(candidates, &weights, usize::try_from(k).unwrap_or(usize::MAX));
    recall::count_accesses(engine, ctx, &sources::accessed(merged.iter().map(|one| &one.candidate.item)));
    let hits: Vec<_> = merged.into_iter().map(hits::hit).collect();
    let messages = if request.as_messages { hits.iter().map(hits::message).collect() } else { vec![] };
    Ok(SearchMyMemoriesResponse { hits, sources, weights, degraded, messages })
}

/// The hits of an agent's search with a policy, or with that of the organisation, for an operator. Nothing is counted.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `NotFound` for another tenant's agent; `Invalid` for an empty or over-long query or for weights
/// that cannot be set.
#[verb(role = Viewer, agent = %agent)]
pub async fn preview(
    engine: &Engine,
    ctx: &OpContext,
    agent: AgentId,
    query: &str,
    policy: Option<SearchPolicy>,
) -> Result<Vec<SourceHit>, Error> {
    Checks::default().bytes("query", query, QUERY_MAX).done()?;
    policy.iter().try_for_each(identity::check_search_policy)?;
    let agent = identity::agent(engine, ctx, agent).await?;
    let ctx = &identity::acting_as(engine, ctx, agent, Users::Nobody).await?;
    let Gathered { legs, settings, .. } = gather(engine, ctx, query, &PLAIN, policy).await;
    let found = legs.into_iter().flat_map(|leg| leg.found).collect();
    let merged = merge(found, &settings.policy.weights, usize::try_from(PLAIN.k).unwrap_or(usize::MAX));
    Ok(merged.into_iter().map(hits::hit).collect())
}

/// What all sources found.
struct Gathered {
    legs: Vec<Leg>,
    settings: SearchSettings,
    /// Parts other than sources that could not run.
    degraded: Vec<String>,
}

/// A source with what it found.
struct Leg {
    report: SourceReport,
    found: Vec<Candidate<Item>>,
}

impl Leg {
    /// Whether it should have answered and did not.
    fn missed(&self) -> bool {
        matches!(self.report.state, SourceState::TimedOut | SourceState::Unavailable)
    }
}

/// Runs the sources of a recipe side by side, with the organisation's policy or another one. Reports are found by words alone and begin at
/// once. The others wait for the settings, the vocabulary and the vector, each with a limit.
async fn gather(engine: &Engine, ctx: &OpContext, query: &str, recipe: &Recipe, policy: Option<SearchPolicy>) -> Gathered {
    let deadline = engine.settings().source_deadline;
    let terms = stems::terms(query);
    let query_words = Words::new(&terms, std::slice::from_ref(&terms));
    let report = async |source, of| match recipe.sources.contains(&source) {
        true => Some(leg(source, deadline, sources::reports(engine, ctx, of, &query_words, recipe)).await),
        false => None,
    };
    let front = async {
        let (settings, question) = tokio::join!(settings(engine, ctx, deadline), recall::prepare(engine, ctx, query));
        let settings = settings.map(|one| SearchSettings { policy: policy.unwrap_or(one.policy), ..one });
        let floors = floors(engine, settings.as_ref().map(|one| one.policy).unwrap_or_default());
        let categories = settings.as_ref().map(|one| one.knowledge_categories.clone()).unwrap_or_default();
        let (memory, knowledge) = tokio::join!(
            async {
                match recipe.sources.contains(&SearchSource::Memory) {
                    true => Some(leg(SearchSource::Memory, deadline, sources::memory(engine, ctx, &question, recipe, floors)).await),
                    false => None,
                }
            },
            knowledge(engine, ctx, recipe, &question, &categories, floors),
        );
        (settings, question, memory, knowledge)
    };
    let ((settings, question, memory, knowledge), audit, workflow) =
        tokio::join!(front, report(SearchSource::Audit, Reports::Actions), report(SearchSource::Workflow, Reports::Steps));
    let mut degraded: Vec<String> = question.degraded.iter().map(ToString::to_string).collect();
    if settings.is_none() {
        degraded.push(DegradedPart::Settings.to_string());
    }
    let settings = settings.unwrap_or_default();
    let scale = scale(engine);
    let pass = |mut leg: Leg| {
        sources::comparable(&mut leg.found, &scale, settings.policy.similarity_min);
        leg.report.found = u32::try_from(leg.found.len()).unwrap_or(u32::MAX);
        leg
    };
    let legs = [memory, audit, workflow, knowledge].into_iter().flatten().map(pass).collect();
    Gathered { legs, settings, degraded }
}

/// Knowledge, for keys that may read it.
async fn knowledge(
    engine: &Engine,
    ctx: &OpContext,
    recipe: &Recipe,
    question: &PreparedQuestion,
    categories: &[String],
    floors: Floors,
) -> Option<Leg> {
    let source = SearchSource::Knowledge;
    if !recipe.sources.contains(&source) {
        return None;
    }
    if ctx.require(KeyScope::KbRead).is_err() {
        let report = SourceReport { source, state: SourceState::NotPermitted, found: 0, took_ms: 0.0 };
        return Some(Leg { report, found: vec![] });
    }
    let work = sources::knowledge(engine, ctx, &question.prepared, categories, floors);
    Some(leg(source, engine.settings().source_deadline, work).await)
}

/// Runs one source within its deadline. Its failure is no failure of the search.
async fn leg(source: SearchSource, deadline: Duration, work: impl Future<Output = Result<Vec<Candidate<Item>>, Error>>) -> Leg {
    let start = Instant::now();
    // Its statements end with it: a connection that still worked for a leg that nobody waits for would be missing elsewhere.
    let (state, found) = match timeout(deadline, by_deadline(start + deadline, work)).await {
        Ok(Ok(found)) => (SourceState::Answered, found),
        Ok(Err(Error::Db(DbError::Cancelled))) | Err(_) => (SourceState::TimedOut, vec![]),
        Ok(Err(error)) => {
            tracing::warn!(%source, error = %error.chain(), "searching without a source");
            (SourceState::Unavailable, vec![])
        }
    };
    if state != SourceState::Answered {
        metrics::counter!("agent_memory_sources_missed_total", "source" => source.as_str(), "state" => state.as_str()).increment(1);
    }
    let took_ms = start.elapsed().as_secs_f64() * 1000.0;
    Leg { report: SourceReport { source, state, found: 0, took_ms }, found }
}

/// The settings of the organisation and the agent; none if they cannot be read in time.
async fn settings(engine: &Engine, ctx: &OpContext, deadline: Duration) -> Option<SearchSettings> {
    match timeout(deadline, by_deadline(Instant::now() + deadline, identity::search_settings(engine, ctx))).await {
        Ok(Ok(settings)) => Some(settings),
        Ok(Err(error)) => {
            tracing::warn!(error = %error.chain(), "the search policy could not be read; the defaults apply");
            None
        }
        Err(_) => None,
    }
}

/// How similarities by words compare with cosines.
fn scale(engine: &Engine) -> Scale {
    let Floors { vector, lexical } = engine.model().floors;
    Scale { vector, lexical, related: engine.model().related_threshold }
}

/// The least similarity by meaning and by words: that of the organisation, or those that are registered for the model.
fn floors(engine: &Engine, policy: SearchPolicy) -> Floors {
    policy.similarity_min.map_or(engine.model().floors, |least| Floors { vector: least, lexical: least })
}

//! The reports among the best hits of a search, for the context of a model call.

use super::decision_points::PLAIN;
use super::sources::{self, Item};
use super::{floors, hits, scale, settings};
use crate::activity::{Report, Reports};
use crate::recall::PreparedQuestion;
use foundation::{Engine, Error, OpContext};
use verb::verb;
use wire::{KeyScope, SearchSource};
use words::bm25::Words;
use words::stems;
use words::weighted::{Merged, merge};

/// A report among the best hits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TopReport {
    /// Where it was found: among actions or workflow steps.
    pub source: SearchSource,
    pub report: Report,
    /// When, who and what, before its content.
    pub attribution: String,
    /// That of the hit, by the organisation's weights.
    pub score: f64,
}

/// The actions and workflow steps that a search for the question has among its best hits, best first. The other two sources are searched only
/// if a report is close enough. No memory counts as recalled.
///
/// # Errors
/// `Forbidden` if no agent acts; `Db` when a source is out of reach.
#[verb]
pub(crate) async fn top_reports(
    engine: &Engine,
    ctx: &OpContext,
    query: &str,
    question: &PreparedQuestion,
) -> Result<Vec<TopReport>, Error> {
    let terms = stems::terms(query);
    let query_words = Words::new(&terms, std::slice::from_ref(&terms));
    let reports = |of| sources::reports(engine, ctx, of, &query_words, &PLAIN);
    let (settings, actions, steps) =
        tokio::join!(settings(engine, ctx, engine.settings().source_deadline), reports(Reports::Actions), reports(Reports::Steps));
    let settings = settings.unwrap_or_default();
    let (scale, floors, least) = (scale(engine), floors(engine, settings.policy), settings.policy.similarity_min);
    let mut found = actions?;
    found.append(&mut steps?);
    sources::comparable(&mut found, &scale, least);
    if found.is_empty() {
        return Ok(vec![]);
    }
    let knowledge = async {
        match ctx.require(KeyScope::KbRead) {
            Ok(()) => sources::knowledge(engine, ctx, &question.prepared, &settings.knowledge_categories, floors).await,
            Err(_) => Ok(vec![]),
        }
    };
    let (mut memories, mut chunks) = tokio::try_join!(sources::memory(engine, ctx, question, &PLAIN, floors), knowledge)?;
    memories.append(&mut chunks);
    sources::comparable(&mut memories, &scale, least);
    found.append(&mut memories);
    let best = merge(found, &settings.policy.weights, usize::try_from(PLAIN.k).unwrap_or(usize::MAX));
    Ok(best.into_iter().filter_map(top_report).collect())
}

fn top_report(merged: Merged<Item>) -> Option<TopReport> {
    let Merged { candidate, score, .. } = merged;
    let Item::Report(report) = candidate.item else { return None };
    Some(TopReport { source: candidate.source, attribution: hits::attribution(&report, candidate.source), report: *report, score })
}

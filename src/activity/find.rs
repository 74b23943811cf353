//! Finding reports by their words.

use super::model::{Report, Reports};
use super::store;
use db::DbError;
use foundation::{Engine, OpContext};
use std::collections::HashSet;
use wire::ActionKind;
use words::bm25::{Postings, Words};
use words::stems;

/// Reports that are read in full before the best are chosen: some say the same in the same words.
const READ: usize = 100;

/// A search in reports.
pub(crate) struct ReportSearch<'a> {
    pub of: Reports,
    pub words: &'a Words,
    /// Of these kinds of actions; of all kinds if empty.
    pub kinds: &'a [ActionKind],
    pub most: usize,
}

/// A report with its similarity.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScoredReport {
    pub report: Report,
    /// Share of the question's weight that the report's words have (normalised BM25), 0 to 1.
    pub similarity: f64,
}

/// The reports that share the most with a question, best first, each content once: its newest report.
///
/// A word that more than some thousand reports have proposes only the newest of them. The proposed reports are scored by all of their words.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn find(engine: &Engine, ctx: &OpContext, search: &ReportSearch<'_>) -> Result<Vec<ScoredReport>, DbError> {
    let mut found = closest(engine, ctx, search.of, search.words, search.kinds).await?;
    let mut seen = HashSet::new();
    found.retain(|one| seen.insert(one.report.content()));
    found.truncate(search.most);
    Ok(found)
}

/// The reports that share the most with a question, best first.
pub(super) async fn closest(
    engine: &Engine,
    ctx: &OpContext,
    of: Reports,
    words: &Words,
    kinds: &[ActionKind],
) -> Result<Vec<ScoredReport>, DbError> {
    let mut tx = engine.db().control.begin_planned_once(ctx.tenancy()).await?;
    let store::Matches { found: matches, frequencies } = store::matches(&mut tx, ctx.tenancy(), of, &words.terms, kinds).await?;
    let proposed = Postings::weighed(words, matches.statistics, &frequencies, &matches.postings).best(READ, |_, _| true);
    let reports = store::by_ids(&mut tx, ctx.tenancy(), of, &proposed).await?;
    drop(tx);
    let mut found: Vec<ScoredReport> = reports
        .into_iter()
        .map(|report| {
            let postings = words.postings(report.id, &stems::terms(&report.searched_text()));
            let relevance = Postings::weighed(words, matches.statistics, &frequencies, &postings).relevance(report.id);
            ScoredReport { similarity: relevance.unwrap_or(0.0).clamp(0.0, 1.0), report }
        })
        .collect();
    found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then_with(|| (b.report.at, b.report.id).cmp(&(a.report.at, a.report.id))));
    Ok(found)
}

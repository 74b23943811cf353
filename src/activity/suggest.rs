//! Suggesting actions: what succeeded for similar tasks, by what agents reported.

use super::find::{Found, closest};
use super::model::{Report, Reports};
use crate::db::DbError;
use crate::engine::Engine;
use crate::op::OpContext;
use crate::ranking::bm25::Words;
use std::collections::HashMap;

/// An action that succeeded more often than it failed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Suggestion {
    /// The closest report of a success.
    pub example: Report,
    /// How close it is, 0 to 1.
    pub similarity: f64,
    /// Reports of this action that are close enough, by how they ended.
    pub succeeded: u32,
    pub failed: u32,
}

/// Suggests at most `most` actions that succeeded for tasks like the query, closest first. Only reports with a similarity of at least `floor`
/// that say whether the action succeeded are counted.
///
/// # Errors
/// When the database is out of reach.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn suggest(engine: &Engine, ctx: &OpContext, words: &Words, floor: f64, most: usize) -> Result<Vec<Suggestion>, DbError> {
    let mut found = closest(engine, ctx, Reports::Actions, words, &[]).await?;
    found.retain(|one| one.similarity >= floor);
    Ok(by_action(found, most))
}

fn by_action(found: Vec<Found>, most: usize) -> Vec<Suggestion> {
    let mut ends: HashMap<String, (u32, u32)> = HashMap::new();
    for Found { report, .. } in &found {
        let (succeeded, failed) = ends.entry(report.title.clone()).or_default();
        match report.succeeded {
            Some(true) => *succeeded += 1,
            Some(false) => *failed += 1,
            None => {}
        }
    }
    let mut suggestions: Vec<Suggestion> = Vec::new();
    for Found { report, similarity } in found.into_iter().filter(|one| one.report.succeeded == Some(true)) {
        let (succeeded, failed) = ends.remove(&report.title).unwrap_or_default();
        // The first report of an action is the closest; later ones find nothing left.
        if succeeded > failed && suggestions.len() < most {
            suggestions.push(Suggestion { example: report, similarity, succeeded, failed });
        }
    }
    suggestions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{ActionKind, AgentId};
    use chrono::DateTime;
    use uuid::Uuid;

    fn found(action: &str, succeeded: Option<bool>, similarity: f64) -> Found {
        let report = Report {
            id: Uuid::nil(),
            agent_id: AgentId(Uuid::nil()),
            agent: Some("atlas".into()),
            kind: Some(ActionKind::Action),
            title: action.into(),
            message: format!("{action}, {similarity}"),
            outcome: None,
            succeeded,
            importance: 0.5,
            at: DateTime::UNIX_EPOCH,
        };
        Found { report, similarity }
    }

    #[test]
    fn an_action_is_suggested_if_it_succeeded_more_often_than_it_failed() {
        let reports = vec![
            found("invoice.send", Some(false), 0.9),
            found("invoice.send", Some(true), 0.8),
            found("invoice.post", Some(true), 0.7),
            found("invoice.send", Some(true), 0.6),
            found("invoice.fax", Some(true), 0.5),
            found("invoice.fax", Some(false), 0.4),
            found("invoice.draft", None, 0.3),
        ];
        let suggestions = by_action(reports.clone(), 3);
        let of = |one: &Suggestion| (one.example.title.clone(), one.similarity, one.succeeded, one.failed);
        assert_eq!(
            suggestions.iter().map(of).collect::<Vec<_>>(),
            [("invoice.send".into(), 0.8, 2, 1), ("invoice.post".into(), 0.7, 1, 0)]
        );
        assert_eq!(by_action(reports, 1).len(), 1);
    }
}

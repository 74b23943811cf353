//! Suggesting actions: what succeeded or failed for similar tasks, by what agents reported.

use super::find::{ScoredReport, closest};
use super::model::{Report, Reports};
use db::DbError;
use foundation::{Engine, OpContext};
use words::bm25::Words;

/// The least similarity of a report as a share of the closest one's: a task that shares a common word only is not a similar one.
const LEAST_OF_BEST: f64 = 0.5;

/// An action that was tried for similar tasks, with how it ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SuggestedAction {
    pub action: String,
    /// How close its closest report is, 0 to 1.
    pub similarity: f64,
    /// Reports of this action that are close enough, by how they ended.
    pub succeeded: u32,
    pub failed: u32,
    /// The closest report of a success.
    pub success: Option<Report>,
    /// The newest report of a failure.
    pub failure: Option<Report>,
}

impl SuggestedAction {
    /// Whether it succeeded more often than it failed. Otherwise it is a warning.
    pub fn is_advised(&self) -> bool {
        self.succeeded > self.failed
    }

    /// What the reports say, in a sentence.
    pub fn because(&self) -> String {
        let (end, times) = if self.is_advised() { ("Succeeded", self.succeeded) } else { ("Failed", self.failed) };
        let all = self.succeeded + self.failed;
        format!("{end} {times} of {all} {} for similar tasks.", if all == 1 { "time" } else { "times" })
    }

    fn new(action: String, similarity: f64) -> Self {
        Self { action, similarity, succeeded: 0, failed: 0, success: None, failure: None }
    }

    /// Counts a report. They come in the order of their similarity.
    fn count(&mut self, report: Report) {
        match report.succeeded {
            Some(true) => {
                self.succeeded += 1;
                self.success.get_or_insert(report);
            }
            Some(false) => {
                self.failed += 1;
                if self.failure.as_ref().is_none_or(|known| (known.at, known.id) < (report.at, report.id)) {
                    self.failure = Some(report);
                }
            }
            None => {}
        }
    }
}

/// At most `most` actions that agents tried for tasks like the query, closest first, failures included. Only reports that share a content word
/// with the query, have a similarity of at least `floor` and of half of the closest report's, and say how the action ended are counted.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn suggest(
    engine: &Engine,
    ctx: &OpContext,
    words: &Words,
    floor: f64,
    most: usize,
) -> Result<Vec<SuggestedAction>, DbError> {
    Ok(by_action(closest(engine, ctx, Reports::Actions, words, &[]).await?, floor, most))
}

/// Groups reports, closest first, by their actions.
fn by_action(found: Vec<ScoredReport>, floor: f64, most: usize) -> Vec<SuggestedAction> {
    let best = found.first().map_or(0.0, |one| one.similarity);
    let floor = floor.max(best * LEAST_OF_BEST);
    let mut suggestions: Vec<SuggestedAction> = Vec::new();
    let ended = found.into_iter().filter(|one| one.similarity >= floor && one.report.succeeded.is_some());
    for ScoredReport { report, similarity } in ended {
        let place = suggestions.iter().position(|one| one.action == report.title).unwrap_or_else(|| {
            suggestions.push(SuggestedAction::new(report.title.clone(), similarity));
            suggestions.len() - 1
        });
        suggestions[place].count(report);
    }
    suggestions.truncate(most);
    suggestions
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use uuid::Uuid;
    use wire::{ActionKind, AgentId};

    fn scored(action: &str, succeeded: Option<bool>, similarity: f64, day: i64) -> ScoredReport {
        let report = Report {
            id: Uuid::nil(),
            agent_id: AgentId(Uuid::nil()),
            user_id: None,
            agent: Some("atlas".into()),
            kind: Some(ActionKind::Action),
            title: action.into(),
            message: format!("{action} on day {day}"),
            outcome: None,
            succeeded,
            importance: 0.5,
            at: DateTime::from_timestamp(day * 86_400, 0).unwrap_or_default(),
        };
        ScoredReport { report, similarity }
    }

    fn reports() -> Vec<ScoredReport> {
        vec![
            scored("berth.book", Some(false), 0.9, 4),
            scored("berth.book", Some(true), 0.8, 3),
            scored("berth.rent", Some(true), 0.7, 5),
            scored("berth.book", Some(true), 0.6, 9),
            scored("berth.fax", Some(false), 0.55, 1),
            scored("berth.fax", Some(true), 0.52, 8),
            scored("berth.fax", Some(false), 0.5, 6),
            scored("berth.draft", None, 0.5, 2),
        ]
    }

    #[test]
    fn actions_are_counted_with_their_failures() {
        let suggestions = by_action(reports(), 0.2, 3);
        let of = |one: &SuggestedAction| (one.action.clone(), one.similarity, one.is_advised(), one.because());
        assert_eq!(
            suggestions.iter().map(of).collect::<Vec<_>>(),
            [
                ("berth.book".into(), 0.9, true, "Succeeded 2 of 3 times for similar tasks.".to_owned()),
                ("berth.rent".into(), 0.7, true, "Succeeded 1 of 1 time for similar tasks.".to_owned()),
                ("berth.fax".into(), 0.55, false, "Failed 2 of 3 times for similar tasks.".to_owned()),
            ]
        );
        let days = |one: &SuggestedAction| [&one.success, &one.failure].map(|report| report.as_ref().map(|report| report.message.clone()));
        assert_eq!(
            days(&suggestions[0]),
            ["berth.book on day 3", "berth.book on day 4"].map(|text| Some(text.to_owned())),
            "the closest success"
        );
        assert_eq!(
            days(&suggestions[2]),
            ["berth.fax on day 8", "berth.fax on day 6"].map(|text| Some(text.to_owned())),
            "the newest failure"
        );
        assert_eq!(by_action(reports(), 0.2, 1).len(), 1);
    }

    #[test]
    fn what_failed_as_often_as_it_succeeded_is_a_warning() {
        let even = vec![scored("mast.paint", Some(true), 0.6, 1), scored("mast.paint", Some(false), 0.5, 2)];
        let suggestions = by_action(even, 0.2, 3);
        assert_eq!(suggestions[0].because(), "Failed 1 of 2 times for similar tasks.");
        assert!(suggestions[0].success.is_some() && suggestions[0].failure.is_some());
    }

    #[test]
    fn a_report_far_from_the_closest_one_does_not_count() {
        let actions = |reports: Vec<ScoredReport>| by_action(reports, 0.2, 3).into_iter().map(|one| one.action).collect::<Vec<_>>();
        let weak = scored("cake.bake", Some(true), 0.21, 1);
        assert_eq!(actions(vec![scored("sail.mend", Some(false), 0.6, 1), weak.clone()]), ["sail.mend"]);
        assert_eq!(
            actions(vec![scored("sail.mend", None, 0.6, 1), weak.clone()]),
            Vec::<String>::new(),
            "the closest does not say how it ended"
        );
        assert_eq!(actions(vec![scored("sail.mend", Some(true), 0.42, 1), weak.clone()]), ["sail.mend", "cake.bake"], "half is enough");
        assert_eq!(actions(vec![scored("sail.mend", Some(true), 0.19, 1)]), Vec::<String>::new(), "and never below the floor");
        assert_eq!(actions(vec![]), Vec::<String>::new());
    }
}

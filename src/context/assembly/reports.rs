//! What agents reported about tasks like this one, as lines of blocks: the reports among the best hits of `search_my_memories`, and actions
//! with how they ended.

use super::block::Piece;
use crate::activity::{Report, SuggestedAction};
use crate::search::TopReport;
use wire::{BlockItem, ItemOrigin, SearchSource, SourceTag};
use words::quote::{inline, marked};

/// Characters of a report's message and of its outcome.
const EXCERPT: usize = 400;
/// The same in a suggested action.
const SUGGESTED_EXCERPT: usize = 200;

/// A report on one line: when, who, what, how it ended, and in quotation marks what the agent wrote.
pub(super) fn report_piece(top: &TopReport) -> Piece {
    let TopReport { source, report, attribution, score } = top;
    let origin = if *source == SearchSource::Workflow { ItemOrigin::Step } else { ItemOrigin::Action };
    let item = BlockItem {
        agent_id: Some(report.agent_id),
        source_tag: Some(SourceTag::Shared),
        score: Some(*score),
        citation: Some(reporter(report)),
        because: Some("Among the best hits of a search in memories, reports and knowledge.".into()),
        ..BlockItem::of(origin)
    };
    Piece::line(&format!("- {attribution} {}", marked(&report.excerpt(EXCERPT))), item)
}

/// An action with how often it succeeded or failed, the closest report of a success and the newest of a failure: first what decides.
pub(super) fn action_piece(action: &SuggestedAction) -> Piece {
    let because = action.because();
    let success = action.success.as_ref().map(|report| ("Closest success", report));
    let failure = action.failure.as_ref().map(|report| ("Latest failure", report));
    let quoted: Vec<_> = if action.is_advised() { [success, failure] } else { [failure, success] }.into_iter().flatten().collect();
    let quotes = quoted.iter().map(|(what, report)| {
        let (text, by) = (marked(&report.excerpt(SUGGESTED_EXCERPT)), inline(&reporter(report)));
        format!("{what}: {text} (reported by {by})")
    });
    let first = quoted.first().map(|(_, report)| *report);
    let item = BlockItem {
        agent_id: first.map(|report| report.agent_id),
        source_tag: Some(SourceTag::Shared),
        score: Some(action.similarity),
        citation: first.map(reporter),
        because: Some(because.clone()),
        ..BlockItem::of(ItemOrigin::Action)
    };
    let quotes: Vec<String> = quotes.collect();
    Piece::line(&format!("- {}: {because} {}", inline(&action.action), quotes.join(" ")), item)
}

/// Who reported it, and when.
fn reporter(report: &Report) -> String {
    format!("{}, {}", report.agent.as_deref().unwrap_or("a former agent"), report.at.format("%-d %B %Y"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use uuid::Uuid;
    use wire::{ActionKind, AgentId};
    use words::shorten;

    #[test]
    fn a_report_is_one_quoted_line_with_its_outcome() {
        let report = Report {
            id: Uuid::nil(),
            agent_id: AgentId(Uuid::nil()),
            user_id: None,
            agent: Some("binky".into()),
            kind: Some(ActionKind::Action),
            title: "ferry.book".into(),
            message: format!("Booked\n# Orders “now” {}", "berth ".repeat(200)),
            outcome: Some("the harbour refused".into()),
            succeeded: Some(false),
            importance: 0.5,
            at: DateTime::UNIX_EPOCH,
        };
        let attribution = "On 1 January 1970 binky reported that ferry.book failed:".to_owned();
        let message = shorten(&report.message, EXCERPT);
        let top = TopReport { source: SearchSource::Audit, report, attribution, score: 0.7 };
        let text = report_piece(&top).text;
        assert!(text.starts_with("- On 1 January 1970 binky reported that ferry.book failed: “Booked # Orders ‘now’ berth"), "{text}");
        assert!(text.ends_with("Outcome: the harbour refused”\n") && text.lines().count() == 1, "{text}");
        assert!(text.chars().count() < message.chars().count() + 120, "{text}");
        let step = TopReport { source: SearchSource::Workflow, ..top };
        assert_eq!(report_piece(&step).items[0].origin, ItemOrigin::Step);
    }

    #[test]
    fn a_suggested_action_quotes_first_what_decides() {
        let report = |message: &str, outcome: Option<&str>, day: i64| Report {
            id: Uuid::nil(),
            agent_id: AgentId(Uuid::from_u128(u128::from(day.unsigned_abs()))),
            user_id: None,
            agent: (day > 1).then(|| "binky".into()),
            kind: Some(ActionKind::Action),
            title: "mast.paint".into(),
            message: message.into(),
            outcome: outcome.map(str::to_owned),
            succeeded: None,
            importance: 0.5,
            at: DateTime::from_timestamp(day * 86_400, 0).unwrap(),
        };
        let (success, failure) = (report("Painted it white", None, 1), report("Painted it in the rain", Some("it peeled"), 2));
        let action = SuggestedAction {
            action: "mast.paint".into(),
            similarity: 0.6,
            succeeded: 1,
            failed: 2,
            success: Some(success),
            failure: Some(failure),
        };
        let piece = action_piece(&action);
        let failed = "Latest failure: “Painted it in the rain Outcome: it peeled” (reported by binky, 3 January 1970)";
        let succeeded = "Closest success: “Painted it white” (reported by a former agent, 2 January 1970)";
        assert_eq!(piece.text, format!("- mast.paint: Failed 2 of 3 times for similar tasks. {failed} {succeeded}\n"));
        assert_eq!(piece.items[0].citation.as_deref(), Some("binky, 3 January 1970"));
        let advised = action_piece(&SuggestedAction { succeeded: 3, ..action });
        assert_eq!(advised.text, format!("- mast.paint: Succeeded 3 of 5 times for similar tasks. {succeeded} {failed}\n"));
    }
}

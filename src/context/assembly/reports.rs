//! What agents reported about tasks like this one: the reports among the best hits of `search_my_memories`, as lines of a block.

use super::block::Piece;
use crate::api::{BlockItem, ItemOrigin, SearchSource, SourceTag};
use crate::quote::marked;
use crate::search::TopReport;

/// Characters of a report's message and of its outcome.
const EXCERPT: usize = 400;

/// A report on one line: when, who, what, how it ended, and in quotation marks what the agent wrote.
pub(super) fn report_piece(top: &TopReport) -> Piece {
    let TopReport { source, report, attribution, score } = top;
    let (by, day) = (report.agent.as_deref().unwrap_or("a former agent"), report.at.format("%-d %B %Y"));
    let origin = if *source == SearchSource::Workflow { ItemOrigin::Step } else { ItemOrigin::Action };
    let item = BlockItem {
        agent_id: Some(report.agent_id),
        source_tag: Some(SourceTag::Shared),
        score: Some(*score),
        citation: Some(format!("{by}, {day}")),
        because: Some("Among the best hits of a search in memories, reports and knowledge.".into()),
        ..BlockItem::of(origin)
    };
    Piece::line(&format!("- {attribution} {}", marked(&report.excerpt(EXCERPT))), item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activity::Report;
    use crate::api::{ActionKind, AgentId};
    use crate::text::shorten;
    use chrono::DateTime;
    use uuid::Uuid;

    #[test]
    fn a_report_is_one_quoted_line_with_its_outcome() {
        let report = Report {
            id: Uuid::nil(),
            agent_id: AgentId(Uuid::nil()),
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
}

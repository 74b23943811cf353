//! The queries of what agents report, and of its export and import.

use super::portability::records;
use super::queries::{Case, Query, queries};
use ::portability::lines::{ActionLine, Section, WorkflowStepLine};
use ::portability::store as portability;
use remembrancer::activity::store::{self as activity, Text};
use remembrancer::activity::{Body, NewReport, Reports};
use serde_json::json;
use wire::ActionKind;

fn new_reports(case: &Case) -> [NewReport; 1] {
    let body = Body::Step { workflow: "tea".into(), step_name: "spill".into(), output: "x".into(), completed_at: case.now };
    [NewReport { id: case.fresh, session_id: None, importance: 0.5, searchable: true, created_at: case.now, body }]
}

/// In the control database; kept apart by tenant and by user. Agents read what others reported.
pub const ACTIVITY: &[Query] = queries! {
    "activity::insert" |tx, c| { activity::insert(tx, c.ctx.tenancy(), c.agent, &new_reports(c)).await?; 0 };
    "activity::put_words" |tx, c| {
        activity::put_words(tx, c.ctx.tenancy(), Reports::Actions, &[Text::new(c.reports.0, "action", "intruder")]).await?;
        0
    };
    "activity::matches" |tx, c| {
        let words = ["tea".to_owned()];
        let mut found = 0;
        for of in [Reports::Actions, Reports::Steps] {
            let matches = activity::matches(tx, c.ctx.tenancy(), of, &words, &[]).await?;
            found += matches.found.postings.len() + matches.found.statistics.documents as usize + matches.frequencies[0] as usize;
        }
        found + activity::matches(tx, c.ctx.tenancy(), Reports::Actions, &words, &[ActionKind::Action]).await?.found.postings.len()
    };
    "activity::by_ids" |tx, c| {
        activity::by_ids(tx, c.ctx.tenancy(), Reports::Actions, &[c.reports.0]).await?.len()
            + activity::by_ids(tx, c.ctx.tenancy(), Reports::Steps, &[c.reports.1]).await?.len()
    };
    "portability::page/action" |tx, c| portability::page::<ActionLine>(tx, &records(c), None, 10).await?.len();
    "portability::page/workflow_step" |tx, c| portability::page::<WorkflowStepLine>(tx, &records(c), None, 10).await?.len();
    "portability::count_existing/workflow_step" |tx, c| {
        let rows = json!([{ "agent_id": c.agent, "id": c.reports.1 }]);
        portability::count_existing(tx, c.ctx.tenancy(), Section::WorkflowStep, &rows).await? as usize
    };
    "portability::put_reports" |tx, c| {
        let row = json!([{ "agent_id": c.agent, "id": c.fresh, "user_id": c.memory.user_id, "workflow": "tea", "step_name": "spill",
            "output": "x", "importance": 0.5, "searchable": true, "word_rules": 2, "content_hash": "\\x00",
            "completed_at": c.now, "created_at": c.now }]);
        portability::put_reports(tx, c.ctx.tenancy(), Section::WorkflowStep, &row).await?;
        0
    };
};

//! What the demo's agents report: actions with their outcomes, and steps of workflows. Everybody in them is invented.

use super::Failure;
use foundation::{Engine, OpContext};
use remembrancer::activity;
use serde_json::Map;
use wire::{ActionKind, NewStep, RecordActionRequest, RecordStepsRequest};

/// An action that was reported.
pub struct Reported {
    pub agent: &'static str,
    pub minutes_ago: i64,
    kind: ActionKind,
    action: &'static str,
    message: &'static str,
    outcome: Option<&'static str>,
    succeeded: Option<bool>,
}

/// Steps of a workflow that were completed together.
pub struct Completed {
    pub agent: &'static str,
    pub minutes_ago: i64,
    workflow: &'static str,
    steps: &'static [(&'static str, &'static str)],
}

pub const REPORTED: &[Reported] = &[
    Reported {
        agent: "binky",
        minutes_ago: 20_200,
        kind: ActionKind::Action,
        action: "invoice.send",
        message: "Sent invoice 4711 to Mina with the mailer.",
        outcome: Some("failed: the attachment was larger than 10 MB"),
        succeeded: Some(false),
    },
    Reported {
        agent: "binky",
        minutes_ago: 20_150,
        kind: ActionKind::Action,
        action: "invoice.send",
        message: "Sent invoice 4711 to Mina through the customer portal.",
        outcome: Some("delivered and opened within an hour"),
        succeeded: Some(true),
    },
    Reported {
        agent: "atlas",
        minutes_ago: 12_300,
        kind: ActionKind::Rejection,
        action: "budget.request",
        message: "Vera rejected 4,200 EUR for a second staging cluster.",
        outcome: Some("rejected: one cluster is idle at night"),
        succeeded: None,
    },
    Reported {
        agent: "binky",
        minutes_ago: 8_850,
        kind: ActionKind::Approval,
        action: "budget.request",
        message: "Idris approved 1,800 EUR for a second build machine.",
        outcome: Some("ordered for the Lisbon rack"),
        succeeded: None,
    },
    Reported {
        agent: "binky",
        minutes_ago: 5_600,
        kind: ActionKind::Performance,
        action: "post.publish",
        message: "The post about the release had 900 readers; the one with a drawing had 2,400.",
        outcome: None,
        succeeded: None,
    },
    Reported {
        agent: "atlas",
        minutes_ago: 2_900,
        kind: ActionKind::Decision,
        action: "tool.select",
        message: "Chose the portal over the mailer for invoices with attachments.",
        outcome: None,
        succeeded: None,
    },
];

pub const COMPLETED: &[Completed] = &[
    Completed {
        agent: "binky",
        minutes_ago: 9_900,
        workflow: "release",
        steps: &[
            ("build", "Fourteen builds are green; packaging was repeated after the signing step failed."),
            ("sign", "Signed with the key in the old vault. It took eleven minutes."),
            ("publish", "Published version 41 to the mirror in Lisbon."),
        ],
    },
    Completed {
        agent: "atlas",
        minutes_ago: 6_800,
        workflow: "month-end",
        steps: &[
            ("reconcile", "312 payments match. Two are open: orders 7701 and 7714."),
            ("report", "Sent the report for October to Vera and Idris."),
        ],
    },
];

pub async fn report(engine: &Engine, ctx: &OpContext, reported: &Reported) -> Result<(), Failure> {
    let request = RecordActionRequest {
        action: reported.action.to_owned(),
        message: reported.message.to_owned(),
        kind: reported.kind,
        outcome: reported.outcome.map(str::to_owned),
        succeeded: reported.succeeded,
        meta: Map::new(),
        importance: None,
        session_id: None,
        user_id: None,
    };
    activity::record_action(engine, ctx, request).await?;
    Ok(())
}

/// Reports the steps of a workflow.
pub async fn complete(engine: &Engine, ctx: &OpContext, completed: &Completed) -> Result<(), Failure> {
    let step = |(name, output): &(&str, &str)| NewStep {
        step_name: (*name).to_owned(),
        output: (*output).to_owned(),
        completed_at: None,
        importance: None,
    };
    let request = RecordStepsRequest { steps: completed.steps.iter().map(step).collect(), session_id: None, user_id: None };
    activity::record_steps(engine, ctx, completed.workflow.to_owned(), request).await?;
    Ok(())
}

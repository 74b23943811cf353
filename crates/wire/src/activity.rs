//! What agents report: actions with their outcomes, and steps of workflows.

use super::UserRef;
use super::text_enum::text_enum;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

/// Longest name of an action, a workflow or a step, in characters.
pub const ACTION_MAX: usize = 200;
/// Longest message of an action, in bytes.
pub const MESSAGE_MAX: usize = 8 * 1024;
/// Largest `meta` of an action, in bytes of JSON.
pub const META_MAX: usize = 16 * 1024;
/// Longest outcome of an action, in characters.
pub const OUTCOME_MAX: usize = 2000;
/// Longest output of a step, in bytes.
pub const OUTPUT_MAX: usize = 16 * 1024;
/// Most steps of one request.
pub const STEPS_MAX: usize = 100;

text_enum! {
    /// What an agent reports.
    ActionKind {
        /// Something that was done, such as a call of a tool.
        Action = "action",
        Decision = "decision",
        Approval = "approval",
        Rejection = "rejection",
        /// How an earlier action ended.
        Outcome = "outcome",
        /// How well something did, such as the reach of a post.
        Performance = "performance",
    }
}

impl ActionKind {
    /// The importance of a report whose caller names none, 0 to 1: what was decided counts most, then how it ended.
    pub fn importance(self) -> f32 {
        match self {
            Self::Decision | Self::Approval | Self::Rejection => 0.8,
            Self::Outcome => 0.6,
            Self::Action | Self::Performance => 0.5,
        }
    }
}

/// Input of `record_action`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{
        "action": "invoice.send",
        "message": "Sent invoice 4711 to Mina by e-mail.",
        "outcome": "failed: the mailbox was full",
        "succeeded": false,
        "meta": { "tool": "mailer" }
    }]))]
#[serde(deny_unknown_fields)]
pub struct RecordActionRequest {
    /// What was done, in a word or two: `invoice.send`.
    #[schemars(length(min = 1, max = 200))]
    pub action: String,
    /// What happened, in a sentence that other agents understand.
    ///
    /// 1 byte to 8 KiB.
    #[schemars(length(min = 1))]
    pub message: String,
    /// What it is.
    #[serde(default = "default_kind")]
    pub kind: ActionKind,
    /// How it ended.
    ///
    /// Up to 2,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 2000))]
    pub outcome: Option<String>,
    /// Whether it succeeded.
    ///
    /// For similar tasks, a context suggests actions that succeeded more often than they failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub succeeded: Option<bool>,
    /// Details for programs; not searched.
    ///
    /// Up to 16 KiB of JSON.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// How much it will matter, 0 to 1.
    ///
    /// By default 0.8 for decisions, approvals and rejections, 0.6 for outcomes, 0.5 for the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub importance: Option<f32>,
    /// Your own id of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub session_id: Option<String>,
    /// The person that it is about; only calls for them find it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

fn default_kind() -> ActionKind {
    ActionKind::Action
}

/// Answer of `record_action`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RecordActionResponse {
    pub action_id: Uuid,
    /// False: the text may carry instructions for an agent, so no search finds it.
    pub searchable: bool,
}

/// A completed step of a workflow.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewStep {
    #[schemars(length(min = 1, max = 200))]
    pub step_name: String,
    /// What the step produced. 1 byte to 16 KiB.
    #[schemars(length(min = 1))]
    pub output: String,
    /// When it was completed (RFC 3339); now by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<DateTime<Utc>>,
    /// How much it will matter, 0 to 1; 0.5 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub importance: Option<f32>,
}

/// Input of `POST /api/workflows/{name}/steps`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "steps": [{ "step_name": "reconcile", "output": "All 312 payments match." }] }]))]
#[serde(deny_unknown_fields)]
pub struct RecordStepsRequest {
    /// 1 to 100. Either all are stored or none.
    #[schemars(length(min = 1, max = 100))]
    pub steps: Vec<NewStep>,
    /// Your own id of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub session_id: Option<String>,
    /// The person that the steps are about; only calls for them find the steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Answer of `POST /api/workflows/{name}/steps` and of `record_workflow_step`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RecordStepsResponse {
    /// In the order of the request.
    pub step_ids: Vec<Uuid>,
    /// Steps that no search finds, because their output may carry instructions for an agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_searchable: Vec<Uuid>,
}

/// Input of `record_workflow_step`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "workflow": "month-end", "step_name": "reconcile", "output": "All 312 payments match." }]))]
#[serde(deny_unknown_fields)]
pub struct RecordStepRequest {
    /// The workflow's name.
    #[schemars(length(min = 1, max = 200))]
    pub workflow: String,
    /// The step's name within the workflow.
    #[schemars(length(min = 1, max = 200))]
    pub step_name: String,
    /// What the step produced.
    ///
    /// 1 byte to 16 KiB.
    #[schemars(length(min = 1))]
    pub output: String,
    /// When it was completed (RFC 3339); now by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<DateTime<Utc>>,
    /// How much it will matter, 0 to 1; 0.5 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub importance: Option<f32>,
    /// Your own id of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub session_id: Option<String>,
    /// The person that it is about; only calls for them find it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

impl RecordStepRequest {
    /// The workflow's name, and the step as a request of its own.
    pub fn into_steps(self) -> (String, RecordStepsRequest) {
        let Self { workflow, step_name, output, completed_at, importance, session_id, user_id } = self;
        let steps = vec![NewStep { step_name, output, completed_at, importance }];
        (workflow, RecordStepsRequest { steps, session_id, user_id })
    }
}

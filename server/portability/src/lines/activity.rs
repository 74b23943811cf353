//! Lines of what agents reported.

use super::record::record;
use super::{Owner, Record, json};
use crate::values::{Share, Stamp, bytes};
use foundation::Checks;
use remembrancer::activity::Body;
use remembrancer::memories::model::content_hash;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;
use wire::{ACTION_MAX, ActionKind, AgentId, MESSAGE_MAX, OUTCOME_MAX, OUTPUT_MAX, SESSION_MAX, UserId};
use words::{guard, stems};

/// Room for markers that replaced secrets after the limits were checked, in characters or bytes.
const MARKERS: usize = 4 * 1024;

/// An action that an agent reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct ActionLine {
    pub agent_id: AgentId,
    pub id: Uuid,
    pub user_id: Option<UserId>,
    pub session_id: Option<String>,
    pub kind: ActionKind,
    pub action: String,
    pub message: String,
    pub meta: Value,
    pub outcome: Option<String>,
    pub succeeded: Option<bool>,
    pub importance: Share,
    pub created_at: Stamp,
}

/// A step of a workflow that an agent reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct WorkflowStepLine {
    pub agent_id: AgentId,
    pub id: Uuid,
    pub user_id: Option<UserId>,
    pub session_id: Option<String>,
    pub workflow: String,
    pub step_name: String,
    pub output: String,
    pub importance: Share,
    pub completed_at: Stamp,
    pub created_at: Stamp,
}

/// Whether a search may find a report. An import decides it again, because an agent may have written the file.
pub fn is_searchable(body: &Body) -> bool {
    guard::inspect(&body.searched_text()).is_empty()
}

impl Record for ActionLine {
    record! {
        Action in "actions", of_users: true, by: [id], author: none,
        derived: { |it|
            searchable = is_searchable(&it.body()),
            content_hash = bytes(&content_hash(&it.body().content())),
            word_rules = stems::RULES
        },
        owner: |it| Owner::User(it.agent_id, it.user_id, Some(it.created_at)), needs: |_| [],
    }

    fn check(&self, checks: &mut Checks) {
        checks
            .text("action", &self.action, ACTION_MAX + MARKERS)
            .bytes("message", &self.message, MESSAGE_MAX + MARKERS)
            .optional_text("outcome", self.outcome.as_deref(), OUTCOME_MAX + MARKERS)
            .optional_text("session_id", self.session_id.as_deref(), SESSION_MAX)
            .that(self.meta.is_object(), "meta", "must be an object");
        json(checks, "meta", &self.meta);
    }
}

impl ActionLine {
    /// What it reports.
    pub fn body(&self) -> Body {
        let Self { kind, action, message, outcome, succeeded, meta, .. } = self.clone();
        Body::Action { kind, action, message, outcome, succeeded, meta }
    }
}

impl Record for WorkflowStepLine {
    record! {
        WorkflowStep in "workflow_steps", of_users: true, by: [id], author: none,
        derived: { |it|
            searchable = is_searchable(&it.body()),
            content_hash = bytes(&content_hash(&it.body().content())),
            word_rules = stems::RULES
        },
        owner: |it| Owner::User(it.agent_id, it.user_id, Some(it.created_at)), needs: |_| [],
    }

    fn check(&self, checks: &mut Checks) {
        checks
            .text("workflow", &self.workflow, ACTION_MAX + MARKERS)
            .text("step_name", &self.step_name, ACTION_MAX + MARKERS)
            .bytes("output", &self.output, OUTPUT_MAX + MARKERS)
            .optional_text("session_id", self.session_id.as_deref(), SESSION_MAX);
    }
}

impl WorkflowStepLine {
    /// What it reports.
    pub fn body(&self) -> Body {
        let Self { workflow, step_name, output, completed_at, .. } = self.clone();
        Body::Step { workflow, step_name, output, completed_at: completed_at.0 }
    }
}

//! Reports: what both kinds of them have in common.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;
use wire::{ActionKind, AgentId, UserId};
use words::shorten;

/// The tables of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reports {
    Actions,
    Steps,
}

impl Reports {
    /// The table of the rows.
    pub fn table(self) -> &'static str {
        match self {
            Self::Actions => "actions",
            Self::Steps => "workflow_steps",
        }
    }

    /// The table of their words.
    pub fn terms(self) -> &'static str {
        match self {
            Self::Actions => "action_terms",
            Self::Steps => "workflow_step_terms",
        }
    }
}

/// A report before it is stored, without secrets.
#[derive(Clone, Debug)]
pub struct NewReport {
    pub id: Uuid,
    pub session_id: Option<String>,
    pub importance: f32,
    /// False: no search finds it.
    pub searchable: bool,
    pub created_at: DateTime<Utc>,
    pub body: Body,
}

/// What is reported.
#[derive(Clone, Debug)]
pub enum Body {
    Action { kind: ActionKind, action: String, message: String, outcome: Option<String>, succeeded: Option<bool>, meta: Value },
    Step { workflow: String, step_name: String, output: String, completed_at: DateTime<Utc> },
}

impl Body {
    /// The text that an agent reads, and whose hash recognises the same content elsewhere.
    pub fn content(&self) -> String {
        match self {
            Self::Action { message, outcome, .. } => content(message, outcome.as_deref()),
            Self::Step { output, .. } => output.clone(),
        }
    }

    /// The text whose words are indexed.
    pub fn searched_text(&self) -> String {
        match self {
            Self::Action { action, .. } => searched_text(action, &self.content()),
            Self::Step { workflow, step_name, .. } => searched_text(&title(workflow, step_name), &self.content()),
        }
    }

    /// The tables that it belongs to.
    pub fn of(&self) -> Reports {
        match self {
            Self::Action { .. } => Reports::Actions,
            Self::Step { .. } => Reports::Steps,
        }
    }

    /// The kind that the index keeps beside each word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Action { kind, .. } => kind.as_str(),
            Self::Step { .. } => "step",
        }
    }
}

/// A message with how it ended.
pub fn content(message: &str, outcome: Option<&str>) -> String {
    match outcome {
        Some(outcome) => format!("{message}\nOutcome: {outcome}"),
        None => message.to_owned(),
    }
}

/// The name of a step with its workflow. [`super::store`] writes the same in SQL.
fn title(workflow: &str, step_name: &str) -> String {
    format!("{workflow} / {step_name}")
}

/// Names such as `invoice.send` are several words.
fn searched_text(title: &str, content: &str) -> String {
    format!("{}\n{content}", title.replace(['.', ':'], " "))
}

/// A stored report, as a search returns it.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct Report {
    pub id: Uuid,
    pub agent_id: AgentId,
    pub user_id: Option<UserId>,
    /// The slug of the agent, if the agent still exists.
    pub agent: Option<String>,
    /// Absent for a step.
    pub kind: Option<ActionKind>,
    /// The action, or `workflow / step`.
    pub title: String,
    /// The message, or the output.
    pub message: String,
    pub outcome: Option<String>,
    /// Whether the action succeeded, if the agent said so.
    pub succeeded: Option<bool>,
    pub importance: f32,
    /// When it was reported, or the step completed.
    pub at: DateTime<Utc>,
}

impl Report {
    /// The text that an agent reads.
    pub fn content(&self) -> String {
        content(&self.message, self.outcome.as_deref())
    }

    /// The same with a message and an outcome of at most so many characters each.
    pub fn excerpt(&self, most: usize) -> String {
        content(&shorten(&self.message, most), self.outcome.as_deref().map(|outcome| shorten(outcome, most)).as_deref())
    }

    /// The kind that the index keeps beside each word.
    pub fn indexed_kind(&self) -> &'static str {
        self.kind.map_or("step", ActionKind::as_str)
    }

    /// The text whose words are indexed.
    pub fn searched_text(&self) -> String {
        searched_text(&self.title, &self.content())
    }
}

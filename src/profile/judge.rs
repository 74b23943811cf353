//! How good a working memory is, as a chat model judges it. For evaluations.

use super::sensitive;
use chrono::{DateTime, Utc};
use foundation::Engine;
use foundation::usage::{Payer, Purpose};
use models::chat::{ChatError, Question};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wire::SensitiveMatters;
use words::guard;

/// Grades of a working memory, each from 1 to 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// How much of what matters it says.
    pub completeness: u8,
    /// How little it repeats and pads.
    pub conciseness: u8,
    /// How well it reflects the newest state.
    pub recency: u8,
}

/// Judges a working memory by the observations that it was written from: when, type, text. Secrets are replaced by markers; observations about
/// sensitive matters and those that may carry instructions are not sent. The call is booked as an evaluation.
///
/// # Errors
/// When there is no chat model, when it does not answer, or when an answer is not three grades from 1 to 5.
pub async fn judge(
    engine: &Engine,
    payer: Payer,
    working_memory: &str,
    observations: &[(DateTime<Utc>, String, String)],
) -> Result<Verdict, ChatError> {
    let is_sent = |text: &str| !sensitive::is_kept_out(text, SensitiveMatters::default()) && guard::inspect(text).is_empty();
    let mut lines = vec![json!({ "narrative": guard::without_secrets(working_memory.to_owned()) })];
    for (number, (at, event_type, text)) in observations.iter().filter(|(_, _, text)| is_sent(text)).enumerate() {
        let text = guard::without_secrets(text.clone());
        lines.push(json!({ "observation": number, "day": at.date_naive(), "type": event_type, "text": text }));
    }
    let text = lines.into_iter().map(|line| format!("{line}\n")).collect();
    let question = Question { instructions: include_str!("judge.md").into(), text, name: "narrative", schema: schema() };
    let answer = engine.ask(payer, Purpose::Evaluation, question).await?;
    let verdict: Verdict = serde_json::from_value(answer).map_err(|_| unusable("it does not follow the schema"))?;
    let grades = [verdict.completeness, verdict.conciseness, verdict.recency];
    if grades.iter().all(|grade| (1..=5).contains(grade)) { Ok(verdict) } else { Err(unusable("a grade is not from 1 to 5")) }
}

fn unusable(what: &str) -> ChatError {
    ChatError::BadResponse(what.into())
}

fn schema() -> Value {
    let grade = json!({ "type": "integer", "minimum": 1, "maximum": 5 });
    json!({
        "type": "object",
        "properties": { "completeness": grade, "conciseness": grade, "recency": grade },
        "required": ["completeness", "conciseness", "recency"],
        "additionalProperties": false,
    })
}

//! The fields of the form for a new memory.

use crate::{form::form, query::Query};
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use wire::{AgentId, FieldError, MemoryScope, RememberRequest, Source};

form! {
    /// The fields of the form for a new memory, as they were entered.
    pub struct MemoryInput {
        pub agent: String,
        pub topic_raw: String,
        pub content: String,
        pub kind: String,
        pub scope: String,
        pub project: String,
        pub user: String,
        pub retention: String,
        pub category: String,
        pub subject: String,
        pub title: String,
        pub summary: String,
        pub rationale: String,
        /// One a line.
        pub alternatives: String,
        pub evidence_ref: String,
        pub confidence: String,
        pub importance: String,
        /// The day on which it was said.
        pub said_on: String,
        /// `true` if it never expires.
        pub pinned: String,
    }
}

impl MemoryInput {
    /// The agent, and what it is to remember.
    ///
    /// # Errors
    /// Every field that cannot be read. The engine checks the others.
    pub fn request(&self, now: DateTime<Utc>) -> Result<(AgentId, RememberRequest), Vec<FieldError>> {
        let (query, mut errors) = (self.query(), Vec::new());
        let agent = query.read("agent", "Choose one of the agents.", &mut errors);
        if self.agent.trim().is_empty() {
            errors.push(FieldError::new("agent", "Choose the agent that remembers it."));
        }
        let scope = query.read("scope", "Choose one of the scopes.", &mut errors);
        let project = query.read::<uuid::Uuid>("project", "Choose one of the projects.", &mut errors);
        let request = RememberRequest {
            topic_raw: query.text("topic_raw"),
            // Browsers end the lines of a field with both characters.
            content: self.content.replace("\r\n", "\n"),
            source: Source { observed_at: said_on(&query, &mut errors).map(|at| at.min(now)), ..Source::default() },
            user_id: query.read("user", "Enter the name, the reference or the id of a person.", &mut errors),
            kind: query.read("kind", "Choose one of the kinds.", &mut errors),
            project_id: project.filter(|_| scope == Some(MemoryScope::Project)).map(Into::into),
            scope,
            retention: query.read("retention", "Choose one of the retentions.", &mut errors),
            category: query.read("category", "Choose one of the categories.", &mut errors),
            subject: query.owned("subject"),
            title: query.owned("title"),
            summary: query.owned("summary"),
            rationale: query.owned("rationale"),
            alternatives: self.alternatives.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect(),
            evidence_ref: query.owned("evidence_ref"),
            confidence: query.read("confidence", "Enter a number from 0 to 1.", &mut errors),
            importance: query.read("importance", "Enter a number from 0 to 1.", &mut errors),
            pinned: query.read("pinned", "Choose whether it never expires.", &mut errors),
            ..RememberRequest::default()
        };
        match agent {
            Some(agent) if errors.is_empty() => Ok((agent, request)),
            _ => Err(errors),
        }
    }
}

/// A time of the day on which it was said, in the reader's zone and in UTC: agents read the day in UTC.
fn said_on(query: &Query, errors: &mut Vec<FieldError>) -> Option<DateTime<Utc>> {
    let there = query.day("said_on", false, errors)?;
    let day: NaiveDate = query.get("said_on")?.parse().ok()?;
    Some(there.max(day.and_time(NaiveTime::MIN).and_utc()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::MemoryKind;

    fn now() -> DateTime<Utc> {
        "2026-05-21T09:12:00Z".parse().unwrap()
    }

    fn input() -> MemoryInput {
        let agent = "0193a1f2-7c1e-7a55-9d3e-5b0c4f6a7d21".to_owned();
        MemoryInput { agent, topic_raw: " tea ".into(), content: "Vera likes tea.\r\nBlack.".into(), ..MemoryInput::default() }
    }

    #[test]
    fn an_empty_field_is_left_to_the_defaults_of_remember() {
        let (_, request) = input().request(now()).unwrap();
        assert_eq!((request.topic_raw.as_str(), request.content.as_str()), ("tea", "Vera likes tea.\nBlack."));
        assert!(request.kind.is_none() && request.confidence.is_none() && request.title.is_none() && request.alternatives.is_empty());
        let whole = MemoryInput {
            kind: "decision".into(),
            scope: "global".into(),
            // It was chosen before another scope was.
            project: "0193a1f2-7c1e-7a55-9d3e-5b0c4f6a7d22".into(),
            alternatives: "coffee\r\n\r\n mate ".into(),
            confidence: "0.5".into(),
            said_on: "2026-05-03".into(),
            pinned: "true".into(),
            ..input()
        };
        let (_, request) = whole.request(now()).unwrap();
        assert_eq!((request.kind, request.scope), (Some(MemoryKind::Decision), Some(MemoryScope::Global)));
        assert_eq!((request.project_id, request.alternatives), (None, vec!["coffee".to_owned(), "mate".to_owned()]));
        assert_eq!((request.confidence, request.pinned), (Some(0.5), Some(true)));
        assert_eq!(request.source.observed_at, Some("2026-05-03T00:00:00Z".parse().unwrap()));
        let (_, request) = MemoryInput { said_on: "2026-05-22".into(), ..input() }.request(now()).unwrap();
        assert_eq!(request.source.observed_at, Some(now()), "nothing was said later than now");
    }

    #[test]
    fn a_refused_form_is_filled_in_again() {
        let input = MemoryInput { topic_raw: "tea & milk".into(), pinned: "true".into(), ..input() };
        assert_eq!(MemoryInput::read(&Query::parse(&input.query().href(""))), input);
    }

    #[test]
    fn every_field_that_cannot_be_read_is_named() {
        let wrong = MemoryInput { agent: "atlas".into(), confidence: "sure".into(), said_on: "May".into(), ..input() };
        let fields: Vec<_> = wrong.request(now()).unwrap_err().into_iter().map(|error| error.field).collect();
        assert_eq!(fields, ["agent", "said_on", "confidence"]);
        let none = MemoryInput { agent: " ".into(), ..input() };
        assert_eq!(none.request(now()).unwrap_err().len(), 1);
    }
}

//! What the demo's agents captured: conversations, a note and observations, and what a reviewer decided about some of the candidates.
//! Everybody in them is invented.

use super::Failure;
use super::data::Memory;
use chrono::{DateTime, Datelike, Duration, NaiveTime, Utc, Weekday};
use foundation::{Engine, OpContext, identity};
use remembrancer::{capture, consolidation};
use wire::{
    CaptureConversationRequest, CaptureMode, InboxFilter, InboxVerdict, MemoryKind, ObservationCategory, ObservationRequest, OperatorRole,
    RequestId, SourceDetails, SourceForm,
};

/// The person who decides about candidates.
const REVIEWER: &str = "mina@acme.example";
const PASSWORD_LENGTH: usize = 40;

/// A text that an agent captures.
pub struct Captured {
    pub agent: &'static str,
    pub minutes_ago: i64,
    pub title: &'static str,
    pub mode: CaptureMode,
    text: &'static str,
}

/// What an agent notices in passing.
pub struct Observed {
    pub agent: &'static str,
    pub minutes_ago: i64,
    notes: &'static [(ObservationCategory, &'static str)],
}

/// A decision about the candidate that contains `part`.
pub struct Verdict {
    pub minutes_ago: i64,
    part: &'static str,
    /// Absent: it is confirmed.
    rejected: Option<&'static str>,
}

pub const CAPTURED: &[Captured] = &[
    Captured {
        agent: "atlas",
        minutes_ago: 2870,
        title: "Planning call: pilot and reports",
        mode: CaptureMode::Transcript,
        text: include_str!("capture/planning-call.txt"),
    },
    Captured {
        agent: "binky",
        minutes_ago: 1430,
        title: "Chat before release 2026.11.2",
        mode: CaptureMode::Transcript,
        text: include_str!("capture/release-chat.txt"),
    },
    Captured {
        agent: "atlas",
        minutes_ago: 710,
        title: "Design notes: export service",
        mode: CaptureMode::Note,
        text: include_str!("capture/export-notes.md"),
    },
];

pub const OBSERVED: &[Observed] = &[Observed {
    agent: "atlas",
    minutes_ago: 585,
    notes: &[
        (ObservationCategory::Preference, "Vera answers messages in the morning and rarely after lunch."),
        (ObservationCategory::Fact, "Idris speaks Norwegian and Portuguese."),
    ],
}];

pub const VERDICTS: &[Verdict] = &[
    Verdict { minutes_ago: 590, part: "instead of the mobile app", rejected: None },
    Verdict { minutes_ago: 590, part: "translation supplier", rejected: None },
    Verdict { minutes_ago: 590, part: "product owner of the schedule editor", rejected: None },
    Verdict { minutes_ago: 588, part: "allergic to phone calls", rejected: Some("A joke") },
    Verdict { minutes_ago: 580, part: "blue-green deployments", rejected: None },
    Verdict { minutes_ago: 580, part: "until Sunday", rejected: Some("Over in a few days") },
];

/// A memory that was written while the model was out of reach. Its vector was tried until the event was dead.
pub const OUTAGE: Memory = Memory {
    agent: "binky",
    minutes_ago: 4100,
    topic: "release room",
    content: "The release room is booked every Tuesday from ten to noon.",
    platform: "slack",
    channel: "C-release",
    kind: MemoryKind::Project,
    shared: false,
    forgotten: false,
};

/// Stores a text as a source of the agent and captures it.
pub async fn capture(engine: &Engine, agent: &OpContext, captured: &Captured) -> Result<(), Failure> {
    let (form, text) = match captured.mode {
        CaptureMode::Transcript => (SourceForm::Transcript, stamped(captured.text, engine.clock().now())),
        CaptureMode::Note => (SourceForm::Note, captured.text.to_owned()),
        CaptureMode::Summary => (SourceForm::Summary, captured.text.to_owned()),
    };
    let details = SourceDetails { form: Some(form), title: Some(captured.title.into()), ..SourceDetails::default() };
    let source = capture::add_source(engine, agent, details, text.into_bytes()).await?;
    let request = CaptureConversationRequest {
        source_ref: source.source_id,
        scope: None,
        capture_mode: Some(captured.mode),
        project_id: None,
        repo_id: None,
        user_id: None,
    };
    capture::capture_conversation(engine, agent, request).await?;
    Ok(())
}

/// Records observations.
pub async fn observe(engine: &Engine, agent: &OpContext, observed: &Observed) -> Result<(), Failure> {
    for (category, content) in observed.notes {
        let request = ObservationRequest {
            role: None,
            content: (*content).into(),
            category: *category,
            session_id: None,
            connection_id: None,
            user_id: None,
            commons: false,
        };
        capture::record_observation(engine, agent, request).await?;
    }
    Ok(())
}

/// Decides about a candidate.
///
/// # Errors
/// When no candidate contains the verdict's part, or a database is out of reach.
pub async fn decide(engine: &Engine, reviewer: &OpContext, verdict: &Verdict) -> Result<(), Failure> {
    let filter = InboxFilter { q: Some(verdict.part.into()), ..InboxFilter::default() };
    let found = consolidation::inbox(engine, reviewer, &filter).await?;
    let ids: Vec<_> = found.rows.iter().map(|item| item.id).collect();
    if ids.is_empty() {
        return Err(format!("no candidate of the demo contains “{}”", verdict.part).into());
    }
    let decision = match verdict.rejected {
        Some(reason) => InboxVerdict::Reject { reason: reason.into() },
        None => InboxVerdict::confirm(),
    };
    consolidation::decide(engine, reviewer, &ids, decision, &Default::default()).await?;
    Ok(())
}

/// Mina, who decides about candidates. Nobody knows her password.
pub async fn reviewer(engine: &Engine, ctx: &OpContext) -> Result<OpContext, Failure> {
    let password = engine.clock().secret(PASSWORD_LENGTH);
    let roles = &[OperatorRole::Viewer, OperatorRole::Reviewer];
    let id = identity::create_operator(engine, ctx, REVIEWER, "Mina", &password, roles).await?;
    let (mina, _) = identity::operator(engine, id, RequestId(engine.clock().id())).await?;
    Ok(mina)
}

/// A transcript with a time before each turn: a minute apart, from nine in the morning of the last working day before `now`.
fn stamped(text: &str, now: DateTime<Utc>) -> String {
    let mut day = now.date_naive() - Duration::days(1);
    while matches!(day.weekday(), Weekday::Sat | Weekday::Sun) {
        day -= Duration::days(1);
    }
    let nine = day.and_time(NaiveTime::default()) + Duration::hours(9);
    let turn = |(line, minute): (&str, i64)| format!("[{}] {line}\n", (nine + Duration::minutes(minute)).format("%F %R"));
    text.lines().zip(0..).map(turn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_have_times_of_a_working_day_in_the_past() {
        let monday = "2026-05-04T03:00:00Z".parse().unwrap();
        assert_eq!(stamped("Vera: hi\nMina: hello", monday), "[2026-05-01 09:00] Vera: hi\n[2026-05-01 09:01] Mina: hello\n");
    }
}

//! The sessions of coding agents in the demo. Everybody in them is invented.

use super::Failure;
use chrono::Duration;
use foundation::{Engine, OpContext, projects};
use remembrancer::{capture, context, recall};
use serde_json::{Value, json};
use std::sync::Arc;
use uuid::Uuid;
use wire::{CaptureSessionRequest, ContextRequest, NewProject, ProjectRef, RecallRequest, SessionRef, SourceDetails, SourceForm};

/// What the hooks of a host ask at prompts.
const HITS: u32 = 5;

/// A session of a coding agent.
pub struct Coded {
    pub agent: &'static str,
    pub minutes_ago: i64,
    host: &'static str,
    title: &'static str,
    id: Uuid,
    /// How many minutes it took.
    minutes: i64,
    task: &'static str,
    /// What the person asked, and the tokens that the session was given so far.
    prompts: &'static [(&'static str, u32)],
    said: &'static [(&'static str, &'static str)],
}

pub const CODED: &[Coded] = &[
    Coded {
        agent: "atlas",
        minutes_ago: 5_710,
        host: "claude-code",
        title: "Claude Code in acme/schedule-editor",
        id: Uuid::from_u128(0x6f0d_4a52_1c1e_4f0a_9a34_0d6c_2b8e_7a11),
        minutes: 48,
        task: "Work on acme/schedule-editor, branch drag-and-drop.",
        prompts: &[("Which staging database does the schedule editor use?", 412), ("How do we test a release?", 655)],
        said: &[
            ("user", "Which staging database does the schedule editor use?"),
            ("assistant", "It uses the one in the runbook. I have pointed the tests at it."),
            ("user", "We decided to keep the drag state in the URL, because people share links to a schedule."),
            ("assistant", "The drag state is in the URL now, and the tests pass."),
        ],
    },
    Coded {
        agent: "binky",
        minutes_ago: 2_745,
        host: "codex",
        title: "Codex in acme/schedule-editor",
        id: Uuid::from_u128(0x0192_3f6a_77c1_7d42_b1de_55a0_9c3e_1f08),
        minutes: 21,
        task: "Work on acme/schedule-editor, branch release-2026.11.2.",
        prompts: &[("Who approves a release?", 380)],
        said: &[
            ("user", "Who approves a release?"),
            ("assistant", "The release checklist says who approves it. I have asked for the approval."),
            ("user", "Thanks, that is all."),
        ],
    },
    Coded {
        agent: "atlas",
        minutes_ago: 1_310,
        host: "claude-code",
        title: "Claude Code in acme/schedule-editor",
        id: Uuid::from_u128(0x9a7e_1f30_5b2c_4c8d_8e61_7f40_23d9_b6c5),
        minutes: 9,
        task: "Work on acme/schedule-editor, branch drag-and-drop.",
        prompts: &[("Is there a flaky test in the release build?", 405)],
        said: &[
            ("user", "Is there a flaky test in the release build?"),
            ("assistant", "One test of the calendar waits for a clock. I have given it a clock of its own."),
        ],
    },
];

/// The project that the sessions are about.
pub async fn project(engine: &Engine, ctx: &OpContext) -> Result<Uuid, Failure> {
    let new = NewProject { slug: "schedule-editor".into(), name: "acme/schedule-editor".into() };
    Ok(projects::create(engine, ctx, new).await?.id)
}

/// Makes the calls that a host's hooks make in a session that ends now.
pub async fn code(engine: &Engine, ctx: &OpContext, project: Uuid, coded: &Coded) -> Result<(), Failure> {
    let within = |tokens: u32| {
        let session = SessionRef { host: coded.host.into(), id: coded.id.to_string(), project: Some(project), tokens };
        OpContext { session: Some(Arc::new(session)), ..ctx.clone() }
    };
    let task = ContextRequest { project: Some(project.to_string()), budget: 1_500, ..ContextRequest::new(coded.task) };
    context::context_for(engine, &within(0), task).await?;
    let mut given = 0;
    for (prompt, tokens) in coded.prompts {
        recall::recall(engine, &within(given), RecallRequest { k: HITS, ..RecallRequest::new(prompt) }).await?;
        given = *tokens;
    }
    let (begun, spoken) = (engine.clock().now() - Duration::minutes(coded.minutes), i64::try_from(coded.said.len())?);
    let message = |(number, (role, content)): (i64, &(&str, &str))| json!({ "role": role, "content": content, "at": begun + Duration::minutes(coded.minutes * number / spoken) });
    let messages: Value = (0..).zip(coded.said).map(message).collect();
    let details = SourceDetails { form: Some(SourceForm::Transcript), title: Some(coded.title.into()), ..SourceDetails::default() };
    let session = within(given);
    let source = capture::add_source(engine, &session, details, messages.to_string().into_bytes()).await?;
    let request = CaptureSessionRequest {
        source_ref: source.source_id,
        scope: None,
        session_id: None,
        project_id: Some(ProjectRef::Id(project)),
        repo_id: None,
        user_id: None,
    };
    capture::capture_session(engine, &session, request).await?;
    Ok(())
}

//! The sessions of the demo: messages that expire and fade. Everybody in them is invented.

use super::Failure;
use foundation::{Engine, OpContext};
use remembrancer::lifecycle;
use wire::{MessagesRequest, NewMessage, Role};

/// Messages of one session that were said at the same time.
pub struct Said {
    pub agent: &'static str,
    pub minutes_ago: i64,
    session: &'static str,
    messages: &'static [(Role, &'static str)],
}

pub const SAID: &[Said] = &[
    Said {
        agent: "binky",
        minutes_ago: 12_700,
        session: "release-desk-41",
        messages: &[
            (Role::User, "Morning, Binky! Which builds are green?"),
            (Role::ToolResult, "ci: 14 builds passed, 1 failed in packaging"),
            (Role::Assistant, "Fourteen builds passed. Packaging failed on the signing step."),
            (Role::User, "Thanks, got it."),
        ],
    },
    Said {
        agent: "binky",
        minutes_ago: 8_900,
        session: "release-desk-42",
        messages: &[
            (Role::User, "Idris approved €1,800 for the second build machine."),
            (Role::Assistant, "Noted. I have ordered the machine for the Lisbon rack."),
            (Role::ToolResult, "mail: order 7714 sent to the supplier"),
        ],
    },
    Said {
        agent: "binky",
        minutes_ago: 4_300,
        session: "release-desk-43",
        messages: &[
            (Role::User, "We decided to freeze the release branch on Thursdays from now on."),
            (Role::Assistant, "I have scheduled the freeze for Thursdays at noon."),
            (Role::ToolResult, "calendar: request timed out"),
            (Role::Assistant, "The calendar does not answer. I will try again in an hour."),
        ],
    },
    Said {
        agent: "binky",
        minutes_ago: 95,
        session: "release-desk-44",
        messages: &[
            (Role::User, "Remember this: the signing key moves to the new vault on 1 December."),
            (Role::Assistant, "I will remember it."),
            (Role::User, "Great, thank you!"),
        ],
    },
];

/// Stores the messages of a session.
pub async fn say(engine: &Engine, ctx: &OpContext, said: &Said) -> Result<(), Failure> {
    let message = |(role, content): &(Role, &str)| NewMessage {
        role: *role,
        content: (*content).to_owned(),
        message_id: None,
        observed_at: None,
        importance: None,
        retention: None,
    };
    let messages = said.messages.iter().map(message).collect();
    let request = MessagesRequest { messages, topic: Some("release desk".into()), platform: Some("slack".into()), user_id: None };
    lifecycle::add_messages(engine, ctx, said.session, request).await?;
    Ok(())
}

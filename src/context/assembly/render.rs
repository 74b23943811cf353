//! Renders fitted blocks as one text and as messages. The same blocks give the same bytes. Pure.

use super::block::{Block, message};
use wire::{ContextMessage, MessageRole, Pace};

/// A rendered context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    pub text: String,
    pub messages: Vec<ContextMessage>,
    /// Bytes of the text up to the last cache breakpoint.
    pub stable_bytes: usize,
}

/// Renders blocks in their order. The text before the first block that changes in every turn is the stable prefix. Breakpoints end its part
/// that depends on settings alone, and the whole of it. System messages begin and end there. What follows the turns in the text is, among the
/// messages, before the last turn of the user.
pub fn render(blocks: &[Block]) -> Rendered {
    let stable = blocks.iter().position(|block| block.name.pace() == Pace::Turn).unwrap_or(blocks.len());
    let settled = blocks[..stable].iter().position(|block| block.name.pace() != Pace::Settings).unwrap_or(stable);
    let mut text = String::new();
    let mut messages: Vec<ContextMessage> = Vec::new();
    let mut stable_bytes = 0;
    let mut system = String::new();
    for (place, block) in blocks.iter().enumerate() {
        let shown = block.text();
        text.push_str(&shown);
        if block.pieces.iter().any(|piece| piece.message.is_some()) {
            flush(&mut system, &mut messages, false);
            messages.extend(block.pieces.iter().filter_map(|piece| piece.message.clone()));
            continue;
        }
        system.push_str(&shown);
        let ends = place + 1;
        if ends == settled || ends == stable {
            flush(&mut system, &mut messages, true);
            stable_bytes = text.len();
        }
    }
    let spoken = messages.len();
    flush(&mut system, &mut messages, false);
    before_last_user(&mut messages, spoken);
    Rendered { text, messages, stable_bytes }
}

/// Moves the system message that follows the first `spoken` messages before the last one of the user: chat APIs answer the user or a tool. The
/// earlier turns stay in front of it, so that a provider can cache them.
fn before_last_user(messages: &mut [ContextMessage], spoken: usize) {
    if messages.len() > spoken
        && let Some(place) = messages[..spoken].iter().rposition(|one| one.role == MessageRole::User)
    {
        messages[place..].rotate_right(1);
    }
}

/// Ends a system message, if it has begun.
fn flush(system: &mut String, messages: &mut Vec<ContextMessage>, cache_breakpoint: bool) {
    if !system.is_empty() {
        let content = std::mem::take(system);
        messages.push(ContextMessage { cache_breakpoint, ..message(MessageRole::System, None, None, content) });
    }
}

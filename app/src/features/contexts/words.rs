//! Labels of blocks, cuts and states.

use crate::ui::{Badge, Tone, text};
use leptos::prelude::*;
use wire::{BlockName, BlockOrder, ContextCut, ContextTiers, CutAction, Pace};

pub fn block_name(name: BlockName) -> &'static str {
    match name {
        BlockName::SystemPrompt => "System prompt",
        BlockName::Skills => "Skills",
        BlockName::AgentIdentity => "Agent identity",
        BlockName::Directives => "Directives",
        BlockName::Memory => "Memory block",
        BlockName::WorkingMemory => "Working memory",
        BlockName::StructuredData => "Structured data",
        BlockName::LearnedInfo => "Learned info",
        BlockName::ArtifactIndex => "Artifact index",
        BlockName::Facts => "Facts",
        BlockName::Episodes => "Episodes",
        BlockName::Knowledge => "Knowledge",
        BlockName::Connections => "Connections",
        BlockName::Reports => "Reports of agents",
        BlockName::SuggestedActions => "Suggested actions",
        BlockName::Turns => "Conversation",
        BlockName::ToolResults => "Tool results",
        BlockName::Time => "Date and time",
    }
}

/// When the blocks of a pace change.
pub fn pace_name(pace: Pace) -> &'static str {
    match pace {
        Pace::Settings => "changes with settings",
        Pace::Memory => "changes with memory",
        Pace::Turn => "changes every turn",
    }
}

pub fn order_name(order: BlockOrder) -> &'static str {
    match order {
        BlockOrder::StableFirst => "Stable first",
        BlockOrder::PersonalFirst => "Personal first",
    }
}

/// The label of what a context contains of memory.
pub fn tiers_name(tiers: ContextTiers) -> &'static str {
    match tiers {
        ContextTiers::None => "None",
        ContextTiers::WorkingMemory => "Working memory only",
        ContextTiers::All => "All",
    }
}

/// What was cut from a block: `Facts: 2 items left out, 85 tokens saved`.
pub fn cut_sentence(cut: &ContextCut) -> String {
    let items = i64::from(cut.items);
    let (one, several) = match cut.block {
        BlockName::Turns => ("turn", "turns"),
        BlockName::Memory => ("entry", "entries"),
        BlockName::ToolResults => ("result", "results"),
        _ => ("item", "items"),
    };
    let what = match cut.action {
        CutAction::Condensed => format!("{} became one message", text::count(items, "older turn", "older turns")),
        CutAction::LeftOut => format!("{} left out", text::count(items, one, several)),
    };
    format!("{}: {what}, {} saved", block_name(cut.block), text::count(i64::from(cut.tokens), "token", "tokens"))
}

/// Badges for everything unusual about a context.
pub fn outcome_badges(cut: &[ContextCut], degraded: &[String]) -> impl IntoView + use<> {
    let saved: i64 = cut.iter().map(|cut| i64::from(cut.tokens)).sum();
    let cut = (!cut.is_empty()).then(|| {
        let text = format!("cut by {}", text::count(saved, "token", "tokens"));
        view! { <Badge tone=Tone::Warn text title="Blocks were cut to fit the budget." /> }
    });
    let degraded = (!degraded.is_empty()).then(|| {
        let text = format!("degraded: {}", degraded.join(", "));
        view! { <Badge tone=Tone::Danger text title="These blocks or steps could not be provided." /> }
    });
    (cut, degraded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_reads_as_a_sentence() {
        let cut = |block, action, items, tokens| cut_sentence(&ContextCut { block, action, items, tokens });
        assert_eq!(cut(BlockName::Facts, CutAction::LeftOut, 1, 1), "Facts: 1 item left out, 1 token saved");
        assert_eq!(cut(BlockName::Memory, CutAction::LeftOut, 300, 4_200), "Memory block: 300 entries left out, 4,200 tokens saved");
        assert_eq!(
            cut(BlockName::Turns, CutAction::Condensed, 12, 1_340),
            "Conversation: 12 older turns became one message, 1,340 tokens saved"
        );
    }
}

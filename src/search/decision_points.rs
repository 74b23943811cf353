//! Recipes for the moments at which an agent looks back before it acts. Pure data.

use wire::{ActionKind, DecisionPoint, SearchSource, Weights};

/// The defaults of a search at a decision point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    pub sources: &'static [SearchSource],
    /// Kinds of actions; all of them if empty.
    pub actions: &'static [ActionKind],
    /// Whether only decisions count among memories.
    pub decisions: bool,
    /// Weights of its own; those of the organisation if absent.
    pub weights: Option<Weights>,
    pub k: u32,
}

/// A search without a decision point.
pub const PLAIN: Recipe = Recipe { sources: SearchSource::ALL, actions: &[], decisions: false, weights: None, k: 5 };

pub fn recipe(point: DecisionPoint) -> Recipe {
    use ActionKind::{Action, Approval, Decision, Outcome, Performance, Rejection};
    use SearchSource::{Audit, Knowledge, Memory, Workflow};
    match point {
        // Similar tasks and how they ended, wherever that was noted.
        DecisionPoint::TaskIntake => PLAIN,
        // What worked and what failed lately: tools change, so what is recent counts more.
        DecisionPoint::ToolSelection => Recipe {
            sources: &[Memory, Audit, Workflow],
            actions: &[Action, Outcome, Performance],
            weights: Some(Weights { similarity: 0.5, recency: 0.3, importance: 0.1, source_priority: 0.1 }),
            ..PLAIN
        },
        // Precedents do not age much; what was weighty counts more.
        DecisionPoint::DecisionMemo => Recipe {
            sources: &[Memory, Audit, Knowledge],
            actions: &[Decision, Approval, Rejection],
            decisions: true,
            weights: Some(Weights { similarity: 0.5, recency: 0.1, importance: 0.3, source_priority: 0.1 }),
            ..PLAIN
        },
        // How earlier pieces did, and what the house style says.
        DecisionPoint::Content => Recipe {
            sources: &[Memory, Audit, Knowledge],
            actions: &[Performance, Outcome],
            weights: Some(Weights { similarity: 0.4, recency: 0.3, importance: 0.2, source_priority: 0.1 }),
            ..PLAIN
        },
        // Who did similar work: the reports name their agents. Ten of them show more than one agent.
        DecisionPoint::Delegation => {
            Recipe { sources: &[Audit, Workflow], actions: &[Action, Outcome, Performance], weights: None, k: 10, ..PLAIN }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_can_be_followed() {
        for point in DecisionPoint::ALL {
            let Recipe { sources, weights, k, .. } = recipe(*point);
            assert!(!sources.is_empty() && (1..=wire::SOURCES_K_MAX).contains(&k), "{point}");
            let sum = weights.map_or(1.0, |w| w.similarity + w.recency + w.importance + w.source_priority);
            assert!((sum - 1.0).abs() < 1e-9, "{point}");
        }
    }
}

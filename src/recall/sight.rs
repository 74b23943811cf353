//! What of a logged answer the present caller may see: what a new answer could give it, and nothing else.

use super::store::Measured;
use foundation::OpContext;
use foundation::op::Actor;
use wire::{DegradedPart, KeyScope, Retrieval};

/// The rights of a reader of the logs. An agent may have several keys, and each reads the logs of all of them: what another key could read
/// is not shown for that reason alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sight {
    /// The organisation's documents.
    pub knowledge: bool,
    /// Texts that are deleted or expired by now.
    pub gone: bool,
}

impl Sight {
    /// The rights of the caller. Operators see everything; the users whose rows are in reach are up to the tenancy of each statement.
    pub fn of(ctx: &OpContext) -> Self {
        let is_agent = matches!(ctx.actor, Actor::Agent { .. });
        Self { knowledge: !is_agent || ctx.require(KeyScope::KbRead).is_ok(), gone: !is_agent }
    }

    /// Leaves out of `degraded` what the caller could not have asked for.
    pub fn narrow_degraded(self, degraded: &mut Vec<String>) {
        if !self.knowledge {
            degraded.retain(|part| part != DegradedPart::Knowledge.as_str());
        }
    }

    /// Leaves out of a row of the retrieval log what the caller may not see.
    pub(super) fn narrow(self, row: &mut Retrieval) {
        self.narrow_degraded(&mut row.degraded);
        if !self.knowledge {
            row.knowledge_hits = 0;
        }
    }

    /// The same of a whole recall. The memories keep their order, and their ranks have no gaps.
    pub(super) fn narrow_measured(self, recall: &mut Measured) {
        self.narrow(&mut recall.logged);
        if !self.knowledge {
            recall.knowledge.0.clear();
            let mut ranked: Vec<_> = recall.candidates.iter_mut().filter(|one| one.rank.is_some()).collect();
            ranked.sort_by_key(|one| one.rank);
            for (place, one) in (1..).zip(ranked) {
                one.rank = Some(place);
            }
        }
    }
}

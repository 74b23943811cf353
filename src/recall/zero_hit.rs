//! Why a recall came back empty, and what was closest: for operators only.

use super::near::{EmptyRecall, Near};
use super::store;
use crate::memories;
use db::{DbError, Tx};
use wire::{NothingReason, ZeroHitCause};

/// Most near misses.
const NEAR_MISSES: i64 = 5;

/// Compares the query with everything that the agent and the commons ever had, including deleted, expired, superseded and other users'
/// memories, and counts what the agent itself has.
///
/// # Errors
/// When the database is out of reach.
pub async fn diagnose(tx: &mut Tx, empty: &EmptyRecall<'_>) -> Result<(ZeroHitCause, Vec<Near>), DbError> {
    let near = match empty.vector {
        Some(vector) => store::nearest_of_all(tx, empty, vector, NEAR_MISSES).await?,
        None => Vec::new(),
    };
    let own = memories::store::in_reach(tx, empty.tenant, empty.user_id.into(), &[empty.agent], empty.at).await?;
    Ok((cause(empty.reason, empty.considered == 0 || own == 0, &near), near))
}

/// The cause of an empty answer, from the near misses and whether there was nothing to search: no memory was scored, or none of the agent's
/// own. The commons would otherwise hide an agent that stores nothing.
pub fn cause(reason: Option<NothingReason>, empty: bool, near: &[Near]) -> ZeroHitCause {
    let out_of_reach = near.iter().any(|near| near.similarity >= near.floor);
    match (reason, out_of_reach, empty) {
        (Some(NothingReason::Degraded), ..) => ZeroHitCause::Degraded,
        (_, true, _) => ZeroHitCause::FilteredOut,
        (_, false, true) => ZeroHitCause::NothingStored,
        (_, false, false) => ZeroHitCause::BelowFloor,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;
    use wire::{AgentId, MemoryId, NearMissState};

    fn near(similarity: f64, state: NearMissState) -> Near {
        Near { agent_id: AgentId(Uuid::nil()), memory_id: MemoryId(Uuid::nil()), similarity, floor: 0.25, state }
    }

    #[test]
    fn four_causes_are_told_apart() {
        let deleted = [near(0.8, NearMissState::Deleted)];
        let weak = [near(0.2, NearMissState::BelowFloor)];
        assert_eq!(cause(Some(NothingReason::NothingFound), true, &[]), ZeroHitCause::NothingStored);
        assert_eq!(cause(Some(NothingReason::NothingFound), true, &deleted), ZeroHitCause::FilteredOut);
        assert_eq!(cause(Some(NothingReason::BelowFloor), true, &weak), ZeroHitCause::NothingStored);
        assert_eq!(cause(Some(NothingReason::BelowFloor), false, &weak), ZeroHitCause::BelowFloor);
        assert_eq!(cause(Some(NothingReason::BelowFloor), false, &deleted), ZeroHitCause::FilteredOut);
        assert_eq!(cause(Some(NothingReason::Degraded), false, &deleted), ZeroHitCause::Degraded);
    }
}

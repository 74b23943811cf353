//! Why a recall came back empty, and what was closest: for operators only.

use super::near::{Near, Silent};
use super::store;
use crate::api::{NothingReason, ZeroHitCause};
use crate::db::{DbError, Tx};

/// Most near misses.
const NEAR_MISSES: i64 = 5;

/// Compares the query with everything that the agent and the commons ever had, including deleted, expired, superseded and other users'
/// memories.
///
/// # Errors
/// When the database is out of reach.
pub async fn diagnose(tx: &mut Tx, silent: &Silent<'_>) -> Result<(ZeroHitCause, Vec<Near>), DbError> {
    let near = match silent.vector {
        Some(vector) => store::nearest_of_all(tx, silent, vector, NEAR_MISSES).await?,
        None => Vec::new(),
    };
    Ok((cause(silent.reason, silent.considered, &near), near))
}

/// The cause of an empty answer, from the number of scored memories and the near misses.
pub fn cause(reason: Option<NothingReason>, considered: i64, near: &[Near]) -> ZeroHitCause {
    let out_of_reach = near.iter().any(|near| near.similarity >= near.floor);
    match (reason, out_of_reach, considered) {
        (Some(NothingReason::Degraded), ..) => ZeroHitCause::Degraded,
        (_, true, _) => ZeroHitCause::FilteredOut,
        (_, false, 0) => ZeroHitCause::NothingStored,
        (_, false, _) => ZeroHitCause::BelowFloor,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{AgentId, MemoryId, NearMissState};
    use uuid::Uuid;

    fn near(similarity: f64, state: NearMissState) -> Near {
        Near { agent_id: AgentId(Uuid::nil()), memory_id: MemoryId(Uuid::nil()), similarity, floor: 0.25, state }
    }

    #[test]
    fn four_silences_are_told_apart() {
        let deleted = [near(0.8, NearMissState::Deleted)];
        let weak = [near(0.2, NearMissState::BelowFloor)];
        assert_eq!(cause(Some(NothingReason::NothingFound), 0, &[]), ZeroHitCause::NothingStored);
        assert_eq!(cause(Some(NothingReason::NothingFound), 0, &deleted), ZeroHitCause::FilteredOut);
        assert_eq!(cause(Some(NothingReason::BelowFloor), 3, &weak), ZeroHitCause::BelowFloor);
        assert_eq!(cause(Some(NothingReason::BelowFloor), 3, &deleted), ZeroHitCause::FilteredOut);
        assert_eq!(cause(Some(NothingReason::Degraded), 3, &deleted), ZeroHitCause::Degraded);
    }
}

//! Combines the commons' profile with an agent's own. Pure.

use super::model::{Leaf, Place};
use std::collections::HashMap;
use words::compare::{Likeness, compare};

/// The leaves of the commons' profile that an agent reads beneath its own: those that its own profile says nothing else about. `own` has every
/// leaf, so what was forgotten or corrected there does not come back from the commons. Connections belong to one agent and are not shared.
pub fn beneath(own: &[Leaf], shared: Vec<Leaf>) -> Vec<Leaf> {
    let mut places: HashMap<Place, Vec<&Leaf>> = HashMap::new();
    for leaf in own {
        places.entry(leaf.place()).or_default().push(leaf);
    }
    let covered = |leaf: &Leaf| places.get(&leaf.place()).is_some_and(|there| there.iter().any(|mine| covers(mine, leaf)));
    shared.into_iter().filter(|leaf| leaf.connection_id.is_none() && !covered(leaf)).collect()
}

/// Whether an own leaf takes the place of a shared one at the same path.
fn covers(own: &Leaf, shared: &Leaf) -> bool {
    let likeness = match (own.value.as_str(), shared.value.as_str()) {
        _ if own.leaf_hash == shared.leaf_hash => Likeness::Same,
        (Some(one), Some(other)) => compare(one, other),
        _ => Likeness::Other,
    };
    let single = !(own.listed && shared.listed);
    likeness == Likeness::Same || own.is_visible() && (single || likeness.is_conflict())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::merge::Merge;
    use crate::profile::model::{Citation, LeafState, NewLeaf, Part};
    use serde_json::json;
    use uuid::Uuid;
    use wire::{EventId, SourceId};

    fn leaf(path: &str, value: &str, listed: bool) -> Leaf {
        let id = Uuid::from_u128(1);
        let cite = Citation { source_id: SourceId(id), event_id: EventId(id), session_id: None, at: chrono::DateTime::UNIX_EPOCH };
        let (path, value) = (vec![path.to_owned()], json!(value));
        let new_leaf = NewLeaf { part: Part::Scaffold, connection_id: None, path, value, listed, corrects: false, cites: vec![cite] };
        let mut merge = Merge::new(Vec::new());
        merge.apply(vec![new_leaf], || id);
        merge.leaves.remove(0)
    }

    #[test]
    fn own_leaves_win_and_what_was_forgotten_does_not_come_back() {
        let forgotten = |leaf: Leaf| Leaf { state: LeafState::Forgotten, ..leaf };
        let own = [
            leaf("Role", "Engineer", false),
            leaf("Preferences", "Vera prefers short e-mails.", true),
            forgotten(leaf("Time zone", "Europe/Zurich", false)),
            forgotten(leaf("Facts", "Vera lives in Bern.", true)),
        ];
        let shared = vec![
            leaf("role", "Director", false),
            leaf("Preferences", "Vera prefers short e-mails.", true),
            leaf("Preferences", "Vera likes green tea.", true),
            leaf("Time zone", "Europe/Zurich", false),
            leaf("Facts", "Vera lives in Bern", true),
            leaf("Facts", "Idris owns a boat.", true),
            leaf("Office", "Bern", false),
        ];
        let kept: Vec<_> = beneath(&own, shared).into_iter().map(|leaf| leaf.value).collect();
        assert_eq!(kept, ["Vera likes green tea.", "Idris owns a boat.", "Bern"].map(|text| json!(text)));
        let time_zone = vec![leaf("Time zone", "Europe/Oslo", false)];
        assert_eq!(beneath(&own, time_zone).len(), 1, "another value than the forgotten one");
    }
}

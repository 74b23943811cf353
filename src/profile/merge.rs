//! How new leaves change the leaves of a profile. A leaf that no new leaf names stays as it is. Pure.

use super::model::{Citation, Diff, Leaf, LeafState, NewLeaf};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};
use uuid::Uuid;
use wire::EventId;
use words::compare::{Likeness, compare};
use words::tree::LEAVES_MAX;

/// Leaves, by their place in a merge, and the observations that were counted for each.
type Counted = HashSet<(usize, Uuid)>;

/// The leaves of a profile, and how they changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge {
    pub leaves: Vec<Leaf>,
    pub diff: Diff,
    /// Proposals that were left out: forgotten before, older than a correction, or beyond the limit of the profile.
    pub left_out: usize,
    /// Leaves that others of the same observations replaced.
    pub replaced: usize,
    /// Observations that rules read in place of a model, and that the model reads now.
    reread: BTreeSet<Uuid>,
}

impl Merge {
    /// Starts with the leaves of a profile, those that are not visible included.
    pub fn new(leaves: Vec<Leaf>) -> Self {
        Self { leaves, diff: Diff::default(), left_out: 0, replaced: 0, reread: BTreeSet::new() }
    }

    /// Lets new leaves replace the leaves that rules drew from these observations alone.
    pub fn replacing(mut self, reread: &BTreeSet<EventId>) -> Self {
        self.reread = reread.iter().map(|event| event.0).collect();
        self
    }

    /// Applies new leaves in their order. An observation counts once for a leaf, however many new leaves say so. A value that contradicts
    /// another one stands beside it, unless its observation corrects: then the earlier values are superseded.
    pub fn apply(&mut self, new_leaves: Vec<NewLeaf>, mut new_id: impl FnMut() -> Uuid) {
        let mut places: HashMap<Vec<u8>, usize> = self.leaves.iter().map(|leaf| leaf.leaf_hash.clone()).zip(0..).collect();
        let mut shown = self.leaves.iter().filter(|leaf| leaf.state == LeafState::Shown).count();
        let mut counted = self.counted_before(&new_leaves);
        let (mut aside, mut cited) = (self.set_aside(), HashSet::new());
        for new_leaf in new_leaves {
            let hash = new_leaf.hash();
            let place = places.get(&hash).copied().or_else(|| self.same_statement(&new_leaf));
            if let Some(place) = place.filter(|place| aside.remove(place)) {
                self.leaves[place].state = LeafState::Shown;
            }
            let at = match place {
                Some(place) if self.repeat(place, &new_leaf, &mut counted) => place,
                None if shown < LEAVES_MAX => {
                    shown += 1;
                    places.insert(hash.clone(), self.leaves.len());
                    self.add(&new_leaf, hash, new_id(), &mut counted)
                }
                _ => {
                    self.left_out += 1;
                    continue;
                }
            };
            cited.extend(new_leaf.cites.iter().map(|cite| cite.event_id.0));
            self.contradict(at, &new_leaf);
        }
        self.settle(aside, &cited);
    }

    /// Observations that are read again, for the leaves that counted them: a leaf lists one observation of each source.
    fn counted_before(&self, new_leaves: &[NewLeaf]) -> Counted {
        let mut counted = Counted::new();
        let again = new_leaves.iter().flat_map(|new_leaf| &new_leaf.cites).filter(|cite| self.reread.contains(&cite.event_id.0));
        for cite in again {
            let counts = |leaf: &Leaf| leaf.source_ids.contains(&cite.source_id.0) && leaf.last_seen >= cite.at;
            counted.extend((0..).zip(&self.leaves).filter(|(_, leaf)| counts(leaf)).map(|(place, _)| (place, cite.event_id.0)));
        }
        counted
    }

    /// Puts the leaves that may be replaced out of the way, so that they contradict nothing meanwhile.
    fn set_aside(&mut self) -> BTreeSet<usize> {
        let reread = &self.reread;
        let is_replaced = |leaf: &Leaf| leaf.is_visible() && leaf.event_ids.iter().all(|event| reread.contains(event));
        let aside: BTreeSet<usize> = (0..).zip(&self.leaves).filter(|(_, leaf)| is_replaced(leaf)).map(|(place, _)| place).collect();
        for place in &aside {
            self.leaves[*place].state = LeafState::Superseded;
        }
        aside
    }

    /// Replaces the leaves that are still aside, if others come from all of their observations; else they are back.
    fn settle(&mut self, aside: BTreeSet<usize>, cited: &HashSet<Uuid>) {
        for place in aside {
            let leaf = &mut self.leaves[place];
            if leaf.event_ids.iter().all(|event| cited.contains(event)) {
                leaf.superseded_at = Some(leaf.last_seen);
                self.replaced += 1;
                self.diff.superseded.push(leaf.id);
                continue;
            }
            leaf.state = LeafState::Shown;
            let part = leaf.part;
            let connection_id = leaf.connection_id;
            let path = leaf.path.clone();
            let value = leaf.value.clone();
            let kept = NewLeaf { part, connection_id, path, value, listed: leaf.listed, corrects: false, cites: Vec::new() };
            self.contradict(place, &kept);
        }
    }

    /// The leaf at the same place whose sentence says the same in nearly the same words.
    fn same_statement(&self, new_leaf: &NewLeaf) -> Option<usize> {
        let text = new_leaf.value.as_str()?;
        let says_it = |leaf: &Leaf| leaf.value.as_str().is_some_and(|other| compare(text, other) == Likeness::Same);
        self.leaves.iter().position(|leaf| leaf.is_beside(new_leaf) && says_it(leaf))
    }

    /// Counts the new leaf for a leaf that is there; false if the leaf was forgotten, or replaced by a later correction.
    fn repeat(&mut self, place: usize, new_leaf: &NewLeaf, counted: &mut Counted) -> bool {
        let leaf = &mut self.leaves[place];
        let outdated = leaf.superseded_at.is_some_and(|superseded| new_leaf.at() <= superseded);
        if leaf.state == LeafState::Forgotten || leaf.state == LeafState::Superseded && outdated {
            return false;
        }
        // A leaf lists one observation of each source, so those that this merge counted are remembered beside it.
        let is_fresh = |cite: &&Citation| counted.insert((place, cite.event_id.0)) && !leaf.event_ids.contains(&cite.event_id.0);
        let fresh: Vec<Citation> = new_leaf.cites.iter().filter(is_fresh).copied().collect();
        if fresh.is_empty() {
            return true;
        }
        if leaf.state == LeafState::Superseded {
            (leaf.state, leaf.superseded_at) = (LeafState::Shown, None);
            // It rests on what was observed since.
            for (source, event) in leaf.source_ids.iter().zip(&mut leaf.event_ids) {
                *event = fresh.iter().find(|cite| cite.source_id.0 == *source).map_or(*event, |cite| cite.event_id.0);
            }
            self.diff.added.push(leaf.id);
        } else {
            self.diff.repeated.push(leaf.id);
        }
        for cite in &fresh {
            leaf.observations = leaf.observations.saturating_add(1);
            leaf.first_seen = leaf.first_seen.min(cite.at);
            leaf.last_seen = leaf.last_seen.max(cite.at);
            leaf.cite(cite);
        }
        true
    }

    fn add(&mut self, new_leaf: &NewLeaf, leaf_hash: Vec<u8>, id: Uuid, counted: &mut Counted) -> usize {
        let place = self.leaves.len();
        let observations = new_leaf.cites.iter().filter(|cite| counted.insert((place, cite.event_id.0))).count();
        let times = || new_leaf.cites.iter().map(|cite| cite.at);
        let mut leaf = Leaf {
            id,
            part: new_leaf.part,
            connection_id: new_leaf.connection_id,
            path: new_leaf.path.clone(),
            value: new_leaf.value.clone(),
            listed: new_leaf.listed,
            state: LeafState::Shown,
            leaf_hash,
            observations: i32::try_from(observations).unwrap_or(i32::MAX),
            contradicts: Vec::new(),
            source_ids: Vec::new(),
            event_ids: Vec::new(),
            first_seen: times().min().unwrap_or_default(),
            last_seen: times().max().unwrap_or_default(),
            superseded_at: None,
            matters: new_leaf.matters().into_iter().map(|matter| matter.to_string()).collect(),
            session_ids: Vec::new(),
            hidden: false,
            unconfirmed: false,
        };
        for cite in &new_leaf.cites {
            leaf.cite(cite);
        }
        self.diff.added.push(id);
        self.leaves.push(leaf);
        place
    }

    /// Notes what contradicts a leaf, or replaces it if the new leaf is a correction.
    fn contradict(&mut self, at: usize, new_leaf: &NewLeaf) {
        let id = self.leaves[at].id;
        let (listed, value) = (self.leaves[at].listed, self.leaves[at].value.clone());
        for place in 0..self.leaves.len() {
            let other = &mut self.leaves[place];
            if place == at
                || other.state != LeafState::Shown
                || !other.is_beside(new_leaf)
                || !conflict((listed, &value), (other.listed, &other.value))
            {
                continue;
            }
            if new_leaf.corrects && other.last_seen <= new_leaf.at() {
                (other.state, other.superseded_at) = (LeafState::Superseded, Some(new_leaf.at()));
                self.diff.superseded.push(other.id);
            } else if !other.contradicts.contains(&id) {
                other.contradicts.push(id);
                self.diff.disputed.push(other.id);
                let other = other.id;
                self.leaves[at].contradicts.push(other);
            }
        }
    }
}

/// Whether two values at one path cannot be true together: two single values that differ, or two sentences that differ in a value or a
/// negation.
fn conflict((one_listed, one): (bool, &Value), (other_listed, other): (bool, &Value)) -> bool {
    match (one_listed || other_listed, one.as_str(), other.as_str()) {
        (false, ..) => true,
        (true, Some(one), Some(other)) => compare(one, other).is_conflict(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::model::Part;
    use chrono::{DateTime, TimeDelta};
    use proptest::prelude::*;
    use serde_json::json;
    use wire::{EventId, SourceId};

    fn new_leaf(n: i64, path: &str, value: Value, (listed, corrects): (bool, bool)) -> NewLeaf {
        let id = Uuid::from_u128(n as u128 + 1);
        let at = DateTime::from_timestamp(1_780_000_000, 0).unwrap() + TimeDelta::minutes(n);
        NewLeaf {
            part: Part::Scaffold,
            connection_id: None,
            path: path.split('/').map(str::to_owned).collect(),
            value,
            listed,
            corrects,
            cites: vec![Citation { source_id: SourceId(id), event_id: EventId(id), session_id: None, at }],
        }
    }

    fn fact(n: i64, path: &str, value: &str) -> NewLeaf {
        new_leaf(n, path, json!(value), (false, false))
    }

    /// Ids that follow from the place of a leaf, so that two merges can be compared.
    fn merged(start: Merge, new_leaves: Vec<NewLeaf>) -> Merge {
        let (mut merge, mut next) = (start, 0);
        let taken = merge.leaves.len() as u128;
        merge.apply(new_leaves, || {
            next += 1;
            Uuid::from_u128(1000 + taken + next)
        });
        merge
    }

    fn values(merge: &Merge) -> Vec<String> {
        merge.leaves.iter().filter(|leaf| leaf.is_visible()).map(|leaf| leaf.value.to_string()).collect()
    }

    #[test]
    fn what_contradicts_stands_beside_and_a_correction_wins() {
        let merge =
            merged(Merge::new(vec![]), vec![fact(1, "Role", "Engineer"), fact(2, "role", "Director"), fact(3, "ROLE", "engineer.")]);
        assert_eq!(values(&merge), ["\"Engineer\"", "\"Director\""]);
        assert_eq!(merge.leaves.iter().map(|leaf| (leaf.observations, leaf.contradicts.len())).collect::<Vec<_>>(), [(2, 1), (1, 1)]);

        let correction = NewLeaf { corrects: true, ..fact(4, "Role", "Surveyor") };
        let corrected = merged(Merge { diff: Diff::default(), ..merge }, vec![correction]);
        assert_eq!(values(&corrected), ["\"Surveyor\""]);
        assert_eq!(corrected.diff.superseded.len(), 2);
        // An observation from before the correction changes nothing; one from after it is a new contradiction.
        let older = merged(corrected.clone(), vec![fact(2, "Role", "Director")]);
        assert_eq!((values(&older), older.left_out), (vec!["\"Surveyor\"".to_owned()], 1));
        assert_eq!(values(&merged(corrected, vec![fact(5, "Role", "Director")])), ["\"Director\"", "\"Surveyor\""]);
    }

    #[test]
    fn lists_hold_many_values_and_sentences_may_still_conflict() {
        let listed = |n, text: &str| new_leaf(n, "Preferences", json!(text), (true, false));
        let list = vec![
            listed(1, "Vera likes green tea."),
            listed(2, "Vera likes the green tea"),
            listed(3, "Vera lives in Bern."),
            listed(4, "Vera lives in Thun."),
        ];
        let merge = merged(Merge::new(vec![]), list);
        let seen: Vec<_> = merge.leaves.iter().map(|leaf| (leaf.observations, leaf.contradicts.len())).collect();
        assert_eq!(seen, [(2, 0), (1, 1), (1, 1)]);
        let corrects = NewLeaf { corrects: true, ..listed(5, "Vera lives in Basel.") };
        assert_eq!(values(&merged(merge, vec![corrects])), ["\"Vera likes green tea.\"", "\"Vera lives in Basel.\""]);
    }

    #[test]
    fn a_forgotten_leaf_and_an_observation_that_was_counted_change_nothing() {
        let mut merge = merged(Merge::new(vec![]), vec![fact(1, "Role", "Engineer"), fact(1, "Role", "Engineer")]);
        assert_eq!(merge.leaves[0].observations, 1, "one observation counts once");
        merge.leaves[0].state = LeafState::Forgotten;
        let again = merged(merge.clone(), vec![fact(2, "role", "ENGINEER")]);
        assert_eq!((&again.leaves, again.left_out), (&merge.leaves, 1));
    }

    #[test]
    fn an_observation_counts_once_however_often_its_value_is_proposed() {
        // Three observations in the same words are of one source.
        let cite = |n: i64| Citation { source_id: SourceId(Uuid::from_u128(99)), ..fact(n, "k", "v").cites[0] };
        let all = vec![cite(1), cite(2), cite(3)];
        let listed = |text: &str| NewLeaf { cites: all.clone(), ..new_leaf(1, "Hobbies", json!(text), (true, false)) };
        let texts = ["Idris likes rowing.", "idris likes rowing", "Idris likes the rowing.", "Idris likes rowing."];
        let merge = merged(Merge::new(vec![]), texts.map(listed).to_vec());
        assert_eq!(merge.leaves.iter().map(|leaf| leaf.observations).collect::<Vec<_>>(), [3]);
        let later = NewLeaf { cites: vec![cite(4), cite(4)], ..listed("Idris likes rowing.") };
        assert_eq!(merged(merge, vec![later.clone(), later]).leaves[0].observations, 4);
        let twice = NewLeaf { cites: vec![cite(5), cite(5)], ..listed("Idris sings.") };
        assert_eq!(merged(Merge::new(vec![]), vec![twice]).leaves[0].observations, 1);
    }

    #[test]
    fn what_a_model_reads_again_replaces_what_rules_drew_from_it() {
        let rules = vec![
            fact(1, "Role", "surveyor in Thun"),
            new_leaf(2, "Facts", json!("Idris has a boat."), (true, false)),
            fact(3, "Hobby", "rowing"),
        ];
        let known = merged(Merge::new(vec![]), vec![fact(0, "Role", "surveyor")]);
        let before = merged(known, rules);
        assert_eq!(before.leaves[0].contradicts.len(), 1);
        let reread: BTreeSet<EventId> = [1, 2, 3].map(|n| fact(n, "k", "v").cites[0].event_id).into();
        // The model keeps the hobby, files the boat elsewhere, and says of the role what was known before.
        let model = vec![fact(1, "Role", "surveyor"), fact(2, "Boat", "one"), fact(3, "hobby", "Rowing")];
        let again = merged(Merge::new(before.leaves.clone()).replacing(&reread), model.clone());
        assert_eq!(values(&again), ["\"surveyor\"", "\"rowing\"", "\"one\""]);
        assert_eq!((again.replaced, again.diff.superseded.len(), again.diff.disputed.len()), (2, 2, 0));
        let counts: Vec<_> = again.leaves.iter().filter(|leaf| leaf.is_visible()).map(|leaf| leaf.observations).collect();
        assert_eq!(counts, [2, 1, 1], "no observation counts twice for a value");
        // Of an observation that the model says nothing about, the leaf of the rules stays, and contradicts as before.
        let partly = merged(Merge::new(before.leaves.clone()).replacing(&reread), model[1..].to_vec());
        assert_eq!((values(&partly).len(), partly.replaced), (4, 1));
        // Nothing is replaced unless it is read again.
        assert_eq!(merged(Merge::new(before.leaves), model).replaced, 0);
    }

    proptest! {
        #[test]
        fn a_leaf_that_nobody_names_stays_and_batches_do_not_matter(
            first in proptest::collection::vec((0_usize..4, 0_usize..4), 0..12),
            second in proptest::collection::vec((0_usize..4, 0_usize..4), 0..12),
        ) {
            let make = |list: &[(usize, usize)], from: usize| -> Vec<NewLeaf> {
                list.iter().zip(from..).map(|((path, value), n)| fact(n as i64, &format!("k{path}/x"), &format!("v{value}"))).collect()
            };
            let one = merged(Merge::new(vec![]), make(&first, 0));
            let two = merged(one.clone(), make(&second, 50));
            for leaf in &one.leaves {
                let now = two.leaves.iter().find(|other| other.id == leaf.id).unwrap();
                prop_assert_eq!((&now.path, &now.value, now.state), (&leaf.path, &leaf.value, leaf.state));
                let touched = second.iter().any(|(path, _)| format!("k{path}") == leaf.path[0]);
                prop_assert!(touched || now == leaf);
            }
            let at_once = merged(Merge::new(vec![]), [make(&first, 0), make(&second, 50)].concat());
            let told = |merge: &Merge| merge.leaves.iter().map(|leaf| (leaf.leaf_hash.clone(), leaf.observations, leaf.contradicts.len())).collect::<Vec<_>>();
            prop_assert_eq!(told(&two), told(&at_once));
        }
    }
}

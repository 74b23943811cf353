//! How well a profile fits what people know about a person: precision, recall and F1 of its values. Pure.

use remembrancer::profile::folded;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use wire::ProfileLeaf;
use words::stems;

/// What a profile should have at a path, and what it should not have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Label {
    /// Keys, outermost first. Empty: `never` holds for the whole profile.
    pub path: Vec<String>,
    /// Values of which one is enough; none if nothing has to be there.
    pub values: Vec<String>,
    /// Values that must not be there: replaced by a correction, or nobody's business.
    pub never: Vec<String>,
}

impl Label {
    /// Whether the profile has one of the values at the path.
    pub fn is_met(&self, leaves: &[ProfileLeaf]) -> bool {
        leaves.iter().any(|leaf| self.is_met_by(leaf))
    }

    fn is_met_by(&self, leaf: &ProfileLeaf) -> bool {
        is_at(leaf, &self.path) && self.values.iter().any(|value| says(&leaf.value, value))
    }
}

/// Values under one top key of a profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Values that the profile has, and those of them that a label accepts.
    pub leaves: usize,
    pub right: usize,
    /// Labels with values, and those of them that are met.
    pub labels: usize,
    pub met: usize,
}

impl Counts {
    /// The share of the profile's values that are right; 0 without any.
    pub fn precision(&self) -> f64 {
        share(self.right, self.leaves)
    }

    /// The share of the labels that are met; 0 without any.
    pub fn recall(&self) -> f64 {
        share(self.met, self.labels)
    }

    /// The harmonic mean of the two.
    pub fn f1(&self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
    }

    fn add(&mut self, other: &Self) {
        self.leaves += other.leaves;
        self.right += other.right;
        self.labels += other.labels;
        self.met += other.met;
    }
}

/// A profile compared with its labels, or several together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Accuracy {
    /// By top key, in lower case.
    pub keys: BTreeMap<String, Counts>,
    /// Labels whose value is in the profile, at their path or at another one.
    pub met_anywhere: usize,
    /// Values that a correction should have replaced, and how many of them are still there.
    pub replaced: usize,
    pub stale: usize,
    /// Values that no profile should have, and how many of them it has.
    pub forbidden: usize,
    pub leaked: usize,
    /// Values that contradict another one.
    pub disputed: usize,
}

impl Accuracy {
    /// Compares the structured profile with labels.
    pub fn of(leaves: &[ProfileLeaf], labels: &[Label]) -> Self {
        let mut all = Self { disputed: leaves.iter().filter(|leaf| leaf.disputed).count(), ..Self::default() };
        for leaf in leaves {
            let counts = all.keys.entry(top(&leaf.path)).or_default();
            counts.leaves += 1;
            counts.right += usize::from(labels.iter().any(|label| label.is_met_by(leaf)));
        }
        for label in labels.iter().filter(|label| !label.values.is_empty()) {
            let counts = all.keys.entry(top(&label.path)).or_default();
            counts.labels += 1;
            counts.met += usize::from(label.is_met(leaves));
            all.met_anywhere += usize::from(leaves.iter().any(|leaf| label.values.iter().any(|value| says(&leaf.value, value))));
        }
        for label in labels {
            let there = |value: &&String| leaves.iter().any(|leaf| is_below(leaf, &label.path) && says(&leaf.value, value));
            let found = label.never.iter().filter(there).count();
            if label.path.is_empty() {
                all.forbidden += label.never.len();
                all.leaked += found;
            } else {
                all.replaced += label.never.len();
                all.stale += found;
            }
        }
        all
    }

    /// Adds the comparison of another profile.
    pub fn add(&mut self, other: &Self) {
        for (key, counts) in &other.keys {
            self.keys.entry(key.clone()).or_default().add(counts);
        }
        self.met_anywhere += other.met_anywhere;
        self.replaced += other.replaced;
        self.stale += other.stale;
        self.forbidden += other.forbidden;
        self.leaked += other.leaked;
        self.disputed += other.disputed;
    }

    /// All keys together.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.keys.values().for_each(|counts| total.add(counts));
        total
    }
}

/// The median; none for an empty list. Of an even number it is the lower one of the middle.
pub fn median(mut numbers: Vec<usize>) -> Option<usize> {
    numbers.sort_unstable();
    numbers.get(numbers.len().saturating_sub(1) / 2).copied()
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn top(path: &[String]) -> String {
    path.first().map(|key| folded(key)).unwrap_or_default()
}

fn is_at(leaf: &ProfileLeaf, path: &[String]) -> bool {
    leaf.path.len() == path.len() && is_below(leaf, path)
}

/// Whether the path of a leaf begins with these keys, in any case and spacing.
fn is_below(leaf: &ProfileLeaf, path: &[String]) -> bool {
    leaf.path.len() >= path.len() && leaf.path.iter().zip(path).all(|(one, other)| folded(one) == folded(other))
}

/// Whether a value says what is wanted: it has all of its content words, or is the same text where there are none.
fn says(value: &Value, wanted: &str) -> bool {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let (there, terms) = (stems::terms(&text), stems::terms(wanted));
    if terms.is_empty() { folded(&text) == folded(wanted) } else { terms.keys().all(|term| there.contains_key(term)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use proptest::prelude::*;
    use serde_json::json;
    use wire::{LeafId, ProfileOrigin, ProfilePart};

    fn leaf(path: &str, value: Value, disputed: bool) -> ProfileLeaf {
        ProfileLeaf {
            leaf_id: LeafId(uuid::Uuid::nil()),
            part: ProfilePart::Scaffold,
            profile: ProfileOrigin::Own,
            path: path.split('/').map(str::to_owned).collect(),
            value,
            connection_id: None,
            confidence: 0.7,
            disputed,
            unconfirmed: false,
            observations: 1,
            sessions: 0,
            recurring: false,
            first_seen: DateTime::UNIX_EPOCH,
            last_seen: DateTime::UNIX_EPOCH,
            matters: vec![],
            expires_at: None,
            event_ids: vec![],
            memory_ids: vec![],
        }
    }

    fn label(path: &str, values: &[&str], never: &[&str]) -> Label {
        let owned = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect();
        Label {
            path: path.split('/').filter(|key| !key.is_empty()).map(str::to_owned).collect(),
            values: owned(values),
            never: owned(never),
        }
    }

    #[test]
    fn values_are_right_at_their_path_and_stale_below_it() {
        let leaves = [
            leaf("Role", json!("Engineering manager"), true),
            leaf("Role", json!("Director"), true),
            leaf("Projects/harbour", json!("Vera leads the harbour project."), false),
            leaf("Facts", json!("Vera has two cats."), false),
            leaf("Age", json!(42), false),
        ];
        let labels = [
            label("role", &["director", "head of engineering"], &["engineering manager"]),
            label("projects/Harbour", &["leads the harbour project"], &["on hold"]),
            label("Pets", &["two cats"], &[]),
            label("Age", &["42"], &[]),
            label("", &[], &["asthma", "cats"]),
        ];
        let all = Accuracy::of(&leaves, &labels);
        assert_eq!(all.keys["role"], Counts { leaves: 2, right: 1, labels: 1, met: 1 });
        assert_eq!(all.keys["pets"], Counts { leaves: 0, right: 0, labels: 1, met: 0 });
        assert_eq!(all.total(), Counts { leaves: 5, right: 3, labels: 4, met: 3 });
        assert_eq!((all.met_anywhere, all.replaced, all.stale, all.forbidden, all.leaked, all.disputed), (4, 2, 1, 2, 1, 2));
        assert_eq!((median(vec![]), median(vec![3]), median(vec![9, 1, 4, 7])), (None, Some(3), Some(4)));
    }

    proptest! {
        #[test]
        fn scores_stay_between_nothing_and_all(
            leaves in proptest::collection::vec((0_usize..3, 0_usize..4, any::<bool>()), 0..8),
            labels in proptest::collection::vec((0_usize..4, 0_usize..4, 0_usize..4), 0..8),
        ) {
            let (keys, values) = (["Role", "Goals", "Facts", ""], ["director", "two cats", "sails", "bern"]);
            let leaves: Vec<_> = leaves.iter().map(|(key, value, disputed)| leaf(keys[*key], json!(values[*value]), *disputed)).collect();
            let labels: Vec<_> = labels.iter().map(|(key, value, never)| {
                let wanted: &[&str] = if *key == 3 { &[] } else { &values[*value..=*value] };
                label(keys[*key], wanted, &values[*never..=*never])
            }).collect();
            let all = Accuracy::of(&leaves, &labels);
            let total = all.total();
            prop_assert!(total.right <= total.leaves && total.met <= total.labels && total.met <= all.met_anywhere);
            prop_assert!(total.f1() <= total.precision().max(total.recall()) + 1e-9 && total.f1() >= total.precision().min(total.recall()) - 1e-9);
            prop_assert!(all.stale <= all.replaced && all.leaked <= all.forbidden && all.disputed <= leaves.len());
            prop_assert_eq!(total.leaves, leaves.len());
            // A profile that is exactly what the labels want is right in everything.
            let ideal: Vec<_> = labels.iter().filter(|one| !one.values.is_empty()).map(|one| leaf(&one.path[0], json!(one.values[0]), false)).collect();
            let ideal_total = Accuracy::of(&ideal, &labels).total();
            prop_assert!(ideal.is_empty() || (ideal_total.f1() - 1.0).abs() < 1e-9);
        }
    }
}

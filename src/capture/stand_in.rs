//! When rules read observations in place of a chat model, and what the model reads again once it answers.

use super::store::StoredObservation;
use crate::profile::View;
use models::chat::ChatError;
use std::collections::BTreeSet;
use uuid::Uuid;

/// Attempts of a chat model before rules read the observations.
const ATTEMPTS: i32 = 2;

/// Why rules read what a chat model was to read, as an outcome names them. `None`: the model is tried again first.
pub(super) fn reason(error: &ChatError, tries: i32) -> Option<String> {
    match error {
        ChatError::Exhausted(_) => Some("rules, because the balance is used up".to_owned()),
        error if tries >= ATTEMPTS || !error.is_transient() => Some(format!("rules, because {error}")),
        _ => None,
    }
}

/// Of the observations that rules read, oldest first, those that fit into `room` bytes. What rules drew is replaced leaf by leaf, so an
/// observation is left for later if another one of its leaf does not fit.
pub(super) fn fitting(view: &View, marked: &[StoredObservation], room: usize) -> Vec<StoredObservation> {
    let all = ids(marked);
    let mut size = 0;
    let fits = |one: &&StoredObservation| {
        size += one.content.len();
        size <= room
    };
    let mut fitting: Vec<StoredObservation> = marked.iter().take_while(fits).cloned().collect();
    loop {
        let taken = ids(&fitting);
        let replaced = view.leaves().iter().filter(|leaf| leaf.event_ids.iter().all(|event| all.contains(event)));
        let torn = replaced.filter(|leaf| leaf.event_ids.iter().any(|event| !taken.contains(event)));
        let torn: BTreeSet<Uuid> = torn.flat_map(|leaf| leaf.event_ids.iter().copied()).collect();
        fitting.retain(|one| !torn.contains(&one.id.0));
        if fitting.len() == taken.len() {
            return fitting;
        }
    }
}

fn ids(observations: &[StoredObservation]) -> BTreeSet<Uuid> {
    observations.iter().map(|one| one.id.0).collect()
}

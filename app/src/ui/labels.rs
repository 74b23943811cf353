//! The labels of the fields of a page, by which its errors name them.

use super::text;
use leptos::prelude::*;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

/// Labels by the names of their fields.
#[derive(Clone, Default)]
pub struct Labels(Arc<Mutex<BTreeMap<String, String>>>);

impl Labels {
    /// Keeps the labels of the fields that the page renders from now on.
    pub fn provide() {
        provide_context(Self::default());
    }

    /// Keeps the label of a field, where labels are kept.
    pub fn keep(name: &str, label: &str) {
        if let Some(Self(labels)) = use_context() {
            labels.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), label.to_owned());
        }
    }

    /// The label of a field of the page, or a name made of that of the field. A request calls the agent `agent_id`, a form `agent`.
    pub fn of(field: &str) -> String {
        let short = field.strip_suffix("_id").unwrap_or(field);
        let kept = use_context().and_then(|Self(labels)| {
            let labels = labels.lock().unwrap_or_else(PoisonError::into_inner);
            labels.get(field).or_else(|| labels.get(short)).cloned()
        });
        kept.unwrap_or_else(|| text::field_name(field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_a_field_as_its_form_does() {
        Owner::new().with(|| {
            Labels::keep("from", "lost");
            assert_eq!(Labels::of("from"), "From");
            Labels::provide();
            Labels::keep("from", "Updated from");
            Labels::keep("user", "On behalf of");
            assert_eq!(["from", "user_id", "memory_id"].map(Labels::of), ["Updated from", "On behalf of", "Memory id"]);
        });
    }
}

//! The fields of the form of the lifecycle policy. Their names are those that the engine's errors use.

use crate::query::Query;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use wire::{FieldError, LifecyclePolicy};

/// A number of the policy.
pub struct Field {
    pub name: &'static str,
    pub label: &'static str,
    read: fn(&LifecyclePolicy) -> String,
    /// Whether the text is a number of its kind.
    write: fn(&mut LifecyclePolicy, &str) -> bool,
}

impl Field {
    /// Its value as text.
    pub fn of(&self, policy: &LifecyclePolicy) -> String {
        (self.read)(policy)
    }
}

/// Fields that belong together.
pub struct Group {
    pub title: &'static str,
    pub says: &'static str,
    pub fields: &'static [Field],
}

macro_rules! field {
    ($name:literal, $label:literal, $($part:ident).+) => {
        Field {
            name: $name,
            label: $label,
            read: |policy| policy.$($part).+.to_string(),
            write: |policy, text| text.parse().map(|value| policy.$($part).+ = value).is_ok(),
        }
    };
}

pub static GROUPS: [Group; 4] = [
    Group {
        title: "Retention, in days",
        says: "How long agents recall a message. Memories that a person asked to keep are permanent.",
        fields: &[
            field!("retention_days.routine", "Routine messages", retention_days.routine),
            field!("retention_days.error", "Errors and failures", retention_days.error),
            field!("retention_days.task", "Completed tasks", retention_days.task),
            field!("retention_days.decision", "Decisions and approvals", retention_days.decision),
        ],
    },
    Group {
        title: "History, in days",
        says: "How long old records are kept. Former versions, repetitions and vectors are kept at least as long as the recall log.",
        fields: &[
            field!("history_days.versions", "Former versions", history_days.versions),
            field!("history_days.moments", "Repetitions and vectors", history_days.moments),
            field!("history_days.events", "Finished events", history_days.events),
            field!("history_days.quarantine", "Decided quarantine", history_days.quarantine),
        ],
    },
    Group {
        title: "Importance of a message",
        says: "The base and what each factor adds, from -1 to 1. The sum is limited to the range 0 to 1.",
        fields: &[
            field!("importance.base", "Base", importance.base),
            field!("importance.decision", "A decision", importance.decision),
            field!("importance.action", "An action", importance.action),
            field!("importance.amount", "An amount of money", importance.amount),
            field!("importance.approval", "An approval or a rejection", importance.approval),
            field!("importance.small_talk", "Small talk", importance.small_talk),
        ],
    },
    Group {
        title: "Archive and limits",
        says: "An episode is archived when its importance falls below the first value. Near the maximum of episodes, the second value applies.",
        fields: &[
            field!("archived_below", "Archived below", archived_below),
            field!("cleaned_up_below", "Archived early below", cleaned_up_below),
            field!("episodes_max", "Maximum episodes per agent", episodes_max),
            field!("memories_max", "Maximum memories per agent", memories_max),
        ],
    },
];

/// The fields as they were entered, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyFields {
    #[serde(flatten)]
    pub fields: BTreeMap<String, String>,
}

impl PolicyFields {
    /// A query from which a refused form is filled in again.
    pub fn query(&self) -> Query {
        self.fields.iter().fold(Query::default(), |query, (name, value)| query.with(name, value))
    }

    /// The policy.
    ///
    /// # Errors
    /// Every field that is missing or that is no number of its kind.
    pub fn policy(&self) -> Result<LifecyclePolicy, Vec<FieldError>> {
        let (mut policy, mut errors) = (LifecyclePolicy::default(), Vec::new());
        for field in GROUPS.iter().flat_map(|group| group.fields) {
            let text = self.fields.get(field.name).map(|text| text.trim()).unwrap_or_default();
            if !(field.write)(&mut policy, text) {
                errors.push(FieldError::new(field.name, "Enter a number."));
            }
        }
        if errors.is_empty() { Ok(policy) } else { Err(errors) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_holds_the_whole_policy() {
        let mut policy = LifecyclePolicy { episodes_max: 7, cleaned_up_below: 0.25, ..LifecyclePolicy::default() };
        policy.importance.small_talk = -0.5;
        policy.history_days.events = 3;
        let fields = GROUPS.iter().flat_map(|group| group.fields).map(|field| (field.name.to_owned(), field.of(&policy))).collect();
        let mut form = PolicyFields { fields };
        assert_eq!(form.policy(), Ok(policy));

        form.fields.insert("episodes_max".into(), "-1".into());
        form.fields.insert("importance.base".into(), "a lot".into());
        form.fields.remove("history_days.moments");
        let wrong: Vec<_> = form.policy().unwrap_err().into_iter().map(|error| error.field).collect();
        assert_eq!(wrong, ["history_days.moments", "importance.base", "episodes_max"]);
    }
}

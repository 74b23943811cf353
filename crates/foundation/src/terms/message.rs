//! Decisions on the vocabulary as sentences. Pure.

use wire::DecisionKind;

/// A decision as the audit log has it: what happened to its subjects, by the term that it is about.
pub fn message(kind: DecisionKind, subjects: &[String], term: Option<&str>) -> String {
    let more = subjects.len().saturating_sub(5);
    let subjects = subjects.iter().take(5).map(|subject| format!("“{subject}”")).collect::<Vec<_>>().join(", ");
    let subjects = if more > 0 { format!("{subjects} and {more} more") } else { subjects };
    let name = term.unwrap_or_default();
    match kind {
        DecisionKind::Approve if term.is_some() => format!("approved {subjects} as “{name}”"),
        DecisionKind::Approve => format!("approved {subjects}"),
        DecisionKind::Merge => format!("made {subjects} an alias of “{name}”"),
        DecisionKind::Reject => format!("rejected {subjects}"),
        DecisionKind::Add => format!("added {subjects}"),
        DecisionKind::Rename => format!("renamed {subjects} to “{name}”"),
        DecisionKind::Define => format!("described {subjects} again"),
        DecisionKind::Alias => format!("added the alias {subjects} to “{name}”"),
        DecisionKind::Unalias => format!("removed the alias {subjects} from “{name}”"),
        DecisionKind::Combine => format!("combined {subjects} into “{name}”"),
        DecisionKind::Retire => format!("retired {subjects}"),
        DecisionKind::Undo => format!("undid the decision on {subjects}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_subjects_are_counted() {
        let subjects: Vec<String> = ["a", "b", "c", "d", "e", "f", "g"].map(str::to_owned).to_vec();
        assert_eq!(message(DecisionKind::Reject, &subjects, None), "rejected “a”, “b”, “c”, “d”, “e” and 2 more");
        assert_eq!(message(DecisionKind::Approve, &subjects[..1], Some("A")), "approved “a” as “A”");
        assert_eq!(message(DecisionKind::Approve, &subjects[..1], None), "approved “a”");
    }
}

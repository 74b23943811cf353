//! Decisions and their effects in words.

use crate::ui::text;
use ::words::normal;
use std::collections::HashSet;
use wire::{Decision, DecisionKind, Effect};

/// Lists names in quotation marks: `“a”`, `“a” and “b”`, `“a”, “b”, “c” and 4 more`.
pub fn names(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("“{name}”")).collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [first, second] => format!("{first} and {second}"),
        [first, second, third] => format!("{first}, {second} and {third}"),
        [first, second, third, rest @ ..] => format!("{first}, {second}, {third} and {} more", rest.len()),
    }
}

/// A sentence that says what a decision did.
pub fn summary(decision: &Decision) -> String {
    let (what, several) = (names(&decision.subjects), decision.subjects.len() > 1);
    let term = decision.term.as_ref().map_or_else(|| "another term".to_owned(), |term| format!("“{term}”"));
    let renamed = decision.term.as_ref().filter(|term| decision.subjects.first().is_some_and(|subject| subject != *term));
    match decision.kind {
        DecisionKind::Approve if several => format!("{what} are terms now."),
        DecisionKind::Approve if renamed.is_some() => format!("{what} became the term {term}."),
        DecisionKind::Approve => format!("{what} is a term now."),
        DecisionKind::Merge if several => format!("{what} are now aliases of {term}."),
        DecisionKind::Merge | DecisionKind::Alias => format!("{what} is now an alias of {term}."),
        DecisionKind::Reject => format!("{what} {} rejected.", if several { "were" } else { "was" }),
        DecisionKind::Add => format!("{what} is a term now."),
        DecisionKind::Rename if renamed.is_some() => format!("{what} is called {term} now."),
        DecisionKind::Rename => format!("{what} has a new name."),
        DecisionKind::Define => format!("The definition or category of {what} was changed."),
        DecisionKind::Unalias => format!("{what} is no longer an alias of {term}."),
        DecisionKind::Combine => format!("{what} became an alias of {term}."),
        DecisionKind::Retire => format!("{what} is no longer in use."),
        DecisionKind::Undo if several => format!("The decisions on {what} were undone."),
        DecisionKind::Undo => format!("The decision on {what} was undone."),
    }
}

/// What decisions that were made in one step did: a sentence for each kind, new terms first.
pub fn summaries(decisions: &[Decision]) -> String {
    let mut kinds: Vec<Decision> = Vec::new();
    for decision in decisions {
        match kinds.iter_mut().find(|of| of.kind == decision.kind) {
            Some(of) => of.subjects.extend(decision.subjects.iter().cloned()),
            None => kinds.push(decision.clone()),
        }
    }
    kinds.sort_by_key(|of| of.kind != DecisionKind::Approve);
    kinds.iter().map(summary).collect::<Vec<_>>().join(" ")
}

/// The name of the button that undoes a decision. Undoing an undo makes the decision again.
pub fn inverse(decision: &Decision) -> &'static str {
    if decision.kind == DecisionKind::Undo { "Redo" } else { "Undo" }
}

/// The phrases that lose their meaning with the terms that are undone, although none of the decisions is about them: their aliases.
pub fn aliases_lost(decisions: &[Decision], effect: &Effect) -> Vec<String> {
    let undone = || decisions.iter().filter(|decision| decision.undoable);
    if !undone().any(|decision| matches!(decision.kind, DecisionKind::Approve | DecisionKind::Add)) {
        return Vec::new();
    }
    let own: HashSet<String> =
        undone().flat_map(|decision| decision.subjects.iter().chain(&decision.term)).map(|phrase| normal(phrase)).collect();
    let lost = effect.phrases.iter().filter(|(phrase, meaning)| meaning.is_none() && !own.contains(phrase));
    lost.map(|(phrase, _)| phrase.clone()).collect()
}

/// A sentence that says how many memories a decision would change.
pub fn extent(effect: &Effect) -> String {
    match effect.memories {
        0 => "No memory changes its topic.".to_owned(),
        n => format!(
            "{} of {} {} topic.",
            text::count(n, "memory", "memories"),
            text::count(effect.agents, "agent", "agents"),
            if n == 1 { "changes its" } else { "change their" }
        ),
    }
}

/// The end of a sentence that says how many memories an approval refiles.
pub fn refiled(effect: &Effect) -> String {
    match effect.memories {
        0 => "no memory is refiled.".to_owned(),
        n => format!("{} refiled.", text::count(n, "memory is", "memories are")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use uuid::Uuid;
    use wire::DecisionId;

    #[test]
    fn names_are_listed_as_people_list_them() {
        let all = ["a", "b", "c", "d", "e"].map(str::to_owned);
        assert_eq!(names(&all[..1]), "“a”");
        assert_eq!(names(&all[..2]), "“a” and “b”");
        assert_eq!(names(&all[..3]), "“a”, “b” and “c”");
        assert_eq!(names(&all), "“a”, “b”, “c” and 2 more");
    }

    fn one(kind: DecisionKind, subject: &str) -> Decision {
        Decision {
            id: DecisionId(Uuid::nil()),
            together: None,
            kind,
            subjects: vec![subject.to_owned()],
            term: Some("sail".to_owned()),
            term_id: None,
            reason: None,
            by: "Vera".to_owned(),
            at: DateTime::UNIX_EPOCH,
            version: 1,
            memories: 0,
            remaining: 0,
            undone: false,
            undoable: true,
        }
    }

    #[test]
    fn aliases_that_later_decisions_gave_to_a_term_go_with_it() {
        let gone = |phrase: &str| (phrase.to_owned(), None);
        let effect =
            Effect { memories: 2, agents: 1, phrases: vec![gone("jib"), gone("sail"), ("spar".to_owned(), Some("mast".to_owned()))] };
        assert_eq!(aliases_lost(&[one(DecisionKind::Approve, "Sail")], &effect), ["jib"]);
        let both = [one(DecisionKind::Approve, "Sail"), one(DecisionKind::Merge, "Jib")];
        assert_eq!(aliases_lost(&both, &effect), Vec::<String>::new(), "it is undone as well");
        let gone_already = Decision { undoable: false, ..both[1].clone() };
        assert_eq!(
            aliases_lost(&[both[0].clone(), gone_already], &effect),
            ["jib"],
            "its own decision was undone before, and another one gave the alias again"
        );
        assert_eq!(aliases_lost(&both[1..], &effect), Vec::<String>::new(), "the term stays");
    }

    #[test]
    fn decisions_of_one_step_are_told_by_kind() {
        use DecisionKind::{Approve, Merge, Undo};
        let joined = summaries(&[one(Merge, "jib"), one(Merge, "genoa"), one(Approve, "sail")]);
        let aliases = Decision { subjects: vec!["jib".to_owned(), "genoa".to_owned()], ..one(Merge, "") };
        assert_eq!(joined, format!("{} {}", summary(&one(Approve, "sail")), summary(&aliases)));
        assert_eq!(summaries(&[one(Undo, "jib"), one(Undo, "genoa")]), "The decisions on “jib” and “genoa” were undone.");
        assert_eq!([inverse(&one(Undo, "jib")), inverse(&one(Merge, "jib"))], ["Redo", "Undo"]);
    }

    #[test]
    fn the_extent_agrees_in_number() {
        let effect = |memories, agents| Effect { memories, agents, phrases: Vec::new() };
        assert_eq!(extent(&effect(0, 0)), "No memory changes its topic.");
        assert_eq!(extent(&effect(1, 1)), "1 memory of 1 agent changes its topic.");
        assert_eq!(extent(&effect(3, 2)), "3 memories of 2 agents change their topic.");
        assert_eq!(
            [0, 1, 1200].map(|n| refiled(&effect(n, n))),
            ["no memory is refiled.", "1 memory is refiled.", "1,200 memories are refiled."]
        );
    }
}

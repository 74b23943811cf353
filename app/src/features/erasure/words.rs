//! Erasures in words: where a mention is, and what goes with it.

use crate::ui::text;
use foundation::identity::Admin;
use std::fmt::Write;
use uuid::Uuid;
use wire::{Mention, MentionPlace, SourceExtent};

pub fn place_name(place: MentionPlace) -> &'static str {
    match place {
        MentionPlace::Memory => "Memory",
        MentionPlace::Source => "Source",
        MentionPlace::Turns => "Turns of a source",
        MentionPlace::Event => "Event",
        MentionPlace::Retrieval => "Recall",
        MentionPlace::Quarantine => "Quarantined turn",
        MentionPlace::Proposal => "Proposed phrase",
        MentionPlace::Decision => "Vocabulary decision",
        MentionPlace::Action => "Action",
        MentionPlace::Step => "Workflow step",
        MentionPlace::View => "Saved view",
        MentionPlace::Expectation => "Expectation",
        MentionPlace::AuditText => "Audit text",
        MentionPlace::Term => "Term",
        MentionPlace::Document => "Document",
        MentionPlace::ExpectationSet => "Expectation set",
    }
}

/// The URL of the page that shows a mention, if there is one.
pub fn address(place: MentionPlace, id: Uuid) -> Option<String> {
    let list = match place {
        MentionPlace::Memory => "/memories",
        MentionPlace::Source | MentionPlace::Turns => "/sources",
        MentionPlace::Retrieval => "/recall/log",
        MentionPlace::Document => "/knowledge/documents",
        MentionPlace::ExpectationSet => "/quality/expectations",
        _ => return None,
    };
    Some(format!("{list}/{id}"))
}

/// Who can confirm a request of the admin `me`, and what to do if nobody can.
pub fn who_confirms(admins: &[Admin], me: Uuid) -> String {
    let others: Vec<String> = admins.iter().filter(|admin| admin.id.0 != me).map(|admin| text::visible(&admin.name)).collect();
    match others.as_slice() {
        [] => "You are the only admin, so nobody can confirm it. Invite a second one under Settings, Accounts, before the request expires."
            .to_owned(),
        [one] => format!("{one} can confirm it, and sees it on the overview: send them the address of this page."),
        [rest @ .., last] => {
            format!(
                "{} or {last} can confirm it, and each sees it on the overview: send one of them the address of this page.",
                rest.join(", ")
            )
        }
    }
}

/// What goes with a mention.
pub fn takes(mention: &Mention) -> String {
    let words = match (mention.place, &mention.extent) {
        (MentionPlace::Source, Some(extent)) => return whole(extent),
        (MentionPlace::Turns, Some(extent)) => return turns(extent),
        (MentionPlace::Memory, _) => "This memory and its versions",
        (MentionPlace::Source, None) => "This source",
        (MentionPlace::Turns, None) => "The turns that name the person",
        (MentionPlace::Event, _) => "Only this event",
        (MentionPlace::Retrieval, _) => "This recall and its list of hits",
        (MentionPlace::Quarantine, _) => "Only this entry in quarantine; the source keeps the turn",
        (MentionPlace::Proposal, _) => "Only this phrase",
        (MentionPlace::Decision, _) => "The phrases and the reason; the decision stays",
        (MentionPlace::Action, _) => "Only this action",
        (MentionPlace::Step, _) => "Only this step",
        (MentionPlace::View, _) => "Only this saved view",
        (MentionPlace::Expectation, _) => "Only this expectation and its results",
        (MentionPlace::AuditText, _) => "Only this text; the entry stays",
        (MentionPlace::Term, _) => "Nothing: a term belongs to the organisation. Retire it",
        (MentionPlace::Document, _) => "Nothing: a document belongs to the organisation. Change it where it comes from",
        (MentionPlace::ExpectationSet, _) => {
            "Nothing: a set belongs to the organisation. Delete it, and add its expectations to another set"
        }
    };
    words.to_owned()
}

/// A source as a whole: `Whole transcript, 13 turns, 3 speakers`.
pub fn whole(extent: &SourceExtent) -> String {
    let mut whole = format!("Whole {}", extent.form.as_str().replace('_', " "));
    for (number, one, many) in [(extent.turns, "turn", "turns"), (extent.speakers, "speaker", "speakers")] {
        if number > 0 {
            let _ = write!(whole, ", {}", text::count(number, one, many));
        }
    }
    whole
}

/// The turns of a source that name the person: `Only 2 of 13 turns`.
pub fn turns(extent: &SourceExtent) -> String {
    let turns = text::count(extent.turns, "turn", "turns");
    if extent.naming == 1 { format!("Only this turn of {turns}") } else { format!("Only {} of {turns}", text::number(extent.naming)) }
}

/// What happens to the memories that quote a source, or turns of it, and nothing else.
pub fn consequence(mention: &Mention) -> Option<String> {
    let extent = mention.extent.as_ref()?;
    match mention.place {
        MentionPlace::Turns => {
            let memories =
                text::count(extent.derived, "memory that quotes only these turns goes", "memories that quote only these turns go");
            let facts = text::count(extent.leaves, "fact in a profile that cites them goes", "facts in profiles that cite them go");
            match (extent.derived > 0, extent.leaves > 0) {
                (true, true) => Some(format!("Turns: {memories} with them. {facts}, too.")),
                (true, false) => Some(format!("Turns: {memories} with them.")),
                (false, true) => Some(format!("Turns: {facts} with them.")),
                (false, false) => None,
            }
        }
        MentionPlace::Source if extent.bereft > 0 => {
            let memories = text::count(extent.bereft, "memory stays and loses its evidence", "memories stay and lose their evidence");
            Some(format!("Whole source: {memories}."))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::{OperatorId, SourceForm};

    fn mention(place: MentionPlace, naming: i64, derived: i64) -> Mention {
        let extent = SourceExtent {
            whole: Uuid::nil(),
            form: SourceForm::Transcript,
            turns: 13,
            speakers: 3,
            naming,
            bereft: 4,
            derived,
            leaves: 0,
        };
        let excerpt = "Ask Mina".to_owned();
        Mention { place, id: Uuid::nil(), user_id: None, user_name: None, excerpt, names: vec![], extent: Some(extent) }
    }

    #[test]
    fn a_request_says_who_can_confirm_it() {
        let admin = |n: u128, name: &str| Admin { id: OperatorId(Uuid::from_u128(n)), name: name.to_owned() };
        let all = [admin(1, "Vera"), admin(2, "Idris"), admin(3, "Mina")];
        let says = |admins: &[Admin]| who_confirms(admins, Uuid::from_u128(1));
        assert!(says(&all[..1]).starts_with("You are the only admin"), "{}", says(&all[..1]));
        assert!(says(&all[..2]).starts_with("Idris can confirm it"), "{}", says(&all[..2]));
        assert!(says(&all).starts_with("Idris or Mina can confirm it"), "{}", says(&all));
    }

    #[test]
    fn a_mention_says_what_goes_with_it() {
        let one = mention(MentionPlace::Turns, 1, 0);
        assert_eq!((takes(&one).as_str(), consequence(&one)), ("Only this turn of 13 turns", None));
        let two = mention(MentionPlace::Turns, 2, 1);
        assert_eq!(takes(&two), "Only 2 of 13 turns");
        assert_eq!(consequence(&two).unwrap(), "Turns: 1 memory that quotes only these turns goes with them.");
        let with_leaves = |derived, leaves| {
            let mut mention = mention(MentionPlace::Turns, 2, derived);
            mention.extent.as_mut().unwrap().leaves = leaves;
            consequence(&mention).unwrap()
        };
        assert_eq!(with_leaves(0, 1), "Turns: 1 fact in a profile that cites them goes with them.");
        assert!(with_leaves(3, 2).ends_with(" go with them. 2 facts in profiles that cite them go, too."));
        let whole = mention(MentionPlace::Source, 2, 1);
        assert_eq!(takes(&whole), "Whole transcript, 13 turns, 3 speakers");
        assert_eq!(consequence(&whole).unwrap(), "Whole source: 4 memories stay and lose their evidence.");
        // With every turn or none there is nothing to choose between.
        let divisible = [0, 1, 12, 13].map(|naming| mention(MentionPlace::Source, naming, 0).extent.unwrap().is_divisible());
        assert_eq!(divisible, [false, true, true, false]);
    }
}

use crate::{
    islands::Target,
    layout::{ACTIONS, sections},
};
use wire::OperatorRole;

/// The pages whose name contains the text, without regard to case.
pub fn pages(text: &str) -> impl Iterator<Item = Target> + use<> {
    let text = text.trim().to_lowercase();
    let all = sections().flat_map(|section| section.pages.iter().map(move |page| (section.name, page)));
    let named = all.filter(move |(section, page)| [*section, page.name, page.also].iter().any(|name| name.to_lowercase().contains(&text)));
    named.map(|(section, page)| {
        let detail = if section == page.name { "" } else { section };
        target("Page", page.name, detail, page.href)
    })
}

/// What an operator with these roles may do and is called like the text.
pub fn actions(text: &str, roles: &[OperatorRole]) -> Vec<Target> {
    let text = text.trim().to_lowercase();
    let offered = ACTIONS.iter().filter(|action| roles.contains(&action.role) && action.name.to_lowercase().contains(&text));
    offered.map(|action| target("Action", action.name, "", action.href)).collect()
}

fn target(kind: &str, label: &str, detail: &str, href: &str) -> Target {
    Target { kind: kind.into(), label: label.into(), detail: detail.into(), href: href.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_named_by_a_part_of_their_name_or_of_a_former_one() {
        let named: Vec<_> = pages(" policy ").map(|page| page.href).collect();
        assert_eq!(named, ["/inbox/policy", "/lifecycle/policy", "/recall/policy"]);
        assert_eq!(pages("AUDIT log").map(|page| page.label).collect::<Vec<_>>(), ["Audit"]);
        let tab = pages("quarantine").next().unwrap();
        assert_eq!((tab.label.as_str(), tab.detail.as_str()), ("Quarantine", "Review"));
        assert!(pages("").count() > 30 && pages("no such page").next().is_none());
    }

    #[test]
    fn actions_are_offered_to_those_who_may() {
        let offered = |text, roles: &[OperatorRole]| actions(text, roles).into_iter().map(|action| action.href).collect::<Vec<_>>();
        assert_eq!(offered("erase", &[OperatorRole::Admin]), ["/erasure"]);
        assert_eq!(offered("erase", &[OperatorRole::Viewer, OperatorRole::Reviewer]), [""; 0]);
        assert_eq!(offered("NEW", &[OperatorRole::Operator]), ["/memories/new", "/projects"]);
    }
}

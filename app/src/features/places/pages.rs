use crate::{
    islands::Target,
    layout::{ACTIONS, Page, sections},
};
use wire::OperatorRole;

/// The pages that an operator with these roles may open and whose name contains the text, without regard to case.
pub fn pages(text: &str, roles: &[OperatorRole]) -> Vec<Target> {
    let text = text.trim().to_lowercase();
    let open = sections().flat_map(|section| section.open_to(roles).into_iter().map(move |page| (section.name, page)));
    let named = open.filter(|(section, page)| [*section, page.name, page.also].iter().any(|name| name.to_lowercase().contains(&text)));
    let page = |(section, page): (&str, &Page)| {
        let detail = if section == page.name { "" } else { section };
        target("Page", page.name, detail, page.href)
    };
    named.map(page).collect()
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
        let pages = |text| pages(text, OperatorRole::ALL);
        let named: Vec<_> = pages(" policy ").into_iter().map(|page| page.href).collect();
        assert_eq!(named, ["/inbox/policy", "/lifecycle/policy", "/recall/policy"]);
        assert_eq!(pages("AUDIT log").into_iter().map(|page| page.label).collect::<Vec<_>>(), ["Audit"]);
        let tab = &pages("quarantine")[0];
        assert_eq!((tab.label.as_str(), tab.detail.as_str()), ("Quarantine", "Review"));
        assert!(pages("").len() > 30 && pages("no such page").is_empty());
    }

    #[test]
    fn pages_are_offered_to_those_who_may_open_them() {
        let offered = |roles: &[OperatorRole]| pages("", roles).into_iter().map(|page| page.href).collect::<Vec<_>>();
        let (all, viewer) = (offered(OperatorRole::ALL), offered(&[OperatorRole::Viewer]));
        let closed: Vec<_> = all.iter().filter(|href| !viewer.contains(href)).collect();
        assert_eq!(closed, ["/knowledge/upload", "/capture", "/erasure", "/recall/model"]);
        assert_eq!(offered(&[OperatorRole::Admin]), ["/erasure", "/recall/model"]);
    }

    #[test]
    fn actions_are_offered_to_those_who_may() {
        let offered = |text, roles: &[OperatorRole]| actions(text, roles).into_iter().map(|action| action.href).collect::<Vec<_>>();
        assert_eq!(offered("erase", &[OperatorRole::Admin]), ["/erasure"]);
        assert_eq!(offered("erase", &[OperatorRole::Viewer, OperatorRole::Reviewer]), [""; 0]);
        assert_eq!(offered("NEW", &[OperatorRole::Operator]), ["/memories/new", "/projects"]);
    }
}

use crate::{
    islands::Target,
    layout::{ACTIONS, Page, sections},
};
use wire::OperatorRole;

/// The pages that an operator with these roles may open and that are called like the text. Those with the text in their name come first.
pub fn pages(text: &str, roles: &[OperatorRole]) -> Vec<Target> {
    let open = sections().flat_map(|section| section.open_to(roles).into_iter().map(move |page| (section.name, page)));
    let mut named: Vec<_> = open.filter(|(section, page)| is_called(text, &[*section, page.name, page.also])).collect();
    named.sort_by_key(|(section, page)| !is_called(text, &[*section, page.name]));
    let page = |(section, page): (&str, &Page)| {
        let detail = if section == page.name { "" } else { section };
        target("Page", page.name, detail, page.href)
    };
    named.into_iter().map(page).collect()
}

/// What an operator with these roles may do and is called like the text.
pub fn actions(text: &str, roles: &[OperatorRole]) -> Vec<Target> {
    let offered = ACTIONS.iter().filter(|action| roles.contains(&action.role) && is_called(text, &[action.name, action.also]));
    offered.map(|action| target("Action", action.name, "", action.href)).collect()
}

/// Whether every word of the text is a part of these names, without regard to case.
fn is_called(text: &str, names: &[&str]) -> bool {
    let names = names.join(" ").to_lowercase();
    text.to_lowercase().split_whitespace().all(|word| names.contains(word))
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
    fn what_people_look_for_leads_to_the_page_that_has_it() {
        for (text, href) in [
            ("transcript", "/capture"),
            ("Transcripts", "/sources"),
            ("admin", "/erasure"),
            ("admin", "/recall/model"),
            ("empty", "/recall"),
            ("empty", "/recall/diagnose"),
            ("undo", "/vocabulary/decisions"),
            ("restore", "/memories?deleted=true"),
            ("GDPR", "/erasure"),
            ("gdpr export", "/people"),
            ("export", "/audit"),
            ("export csv", "/usage"),
            ("api key", "/agents"),
            ("token", "/agents"),
            ("glossary", "/vocabulary/terms"),
            ("invite", "/accounts"),
            ("password", "/accounts"),
            ("failed jobs", "/events"),
            ("retention", "/lifecycle/policy"),
            ("import", "/knowledge/upload"),
        ] {
            let found: Vec<_> = pages(text, OperatorRole::ALL).into_iter().map(|page| page.href).collect();
            assert!(found.iter().any(|found| found == href), "{text}: {found:?}");
        }
        assert_eq!(pages("usage", OperatorRole::ALL)[0].href, "/usage", "a name comes before what else a page is called");
        assert_eq!(pages("tokens", OperatorRole::ALL)[0].href, "/agents", "and otherwise the order is that of the sidebar");
        assert_eq!(actions("paste transcript", OperatorRole::ALL)[0].href, "/capture");
        assert_eq!(pages("webhook", OperatorRole::ALL)[0].href, "/webhooks");
        assert!(pages("kubernetes", OperatorRole::ALL).is_empty(), "no page has it");
    }

    #[test]
    fn pages_are_offered_to_those_who_may_open_them() {
        let offered = |roles: &[OperatorRole]| pages("", roles).into_iter().map(|page| page.href).collect::<Vec<_>>();
        let (all, viewer) = (offered(OperatorRole::ALL), offered(&[OperatorRole::Viewer]));
        let closed: Vec<_> = all.iter().filter(|href| !viewer.contains(href)).collect();
        let closed_to_viewers = ["/people/users", "/knowledge/upload", "/capture", "/erasure", "/webhooks", "/recall/model", "/accounts"];
        assert_eq!(closed, closed_to_viewers);
        let of_admins = ["/people/users", "/erasure", "/webhooks", "/recall/model", "/accounts"];
        assert_eq!(offered(&[OperatorRole::Admin]), of_admins);
    }

    #[test]
    fn actions_are_offered_to_those_who_may() {
        let offered = |text, roles: &[OperatorRole]| actions(text, roles).into_iter().map(|action| action.href).collect::<Vec<_>>();
        assert_eq!(offered("erase", &[OperatorRole::Admin]), ["/erasure"]);
        assert_eq!(offered("claude code", &[OperatorRole::Admin]), ["/agents/connect"]);
        assert_eq!(offered("erase", &[OperatorRole::Viewer, OperatorRole::Reviewer]), [""; 0]);
        assert_eq!(offered("NEW", &[OperatorRole::Operator]), ["/memories/new", "/projects"]);
    }
}

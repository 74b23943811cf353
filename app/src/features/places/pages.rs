use crate::{islands::Target, layout::PAGES};

/// Pages that the sidebar does not name: path, name, and the page of the sidebar that leads to them.
const FURTHER: [(&str, &str, &str); 15] = [
    ("/lifecycle/policy", "Lifecycle policy", "Lifecycle"),
    ("/inbox/suggestions", "Suggestions", "Inbox"),
    ("/inbox/quarantine", "Quarantine", "Inbox"),
    ("/inbox/policy", "Capture policy", "Inbox"),
    ("/vocabulary/terms", "Terms", "Vocabulary"),
    ("/vocabulary/terms/new", "New term", "Vocabulary"),
    ("/vocabulary/decisions", "Decisions", "Vocabulary"),
    ("/knowledge/runs", "Ingestions", "Documents"),
    ("/knowledge/topology", "Topology", "Documents"),
    ("/knowledge/upload", "Upload documents", "Documents"),
    ("/recall/playground/context", "Context playground", "Playground"),
    ("/memories?deleted=true", "Deleted memories", "Memories"),
    ("/memories?unreviewed=true", "Shared and unreviewed memories", "Memories"),
    ("/erasure/new", "Erase a person", "Erasure"),
    ("/search", "Search", ""),
];

/// The pages whose name contains the text, without regard to case.
pub fn pages(text: &str) -> impl Iterator<Item = Target> + use<> {
    let text = text.trim().to_lowercase();
    let of_sidebar = PAGES.into_iter().flat_map(|(group, pages)| pages.iter().map(move |(href, label, _)| (*href, *label, group)));
    let named = of_sidebar.chain(FURTHER).filter(move |(_, label, _)| label.to_lowercase().contains(&text));
    named.map(|(href, label, detail)| Target { kind: "Page".into(), label: label.into(), detail: detail.into(), href: href.into() })
}

#[cfg(test)]
mod tests {
    use super::pages;

    #[test]
    fn pages_are_named_by_a_part_of_their_name() {
        let named: Vec<_> = pages(" policy ").map(|page| page.href).collect();
        assert_eq!(named, ["/recall/policy", "/lifecycle/policy", "/inbox/policy"]);
        assert_eq!(pages("AUDIT").map(|page| page.label).collect::<Vec<_>>(), ["Audit log"]);
        assert!(pages("").count() > 30 && pages("no such page").next().is_none());
    }
}
